/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_TOOLS_ROGUE_H
#define DNS64D_TESTS_TOOLS_ROGUE_H

/*
 * rogue: a server on loopback, a thread of the test, that answers the questions of dns64bench in a
 * way that a server should not.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/netaddr.h"

enum rogue_way {
	ROGUE_RIGHT,
	ROGUE_SILENT,

	/* Instead of the right answer, or before it (rogue.then_right). */
	ROGUE_ADDRESS,   /* another address */
	ROGUE_RCODE,     /* SERVFAIL */
	ROGUE_TC,        /* TC, no record */
	ROGUE_NO_DATA,   /* no record */
	ROGUE_TYPE,      /* an A record */
	ROGUE_NAME,      /* the same ID, another question */
	ROGUE_ID,        /* another ID */
	ROGUE_STRAY,     /* another ID and question */
	ROGUE_QUESTION,  /* the question itself */
	ROGUE_GARBAGE,   /* bytes without sense, of a length that goes up to 600 */
	ROGUE_EMPTY,     /* no bytes at all, rogue.n_times */
	ROGUE_ELSEWHERE, /* over UDP: the right one, from another port */

	/* the right answer two times; the first question's comes last, see rogue.n_all */
	ROGUE_TWICE,
	ROGUE_LATE, /* right answers; those to the first rogue.n_held questions after
		       rogue.delay_ns,  or with the last of rogue.n_all questions */
	/* right ones when rogue.n_held have come or it got quiet; the last is first */
	ROGUE_REVERSED,

	/* Over TCP only */
	ROGUE_CUT,   /* half an answer, then the end */
	ROGUE_CLOSE, /* the end, as soon as there is a connection */
	ROGUE_ONE,   /* the end after the right answer */
	ROGUE_LONG,  /* a length of 60,000 before the right answer */
	ROGUE_SHORT, /* a length less by 10 */
	ROGUE_BYTES, /* the right answer byte by byte */
	ROGUE_DEAF   /* nothing is read */
};

struct rogue {
	/* Set before rogue_start */
	enum rogue_way way;
	int type; /* SOCK_DGRAM or SOCK_STREAM */
	bool then_right;
	unsigned n_times;
	unsigned n_held;
	unsigned n_all; /* so many will be asked; 0: who knows */
	uint64_t delay_ns;

	/* Set by it */
	struct netaddr addr;

	/* What it has seen and sent so far */
	_Atomic uint64_t n_questions;
	_Atomic uint64_t n_answers;

	/* To be read after rogue_stop */
	uint64_t n_connections;
	uint64_t n_closed; /* by it */

	/* Its own */
	int fd;
	int other_fd;                /* of another port */
	int connection[64];          /* -1: none */
	struct rogue_buffer *buffer; /* of each */
	struct rogue_held *held;
	size_t n_in_hand;
	uint64_t held_ns; /* the last one's time */
	atomic_bool stop;
	pthread_t thread;
};

/* rogue_start: on a port of its choice of 127.0.0.1. rogue_stop: end it, when it has read all. */
void rogue_start(struct rogue *r);
void rogue_stop(struct rogue *r);

/* rogue_nobody: an address where nobody listens. */
void rogue_nobody(int type, struct netaddr *a);

#endif
