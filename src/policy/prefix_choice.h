/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_PREFIX_CHOICE_H
#define DNS64D_POLICY_PREFIX_CHOICE_H

/*
 * prefix_choice: which of several active prefixes an answer has, by turns or by the client, each
 * with a share of the answers, or of the clients, as its weight (prefix-selection, dns64-prefix).
 *
 * The way is settled when prefixes or states change, so weights cost nothing where they are equal.
 * Integers only, so all machines with the same prefixes and weights choose alike. Pure functions.
 */

#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "dns64/synth.h"

#define PREFIX_CHOICE_WEIGHT 100 /* the default */
#define PREFIX_CHOICE_WEIGHT_MAX 1000

enum prefix_choice_way {
	PREFIX_CHOICE_FIRST, /* the first, whoever asks: all prefixes are used, or there is one */
	PREFIX_CHOICE_TURNS,
	PREFIX_CHOICE_WEIGHTED_TURNS,
	PREFIX_CHOICE_CLIENT,
	PREFIX_CHOICE_WEIGHTED_CLIENT
};

struct prefix_choice {
	uint8_t way;      /* enum prefix_choice_way */
	uint16_t n_turns; /* of weighted turns: after so many, each prefix had as many as its weight
			     divided by unit */
	uint16_t stride;  /* from the place of one turn among them to that of the next */
	uint16_t unit;    /* the greatest common divisor of the weights */
	/* 1 to PREFIX_CHOICE_WEIGHT_MAX, with the indices of synth.prefixes; the only field that
	   prefix_choice_settle does not derive. All 0: equal. */
	uint16_t weights[SYNTH_MAX_PREFIXES];
};

_Static_assert(SYNTH_MAX_PREFIXES *PREFIX_CHOICE_WEIGHT_MAX <= UINT16_MAX, "all turns fit");

/*
 * prefix_choice_settle: derive the fields of C, for the general prefixes of P, which are. WAY is
 * the one that is wanted, of those without weights.
 */
void prefix_choice_settle(
    struct prefix_choice *c, const struct synth_policy *p, enum prefix_choice_way way);

/* prefix_choice_among: what prefix_choice_place does where c->way is not PREFIX_CHOICE_FIRST. */
MUST_USE unsigned prefix_choice_among(const struct prefix_choice *c, const struct synth_policy *p,
    const struct netaddr *client, uint32_t turn);

/*
 * prefix_choice_place: the index in p->general of the first prefix of an answer to CLIENT, the
 * TURN-th answer of its loop. P is what C was settled for.
 */
MUST_USE static inline unsigned
prefix_choice_place(const struct prefix_choice *c, const struct synth_policy *p,
    const struct netaddr *client, uint32_t turn)
{
	return c->way == PREFIX_CHOICE_FIRST ? 0 : prefix_choice_among(c, p, client, turn);
}

#endif
