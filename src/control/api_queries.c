/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_queries.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "dns/mnemonic.h"
#include "dns/name.h"
#include "dns/print.h"
#include "dns/type.h"
#include "engine/state.h"
#include "engine/top.h"
#include "figures/figures.h"

#define BIT(kind) (1U << (kind))

/* --- top -------------------------------------------------------------------------------------- */

/* What all loops have counted by one kind. */
struct counted {
	struct heavy_sum *sums; /* owned */
	size_t n;
	uint64_t n_all, unseen, began_ns; /* 0: nothing was counted before */
};

static struct counted
gather(struct survey *const *each, unsigned n, enum top_kind kind)
{
	const struct heavy *heavy[SETTINGS_LOOPS] = { NULL };
	struct counted c = { .n = 0 };

	for (unsigned i = 0; i < n; i++) {
		const struct top_counts *t = each[i] != NULL ? each[i]->top[kind] : NULL;

		if (t == NULL)
			continue;
		heavy[i] = &t->heavy;
		c.n_all += t->heavy.n_all;
		c.unseen += heavy_unseen(&t->heavy);
		if (c.began_ns == 0 || t->began_ns < c.began_ns)
			c.began_ns = t->began_ns;
	}
	c.sums = heavy_merge(heavy, n, &c.n);
	return c;
}

typedef json_t *line_json(const struct heavy_item *item);

static json_t *
client_json(const struct heavy_item *item)
{
	char text[NETADDR_TEXT];
	struct netaddr a;

	memcpy(&a, item->key, sizeof(a));
	return json_pack("{s:s}", "client", netaddr_format(&a, text));
}

static json_t *
network_json(const struct heavy_item *item)
{
	char text[NETADDR_TEXT + sizeof("/64")];
	struct netaddr a;

	memcpy(&a, item->key, sizeof(a));
	return json_pack("{s:s}", "network", strcat(netaddr_format(&a, text), "/64"));
}

static json_t *
name_json(const struct heavy_item *item)
{
	char text[NAME_TEXT];

	return json_pack("{s:s}", "name", name_to_text(item->key, text));
}

static json_t *
failure_json(const struct heavy_item *item)
{
	char name[NAME_TEXT], rcode[MNEMONIC_TEXT];

	return json_pack("{s:s, s:s, s:s}", "name",
	    name_to_text(item->key + TOP_FAILURE_NAME, name), "rcode",
	    mnemonic_rcode(item->key[TOP_FAILURE_RCODE], rcode), "reason",
	    reason_row((enum reason)item->key[TOP_FAILURE_REASON])->name);
}

static void
append(json_t *list, const struct heavy_sum *s, line_json *line)
{
	json_t *j = line(s->item);

	(void)json_object_set_new(j, "count", json_integer((json_int_t)s->count));
	(void)json_object_set_new(j, "error", json_integer((json_int_t)s->error));
	(void)json_array_append_new(list, j);
}

/* The /64 that certainly got their part of ALL answers. */
static json_t *
networks_json(struct survey *const *each, unsigned n, uint64_t all)
{
	struct counted c = gather(each, n, TOP_NETWORKS);
	json_t *list = json_array();

	for (size_t i = 0; i < c.n; i++) {
		const struct heavy_sum *s = &c.sums[i];

		if ((s->count - s->error) * 100 >= all * API_QUERIES_NETWORK)
			append(list, s, network_json);
	}
	free(c.sums);
	return list;
}

/* How many lines R wants. 0: it said something else, and was answered. */
static uint64_t
read_lines(struct evhttp_request *r)
{
	json_t *p = params_read(r);
	const char *text = p != NULL ? params_text(p, "lines") : NULL;
	uint64_t n = API_QUERIES_LINES;

	if (p == NULL)
		return 0;
	if (text != NULL && (!number_parse(text, strlen(text), API_QUERIES_MOST, &n) || n == 0)) {
		reply_error(r, HTTP_BADREQUEST, "lines is not a number from 1 to 500", NULL);
		n = 0;
	}
	json_decref(p);
	return n;
}

static void
answer(struct evhttp_request *r, struct survey *const *each, unsigned n, enum top_kind kind,
    line_json *line)
{
	uint64_t lines = read_lines(r), now_ns = clock_now_ns();
	struct counted c;
	unsigned n_silent = 0;
	json_t *list, *j;

	if (lines == 0)
		return;
	c = gather(each, n, kind);
	list = json_array();
	for (size_t i = 0; i < c.n && i < lines; i++)
		append(list, &c.sums[i], line);
	if (c.n > lines && c.sums[lines].count > c.unseen)
		c.unseen = c.sums[lines].count;
	for (unsigned i = 0; i < n; i++)
		n_silent += each[i] == NULL;
	j = json_pack("{s:o*, s:I, s:I, s:b, s:f, s:I}", "top", list, figures[FIGURES_ANSWERS].key,
	    (json_int_t)c.n_all, "others_most", (json_int_t)c.unseen, "began", c.began_ns == 0,
	    "counted_s",
	    c.began_ns != 0 && now_ns > c.began_ns
		? (double)(now_ns - c.began_ns) / (double)NS_PER_SEC
		: 0.0,
	    figures[FIGURES_LOOPS_SILENT].key, (json_int_t)n_silent);
	if (kind == TOP_CLIENTS)
		(void)json_object_set_new(j, "networks", networks_json(each, n, c.n_all));
	free(c.sums);
	reply_json(r, HTTP_OK, j);
}

static void
answer_clients(struct evhttp_request *r, struct survey *const *each, unsigned n)
{
	answer(r, each, n, TOP_CLIENTS, client_json);
}

static void
answer_names(struct evhttp_request *r, struct survey *const *each, unsigned n)
{
	answer(r, each, n, TOP_NAMES, name_json);
}

static void
answer_failures(struct evhttp_request *r, struct survey *const *each, unsigned n)
{
	answer(r, each, n, TOP_FAILURES, failure_json);
}

static void
begin(struct evhttp_request *r, struct control_ctx *d, unsigned tops, surveys_answer *then)
{
	if (read_lines(r) > 0)
		surveys_begin(&d->surveys, r, tops, then);
}

void
api_top_clients(struct evhttp_request *r, void *arg)
{
	begin(r, arg, BIT(TOP_CLIENTS) | BIT(TOP_NETWORKS), answer_clients);
}

void
api_top_names(struct evhttp_request *r, void *arg)
{
	begin(r, arg, BIT(TOP_NAMES), answer_names);
}

void
api_top_failures(struct evhttp_request *r, void *arg)
{
	begin(r, arg, BIT(TOP_FAILURES), answer_failures);
}

/* --- in flight -------------------------------------------------------------------------------- */

static json_t *
tried_json(const struct inflight_question *q)
{
	json_t *list = json_array();
	char text[NETADDR_TEXT];

	for (unsigned i = 0; i < q->n_tried; i++)
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s}", "upstream", netaddr_format(&q->tried[i].upstream, text),
			"reply", inflight_reply_text(q->tried[i].reply)));
	return list;
}

static json_t *
question_json(const struct inflight_question *q, uint64_t now_ns)
{
	char client[NETADDR_TEXT], name[NAME_TEXT], type[TYPE_TEXT];
	/* A loop's clock may have been read a little later. */
	uint64_t age_ns = now_ns > q->came_ns ? now_ns - q->came_ns : 0;

	return json_pack("{s:f, s:s, s:s, s:s, s:s, s:s, s:I, s:o*, s:I}", "age_ms",
	    (double)age_ns / (double)NS_PER_MS, "client", netaddr_format(&q->client, client),
	    "transport", transport_traits[q->transport].name, "name", name_to_text(q->qname, name),
	    "type", type_to_text(q->qtype, type), "state",
	    query_state_name((enum query_state)q->state), "sends", (json_int_t)q->n_sends, "tried",
	    tried_json(q), "tried_more", (json_int_t)q->n_more);
}

static int
by_age(const void *a, const void *b)
{
	const struct inflight_question *const *x = a, *const *y = b;

	return ((*x)->came_ns > (*y)->came_ns) - ((*x)->came_ns < (*y)->came_ns);
}

static void
answer_inflight(struct evhttp_request *r, struct survey *const *each, unsigned n)
{
	const struct inflight_question **all =
	    calloc((size_t)n * INFLIGHT_MOST + 1, sizeof(const struct inflight_question *));
	uint64_t now_ns = clock_now_ns(), n_flying = 0;
	json_t *list = json_array();
	unsigned n_silent = 0;
	size_t n_all = 0;

	for (unsigned i = 0; i < n && all != NULL; i++) {
		n_silent += each[i] == NULL;
		if (each[i] == NULL)
			continue;
		n_flying += each[i]->inflight.n_all;
		for (unsigned k = 0; k < each[i]->inflight.n; k++)
			all[n_all++] = &each[i]->inflight.q[k];
	}
	if (n_all > 0)
		qsort(all, n_all, sizeof(all[0]), by_age);
	for (size_t i = 0; i < n_all && i < INFLIGHT_MOST; i++)
		(void)json_array_append_new(list, question_json(all[i], now_ns));
	reply_json(r, HTTP_OK,
	    json_pack("{s:o*, s:I, s:I}", "questions", list, figures[FIGURES_IN_FLIGHT].key,
		(json_int_t)n_flying, figures[FIGURES_LOOPS_SILENT].key, (json_int_t)n_silent));
	free((void *)all);
}

void
api_inflight(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	if (params_none(r))
		surveys_begin(&d->surveys, r, 0, answer_inflight);
}
