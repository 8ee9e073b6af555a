/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_NAT64_HEALTH_H
#define DNS64D_NAT64_HEALTH_H

/*
 * health: whether something that is asked again and again works, decided by its answers in a row
 * (keywords prefix-check-fall and prefix-check-rise). Pure: answers and times in, a state out.
 *
 * What goes down often must answer for longer before it is up again: each time beyond the second in
 * ten minutes doubles rise, up to 16 times.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"

enum health_state {
	HEALTH_UP,
	HEALTH_FAILING, /* up, but it did not answer the last time */
	HEALTH_DOWN,
	HEALTH_RISING /* down, but it did */
};

#define HEALTH_DOWNS 6                     /* how many of its downs are remembered */
#define HEALTH_DOWNS_NS (600 * NS_PER_SEC) /* and for how long they count */

struct health_rules {
	uint32_t fall; /* questions in a row without an answer until it is down; >= 1 */
	uint32_t rise; /* answers in a row until it is up; >= 1 */
};

/* All zero: it is up, and was never down. */
struct health {
	enum health_state state;
	uint32_t n;                   /* HEALTH_FAILING, HEALTH_RISING: how many in a row */
	uint32_t doublings;           /* HEALTH_DOWN, HEALTH_RISING: of rise, until it is up */
	uint64_t downs[HEALTH_DOWNS]; /* when it went down, the last one first; 0: not so often */
};

/* health_passes: is H up? */
MUST_USE static inline bool
health_passes(const struct health *h)
{
	return h->state == HEALTH_UP || h->state == HEALTH_FAILING;
}

/*
 * health_take: H was asked, and ANSWERED or not, at NOW_NS (> 0, never less than before). Returns
 * whether it is up now and was down, or the reverse.
 */
bool health_take(struct health *h, const struct health_rules *r, bool answered, uint64_t now_ns);

/* health_word: STATE as a word: "up", "failing", "down", "rising". */
MUST_USE const char *health_word(enum health_state state);

#endif
