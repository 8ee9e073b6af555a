/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_TIMES_H
#define DNS64D_OUTBOUND_TIMES_H

/*
 * times: how long an upstream takes to reply, measured (RULES D27).
 *
 * struct times is the smoothed round trip time of one upstream over one enum upstream_over, its
 * variation (RFC 6298 section 2) and an estimate of its 95th percentile. struct times_cost is what
 * a question to an upstream costs at present, failures included: a mean over about half a second,
 * by which upstreams are compared. All durations are in nanoseconds.
 *
 * Every reply counts, those to attempts that were given up too: the ID tells which attempt it is
 * the reply to, so Karn's rule (RFC 6298 section 3) has no object.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"

#define TIMES_LEAST_NS (50 * NS_PER_MS)    /* shortest wait */
#define TIMES_UNKNOWN_NS (400 * NS_PER_MS) /* wait before the first reply was measured */
#define TIMES_MARGIN_NS \
	(16 * NS_PER_MS)  /* added at least: a reply may wait for a tick or a batch */
#define TIMES_DOUBLINGS 7 /* at most; 50 ms become 6.4 s */

struct times {
	uint64_t srtt_ns; /* smoothed; 0: no reply was measured yet */
	uint64_t var_ns;  /* mean deviation */
	uint64_t p95_ns;  /* about one reply in twenty takes longer */
};

struct times_cost {
	uint64_t ns;    /* 0: nothing is known */
	uint64_t at_ns; /* when it was charged last */
};

/* times_learn: a reply took RTT_NS. The 95th percentile is times_rank's. */
static inline void
times_learn(struct times *t, uint64_t rtt_ns)
{
	uint64_t off = rtt_ns > t->srtt_ns ? rtt_ns - t->srtt_ns : t->srtt_ns - rtt_ns;

	if (UNLIKELY(t->srtt_ns == 0)) {
		*t = (struct times){
			.srtt_ns = rtt_ns | 1, .var_ns = rtt_ns / 2, .p95_ns = 2 * rtt_ns
		};
		return;
	}
	t->var_ns += off / 4 - t->var_ns / 4;
	t->srtt_ns += rtt_ns / 8 - t->srtt_ns / 8;
}

/* times_rank: a reply took RTT_NS, which times_learn knows already: the 95th percentile. */
static inline void
times_rank(struct times *t, uint64_t rtt_ns)
{
	/* Nineteen steps up for one down: at rest when one reply in twenty is above. */
	t->p95_ns += rtt_ns > t->p95_ns ? 19 * (t->p95_ns / 128 + 1) : 0 - t->p95_ns / 128;
}

/* times_known: was a reply measured? */
MUST_USE static inline bool
times_known(const struct times *t)
{
	return t->srtt_ns != 0;
}

/*
 * times_wait_ns: how long to wait for a reply, after DOUBLINGS earlier waits in vain: at least
 * TIMES_LEAST_NS, and MOST_NS at most.
 */
MUST_USE static inline uint64_t
times_wait_ns(const struct times *t, unsigned doublings, uint64_t most_ns)
{
	uint64_t margin = 4 * t->var_ns;
	uint64_t wait = TIMES_UNKNOWN_NS;

	if (times_known(t))
		wait = t->srtt_ns + (margin > TIMES_MARGIN_NS ? margin : TIMES_MARGIN_NS);
	if (wait < TIMES_LEAST_NS)
		wait = TIMES_LEAST_NS;
	if (UNLIKELY(doublings > 0) && wait < most_ns)
		wait <<= doublings < TIMES_DOUBLINGS ? doublings : TIMES_DOUBLINGS;
	return wait < most_ns ? wait : most_ns;
}

/*
 * times_usual_ns: how long a reply usually takes, at least TIMES_LEAST_NS; TIMES_UNKNOWN_NS before
 * one was measured. One slow reply raises the mean for long, and a slow first one the percentile:
 * what is less counts.
 */
MUST_USE static inline uint64_t
times_usual_ns(const struct times *t)
{
	uint64_t usual = 2 * t->srtt_ns < t->p95_ns ? 2 * t->srtt_ns : t->p95_ns;

	if (!times_known(t))
		return TIMES_UNKNOWN_NS;
	return usual > TIMES_LEAST_NS ? usual : TIMES_LEAST_NS;
}

/*
 * times_shift: the binary logarithm of one over the weight of a sample at NOW_NS: from 1/64, up to
 * 16 ms after the sample before, to 1/4, from 134 ms on. So the mean covers about half a second
 * whatever the rate.
 */
MUST_USE static inline unsigned
times_shift(const struct times_cost *c, uint64_t now_ns)
{
	int log2 = 63 - __builtin_clzll((now_ns - c->at_ns) | 1);

	return log2 < 23 ? 6 : log2 > 27 ? 2 : (unsigned)(29 - log2);
}

/* times_charge: a question was replied to after NS; that is what it cost. */
static inline void
times_charge(struct times_cost *c, uint64_t ns, uint64_t now_ns)
{
	unsigned shift = times_shift(c, now_ns);

	if (UNLIKELY(c->ns == 0))
		c->ns = ns | 1;
	else
		c->ns += (ns >> shift) - (c->ns >> shift);
	c->at_ns = now_ns;
}

/*
 * times_charge_failure: a question failed, which cost NS. It weighs up to four times as much as a
 * reply, so an upstream that fails is left quickly and comes back after many replies only.
 */
void times_charge_failure(struct times_cost *c, uint64_t ns, uint64_t now_ns);

#endif
