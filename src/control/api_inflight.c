/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_inflight.h"

#include <stdlib.h>

#include "base/clock.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "dns/name.h"
#include "dns/print.h"
#include "dns/type.h"
#include "engine/state.h"
#include "figures/figures.h"

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
answer(struct evhttp_request *r, struct survey *const *each, unsigned n)
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
		surveys_begin(&d->surveys, r, 0, answer);
}
