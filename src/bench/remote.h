/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_REMOTE_H
#define DNS64D_BENCH_REMOTE_H

/*
 * bench_remote: an agent (bench/agent) as its controller sees it: the connection to it, its clock,
 * and its part of a trial. bench/agents has several of them.
 */

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/channel.h"
#include "bench/greeting.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"

#define BENCH_REMOTE_PORT 6465 /* where agents listen unless told otherwise */
#define BENCH_REMOTE_TEXT 270  /* octets of a host, "#" and port, with the zero */
#define BENCH_REMOTE_FAULT 200

/* Where it is. */
struct bench_remote_place {
	char name[BENCH_REMOTE_TEXT]; /* "HOST" or "HOST#PORT" */
	char host[256];               /* address or name */
	uint16_t port;
};

struct bench_remote {
	struct bench_remote_place at;
	struct bench_channel c; /* its fd is -1: not connected */

	/* Of the last trial */
	int64_t offset_ns;  /* its clock less ours */
	uint64_t unsure_ns; /* it can be so much more or less */
	bool asked;         /* it was started, and its tally has not come */
	uint64_t start_ns;  /* when it was to begin, by our clock */
	uint64_t until_ns;  /* when it must have ended */
	uint64_t heard_ns;  /* when it gave a sign of life */
	uint64_t owed_ns;   /* when it must have told the part it was asked for; 0: it was not */
	bool has_part;      /* part has come; nothing more is heard before that is taken */
	struct bench_tally part;        /* since the one before */
	struct bench_tally tally;       /* all parts */
	double cpu;                     /* what the agent used, in percent of one processor */
	double stolen;                  /* what its hypervisor gave to others */
	char fault[BENCH_REMOTE_FAULT]; /* why its part does not count; "": it does */
};

/*
 * bench_remote_parse: the first "HOST" or "HOST#PORT" of the list at *text, which moves behind it
 * and its comma, to *p. False: that is none.
 */
MUST_USE bool bench_remote_parse(const char **text, struct bench_remote_place *p);

/* bench_remote_init: make *g the agent at P, not connected. */
void bench_remote_init(struct bench_remote *g, const struct bench_remote_place *p);

/*
 * bench_remote_reach: connect and greet, with the secret S. False: that failed, or *stop became
 * true; the reason is in the channel's error.
 */
MUST_USE bool bench_remote_reach(
    struct bench_remote *g, const struct bench_secret *s, const atomic_bool *stop);

/* bench_remote_forget: make its part of the last trial nothing. */
void bench_remote_forget(struct bench_remote *g);

/* bench_remote_hand: send it PLAN. False: likewise. */
MUST_USE bool bench_remote_hand(struct bench_remote *g, const struct bench_plan *plan);

/* bench_remote_ready: wait until it has got ready for the plan. False: likewise. */
MUST_USE bool bench_remote_ready(struct bench_remote *g, const atomic_bool *stop);

/*
 * bench_remote_clock: measure how far its clock is from ours: of several round trips the shortest
 * tells it best, and half of that is how wrong it can be. A slow one has fewer. False: likewise.
 */
MUST_USE bool bench_remote_clock(struct bench_remote *g, const atomic_bool *stop);

/*
 * bench_remote_start: let it begin at START_NS of our clock, and take LONGEST_NS at most, or it is
 * given up.
 */
void bench_remote_start(struct bench_remote *g, uint64_t start_ns, uint64_t longest_ns);

/*
 * bench_remote_take: have it tell what became of questions since the start, or since the last part,
 * if it is still at it.
 */
void bench_remote_take(struct bench_remote *g);

/* bench_remote_stop: let it end the trial, if it is still at it. */
void bench_remote_stop(struct bench_remote *g);

/*
 * bench_remote_hear: take what it has told, without waiting, up to a part. When asked has become
 * false the trial has ended: part is the last one, by our clock, or there is a fault.
 */
void bench_remote_hear(struct bench_remote *g);

/* bench_remote_blame: its part does not count, and why, unless that is known already. */
void bench_remote_blame(struct bench_remote *g, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
