/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_FAIR_H
#define DNS64D_POLICY_FAIR_H

/*
 * fair: how many of something each client network has: questions that wait for upstream, or TCP
 * connections (io/tcp_clients); and which network has most.
 *
 * The networks of a client are those of netaddr_levels (RULES D30): its address, and wider ones,
 * which may have a multiple. A network's weight is what it has, divided by that multiple. Each
 * place is on one of the two lists of its address (enum fair_list), the one that was active longest
 * ago first. Networks are sorted into classes by weight, eight classes to a doubling, so the
 * heaviest is found at once, to within its class: another one may have up to an eighth more. In a
 * class the one that has been there, or inactive, longest is first. A wider network is sorted only
 * if it has more than its multiple: else one of its addresses weighs as much.
 *
 * Addresses have an entry each. Wider networks are entries of tables of fixed size, which several
 * may share: which ones, only the secret key knows, and in a table that is not crowded it is one
 * pair in 4,096. What shares an entry is counted together.
 *
 * How many questions of one network wait for the same name and type is counted in a sketch
 * (count-min): each pair has a counter in each of two rows, whose places are hashes under the
 * secret. The smaller of the two is the count; it is never too low, and too high only if other
 * pairs happen to share both. Everything here takes the same time however many wait.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/pool.h"

#define FAIR_CLASSES 256 /* more than fair_class says of any weight that can be */
#define FAIR_NONE FAIR_CLASSES
#define FAIR_ROWS 2
#define FAIR_WIDE (NETADDR_LEVELS - 1) /* levels wider than an address */
#define FAIR_UNIT_BITS 6U              /* an address with n weighs n << FAIR_UNIT_BITS */

/* The lists of an address. */
enum fair_list {
	FAIR_WAITING, /* questions that wait; connections without a question in flight */
	FAIR_BUSY,    /* connections with questions in flight */
	FAIR_LISTS
};

/* A network of some level. */
struct fair_net {
	struct list link; /* in fair.classes, if it is sorted */
	/* of an address: fair_place.link, by time; of a wider network, in of[0]: fair_client.in,
	   the one that came, or was active, longest ago first */
	struct list of[FAIR_LISTS];
	uint32_t n;        /* what it has */
	uint32_t more;     /* with so many, */
	uint32_t fewer;    /* or fewer than that, it is sorted anew */
	uint8_t class;     /* if it is sorted */
	uint8_t level;     /* index of netaddr_levels */
	uint8_t doublings; /* of that level */
};

/* An address that has some. */
struct fair_client {
	struct fair_net own;
	/* its wider networks; NULL: there is no such level, or it is not counted there yet */
	struct fair_net *wide[FAIR_WIDE];
	struct list in[FAIR_WIDE];   /* in their lists */
	struct fair_client **bucket; /* it is there */
	struct fair_client *next;    /* in the same bucket */
	struct netaddr addr;         /* its port is 0 */
};

/* The place of one question or connection, embedded in its object; zeroed when it has none. */
struct fair_place {
	struct list link;
	struct fair_client *client;               /* NULL: it has no place */
	bool counted;                             /* in the sketch, at same[0]; and if it is */
	bool joined;                              /* for its wider networks, at the others */
	uint32_t same[NETADDR_LEVELS][FAIR_ROWS]; /* indices */
};

struct fair {
	struct pool clients;
	struct fair_client **buckets;      /* owned: as many heads as a row has counters */
	uint16_t *same;                    /* owned: FAIR_ROWS rows of counters */
	struct fair_net *wide[FAIR_WIDE];  /* owned: tables of equal size */
	uint32_t row;                      /* counters in a row, 2^k */
	unsigned shift;                    /* 64 - k: of a hash its index is left */
	unsigned wide_shift;               /* likewise for wide */
	uint64_t spread[2];                /* key all tables: odd and secret */
	uint64_t full[FAIR_CLASSES / 64];  /* bit per class: some network is in it */
	struct list classes[FAIR_CLASSES]; /* struct fair_net.link */
};

/* The networks of an address, by level; NULL: it has no such one, or nothing is there. */
struct fair_nets {
	const struct fair_net *at[NETADDR_LEVELS];
};

/* On which terms something gets a place. */
struct fair_terms {
	uint64_t question; /* a keyed hash of name and type */
	/* how many of its address may have the same question; 0: any number, and it is not counted
	   among them */
	uint32_t max_same;
	/* how many its address may have, and wider networks their multiple; 0: any number */
	uint32_t max_net;
	/* room is low: what its client has counts for its wider networks, too, from now on */
	bool scarce;
};

enum fair_verdict {
	FAIR_WELCOME, /* it has its place */
	FAIR_SAME,    /* max_same are waiting already */
	FAIR_CEILING  /* its address, or a wider network, has all that max_net permits */
};

/* fair_init: make F ready for CAP places, its tables keyed by SECRET. Returns 0 or -errno. */
MUST_USE int fair_init(struct fair *f, uint64_t secret, uint32_t cap);

/* fair_fini: free what F owns. Places are void afterwards. */
void fair_fini(struct fair *f);

/*
 * fair_enter: give something of the client PEER the place P, which it has not yet, if the terms T
 * permit.
 */
MUST_USE enum fair_verdict fair_enter(
    struct fair *f, const struct netaddr *peer, const struct fair_terms *t, struct fair_place *p);

/*
 * fair_join: P, whose place was given with QUESTION, waits beside others that ask the same: count
 * it for its wider networks too, unless it is counted there already. False: one of them has its
 * multiple of MAX_SAME, and P is not counted. The first who asks a question need not be counted so.
 */
MUST_USE bool fair_join(struct fair *f, uint64_t question, uint32_t max_same, struct fair_place *p);

/*
 * fair_same_over: are more than MAX_SAME of the address of P, with that, counted as the same, or of
 * a wider network more than its multiple?
 */
MUST_USE bool fair_same_over(const struct fair *f, const struct fair_place *p, uint32_t max_same);

/* fair_leave: what had the place P is gone. P may have no place. */
void fair_leave(struct fair *f, struct fair_place *p);

/* fair_touch: P is active now, and from now on in LIST of its address. */
void fair_touch(struct fair *f, struct fair_place *p, enum fair_list list);

/* fair_below: the highest class under CLASS that has networks; FAIR_NONE: none has. */
MUST_USE unsigned fair_below(const struct fair *f, unsigned class);

/* fair_above: the lowest class from CLASS on that has networks; FAIR_NONE: none has. */
MUST_USE unsigned fair_above(const struct fair *f, unsigned class);

/* fair_first: the network that has been longest in CLASS, which has some. */
MUST_USE static inline struct fair_net *
fair_first(const struct fair *f, unsigned class)
{
	return LIST_OBJECT(f->classes[class].next, struct fair_net, link);
}

/* fair_client_at: the client of NET, a wider network, whose LINK is in net->of[0]. */
MUST_USE static inline struct fair_client *
fair_client_at(const struct fair_net *net, struct list *link)
{
	return LIST_OBJECT(link - (net->level - 1), struct fair_client, in);
}

/* fair_member: the client of NET, which has some, that came, or was active, longest ago. */
MUST_USE static inline struct fair_client *
fair_member(const struct fair_net *net)
{
	if (net->level > 0)
		return fair_client_at(net, net->of[0].next);
	return (struct fair_client *)((uintptr_t)net - offsetof(struct fair_client, own));
}

/* fair_later: move NET to the end of its class, and its first client to the end of its list. */
void fair_later(struct fair *f, struct fair_net *net);

/* fair_find: write the networks of PEER that have some to *NETS. */
void fair_find(const struct fair *f, const struct netaddr *peer, struct fair_nets *nets);

/* fair_nets_of: likewise those of the client C. */
void fair_nets_of(const struct fair_client *c, struct fair_nets *nets);

/* fair_bits: the length, in bits, of the prefix of NET, which has some. */
MUST_USE unsigned fair_bits(const struct fair_net *net);

/* fair_network: the first address of NET, which has some. */
MUST_USE struct netaddr fair_network(const struct fair_net *net);

/* fair_net_in: is C in NET? */
MUST_USE static inline bool
fair_net_in(const struct fair_client *c, const struct fair_net *net)
{
	return net->level == 0 ? &c->own == net : c->wide[net->level - 1] == net;
}

/* fair_weigh: the weight of N in a network that may have 2^DOUBLINGS times what an address may. */
MUST_USE static inline uint32_t
fair_weigh(uint32_t n, unsigned doublings)
{
	return n << (FAIR_UNIT_BITS - doublings);
}

MUST_USE static inline uint32_t
fair_weight(const struct fair_net *net)
{
	return fair_weigh(net->n, net->doublings);
}

/* fair_class: the class of a network of WEIGHT; it grows with it. */
MUST_USE static inline unsigned
fair_class(uint32_t weight)
{
	unsigned octave;

	if (weight < 8)
		return weight;
	octave = 31 - (unsigned)__builtin_clz(weight);
	return (octave - 2) * 8 + (weight >> (octave - 3) & 7);
}

#endif
