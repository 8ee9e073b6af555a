/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/trial.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

#define START_NS (5 * NS_PER_MS) /* for the threads to start */
#define TURN_NS 100000           /* between two checks whether a worker has turned */

/* A thread's worker, task and results. */
struct runner {
	struct bench_trial *trial;
	struct bench_worker *worker; /* owned */
	struct bench_tally tally[2];
	unsigned current; /* the tally it counts in */
	atomic_bool ended;
	pthread_t thread;
};

struct bench_trial {
	struct bench_plan plan;
	uint64_t start_ns;
	uint64_t wanted_ns; /* start_ns of the next run; 0: soon */
	const atomic_bool *stop;
	unsigned n_started;
	pthread_mutex_t gate;   /* no thread begins before all have started */
	bool begin;             /* under the gate: all have started */
	struct runner runner[]; /* plan.n_threads */
};

int
bench_trial_new(const struct bench_plan *plan, struct bench_trial **out)
{
	struct bench_trial *t = calloc(1, sizeof(*t) + plan->n_threads * sizeof(struct runner));

	if (t == NULL)
		return -ENOMEM;
	t->plan = *plan;
	(void)pthread_mutex_init(&t->gate, NULL);
	for (unsigned i = 0; i < plan->n_threads; i++) {
		int err = bench_worker_new(&t->plan, i, &t->runner[i].worker);

		if (err != 0) {
			bench_trial_free(t);
			return err;
		}
		t->runner[i].trial = t;
	}
	*out = t;
	return 0;
}

void
bench_trial_free(struct bench_trial *t)
{
	for (unsigned i = 0; t != NULL && i < t->plan.n_threads; i++)
		bench_worker_free(t->runner[i].worker);
	if (t != NULL)
		(void)pthread_mutex_destroy(&t->gate);
	free(t);
}

static void *
run(void *arg)
{
	struct runner *r = arg;
	struct bench_trial *t = r->trial;

	(void)pthread_mutex_lock(&t->gate);
	bool begin = t->begin;
	(void)pthread_mutex_unlock(&t->gate);
	bench_tally_clear(&r->tally[0]);
	if (begin)
		bench_worker_run(r->worker, t->start_ns, t->stop, &r->tally[0]);
	atomic_store(&r->ended, true);
	return NULL;
}

static void
prepare(struct bench_trial *t, uint64_t first, uint64_t n, const atomic_bool *stop)
{
	t->plan.first = first;
	t->plan.n_questions = n;
	t->stop = stop;
}

/* Signals are blocked in the threads: only the one that waits takes them. */
int
bench_trial_start(struct bench_trial *t, uint64_t first, uint64_t n, const atomic_bool *stop)
{
	sigset_t all, before;
	int err = 0;

	prepare(t, first, n, stop);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_mutex_lock(&t->gate);
	for (t->n_started = 0; t->n_started < t->plan.n_threads; t->n_started++) {
		struct runner *r = &t->runner[t->n_started];

		r->current = 0;
		atomic_store(&r->ended, false);
		err = pthread_create(&r->thread, NULL, run, r);
		if (err != 0)
			break;
	}
	t->begin = err == 0;
	t->start_ns = t->wanted_ns > 0 ? t->wanted_ns : clock_now_ns() + START_NS;
	(void)pthread_mutex_unlock(&t->gate);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

void
bench_trial_set_start(struct bench_trial *t, uint64_t start_ns)
{
	t->wanted_ns = start_ns;
}

bool
bench_trial_ended(struct bench_trial *t)
{
	for (unsigned i = 0; i < t->n_started; i++) {
		if (!atomic_load(&t->runner[i].ended))
			return false;
	}
	return true;
}

/*
 * Turn R's worker to its other tally, which is clear. Returns the one it leaves; NULL: its run has
 * ended.
 */
static const struct bench_tally *
turned(struct runner *r)
{
	const struct timespec pause = { .tv_nsec = TURN_NS };

	while (!bench_worker_turned(r->worker)) {
		if (!atomic_load(&r->ended)) {
			(void)nanosleep(&pause, NULL);
		} else if (!bench_worker_turned(r->worker)) {
			bench_worker_turn(r->worker, NULL);
			return NULL;
		}
	}
	r->current = !r->current;
	return &r->tally[!r->current];
}

/* The tally of a worker that has ended is left to bench_trial_join. */
void
bench_trial_take(struct bench_trial *t, struct bench_tally *sum)
{
	bench_tally_clear(sum);
	for (unsigned i = 0; i < t->n_started; i++) {
		struct runner *r = &t->runner[i];

		bench_tally_clear(&r->tally[!r->current]);
		bench_worker_turn(r->worker, &r->tally[!r->current]);
	}
	for (unsigned i = 0; i < t->n_started; i++) {
		const struct bench_tally *before = turned(&t->runner[i]);

		if (before != NULL)
			bench_tally_merge(sum, before);
	}
}

void
bench_trial_join(struct bench_trial *t, struct bench_tally *sum)
{
	bench_tally_clear(sum);
	for (unsigned i = 0; i < t->n_started; i++) {
		(void)pthread_join(t->runner[i].thread, NULL);
		bench_tally_merge(sum, &t->runner[i].tally[t->runner[i].current]);
	}
	t->n_started = 0;
}

/* A single worker runs in this thread: starting another would only take time. */
int
bench_trial_run(struct bench_trial *t, uint64_t first, uint64_t n, const atomic_bool *stop,
    struct bench_tally *sum)
{
	if (t->plan.n_threads > 1) {
		int err = bench_trial_start(t, first, n, stop);

		bench_trial_join(t, sum);
		return err;
	}
	prepare(t, first, n, stop);
	bench_worker_run(t->runner[0].worker, clock_now_ns(), stop, sum);
	return 0;
}
