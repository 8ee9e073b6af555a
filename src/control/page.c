/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "config/orders.h"
#include "config/policy_lines.h"
#include "control/page_files.h"
#include "dns64/pref64.h"
#include "figures/figures.h"
#include "policy/prefix_states.h"

#define NUMBER_TEXT 32

/* --- Cells ------------------------------------------------------------------------------------ */

static void
put(struct evbuffer *out, const char *html)
{
	(void)evbuffer_add(out, html, strlen(html));
}

/* Write TEXT so that HTML shows it as it is. */
static void
put_text(struct evbuffer *out, const char *text)
{
	for (const char *c = text; *c != '\0'; c++) {
		switch (*c) {
		case '&':
			put(out, "&amp;");
			break;
		case '<':
			put(out, "&lt;");
			break;
		case '>':
			put(out, "&gt;");
			break;
		case '"':
			put(out, "&quot;");
			break;
		default:
			(void)evbuffer_add(out, c, 1);
			break;
		}
	}
}

/* Write N with a blank between each three digits. */
static void
put_number(struct evbuffer *out, uint64_t n)
{
	char digits[NUMBER_TEXT];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			put(out, " ");
		(void)evbuffer_add(out, &digits[i], 1);
	}
}

static void
cell(struct evbuffer *out, const char *text, const char *kind)
{
	(void)evbuffer_add_printf(out, "<td class=\"%s\">", kind);
	put_text(out, text);
	put(out, "</td>");
}

static void
cell_number(struct evbuffer *out, uint64_t n)
{
	put(out, "<td class=\"n\">");
	put_number(out, n);
	put(out, "</td>");
}

/* A row of a table: WHAT, and how much. */
static void
row(struct evbuffer *out, const char *what, uint64_t n)
{
	put(out, "<tr>");
	cell(out, what, "");
	cell_number(out, n);
	put(out, "</tr>\n");
}

/* Likewise for the counter at PLACE, as its help says. */
static void
row_counter(struct evbuffer *out, const struct facts *f, enum stats_place place)
{
	row(out, f->rows[place].help, f->rows[place].value);
}

/* The state of V; what the operator has ordered comes first, as nothing is asked then. */
static void
cell_state(struct evbuffer *out, const struct upstream_status *v)
{
	static const char *const kinds[] = { [UPSTREAM_STATUS_GOOD] = "good",
		[UPSTREAM_STATUS_IN_DOUBT] = "warn",
		[UPSTREAM_STATUS_ERRING] = "bad",
		[UPSTREAM_STATUS_STARVED] = "bad",
		[UPSTREAM_STATUS_DOWN] = "bad" };
	char text[32];

	if (v->ordered == CONF_UP) {
		cell(out, upstream_status_state_text(v->state), kinds[v->state]);
		return;
	}
	(void)snprintf(text, sizeof(text), "%s by operator", orders_state_word(v->ordered));
	cell(out, text, "warn");
}

/* --- Values ----------------------------------------------------------------------------------- */

static void
ready(struct evbuffer *out, const struct facts *f)
{
	const struct verdict v = facts_verdict(f);
	char text[VERDICT_TEXT];

	put_text(out, verdict_text(&v, text));
}

static void
state(struct evbuffer *out, const struct facts *f)
{
	static const char *const kinds[] = {
		[VERDICT_READY] = "good", [VERDICT_DEGRADED] = "warn", [VERDICT_UNREADY] = "bad"
	};

	put(out, kinds[facts_verdict(f).state]);
}

static void
version(struct evbuffer *out, const struct facts *f)
{
	(void)f;
	put_text(out, PACKAGE_VERSION);
}

static void
uptime(struct evbuffer *out, const struct facts *f)
{
	uint64_t s = facts_uptime(f);

	if (s >= 86400)
		(void)evbuffer_add_printf(out, "%" PRIu64 " d ", s / 86400);
	(void)evbuffer_add_printf(out, "%" PRIu64 " h %" PRIu64 " min", s / 3600 % 24, s / 60 % 60);
}

static void
silent(struct evbuffer *out, const struct facts *f)
{
	if (!facts_are_whole(f))
		(void)evbuffer_add_printf(out, "%u loops do not answer", f->upstreams->n_missing);
}

static void
questions(struct evbuffer *out, const struct facts *f)
{
	put_number(out, f->rows[STATS_client_udp].value + f->rows[STATS_client_tcp].value);
}

static void
inflight(struct evbuffer *out, const struct facts *f)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < f->n_loops; i++)
		n += f->loops[i].open.queries;
	put_number(out, n);
}

static void
waits(struct evbuffer *out, const struct facts *f)
{
	uint64_t n = latency_count(&f->waited);

	if (n == 0) {
		put(out, "none so far");
		return;
	}
	put_number(out, n);
	(void)evbuffer_add_printf(out, " answers waited, %.3g ms on average",
	    (double)f->waited.sum_ns / (double)n / (double)NS_PER_MS);
}

static void
outcomes(struct evbuffer *out, const struct facts *f)
{
	for (unsigned k = 0; k < REASON_DROPPING; k++) {
		uint64_t from[REASON_SOURCES];

		facts_outcomes(f, (enum reason_kind)k, from);
		if (from[REASON_FROM_CACHE] + from[REASON_FROM_HERE] + from[REASON_FROM_UPSTREAM] ==
		    0)
			continue;
		put(out, "<tr>");
		cell(out, reason_kind_name((enum reason_kind)k), "");
		for (unsigned s = 0; s < REASON_SOURCES; s++)
			cell_number(out, from[s]);
		put(out, "<td class=\"bar\"></td></tr>\n");
	}
}

static void
addresses(struct evbuffer *out, const struct facts *f)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < f->n_served + f->waits->n; i++) {
		bool good = i < f->n_served;
		const struct listens_wait *w = good ? NULL : &f->waits->w[i - f->n_served];

		put(out, "<tr>");
		cell(out, good ? netaddr_format(&f->served[i], text) : w->what, "");
		cell(out, good ? "served" : listens_why_text(w), good ? "good" : "warn");
		put(out, "</tr>\n");
	}
}

#define CHECK_TEXT (PREFIX_STATES_WHY + 64)

/* What prefix-check has found of PREFIX, outside of blocks; "": nothing. */
static const char *
check(const struct settings *s, const struct pref64 *prefix, char text[static CHECK_TEXT])
{
	const struct policy_lines *first = policy_lines_at(s->policy_lines, 0);
	const struct prefix_report *r = prefix_states_find(
	    s->prefix_states, POLICY_PROBE, policy_lines_group(s->policy_lines, first), prefix);
	time_t since;
	char when[32];

	text[0] = '\0';
	if (r == NULL)
		return text;
	since = (time_t)r->since;
	(void)strftime(when, sizeof(when), "%F %T", localtime(&since));
	(void)snprintf(text, CHECK_TEXT, "%s since %s%s%s",
	    r->state == POLICY_ACTIVE ? "up" : "down", when,
	    r->why[0] != '\0' ? ", last error: " : "", r->why);
	return text;
}

static void
prefixes(struct evbuffer *out, const struct facts *f)
{
	static const char *const kinds[] = {
		[POLICY_ACTIVE] = "good", [POLICY_DRAIN] = "warn", [POLICY_DOWN] = "bad"
	};
	const struct policy *p = &f->settings->conf.core.policies->table[0];
	char text[PREF64_TEXT], state[32], found[CHECK_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		put(out, "<tr>");
		cell(out, pref64_format(&p->synth.prefixes[i], text), "");
		(void)snprintf(state, sizeof(state), "%s%s%s",
		    policy_state_word((enum policy_state)p->states[i]),
		    p->causes[i] == POLICY_PROBE ? " by prefix-check" : "",
		    p->held == i ? ", fails" : "");
		cell(out, state, p->held == i ? "warn" : kinds[p->states[i]]);
		cell_number(out, p->choice.weights[i]);
		cell(out, check(f->settings, &p->synth.prefixes[i], found), "");
		put(out, "</tr>\n");
	}
}

static void
blocks(struct evbuffer *out, const struct facts *f)
{
	size_t n = f->settings->conf.core.policies->n - 1;

	if (n > 0)
		(void)evbuffer_add_printf(out, "and %zu client block%s", n, n == 1 ? "" : "s");
}

static void
cache(struct evbuffer *out, const struct facts *f)
{
	if (!f->has_cache) {
		put(out, "<tr><td>no cache</td></tr>");
		return;
	}
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_CACHE)) != NULL;)
		row(out, g->metric.help, figure_sum(g, &f->cache));
	row_counter(out, f, STATS_cache_hits);
	row_counter(out, f, STATS_cache_misses);
}

static void
upstreams(struct evbuffer *out, const struct facts *f)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < f->upstreams->n; i++) {
		const struct upstream_status *v = &f->upstreams->at[i];
		const struct upstream_status_rtt *rtt = &v->rtt[UPSTREAM_PRIMARY];

		put(out, "<tr>");
		cell(out, netaddr_format(&v->addr, text), "");
		cell_state(out, v);
		(void)snprintf(text, sizeof(text), "%.3g ms", (double)rtt->srtt_ns / NS_PER_MS);
		cell(out, rtt->weight > 0 ? text : "-", "n");
		cell_number(out, figure_sum(figures_find("sends"), v));
		cell_number(out, figure_sum(figures_find("replies"), v));
		cell_number(out, figure_sum(figures_find("lost"), v));
		(void)snprintf(text, sizeof(text), "%.0f %%",
		    upstream_status_share(v, f->upstreams->at, f->upstreams->n));
		cell(out, text, "n");
		put(out, "</tr>\n");
	}
}

static void
drops(struct evbuffer *out, const struct facts *f)
{
	static const enum stats_place told[] = { STATS_client_refused, STATS_rate_limited,
		STATS_no_room, STATS_socket_drops, STATS_upstream_mismatch };
	uint64_t dropped = 0;

	for (unsigned r = 0; r < REASON_N; r++) {
		if (reason_row((enum reason)r)->kind == REASON_DROPPING)
			dropped += f->reasons[r].at_once + f->reasons[r].waited;
	}
	row(out, figures[FIGURES_DROPPED].metric.help, dropped);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		row_counter(out, f, told[i]);
	row(out, figures[FIGURES_DENIED].metric.help,
	    f->settings->orders == NULL ? 0 : f->settings->orders->n_denials);
}

static void
loops(struct evbuffer *out, const struct facts *f)
{
	for (unsigned i = 0; i < f->n_loops; i++) {
		const struct facts_loop *l = &f->loops[i];

		(void)evbuffer_add_printf(out, "<tr><td>%u</td>", i);
		cell_number(out, l->questions);
		cell_number(out, l->open.queries);
		cell_number(out, l->open.clients);
		put(out, "</tr>\n");
	}
}

/* --- The page --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*write)(struct evbuffer *out, const struct facts *f);
} values[] = { { "ready", ready }, { "state", state }, { "version", version }, { "uptime", uptime },
	{ "silent", silent }, { "questions", questions }, { "inflight", inflight },
	{ "waits", waits }, { "outcomes", outcomes }, { "prefixes", prefixes },
	{ "blocks", blocks }, { "addresses", addresses }, { "cache", cache },
	{ "upstreams", upstreams }, { "drops", drops }, { "loops", loops } };

/*
 * The words of the figure whose key is the LEN characters at KEY, or its help; both escaped. If
 * several sources have the key, it is the first row of the table.
 */
static void
put_figure(struct evbuffer *out, const char *key, size_t len, bool help)
{
	char text[FIGURE_WORDS];

	for (size_t i = 0; i < figures_n; i++) {
		const struct figure *f = &figures[i];

		if (strlen(f->key) == len && memcmp(f->key, key, len) == 0) {
			put_text(out, help ? f->metric.help : figure_words(f, text));
			return;
		}
	}
}

static void
put_value(struct evbuffer *out, const struct facts *f, const char *name, size_t len)
{
	if (len > 0 && (name[0] == '#' || name[0] == '?'))
		put_figure(out, name + 1, len - 1, name[0] == '?');
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (strlen(values[i].name) == len && memcmp(values[i].name, name, len) == 0)
			values[i].write(out, f);
	}
}

void
page_write(struct evbuffer *out, const struct facts *f)
{
	const char *at = (const char *)page_files_html, *end = at + page_files_html_len;
	bool is_name = false; /* what is between two @ in turn is text and a name; or # or ? and the
				 key of a figure */

	while (at < end) {
		const char *mark = memchr(at, '@', (size_t)(end - at));
		size_t len = (size_t)((mark != NULL ? mark : end) - at);

		if (is_name)
			put_value(out, f, at, len);
		else
			(void)evbuffer_add(out, at, len);
		is_name = !is_name;
		at += len + 1;
	}
}
