/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_TALLY_H
#define DNS64D_BENCH_LOAD_TALLY_H

/*
 * bench_tally: what became of the questions of a run: answered, right or wrong, late, or lost; in
 * numbers, and each by itself in the raw file.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/lane.h"
#include "bench/load/load.h"
#include "bench/load/plan.h"
#include "bench/stats.h"

#define BENCH_RCODES 24 /* that are told apart: up to BADCOOKIE */

struct bench_tally {
	/* What adds up, all of uint64_t, up to faults */
	uint64_t sent;
	uint64_t replies[BENCH_VERDICTS]; /* first replies in time, by verdict */
	uint64_t rcodes[BENCH_RCODES];    /* of those of BENCH_RCODE, by their rcode */
	uint64_t overdue;                 /* questions without a reply within the timeout */
	uint64_t late;      /* those of them that got a reply afterwards, right or wrong */
	uint64_t duplicate; /* further replies to a question */
	uint64_t other;     /* the ID of an open question, but another question: that stays open */
	uint64_t stray;     /* replies to nothing that was asked by that socket */
	uint64_t malformed; /* no DNS message */
	uint64_t no_reply;  /* a message, but no reply */
	uint64_t paused;    /* questions taken out, since the tester was kept from running */
	uint64_t pauses;    /* times that it was */
	uint64_t pause_ns;  /* and for how long in all */
	uint64_t no_room;   /* times that questions were due and no lane had room */
	uint64_t missing_behind; /* questions without a reply in time that had left late, or in a
				    crowd, by the tester */
	struct bench_faults faults;
	/* how many were late at once, at most: as if all threads did what one does */
	uint64_t overdue_at_once;
	uint64_t crowd;     /* questions sent within a millisecond, at most, likewise */
	uint64_t first_ns;  /* when the first question was sent; UINT64_MAX: none */
	uint64_t last_ns;   /* when the last question was sent */
	uint64_t heard_ns;  /* when the last reply to one came; 0: none, or not known */
	uint64_t end_ns;    /* when the last question was answered or given up */
	uint64_t n_numbers; /* question numbers used, from the run's first on */
	uint32_t burst;     /* questions due at once; 0 means 1 */
	const struct bench_replay *timing; /* borrowed: as the plan's, and likewise */
	const struct bench_arrivals *arrivals;
	struct bench_histogram rtt;  /* of valid replies */
	struct bench_histogram lag;  /* how late questions were sent, by batches, by the tester */
	struct bench_histogram gaps; /* between two questions of a thread; 0 within a batch */
};

/* bench_tally_clear: make *t that of a run in which nothing has happened. */
void bench_tally_clear(struct bench_tally *t);

/* bench_tally_merge: add all that FROM has counted to *to. */
void bench_tally_merge(struct bench_tally *to, const struct bench_tally *from);

/* bench_tally_faults: add the faults F of a lane. */
void bench_tally_faults(struct bench_tally *t, const struct bench_faults *f);

/* bench_tally_wrong: first replies in time that were not right. */
MUST_USE uint64_t bench_tally_wrong(const struct bench_tally *t);

/* bench_tally_received: replies of all kinds. */
MUST_USE uint64_t bench_tally_received(const struct bench_tally *t);

/* bench_tally_lost: questions without any reply. */
MUST_USE uint64_t bench_tally_lost(const struct bench_tally *t);

/* bench_tally_missing: questions without a reply in time, be it right or wrong. */
MUST_USE uint64_t bench_tally_missing(const struct bench_tally *t);

/* bench_tally_good: was every question answered right and in time, and once? */
MUST_USE bool bench_tally_good(const struct bench_tally *t);

/* bench_tally_foreign: what came and belongs to no question. */
MUST_USE uint64_t bench_tally_foreign(const struct bench_tally *t);

/* bench_tally_send_ns: the time from the first to the last question, in ns; 0 for less than two. */
MUST_USE uint64_t bench_tally_send_ns(const struct bench_tally *t);

/*
 * bench_tally_rate: valid answers per second, from the first question to the last answer. If there
 * are losses, to the last question instead: the end of the run is then when a question was given
 * up, a timeout after anything happened. Questions that were taken out have none of that time. 0
 * without a duration.
 */
MUST_USE double bench_tally_rate(const struct bench_tally *t);

/* bench_tally_rtt_us: a percentile (0 to 100) of the RTTs of valid answers, in us. */
MUST_USE double bench_tally_rtt_us(const struct bench_tally *t, double percent);

/* --- Each question ---------------------------------------------------------------------------- */

/*
 * bench_tally_reply: REPLY has come by LANE in a run of PLAN that began at START_NS: count it in
 * *t, and in the raw file if there is one. True if it ended an open question.
 */
MUST_USE bool bench_tally_reply(const struct bench_plan *plan, uint64_t start_ns,
    struct bench_lane *lane, const struct bench_view *reply, struct bench_tally *t);

/*
 * bench_tally_expire: give up, at NOW_NS, the open questions that were sent by LANE at SENT_NS or
 * before. Returns how many.
 */
MUST_USE uint64_t bench_tally_expire(const struct bench_plan *plan, struct bench_lane *lane,
    uint64_t sent_ns, uint64_t now_ns, struct bench_tally *t);

/* --- The raw file ----------------------------------------------------------------------------- */

/*
 * bench_raw: what became of each question of a run, as CSV, written while it runs: a line each, two
 * if it was answered after it was given up. Any thread may add.
 */

struct bench_raw;

/* bench_raw_open: create the file PATH and write the head of the table. 0 or -errno. */
MUST_USE int bench_raw_open(const char *path, struct bench_raw **out);

/* bench_raw_add: add a line: question A of load L had OUTCOME, a word as "valid", at NOW_NS. */
void bench_raw_add(struct bench_raw *r, const struct bench_load *l, const struct bench_asked *a,
    uint64_t now_ns, const char *outcome);

/* bench_raw_close: write the rest and close the file. 0, or -errno of the first write that failed.
 */
MUST_USE int bench_raw_close(struct bench_raw *r);

#endif
