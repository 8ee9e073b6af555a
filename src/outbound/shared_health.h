/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_SHARED_HEALTH_H
#define DNS64D_OUTBOUND_SHARED_HEALTH_H

/*
 * shared_health: what all loops know together of upstreams that are silent to some of them: whether
 * one replied, and whose turn it is to send a probe (RULES D27). So an upstream gets the probes of
 * one process, not of each loop.
 *
 * One table serves all loops (health_table_new), with one for each address that any of them asks; a
 * loop takes it with a lock and then uses it without. Loops have it in hand only while the upstream
 * is silent for them: a question that is answered touches nothing here. The values are for
 * decisions that may be some milliseconds off, so each is atomic and nothing orders them.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define HEALTH_TABLE_MAX 128 /* addresses at a time */

struct shared_health {
	_Atomic uint64_t heard_ns; /* the last reply that ended a silence; 0: none */
	_Atomic uint64_t since_ns; /* time of the first probe after that; 0: none was sent */
	_Atomic uint64_t due_ns;   /* no probe is sent before */
	atomic_uint way;       /* enum way: by which the reply of heard_ns came (outbound/ways) */
	atomic_uint n_turns;   /* probes since since_ns */
	atomic_uint n_sent;    /* of them, those that left over UDP */
	atomic_uint n_refused; /* refusals by the kernel since since_ns */
};

struct health_table;

/* health_table_new: an empty table, which the caller owns; NULL without memory. */
MUST_USE struct health_table *health_table_new(void);

/* health_table_free: free T, which no thread uses any more and which may be NULL. */
void health_table_free(struct health_table *t);

/*
 * health_table_take: that of the upstream at ADDR, until health_table_give; of a new one nothing is
 * known. NULL: T is NULL or full. Thread-safe.
 */
MUST_USE struct shared_health *health_table_take(
    struct health_table *t, const struct netaddr *addr);

/* health_table_give: the calling loop asks the upstream of P no more. Thread-safe. */
void health_table_give(struct health_table *t, struct shared_health *p);

/* shared_health_init: nothing is known. */
void shared_health_init(struct shared_health *p);

/* shared_health_heard: a reply by WAY came at NOW_NS that ended a silence on the calling loop. */
void shared_health_heard(struct shared_health *p, unsigned way, uint64_t now_ns);

/* shared_health_way: the way of the last such reply. */
MUST_USE static inline unsigned
shared_health_way(const struct shared_health *p)
{
	return atomic_load_explicit(&p->way, memory_order_relaxed);
}

/* shared_health_heard_ns: the time of the last such reply on any loop; 0: none. */
MUST_USE static inline uint64_t
shared_health_heard_ns(const struct shared_health *p)
{
	return atomic_load_explicit(&p->heard_ns, memory_order_relaxed);
}

/* shared_health_since_ns: the time of the first probe since then; 0: none was sent. */
MUST_USE static inline uint64_t
shared_health_since_ns(const struct shared_health *p)
{
	return atomic_load_explicit(&p->since_ns, memory_order_relaxed);
}

/* shared_health_due_ns: when the next probe is due. */
MUST_USE static inline uint64_t
shared_health_due_ns(const struct shared_health *p)
{
	return atomic_load_explicit(&p->due_ns, memory_order_relaxed);
}

/*
 * shared_health_turn: is a probe due at NOW_NS, and this loop to send it? The number of the probe
 * since the upstream was heard, from 0; the next is due INTERVAL_NS from now. -1: no.
 */
MUST_USE int shared_health_turn(struct shared_health *p, uint64_t now_ns, uint64_t interval_ns);

/* shared_health_sent: a probe has left over UDP. */
void shared_health_sent(struct shared_health *p);

/* shared_health_unsent: one for which shared_health_sent was called has not left. */
void shared_health_unsent(struct shared_health *p);

/* shared_health_refused: the kernel reported the upstream unreachable. */
void shared_health_refused(struct shared_health *p);

/* shared_health_n_sent: probes over UDP since it was heard. */
MUST_USE static inline unsigned
shared_health_n_sent(const struct shared_health *p)
{
	return atomic_load_explicit(&p->n_sent, memory_order_relaxed);
}

/* shared_health_only_refused: was each of these probes refused? */
MUST_USE static inline bool
shared_health_only_refused(const struct shared_health *p)
{
	return atomic_load_explicit(&p->n_refused, memory_order_relaxed) >= shared_health_n_sent(p);
}

#endif
