/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole trials against a server that does what it should not (rogue): every question is counted
 * once and as what became of it, and every trial ends.
 */

#include "bench/load/trial.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/plan.h"
#include "bench/rogue.h"
#include "support/testclock.h"
#include "support/tests.h"

#define LONG_NS (20 * NS_PER_SEC)  /* where every answer comes: it ends when they are there */
#define SHORT_NS (300 * NS_PER_MS) /* where some do not */

static struct rogue rogue;
static struct bench_plan plan;
static struct bench_tally tally;
static atomic_bool stop;
static uint64_t took_ns;

static void
set_up(int type, enum rogue_way way)
{
	memset(&rogue, 0, sizeof(rogue));
	rogue.type = type;
	rogue.way = way;
	memset(&plan, 0, sizeof(plan));
	bench_load_init(&plan.load);
	plan.transport = type == SOCK_DGRAM ? &bench_udp : &bench_tcp;
	plan.n_threads = 1;
	plan.n_lanes = 4;
	plan.rate = 2000;
	plan.burst = 1;
	plan.duration_ns = UINT64_MAX;
	plan.timeout_ns = LONG_NS;
	atomic_store(&stop, false);
}

/* N questions to the plan's server; whatever it does, they must add up. */
static void
ask(struct bench_trial *trial, uint64_t first, uint64_t n)
{
	uint64_t start_ns = clock_now_ns();

	ck_assert_int_eq(bench_trial_run(trial, first, n, &stop, &tally), 0);
	took_ns = clock_now_ns() - start_ns;
	ck_assert_uint_le(
	    tally.replies[BENCH_VALID] + bench_tally_wrong(&tally) + tally.late, tally.sent);
	ck_assert_uint_eq(tally.rtt.n, tally.replies[BENCH_VALID]);
	if (!atomic_load(&stop) && plan.duration_ns == UINT64_MAX)
		ck_assert_uint_eq(tally.sent + tally.faults.unsent + tally.paused, n);
}

/* A trial of the plan that asks the rogue, which runs; nothing is asked yet. */
static struct bench_trial *
open_trial(void)
{
	struct bench_trial *trial;

	rogue_start(&rogue);
	plan.server = rogue.addr;
	ck_assert_int_eq(bench_trial_new(&plan, &trial), 0);
	return trial;
}

static void
close_trial(struct bench_trial *trial)
{
	bench_trial_free(trial);
	rogue_stop(&rogue);
}

static void
run(uint64_t n)
{
	struct bench_trial *trial = open_trial();

	ask(trial, 0, n);
	close_trial(trial);
}

/* One that asks N questions by the clock, which is held; what becomes of them is to be taken. */
static struct bench_trial *
start_held(uint64_t n)
{
	testclock_hold();
	struct bench_trial *trial = open_trial();

	bench_tally_clear(&tally);
	bench_trial_set_start(trial, clock_now_ns());
	ck_assert_int_eq(bench_trial_start(trial, 0, n, &stop), 0);
	return trial;
}

/* The rest of it. */
static void
join_held(struct bench_trial *trial)
{
	static struct bench_tally rest;

	bench_trial_join(trial, &rest);
	bench_tally_merge(&tally, &rest);
	close_trial(trial);
}

/* Of N questions those that are counted: a busy machine may have kept the tester from running. */
static uint64_t
counted(uint64_t n)
{
	return n - tally.paused;
}

/* All that is not named in the arguments must be 0. */
static void
expect(uint64_t valid, uint64_t wrong, uint64_t late, uint64_t lost)
{
	ck_assert_uint_eq(tally.replies[BENCH_VALID], valid);
	ck_assert_uint_eq(bench_tally_wrong(&tally), wrong);
	ck_assert_uint_eq(tally.late, late);
	ck_assert_uint_eq(bench_tally_lost(&tally), lost);
}

static void
expect_beside(uint64_t duplicate, uint64_t other, uint64_t stray, uint64_t malformed)
{
	ck_assert_uint_eq(tally.duplicate, duplicate);
	ck_assert_uint_eq(tally.other, other);
	ck_assert_uint_eq(tally.stray, stray);
	ck_assert_uint_eq(tally.malformed, malformed);
}

static void
expect_no_faults(void)
{
	ck_assert_uint_eq(tally.faults.unsent, 0);
	ck_assert_uint_eq(tally.faults.refused, 0);
	ck_assert_uint_eq(tally.faults.dropped, 0);
	ck_assert_uint_eq(tally.faults.closed, 0);
	ck_assert_uint_eq(tally.faults.stalled, 0);
	ck_assert_uint_eq(tally.faults.no_port, 0);
}

static int
type_of(int i)
{
	return i % 2 == 0 ? SOCK_DGRAM : SOCK_STREAM;
}

/* --- Either transport ------------------------------------------------------------------------- */

START_TEST(right_answers_are_all_counted)
{
	set_up(type_of(_i), ROGUE_RIGHT);
	plan.n_threads = 2;
	run(1001);
	expect(1001, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
	ck_assert(bench_tally_good(&tally));
	ck_assert_uint_eq(rogue.n_questions, 1001);
	ck_assert_uint_eq(tally.faults.connections, type_of(_i) == SOCK_STREAM ? 8 : 0);
	ck_assert_uint_ge(took_ns, 500 * NS_PER_MS); /* 1000 at 2000/s */
}
END_TEST

/* Again, by the same lanes, and with other questions. */
START_TEST(second_trial_uses_the_same_lanes)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	trial = open_trial();
	for (unsigned i = 0; i < 3; i++) {
		ask(trial, i * 100, 100);
		expect(100, 0, 0, 0);
		expect_beside(0, 0, 0, 0);
		expect_no_faults();
	}
	close_trial(trial);
	ck_assert_uint_eq(rogue.n_questions, 300);
	ck_assert_uint_eq(rogue.n_connections, type_of(_i) == SOCK_STREAM ? 4 : 0);
}
END_TEST

/* Add what has become of questions until *N is MOST, or the trial has ended, which leaves the rest
 * to be joined. Real time is of no matter. */
static void
take_until(struct bench_trial *trial, const uint64_t *n, uint64_t most)
{
	static struct bench_tally part;

	for (unsigned i = 0; *n < most && !bench_trial_ended(trial) && i < 60000; i++) {
		bench_trial_take(trial, &part);
		bench_tally_merge(&tally, &part);
		(void)usleep(1000);
	}
	ck_assert(*n == most || bench_trial_ended(trial));
}

/*
 * Figures taken while it goes on: before the first question, between any two, and after the last
 * one. None is told twice, none is forgotten, and those under way are told when they are answered.
 */
START_TEST(figures_taken_meanwhile_add_up)
{
	static struct bench_tally part;
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.n_threads = 1 + (unsigned)_i / 2;
	testclock_hold();
	trial = open_trial();
	for (unsigned again = 0; again < 2; again++) {
		uint64_t begin_ns = clock_now_ns();

		bench_tally_clear(&tally);
		bench_trial_set_start(trial, begin_ns + 10 * NS_PER_MS);
		ck_assert_int_eq(bench_trial_start(trial, again * 500, 500, &stop), 0);
		testclock_pass(9 * NS_PER_MS + NS_PER_MS / 2); /* the first is due in a moment */
		for (uint64_t n = 0; n < 500; n += 100) {
			ck_assert_uint_eq(tally.sent, n);
			testclock_pass(50 * NS_PER_MS);
			take_until(trial, &tally.replies[BENCH_VALID], n + 100);
		}
		bench_trial_take(trial, &part);
		bench_tally_merge(&tally, &part);
		bench_trial_join(trial, &part);
		bench_tally_merge(&tally, &part);
		ck_assert_uint_eq(tally.sent, 500);
		ck_assert_uint_eq(tally.n_numbers, 500);
		ck_assert_uint_eq(tally.rtt.n, 500);
		expect(500, 0, 0, 0);
		expect_beside(0, 0, 0, 0);
		expect_no_faults();
		ck_assert_uint_ge(tally.last_ns - begin_ns, 259 * NS_PER_MS); /* 499 at 2000/s */
	}
	close_trial(trial);
	ck_assert_uint_eq(rogue.n_questions, 1000);
}
END_TEST

START_TEST(closed_loop_asks_all)
{
	set_up(type_of(_i), ROGUE_RIGHT);
	plan.rate = 0;
	plan.window = _i / 2 == 0 ? 1 : 50;
	run(3000);
	expect(3000, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
}
END_TEST

/* An end by time, not by number. */
START_TEST(trial_by_time_ends_in_time)
{
	set_up(type_of(_i), ROGUE_RIGHT);
	plan.duration_ns = 300 * NS_PER_MS;
	run(UINT64_MAX);
	expect(tally.sent, 0, 0, 0);
	ck_assert_uint_gt(tally.sent, 0); /* a busy machine may be late */
	ck_assert_uint_le(tally.sent, 600);
}
END_TEST

static const struct {
	enum rogue_way way;
	enum bench_verdict verdict;
} wrong_answers[] = {
	{ ROGUE_ADDRESS, BENCH_WRONG_DATA },
	{ ROGUE_RCODE, BENCH_RCODE },
	{ ROGUE_TC, BENCH_TRUNCATED },
	{ ROGUE_NO_DATA, BENCH_NO_DATA },
	{ ROGUE_TYPE, BENCH_NO_DATA },
};

#define N_WRONG (sizeof(wrong_answers) / sizeof(wrong_answers[0]))

/* A wrong answer is the answer; a right one after it is one too many. */
START_TEST(right_answer_after_a_wrong_one_is_a_duplicate)
{
	size_t which = (size_t)_i / 2 % N_WRONG;

	set_up(type_of(_i), wrong_answers[which].way);
	run(200);
	expect(0, 200, 0, 0);
	ck_assert_uint_eq(tally.replies[wrong_answers[which].verdict], 200);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
	ck_assert(!bench_tally_good(&tally));
}
END_TEST

static const struct {
	enum rogue_way way;
	unsigned n_times;
	bool other, stray, malformed, no_reply;
} no_answers[] = {
	{ ROGUE_SILENT, 1, false, false, false, false },
	{ ROGUE_NAME, 1, true, false, false, false },
	{ ROGUE_ID, 1, false, true, false, false },
	{ ROGUE_STRAY, 1, false, true, false, false },
	{ ROGUE_QUESTION, 1, false, false, false, true },
	{ ROGUE_GARBAGE, 1, false, false, true, false },
	{ ROGUE_EMPTY, 1, false, false, true, false },
	{ ROGUE_NAME, 3, true, false, false, false },
};

#define N_NO_ANSWERS (sizeof(no_answers) / sizeof(no_answers[0]))

static void
expect_no_answers(size_t which, uint64_t n)
{
	n *= no_answers[which].n_times;
	expect_beside(0, no_answers[which].other ? n : 0, no_answers[which].stray ? n : 0,
	    no_answers[which].malformed ? n : 0);
	ck_assert_uint_eq(tally.no_reply, no_answers[which].no_reply ? n : 0);
}

/* A trial beside others, so that all can have a long timeout. */
struct beside {
	struct rogue rogue;
	struct bench_plan plan;
	struct bench_tally tally;
	pthread_t thread;
	int err;
};

static struct beside beside[N_NO_ANSWERS];

static void *
run_beside(void *arg)
{
	struct beside *b = arg;
	struct bench_trial *trial;

	b->err = bench_trial_new(&b->plan, &trial);
	if (b->err != 0)
		return NULL;
	b->err = bench_trial_run(trial, 0, 650, &stop, &b->tally);
	bench_trial_free(trial);
	return NULL;
}

static void
start_beside(int type, size_t which)
{
	struct beside *b = &beside[which];

	set_up(type, no_answers[which].way);
	b->rogue = rogue;
	b->rogue.n_times = no_answers[which].n_times;
	rogue_start(&b->rogue);
	b->plan = plan;
	b->plan.server = b->rogue.addr;
	b->plan.window = 1000; /* of no matter here, but TCP has one */
	b->plan.timeout_ns = NS_PER_SEC;
	ck_assert_int_eq(pthread_create(&b->thread, NULL, run_beside, b), 0);
}

/* What is no answer to any question is counted, and the question is lost. */
START_TEST(what_answers_no_question_is_counted)
{
	for (size_t i = 0; i < N_NO_ANSWERS; i++)
		start_beside(type_of(_i), i);
	for (size_t i = 0; i < N_NO_ANSWERS; i++) {
		ck_assert_int_eq(pthread_join(beside[i].thread, NULL), 0);
		rogue_stop(&beside[i].rogue);
		ck_assert_int_eq(beside[i].err, 0);
		tally = beside[i].tally;
		ck_assert_uint_eq(tally.sent, counted(650));
		expect(0, 0, 0, tally.sent);
		expect_no_answers(i, tally.sent);
		ck_assert_uint_eq(
		    tally.faults.unsent + tally.faults.refused + tally.faults.closed, 0);
		ck_assert_uint_eq(beside[i].rogue.n_questions, tally.sent);
	}
}
END_TEST

/* Nor does it keep the right answer from being seen that comes after. */
START_TEST(no_answer_then_right)
{
	size_t which = (size_t)_i / 2;

	set_up(type_of(_i), no_answers[which].way);
	rogue.n_times = no_answers[which].n_times;
	rogue.then_right = true;
	plan.rate = 10000;
	if (rogue.way == ROGUE_SILENT)
		rogue.way = ROGUE_RIGHT;
	run(650);
	expect(650, 0, 0, 0);
	expect_no_answers(which, 650);
	expect_no_faults();
}
END_TEST

START_TEST(second_answer_is_a_duplicate)
{
	set_up(type_of(_i), ROGUE_TWICE);
	rogue.n_held = UINT32_MAX; /* when it got quiet */
	rogue.n_all = 200;
	run(200);
	expect(200, 0, 0, 0);
	/* The end of the last answer's double is not waited for. */
	ck_assert_uint_ge(tally.duplicate, 199);
	ck_assert_uint_le(tally.duplicate, 200);
	ck_assert(!bench_tally_good(&tally));
}
END_TEST

/* The server has N questions. */
static void
await_questions(uint64_t n)
{
	for (unsigned i = 0; rogue.n_questions < n && i < 60000; i++)
		(void)usleep(1000);
	ck_assert_uint_eq(rogue.n_questions, n);
}

/*
 * The first answers come after the timeout, and all others in time: time passes only when these are
 * there, and then longer than the timeout and the pause that a tester may have.
 */
START_TEST(answers_after_the_timeout_are_late)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_LATE);
	rogue.n_held = 100;
	rogue.delay_ns = 14 * NS_PER_SEC;
	plan.rate = 500;
	plan.burst = 1500;
	plan.window = 1000;
	plan.timeout_ns = 10 * NS_PER_SEC;
	plan.pause_ns = 4 * NS_PER_SEC;
	trial = start_held(1500);
	testclock_pass(10 * NS_PER_MS); /* all are due */
	take_until(trial, &tally.replies[BENCH_VALID], 1400);
	testclock_pass(15 * NS_PER_SEC);
	take_until(trial, &tally.late, 100);
	testclock_pass(plan.timeout_ns + 1); /* for which late ones are waited for */
	join_held(trial);
	ck_assert_uint_eq(tally.sent, 1500);
	expect(1400, 0, 100, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
}
END_TEST

/* Late answers stop no client, as they would if each counted down its open questions once more. */
START_TEST(late_in_a_closed_loop)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_LATE);
	rogue.n_held = rogue.n_all = 4;
	rogue.delay_ns = 5 * NS_PER_SEC;
	plan.rate = 0;
	plan.n_lanes = 1;
	plan.window = 2;
	plan.timeout_ns = 10 * NS_PER_SEC;
	trial = start_held(1000);
	take_until(trial, &tally.sent, 2);
	await_questions(2);
	testclock_pass(11 * NS_PER_SEC + 1); /* the timeout and a pause: both are given up */
	take_until(trial, &tally.sent, 4);
	await_questions(4);
	testclock_pass(rogue.delay_ns + 1); /* all four answers come, two of them late */
	take_until(trial, &tally.replies[BENCH_VALID], 998);
	testclock_pass(plan.timeout_ns + 1); /* for which late ones are waited for */
	join_held(trial);
	expect(998, 0, 2, 0);
	expect_beside(0, 0, 0, 0);
}
END_TEST

/* One question without an answer does not stop the others of its window: they are all asked before
 * it has one. */
START_TEST(lost_in_a_closed_loop)
{
	set_up(type_of(_i), ROGUE_LATE);
	rogue.n_held = 1;
	rogue.n_all = 250;
	rogue.delay_ns = 100 * NS_PER_MS;
	plan.rate = 0;
	plan.n_lanes = 1;
	plan.window = 4;
	run(250);
	expect(250, 0, 0, 0);
	ck_assert_uint_ge(tally.rtt.max_ns, tally.last_ns - tally.first_ns);
}
END_TEST

START_TEST(answers_in_reverse_order_are_right)
{
	set_up(type_of(_i), ROGUE_REVERSED);
	rogue.n_held = 50;
	run(500);
	expect(500, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
}
END_TEST

START_TEST(trial_without_a_listener_loses_all)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.timeout_ns = SHORT_NS;
	plan.rate = _i / 2 == 0 ? 1000 : 0;
	plan.window = 10;
	rogue_nobody(type_of(_i), &plan.server);
	ck_assert_int_eq(bench_trial_new(&plan, &trial), 0);
	ask(trial, 0, 100);
	bench_trial_free(trial);
	expect(0, 0, 0, tally.sent);
	expect_beside(0, 0, 0, 0);
	ck_assert_uint_gt(tally.sent, 0);
	ck_assert_uint_gt(tally.faults.refused, 0);
	ck_assert_uint_lt(tally.faults.refused, 2000); /* pauses */
	ck_assert_uint_eq(tally.faults.closed + tally.faults.connections, 0);
	ck_assert_uint_lt(took_ns, LONG_NS);
}
END_TEST

/* --- Ctrl-C ----------------------------------------------------------------------------------- */

/* When something was asked, or many were answered. */
static void *
stop_soon(void *arg)
{
	const uint64_t begin_ns = clock_now_ns();

	while ((rogue.way == ROGUE_SILENT ? rogue.n_questions < 1 : rogue.n_answers < 200) &&
	    clock_now_ns() - begin_ns < LONG_NS)
		(void)usleep(1000);
	(void)usleep(20000);
	atomic_store(&stop, true);
	return arg;
}

START_TEST(ends_early_when_told_to)
{
	pthread_t thread;

	set_up(type_of(_i), _i / 2 % 2 == 0 ? ROGUE_SILENT : ROGUE_RIGHT);
	plan.rate = _i / 4 == 0 ? 2000 : 0;
	plan.window = 20;
	plan.n_threads = 2;
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, NULL), 0);
	run(UINT64_MAX);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_lt(took_ns, LONG_NS); /* after which questions are lost */
	ck_assert_uint_gt(tally.sent, 0);
	if (_i / 2 % 2 == 0)
		expect(0, 0, 0, tally.sent);
	else
		ck_assert_uint_gt(tally.replies[BENCH_VALID], 0);
	expect_beside(0, 0, 0, 0);
}
END_TEST

/* --- Datagrams -------------------------------------------------------------------------------- */

/* More questions than there are IDs, open by one source port: the others have no room there. */
START_TEST(no_id_is_open_twice)
{
	set_up(SOCK_DGRAM, ROGUE_SILENT);
	plan.n_lanes = 1;
	plan.rate = 60000;
	plan.timeout_ns = 4 * NS_PER_SEC;
	run(100000);
	ck_assert_uint_le(tally.sent, 65536);
	ck_assert_uint_gt(tally.faults.unsent + tally.paused, 100000 - 65537);
	expect(0, 0, 0, tally.sent);
}
END_TEST

/* The next port takes them. */
START_TEST(ids_of_two_ports)
{
	set_up(SOCK_DGRAM, ROGUE_REVERSED);
	plan.n_lanes = 2;
	plan.rate = 60000;
	rogue.n_held = UINT32_MAX; /* when it got quiet */
	run(90000);
	/* Where sockets may have but little room some get lost. */
	ck_assert_uint_gt(rogue.n_questions, 70000);
	expect(rogue.n_questions - tally.faults.dropped, 0, 0,
	    90000 - rogue.n_questions + tally.faults.dropped);
	expect_beside(0, 0, 0, 0);
}
END_TEST

/* Every lane has an address of its own, which this machine has no need to know. */
static void
come_from_networks(void)
{
	ck_assert(bench_clients_parse("127.0.0.0/8", &plan.clients.network[0]));
	plan.clients.n = 1;
}

/* The kernel would let us know nothing of them, as the socket is connected. */
START_TEST(answers_from_another_port_are_told)
{
	struct bench_trial *trial;

	set_up(SOCK_DGRAM, ROGUE_ELSEWHERE);
	if (_i == 1)
		come_from_networks();
	plan.timeout_ns = SHORT_NS;
	trial = open_trial();
	for (unsigned i = 0; i < 2; i++) {
		ask(trial, i * 200, 200);
		expect(0, 0, 0, counted(200));
		expect_beside(0, 0, 0, 0);
		ck_assert_uint_eq(tally.faults.elsewhere, tally.sent);
	}
	close_trial(trial);
}
END_TEST

/* Each lane has a port of its own, which no other is given. */
START_TEST(lanes_do_not_share_a_port)
{
	set_up(SOCK_DGRAM, ROGUE_RIGHT);
	if (_i == 1)
		come_from_networks();
	plan.n_lanes = 500;
	plan.rate = 5000;
	run(1000);
	expect(1000, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
}
END_TEST

/* --- Pauses ----------------------------------------------------------------------------------- */

/* Trials in processes of their own, side by side, which stand still for a while. */
struct stopped {
	struct rogue rogue;
	struct bench_plan plan;
	struct bench_tally *tally; /* shared with the child */
	int fd[2];                 /* by which it is told the server's address */
	pid_t child;
};

static struct stopped stopped[4];

/* The child: the trial of N questions. */
static void
ask_in_child(struct stopped *s, uint64_t n)
{
	struct bench_trial *trial;

	if (read(s->fd[0], &s->plan.server, sizeof(s->plan.server)) != sizeof(s->plan.server) ||
	    bench_trial_new(&s->plan, &trial) != 0 ||
	    bench_trial_run(trial, 0, n, &stop, s->tally) != 0)
		_exit(1);
	_exit(0);
}

/* The trial that was set up last; it waits for its server. */
static void
prepare_stopped(struct stopped *s, uint64_t n)
{
	s->rogue = rogue;
	s->plan = plan;
	s->tally = mmap(
	    NULL, sizeof(*s->tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(s->tally, MAP_FAILED);
	ck_assert_int_eq(pipe(s->fd), 0);
	s->child = fork();
	ck_assert_int_ge(s->child, 0);
	if (s->child == 0)
		ask_in_child(s, n);
}

static void
start_stopped(struct stopped *s)
{
	rogue_start(&s->rogue);
	ck_assert_int_eq(
	    write(s->fd[1], &s->rogue.addr, sizeof(s->rogue.addr)), (ssize_t)sizeof(s->rogue.addr));
}

static void
signal_all(int what)
{
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(kill(stopped[i].child, what), 0);
}

static void
end_stopped(struct stopped *s)
{
	int state;

	ck_assert_int_eq(waitpid(s->child, &state, 0), s->child);
	ck_assert_int_eq(state, 0);
	rogue_stop(&s->rogue);
	(void)close(s->fd[0]);
	(void)close(s->fd[1]);
}

/* The children are there before the servers are: a process with threads has none that have some. */
static void
run_stopped(unsigned before_ms, unsigned stopped_ms)
{
	for (unsigned i = 0; i < 4; i++)
		start_stopped(&stopped[i]);
	for (unsigned i = 0; i < 4; i++) {
		while (stopped[i].rogue.n_questions == 0 && kill(stopped[i].child, 0) == 0)
			(void)usleep(1000);
	}
	(void)usleep(before_ms * 1000);
	signal_all(SIGSTOP);
	(void)usleep(stopped_ms * 1000);
	signal_all(SIGCONT);
	for (unsigned i = 0; i < 4; i++)
		end_stopped(&stopped[i]);
}

/* What the tester does not do is not the server's fault: nothing is late, nothing took long. */
START_TEST(pause_of_the_tester_is_taken_out)
{
	for (int i = 0; i < 4; i++) {
		set_up(type_of(i), ROGUE_RIGHT);
		plan.timeout_ns = 2 * NS_PER_SEC;
		plan.n_threads = 1 + (unsigned)i / 2;
		prepare_stopped(&stopped[i], 6000);
	}
	run_stopped(300, 2400);
	for (unsigned i = 0; i < 4; i++) {
		unsigned n_threads = stopped[i].plan.n_threads;

		tally = *stopped[i].tally;
		expect(tally.sent, 0, 0, 0);
		expect_beside(0, 0, 0, 0);
		expect_no_faults();
		ck_assert_uint_eq(tally.sent + tally.paused, 6000);
		/* 2.4 s at 2000/s, but for the last moments */
		ck_assert_uint_ge(tally.paused, 4400);
		ck_assert_uint_ge(tally.pauses, n_threads);
		ck_assert_uint_ge(tally.pause_ns, 2200 * NS_PER_MS * n_threads);
		ck_assert_uint_lt(tally.rtt.max_ns, 1800 * NS_PER_MS);
		/* More than a batch is never sent at once after it. */
		ck_assert_uint_lt(tally.lag.max_ns, 1800 * NS_PER_MS);
	}
}
END_TEST

/* So is what was due before it could begin: an agent may be stopped while it waits for the start.
 */
START_TEST(late_start_is_a_pause)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.timeout_ns = 5 * NS_PER_SEC;
	trial = open_trial();
	bench_trial_set_start(trial, clock_now_ns() - NS_PER_SEC);
	ck_assert_int_eq(bench_trial_start(trial, 0, 4000, &stop), 0);
	bench_trial_join(trial, &tally);
	close_trial(trial);
	ck_assert_uint_eq(tally.sent + tally.paused, 4000);
	ck_assert_uint_ge(tally.paused, 2000); /* 1 s at 2000/s */
	ck_assert_uint_ge(tally.pauses, plan.n_threads);
	ck_assert_uint_lt(tally.lag.max_ns, 500 * NS_PER_MS);
}
END_TEST

/* A client of a closed loop, to which no question is due, has lost that time, too. */
START_TEST(late_start_of_a_closed_loop_is_a_pause)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.rate = 0;
	plan.window = 1;
	plan.timeout_ns = 5 * NS_PER_SEC;
	testclock_hold();
	trial = open_trial();
	bench_trial_set_start(trial, clock_now_ns() - NS_PER_SEC);
	ck_assert_int_eq(bench_trial_start(trial, 0, 100, &stop), 0);
	bench_trial_join(trial, &tally);
	close_trial(trial);
	expect(100, 0, 0, 0);
	ck_assert_uint_eq(tally.pauses, 1);
	ck_assert_uint_eq(tally.pause_ns, NS_PER_SEC);
}
END_TEST

/*
 * MS pass at once, of the clock that is held. The worker has seen it and asked what was due: one
 * that ends a turn may have read the clock before, and the next one asks by what that one read.
 */
static void
let_pass(struct bench_trial *trial, unsigned ms)
{
	static struct bench_tally part;

	testclock_pass(ms * NS_PER_MS);
	for (unsigned i = 0; i < 3; i++) {
		bench_trial_take(trial, &part);
		bench_tally_merge(&tally, &part);
	}
}

/*
 * One that stood still for 35 ms, less than a pause: what is overdue does not leave at once, but at
 * twice the pace. By the clock that is held.
 */
START_TEST(overdue_questions_are_spread)
{
	struct bench_trial *trial;
	uint64_t most;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.rate = 12000;
	plan.window = 60000;
	trial = start_held(6000);
	let_pass(trial, 35);
	/* Of 421. */
	ck_assert_uint_ge(tally.sent, 128);
	ck_assert_uint_le(tally.sent, 131);
	for (unsigned ms = 1; ms <= 20; ms++) {
		let_pass(trial, 1);
		most = 131 + 24 * ms + 1;
		ck_assert_uint_le(tally.sent, most);
		ck_assert_uint_ge(tally.sent, most - 5);
	}
	for (unsigned ms = 0; ms < 30; ms++)
		let_pass(trial, 1);
	ck_assert_uint_ge(tally.sent, 85 * 12); /* it has caught up */
	while (!bench_trial_ended(trial))
		let_pass(trial, 1);
	join_held(trial);
	ck_assert_uint_eq(tally.pauses + tally.paused, 0);
	expect(6000, 0, 0, 0);
	ck_assert_uint_ge(tally.overdue_at_once, 34 * 12);
	ck_assert_uint_le(tally.overdue_at_once, 35 * 12 + 1);
	ck_assert_uint_le(tally.crowd, 131 + 25);
	/* The first may have left at once, if its thread came first; then the second lags most. */
	ck_assert_uint_ge(tally.lag.max_ns / NS_PER_MS, 34);
	ck_assert_uint_le(tally.lag.max_ns / NS_PER_MS, 35);
	ck_assert_uint_gt(tally.gaps.n, 5000);
}
END_TEST

/* Answers that are missing to questions that were overdue are told apart from others. */
START_TEST(missing_answers_to_overdue_questions)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_SILENT);
	plan.rate = 12000;
	plan.window = 60000;
	plan.timeout_ns = NS_PER_SEC;
	trial = start_held(3000);
	let_pass(trial, 35);
	while (tally.sent < 3000)
		let_pass(trial, 1);
	while (!bench_trial_ended(trial))
		let_pass(trial, 90);
	join_held(trial);
	ck_assert_uint_eq(tally.pauses + tally.paused, 0);
	expect(0, 0, 0, 3000);
	ck_assert_uint_ge(tally.missing_behind, 500);
	ck_assert_uint_le(tally.missing_behind, 800);
}
END_TEST

/*
 * One that stands still again and again, each time for less than a pause, does not catch up: what
 * is late by more than one is taken out. By the clock that is held.
 */
START_TEST(what_it_never_catches_up_with_is_taken_out)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	plan.rate = 12000;
	plan.window = 60000;
	plan.pause_ns = 100 * NS_PER_MS;
	trial = start_held(6000);
	while (!bench_trial_ended(trial))
		let_pass(trial, 35);
	join_held(trial);
	/* Of the 420 questions of 35 ms some 128 leave: after five times 100 ms are overdue. */
	ck_assert_uint_ge(tally.pauses, 2);
	ck_assert_uint_ge(tally.paused, 2 * 100 * 12);
	ck_assert_uint_eq(tally.sent + tally.paused, 6000);
	ck_assert_uint_le(tally.lag.max_ns, plan.pause_ns);
	expect(tally.sent, 0, 0, 0);
}
END_TEST

static unsigned n_sends;

/* One of the first batches takes a second to be sent. */
static unsigned
send_slowly(struct bench_lane *lane, struct bench_batch *b)
{
	const struct timespec second = { .tv_sec = 1 };

	if (++n_sends == 3)
		(void)nanosleep(&second, NULL);
	return bench_udp.send(lane, b);
}

/* While it was being sent, too, a question is no one's to answer. */
START_TEST(pause_within_a_send_is_taken_out)
{
	struct bench_transport slow = bench_udp;

	set_up(SOCK_DGRAM, ROGUE_RIGHT);
	slow.send = send_slowly;
	n_sends = 0;
	plan.transport = &slow;
	plan.timeout_ns = 5 * NS_PER_SEC;
	run(4000);
	ck_assert_uint_ge(tally.paused, 1000);
	ck_assert_uint_lt(tally.paused, 4000);
	expect(counted(4000), 0, 0, 0);
	ck_assert_double_lt(bench_tally_rtt_us(&tally, 100), 1e6);
}
END_TEST

/* Questions that the server had wait before that are no part of it. */
START_TEST(pause_does_not_excuse_the_server)
{
	struct bench_trial *trial;

	set_up(SOCK_STREAM, ROGUE_LATE);
	rogue.n_held = 5;
	rogue.delay_ns = 3 * NS_PER_SEC;
	plan.timeout_ns = 5 * NS_PER_SEC;
	plan.rate = 1000;
	plan.n_lanes = 1;
	plan.window = 5;
	trial = start_held(2500);
	for (unsigned i = 0; i < 7; i++)
		let_pass(trial, 100);
	let_pass(trial, 1200);
	/* Its answers are due: however long it takes for them, no question's time ends. */
	for (unsigned i = 0; i < 13; i++)
		let_pass(trial, 100);
	while (!bench_trial_ended(trial))
		let_pass(trial, 0);
	join_held(trial);
	ck_assert_uint_eq(tally.pauses, 1);
	/* 701 were due before, of which five were asked; 1,200 meanwhile. */
	ck_assert_uint_eq(tally.faults.unsent, 696);
	ck_assert_uint_eq(tally.paused, 1200);
	ck_assert_uint_eq(tally.sent, 604);
}
END_TEST

/* Four closed loops that are stopped meanwhile. Were all of their questions answered in time?
 */
static bool
stop_closed_loops(void)
{
	bool all = true;

	for (int i = 0; i < 4; i++) {
		set_up(type_of(i), ROGUE_RIGHT);
		plan.rate = 0;
		/* the only client waits in its receive */
		plan.n_lanes = 1 + 3 * ((unsigned)i / 2);
		plan.window = 1;
		plan.timeout_ns = NS_PER_SEC;
		plan.duration_ns = 3 * NS_PER_SEC;
		prepare_stopped(&stopped[i], UINT64_MAX);
	}
	run_stopped(300, 1200);
	for (unsigned i = 0; i < 4; i++)
		all = all && stopped[i].tally->replies[BENCH_VALID] == stopped[i].tally->sent;
	return all;
}

/*
 * A client's answer that came while it stood still has its right time, too. A busy machine may keep
 * a server from running for the second that an answer has, but not each time.
 */
START_TEST(pause_in_a_closed_loop)
{
	for (unsigned i = 0; i < 4 && !stop_closed_loops(); i++)
		;
	for (unsigned i = 0; i < 4; i++) {
		tally = *stopped[i].tally;
		ck_assert_uint_ge(tally.pauses, 1);
		expect(tally.sent, 0, 0, 0);
		ck_assert_uint_lt(tally.rtt.max_ns, 900 * NS_PER_MS);
	}
}
END_TEST

/* --- Connections ------------------------------------------------------------------------------ */

/* Connections that end take their questions with them, and others come in their place. */
START_TEST(ends_of_connections)
{
	static const enum rogue_way ways[] = { ROGUE_CUT, ROGUE_CLOSE };

	set_up(SOCK_STREAM, ways[_i]);
	plan.timeout_ns = SHORT_NS;
	plan.rate = 500;
	run(200);
	expect(0, 0, 0, counted(200));
	expect_beside(0, 0, 0, 0);
	ck_assert_uint_ge(tally.faults.closed, 4);
	ck_assert_uint_le(tally.faults.closed, rogue.n_closed);
	ck_assert_uint_ge(tally.faults.connections, tally.faults.closed);
	ck_assert_uint_le(tally.faults.connections, 1000); /* pauses */
	ck_assert_uint_eq(tally.faults.refused + tally.faults.unsent + tally.faults.stalled, 0);
}
END_TEST

/* What was asked behind the last question that such a server answers is lost. */
START_TEST(ends_after_each_answer)
{
	set_up(SOCK_STREAM, ROGUE_ONE);
	plan.rate = 0;
	plan.window = 2;
	plan.timeout_ns = NS_PER_SEC;
	run(40);
	expect(tally.replies[BENCH_VALID], 0, 0, 40 - tally.replies[BENCH_VALID]);
	expect_beside(0, 0, 0, 0);
	ck_assert_uint_gt(tally.replies[BENCH_VALID], 10);
	ck_assert_uint_ge(tally.faults.closed, tally.replies[BENCH_VALID] - 4);
	ck_assert_uint_le(tally.faults.closed, rogue.n_closed);
}
END_TEST

/* With as many questions on a connection as it answers nothing is. */
START_TEST(one_per_connection)
{
	set_up(SOCK_STREAM, _i == 0 ? ROGUE_ONE : ROGUE_RIGHT);
	plan.rate = 0;
	plan.window = 1;
	plan.per_connection = 1;
	run(200);
	expect(200, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	/* Idle at the end, a lane may see that the server was first. */
	unsigned most = _i == 0 ? plan.n_lanes : 0;
	ck_assert_uint_le(tally.faults.closed, most);
	ck_assert_uint_ge(tally.faults.connections, 200);
	ck_assert_uint_le(tally.faults.connections, 200 + most);
	ck_assert_uint_ge(rogue.n_connections, 200);
	ck_assert_uint_le(rogue.n_connections, 200 + most);
	ck_assert_uint_eq(tally.faults.refused + tally.faults.unsent + tally.faults.stalled, 0);
}
END_TEST

START_TEST(ten_per_connection)
{
	set_up(SOCK_STREAM, ROGUE_RIGHT);
	plan.n_lanes = 1;
	plan.per_connection = 10;
	run(1000);
	expect(1000, 0, 0, 0);
	expect_no_faults();
	ck_assert_uint_eq(tally.faults.connections, 100);
	ck_assert_uint_eq(rogue.n_connections, 100);
}
END_TEST

/* Never whole, so never an answer; the connection is given up in the end. */
START_TEST(length_too_long_is_no_answer)
{
	set_up(SOCK_STREAM, ROGUE_LONG);
	plan.timeout_ns = 100 * NS_PER_MS;
	plan.rate = 200;
	run(160);
	expect(0, 0, 0, counted(160));
	expect_beside(0, 0, 0, 0);
	ck_assert_uint_gt(tally.faults.stalled, 0);
	ck_assert_uint_eq(tally.faults.refused + tally.faults.unsent + tally.faults.closed, 0);
}
END_TEST

START_TEST(length_too_short_is_malformed)
{
	set_up(SOCK_STREAM, ROGUE_SHORT);
	plan.timeout_ns = SHORT_NS;
	run(160);
	expect(0, 0, 0, counted(160));
	ck_assert_uint_ge(tally.malformed, 4);
	ck_assert_uint_eq(tally.duplicate + tally.other + tally.stray, 0);
}
END_TEST

START_TEST(replies_byte_by_byte_are_right)
{
	set_up(SOCK_STREAM, ROGUE_BYTES);
	plan.rate = 200;
	run(60);
	expect(60, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
	expect_no_faults();
}
END_TEST

/* More messages in one read than are handed out at once. */
START_TEST(more_than_one_read_is_handed_out)
{
	set_up(SOCK_STREAM, ROGUE_EMPTY);
	rogue.n_times = 20000;
	rogue.then_right = true;
	plan.n_lanes = 1;
	plan.rate = 50;
	run(3);
	expect(3, 0, 0, 0);
	expect_beside(0, 0, 0, 60000);
	expect_no_faults();
}
END_TEST

/* The first answer takes long, and those behind it wait: their times say so. */
START_TEST(time_runs_from_when_a_question_is_due)
{
	set_up(SOCK_STREAM, ROGUE_LATE);
	rogue.n_held = 1;
	rogue.delay_ns = 300 * NS_PER_MS;
	plan.n_lanes = 1;
	plan.window = 1;
	plan.rate = 100;
	run(60);
	expect(60, 0, 0, 0);
	expect_no_faults();
	/* 30 of the 60 are due meanwhile, one each 10 ms. */
	ck_assert_double_ge(bench_tally_rtt_us(&tally, 99.9), 290e3);
	ck_assert_double_ge(bench_tally_rtt_us(&tally, 70), 90e3);
	/* But the tester was not late. */
	ck_assert_uint_gt(tally.no_room, 0);
	ck_assert_uint_lt(tally.lag.max_ns, 200 * NS_PER_MS);
}
END_TEST

/* The windows fill up; the questions that waited for a place have little of their time left. */
START_TEST(server_that_never_reads_fills_the_windows)
{
	set_up(SOCK_STREAM, ROGUE_DEAF);
	plan.timeout_ns = 100 * NS_PER_MS;
	plan.rate = 10000;
	plan.n_lanes = 2;
	run(10000);
	expect(0, 0, 0, tally.sent);
	expect_beside(0, 0, 0, 0);
	ck_assert_uint_gt(tally.faults.stalled, 0);
	ck_assert_uint_gt(tally.no_room, 0);
	ck_assert_uint_lt(took_ns, LONG_NS);
}
END_TEST

/* A window of datagrams does the same. */
START_TEST(full_window_loses_no_question)
{
	set_up(SOCK_DGRAM, ROGUE_SILENT);
	plan.timeout_ns = 100 * NS_PER_MS;
	plan.rate = 5000;
	plan.n_lanes = 1;
	plan.window = 10;
	run(2500);
	expect(0, 0, 0, tally.sent);
	ck_assert_uint_le(tally.sent, 1000);
	ck_assert_uint_gt(tally.no_room, 0);
	ck_assert_uint_lt(took_ns, LONG_NS);
}
END_TEST

/* No port or descriptor: told before anything is sent. */
START_TEST(lack_of_ports_is_told_before_the_start)
{
	struct bench_trial *trial;

	set_up(type_of(_i), ROGUE_RIGHT);
	ck_assert(netaddr_parse("255.255.255.255", 53, &plan.server));
	ck_assert_int_lt(bench_trial_new(&plan, &trial), 0);
}
END_TEST

static void
tear_down(void)
{
	testclock_reset();
}

static void
add_both(TCase *tc)
{
	tcase_add_loop_test(tc, right_answers_are_all_counted, 0, 2);
	tcase_add_loop_test(tc, second_trial_uses_the_same_lanes, 0, 2);
	tcase_add_loop_test(tc, figures_taken_meanwhile_add_up, 0, 4);
	tcase_add_loop_test(tc, closed_loop_asks_all, 0, 4);
	tcase_add_loop_test(tc, trial_by_time_ends_in_time, 0, 2);
	tcase_add_loop_test(tc, right_answer_after_a_wrong_one_is_a_duplicate, 0, 2 * (int)N_WRONG);
	tcase_add_loop_test(tc, what_answers_no_question_is_counted, 0, 2);
	tcase_add_loop_test(tc, no_answer_then_right, 0, 2 * (int)N_NO_ANSWERS);
	tcase_add_loop_test(tc, second_answer_is_a_duplicate, 0, 2);
	tcase_add_loop_test(tc, answers_after_the_timeout_are_late, 0, 2);
	tcase_add_loop_test(tc, late_in_a_closed_loop, 0, 2);
	tcase_add_loop_test(tc, lost_in_a_closed_loop, 0, 2);
	tcase_add_loop_test(tc, answers_in_reverse_order_are_right, 0, 2);
	tcase_add_loop_test(tc, trial_without_a_listener_loses_all, 0, 4);
	tcase_add_loop_test(tc, ends_early_when_told_to, 0, 8);
	tcase_add_loop_test(tc, lack_of_ports_is_told_before_the_start, 0, 2);
}

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);

	tcase_add_checked_fixture(tc, NULL, tear_down);
	add_both(tc);
	tcase_add_test(tc, no_id_is_open_twice);
	tcase_add_test(tc, ids_of_two_ports);
	tcase_add_test(tc, full_window_loses_no_question);
	tcase_add_loop_test(tc, answers_from_another_port_are_told, 0, 2);
	tcase_add_loop_test(tc, lanes_do_not_share_a_port, 0, 2);
	tcase_add_test(tc, pause_of_the_tester_is_taken_out);
	tcase_add_loop_test(tc, late_start_is_a_pause, 0, 2);
	tcase_add_loop_test(tc, late_start_of_a_closed_loop_is_a_pause, 0, 2);
	tcase_add_test(tc, pause_within_a_send_is_taken_out);
	tcase_add_loop_test(tc, overdue_questions_are_spread, 0, 2);
	tcase_add_loop_test(tc, missing_answers_to_overdue_questions, 0, 2);
	tcase_add_loop_test(tc, what_it_never_catches_up_with_is_taken_out, 0, 2);
	tcase_add_test(tc, pause_in_a_closed_loop);
	tcase_add_test(tc, pause_does_not_excuse_the_server);
	tcase_add_loop_test(tc, ends_of_connections, 0, 2);
	tcase_add_test(tc, ends_after_each_answer);
	tcase_add_loop_test(tc, one_per_connection, 0, 2);
	tcase_add_test(tc, ten_per_connection);
	tcase_add_test(tc, length_too_long_is_no_answer);
	tcase_add_test(tc, length_too_short_is_malformed);
	tcase_add_test(tc, replies_byte_by_byte_are_right);
	tcase_add_test(tc, more_than_one_read_is_handed_out);
	tcase_add_test(tc, time_runs_from_when_a_question_is_due);
	tcase_add_test(tc, server_that_never_reads_fills_the_windows);
}
