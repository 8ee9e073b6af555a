/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_RATE_H
#define DNS64D_POLICY_RATE_H

/*
 * rate: how much clients' networks have used of what they may use in a time, in a table of fixed
 * size that all loops share.
 *
 * A counter belongs to a network, of one of the levels of netaddr_levels, and is the time until
 * which the network has paid for what it used: each use moves that time on by a price, and the
 * clock catches up with it, so a counter needs no one to lower it (the virtual scheduling of ITU-T
 * I.371). A network is over its limit if that time would be too far ahead. A use is charged to all
 * networks that an address is in, unless one of them is over its limit: then to none.
 *
 * A counter is one word of 64 bits: the time, and 16 bits of a keyed hash of the network. A cache
 * line has eight. A network has its counter in the one or the other of two lines (two choices); if
 * both are full of counters in use, the lowest of the sixteen passes to the new network with all it
 * counted (space saving: Metwally, Agrawal, El Abbadi 2005). So a table that is too small counts
 * too much and never too little for a network that uses much. Two networks share a counter with a
 * chance of 1 in 4,000 at the most; which ones, only the seed knows.
 *
 * Thread-safe without locks: a counter is changed by compare-and-swap. Loops that charge a network
 * at the same time may each see it below its limit, so it can be passed by one use a loop. All
 * loops have the same clock.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define RATE_BYTES (UINT64_C(4) << 20) /* of the table: 524,288 counters; untouched if not used */
#define RATE_LEVELS NETADDR_LEVELS
#define RATE_MOST_NS 60000000000ULL /* ns: no burst is worth more time than this */

/* What is counted, each apart. */
enum rate_kind { RATE_QUESTIONS, RATE_AMPLIFIED, RATE_KINDS };

/* The price of one use for networks of each prefix length. */
struct rate_plan {
	uint64_t most_ns; /* so far ahead a counter may be */
	/* in 2^-16 ns; IPv4 first, then IPv6; the longest prefix first */
	uint64_t price[2][RATE_LEVELS];
};

/* A use. */
struct rate_use {
	enum rate_kind kind;
	const struct netaddr *who; /* IPv4 or IPv6; its port and scope do not matter */
	uint64_t amount; /* in 2^-16 uses; at most those of four seconds (rate_plan_make) */
	uint32_t dice;   /* any number that WHO does not know */
	uint64_t now_ns;
};

struct rates;

/*
 * rates_new: an empty table, which the caller owns, keyed by the kernel's randomness. NULL without
 * memory.
 */
MUST_USE struct rates *rates_new(void);

/* rates_free: free R, which no thread uses any more and which may be NULL. */
void rates_free(struct rates *r);

/*
 * rate_plan_make: the prices at which a single address may have PER_S (>= 1) uses in a second, and
 * BURST (>= 1) at once, but at most what it may have in RATE_MOST_NS; wider networks may have their
 * multiple of it (RULES D30).
 */
void rate_plan_make(struct rate_plan *p, uint64_t per_s, uint64_t burst);

/*
 * rates_charge: charge USE to the networks of its address, if all of them stay within what P
 * permits. Returns 0; or, with nothing charged, the prefix length of the longest network that would
 * not. Networks that may have 32 times as much or more are charged for a part of the uses, drawn by
 * the dice, and then for that many at once, so that loops do not contend for their counters.
 * Any thread.
 */
MUST_USE unsigned rates_charge(
    struct rates *r, const struct rate_plan *p, const struct rate_use *use);

/* rates_over: what rates_charge would return; nothing is charged. Any thread. */
MUST_USE unsigned rates_over(
    struct rates *r, const struct rate_plan *p, const struct rate_use *use);

#endif
