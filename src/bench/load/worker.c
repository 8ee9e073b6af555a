/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench/load/outcome.h"

#define EVENTS 64                 /* events taken from epoll at once */
#define EXPIRE_NS (2 * NS_PER_MS) /* between two checks for expired questions, at least */
#define LOOK_NS (20 * NS_PER_MS)  /* between two checks whether to stop or turn, at most */
#define CLOSED_MEMORY 262144      /* questions that the clients of a thread remember, in all */
#define CLOSED_CAPACITY 65536     /* and one client at most, unless its window is larger */

struct bench_worker {
	const struct bench_plan *plan;
	unsigned index;
	int epoll_fd;
	struct bench_lane *lanes; /* owned: plan->n_lanes, n_open_lanes of them open */
	unsigned n_open_lanes;
	struct bench_batch *batch;

	/* Of a run */
	struct bench_pace pace;
	uint64_t until_ns;  /* when asking ends */
	uint64_t n_asked;   /* by this thread */
	uint64_t share;     /* questions that this thread is to ask */
	uint64_t expire_ns; /* when to check for expired questions */
	uint64_t n_open;    /* on all lanes */
	unsigned next_lane; /* the lane of the next batch */
	bool blocked;       /* questions are due and no lane has room */
	struct bench_tally *tally;
	_Atomic(struct bench_tally *) fresh; /* the tally to turn to; NULL: none */
};

/* How many questions may be open on a lane; 0: any number. */
static unsigned
window_of(const struct bench_plan *p)
{
	return p->window > 0 ? p->window : p->transport->window;
}

/*
 * Nobody knows how many questions such a client will ask in a timeout. With few clients many are
 * remembered, so that late replies are known and a lost question does not hold up those behind it.
 */
static uint64_t
closed_capacity(const struct bench_plan *p)
{
	uint64_t share = CLOSED_MEMORY / p->n_lanes, least = 4 * (uint64_t)window_of(p);

	share = share < CLOSED_CAPACITY ? share : CLOSED_CAPACITY;
	return share > least ? share : least;
}

/* How many questions a lane must remember: those of twice the timeout, so that late replies match.
 */
static uint64_t
capacity_of(const struct bench_plan *p)
{
	if (p->rate == 0)
		return closed_capacity(p);
	uint64_t ms = p->timeout_ns / NS_PER_MS + 100; /* and a reserve for pauses of this thread */

	return 2 * ms * p->rate / 1000 / p->n_threads / p->n_lanes + 2 * BENCH_BATCH;
}

static int
open_lanes(struct bench_worker *w)
{
	const struct bench_plan *p = w->plan;
	struct bench_way way = { .transport = p->transport,
		.server = &p->server,
		.capacity = capacity_of(p),
		.timeout_ns = p->timeout_ns,
		.per_connection = p->per_connection,
		.epoll_fd = w->epoll_fd };
	struct rng rng;

	rng_init(&rng);
	for (; w->n_open_lanes < p->n_lanes; w->n_open_lanes++) {
		way.index = w->n_open_lanes;
		way.first_id = rng_u16(&rng);
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
	w->index = index;
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

/* The threads take turns: the number, in the run, of question K of this thread. */
static uint64_t
number_of(const struct bench_worker *w, uint64_t k)
{
	return w->plan->first + w->index + k * w->plan->n_threads;
}

/* --- Asking ----------------------------------------------------------------------------------- */

static uint64_t
room_of(const struct bench_worker *w, struct bench_lane *lane)
{
	const struct bench_transport *t = lane->way.transport;
	unsigned window = window_of(w->plan);
	uint64_t most = window > 0 ? window : UINT64_MAX;

	uint64_t room = bench_inflight_room(&lane->asked), left = lane->limit - lane->asked.next;

	if (room == 0 || lane->asked.n_open >= most)
		return 0;
	room = room < left ? room : left;
	left = t->room != NULL ? t->room(lane) : UINT64_MAX;
	room = room < left ? room : left;
	return room < most - lane->asked.n_open ? room : most - lane->asked.n_open;
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
	uint64_t room = room_of(w, lane);

	n = n < room ? n : room;
	for (b->n_out = 0; b->n_out < n && b->n_out < BENCH_BATCH; b->n_out++) {
		unsigned i = b->n_out;

		q[i] = bench_load_question(load, number_of(w, w->n_asked + i));
		b->out[i].len = bench_load_write(load, q[i], (uint16_t)(id + i), b->question[i]);
	}
	uint64_t now_ns = clock_now_ns();
	unsigned sent = b->n_out > 0 ? lane->way.transport->send(lane, b) : 0;
	for (unsigned i = 0; i < sent; i++)
		bench_inflight_add(&lane->asked, q[i], now_ns);
	if (sent > 0 && w->tally->sent == 0)
		w->tally->first_ns = now_ns;
	if (sent > 0)
		w->tally->last_ns = now_ns;
	w->tally->sent += sent;
	w->n_asked += b->n_out;
	w->n_open += sent;
	return sent;
}

static bool
may_ask(const struct bench_worker *w, uint64_t now_ns)
{
	return w->n_asked < w->share && now_ns < w->until_ns;
}

/* How many questions of this thread are due at NOW_NS. */
static uint64_t
due_at(const struct bench_worker *w, uint64_t now_ns)
{
	uint64_t due = bench_pace_due(&w->pace, now_ns < w->until_ns ? now_ns : w->until_ns - 1);
	uint64_t mine = due > w->index ? (due - w->index - 1) / w->plan->n_threads + 1 : 0;

	return mine < w->share ? mine : w->share;
}

/* No lane has room: questions that were due a timeout ago count as unsent. */
static void
give_up_due(struct bench_worker *w, uint64_t now_ns)
{
	uint64_t timeout_ns = w->plan->timeout_ns;
	uint64_t over = now_ns > timeout_ns ? due_at(w, now_ns - timeout_ns) : 0;

	w->tally->no_room++;
	if (over <= w->n_asked)
		return;
	w->tally->faults.unsent += over - w->n_asked;
	w->n_asked = over;
}

/* Open loop: send what is due, by the lanes that have room in turn, a batch each. */
static void
ask_due(struct bench_worker *w, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;
	uint64_t mine = due_at(w, now_ns);

	w->blocked = false;
	if (mine <= w->n_asked)
		return;
	for (unsigned tried = 0; tried < p->n_lanes && mine > w->n_asked; tried++) {
		uint64_t due_ns = bench_pace_time(&w->pace, number_of(w, w->n_asked) - p->first);

		bench_histogram_add_many(&w->tally->lag, now_ns - due_ns,
		    ask(w, &w->lanes[w->next_lane], mine - w->n_asked));
		w->next_lane = (w->next_lane + 1) % p->n_lanes;
		if (w->batch->n_out == BENCH_BATCH)
			return; /* receive replies before more is sent */
	}
	w->blocked = mine > w->n_asked;
	if (w->blocked)
		give_up_due(w, now_ns);
}

/* Closed loop: fill the client's window. */
static void
ask_next(struct bench_worker *w, struct bench_lane *lane, uint64_t now_ns)
{
	while (may_ask(w, now_ns)) {
		if (ask(w, lane, w->share - w->n_asked) < BENCH_BATCH)
			return;
	}
}

/* --- Replies ---------------------------------------------------------------------------------- */

static void
take_replies(struct bench_worker *w, struct bench_lane *lane)
{
	const struct bench_plan *p = w->plan;
	unsigned n;
	uint64_t now_ns;

	do {
		n = lane->way.transport->receive(lane, w->batch);
		now_ns = clock_now_ns();
		for (unsigned i = 0; i < n; i++)
			w->n_open -= bench_outcome_reply(
			    p, w->pace.start_ns, lane, &w->batch->in[i], now_ns, w->tally);
	} while (w->batch->more);
	if (p->rate == 0)
		ask_next(w, lane, now_ns);
}

/* --- Time ------------------------------------------------------------------------------------- */

/* Give up what was asked at SENT_NS or before; returns how many. */
static uint64_t
expire(struct bench_worker *w, struct bench_lane *lane, uint64_t sent_ns, uint64_t now_ns)
{
	uint64_t n = bench_outcome_expire(w->plan, lane, sent_ns, now_ns, w->tally);

	w->n_open -= n;
	return n;
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
		if (p->rate == 0 && w->lanes[i].asked.n_open == 0 && may_ask(w, now_ns))
			return soon_ns;
	}
	return oldest_ns + p->timeout_ns + 1 > soon_ns ? oldest_ns + p->timeout_ns + 1 : soon_ns;
}

static void
tick(struct bench_worker *w, uint64_t now_ns)
{
	const struct bench_plan *p = w->plan;

	if (now_ns < w->expire_ns)
		return;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		struct bench_lane *lane = &w->lanes[i];

		if (now_ns > p->timeout_ns)
			w->tally->overdue += expire(w, lane, now_ns - p->timeout_ns - 1, now_ns);
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

	if (w->plan->rate > 0 && may_ask(w, now_ns) && !w->blocked) {
		uint64_t due_ns =
		    bench_pace_time(&w->pace, number_of(w, w->n_asked) - w->plan->first);

		next_ns = due_ns < next_ns ? due_ns : next_ns;
	}
	return next_ns > now_ns && !w->plan->spin ? next_ns - now_ns : 0;
}

/* Kernels before 5.11 have epoll_wait only, in whole milliseconds. */
static int
wait_for_events(const struct bench_worker *w, struct epoll_event *events, uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC) };

	if (ns == 0)
		return epoll_wait(w->epoll_fd, events, EVENTS, 0);
	int n = epoll_pwait2(w->epoll_fd, events, EVENTS, &ts, NULL);
	if (n < 0 && errno == ENOSYS)
		return epoll_wait(w->epoll_fd, events, EVENTS, (int)(ns / NS_PER_MS));
	return n;
}

static void
receive(struct bench_worker *w, uint64_t now_ns)
{
	struct epoll_event events[EVENTS];

	if (w->lanes[0].patient) {
		take_replies(w, &w->lanes[0]);
		return;
	}
	int n = wait_for_events(w, events, idle_ns(w, now_ns));
	for (int i = 0; i < n; i++)
		take_replies(w, &w->lanes[events[i].data.u32]);
}

static void
begin(struct bench_worker *w, uint64_t start_ns, struct bench_tally *t)
{
	const struct bench_plan *p = w->plan;

	bench_tally_clear(t);
	t->burst = p->burst;
	w->tally = t;
	w->pace = (struct bench_pace){ .start_ns = start_ns, .rate = p->rate, .burst = p->burst };
	w->until_ns =
	    p->duration_ns < UINT64_MAX - start_ns ? start_ns + p->duration_ns : UINT64_MAX;
	w->n_asked = w->n_open = 0;
	w->share = p->n_questions / p->n_threads + (w->index < p->n_questions % p->n_threads);
	w->expire_ns = start_ns + EXPIRE_NS;
	w->blocked = false;
	for (unsigned i = 0; i < p->n_lanes; i++) {
		uint64_t part = w->share / p->n_lanes + (i < w->share % p->n_lanes);

		w->lanes[i].limit = p->even ? w->lanes[i].asked.next + part : UINT64_MAX;
	}
	while (clock_now_ns() < start_ns) {
		struct timespec ts = { .tv_sec = (time_t)(start_ns / NS_PER_SEC),
			.tv_nsec = (long)(start_ns % NS_PER_SEC) };

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
	fresh->burst = w->plan->burst;
	w->tally = fresh;
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

	if (w->n_asked > 0)
		w->tally->n_numbers = number_of(w, w->n_asked - 1) + 1 - w->plan->first;
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
	for (unsigned i = 0; i < w->plan->n_lanes && w->plan->rate == 0; i++)
		ask_next(w, &w->lanes[i], now_ns);
	while ((may_ask(w, now_ns) || w->n_open > 0) &&
	    !atomic_load_explicit(stop, memory_order_relaxed)) {
		if (w->plan->rate > 0)
			ask_due(w, now_ns);
		receive(w, now_ns);
		now_ns = clock_now_ns();
		tick(w, now_ns);
		hand_over(w);
	}
	end(w);
}
