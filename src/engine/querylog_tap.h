/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_QUERYLOG_TAP_H
#define DNS64D_ENGINE_QUERYLOG_TAP_H

/*
 * querylog_tap: tells another thread of the answers that the engine gives, for the query log.
 *
 * The engine copies what is to be known of an answer, and the answer itself, to a spool; nothing is
 * formatted here. If the thread that reads the spool is too slow, the answer is left out and
 * counted. (Copies for dnstap are made by engine/dnstap_tap.)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/spool.h"
#include "core/conf.h"
#include "core/reason.h"
#include "core/stats.h"
#include "core/transport.h"

#define QUERYLOG_TAP_SPOOL \
	((size_t)4 << 20)            /* bytes: 20,000 answers of 200 bytes, 0.2 s at full speed */
#define QUERYLOG_TAP_ANSWER_MAX 1400 /* bytes of an answer; of a longer one the question */
#define QUERYLOG_TAP_NO_AGE UINT32_MAX

/*
 * An answer. Its message follows in the spool: the answer or, if that is longer than
 * QUERYLOG_TAP_ANSWER_MAX, its header and question, which the header says.
 */
struct querylog_tap_record {
	uint64_t at_ns; /* when it was given, by the loop's clock, which is read once a turn */
	struct netaddr client;
	struct netaddr upstream; /* who gave the reply that it was made of; family 0: nobody */
	uint32_t us;             /* since the question came */
	uint32_t age_s;          /* of the entry of the cache; QUERYLOG_TAP_NO_AGE: none was used */
	uint16_t len;            /* bytes of the answer */
	uint8_t reason;          /* enum reason */
	uint8_t transport;       /* enum transport */
	bool waited;             /* for upstream */
};

struct querylog_tap {
	struct spool spool;  /* of querylog_tap_record; for another thread to read */
	struct stats *stats; /* borrowed */
	uint32_t
	    n_selected; /* answers selected so far, before conf_querylog.sample thins them out */
};

/* querylog_tap_init: make T ready; STATS is borrowed. False without memory. */
MUST_USE bool querylog_tap_init(struct querylog_tap *t, struct stats *stats);

/* querylog_tap_fini: free what T owns; *T may be all zero. */
void querylog_tap_fini(struct querylog_tap *t);

/* querylog_tap_selects: do the settings C select an answer for REASON after US microseconds? */
MUST_USE bool querylog_tap_selects(const struct conf_querylog *c, enum reason reason, uint32_t us);

/*
 * querylog_tap_put: hand R on with the answer of R->len bytes at MSG, whose question section ends
 * at QUESTION_END, if the settings C select it. Counted in query_log, or in query_log_dropped if
 * there is no room. Only in the owner's thread.
 */
void querylog_tap_put(struct querylog_tap *t, const struct conf_querylog *c,
    const struct querylog_tap_record *r, const uint8_t *msg, size_t question_end);

#endif
