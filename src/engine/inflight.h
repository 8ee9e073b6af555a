/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_INFLIGHT_H
#define DNS64D_ENGINE_INFLIGHT_H

/*
 * inflight: the questions of clients that wait for upstream, for the operator: the oldest of one
 * loop, copied out in slices. What comes and goes between two slices may be missing, or be there
 * though it was answered meanwhile.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "dns/proto.h"
#include "engine/query.h"

#define INFLIGHT_MOST 100 /* questions of a loop, and of all that are shown */
#define INFLIGHT_TRIED 8  /* upstreams of a question */

/* What came of an upstream that was asked. */
enum inflight_reply { INFLIGHT_WAITING, INFLIGHT_SILENT, INFLIGHT_ERROR };

struct inflight_tried {
	struct netaddr upstream;
	enum inflight_reply reply;
};

struct inflight_question {
	uint64_t came_ns;
	struct netaddr client;
	uint16_t qtype;
	uint8_t state;     /* enum query_state */
	uint8_t transport; /* enum transport */
	uint8_t n_sends;   /* of the question that it waits for */
	uint8_t n_tried;
	uint8_t n_more; /* upstreams that tried[] has no room for */
	/*
	 * each once, by the question that it waits for, else by a late one that it watches; those
	 * that are waited for come first
	 */
	struct inflight_tried tried[INFLIGHT_TRIED];
	uint8_t qname[DNS_NAME_MAX]; /* in the client's spelling */
};

struct inflight {
	uint32_t at; /* of the table of clients: how far it came */
	uint32_t n_all;
	unsigned n;
	unsigned youngest; /* if n is INFLIGHT_MOST: index */
	struct inflight_question q[INFLIGHT_MOST];
};

/*
 * inflight_slice: go on to collect in *F, which is all zero at first, what waits in QS. True: call
 * it again. The questions are in no order.
 */
MUST_USE bool inflight_slice(const struct queries *qs, struct inflight *f);

/* inflight_reply_text: R as a word: "waiting", "silent", "error". */
const char *inflight_reply_text(enum inflight_reply r);

#endif
