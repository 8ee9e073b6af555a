/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/show.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define MIB (1024.0 * 1024.0)

/* --- Values ----------------------------------------------------------------------------------- */

static const char *
text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text != NULL ? text : "-";
}

static json_int_t
number_of(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

static double
real_of(const json_t *j, const char *key)
{
	return json_number_value(json_object_get(j, key));
}

/* Print TEXT, without what could control a terminal. */
static void
put(const char *text, FILE *out)
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
		const char *usual = text_of(json_object_get(j, "configured"), name);

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

void
show_cache(const json_t *j, FILE *out)
{
	if (!json_is_object(j)) {
		fputs("none\n", out);
		return;
	}
	fprintf(out,
	    "%" PRId64 " entries, %.1f of %.1f MiB; put %" PRId64 ", evicted %" PRId64
	    ", refused %" PRId64 ", come back %" PRId64 "\n",
	    (int64_t)number_of(j, "entries"), (double)number_of(j, "bytes") / MIB,
	    (double)number_of(j, "size") / MIB, (int64_t)number_of(j, "put"),
	    (int64_t)number_of(j, "evicted"), (int64_t)number_of(j, "refused"),
	    (int64_t)number_of(j, "comebacks"));
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

/* What upstream U is used with at present. */
static void
put_present(const json_t *u, FILE *out)
{
	static const struct {
		const char *key, *what;
	} parts[] = { { "in_flight", "in flight" }, { "waiting", "waiting" },
		{ "sockets", "sockets" }, { "connections", "connections" }, { "late", "late" },
		{ "hedges", "hedges" } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		fprintf(out, "%s%" PRId64 " %s", i == 0 ? "    " : ", ",
		    (int64_t)number_of(u, parts[i].key), parts[i].what);
	fputc('\n', out);
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
		put(name, out);
		fprintf(out, " %s", text_of(g, "state"));
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
	const json_t *list = json_object_get(j, "upstreams"), *u;
	char udp[32], tcp[32];
	size_t i;

	fprintf(out, "%-28s %-16s %8s %8s %10s %10s %7s %6s\n", "upstream", "state", "UDP ms",
	    "TCP ms", "sends", "replies", "lost", "share");
	json_array_foreach(list, i, u)
	{
		fprintf(out,
		    "%-28s %-16s %8s %8s %10" PRId64 " %10" PRId64 " %7" PRId64 " %5.1f%%\n",
		    text_of(u, "address"), text_of(u, "state"), rtt(u, "udp", udp),
		    rtt(u, "tcp", tcp), (int64_t)number_of(u, "sends"),
		    (int64_t)number_of(u, "replies"), (int64_t)number_of(u, "lost"),
		    real_of(u, "share_percent"));
		put_present(u, out);
		put_guards(json_object_get(u, "guards"), out);
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
		put(json_is_string(item) ? json_string_value(item) : "-", out);
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
		    (int64_t)number_of(c, "line"), (int64_t)number_of(c, "prefixes"),
		    (int64_t)number_of(c, "zones"), (int64_t)number_of(c, "answers"),
		    json_is_true(json_object_get(c, "shared")) ? "*" : " ");
		put_texts(networks, false, out);
		fputs(json_array_size(networks) == 0 ? "all others\n" : "\n", out);
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
		put(key == NULL ? json_string_value(item) : text_of(item, key), out);
		if (key != NULL && strcmp(text_of(item, "state"), "active") != 0)
			fprintf(out, " %s", text_of(item, "state"));
	}
	fputc('\n', out);
}

static void
put_reload(const json_t *reload, FILE *out)
{
	if (!json_is_object(reload))
		fputs("none yet\n", out);
	else if (json_is_true(json_object_get(reload, "done")))
		fputs("done\n", out);
	else
		fputs("refused; the configuration before is in force (dns64ctl reload tells why)\n",
		    out);
}

/* WHY it is not ready, a text; null: it is. */
static void
put_ready(const json_t *why, FILE *out)
{
	if (why == NULL)
		return;
	fprintf(out, "%-12s%s", "ready", json_is_null(why) ? "yes" : "no: ");
	if (json_is_string(why))
		put(json_string_value(why), out);
	fputc('\n', out);
}

void
show_status(const json_t *j, FILE *out)
{
	fprintf(out, "%-12s%s, process %" PRId64 ", for ", "dns64d", text_of(j, "version"),
	    (int64_t)number_of(j, "pid"));
	put_duration(number_of(j, "uptime_s"), out);
	fprintf(out, "\n%-12s", "file");
	put(text_of(j, "configuration"), out);
	fprintf(out, "\n%-12s%" PRId64, "loops", (int64_t)number_of(j, "loops"));
	if (number_of(j, "loops_silent") > 0)
		fprintf(out, ", %" PRId64 " of them silent", (int64_t)number_of(j, "loops_silent"));
	fputc('\n', out);
	put_ready(json_object_get(j, "unready"), out);
	if (json_is_integer(json_object_get(j, "lameduck"))) {
		fprintf(out, "%-12s", "lameduck");
		show_lameduck(j, out);
	}
	put_list("listening", json_object_get(j, "listening"), NULL, out);
	put_list("prefixes", json_object_get(j, "prefixes"), "prefix", out);
	put_list("asking", json_object_get(j, "upstreams"), "address", out);
	fprintf(out, "%-12s", "cache");
	show_cache(json_object_get(j, "cache"), out);
	fprintf(
	    out, "%-12s%" PRId64 " questions\n", "in flight", (int64_t)number_of(j, "in_flight"));
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
		fprintf(out, "%-9s ", text_of(s, "state"));
		put(text_of(s, "fingerprint"), out);
		fputs("  ", out);
		put(text_of(j, "from"), out);
		fputc('\n', out);
	}
	if (json_is_false(json_object_get(j, "client_cookies")))
		fputs("clients get no cookies (client-cookies no)\n", out);
}

void
show_lameduck(const json_t *j, FILE *out)
{
	json_int_t since = number_of(j, "lameduck"), now = (json_int_t)time(NULL);

	fputs(since == 0 ? "off\n" : "on, for ", out);
	if (since == 0)
		return;
	put_duration(now > since ? now - since : 0, out);
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
		put(text_of(help, name), out);
		fputc('\n', out);
	}
	fprintf(out, "%-22s %14" PRId64 "  questions being worked on\n", "in_flight",
	    (int64_t)number_of(j, "in_flight"));
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
		json_int_t grown = json_integer_value(value) - number_of(old, name);

		if (grown <= 0 || s <= 0)
			continue;
		fprintf(out, "%-22s %14.1f/s  ", name, (double)grown / s);
		put(text_of(help, name), out);
		fputc('\n', out);
	}
}

/* Where the line L of FILE stands. */
static void
put_place(const json_t *l, const char *file, FILE *out)
{
	if (strcmp(text_of(l, "from"), "file") != 0) {
		fprintf(out, "# %s", text_of(l, "from"));
		return;
	}
	fputs("# ", out);
	put(file, out);
	fprintf(out, ":%" PRId64, (int64_t)number_of(l, "line"));
}

void
show_config(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "lines"), *l;
	const char *file = text_of(j, "file");
	bool inside = false;
	size_t i;

	json_array_foreach(list, i, l)
	{
		bool hidden = json_is_null(json_object_get(l, "value"));
		const char *keyword = text_of(l, "keyword");
		const char *value = hidden ? "(hidden)" : text_of(l, "value");
		bool in_block = number_of(l, "block") > 0;
		int width;

		if (inside && !in_block)
			fputs("}\n", out);
		inside = in_block || strcmp(keyword, "client") == 0;
		width = fprintf(out, "%s%s%s ", in_block ? "\t" : "", hidden ? "# " : "", keyword);
		put(value, out);
		width += (int)strlen(value);
		fprintf(out, "%*s ", width < 47 ? 47 - width : 0, "");
		put_place(l, file, out);
		fputc('\n', out);
	}
	if (inside)
		fputs("}\n", out);
}

void
show_messages(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "messages"), *m;
	size_t i;

	json_array_foreach(list, i, m)
	{
		fprintf(out, "%s %s: ", text_of(m, "level"), text_of(m, "about"));
		put(text_of(m, "text"), out);
		fputc('\n', out);
	}
}

void
show_entries(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "entries"), *e;
	size_t i;

	if (json_array_size(list) == 0) {
		put(text_of(j, "name"), out);
		fputs(" is not in the cache\n", out);
		return;
	}
	fprintf(out, "%-10s %-9s %8s %8s %8s %8s  %s\n", "type", "kind", "age s", "left s",
	    "records", "bytes", "flags");
	json_array_foreach(list, i, e) fprintf(out,
	    "%-10s %-9s %8" PRId64 " %8" PRId64 " %8" PRId64 " %8" PRId64 " %s%s%s%s\n",
	    text_of(e, "type"), text_of(e, "kind"), (int64_t)number_of(e, "age_s"),
	    (int64_t)number_of(e, "left_s"), (int64_t)number_of(e, "answers"),
	    (int64_t)number_of(e, "bytes"), number_of(e, "left_s") <= 0 ? " stale" : "",
	    json_is_true(json_object_get(e, "do")) ? " DO" : "",
	    json_is_true(json_object_get(e, "cd")) ? " CD" : "",
	    json_is_true(json_object_get(e, "trusted")) ? " trusted" : "");
}

void
show_flushed(const json_t *j, FILE *out)
{
	fprintf(out, "%" PRId64 " entries\n", (int64_t)number_of(j, "entries"));
}

void
show_error(const json_t *j, FILE *out)
{
	const json_t *allowed = json_object_get(j, "allowed"), *word;
	const char *error = json_string_value(json_object_get(j, "error"));
	size_t i;

	fputs("dns64ctl: ", out);
	put(error != NULL ? error : "the daemon does not say why", out);
	json_array_foreach(allowed, i, word)
	{
		fputs(i == 0 ? "; allowed: " : ", ", out);
		put(json_string_value(word), out);
	}
	fputc('\n', out);
}
