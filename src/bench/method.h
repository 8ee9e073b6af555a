/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_H
#define DNS64D_BENCH_METHOD_H

/* bench_method: what the methods have in common. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/host/dut.h"
#include "bench/load/tally.h"
#include "bench/result/run.h"
#include "bench/settings.h"
#include "bench/stats.h"

/* What a method works on; all borrowed. */
struct bench_job {
	const struct bench_settings *settings;
	struct bench_run *run; /* what it finds goes there, and why it failed */
	FILE *out; /* for rows as they come: standard output, or error if results go there */
	const atomic_bool *stop;   /* Ctrl-C: end soon; what there is is printed */
	struct bench_tally *tally; /* of the last trial; too large for a stack */
	struct bench_dut *dut;     /* the server's processes; NULL: they are not known */
};

/* The methods. Each returns when it is done or was stopped; its results go to the run. */

/* bench_rate: ask at a fixed rate. */
void bench_rate(const struct bench_job *job);

/*
 * bench_search: find the highest rate without a fault (RFC 8219 section 9); for a matrix with each
 * share of hits by each share of names with AAAA (section 9.2).
 */
void bench_search(const struct bench_job *job);

/* bench_sweep: find how latency grows with the rate. */
void bench_sweep(const struct bench_job *job);

/* bench_closed: clients that ask one question after another. */
void bench_closed(const struct bench_job *job);

/* bench_enum: such clients ask for telephone numbers. */
void bench_enum(const struct bench_job *job);

/* bench_soak: a mixed load for hours. */
void bench_soak(const struct bench_job *job);

/* bench_ramp: a first look: ask faster and faster. */
void bench_ramp(const struct bench_job *job);

/* In a second of a ramp answers are behind if fewer of the questions due get one, in %. */
#define BENCH_RAMP_BEHIND 95.0

/*
 * bench_ramp_behind: the index of the first of the N seconds at P, valid answers (y) by questions
 * that were due without those taken out (x), in which answers fell behind, and in the next one,
 * too; N: they never did.
 */
MUST_USE size_t bench_ramp_behind(const struct bench_point *p, size_t n);

/*
 * bench_search_fits: the namespace of S suffices for all of its searches. Without --high S->high
 * goes down for that, but not below what servers do. False, with a line to ERRORS: too few names.
 */
MUST_USE bool bench_search_fits(struct bench_settings *s, FILE *errors);

/* bench_search_resume: without --first let the names of S begin where those of its state file do.
 */
void bench_search_resume(struct bench_settings *s);

/*
 * bench_closed_steps: a step of the settings' duration, and a row, for each number of clients. No
 * question number is used twice; the run has failed if those below N_NUMBERS do not suffice.
 */
void bench_closed_steps(const struct bench_job *job, uint64_t n_numbers);

/*
 * bench_method_trial: a trial of PLAN with N questions from number FIRST on; what became of them is
 * job->tally. False, with the reason in the run, if it could not begin.
 */
MUST_USE bool bench_method_trial(
    const struct bench_job *job, const struct bench_plan *plan, uint64_t first, uint64_t n);

/* bench_method_settings: add the settings to the run. */
void bench_method_settings(const struct bench_job *job);

/*
 * bench_method_lost: how many questions of the last trial got no reply within the timeout; those
 * that still had time when the trial was stopped do not count.
 */
MUST_USE uint64_t bench_method_lost(const struct bench_job *job);

/* bench_method_counts: add how many questions of the last trial had which outcome, as findings. */
void bench_method_counts(const struct bench_job *job);

/* bench_method_tally: add the same, the answers per second, and how fast they came. */
void bench_method_tally(const struct bench_job *job);

/* bench_method_pauses: tell how often and how long the tester was kept from running, or late. */
void bench_method_pauses(const struct bench_job *job);

/* bench_method_late: tell it, if the question that was latest, by LATE_NS, was late by much. */
void bench_method_late(const struct bench_job *job, double late_ns);

/*
 * bench_method_percentile: a percentile of the RTTs of valid answers, in us; null if it is finer
 * than so many answers carry (bench_stats_carries).
 */
MUST_USE json_t *bench_method_percentile(const struct bench_tally *t, double percent);

/* bench_method_histogram: add the distribution of the last trial's RTTs, all buckets of it. */
void bench_method_histogram(const struct bench_job *job);

/*
 * bench_method_rtt: add that, and tables with the distributions of the last trial's RTTs and, at a
 * rate, of the gaps between its questions, as fine as there are answers and questions.
 */
void bench_method_rtt(const struct bench_job *job);

/*
 * bench_method_judge: add to the run why the last trial is not good: questions without a right
 * answer in time, answers that came twice, what the tester did wrong, and, for a RATE > 0, a pace
 * that was not kept.
 */
void bench_method_judge(const struct bench_job *job, uint32_t rate);

/* bench_method_hint: if no answer of the last trial was right, tell what may be set up wrongly. */
void bench_method_hint(const struct bench_job *job);

/* --- Whose fault it is ------------------------------------------------------------------------ */

/* What a tester did wrong, bits: the trial says nothing of the server then. */
enum bench_flaw {
	BENCH_FLAW_NOTHING = 2,   /* it asked nothing */
	BENCH_FLAW_PAUSED = 4,    /* it was kept from running */
	BENCH_FLAW_TAKEN_OUT = 8, /* that took BENCH_TAKEN_OUT of its questions, or more */
	BENCH_FLAW_DROPPED = 16,  /* it lost replies for want of room */
	BENCH_FLAW_NO_PORT = 32,  /* it had no port or descriptor */
	BENCH_FLAW_UNSENT = 64,   /* it could not send */
	BENCH_FLAW_PACE = 128,    /* it did not keep its pace (bench_method_kept_pace) */
	BENCH_FLAW_CROWD = 256,   /* it sent in a crowd what a server's buffer need not hold */
	BENCH_FLAW_FOREIGN = 512  /* others sent to its ports, more than a few */
};

#define BENCH_TAKEN_OUT 0.01 /* part of the questions */

/*
 * What the receive buffer of a UDP socket holds if nobody has made it larger: 212,992 octets
 * (net.core.rmem_default), of which a small datagram takes 768 with what the kernel keeps of it
 * (truesize). With as many questions late at once, or so many more in a millisecond than
 * BENCH_CROWD and those that are due in one, a crowd may overflow it, whatever the server does: it
 * need serve no more than the rate says, so none of a crowd may have been served when the last of
 * it came. Missing answers are the crowd's if they are those to questions that left late or in a
 * crowd, but for one in BENCH_CROWD_BESIDES, which a buffer that was still full may have cost; else
 * they are the server's. A wrong answer is the server's whatever the tester did.
 */
#define BENCH_BUFFER_HOLDS 277
#define BENCH_CROWD_BESIDES 100

/*
 * Foreign datagrams are a flaw if they are more than this number, more than this part of the
 * questions, and more than there are answers missing: a server that answers in the wrong way has
 * one for each. Over a connection nothing is foreign: all is the server's.
 */
#define BENCH_FOREIGN_LEAST 10
#define BENCH_FOREIGN_PART 0.001

/* bench_method_flaws: what of that is so of a trial by PLAN at RATE (0: clients) with tally T. */
MUST_USE unsigned bench_method_flaws(
    const struct bench_tally *t, uint32_t rate, const struct bench_plan *plan);

/*
 * bench_method_good: had every question of a trial by PLAN one right answer in time, and came no
 * more over a connection?
 */
MUST_USE bool bench_method_good(const struct bench_tally *t, const struct bench_plan *plan);

/* bench_method_judge_sending: of that only what went wrong in sending and with this machine. */
void bench_method_judge_sending(const struct bench_job *job, uint32_t rate);

/* bench_method_judge_crowd: of that only that the tester's crowd lost answers; true if it did. */
MUST_USE bool bench_method_judge_crowd(const struct bench_job *job, uint32_t rate);

/* bench_method_judge_extras: of that only what came besides one reply to each question. */
void bench_method_judge_extras(const struct bench_job *job);

/*
 * The pace was kept if the time of sending differs from what the rate says by at most this, in
 * percent, and no question was late by more than BENCH_PACE_LAG of the timeout, unless it waited
 * for the answer to another one. From the other part on it is told.
 */
#define BENCH_PACE_PERCENT 1.0
#define BENCH_PACE_LAG_TOLD 100

/* bench_method_pace_error: how much longer than RATE says sending took, in percent; < 0: shorter.
 */
MUST_USE double bench_method_pace_error(const struct bench_tally *t, uint32_t rate);

/* bench_method_kept_pace: was the pace kept, as defined above? */
MUST_USE bool bench_method_kept_pace(
    const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns);

#endif
