/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_TOP_H
#define DNS64D_ENGINE_TOP_H

/*
 * top: who asks most, what is asked for most, and what fails most, by the answers of one engine;
 * counted only while somebody reads it.
 *
 * Who reads brings the memory for it (top_counts_new), so that the engine allocates nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/heavy.h"
#include "base/netaddr.h"
#include "core/reason.h"

#define TOP_LAST_NS (60 * NS_PER_SEC) /* counting ends so long after it was read last */

/* Bytes of a key of TOP_FAILURES: enum reason, rcode, and from the third on the name. */
enum { TOP_FAILURE_REASON, TOP_FAILURE_RCODE, TOP_FAILURE_NAME };

/* What is counted by, and its keys. */
enum top_kind {
	TOP_CLIENTS,  /* struct netaddr, without the port */
	TOP_NETWORKS, /* of IPv6: the first struct netaddr of the client's /64, likewise */
	TOP_NAMES,    /* qname in lower case */
	TOP_FAILURES, /* reason and rcode, and qname in lower case, see above */
	TOP_KINDS
};

struct top_counts {
	uint64_t began_ns;
	uint64_t read_ns; /* last */
	struct heavy heavy;
};

struct top {
	bool on;                          /* something is counted */
	struct top_counts *by[TOP_KINDS]; /* owned; NULL: that is not */
};

/* An answer: what is counted of it. */
struct top_answer {
	const struct netaddr *client;
	const uint8_t *qname;
	size_t qname_len; /* 0: there is none */
	enum reason reason;
	uint8_t rcode;
};

/* top_counts_new: empty ones, from malloc, which the caller owns. NULL without memory. */
MUST_USE struct top_counts *top_counts_new(uint64_t seed);

/*
 * top_read: count by KIND from NOW_NS on, until nobody has read it for TOP_LAST_NS. *C is empty and
 * the caller's: it gets what was counted, or T takes it, and *C is NULL, if nothing was.
 */
void top_read(struct top *t, enum top_kind kind, struct top_counts **c, uint64_t now_ns);

/* top_age: end what nobody has read for long. */
void top_age(struct top *t, uint64_t now_ns);

/* top_count: A is given. */
void top_count(struct top *t, const struct top_answer *a);

/* top_fini: free what T owns. */
void top_fini(struct top *t);

#endif
