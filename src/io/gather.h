/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_GATHER_H
#define DNS64D_IO_GATHER_H

/*
 * gather: how long a loop under load sleeps before its next turn (batch-delay), so that more
 * datagrams come together. At some ten thousand a second each of them pays for a wake-up of its
 * own, which costs more than all that is done with it.
 *
 * It pays only with many datagrams, and delays nobody but those who are many: while few questions
 * are open, and datagrams come from few ports, whoever asks may be waiting for that one answer.
 * No clock is read and nothing sleeps here. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"

#define GATHER_MOST_NS 150000ULL /* from turn to turn with CONF_BATCH_AUTO */
#define GATHER_LEAST_NS 50000ULL /* less gains nothing: a timer is late by as much */
#define GATHER_PART 4            /* auto: the delay is at most this part of an upstream's time */
#define GATHER_PER_MS 17         /* datagrams: with fewer there is no delay, as it would not pay */
#define GATHER_OPEN 64           /* questions open, or ports of clients: likewise */
#define GATHER_WINDOW_NS (20 * NS_PER_MS) /* the load is looked at so often */
#define GATHER_BITS 512

/* One per loop, zeroed at first. */
struct gather {
	uint64_t since_ns;                /* when the present window began */
	uint64_t n;                       /* datagrams in it */
	uint64_t ports[GATHER_BITS / 64]; /* of those of clients: bit PORT % GATHER_BITS */
	uint64_t delay_ns;                /* from turn to turn, by the window before; 0: none */
	bool many_ports;                  /* more than GATHER_OPEN in the window before */
};

/* gather_replies: N datagrams came from upstream. */
static inline void
gather_replies(struct gather *g, unsigned n)
{
	g->n += n;
}

/* gather_question: a datagram came from a client, by its PORT. */
static inline void
gather_question(struct gather *g, uint16_t port)
{
	g->n++;
	g->ports[port % GATHER_BITS / 64] |= UINT64_C(1) << (port % 64);
}

/* gather_is_due: is gather_look to be called at NOW_NS? */
MUST_USE static inline bool
gather_is_due(const struct gather *g, uint64_t now_ns)
{
	return now_ns - g->since_ns >= GATHER_WINDOW_NS;
}

/*
 * gather_look: a window ends at NOW_NS, and another one begins. BATCH_DELAY is that of struct
 * conf_io; FASTEST_NS is the smoothed time of the fastest upstream, 0 if it is not known.
 */
void gather_look(struct gather *g, uint64_t now_ns, uint16_t batch_delay, uint64_t fastest_ns);

/*
 * gather_until: when the next turn is to begin if the last one began at TURN_NS and OPEN questions
 * wait for upstream now. TURN_NS: at once.
 */
MUST_USE static inline uint64_t
gather_until(const struct gather *g, uint64_t turn_ns, uint32_t open)
{
	return open > GATHER_OPEN || g->many_ports ? turn_ns + g->delay_ns : turn_ns;
}

#endif
