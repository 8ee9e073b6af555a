/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/show.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "core/transport.h"
#include "dns64ctl/show_parts.h"

#define MIB (1024.0 * 1024.0)
#define WORDS 64

#define RTT_OVER(id, name, title, ...) { name, title " ms" },
/* The round trips of an upstream: by transport. */
static const struct {
	const char *key, *head;
} rtts[] = { TRANSPORT_ROWS(RTT_OVER) };

/* --- Values ----------------------------------------------------------------------------------- */

static double
real_of(const json_t *j, const char *key)
{
	return json_number_value(json_object_get(j, key));
}

void
show_put(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];

		/* U+0080 to U+009F are controls, too: C2 80 to C2 9F. */
		if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
			fputc('?', out);
			text++;
		} else {
			fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
		}
	}
}

/* Print a duration of whole S as 3d 4h or 5m 6s. */
static void
put_duration(json_int_t s, FILE *out)
{
	if (s >= 86400)
		fprintf(
		    out, "%" PRId64 "d %" PRId64 "h", (int64_t)s / 86400, (int64_t)s / 3600 % 24);
	else if (s >= 3600)
		fprintf(out, "%" PRId64 "h %" PRId64 "m", (int64_t)s / 3600, (int64_t)s / 60 % 60);
	else
		fprintf(out, "%" PRId64 "m %" PRId64 "s", (int64_t)s / 60, (int64_t)s % 60);
}

/* --- Answers ---------------------------------------------------------------------------------- */

void
show_ping(const json_t *j, FILE *out)
{
	(void)j;
	fputs("pong\n", out);
}

void
show_levels(const json_t *j, FILE *out)
{
	json_t *levels = json_object_get(j, "levels"), *value;
	const char *name;

	json_object_foreach(levels, name, value)
	{
		const char *level = json_string_value(value);
		const char *usual = show_text(json_object_get(j, "configured"), name);

		if (level == NULL)
			continue;
		fprintf(out, "%-12s%s", name, level);
		if (strcmp(usual, "-") != 0 && strcmp(usual, level) != 0)
			fprintf(out, ", until a reload makes it %s", usual);
		fputc('\n', out);
	}
}

void
show_done(const json_t *j, FILE *out)
{
	(void)j;
	(void)out;
}

/* Is KEY a figure of the cache that stands before the others, in words? */
static bool
is_first(const char *key)
{
	return strcmp(key, "entries") == 0 || strcmp(key, "bytes") == 0 ||
	    strcmp(key, "size_bytes") == 0;
}

void
show_cache(const json_t *j, FILE *out)
{
	const char *key, *between = "; ";
	json_t *all, *n;

	if (!json_is_object(j)) {
		fputs("none\n", out);
		return;
	}
	fprintf(out, "%" PRId64 " entries, %.1f of %.1f MiB", (int64_t)show_number(j, "entries"),
	    (double)show_number(j, "bytes") / MIB, (double)show_number(j, "size_bytes") / MIB);
	all = json_deep_copy(j); /* as it takes none that is const */
	json_object_foreach(all, key, n)
	{
		if (is_first(key) || !json_is_integer(n))
			continue;
		fputs(between, out);
		show_put(key, out);
		fprintf(out, " %" PRId64, (int64_t)json_integer_value(n));
		between = ", ";
	}
	json_decref(all);
	fputc('\n', out);
}

/* "UDP 1.2 ms" of the transport KEY of J, or "-" if it was not measured. */
static const char *
rtt(const json_t *j, const char *key, char text[static 32])
{
	const json_t *t = json_object_get(j, key);

	if (json_is_object(t))
		snprintf(text, 32, "%.3f", real_of(t, "ms"));
	else
		snprintf(text, 32, "-");
	return text;
}

/* Write KEY to TEXT as the words of a heading: with blanks, and without a percent that ends it. */
static const char *
words(const char *key, char text[static WORDS])
{
	static const char unit[] = "_percent";
	size_t len = strlen(key), unit_len = sizeof(unit) - 1;

	if (len > unit_len && strcmp(key + len - unit_len, unit) == 0)
		len -= unit_len;
	snprintf(text, WORDS, "%.*s", (int)len, key);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '_' ? ' ' : *c;
	return text;
}

/* What upstream U is used with at present. */
static void
put_present(const json_t *u, FILE *out)
{
	static const char *const keys[] = { "in_flight", "waiting", "sockets", "connections",
		"overdue", "hedges" };
	char text[WORDS];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out, "%s%" PRId64 " %s", i == 0 ? "    " : ", ",
		    (int64_t)show_number(u, keys[i]), words(keys[i], text));
	fputc('\n', out);
}

/* What the operator has ordered about upstream U. */
static void
put_order(const json_t *u, FILE *out)
{
	const json_t *order = json_object_get(u, "by_operator");
	json_int_t since = show_number(order, "since"), now = (json_int_t)time(NULL);

	if (!json_is_object(order))
		return;
	fputs("    ", out);
	show_put(show_text(order, "state"), out);
	fputs(" by operator, for ", out);
	put_duration(now > since ? now - since : 0, out);
	fputc('\n', out);
}

/* The parts of a figure, by WHAT, but zeros. */
static void
put_parts(const char *what, json_t *parts, FILE *out)
{
	const char *name, *between = " ";
	json_t *n;

	if (json_object_size(parts) == 0)
		return;
	fprintf(out, "    %s:", what);
	json_object_foreach(parts, name, n)
	{
		if (json_integer_value(n) == 0)
			continue;
		fputs(between, out);
		show_put(name, out);
		fprintf(out, " %" PRId64, (int64_t)json_integer_value(n));
		between = ", ";
	}
	fputs(between[0] == ' ' ? " none\n" : "\n", out);
}

/* The guards of an upstream. */
static void
put_guards(json_t *guards, FILE *out)
{
	const char *name, *between = "    ";
	json_t *g;

	if (json_object_size(guards) == 0)
		return;
	json_object_foreach(guards, name, g)
	{
		fputs(between, out);
		show_put(name, out);
		fprintf(out, " %s", show_text(g, "state"));
		if (json_is_real(json_object_get(g, "off_s"))) {
			fputs(" for ", out);
			put_duration((json_int_t)real_of(g, "off_s"), out);
		}
		between = ", ";
	}
	fputc('\n', out);
}

void
show_upstreams(const json_t *j, FILE *out)
{
	static const char *const counts[] = { "sends", "replies", "lost" },
				 share[] = "share_percent";
	static const int widths[] = { 10, 10, 7 };
	const json_t *list = json_object_get(j, "upstreams"), *u;
	char text[WORDS], ms[32];
	size_t i;

	fprintf(out, "%-28s %-16s", "upstream", "state");
	for (size_t t = 0; t < TRANSPORTS; t++)
		fprintf(out, " %8s", rtts[t].head);
	for (size_t c = 0; c < 3; c++)
		fprintf(out, " %*s", widths[c], words(counts[c], text));
	fprintf(out, " %6s\n", words(share, text));
	json_array_foreach(list, i, u)
	{
		fprintf(out, "%-28s %-16s", show_text(u, "address"), show_text(u, "state"));
		for (size_t t = 0; t < TRANSPORTS; t++)
			fprintf(out, " %8s", rtt(u, rtts[t].key, ms));
		for (size_t c = 0; c < 3; c++)
			fprintf(out, " %*" PRId64, widths[c], (int64_t)show_number(u, counts[c]));
		fprintf(out, " %5.1f%%\n", real_of(u, share));
		put_order(u, out);
		put_present(u, out);
		put_parts("replies", json_object_get(u, "replies_by_rcode"), out);
		put_parts("lost", json_object_get(u, "lost_by_cause"), out);
		put_guards(json_object_get(u, "guards"), out);
		put_parts("loops to which these do not get through",
		    json_object_get(u, "not_through"), out);
	}
}

/* The texts of LIST, a line each if they are LINES, else with blanks between them. */
static void
put_texts(const json_t *list, bool lines, FILE *out)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		fputs(lines ? "    " : i > 0 ? " " : "", out);
		show_put(json_is_string(item) ? json_string_value(item) : "-", out);
		fputs(lines ? "\n" : "", out);
	}
}

void
show_clients(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "clients"), *c;
	size_t i;

	fprintf(out, "%6s %8s %8s %14s  %s\n", "line", "prefixes", "zones", "answers", "clients");
	json_array_foreach(list, i, c)
	{
		const json_t *networks = json_object_get(c, "networks");

		fprintf(out, "%6" PRId64 " %8" PRId64 " %8" PRId64 " %14" PRId64 "%s ",
		    (int64_t)show_number(c, "line"), (int64_t)show_number(c, "prefixes"),
		    (int64_t)show_number(c, "zones"), (int64_t)show_number(c, "answers"),
		    json_is_true(json_object_get(c, "shared")) ? "*" : " ");
		put_texts(networks, false, out);
		fputs(json_array_size(networks) == 0 ? "all others" : "", out);
		if (json_object_get(c, "file") != NULL) {
			fputs("  # ", out);
			show_put(show_text(c, "file"), out);
		}
		fputc('\n', out);
		put_texts(json_object_get(c, "sets"), true, out);
	}
}

/* The texts of LIST, or those of KEY in its objects, behind WHAT. */
static void
put_list(const char *what, const json_t *list, const char *key, FILE *out)
{
	const json_t *item;
	size_t i;

	fprintf(out, "%-12s", what);
	json_array_foreach(list, i, item)
	{
		fprintf(out, "%s", i > 0 ? ", " : "");
		show_put(key == NULL ? json_string_value(item) : show_text(item, key), out);
		if (json_is_object(json_object_get(item, "by_operator")))
			fprintf(out, " %s by operator",
			    show_text(json_object_get(item, "by_operator"), "state"));
		else if (key != NULL && strcmp(show_text(item, "state"), "active") != 0)
			fprintf(out, " %s%s", show_text(item, "state"),
			    strcmp(show_text(item, "cause"), "probe") == 0 ? " by prefix-check"
									   : "");
	}
	fputc('\n', out);
}

/* The listen addresses of LIST, which are waited for; a line each. */
static void
put_waiting(const json_t *list, FILE *out)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		fprintf(out, "%-12s", i == 0 ? "waiting for" : "");
		show_put(show_text(item, "listen"), out);
		fputs(", ", out);
		show_put(show_text(item, "why"), out);
		fputc('\n', out);
	}
}

static void
put_reload(const json_t *reload, FILE *out)
{
	if (!json_is_object(reload))
		fputs("none yet\n", out);
	else if (json_is_true(json_object_get(reload, "done")))
		fputs("done\n", out);
	else
		fprintf(out, "%s\n", show_text(reload, "error"));
}

/* The verdict on the daemon, and its reason. */
static void
put_verdict(const json_t *j, FILE *out)
{
	const char *reason = json_string_value(json_object_get(j, "reason"));

	if (json_object_get(j, "verdict") == NULL)
		return;
	fprintf(out, "%-12s", "verdict");
	show_put(show_text(j, "verdict"), out);
	if (reason != NULL) {
		fputs(": ", out);
		show_put(reason, out);
	}
	fputc('\n', out);
}

void
show_status(const json_t *j, FILE *out)
{
	fprintf(out, "%-12s%s, process %" PRId64 ", for ", "dns64d", show_text(j, "version"),
	    (int64_t)show_number(j, "pid"));
	put_duration(show_number(j, "uptime_s"), out);
	fprintf(out, "\n%-12s", "file");
	show_put(show_text(j, "configuration"), out);
	fprintf(out, "\n%-12s%" PRId64, "loops", (int64_t)show_number(j, "loops"));
	if (show_number(j, "loops_silent") > 0)
		fprintf(
		    out, ", %" PRId64 " of them silent", (int64_t)show_number(j, "loops_silent"));
	fputc('\n', out);
	put_verdict(j, out);
	if (json_is_integer(json_object_get(j, "lameduck"))) {
		fprintf(out, "%-12s", "lameduck");
		show_lameduck(j, out);
	}
	put_list("listening", json_object_get(j, "listening"), NULL, out);
	put_waiting(json_object_get(j, "waiting"), out);
	put_list("prefixes", json_object_get(j, "prefixes"), "prefix", out);
	put_list("asking", json_object_get(j, "upstreams"), "address", out);
	if (json_array_size(json_object_get(j, "denied")) > 0)
		fprintf(out, "%-12s%zu networks, by operator (dns64ctl deny)\n", "denied",
		    json_array_size(json_object_get(j, "denied")));
	fprintf(out, "%-12s", "cache");
	show_cache(json_object_get(j, "cache"), out);
	fprintf(
	    out, "%-12s%" PRId64 " questions\n", "in flight", (int64_t)show_number(j, "in_flight"));
	fprintf(out, "%-12s", "reload");
	put_reload(json_object_get(j, "reload"), out);
}

void
show_secrets(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "secrets"), *s;
	size_t i;

	if (json_array_size(list) == 0)
		fputs("drawn at the start, a new one each day\n", out);
	json_array_foreach(list, i, s)
	{
		fprintf(out, "%-9s ", show_text(s, "state"));
		show_put(show_text(s, "fingerprint"), out);
		fputs("  ", out);
		show_put(show_text(j, "from"), out);
		fputc('\n', out);
	}
	if (json_is_false(json_object_get(j, "client_cookies")))
		fputs("clients get no cookies (client-cookies no)\n", out);
}

/* In how long a lame duck stops of which J tells, behind TEXT. False: it was not told to. */
static bool
put_stops(const json_t *j, const char *text, FILE *out)
{
	json_int_t end = show_number(j, "stops"), now = (json_int_t)time(NULL);

	if (end == 0)
		return false;
	fputs(text, out);
	put_duration(end > now ? end - now : 0, out);
	return true;
}

void
show_lameduck(const json_t *j, FILE *out)
{
	json_int_t since = show_number(j, "lameduck"), now = (json_int_t)time(NULL);

	fputs(since == 0 ? "off\n" : "on, for ", out);
	if (since == 0)
		return;
	put_duration(now > since ? now - since : 0, out);
	(void)put_stops(j, "; it stops in ", out);
	fputc('\n', out);
}

void
show_stop(const json_t *j, FILE *out)
{
	if (put_stops(j, "a lame duck first; it stops in ", out))
		fputc('\n', out);
}

/* Until when an order holds of which J tells. */
static void
put_until(const json_t *j, FILE *out)
{
	if (!json_is_integer(json_object_get(j, "left_s"))) {
		fputs("until changed", out);
		return;
	}
	fputs("for another ", out);
	put_duration(show_number(j, "left_s"), out);
}

void
show_denied(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "denied"), *d;
	size_t i;

	if (list == NULL) { /* it was changed */
		show_messages(j, out);
		return;
	}
	json_array_foreach(list, i, d)
	{
		fprintf(out, "%-44s %-8s ", show_text(d, "network"),
		    json_is_true(json_object_get(d, "drop")) ? "drop" : "refuse");
		put_until(d, out);
		fputc('\n', out);
	}
	if (i == 0)
		fputs("none\n", out);
}

/* The upstreams that the question Q went to. */
static void
put_tried(const json_t *q, FILE *out)
{
	json_int_t more = show_number(q, "tried_more");
	const json_t *tried;
	size_t i;

	json_array_foreach(json_object_get(q, "tried"), i, tried)
	{
		fputs(i == 0 ? ": " : ", ", out);
		show_put(show_text(tried, "upstream"), out);
		fprintf(out, " %s", show_text(tried, "reply"));
	}
	if (more > 0)
		fprintf(out, " and %" PRId64 " more", (int64_t)more);
}

void
show_inflight(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "questions"), *q;
	size_t i;

	fprintf(out, "%" PRId64 " in flight, the oldest that wait for upstream:\n",
	    (int64_t)show_number(j, "in_flight"));
	if (show_number(j, "loops_silent") > 0)
		fprintf(out, "%" PRId64 " loops did not answer in time\n",
		    (int64_t)show_number(j, "loops_silent"));
	json_array_foreach(list, i, q)
	{
		fprintf(out, "%8.0f ms  ", real_of(q, "age_ms"));
		show_put(show_text(q, "client"), out);
		fprintf(out, "  %s  ", show_text(q, "transport"));
		show_put(show_text(q, "name"), out);
		fprintf(out, " %s  %s, %" PRId64 " sends", show_text(q, "type"),
		    show_text(q, "state"), (int64_t)show_number(q, "sends"));
		put_tried(q, out);
		fputc('\n', out);
	}
}

void
show_querylog(const json_t *j, FILE *out)
{
	if (json_object_get(j, "state") == NULL) {
		show_messages(j, out);
		return;
	}
	fprintf(out, "%s", show_text(j, "state"));
	if (strcmp(show_text(j, "state"), "config") != 0) {
		fputs(", ", out);
		put_until(j, out);
	}
	fputs(", to ", out);
	show_put(show_text(j, "to"), out);
	fputc('\n', out);
}

void
show_stats(const json_t *j, FILE *out)
{
	json_t *counters = json_object_get(j, "counters"), *value;
	const json_t *help = json_object_get(j, "help");
	const char *name;

	json_object_foreach(counters, name, value)
	{
		if (json_integer_value(value) == 0)
			continue;
		fprintf(out, "%-22s %14" PRId64 "  ", name, (int64_t)json_integer_value(value));
		show_put(show_text(help, name), out);
		fputc('\n', out);
	}
	fprintf(out, "%-22s %14" PRId64 "  ", "in_flight", (int64_t)show_number(j, "in_flight"));
	show_put(show_text(help, "in_flight"), out);
	fputc('\n', out);
	fprintf(out, "%-22s ", "cache");
	show_cache(json_object_get(j, "cache"), out);
}

void
show_rates(const json_t *before, const json_t *now, FILE *out)
{
	json_t *counters = json_object_get(now, "counters"), *value;
	const json_t *old = json_object_get(before, "counters");
	const json_t *help = json_object_get(now, "help");
	double s = real_of(now, "time") - real_of(before, "time");
	const char *name;

	json_object_foreach(counters, name, value)
	{
		json_int_t grown = json_integer_value(value) - show_number(old, name);

		if (grown <= 0 || s <= 0)
			continue;
		fprintf(out, "%-22s %14.1f/s  ", name, (double)grown / s);
		show_put(show_text(help, name), out);
		fputc('\n', out);
	}
}

void
show_messages(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "messages"), *m;
	size_t i;

	json_array_foreach(list, i, m)
	{
		fprintf(out, "%s %s: ", show_text(m, "level"), show_text(m, "about"));
		show_put(show_text(m, "text"), out);
		fputc('\n', out);
	}
}

void
show_entries(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "entries"), *e;
	size_t i;

	if (json_array_size(list) == 0) {
		show_put(show_text(j, "name"), out);
		fputs(" is not in the cache\n", out);
		return;
	}
	fprintf(out, "%-10s %-9s %8s %8s %8s %8s  %s\n", "type", "kind", "age s", "left s",
	    "records", "bytes", "flags");
	json_array_foreach(list, i, e) fprintf(out,
	    "%-10s %-9s %8" PRId64 " %8" PRId64 " %8" PRId64 " %8" PRId64 " %s%s%s%s\n",
	    show_text(e, "type"), show_text(e, "kind"), (int64_t)show_number(e, "age_s"),
	    (int64_t)show_number(e, "left_s"), (int64_t)show_number(e, "answers"),
	    (int64_t)show_number(e, "bytes"), show_number(e, "left_s") <= 0 ? " stale" : "",
	    json_is_true(json_object_get(e, "do")) ? " DO" : "",
	    json_is_true(json_object_get(e, "cd")) ? " CD" : "",
	    json_is_true(json_object_get(e, "trusted")) ? " trusted" : "");
}

void
show_flushed(const json_t *j, FILE *out)
{
	fprintf(out, "%" PRId64 " entries\n", (int64_t)show_number(j, "entries"));
}

void
show_error(const json_t *j, FILE *out)
{
	const json_t *allowed = json_object_get(j, "allowed"), *word;
	const char *error = json_string_value(json_object_get(j, "error"));
	size_t i;

	fputs("dns64ctl: ", out);
	show_put(error != NULL ? error : "the daemon does not say why", out);
	json_array_foreach(allowed, i, word)
	{
		fputs(i == 0 ? "; allowed: " : ", ", out);
		show_put(json_string_value(word), out);
	}
	fputc('\n', out);
}
