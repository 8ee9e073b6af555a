/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_PLAN_H
#define DNS64D_BENCH_LOAD_PLAN_H

/*
 * bench_plan: what a trial does: what is asked, of whom, over which transport, how fast and by how
 * many sockets.
 *
 * bench_pace: when each question of a run at a fixed rate is due. Times come from the rate and the
 * question's number alone, so that errors do not add up however long the run is. Pure.
 *
 * bench_turns: the threads of a run take turns: which questions are one thread's, and which of them
 * were asked. Questions are counted from 0, those of the run and those of the thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/netaddr.h"
#include "bench/load/arrivals.h"
#include "bench/load/clients.h"
#include "bench/load/lane.h"
#include "bench/load/load.h"
#include "bench/load/replay.h"

#define BENCH_RATE_MAX 100000000 /* questions per second */
#define BENCH_THREADS_MAX 256
#define BENCH_LANES_MAX 4096 /* of one thread */
#define BENCH_PACE_LAG 20    /* part of the timeout: a question that leaves later is too late */

/*
 * A question that leaves later than this is late by the tester; at high rates that is so after a
 * batch's time already. What is overdue then leaves at twice the pace of the plan, but for so many
 * at once: less than half of what a server's buffer holds (bench/method.h).
 */
#define BENCH_SLACK_NS 1000000
#define BENCH_CROWD 128

struct bench_raw;

/* Shared by the threads of a trial, constant while they run. */
struct bench_plan {
	struct bench_load load;
	struct netaddr server;
	const struct bench_transport *transport;
	struct bench_clients clients; /* where is asked from, lane by lane of all threads */
	unsigned n_threads;           /* 1 to BENCH_THREADS_MAX */
	unsigned n_lanes;             /* of each thread, 1 to BENCH_LANES_MAX */
	unsigned window; /* open questions on a lane, at most; 0: the transport's own limit */
	/* questions on a connection, then comes a new one; 0: any number */
	unsigned per_connection;
	uint32_t rate;                     /* questions per second of all threads; 0: closed loop */
	uint32_t burst;                    /* questions due at once */
	const struct bench_replay *timing; /* borrowed: they are due as recorded, with that as the
					      mean rate; NULL: by the rate */
	const struct bench_arrivals *arrivals; /* borrowed: at this rate on average; NULL: evenly */
	uint64_t ramp_ns; /* the rate grows from 0 to RATE in so long; 0: it is RATE all along */
	uint64_t first;   /* number of the first question */
	uint64_t n_questions; /* to be asked, by all; UINT64_MAX: until the time is over */
	bool by_client; /* a client of the recording asks by one lane: CLIENTS, a rate, 1 thread */
	bool even; /* each lane asks the same number; else those that are ready first ask more */
	uint64_t duration_ns;  /* asking ends then; UINT64_MAX: when all are asked */
	uint64_t pause_ns;     /* see bench_plan_pause */
	uint64_t timeout_ns;   /* replies that take longer are late */
	bool singles;          /* UDP: datagrams are sent and received one by one */
	bool spin;             /* wait for the next moment without sleeping */
	struct bench_raw *raw; /* borrowed: a line for each question; NULL: none */
};

/* bench_udp: datagrams, in batches, from a connected socket. */
extern const struct bench_transport bench_udp;

/* bench_tcp: connections with pipelined questions. */
extern const struct bench_transport bench_tcp;
#define BENCH_TCP_WINDOW 64 /* questions open on one if nothing is said */

/* bench_plan_transport: the transport called NAME; NULL if there is none. */
MUST_USE const struct bench_transport *bench_plan_transport(const char *name);

/* bench_plan_window: how many questions may be open on a lane; 0: any number. */
MUST_USE unsigned bench_plan_window(const struct bench_plan *p);

/* bench_plan_source: where lane LANE of thread THREAD, both from 0, asks from. */
MUST_USE struct netaddr bench_plan_source(
    const struct bench_plan *p, unsigned thread, unsigned lane);

/* bench_plan_lane: the lane, from 0, that question N of the run leaves by. Of plans by client. */
MUST_USE unsigned bench_plan_lane(const struct bench_plan *p, uint64_t n);

/*
 * bench_plan_batch: how many questions a lane sends at once, at most: one if it is a client of
 * many, which ask in turn.
 */
MUST_USE unsigned bench_plan_batch(const struct bench_plan *p);

/*
 * bench_plan_pause: the longest that the tester may be kept from running before the questions of
 * that time are taken out, in ns: pause_ns, or a tenth of the timeout if that is 0.
 */
MUST_USE uint64_t bench_plan_pause(const struct bench_plan *p);

/*
 * bench_plan_crowd: how many questions may leave within a millisecond at RATE: those that are due
 * in one, and a burst, or BENCH_CROWD, if that is more. With more they are a crowd.
 */
MUST_USE uint64_t bench_plan_crowd(const struct bench_plan *p, uint32_t rate);

/* bench_plan_questions: how many questions are due in SECONDS. Not in a closed loop. */
MUST_USE uint64_t bench_plan_questions(const struct bench_plan *p, double seconds);

/*
 * bench_plan_capacity: how many questions a lane must remember: those of twice the timeout, so that
 * late replies match.
 */
MUST_USE uint64_t bench_plan_capacity(const struct bench_plan *p);

/* --- Times ------------------------------------------------------------------------------------ */

struct bench_pace {
	uint64_t start_ns; /* when the first is due */
	uint32_t rate;     /* questions per second, 1 to BENCH_RATE_MAX */
	uint32_t burst;    /* so many at once, >= 1: all of a burst are due with its first */
	const struct bench_replay
	    *timing; /* borrowed: all are due as recorded; NULL: by the rate */
	const struct bench_arrivals *arrivals; /* borrowed: as the plan's; burst is 1 */
	uint64_t ramp_ns;                      /* as the plan's; burst is 1, nothing else is set */
};

/* bench_pace_of: the pace of plan P at RATE > 0, from START_NS on. */
MUST_USE struct bench_pace bench_pace_of(
    const struct bench_plan *p, uint32_t rate, uint64_t start_ns);

/* bench_pace_time: when question N (from 0) is due, in ns. */
MUST_USE uint64_t bench_pace_time(const struct bench_pace *p, uint64_t n);

/* bench_pace_due: how many questions are due at NOW_NS. */
MUST_USE uint64_t bench_pace_due(const struct bench_pace *p, uint64_t now_ns);

struct bench_turns {
	struct bench_pace pace; /* of the run; rate 0: closed loop, nothing is due */
	unsigned index;         /* of the thread, from 0 */
	unsigned n_threads;
	uint64_t share;    /* questions that the thread is to ask */
	uint64_t n_asked;  /* those it has done with */
	uint64_t until_ns; /* when asking ends */
	/* At a rate: how late a question may leave: BENCH_SLACK_NS, or the time of a batch if less,
	 */
	uint64_t slack_ns;
	uint64_t credit_ns; /* and in what time as many are due as may leave at once when overdue */
	/* While the thread catches up: at this time (0: it never did) questions might leave */
	uint64_t behind_ns;
	uint64_t behind_due_ns; /* that were due by this one; from there on at twice the pace */
};

/* bench_turns_of: those of thread INDEX, from 0, in a run of plan P that begins at START_NS. */
MUST_USE struct bench_turns bench_turns_of(
    const struct bench_plan *p, unsigned index, uint64_t start_ns);

/* bench_turns_question: which question of the run is the thread's K-th. */
MUST_USE uint64_t bench_turns_question(const struct bench_turns *t, uint64_t k);

/* bench_turns_time: when the thread's K-th question is due. Not in a closed loop. */
MUST_USE uint64_t bench_turns_time(const struct bench_turns *t, uint64_t k);

/*
 * bench_turns_since: from when on the time of question K runs, which is asked at NOW_NS by plan P:
 * where it may have had to wait for the answer to another one, from when it was due.
 */
MUST_USE uint64_t bench_turns_since(
    const struct bench_turns *t, const struct bench_plan *p, uint64_t k, uint64_t now_ns);

/* bench_turns_due: how many of the thread's questions are due at NOW_NS. Not in a closed loop. */
MUST_USE uint64_t bench_turns_due(const struct bench_turns *t, uint64_t now_ns);

/*
 * bench_turns_catch_up: how many questions are late at NOW_NS, but for a burst that has begun. If
 * there are some the thread catches up, and bench_turns_may says how fast. Not in a closed loop.
 */
MUST_USE uint64_t bench_turns_catch_up(struct bench_turns *t, uint64_t now_ns);

/*
 * bench_turns_begun: how many of the thread's questions have left, or belong to the burst of which
 * some have: as was asked for, the rest of it leaves as fast as it can. Not in a closed loop.
 */
MUST_USE uint64_t bench_turns_begun(const struct bench_turns *t);

/* bench_turns_leaves: when the K-th question may leave: when it is due, or later to catch up. */
MUST_USE uint64_t bench_turns_leaves(const struct bench_turns *t, uint64_t k);

/* bench_turns_may: how many of the thread's questions may have left at NOW_NS. */
MUST_USE uint64_t bench_turns_may(const struct bench_turns *t, uint64_t now_ns);

/* bench_turns_left: may the thread ask another one at NOW_NS? */
MUST_USE bool bench_turns_left(const struct bench_turns *t, uint64_t now_ns);

#endif
