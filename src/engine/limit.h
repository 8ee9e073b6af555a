/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_LIMIT_H
#define DNS64D_ENGINE_LIMIT_H

/*
 * limit: what is done with questions over UDP that come too fast, and with answers that would
 * amplify them, as their sender's address may be forged (RULES D26).
 *
 * The counters are those of policy/rate, which all loops share. A client that has sent a server
 * cookie of ours has not forged its address, and is not limited; nor are those of
 * rate-limit-exempt. Of the other questions over the limit, some get an answer without records,
 * with TC or for those with a cookie BADCOOKIE, so that who did not forge its address can come
 * back over TCP or with the cookie (rate-limit-slip); the rest gets none.
 *
 * One thread per struct; each loop has its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/rng.h"
#include "core/conf.h"
#include "core/packet.h"
#include "core/stats.h"
#include "engine/cookie.h"
#include "engine/query.h"
#include "policy/rate.h"

/*
 * An address gets so many bytes a second beyond max-amplification times those that it sent: no
 * single answer is too long, and a client that asks for itself seldom notices.
 */
#define LIMIT_ALLOWANCE (1U << 20)

enum limit_verdict { LIMIT_PASS, LIMIT_SLIP, LIMIT_DROP };

struct limits {
	const struct conf_core *conf; /* borrowed */
	struct stats *stats;          /* borrowed */
	struct cookies *cookies;      /* borrowed */
	bool on;                      /* questions have a limit */
	uint32_t amplification;       /* bytes of an answer for each of its question; 0: any */
	struct rate_plan questions;
	struct rate_plan amplified; /* bytes beyond amplification */
	uint64_t dice;              /* 0: not needed yet */
	uint64_t logged_ns;         /* when logonce was asked last */
	uint64_t n_unlogged; /* uses over a limit since this loop logged one, of all clients */
};

/*
 * limits_init: make L ready for limits_configure. STATS and COOKIES are borrowed for as long as L
 * is used.
 */
void limits_init(struct limits *l, struct stats *stats, struct cookies *cookies);

/*
 * limits_configure: from now on the settings in CONF (borrowed) hold; what was counted stays. RNG:
 * for the dice, if they are needed.
 */
void limits_configure(struct limits *l, const struct conf_core *conf, struct rng *rng);

/*
 * limit_question: charge a client's datagram IN to its sender and decide what to do with it.
 * LIMIT_SLIP: it gets an answer without records. LIMIT_DROP: none, and all is counted. Call it only
 * if l->on.
 */
MUST_USE enum limit_verdict limit_question(
    struct limits *l, const struct packet_in *in, uint64_t now_ns);

/*
 * limit_amplified: is an answer of ANSWER_LEN bytes, for a question of QUESTION_LEN, so long that
 * limit_answer decides about it?
 */
MUST_USE static inline bool
limit_amplified(const struct limits *l, size_t question_len, size_t answer_len)
{
	return answer_len > l->amplification * question_len && l->amplification > 0;
}

/*
 * limit_answer: the answer of LEN bytes to Q in OUT is that long: charge it to Q's client, unless
 * it is known that its address is not forged. If that had too much of it already, write the answer
 * without records and with TC to OUT instead, counted. Returns the length of the answer in OUT.
 */
MUST_USE size_t limit_answer(struct limits *l, struct queries *qs, struct query *q, size_t len,
    const struct query_out *out, uint64_t now_ns);

/*
 * limit_would_question: would a question over UDP of CLIENT be over the limit now? Returns the
 * prefix length of the network that is; 0: none. Nothing is charged.
 */
MUST_USE unsigned limit_would_question(
    const struct limits *l, const struct netaddr *client, uint64_t now_ns);

/* limit_would_answer: the same for an answer of LEN bytes to Q, by limit_answer. */
MUST_USE unsigned limit_would_answer(
    const struct limits *l, const struct query *q, size_t len, uint64_t now_ns);

#endif
