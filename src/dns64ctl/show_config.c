/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration, and prefixes, with where they stand. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "dns64ctl/show.h"
#include "dns64ctl/show_parts.h"

/* Where the line L of FILE stands. */
static void
put_place(const json_t *l, const char *file, FILE *out)
{
	const char *from = show_text(l, "from");
	const char *own = json_string_value(json_object_get(l, "file"));

	if (strcmp(from, "dns64ctl") == 0) {
		time_t since = (time_t)show_number(l, "since");
		char text[32];

		(void)strftime(text, sizeof(text), "%F %T", localtime(&since));
		fprintf(out, "dns64ctl since %s", text);
	} else if (strcmp(from, "file") != 0 && strcmp(from, "prefix-file") != 0) {
		fputs(from, out);
	} else {
		show_put(own != NULL ? own : file, out);
		fprintf(out, ":%" PRId64, (int64_t)show_number(l, "line"));
	}
}

/* Which clients block B is for. */
static void
put_clients(const json_t *b, FILE *out)
{
	const json_t *nets = json_object_get(b, "networks"), *net;
	size_t i;

	if (show_number(b, "line") == 0) {
		fputs("clients in no block", out);
		return;
	}
	fputs("client", out);
	json_array_foreach(nets, i, net)
	{
		fputc(' ', out);
		show_put(json_string_value(net), out);
	}
}

/* The weight of prefix P. One of map lines has none; an older daemon tells none. */
static void
put_weight(const json_t *p, FILE *out)
{
	if (json_is_true(json_object_get(p, "map_only")))
		fprintf(out, "%-12s", "map");
	else if (json_is_integer(json_object_get(p, "weight")))
		fprintf(out, "weight %-5" PRId64, (int64_t)show_number(p, "weight"));
}

/* What prefix-check has found of the prefix P. */
static void
put_check(const json_t *p, FILE *out)
{
	const json_t *c = json_object_get(p, "check");
	const char *error = json_string_value(json_object_get(c, "error"));
	time_t since = (time_t)show_number(c, "since");
	char text[32];

	if (!json_is_object(c))
		return;
	(void)strftime(text, sizeof(text), "%F %T", localtime(&since));
	fprintf(out, "; %s by prefix-check since %s",
	    strcmp(show_text(c, "state"), "active") == 0 ? "up" : show_text(c, "state"), text);
	if (json_is_true(json_object_get(p, "held")))
		fputs(", but active as the last one left", out);
	if (error == NULL)
		return;
	fputs(", last error: ", out);
	show_put(error, out);
}

void
show_prefixes(const json_t *j, FILE *out)
{
	const json_t *blocks = json_object_get(j, "blocks"), *b, *p;
	size_t i, k;

	json_array_foreach(blocks, i, b)
	{
		put_clients(b, out);
		if (show_number(b, "line") > 0 && !json_is_true(json_object_get(b, "own")))
			fputs(", as in no block", out);
		fputc('\n', out);
		json_array_foreach(json_object_get(b, "prefixes"), k, p)
		{
			fprintf(
			    out, "  %-30s %-7s ", show_text(p, "prefix"), show_text(p, "state"));
			put_weight(p, out);
			fprintf(out, "%14" PRId64 "  ", (int64_t)show_number(p, "answers"));
			put_place(p, "-", out);
			put_check(p, out);
			fputc('\n', out);
		}
	}
}

/* The state KEY of J. */
static const char *
state_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text != NULL ? text : "not there";
}

void
show_prefix_change(const json_t *j, FILE *out)
{
	const json_t *b;
	size_t i;

	show_messages(j, out);
	json_array_foreach(json_object_get(j, "changed"), i, b)
	{
		fprintf(out, "%-12s", "changed");
		put_clients(b, out);
		fprintf(out, ": %s, was %s\n", state_of(b, "state"), state_of(b, "before"));
	}
	json_array_foreach(json_object_get(j, "unchanged"), i, b)
	{
		fprintf(out, "%-12s", "unchanged");
		put_clients(b, out);
		fprintf(out, ": %s\n", state_of(b, "state"));
	}
}

void
show_config(const json_t *j, FILE *out)
{
	const json_t *list = json_object_get(j, "lines"), *l;
	const char *file = show_text(j, "file");
	bool inside = false;
	size_t i;

	json_array_foreach(list, i, l)
	{
		bool hidden = json_is_null(json_object_get(l, "value"));
		const char *keyword = show_text(l, "keyword");
		const char *value = hidden ? "(hidden)" : show_text(l, "value");
		bool in_block = show_number(l, "block") > 0;
		int width;

		if (inside && !in_block)
			fputs("}\n", out);
		inside = in_block || strcmp(keyword, "client") == 0;
		width = fprintf(out, "%s%s%s ", in_block ? "\t" : "", hidden ? "# " : "", keyword);
		show_put(value, out);
		width += (int)strlen(value);
		fprintf(out, "%*s # ", width < 47 ? 47 - width : 0, "");
		put_place(l, file, out);
		fputc('\n', out);
	}
	if (inside)
		fputs("}\n", out);
}
