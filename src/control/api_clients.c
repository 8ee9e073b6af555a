/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_clients.h"

#include <string.h>

#include "control/conf_location.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "figures/figures.h"
#include "policy/policy_counters.h"

/* The words of TEXT, but for the brace that opens a block. */
static json_t *
words(const char *text)
{
	json_t *list = json_array();

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (len > 0 && *text != '{')
			(void)json_array_append_new(list, json_stringn(text, len));
		text += len + strspn(text + len, " ");
	}
	return list;
}

/* The lines of the block whose head is at LINE, as they would be written. */
static json_t *
own_lines(const struct origin_line *all, size_t n, unsigned line)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		if (all[i].block == line)
			(void)json_array_append_new(
			    list, json_sprintf("%s %s", all[i].keyword->name, all[i].value));
	}
	return list;
}

/* What is told of each policy. */
struct telling {
	const struct settings *s;
	const struct policies *ps;
	const struct origin_line *lines;
	size_t n_lines;
	uint64_t answers[STATS_CLIENTS];
};

/* Policy I, whose block begins with HEAD; NULL: it is for clients in no block. */
static json_t *
policy_json(const struct telling *t, size_t i, const struct origin_line *head)
{
	const struct policy *p = &t->ps->table[i];
	unsigned line = head == NULL ? 0 : head->line;

	json_t *j = json_pack("{s:o*, s:o*, s:I, s:I, s:I, s:b}", "networks",
	    words(head == NULL ? "" : head->value), "sets",
	    head == NULL ? json_array() : own_lines(t->lines, t->n_lines, line), "prefixes",
	    (json_int_t)p->synth.n_prefixes, "zones",
	    (json_int_t)(p->zones == NULL ? 0 : zonemap_count(p->zones)),
	    figures[FIGURES_ANSWERS].key, (json_int_t)t->answers[p->counter], "shared",
	    p->counter == POLICY_COUNTERS_SHARED);

	conf_location_put(j, t->s, line);
	return j;
}

void
api_clients(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	const struct settings *s = d->host.settings;
	struct telling t = { .s = s, .ps = s->conf.core.policies };
	const struct stats *all[SETTINGS_LOOPS];
	json_t *list;
	size_t n = 1;

	if (!params_none(r))
		return;
	for (unsigned i = 0; i < d->host.n_loops; i++)
		all[i] = loop_stats(d->host.loops[i]);
	stats_sum_clients(all, d->host.n_loops, t.answers);
	t.lines = origin_lines(&s->origin, &t.n_lines);
	list = json_pack("[o*]", policy_json(&t, 0, NULL));
	/* Blocks have their numbers in the order of the file. */
	for (size_t i = 0; i < t.n_lines && n < t.ps->n; i++) {
		if (strcmp(t.lines[i].keyword->name, "client") == 0)
			(void)json_array_append_new(list, policy_json(&t, n++, &t.lines[i]));
	}
	reply_json(r, HTTP_OK, json_pack("{s:o*}", "clients", list));
}
