/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that empties spools: every record once, in turn; settings and the end are not held up.
 */

#include "daemon/spooler.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "support/heard.h"
#include "support/tests.h"

#define CAP 4096      /* bytes of a spool */
#define PER_SPOOL 256 /* records of 8 bytes that it takes */
#define GOT 2048
#define ROUNDS 3
#define OTHER 1000   /* numbers from here on are in the second spool */
#define SPARE_MS 700 /* of a busy machine */

/* An output; what the thread writes is read by the main thread once it has waited for it. */
static struct sink {
	struct spooler spooler;
	int next, now; /* the settings */
	_Atomic int used;
	uint64_t got[GOT];
	atomic_uint n, n_rounds, n_flushed, n_closed;
	atomic_bool stuck, refilled;
	bool lame;              /* opens nothing */
	int refuse;             /* that many records are the last of their round */
	unsigned begun[ROUNDS]; /* n when the first rounds began */
	bool last;              /* the last one has begun */
	bool hurried;           /* and wake_fd could be read then */
} sink;

static struct spool spools[2];

/* Put the numbers from FIRST on into SPOOL, N of them. */
static void
fill(struct spool *spool, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t number = first + i;
		void *to = spool_begin(spool, sizeof(number));

		ck_assert_ptr_nonnull(to);
		memcpy(to, &number, sizeof(number));
		spool_end(spool);
	}
}

static bool
sink_open(void *arg)
{
	return !((struct sink *)arg)->lame;
}

static void
sink_use(void *arg)
{
	struct sink *k = arg;

	k->now = k->next;
	atomic_store(&k->used, k->now);
}

static void
sink_begin(void *arg, bool last)
{
	struct sink *k = arg;

	struct pollfd p = { .fd = k->spooler.wake_fd, .events = POLLIN };
	unsigned round = atomic_fetch_add(&k->n_rounds, 1);

	if (round < ROUNDS)
		k->begun[round] = atomic_load(&k->n);
	else
		atomic_store(&k->refilled, false);
	k->last = last;
	k->hurried = last && poll(&p, 1, 0) == 1;
}

/* Waits while its reader is stuck, whatever comes. */
static bool
sink_put(void *arg, const void *record, size_t len)
{
	struct sink *k = arg;

	ck_assert_uint_eq(len, sizeof(uint64_t));
	while (atomic_load(&k->stuck))
		(void)poll(NULL, 0, 10);
	memcpy(&k->got[atomic_load(&k->n) % GOT], record, len);
	if (atomic_load(&k->refilled) && k->got[atomic_load(&k->n) % GOT] < OTHER)
		fill(&spools[0], 0, 1);
	atomic_fetch_add(&k->n, 1);
	return k->refuse-- <= 0;
}

static void
sink_flush(void *arg)
{
	struct sink *k = arg;

	atomic_store(&k->n_flushed, atomic_load(&k->n));
}

static void
sink_close(void *arg)
{
	atomic_fetch_add(&((struct sink *)arg)->n_closed, 1);
}

static const struct spooler_output output = { .name = "sink",
	.what = "numbers",
	.thread = "sink",
	.open = sink_open,
	.use = sink_use,
	.begin = sink_begin,
	.put = sink_put,
	.flush = sink_flush,
	.close = sink_close };

static void
setup(void)
{
	memset(&sink, 0, sizeof(sink));
	spooler_init(&sink.spooler);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(spool_init(&spools[i], CAP));
		spooler_add(&sink.spooler, &spools[i]);
	}
	heard_start(LOG_LEVEL_NOTICE);
}

static void
teardown(void)
{
	heard_end();
	for (unsigned i = 0; i < 2; i++)
		spool_fini(&spools[i]);
}

static void
start(void)
{
	ck_assert(spooler_start(&sink.spooler, &output, &sink));
}

static void
wait_for(const atomic_uint *counter, unsigned n)
{
	for (unsigned i = 0; i < 1000 && atomic_load(counter) < n; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_ge(atomic_load(counter), n);
}

/* All that was there, spool by spool; what came later, too; and it is flushed. */
START_TEST(every_record_once)
{
	fill(&spools[0], 0, PER_SPOOL);
	fill(&spools[1], OTHER, PER_SPOOL);
	start();
	start(); /* it runs */
	wait_for(&sink.n_flushed, 2 * PER_SPOOL);
	fill(&spools[1], OTHER + PER_SPOOL, 2);
	wait_for(&sink.n_flushed, 2 * PER_SPOOL + 2);
	fill(&spools[0], PER_SPOOL, 1); /* what is left at the end is written too */
	ck_assert(spooler_end(&sink.spooler));
	ck_assert_uint_eq(atomic_load(&sink.n_flushed), 2 * PER_SPOOL + 3);
	for (unsigned i = 0; i < 2 * PER_SPOOL; i++)
		ck_assert_uint_eq(sink.got[i], i < PER_SPOOL ? i : (uint64_t)OTHER + i - PER_SPOOL);
	ck_assert_uint_eq(sink.got[2 * PER_SPOOL + 2], PER_SPOOL);
	ck_assert(sink.last);
	ck_assert_uint_eq(atomic_load(&sink.n_closed), 1);
	ck_assert_uint_eq(heard_all(), 0);
}
END_TEST

/* A spool that is filled as fast as it is read has its turn, and the other one has, too. */
START_TEST(busy_spool_starves_nobody)
{
	fill(&spools[0], 0, 1);
	fill(&spools[1], OTHER, 1);
	atomic_store(&sink.refilled, true);
	start();
	wait_for(&sink.n_rounds, ROUNDS);
	ck_assert(spooler_end(&sink.spooler));
	ck_assert_uint_eq(sink.begun[1], CAP / sizeof(uint64_t) + 1);
	ck_assert_uint_eq(sink.got[CAP / sizeof(uint64_t)], OTHER);
}
END_TEST

/* An output that takes no more: what is left in all spools is for the next round. */
START_TEST(output_may_refuse)
{
	sink.refuse = 2;
	fill(&spools[0], 0, 4);
	fill(&spools[1], 10, 1);
	start();
	wait_for(&sink.n_flushed, 5);
	ck_assert(spooler_end(&sink.spooler));
	ck_assert_uint_eq(sink.begun[1], 1);
	ck_assert_uint_eq(sink.begun[2], 2);
	ck_assert_uint_eq(sink.got[4], 10);
}
END_TEST

/* Settings are taken between two rounds, the last ones only; who changes them waits for nobody. */
START_TEST(settings_are_taken)
{
	atomic_store(&sink.stuck, true);
	fill(&spools[0], 0, 2);
	start();
	wait_for(&sink.n_rounds, 1);
	for (int i = 1; i <= 3; i++) {
		struct pollfd p = { .fd = sink.spooler.wake_fd, .events = POLLIN };

		spooler_change(&sink.spooler);
		sink.next = i;
		spooler_changed(&sink.spooler);
		ck_assert_int_eq(poll(&p, 1, 0), 1); /* an output that waits sees it */
	}
	ck_assert_int_eq(atomic_load(&sink.used), 0);
	atomic_store(&sink.stuck, false);
	for (unsigned i = 0; i < 1000 && atomic_load(&sink.used) != 3; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_int_eq(atomic_load(&sink.used), 3);
	ck_assert(spooler_end(&sink.spooler));
}
END_TEST

/* An output that is stuck does not hold the end, which is told; nor is anything closed. */
START_TEST(stuck_output_does_not_hold_the_end)
{
	uint64_t then_ns = clock_now_ns();

	atomic_store(&sink.stuck, true);
	fill(&spools[0], 0, 3);
	start();
	wait_for(&sink.n_rounds, 1);
	spooler_change(&sink.spooler);
	spooler_changed(&sink.spooler);
	ck_assert(!spooler_end(&sink.spooler));
	ck_assert_uint_ge((clock_now_ns() - then_ns) / NS_PER_MS, SPOOLER_STUCK_MS - 1);
	ck_assert_uint_lt((clock_now_ns() - then_ns) / NS_PER_MS, 2 * SPOOLER_STUCK_MS + SPARE_MS);
	ck_assert_uint_eq(heard("sink: its last numbers cannot be written; they are lost"), 1);
	ck_assert_uint_eq(atomic_load(&sink.n_closed), 0);
	atomic_store(&sink.stuck, false);
	ck_assert(spooler_end(&sink.spooler));
	ck_assert_uint_eq(atomic_load(&sink.n_flushed), 3);
	ck_assert(sink.hurried);
}
END_TEST

START_TEST(no_thread_is_told)
{
	sink.lame = true;
	ck_assert(!spooler_start(&sink.spooler, &output, &sink));
	ck_assert(!sink.spooler.running);
	ck_assert_uint_eq(heard("sink: no thread for it: Cannot allocate memory"), 1);
	ck_assert_uint_eq(atomic_load(&sink.n_closed), 1);
	sink.lame = false;
	start();
	ck_assert(spooler_end(&sink.spooler));
	ck_assert_uint_eq(atomic_load(&sink.n_closed), 2);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_record_once);
	tcase_add_test(tc, busy_spool_starves_nobody);
	tcase_add_test(tc, output_may_refuse);
	tcase_add_test(tc, settings_are_taken);
	tcase_add_test(tc, stuck_output_does_not_hold_the_end);
	tcase_add_test(tc, no_thread_is_told);
}
