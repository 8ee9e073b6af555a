/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_INFLIGHT_H
#define DNS64D_BENCH_LOAD_INFLIGHT_H

/*
 * bench_inflight: the questions that were sent by one socket, in the order of sending.
 *
 * A ring that keeps the newest questions, as many as fit. They stay when they are answered or given
 * up, so that a second or a late reply is recognized. IDs count up from a random one, past those of
 * open questions: no two of these have the same ID. With one that was answered or given up before
 * a question may share its ID; their names tell them apart.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/load.h"

enum bench_state {
	BENCH_OPEN,
	BENCH_ANSWERED,
	BENCH_GIVEN_UP,  /* its time was over */
	BENCH_TAKEN_OUT, /* the tester was kept from running while it was sent */
	BENCH_UNASKED    /* no question: an ID that was passed over */
};

struct bench_asked {
	uint64_t sent_ns; /* from when on its time runs */
	struct bench_question question;
	enum bench_state state;
	bool behind; /* it left late, or in a crowd, by the tester */
};

struct bench_inflight {
	struct bench_asked *ring; /* owned */
	uint64_t mask;            /* its capacity, a power of two, less 1 */
	uint64_t next;            /* questions asked and IDs passed over: the next one's number */
	uint64_t oldest;          /* those before it are not open */
	uint64_t n_open;
	uint16_t first_id;
};

/* bench_inflight_init: room for CAPACITY questions, rounded up to a power of two. 0 or -ENOMEM. */
MUST_USE int bench_inflight_init(struct bench_inflight *f, uint64_t capacity, uint16_t first_id);

/* bench_inflight_fini: free the ring. */
void bench_inflight_fini(struct bench_inflight *f);

/*
 * bench_inflight_room: how many questions can be added before an open one would be overwritten or
 * its ID used again; if IDs of open ones come round, at most 64 at a time. 0: all IDs are open, or
 * the ring is full.
 */
MUST_USE uint64_t bench_inflight_room(struct bench_inflight *f);

/*
 * bench_inflight_next_id: the ID that bench_inflight_add will give, and from it on as many as
 * bench_inflight_room has said.
 */
MUST_USE uint16_t bench_inflight_next_id(const struct bench_inflight *f);

/* bench_inflight_add: the time of Q runs from SINCE_NS on. Not without room. */
void bench_inflight_add(struct bench_inflight *f, struct bench_question q, uint64_t since_ns);

/*
 * bench_inflight_find: the newest question of the ring with ID, older than *cursor (UINT64_MAX: of
 * all), which may be BENCH_UNASKED; NULL if there is none. *cursor is then set to find the next
 * older one.
 */
MUST_USE struct bench_asked *bench_inflight_find(
    const struct bench_inflight *f, uint16_t id, uint64_t *cursor);

/* bench_inflight_behind: the N questions added last left late, or in a crowd. */
void bench_inflight_behind(struct bench_inflight *f, uint64_t n);

/* bench_inflight_take_out: the N questions added last, all open, do not count. */
void bench_inflight_take_out(struct bench_inflight *f, uint64_t n);

/* bench_inflight_answered: a reply to A, a question of the ring, has come: A is no longer open. */
void bench_inflight_answered(struct bench_inflight *f, struct bench_asked *a);

/*
 * bench_inflight_expire: give up the oldest open question if it was sent at SENT_NS or before, and
 * return it; else NULL.
 */
MUST_USE struct bench_asked *bench_inflight_expire(struct bench_inflight *f, uint64_t sent_ns);

/* bench_inflight_oldest_ns: when the oldest open question was sent; UINT64_MAX without one. */
MUST_USE uint64_t bench_inflight_oldest_ns(struct bench_inflight *f);

#endif
