/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/explain.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "dns64ctl/show_parts.h"

/* The places of the command's keys. */
enum { NAME, TYPE, CLIENT, ASK, TCP, DO, CD };

bool
explain_words(char *const *words, size_t n, bool dry, const char *args[static EXPLAIN_KEYS])
{
	memset(args, 0, EXPLAIN_KEYS * sizeof(args[0]));
	args[NAME] = words[0];
	args[ASK] = dry ? "0" : NULL;
	for (size_t i = 1; i < n; i++) {
		int flag = strcmp(words[i], "tcp") == 0 ? TCP
		    : strcmp(words[i], "do") == 0       ? DO
		    : strcmp(words[i], "cd") == 0       ? CD
							: -1;

		if (flag >= 0)
			args[flag] = "1";
		else if (strcmp(words[i], "client") == 0 && i + 1 < n)
			args[CLIENT] = words[++i];
		else if (i == 1)
			args[TYPE] = words[i];
		else
			return false;
	}
	return true;
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool
is_set(const json_t *j, const char *key)
{
	return json_is_true(json_object_get(j, key));
}

/* Print the texts at the keys A and B of J, with a blank between them. */
static void
put_two(const json_t *j, const char *a, const char *b, FILE *out)
{
	show_put(show_text(j, a), out);
	fputc(' ', out);
	show_put(show_text(j, b), out);
}

/* Print the transport of J, whose name in JSON is in lower case. */
static void
put_transport(const json_t *j, FILE *out)
{
	for (const char *c = show_text(j, "transport"); *c != '\0'; c++)
		fputc(toupper((unsigned char)*c), out);
}

/* Print BEFORE and what decided, D: a line and where it stands, or a rule. Nothing did: nothing. */
static void
put_decided(const char *before, const json_t *d, FILE *out)
{
	if (!json_is_object(d))
		return;
	fputs(before, out);
	if (json_object_get(d, "rule") != NULL) {
		show_put(show_text(d, "rule"), out);
		if (json_object_get(d, "keyword") != NULL)
			fprintf(out, " of %s", show_text(d, "keyword"));
		return;
	}
	if (json_object_get(d, "line") != NULL) {
		show_put(show_text(d, "file"), out);
		fprintf(out, ":%" JSON_INTEGER_FORMAT ": ", show_number(d, "line"));
	} else {
		show_put(show_text(d, "from"), out);
		fputs(": ", out);
	}
	put_two(d, "keyword", "value", out);
}

/* Print the same in brackets. */
static void
put_by(const json_t *d, FILE *out)
{
	if (!json_is_object(d))
		return;
	put_decided(" (", d, out);
	fputc(')', out);
}

/* --- The client ------------------------------------------------------------------------------- */

/* Do prefixes of LIST differ in their weight? */
static bool
are_weighted(const json_t *list)
{
	const json_t *first = json_array_get(list, 0), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (show_number(item, "weight") != show_number(first, "weight"))
			return true;
	}
	return false;
}

/* What prefix-check has to do with the state of P. */
static void
put_check(const json_t *p, FILE *out)
{
	const json_t *c = json_object_get(p, "check");
	time_t since = (time_t)show_number(c, "since");
	char text[32];

	if (strcmp(show_text(p, "cause"), "operator") == 0)
		fputs(" by operator", out);
	if (!json_is_object(c) || strcmp(show_text(c, "state"), "active") == 0)
		return;
	(void)strftime(text, sizeof(text), "%F %T", localtime(&since));
	fprintf(out, "%s by prefix-check since %s (",
	    json_is_true(json_object_get(p, "held")) ? ", the last one left, down" : "", text);
	show_put(show_text(c, "error"), out);
	fputc(')', out);
}

static void
put_prefixes(const json_t *p, FILE *out)
{
	const json_t *list = json_object_get(p, "prefixes"), *item;
	bool weighted = are_weighted(list);
	size_t i;

	fprintf(out, "%-12s", "prefixes");
	json_array_foreach(list, i, item)
	{
		fputs(i > 0 ? ", " : "", out);
		put_two(item, "prefix", "state", out);
		if (weighted)
			fprintf(out, " weight %" JSON_INTEGER_FORMAT, show_number(item, "weight"));
		put_check(item, out);
	}
	fputc('\n', out);
}

static void
put_policy(const json_t *p, FILE *out)
{
	const json_t *zone = json_object_get(p, "zone");

	if (!json_is_object(p))
		return;
	fprintf(out, "%-12s", "policy");
	if (json_is_object(json_object_get(p, "block")))
		put_decided("", json_object_get(p, "block"), out);
	else
		fputs(show_number(p, "number") > 0 ? "a client block"
						   : "of clients in no client block",
		    out);
	fprintf(out, "\n%-12s%s", "may ask", is_set(p, "may_ask") ? "yes" : "no");
	put_by(json_object_get(p, "allowed_by"), out);
	fputc('\n', out);
	if (json_is_integer(json_object_get(p, "beyond_rate_limit")))
		fprintf(out,
		    "%-12sits network of %" JSON_INTEGER_FORMAT " bits is beyond rate-limit now\n",
		    "rate", show_number(p, "beyond_rate_limit"));
	if (json_is_object(zone)) {
		fprintf(out, "%-12s", "zone");
		show_put(show_text(zone, "name"), out);
		put_by(json_object_get(zone, "decided_by"), out);
		fputc('\n', out);
	}
	put_prefixes(p, out);
}

/* The upstreams of LIST, which the operator has ordered not to be asked. */
static void
put_orders(const json_t *list, FILE *out)
{
	const json_t *u;
	size_t i;

	json_array_foreach(list, i, u)
	{
		fprintf(out, "%-12s", i == 0 ? "upstreams" : "");
		show_put(show_text(u, "address"), out);
		fprintf(out, " %s by operator\n", show_text(u, "state"));
	}
}

/* --- Steps ------------------------------------------------------------------------------------ */

static void
put_cached(const json_t *s, FILE *out)
{
	fprintf(out,
	    "cache: %s entry, %" JSON_INTEGER_FORMAT " s old, TTL %" JSON_INTEGER_FORMAT " s: ",
	    is_set(s, "stale") ? "EXPIRED" : "fresh", show_number(s, "age_s"),
	    show_number(s, "ttl_s"));
	if (json_object_get(s, "rcode") == NULL) {
		fprintf(out, "the question failed (%s)", show_text(s, "outcome"));
		return;
	}
	put_two(s, "name", "type", out);
	fprintf(out, " %s%s", show_text(s, "rcode"), is_set(s, "due") ? ", to be refreshed" : "");
}

static void
put_event(const json_t *s, FILE *out)
{
	if (is_set(s, "cached")) {
		put_cached(s, out);
	} else if (strcmp(show_text(s, "state"), "local") == 0) {
		fputs("answered here", out);
	} else if (strcmp(show_text(s, "state"), "svcb") == 0) {
		fprintf(out, "svcb: %" JSON_INTEGER_FORMAT " addresses of targets added%s",
		    show_number(s, "added"),
		    strcmp(show_text(s, "outcome"), "late") == 0 ? "; others came too late" : "");
	} else if (json_object_get(s, "rcode") == NULL) {
		fprintf(out, "%s: %s", show_text(s, "state"), show_text(s, "outcome"));
	} else {
		fprintf(out, "%s: %s %s from %s for ", show_text(s, "state"),
		    show_text(s, "outcome"), show_text(s, "rcode"), show_text(s, "upstream"));
		put_two(s, "name", "type", out);
	}
}

static void
put_address(const json_t *s, FILE *out)
{
	static const char *const verdicts[][2] = { { "mapped", "mapped" },
		{ "excluded", "left out" },
		{ "private", "not mapped: 64:ff9b::/96 is for global addresses only" },
		{ "unmapped", "not mapped: no active prefix is for it" },
		{ "hidden", "left out: clients that have no IPv4 get none" },
		{ "good", "good as it is" } };
	const char *verdict = show_text(s, "verdict");

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		if (strcmp(verdict, verdicts[i][0]) == 0)
			verdict = verdicts[i][1];
	}
	fprintf(out, "    %s: %s", show_text(s, "address"), verdict);
	put_by(json_object_get(s, "decided_by"), out);
}

static void
put_message(const json_t *s, const char *words, FILE *out)
{
	fprintf(out, "  %s %s over ", words, show_text(s, "upstream"));
	put_transport(s, out);
	fputs(": ", out);
	put_two(s, "name", "type", out);
	if (json_object_get(s, "rcode") != NULL)
		fprintf(out, " %s", show_text(s, "rcode"));
	if (json_object_get(s, "answers") != NULL)
		fprintf(out, "%s, %" JSON_INTEGER_FORMAT " answers",
		    is_set(s, "tc") ? ", truncated" : "", show_number(s, "answers"));
	if (json_object_get(s, "took_us") != NULL)
		fprintf(out, ", after %.3f ms", (double)show_number(s, "took_us") / 1000);
	if (json_is_false(json_object_get(s, "taken")))
		fputs(", not taken: late, or no reply to what was asked there", out);
	if (json_object_get(s, "why") != NULL)
		fprintf(out, ", attempt %" JSON_INTEGER_FORMAT ": %s", show_number(s, "attempt"),
		    show_text(s, "why"));
}

static void
put_kept(const json_t *s, FILE *out)
{
	fputs("  cache: ", out);
	put_two(s, "name", "type", out);
	if (show_number(s, "ttl_s") > 0)
		fprintf(out, " kept, %s, TTL %" JSON_INTEGER_FORMAT " s", show_text(s, "entry"),
		    show_number(s, "ttl_s"));
	else
		fputs(" not kept: it has no time to live", out);
}

static void
put_step(const json_t *s, FILE *out)
{
	const char *step = show_text(s, "step");

	fprintf(out, "%9.3f ms  ", (double)show_number(s, "us") / 1000);
	if (strcmp(step, "begin") == 0) {
		fprintf(out, "begins as %s", show_text(s, "state"));
	} else if (strcmp(step, "event") == 0) {
		put_event(s, out);
	} else if (strcmp(step, "address") == 0) {
		put_address(s, out);
	} else if (strcmp(step, "sent") == 0) {
		put_message(s, "to", out);
	} else if (strcmp(step, "came") == 0) {
		put_message(s, "from", out);
	} else if (strcmp(step, "silent") == 0) {
		put_message(s, "no reply from", out);
	} else if (strcmp(step, "kept") == 0) {
		put_kept(s, out);
	} else if (strcmp(step, "whom") == 0) {
		fprintf(out, "  of %s", show_text(s, "upstream"));
	} else {
		fputs(strcmp(step, "would-ask") == 0 ? "would ask " : "needs ", out);
		put_two(s, "name", "type", out);
		fputs(is_set(s, "joined") ? ", which was asked already" : "", out);
		fputs(
		    is_set(s, "stale") ? "; if that fails, an expired entry is at hand" : "", out);
	}
	fputc('\n', out);
}

/* --- All of it -------------------------------------------------------------------------------- */

static void
put_records(const char *what, const json_t *list, FILE *out)
{
	const json_t *record;
	size_t i;

	json_array_foreach(list, i, record)
	{
		fprintf(out, "%-12s", i == 0 ? what : "");
		show_put(json_string_value(record), out);
		fputc('\n', out);
	}
}

static void
put_conclusion(const json_t *j, FILE *out)
{
	const json_t *q = json_object_get(j, "question"), *why = json_object_get(j, "reason");

	put_two(q, "name", "type", out);
	fprintf(out, " for %s over ", show_text(q, "client"));
	put_transport(q, out);
	fprintf(out, "%s%s: ", is_set(q, "do") ? ", DO" : "", is_set(q, "cd") ? ", CD" : "");
	show_put(show_text(j, "conclusion"), out);
	put_decided("\ndecided by  ", json_object_get(j, "decided_by"), out);
	fputc('\n', out);
	if (!json_is_object(why))
		return;
	fprintf(out, "%-12s%s", "reason", show_text(why, "name"));
	if (json_is_integer(json_object_get(why, "ede")))
		fprintf(out, ", extended error %" JSON_INTEGER_FORMAT, show_number(why, "ede"));
	fputc('\n', out);
}

void
explain_show(const json_t *j, FILE *out)
{
	const json_t *steps = json_object_get(j, "steps"), *step;
	const json_t *answer = json_object_get(j, "answer");
	size_t i;

	put_conclusion(j, out);
	put_policy(json_object_get(j, "policy"), out);
	put_orders(json_object_get(j, "upstreams_by_operator"), out);
	if (is_set(j, "reloaded"))
		fprintf(out, "%-12s%s\n", "note",
		    "the configuration changed meanwhile: its lines are not told; try again");
	json_array_foreach(steps, i, step) put_step(step, out);
	if (show_number(j, "steps_left_out") > 0)
		fprintf(out, "%14s %" JSON_INTEGER_FORMAT " more steps\n", "",
		    show_number(j, "steps_left_out"));
	put_records("answer", json_object_get(answer, "answer"), out);
	put_records("authority", json_object_get(answer, "authority"), out);
	put_records("additional", json_object_get(answer, "additional"), out);
}
