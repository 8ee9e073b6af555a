/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"

#define EVENTS 64                 /* events taken from epoll at once */
#define EXPIRE_NS (2 * NS_PER_MS) /* between two checks for expired questions, at least */
#define LOOK_NS (20 * NS_PER_MS)  /* between two checks whether to stop or turn, at most */
#define CROWD_NS NS_PER_MS        /* questions that leave within it are a crowd */
#define THROUGH_NS 200000         /* up to that long replies are not waited for */

struct bench_worker {
	const struct bench_plan *plan;
	int epoll_fd;
	struct bench_lane *lanes; /* owned: plan->n_lanes, n_open_lanes of them open */
	unsigned n_open_lanes;
	struct bench_batch *batch;

	/* Of a run */
	struct bench_turns turns; /* which questions are this thread's */
	uint64_t expire_ns;       /* when to check for expired questions */
	uint64_t n_open;          /* on all lanes */
	unsigned next_lane;       /* the lane of the next batch */
	uint64_t linger_ns;       /* until when late replies are waited for */
	bool blocked;             /* questions are due and no lane has room */
	/* Questions of turns before this one wait since no lane had room, or behind such ones. */
	uint64_t n_waiting;
	uint64_t sent_ns;  /* when the last question left; 0: none */
	uint64_t crowd_ns; /* when the first question left of those that are counted together */
	uint64_t n_crowd;
	struct bench_tally *tally;
	_Atomic(struct bench_tally *) fresh; /* the tally to turn to; NULL: none */
};

static int
open_lanes(struct bench_worker *w)
{
	const struct bench_plan *p = w->plan;
	struct bench_way way = { .transport = p->transport,
		.server = &p->server,
		.capacity = bench_plan_capacity(p),
		.timeout_ns = p->timeout_ns,
		.per_connection = p->per_connection,
		.singles = p->singles,
		.epoll_fd = w->epoll_fd };
	struct rng rng;

	rng_init(&rng);
	for (; w->n_open_lanes < p->n_lanes; w->n_open_lanes++) {
		way.index = w->n_open_lanes;
		way.first_id = rng_u16(&rng);
		way.source = bench_plan_source(p, w->turns.index, w->n_open_lanes);
		int err = bench_lane_open(&w->lanes[w->n_open_lanes], &way);
		if (err != 0)
			return err;
	}
	return 0;
}

/* The only client of a thread waits in its receive. */
static int
settle_waiting(struct bench_worker *w)
{
	const struct bench_plan *p = w->plan;

	if (p->n_lanes > 1 || p->rate > 0 || p->spin || p->transport->be_patient == NULL)
		return 0;
	return p->transport->be_patient(&w->lanes[0]);
}

int
bench_worker_new(const struct bench_plan *plan, unsigned index, struct bench_worker **out)
{
	struct bench_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	w->plan = plan;
	w->turns.index = index;
	w->turns.n_threads = plan->n_threads;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	w->lanes = calloc(plan->n_lanes, sizeof(*w->lanes));
	w->batch = bench_batch_new(plan->transport);
	int err = w->epoll_fd < 0 ? -errno : 0;
	if (w->lanes == NULL || w->batch == NULL)
		err = -ENOMEM;
	if (err == 0)
		err = open_lanes(w);
	if (err == 0)
		err = settle_waiting(w);
	if (err != 0)
		bench_worker_free(w);
	else
		*out = w;
	return err;
}

void
bench_worker_free(struct bench_worker *w)
{
	if (w == NULL)
		return;
	while (w->n_open_lanes > 0)
		bench_lane_close(&w->lanes[--w->n_open_lanes]);
	if (w->epoll_fd >= 0)
		(void)close(w->epoll_fd);
	bench_batch_free(w->batch);
	free(w->lanes);
	free(w);
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* The SENT questions that LANE sent last took until now to be sent, from FROM_NS on. */
static void
note_slow_sending(struct bench_worker *w, struct bench_lane *lane, unsigned sent, uint64_t from_ns)
{
	if (clock_now_ns() - from_ns <= bench_plan_pause(w->plan))
		return;
	/* Nobody knows when each of them went out. */
	bench_inflight_take_out(&lane->asked, sent);
	w->tally->paused += sent;
	w->tally->sent -= sent;
	w->n_open -= sent;
}

/* N > 0 questions left by LANE at NOW_NS, at a rate: how long after those before, and with how
 * many.
 */
static void
note_gap(struct bench_worker *w, struct bench_lane *lane, unsigned n, uint64_t now_ns)
{
	struct bench_tally *t = w->tally;
	uint64_t crowd;

	if (w->sent_ns > 0)
		bench_histogram_add(&t->gaps, now_ns - w->sent_ns);
	bench_histogram_add_many(&t->gaps, 0, n - 1);
	w->sent_ns = now_ns;
	if (now_ns - w->crowd_ns >= CROWD_NS) {
		w->crowd_ns = now_ns;
		w->n_crowd = 0;
	}
	w->n_crowd += n;
	crowd = w->n_crowd * w->turns.n_threads;
	t->crowd = crowd > t->crowd ? crowd : t->crowd;
	if (crowd > bench_plan_crowd(w->plan, w->plan->rate))
		bench_inflight_behind(&lane->asked, n);
}

/* Up to N questions by LANE, a batch at most; returns how many went out. Those that could not are
   not asked again. */
static unsigned
ask(struct bench_worker *w, struct bench_lane *lane, uint64_t n)
{
	const struct bench_load *load = &w->plan->load;
	struct bench_question q[BENCH_BATCH];
	struct bench_batch *b = w->batch;
	uint16_t id = bench_inflight_next_id(&lane->asked);
	uint64_t room = bench_lane_room(lane, bench_plan_window(w->plan));

	n = n < room ? n : room;
	for (b->n_out = 0; b->n_out < n && b->n_out < bench_plan_batch(w->plan); b->n_out++) {
		unsigned i = b->n_out;

		q[i] = bench_load_question(
		    load, w->plan->first + bench_turns_question(&w->turns, w->turns.n_asked + i));
		b->out[i].len = bench_load_write(load, q[i], (uint16_t)(id + i), b->question[i]);
	}
	uint64_t now_ns = clock_now_ns();
	unsigned sent = b->n_out > 0 ? lane->way.transport->send(lane, b) : 0;
	for (unsigned i = 0; i < sent; i++)
		bench_inflight_add(&lane->asked, q[i],
		    bench_turns_since(&w->turns, w->plan, w->turns.n_asked + i, now_ns));
	if (sent > 0 && w->tally->sent == 0)
		w->tally->first_ns = now_ns;
	if (sent > 0)
		w->tally->last_ns = now_ns;
	w->tally->sent += sent;
	w->turns.n_asked += b->n_out;
	w->n_open += sent;
	if (sent > 0 && w->plan->rate > 0)
		note_gap(w, lane, sent, now_ns);
	note_slow_sending(w, lane, sent, now_ns);
	return sent;
}

/* Those of the first UNTIL questions that were not asked will not be: count them in *n. */
static void
skip_until(struct bench_worker *w, uint64_t until, uint64_t *n)
{
	if (until <= w->turns.n_asked)
		return;
	*n += until - w->turns.n_asked;
	w->turns.n_asked = until;
}

/*
 * The first MINE questions are due, nothing limits how many are open, and no port, or not that of
 * the next client, has an ID that is not open: they wait for nothing.
 */
static void
leave_out(struct bench_worker *w, uint64_t mine)
{
	bool by_client = w->plan->by_client;

	skip_until(w, by_client ? w->turns.n_asked + 1 : mine, &w->tally->faults.unsent);
	if (by_client)
		w->next_lane = bench_plan_lane(w->plan, w->turns.n_asked);
}

/* No lane has room: questions that were due a timeout ago count as unsent. */
static void
give_up_due(struct bench_worker *w, uint64_t now_ns)
{
	uint64_t timeout_ns = w->plan->timeout_ns;
	uint64_t over = now_ns > timeout_ns ? bench_turns_due(&w->turns, now_ns - timeout_ns) : 0;

	w->tally->no_room++;
	skip_until(w, over, &w->tally->faults.unsent);
}

/* A pause of NS: the first MINE questions are due, and those that were not asked will not be. */
static void
take_out(struct bench_worker *w, uint64_t mine, uint64_t ns)
{
	w->tally->pauses++;
	w->tally->pause_ns += ns;
	skip_until(w, mine, &w->tally->paused);
}

/*
 * MINE questions are due at NOW_NS, and nothing but this thread has kept them: returns how many of
 * them may have left. What was not asked while it stood still does not leave at once: a server has
 * no need to take more than the rate says.
 */
static uint64_t
catch_up(struct bench_worker *w, uint64_t mine, uint64_t now_ns)
{
	uint64_t late = bench_turns_catch_up(&w->turns, now_ns) * w->turns.n_threads;

	if (late == 0)
		return mine;
	if (late > w->tally->overdue_at_once)
		w->tally->overdue_at_once = late;
	uint64_t lag_ns = now_ns - bench_turns_time(&w->turns, w->turns.n_asked);
	if (lag_ns <= bench_plan_pause(w->plan))
		return bench_turns_may(&w->turns, now_ns);
	take_out(w, mine, lag_ns); /* it stands still too often to catch up */
	return mine;
}

/*
 * SENT questions left by LANE, the first of them due at DUE_NS; BEGUN: in a burst that had begun,
 * which takes its time as was asked for.
 */
static void
note_lag(struct bench_worker *w, struct bench_lane *lane, unsigned sent, uint64_t due_ns,
    uint64_t now_ns, bool begun)
{
	bench_histogram_add_many(&w->tally->lag, now_ns - due_ns, sent);
	if (!begun && now_ns - due_ns > w->turns.slack_ns)
		bench_inflight_behind(&lane->asked, sent);
}

/*
 * Go on to the lane of the next question. FULL are the lanes in a row that had no room; returns how
 * many there are with the one that ASKED so many by now. A client waits for its own lane.
 */
static unsigned
next_lane(struct bench_worker *w, unsigned full, unsigned asked)
{
	const struct bench_plan *p = w->plan;

	if (p->by_client) {
		w->next_lane = bench_plan_lane(p, w->turns.n_asked);
		return asked > 0 ? 0 : p->n_lanes;
	}
	w->next_lane = (w->next_lane + 1) % p->n_lanes;
	return asked > 0 ? 0 : full + 1;
}

/* Open loop: send what is due, by the lanes that have room in turn, a batch each. */
static void
ask_due(struct bench_worker *w, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;
	uint64_t mine = bench_turns_due(&w->turns, now_ns);

	w->blocked = false;
	if (mine <= w->turns.n_asked)
		return;
	bool waits = w->turns.n_asked < w->n_waiting;
	if (waits)
		w->n_waiting = mine;
	else
		mine = catch_up(w, mine, now_ns);
	for (unsigned full = 0, n = 0; full < p->n_lanes && mine > w->turns.n_asked;) {
		uint64_t due_ns = bench_turns_time(&w->turns, w->turns.n_asked);
		struct bench_lane *lane = &w->lanes[w->next_lane];
		bool begun = bench_turns_begun(&w->turns) > w->turns.n_asked;
		unsigned sent = ask(w, lane, mine - w->turns.n_asked);

		if (!waits) /* for the server: not late by this tester */
			note_lag(w, lane, sent, due_ns, now_ns, begun);
		full = next_lane(w, full, w->batch->n_out);
		if ((n += w->batch->n_out) >= BENCH_BATCH)
			return; /* receive replies before more is sent */
	}
	w->blocked = mine > w->turns.n_asked && bench_plan_window(p) > 0;
	if (w->blocked) {
		w->n_waiting = mine;
		give_up_due(w, now_ns);
	} else if (mine > w->turns.n_asked) {
		leave_out(w, mine);
	}
}

/* Closed loop: fill the client's window. */
static void
ask_next(struct bench_worker *w, struct bench_lane *lane, uint64_t now_ns)
{
	while (bench_turns_left(&w->turns, now_ns)) {
		if (ask(w, lane, w->turns.share - w->turns.n_asked) < bench_plan_batch(w->plan))
			return;
	}
}

/* --- Replies ---------------------------------------------------------------------------------- */

/* Returns how many there were. */
static uint64_t
take_replies(struct bench_worker *w, struct bench_lane *lane)
{
	const struct bench_plan *p = w->plan;
	uint64_t taken = 0;
	unsigned n;

	do {
		n = lane->way.transport->receive(lane, w->batch);
		for (unsigned i = 0; i < n; i++)
			w->n_open -= bench_tally_reply(
			    p, w->turns.pace.start_ns, lane, &w->batch->in[i], w->tally);
		taken += n;
	} while (w->batch->more);
	if (p->rate == 0)
		ask_next(w, lane, clock_now_ns());
	return taken;
}

/* --- Time ------------------------------------------------------------------------------------- */

static struct timespec
timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC) };
}

/* Give up what was asked at SENT_NS or before; returns how many. */
static uint64_t
expire(struct bench_worker *w, struct bench_lane *lane, uint64_t sent_ns, uint64_t now_ns)
{
	uint64_t n = bench_tally_expire(w->plan, lane, sent_ns, now_ns, w->tally);

	w->n_open -= n;
	return n;
}

/*
 * How long a question is waited for, in ns: a reply that is in time by the kernel's clock may have
 * to wait for this thread.
 */
static uint64_t
patience(const struct bench_worker *w)
{
	return w->plan->timeout_ns + bench_plan_pause(w->plan);
}

/* Give up the questions of LANE whose time is over. Late replies to them are told from lost ones.
 */
static void
give_up(struct bench_worker *w, struct bench_lane *lane, uint64_t now_ns)
{
	uint64_t wait_ns = patience(w);
	uint64_t n = now_ns > wait_ns ? expire(w, lane, now_ns - wait_ns - 1, now_ns) : 0;

	w->tally->overdue += n;
	if (n > 0)
		w->linger_ns = now_ns + w->plan->timeout_ns;
}

/*
 * When to look again: no question is given up before the oldest one is. The timer that runs while
 * nothing comes is thus seldom the next of its CPU, and costs little to set. But a transport may
 * have something to do, and a client that could not ask tries again.
 */
static uint64_t
next_tick(const struct bench_worker *w, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;
	uint64_t oldest_ns = now_ns, soon_ns = now_ns + EXPIRE_NS;

	if (p->transport->tick != NULL)
		return soon_ns;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		uint64_t sent_ns = bench_inflight_oldest_ns(&w->lanes[i].asked);

		oldest_ns = sent_ns < oldest_ns ? sent_ns : oldest_ns;
		if (p->rate == 0 && w->lanes[i].asked.n_open == 0 &&
		    bench_turns_left(&w->turns, now_ns))
			return soon_ns;
	}
	oldest_ns += patience(w) + 1;
	return oldest_ns > soon_ns ? oldest_ns : soon_ns;
}

static void
tick(struct bench_worker *w, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;

	if (now_ns < w->expire_ns)
		return;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		struct bench_lane *lane = &w->lanes[i];

		give_up(w, lane, now_ns);
		if (p->transport->tick != NULL)
			p->transport->tick(lane, now_ns);
		if (p->rate == 0)
			ask_next(w, lane, now_ns);
	}
	w->expire_ns = next_tick(w, now_ns);
}

/* How long the thread can wait for replies, in ns. */
static uint64_t
idle_ns(const struct bench_worker *w, uint64_t now_ns)
{
	uint64_t next_ns = w->expire_ns < now_ns + LOOK_NS ? w->expire_ns : now_ns + LOOK_NS;

	if (w->plan->rate > 0 && bench_turns_left(&w->turns, now_ns) && !w->blocked) {
		uint64_t leaves_ns = bench_turns_leaves(&w->turns, w->turns.n_asked);

		next_ns = leaves_ns < next_ns ? leaves_ns : next_ns;
	}
	return next_ns > now_ns && !w->plan->spin ? next_ns - now_ns : 0;
}

/* Kernels before 5.11 have epoll_wait only, in whole milliseconds. */
static int
wait_for_events(const struct bench_worker *w, struct epoll_event *events, uint64_t ns)
{
	struct timespec ts = timespec_of(ns);

	if (ns == 0)
		return epoll_wait(w->epoll_fd, events, EVENTS, 0);
	int n = epoll_pwait2(w->epoll_fd, events, EVENTS, &ts, NULL);
	if (n < 0 && errno == ENOSYS)
		return epoll_wait(w->epoll_fd, events, EVENTS, (int)(ns / NS_PER_MS));
	return n;
}

/*
 * Does the next question leave so soon that this thread sleeps until then, whatever comes? The
 * kernel notes when replies came, and one wait costs less than two. Not where answers make room.
 */
static bool
sleeps_through(const struct bench_worker *w, uint64_t wait_ns)
{
	return w->plan->rate > 0 && bench_plan_window(w->plan) == 0 && wait_ns > 0 &&
	    wait_ns <= THROUGH_NS;
}

/* Returns until when it has waited, at most. */
static uint64_t
receive(struct bench_worker *w, uint64_t now_ns)
{
	struct epoll_event events[EVENTS];
	uint64_t wait_ns = idle_ns(w, now_ns);

	if (w->lanes[0].patient) {
		(void)take_replies(w, &w->lanes[0]);
		return now_ns + BENCH_PATIENCE_MS * NS_PER_MS;
	}
	bool through = sleeps_through(w, wait_ns);
	if (through) {
		struct timespec ts = timespec_of(wait_ns);

		(void)nanosleep(&ts, NULL);
	}
	int n = wait_for_events(w, events, through ? 0 : wait_ns);
	for (int i = 0; i < n; i++)
		(void)take_replies(w, &w->lanes[events[i].data.u32]);
	return now_ns + wait_ns;
}

/*
 * This thread should have run on at DUE_NS, and does so at NOW_NS. After a pause it reads what has
 * come meanwhile, which has its right times, and takes out the questions that were due: sent in a
 * crowd now, they would ask more of the server than the rate says.
 */
static void
note_pause(struct bench_worker *w, uint64_t due_ns, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;

	if (now_ns <= due_ns || now_ns - due_ns <= bench_plan_pause(w->plan))
		return;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		uint64_t left = w->lanes[i].asked.n_open, n; /* more may never end */

		for (; left > 0 && (n = take_replies(w, &w->lanes[i])) > 0;
		     left -= n < left ? n : left)
			continue;
	}
	uint64_t mine = p->rate > 0 ? bench_turns_due(&w->turns, now_ns) : 0;
	if (w->blocked) /* the server had them wait before */
		skip_until(w, w->n_waiting, &w->tally->faults.unsent);
	/* Behind the last question it keeps nobody from asking. */
	uint64_t end_ns = now_ns < w->turns.until_ns ? now_ns : w->turns.until_ns;
	take_out(w, mine, end_ns > due_ns ? end_ns - due_ns : 0);
}

/* Count in *t from now on. */
static void
use(struct bench_worker *w, struct bench_tally *t)
{
	t->burst = w->plan->burst;
	t->timing = w->plan->timing;
	t->arrivals = w->plan->arrivals;
	w->tally = t;
}

static void
begin(struct bench_worker *w, uint64_t start_ns, struct bench_tally *t)
{
	const struct bench_plan *p = w->plan;

	bench_tally_clear(t);
	use(w, t);
	w->turns = bench_turns_of(p, w->turns.index, start_ns);
	w->n_open = 0;
	w->expire_ns = start_ns + EXPIRE_NS;
	w->linger_ns = 0;
	w->next_lane = p->by_client ? bench_plan_lane(p, 0) : w->next_lane;
	w->n_waiting = 0;
	w->sent_ns = w->crowd_ns = w->n_crowd = 0;
	w->blocked = false;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		uint64_t part = w->turns.share / p->n_lanes + (i < w->turns.share % p->n_lanes);

		w->lanes[i].limit = p->even ? w->lanes[i].asked.next + part : UINT64_MAX;
	}
	while (clock_now_ns() < start_ns) {
		struct timespec ts = timespec_of(start_ns);

		(void)clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &ts, NULL);
	}
}

/* Turn: the old tally is the other thread's as soon as it sees that fresh is NULL. */
static void
hand_over(struct bench_worker *w)
{
	struct bench_tally *fresh = atomic_load_explicit(&w->fresh, memory_order_acquire);

	if (fresh == NULL)
		return;
	use(w, fresh);
	atomic_store_explicit(&w->fresh, NULL, memory_order_release);
}

void
bench_worker_turn(struct bench_worker *w, struct bench_tally *t)
{
	atomic_store_explicit(&w->fresh, t, memory_order_release);
}

bool
bench_worker_turned(const struct bench_worker *w)
{
	return atomic_load_explicit(&w->fresh, memory_order_acquire) == NULL;
}

static void
end(struct bench_worker *w)
{
	uint64_t now_ns = clock_now_ns();

	if (w->turns.n_asked > 0)
		w->tally->n_numbers = bench_turns_question(&w->turns, w->turns.n_asked - 1) + 1;
	for (unsigned i = 0; i < w->plan->n_lanes; i++) {
		struct bench_lane *lane = &w->lanes[i];

		if (lane->way.transport->settle != NULL)
			lane->way.transport->settle(lane);
		bench_tally_faults(w->tally, &lane->faults);
		lane->faults = (struct bench_faults){ .unsent = 0 };
		/* A run that was stopped does not know the outcome of open questions. */
		(void)expire(w, lane, UINT64_MAX, now_ns);
	}
}

void
bench_worker_run(
    struct bench_worker *w, uint64_t start_ns, const atomic_bool *stop, struct bench_tally *t)
{
	begin(w, start_ns, t);
	uint64_t now_ns = clock_now_ns();
	note_pause(w, start_ns, now_ns);
	for (unsigned i = 0; i < w->plan->n_lanes && w->plan->rate == 0; i++)
		ask_next(w, &w->lanes[i], now_ns);
	while ((bench_turns_left(&w->turns, now_ns) || w->n_open > 0 || now_ns < w->linger_ns) &&
	    !atomic_load_explicit(stop, memory_order_relaxed)) {
		if (w->plan->rate > 0)
			ask_due(w, now_ns);
		uint64_t due_ns = receive(w, now_ns);

		now_ns = clock_now_ns();
		note_pause(w, due_ns, now_ns);
		tick(w, now_ns);
		hand_over(w);
	}
	end(w);
}
