/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PULSE_H
#define DNS64D_CORE_PULSE_H

/*
 * pulse: what all loops know together of upstreams that some of them cannot hear: whether one was
 * heard, and whose turn it is to send a probe (RULES D27). So an upstream gets the probes of one
 * process, not of each loop.
 *
 * One table serves all loops (pulses_new), with a pulse for each address that any of them asks; a
 * loop takes it with a lock and then uses it without. Loops have it in hand only while the upstream
 * is silent for them: a question that is answered touches nothing here. The values are for
 * decisions that may be some milliseconds off, so each is atomic and nothing orders them.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define PULSES_MAX 128 /* addresses at a time */

struct pulse {
	_Atomic uint64_t heard_ns; /* the last reply that ended a silence; 0: none */
	_Atomic uint64_t since_ns; /* time of the first probe after that; 0: none was sent */
	_Atomic uint64_t due_ns;   /* no probe is sent before */
	atomic_uint way;           /* enum way: by which the reply of heard_ns came (core/ways) */
	atomic_uint n_turns;       /* probes since since_ns */
	atomic_uint n_sent;        /* of them, those that left over UDP */
	atomic_uint n_refused;     /* refusals by the kernel since since_ns */
};

struct pulses;

/* pulses_new: an empty table, which the caller owns; NULL without memory. */
MUST_USE struct pulses *pulses_new(void);

/* pulses_free: free T, which no thread uses any more and which may be NULL. */
void pulses_free(struct pulses *t);

/*
 * pulses_take: the pulse of the upstream at ADDR, until pulses_give; of a new one nothing is known.
 * NULL: T is NULL or full. Thread-safe.
 */
MUST_USE struct pulse *pulses_take(struct pulses *t, const struct netaddr *addr);

/* pulses_give: the calling loop asks the upstream of P no more. Thread-safe. */
void pulses_give(struct pulses *t, struct pulse *p);

/* pulse_init: nothing is known. */
void pulse_init(struct pulse *p);

/* pulse_heard: a reply by WAY came at NOW_NS that ended a silence on the calling loop. */
void pulse_heard(struct pulse *p, unsigned way, uint64_t now_ns);

/* pulse_way: the way of the last such reply. */
MUST_USE static inline unsigned
pulse_way(const struct pulse *p)
{
	return atomic_load_explicit(&p->way, memory_order_relaxed);
}

/* pulse_heard_ns: the time of the last such reply on any loop; 0: none. */
MUST_USE static inline uint64_t
pulse_heard_ns(const struct pulse *p)
{
	return atomic_load_explicit(&p->heard_ns, memory_order_relaxed);
}

/* pulse_since_ns: the time of the first probe since then; 0: none was sent. */
MUST_USE static inline uint64_t
pulse_since_ns(const struct pulse *p)
{
	return atomic_load_explicit(&p->since_ns, memory_order_relaxed);
}

/* pulse_due_ns: when the next probe is due. */
MUST_USE static inline uint64_t
pulse_due_ns(const struct pulse *p)
{
	return atomic_load_explicit(&p->due_ns, memory_order_relaxed);
}

/*
 * pulse_turn: is a probe due at NOW_NS, and this loop to send it? The number of the probe since the
 * upstream was heard, from 0; the next is due INTERVAL_NS from now. -1: no.
 */
MUST_USE int pulse_turn(struct pulse *p, uint64_t now_ns, uint64_t interval_ns);

/* pulse_sent: a probe has left over UDP. */
void pulse_sent(struct pulse *p);

/* pulse_unsent: one for which pulse_sent was called has not left. */
void pulse_unsent(struct pulse *p);

/* pulse_refused: the kernel reported the upstream unreachable. */
void pulse_refused(struct pulse *p);

/* pulse_n_sent: probes over UDP since it was heard. */
MUST_USE static inline unsigned
pulse_n_sent(const struct pulse *p)
{
	return atomic_load_explicit(&p->n_sent, memory_order_relaxed);
}

/* pulse_only_refused: was each of these probes refused? */
MUST_USE static inline bool
pulse_only_refused(const struct pulse *p)
{
	return atomic_load_explicit(&p->n_refused, memory_order_relaxed) >= pulse_n_sent(p);
}

#endif
