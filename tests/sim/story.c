/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/story.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "sim/client.h"
#include "sim/rates.h"
#include "support/configured.h"

#define LEAST_QUERIES 256 /* that max-queries may be in dns64d */
#define FLOODED 200000    /* names from this number on are asked for by floods */
#define FLOOD_MOST 1500   /* questions */
#define LARGE 1024        /* room for questions in some worlds, which there are floods in */
#define FRESH 100000      /* names from this number on are asked for once, when nothing is wrong */

/*
 * A failure is remembered for 5 s, then 10 s and so on; most stories are not long enough for more,
 * and silence is for 300 s at most (RULES 34).
 */
#define FORGOTTEN_NS (40 * NS_PER_SEC)
#define LONG_FORGOTTEN_NS (310 * NS_PER_SEC)

static const char *const faults[FAULTS] = { "silent", "refused", "slow", "lossy", "twice",
	"disorder", "servfail", "refuses", "cut", "lame", "malformed", "no-aaaa", "no-edns",
	"lowers", "tcp-refused", "tcp-closing", "tcp-silent", "tcp-full", "forger", "no-socket",
	"badcookie", "tcp-other", "udp-silent", "tcp-slow", "formerr", "drops-edns",
	"drops-options", "bogus" };

/* Settings by what a reload says. */
enum reload {
	RELOAD_USUAL,
	RELOAD_NO_PREFIX,
	RELOAD_OTHER_PREFIX,
	RELOAD_ON_NODATA,
	RELOAD_FEWER,
	RELOADS
};

static const char *const svcb[] = { "cached", "resolve", "off" };

/* What enum sim_client stands for. */
static const char clients[] = "allow 2001:db8::/32\n"
			      "rate-limit-exempt 2001:db8:4::/48\n"
			      "client 2001:db8:1::/48 {\n"
			      "dns64-prefix 2001:db8:66::/96\n"
			      "rate-limit-factor 4\n"
			      "}\n"
			      "client 2001:db8:2::/48 {\n"
			      "synthesize never\n"
			      "}\n"
			      "client 2001:db8:3::/48 {\n"
			      "synthesize always\n"
			      "rate-limit-factor 0\n"
			      "}\n"
			      "client 2001:db8:4::/48 {\n"
			      "hide-a yes\n"
			      "}\n";

struct act *
story_add(struct sim *s, enum act_kind kind, uint64_t at_ns)
{
	struct act *a = &s->acts[s->n_acts];

	assert(s->n_acts < SIM_ACTS);
	s->n_acts++;
	memset(a, 0, sizeof(*a));
	a->kind = (uint8_t)kind;
	a->at_ns = at_ns;
	return a;
}

static void
draw_question(struct rng *r, struct act *a, uint32_t n_names)
{
	static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA,
		DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_A, DNS_TYPE_A,
		DNS_TYPE_A, DNS_TYPE_TXT, DNS_TYPE_HTTPS, DNS_TYPE_PTR };
	static const uint16_t sizes[] = { 1232, 1232, 1232, 0, 512, 4096 };

	a->name_kind = (uint8_t)rng_below(r, rng_below(r, 2) ? 3 : TRUTH_KINDS);
	a->number = rng_below(r, n_names);
	a->alias = rng_below(r, 100) < 80 ? 0 : rng_below(r, 2) ? 'c' : 'o';
	if (a->alias == 'c' && a->number % 3 == 0 && a->name_kind < TRUTH_BROKEN &&
	    a->name_kind != TRUTH_GONE)
		a->alias = 'd';
	a->type = types[rng_below(r, sizeof(types) / sizeof(types[0]))];
	a->do_bit = rng_below(r, 100) < 8;
	a->cd = rng_below(r, 100) < 8;
	a->tcp = rng_below(r, 100) < 10;
	if (a->alias != 0 && a->type == DNS_TYPE_TXT) /* the end of it is not looked for */
		a->type = DNS_TYPE_A;
	a->bufsize = sizes[rng_below(r, sizeof(sizes) / sizeof(sizes[0]))];
	if (a->bufsize == 0)
		a->do_bit = false;
	a->client = rng_below(r, 3) ? CLIENT_USUAL : (uint8_t)rng_below(r, CLIENT_FLOOD);
	a->cookie = rng_below(r, 4) ? COOKIE_NONE : (uint8_t)(1 + rng_below(r, COOKIE_WRONG));
	a->no_rd = rng_below(r, 100) < 4;
	a->prefix = rng_below(r, 4) ? 0x64 : SIM_OTHER_ADDRESS;
}

static void
draw_fault(struct sim *s, struct rng *r, uint64_t from_ns, uint64_t span_ns)
{
	struct act *a =
	    story_add(s, ACT_FAULT, from_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000);
	uint64_t end_ns = from_ns + span_ns;

	a->what = (uint8_t)rng_below(r, FAULTS_DRAWN);
	a->upstream = (uint8_t)rng_below(r, s->n_upstreams);
	a->for_ns = (100 + rng_below(r, rng_below(r, 2) ? 1000 : 10000)) * NS_PER_MS;
	if (a->at_ns + a->for_ns > end_ns)
		a->for_ns = end_ns - a->at_ns;
	s->lowers = s->lowers || a->what == FAULT_LOWERS;
	if (a->what == FAULT_SLOW)
		a->much = 10 + rng_below(r, rng_below(r, 2) ? 300 : 4000);
	else if (a->what == FAULT_DISORDER)
		a->much = 10 + rng_below(r, 500);
	else
		a->much = rng_below(r, 2) ? 100 : 10 + rng_below(r, 80);
	end_ns = a->at_ns + a->for_ns;
	story_add(s, ACT_NOTHING, end_ns);
}

/* All upstreams fail for long. */
static void
draw_outage(struct sim *s, uint64_t from_ns, uint64_t span_ns)
{
	static const enum fault what[] = { FAULT_SILENT, FAULT_SILENT, FAULT_REFUSED,
		FAULT_SERVFAIL, FAULT_LAME, FAULT_NO_SOCKET };

	for (unsigned u = 0; u < s->n_upstreams; u++) {
		struct act *a =
		    story_add(s, ACT_FAULT, from_ns + sim_draw(s, 13, u, 9000) * NS_PER_MS);

		a->what = (uint8_t)what[sim_draw(s, 14, 0, sizeof(what) / sizeof(what[0]))];
		a->upstream = (uint8_t)u;
		a->much = 100;
		a->for_ns = from_ns + span_ns - a->at_ns;
	}
	story_add(s, ACT_NOTHING, from_ns + span_ns);
}

static int
by_time(const void *a, const void *b)
{
	const struct act *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void
draw_acts(struct sim *s, struct rng *r)
{
	uint64_t span_ns = (1000 + rng_below(r, 15000)) * NS_PER_MS, at_ns = s->w.now_ns;
	unsigned n = 5 + rng_below(r, 150), n_faults = rng_below(r, 9), n_reloads = rng_below(r, 4);
	uint32_t n_names = 1 + rng_below(r, 20);
	bool bursts = rng_below(r, 3) == 0;
	uint64_t asleep_ns = 0, forgotten_ns = FORGOTTEN_NS;

	if (sim_draw(s, 11, 0, 16) == 0) {
		span_ns = (20 + sim_draw(s, 12, 0, 280)) * NS_PER_SEC;
		forgotten_ns = LONG_FORGOTTEN_NS;
		draw_outage(s, s->w.now_ns, span_ns);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!bursts || i % 8 == 0)
			at_ns = s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000;
		draw_question(r, story_add(s, ACT_ASK, at_ns), n_names);
	}
	for (unsigned i = 0; i < n_faults; i++)
		draw_fault(s, r, s->w.now_ns, span_ns);
	for (unsigned i = 0; i < n_reloads; i++)
		story_add(
		    s, ACT_RELOAD, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000)
		    ->what = (uint8_t)rng_below(r, RELOADS);
	for (unsigned i = rng_below(r, 4); i > 0; i--)
		story_add(
		    s, ACT_FLUSH, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000);
	for (unsigned i = rng_below(r, 10); i > 0; i--)
		story_add(
		    s, ACT_ROTATE, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000)
		    ->upstream = (uint8_t)rng_below(r, SIM_UPSTREAMS);
	if (rng_below(r, 4) == 0) {
		struct act *a = story_add(
		    s, ACT_SLEEP, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000);

		a->much = 10 + rng_below(r, rng_below(r, 2) ? 500 : 12000);
		asleep_ns = a->much * NS_PER_MS;
	}
	if (rng_below(r, 8) == 0 || s->max_queries == LARGE) {
		struct act *a = story_add(
		    s, ACT_FLOOD, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000);

		a->much = 1 + rng_below(r, 2 * s->max_queries);
		a->much = a->much < FLOOD_MOST ? a->much : FLOOD_MOST;
		a->number = rng_below(r, 2) ? FLOODED : 0; /* names of its own, or those of all */
		a->name_kind = (uint8_t)rng_below(r, TRUTH_KINDS);
	}
	if (rng_below(r, 16) == 0)
		story_add(s, ACT_FILL, s->w.now_ns + (uint64_t)rng_below(r, 1000) * span_ns / 1000)
		    ->much = 600;
	s->calm_ns = s->w.now_ns + span_ns;
	/* Those who wait for nothing have no answer yet: there may be no room until then. */
	at_ns = s->w.now_ns + span_ns + asleep_ns +
	    (s->max_queries < 256 || s->conf[0].max_waiting_per_client > 0 ? 5500 : 1000) *
		NS_PER_MS;
	for (unsigned i = 0; i < 12; i++) {
		struct act *a = story_add(s, ACT_ASK, at_ns + i * 20 * NS_PER_MS);

		draw_question(r, a, 20);
		a->number = FRESH + i;
		a->strict = true;
	}
	/* What failed is asked for again when that is forgotten. */
	for (unsigned i = 0; i < 12; i++) {
		struct act *a = story_add(s, ACT_ASK, at_ns + forgotten_ns + i * 20 * NS_PER_MS);

		draw_question(r, a, n_names);
		a->strict = true;
	}
}

/* --- settings --------------------------------------------------------------------------------- */

void
story_line(struct sim *s, const char *format, ...)
{
	size_t len = strlen(s->text), room = sizeof(s->text) - len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(s->text + len, room, format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < room);
	(void)n;
}

static const char *
no_or_yes(uint32_t drawn)
{
	return drawn > 0 ? "yes" : "no";
}

/* Settings that no reload changes. */
static void
draw_settings(struct sim *s, struct rng *r)
{
	static const char *const modes[] = { "random", "round-robin", "in-order", "fastest" };
	static const char *const cuts[] = { "off", "secure", "all" };
	uint32_t timeout_ms;

	s->max_queries = 16U << 2 * rng_below(r, 3);
	s->n_upstreams = 1 + rng_below(r, SIM_UPSTREAMS);
	if (sim_draw(s, 10, 0, 32) == 0)
		s->max_queries = LARGE;
	if (s->max_queries < LEAST_QUERIES)
		story_line(s, "# fewer than dns64d takes: max-queries %u\n", s->max_queries);
	else
		story_line(s, "max-queries %u\n", s->max_queries);
	story_line(s, "selection-mode %s\n", modes[rng_below(r, 4)]);
	story_line(s, "hedge %s\n", no_or_yes(rng_below(r, 2)));
	timeout_ms = rng_below(r, 2) ? 2000 : 200 + rng_below(r, 2000);
	story_line(s, "upstream-timeout %u.%03u\n", timeout_ms / 1000, timeout_ms % 1000);
	story_line(s, "upstream-tries %u\n", rng_below(r, 3) ? 3 : 1 + rng_below(r, 3));
	story_line(s, "max-upstream-questions %u\n", rng_below(r, 3) ? 8 + rng_below(r, 17) : 24);
	story_line(s, "case-randomization %s\n", no_or_yes(rng_below(r, 2)));
	story_line(s, "upstream-cookies %s\n", no_or_yes(rng_below(r, 2)));
	story_line(s, "client-cookies %s\n", no_or_yes(rng_below(r, 2)));
	story_line(s, "max-waiting-per-client %u\n",
	    rng_below(r, 2) ? 1 + rng_below(r, s->max_queries) : 0);
	/* few enough to be reached; fewer may be counted where others are (policy/fair) */
	story_line(s, "max-same-question %u\n", rng_below(r, 2) ? 8 + rng_below(r, 9) : 0);
	story_line(s, "prefetch %s\n", no_or_yes(rng_below(r, 2)));
	story_line(s, "serve-stale %d\n", rng_below(r, 3) ? 0 : 100);
	story_line(s, "nxdomain-cut %s\n", cuts[rng_below(r, 3)]);
	story_line(s, "cache-size %s\n", rng_below(r, 4) ? "1m" : "0");
	story_line(s, "svcb-additional %s\n", svcb[sim_draw(s, 2, 0, 3)]);
	rates_draw(s);
	story_line(s, "%s", clients);
	for (unsigned u = 0; u < SIM_UPSTREAMS; u++)
		s->rtt_ms[u] = 1 + rng_below(r, rng_below(r, 2) ? 5 : 40);
}

/* Those that reload WHAT changes. */
static void
draw_era(struct sim *s, uint8_t what)
{
	/* one goes, the others stay */
	unsigned first = what == RELOAD_FEWER && s->n_upstreams > 1 ? 2 : 1;

	for (unsigned u = first; u <= s->n_upstreams; u++)
		story_line(s, "nameserver 192.0.2.%u\n", u);
	story_line(s, "dns64-prefix 2001:db8:%s\n",
	    what == RELOAD_OTHER_PREFIX    ? "65::/96"
		: what == RELOAD_NO_PREFIX ? "64::/96 down"
					   : "64::/96");
	if (what == RELOAD_ON_NODATA)
		story_line(s, "synthesize-on nodata\n");
}

/* Read the configuration. */
static void
configure(struct sim *s)
{
	struct settings *read = malloc(sizeof(*read)); /* it is large */
	struct conf_core *c = &s->conf[s->turn % 2];

	assert(read != NULL);
	configured("story", s->text, read);
	*c = read->conf.core;
	(void)policies_ref(c->policies);
	if (s->cache == NULL && read->cache_size > 0)
		s->cache = cache_new((size_t)read->cache_size, c->keep.stale_s, s->seed);
	c->cache = s->cache;
	c->rates = s->rates;
	c->max_queries = s->max_queries;
	settings_fini(read);
	free(read);
}

void
story_era(struct sim *s, uint8_t what)
{
	struct era *e = &s->eras[s->n_eras++];
	size_t len = strlen(s->text);

	assert(s->n_eras <= SIM_ERAS);
	draw_era(s, what);
	sim_say(s, "the configuration:\n%s", s->text);
	configure(s);
	s->text[len] = '\0';
	*e = (struct era){ .at_ns = s->w.now_ns,
		.prefix = what != RELOAD_NO_PREFIX,
		.address = what == RELOAD_OTHER_PREFIX ? 0x65 : 0x64,
		.on_failure = what != RELOAD_ON_NODATA };
}

void
story_draw(struct sim *s)
{
	struct rng r;

	rng_init_seeded(&r, s->seed);
	draw_settings(s, &r);
	story_era(s, RELOAD_USUAL);
	draw_acts(s, &r);
	story_sort(s);
}

void
story_sort(struct sim *s)
{
	qsort(s->acts, s->n_acts, sizeof(s->acts[0]), by_time);
}

void
story_say(const struct sim *s, unsigned i)
{
	const struct act *a = &s->acts[i];
	uint8_t name[DNS_NAME_MAX];
	char text[NAME_TEXT];
	struct truth t;

	switch ((enum act_kind)a->kind) {
	case ACT_ASK:
		client_name(a, name, &t);
		sim_say(s, "act %u: ask %u: %s %u%s%s%s%s%s client %u cookie %u size %u", i,
		    s->n_asks, name_to_text(name, text), a->type, a->do_bit ? " do" : "",
		    a->cd ? " cd" : "", a->tcp ? " tcp" : "", a->no_rd ? " no-rd" : "",
		    a->strict ? " strict" : "", a->client, a->cookie, a->bufsize);
		break;
	case ACT_FAULT:
		sim_say(s, "act %u: u%u is %s, %u, for %llu ms", i, a->upstream, faults[a->what],
		    a->much, (unsigned long long)(a->for_ns / NS_PER_MS));
		break;
	case ACT_FLUSH:
		sim_say(s, "act %u: flush", i);
		break;
	case ACT_RELOAD:
		sim_say(s, "act %u: reload %u", i, a->what);
		break;
	case ACT_ROTATE:
		sim_say(s, "act %u: u%u gets a new socket", i, a->upstream);
		break;
	case ACT_SLEEP:
		sim_say(s, "act %u: stopped for %u ms", i, a->much);
		break;
	case ACT_FLOOD:
		sim_say(s, "act %u: %u questions at once", i, a->much);
		break;
	case ACT_FILL:
		sim_say(s, "act %u: the cache gets full", i);
		break;
	case ACT_NOTHING:
		break;
	}
}
