/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_TCP_POOL_H
#define DNS64D_OUTBOUND_TCP_POOL_H

/*
 * tcp_pool: the TCP connections to one upstream, as the engine sees them: which of them a question
 * goes over, and which of them seems to be dead. The shell makes and ends the connections.
 *
 * A connection that is silent for longer than a reply takes is stuck: its other end may have gone
 * without a word. It gets no new questions until something comes by it.
 *
 * Some upstreams end each connection after a number of replies. What was asked beyond them has to
 * be asked again (RFC 7766 section 6.2.4), so no more are asked than the last connection that was
 * lost with questions open gave replies (its yield). A connection that has given as many, and is
 * there still, gets one more question, and after each further reply one more at a time: of S
 * replies given, yield - S questions may be open, and later S - yield + 1.
 *
 * A question counts as open only for as long as a reply usually takes (outbound/attempt): one for
 * which the upstream is mute must not keep the others waiting.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"

#define TCP_POOL_SIZE 4  /* connections to one upstream at most (RFC 7766 section 6.2.2: few) */
#define TCP_CONN_BUSY 32 /* open questions: the next one goes over another connection */
#define TCP_CONN_ENDLESS UINT32_MAX /* a yield: connections are not known to end */

struct tcp_conn {
	struct list open; /* attempts in flight over it (struct attempt.link) */
	uint32_t n_open;  /* number of them */
	/* of these: those that take a place: present attempts of lookups, which are not late */
	uint32_t n_awaited;
	bool stuck;        /* it gets no new questions */
	uint32_t n_served; /* replies that came by it since it was opened and were taken */
	uint64_t heard_ns; /* time of the last message that came by it */
	/* attempts that went over the connection before, which ended; they count in n_open */
	struct list lost;
	struct list link;      /* with lost: in lookups.lost, for outbound/loss */
	bool lost_established; /* that connection had been up */
	bool lost_fruitful;    /* a reply came by it */
};

/* tcp_pool_init: prepare the connections C of one upstream as closed. */
void tcp_pool_init(struct tcp_conn c[static TCP_POOL_SIZE]);

/*
 * tcp_pool_pick: the index of the connection for the next question to an upstream whose connections
 * give YIELD replies: the first with room that is neither stuck nor busy. If there is none, the one
 * with room that has the fewest open questions; a stuck one only if all are. TCP_POOL_SIZE: none
 * has room.
 */
MUST_USE unsigned tcp_pool_pick(const struct tcp_conn c[static TCP_POOL_SIZE], uint32_t yield);

/* tcp_pool_unused: has none of the connections C an attempt in flight? */
MUST_USE bool tcp_pool_unused(const struct tcp_conn c[static TCP_POOL_SIZE]);

/* tcp_conn_add: the attempt with the link LINK, on no list, is in flight over C. */
static inline void
tcp_conn_add(struct tcp_conn *c, struct list *link)
{
	list_push(&c->open, link);
	c->n_open++;
	c->n_awaited++;
}

/* tcp_conn_heard: a message came by C. */
static inline void
tcp_conn_heard(struct tcp_conn *c, uint64_t now_ns)
{
	c->heard_ns = now_ns;
	c->stuck = false;
}

/* tcp_conn_served: a reply that came by C was taken. */
static inline void
tcp_conn_served(struct tcp_conn *c)
{
	c->n_served++;
}

/*
 * tcp_conn_silent: a question that was sent over C at SENT_NS got no reply in time. True: nothing
 * else came by C since then, and it is stuck from now on. False: it is not, or was stuck already.
 */
MUST_USE bool tcp_conn_silent(struct tcp_conn *c, uint64_t sent_ns);

/* tcp_conn_yield: what the yield YIELD of C's upstream becomes now that C is about to be closed. */
MUST_USE uint32_t tcp_conn_yield(const struct tcp_conn *c, uint32_t yield);

/*
 * tcp_conn_closed: the connection has ended; ESTABLISHED: after it had been up. What is in flight
 * over it goes to c->lost, and C is as new.
 */
void tcp_conn_closed(struct tcp_conn *c, bool established);

#endif
