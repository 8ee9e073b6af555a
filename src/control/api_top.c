/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_top.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "dns/mnemonic.h"
#include "dns/name.h"
#include "engine/top.h"
#include "figures/figures.h"

#define BIT(kind) (1U << (kind))

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

/* --- what a line tells ------------------------------------------------------------------------ */

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

		if ((s->count - s->error) * 100 >= all * API_TOP_NETWORK)
			append(list, s, network_json);
	}
	free(c.sums);
	return list;
}

/* --- requests --------------------------------------------------------------------------------- */

/* How many lines R wants. 0: it said something else, and was answered. */
static uint64_t
read_lines(struct evhttp_request *r)
{
	json_t *p = params_read(r);
	const char *text = p != NULL ? params_text(p, "lines") : NULL;
	uint64_t n = API_TOP_LINES;

	if (p == NULL)
		return 0;
	if (text != NULL && (!number_parse(text, strlen(text), API_TOP_MOST, &n) || n == 0)) {
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
