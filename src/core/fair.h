/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_FAIR_H
#define DNS64D_CORE_FAIR_H

/*
 * fair: which client networks have questions that wait for upstream, how many, and for what.
 *
 * A network is that of struct netaddr_block: an IPv6 /64 or an IPv4 address. Each waiting question
 * is on its network's list, the one that has waited longest first. The networks are sorted into
 * classes by how many wait, eight classes to a doubling, so the network that has most is found at
 * once, to within its class: another one may have up to an eighth more. The table is keyed by a
 * secret, as clients choose their addresses.
 *
 * How many questions of one network wait for the same name and type is counted in a sketch
 * (count-min): each pair has a counter in each of two rows, whose places are hashes under a secret.
 * The smaller of the two is the count; it is never too low, and too high only if other pairs happen
 * to share both. Everything here takes the same time however many wait.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/pool.h"

#define FAIR_CLASSES 160 /* more than fair_class says of any number of questions that can be */
#define FAIR_ROWS 2

/* A network with at least one question that waits. */
struct fair_net {
	struct list link;      /* in fair.classes */
	struct list waiting;   /* struct fair_place.link, by time */
	struct fair_net *next; /* same bucket */
	struct netaddr_block block;
	uint32_t n; /* length of waiting */
};

/* The place of one question, embedded in the caller's object; zeroed when it has none. */
struct fair_place {
	struct list link;
	struct fair_net *net;     /* NULL: it has no place */
	bool counted;             /* in the sketch, at same[] */
	uint32_t same[FAIR_ROWS]; /* indices */
};

struct fair {
	struct pool nets;
	struct fair_net **buckets; /* owned: 2^bits heads */
	uint16_t *same;            /* owned: FAIR_ROWS rows of 2^bits counters */
	unsigned bits;
	uint64_t spread;                         /* keys both tables: odd and secret */
	uint64_t full[(FAIR_CLASSES + 63) / 64]; /* bit per class: some network is in it */
	struct list classes[FAIR_CLASSES];       /* struct fair_net.link */
};

enum fair_verdict {
	FAIR_WELCOME, /* it has its place */
	FAIR_SAME,    /* max_same are waiting already */
	FAIR_CEILING  /* max_net are waiting already */
};

/*
 * fair_init: make F ready for CAP questions at a time, its tables keyed by SECRET. Returns 0 or
 * -errno.
 */
MUST_USE int fair_init(struct fair *f, uint64_t secret, uint32_t cap);

/* fair_fini: free what F owns. Places are void afterwards. */
void fair_fini(struct fair *f);

/*
 * fair_enter: give a question of the client PEER the place P, which it has not yet, unless MAX_NET
 * questions of its network wait (0: any number may). MAX_SAME: how many of these may have the same
 * QUESTION, which is a keyed hash of name and type; 0: any number, and this one is not counted
 * among them.
 */
MUST_USE enum fair_verdict fair_enter(struct fair *f, const struct netaddr *peer, uint64_t question,
    uint32_t max_net, uint32_t max_same, struct fair_place *p);

/*
 * fair_same: how many questions of its network wait for the same QUESTION as the one with the place
 * P, with that; 0: it is not counted.
 */
MUST_USE static inline uint32_t
fair_same(const struct fair *f, const struct fair_place *p)
{
	uint16_t a = f->same[p->same[0]];
	uint16_t b = f->same[p->same[1]];

	if (!p->counted)
		return 0;
	return a < b ? a : b;
}

/* fair_leave: the question with the place P waits no longer. P may have no place. */
void fair_leave(struct fair *f, struct fair_place *p);

/*
 * fair_fullest: the network that has most questions waiting, to within its class; NULL: none has.
 */
MUST_USE struct fair_net *fair_fullest(const struct fair *f);

/* fair_class: the class of a network with N questions; it grows with N. */
MUST_USE static inline unsigned
fair_class(uint32_t n)
{
	unsigned octave;

	if (n < 8)
		return n;
	octave = 31 - (unsigned)__builtin_clz(n);
	return (octave - 2) * 8 + (n >> (octave - 3) & 7);
}

#endif
