/* SPDX-License-Identifier: BSD-2-Clause */
/* The questions of a socket, beside a list of all that were ever asked. */

#include "bench/load/inflight.h"

#include <stdlib.h>
#include <string.h>

#include "support/tests.h"

static struct bench_inflight f;

static struct bench_question
question(uint64_t n)
{
	return (struct bench_question){ BENCH_NEW, n };
}

static void
begin(uint64_t capacity, uint16_t first_id)
{
	ck_assert_int_eq(bench_inflight_init(&f, capacity, first_id), 0);
}

/* The newest with ID; fails the test if there is none. */
static struct bench_asked *
found(uint16_t id)
{
	uint64_t cursor = UINT64_MAX;
	struct bench_asked *a = bench_inflight_find(&f, id, &cursor);

	ck_assert_ptr_nonnull(a);
	return a;
}

static bool
is_known(uint16_t id)
{
	uint64_t cursor = UINT64_MAX;

	return bench_inflight_find(&f, id, &cursor) != NULL;
}

START_TEST(questions_are_found_and_expire_in_order)
{
	begin(16, 65535);
	ck_assert(!is_known(65535));
	ck_assert_uint_eq(bench_inflight_oldest_ns(&f), UINT64_MAX);
	ck_assert_uint_eq(bench_inflight_next_id(&f), 65535);
	bench_inflight_add(&f, question(7), 100);
	ck_assert_uint_eq(bench_inflight_next_id(&f), 0); /* IDs wrap */
	bench_inflight_add(&f, question(8), 200);
	ck_assert_uint_eq(found(65535)->question.number, 7);
	ck_assert_uint_eq(found(0)->question.number, 8);
	ck_assert(!is_known(1) && !is_known(65534));
	ck_assert_uint_eq(f.n_open, 2);
	ck_assert_uint_eq(bench_inflight_oldest_ns(&f), 100);
	bench_inflight_answered(&f, found(65535));
	ck_assert_uint_eq(f.n_open, 1);
	ck_assert_uint_eq(bench_inflight_oldest_ns(&f), 200);
	bench_inflight_fini(&f);
}
END_TEST

/* What was answered or given up is still known: a further reply to it is no stranger. */
START_TEST(duplicate_and_late)
{
	begin(16, 10);
	bench_inflight_add(&f, question(1), 100);
	bench_inflight_add(&f, question(2), 200);
	bench_inflight_answered(&f, found(11));
	ck_assert_int_eq(found(11)->state, BENCH_ANSWERED);
	ck_assert_ptr_null(bench_inflight_expire(&f, 99));
	ck_assert_ptr_eq(bench_inflight_expire(&f, 100), found(10));
	ck_assert_int_eq(found(10)->state, BENCH_GIVEN_UP);
	ck_assert_uint_eq(f.n_open, 0);
	ck_assert_ptr_null(bench_inflight_expire(&f, UINT64_MAX)); /* once */
	/* A late reply makes it an answered one; it was not open, so there is none less. */
	bench_inflight_answered(&f, found(10));
	ck_assert_int_eq(found(10)->state, BENCH_ANSWERED);
	ck_assert_uint_eq(f.n_open, 0);
	bench_inflight_fini(&f);
}
END_TEST

/* The ring holds a power of two; an open question is never pushed out, any other is. */
START_TEST(full_ring_pushes_out_no_open_question)
{
	begin(17, 0);
	for (uint64_t i = 0; i < 32; i++) {
		ck_assert_uint_eq(bench_inflight_room(&f), 32 - i);
		bench_inflight_add(&f, question(i), i);
	}
	ck_assert_uint_eq(bench_inflight_room(&f), 0);
	bench_inflight_answered(&f, found(5)); /* not the one that is in the way */
	ck_assert_uint_eq(bench_inflight_room(&f), 0);
	bench_inflight_answered(&f, found(0));
	ck_assert_uint_eq(bench_inflight_room(&f), 1);
	bench_inflight_add(&f, question(32), 32);
	ck_assert_uint_eq(bench_inflight_room(&f), 0);
	ck_assert(!is_known(0));
	ck_assert(is_known(1) && is_known(5) && is_known(32));
	ck_assert_uint_eq(f.n_open, 31);
	bench_inflight_fini(&f);
}
END_TEST

/* 200,000 that were answered: each ID is that of three or four of them, the newest first. */
START_TEST(repeated_id_finds_the_newest_first)
{
	begin(200000, 12345);
	for (uint64_t i = 0; i < 200000; i++) {
		ck_assert_uint_gt(bench_inflight_room(&f), 0);
		bench_inflight_add(&f, question(i), i);
		bench_inflight_answered(&f, found((uint16_t)(12345 + i)));
	}
	for (uint32_t id = 0; id < 65536; id += 97) {
		uint64_t cursor = UINT64_MAX, before = UINT64_MAX;
		struct bench_asked *a;
		unsigned n = 0;

		while ((a = bench_inflight_find(&f, (uint16_t)id, &cursor)) != NULL) {
			ck_assert_uint_eq((uint16_t)(12345 + a->question.number), id);
			ck_assert_uint_lt(a->question.number, before);
			before = a->question.number;
			n++;
		}
		ck_assert_uint_eq(n, 200000 / 65536 + ((uint16_t)(id - 12345) < 200000 % 65536));
	}
	bench_inflight_fini(&f);
}
END_TEST

/* An ID that is open is passed over, however often the others come round. */
START_TEST(open_id_is_not_used_again)
{
	begin(300000, 65000);
	for (uint64_t i = 0; i < 200000; i++) {
		ck_assert_uint_gt(bench_inflight_room(&f), 0);
		uint16_t id = bench_inflight_next_id(&f);
		bench_inflight_add(&f, question(i), i);
		if (i == 7)
			continue;
		ck_assert_uint_ne(id, (uint16_t)(65000 + 7));
		ck_assert_uint_eq(found(id)->question.number, i);
		bench_inflight_answered(&f, found(id));
	}
	ck_assert_uint_eq(f.n_open, 1);
	ck_assert_uint_eq(f.next, 200000 + 3); /* it came round three times */
	ck_assert_uint_eq(bench_inflight_expire(&f, UINT64_MAX)->question.number, 7);
	bench_inflight_fini(&f);
}
END_TEST

/* With all IDs open there is no room; the one that is answered is the next. */
START_TEST(all_ids_open)
{
	begin(300000, 12345);
	for (uint64_t i = 0; i < 65536; i++) {
		ck_assert_uint_gt(bench_inflight_room(&f), 0);
		ck_assert_uint_le(bench_inflight_room(&f), 65536 - i);
		bench_inflight_add(&f, question(i), i);
	}
	ck_assert_uint_eq(bench_inflight_room(&f), 0);
	bench_inflight_answered(&f, found(12345 + 40000));
	ck_assert_uint_eq(bench_inflight_room(&f), 1);
	ck_assert_uint_eq(bench_inflight_next_id(&f), 12345 + 40000);
	bench_inflight_add(&f, question(65536), 65536);
	ck_assert_uint_eq(bench_inflight_room(&f), 0);
	ck_assert_uint_eq(found(12345 + 40000)->question.number, 65536);
	/* Those that were passed over are no questions. */
	for (uint64_t i = 0; i < 65536; i++)
		ck_assert_ptr_nonnull(bench_inflight_expire(&f, UINT64_MAX));
	ck_assert_ptr_null(bench_inflight_expire(&f, UINT64_MAX));
	ck_assert_uint_eq(f.n_open, 0);
	ck_assert_uint_ge(bench_inflight_room(&f), 64);
	bench_inflight_fini(&f);
}
END_TEST

/* --- Beside a model: all that was ever asked, in a row ---------------------------------------- */

#define ASKED_MAX 300000

static struct bench_asked model[ASKED_MAX];
static uint64_t n_asked, n_open, ring_size;
static uint64_t n_closed; /* of the first ones; none becomes open again */

static uint64_t
random_bits(void)
{
	static uint64_t state = 0x64646464;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ck_assert notes where it is each time, which takes long in a loop like this. */
#define MUST(what) \
	do { \
		if (!(what)) \
			ck_abort_msg("%s, after %ju questions", #what, (uintmax_t)n_asked); \
	} while (0)

static uint64_t
begin_of_memory(void)
{
	return n_asked > ring_size ? n_asked - ring_size : 0;
}

static struct bench_asked *
model_oldest(void)
{
	while (n_closed < n_asked && model[n_closed].state != BENCH_OPEN)
		n_closed++;
	return n_closed < n_asked ? &model[n_closed] : NULL;
}

static void
add(uint64_t now_ns)
{
	bool no_room = n_asked >= ring_size && model[n_asked - ring_size].state == BENCH_OPEN;

	struct bench_asked *oldest = model_oldest();
	uint64_t held = oldest != NULL ? n_asked - (uint64_t)(oldest - model) : 0;

	uint64_t room = ring_size - held;
	MUST(bench_inflight_room(&f) == (room < 65536 - held ? room : 65536 - held));
	MUST(bench_inflight_next_id(&f) == (uint16_t)(f.first_id + n_asked));
	if (no_room)
		return;
	bench_inflight_add(&f, question(n_asked), now_ns);
	model[n_asked] = (struct bench_asked){ now_ns, question(n_asked), BENCH_OPEN, false };
	n_asked++;
	n_open++;
}

/* A reply to the question with number N, remembered or not. */
static void
reply(uint64_t n)
{
	uint64_t cursor = UINT64_MAX;
	uint16_t id = (uint16_t)(f.first_id + n);
	struct bench_asked *a;

	while ((a = bench_inflight_find(&f, id, &cursor)) != NULL && a->question.number != n)
		MUST((uint16_t)(f.first_id + a->question.number) == id);
	MUST((a != NULL) == (n >= begin_of_memory() && n < n_asked));
	if (a == NULL)
		return;
	MUST(a->state == model[n].state);
	MUST(a->sent_ns == model[n].sent_ns);
	if (a->state == BENCH_ANSWERED)
		return;
	n_open -= model[n].state == BENCH_OPEN;
	bench_inflight_answered(&f, a);
	model[n].state = BENCH_ANSWERED;
}

static void
expire(uint64_t sent_ns)
{
	struct bench_asked *oldest;

	while ((oldest = model_oldest()) != NULL && oldest->sent_ns <= sent_ns) {
		struct bench_asked *a = bench_inflight_expire(&f, sent_ns);

		MUST(a != NULL);
		MUST(a->question.number == oldest->question.number);
		MUST(a->state == BENCH_GIVEN_UP);
		oldest->state = BENCH_GIVEN_UP;
		n_open--;
	}
	MUST(bench_inflight_expire(&f, sent_ns) == NULL);
}

START_TEST(random_operations_agree_with_a_list)
{
	static const uint64_t capacities[] = { 1, 16, 40, 500, 100000 };
	uint64_t now_ns = 1000;

	n_asked = n_open = n_closed = 0;
	begin(capacities[_i], (uint16_t)random_bits());
	ring_size = f.mask + 1;
	ck_assert_uint_ge(ring_size, capacities[_i]);
	while (n_asked < ASKED_MAX - 1 && now_ns < 400000) {
		uint64_t what = random_bits() % 100;

		now_ns += random_bits() % 3;
		if (what < 55)
			add(now_ns);
		else if (what < 99)
			reply(n_asked + 3 -
			    random_bits() %
				(n_asked < 2 * ring_size ? n_asked + 4 : 2 * ring_size));
		else
			expire(now_ns - random_bits() % 1000);
		struct bench_asked *oldest = what == 0 ? model_oldest() : NULL;
		if (oldest != NULL)
			MUST(bench_inflight_oldest_ns(&f) == oldest->sent_ns);
		MUST(f.n_open == n_open);
	}
	bench_inflight_fini(&f);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, questions_are_found_and_expire_in_order);
	tcase_add_test(tc, duplicate_and_late);
	tcase_add_test(tc, full_ring_pushes_out_no_open_question);
	tcase_add_test(tc, repeated_id_finds_the_newest_first);
	tcase_add_test(tc, open_id_is_not_used_again);
	tcase_add_test(tc, all_ids_open);
	tcase_add_loop_test(tc, random_operations_agree_with_a_list, 0, 5);
}
