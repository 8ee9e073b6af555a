/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring: whole entries, oldest first, nothing lost and nothing overwritten, whatever the
 * lengths. */

#include "cache/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define SIZE 1024U
#define MOST (SIZE / RING_ALIGN)

/* In the inner loops: as ck_assert, at the cost of a comparison. */
#define MUST(x) \
	do { \
		if (!(x)) \
			ck_abort_msg("%s", #x); \
	} while (0)

static _Alignas(RING_ALIGN) uint8_t mem[SIZE + RING_ALIGN];
static struct ring ring;

static void
set_up(void)
{
	memset(mem, 0xee, sizeof(mem));
	ring_init(&ring, mem, SIZE);
}

START_TEST(empty_ring_takes_all_its_size)
{
	ck_assert_uint_eq(ring_oldest(&ring), RING_FULL);
	ck_assert_uint_eq(ring_add(&ring, SIZE + RING_ALIGN), RING_FULL);
	ck_assert(ring_is_full(&ring, SIZE + RING_ALIGN));
	ck_assert(!ring_is_full(&ring, SIZE));
	ck_assert_uint_eq(ring_add(&ring, SIZE), 0);
	ck_assert_uint_eq(ring_oldest(&ring), 0);
	ck_assert_uint_eq(ring_len(&ring, 0), SIZE);
	ck_assert_uint_eq(ring_add(&ring, RING_ALIGN), RING_FULL);
	ck_assert(ring_is_full(&ring, RING_ALIGN));
	ring_drop(&ring);
	ck_assert_uint_eq(ring_oldest(&ring), RING_FULL);
	/* Empty again, all of it is there for one entry, wherever the last one was. */
	ck_assert_uint_eq(ring_add(&ring, 800), 0);
	ck_assert_uint_eq(ring_add(&ring, 200), 800);
	ring_drop(&ring);
	ring_drop(&ring);
	ck_assert_uint_eq(ring_add(&ring, SIZE), 0);
}
END_TEST

/* What does not fit behind the last entry goes to the block's beginning, if there is room. */
START_TEST(ring_goes_on_at_its_beginning)
{
	ck_assert_uint_eq(ring_add(&ring, 400), 0);
	ck_assert_uint_eq(ring_add(&ring, 400), 400);
	ck_assert_uint_eq(ring_add(&ring, 240), RING_FULL); /* 224 left */
	ring_drop(&ring);
	ck_assert_uint_eq(ring_add(&ring, 240), 0);
	ck_assert_uint_eq(ring_oldest(&ring), 400);
	ck_assert_uint_eq(ring_add(&ring, 168), RING_FULL);
	ck_assert_uint_eq(ring_add(&ring, 160), 240); /* up to the oldest */
	ck_assert_uint_eq(ring_add(&ring, RING_ALIGN), RING_FULL);
	ring_drop(&ring);
	ck_assert_uint_eq(ring_oldest(&ring), 0); /* the unused end is no entry */
	ring_drop(&ring);
	ck_assert_uint_eq(ring_oldest(&ring), 240);
	ring_drop(&ring);
	ck_assert_uint_eq(ring_oldest(&ring), RING_FULL);
	ck_assert_uint_eq(ring.used, 0);
}
END_TEST

/* An entry that is exactly as long as what is free at the beginning fits there. */
START_TEST(beginning_takes_what_just_fits)
{
	ck_assert_uint_eq(ring_add(&ring, 400), 0);
	ck_assert_uint_eq(ring_add(&ring, 400), 400);
	ring_drop(&ring);
	ck_assert_uint_eq(ring_add(&ring, 400 + RING_ALIGN), RING_FULL);
	ck_assert_uint_eq(ring_add(&ring, 400), 0);
	ck_assert_uint_eq(ring_add(&ring, RING_ALIGN), RING_FULL);
}
END_TEST

/* The entries as they have to be. */
static struct {
	uint32_t at, len;
	uint8_t fill;
} model[MOST];
static unsigned first, n;

static void
check_oldest(void)
{
	uint32_t at = ring_oldest(&ring);

	MUST(at == model[first].at);
	MUST(ring_len(&ring, at) == model[first].len);
	for (uint32_t i = 4; i < model[first].len; i++) {
		if (mem[at + i] != model[first].fill)
			ck_abort_msg("byte %u of %u is not what was written", i, model[first].len);
	}
}

START_TEST(random_operations_agree_with_a_model)
{
	struct rng rng;

	rng_init_seeded(&rng, (uint64_t)_i + 1);
	first = n = 0;
	for (unsigned turn = 0; turn < 20000; turn++) {
		uint32_t len = (uint32_t)(rng_below(&rng, _i % 2 == 0 ? 20 : 120) + 1) * RING_ALIGN;
		uint32_t at = ring_add(&ring, len);

		if (at != RING_FULL) {
			uint8_t fill = (uint8_t)rng_below(&rng, 256);

			MUST(at % RING_ALIGN == 0);
			MUST(at + len <= SIZE);
			memset(mem + at + 4, fill, len - 4);
			model[(first + n) % MOST].at = at;
			model[(first + n) % MOST].len = len;
			model[(first + n++) % MOST].fill = fill;
		}
		while (n > 0 && (at == RING_FULL || rng_below(&rng, 4) == 0)) {
			check_oldest();
			ring_drop(&ring);
			first = (first + 1) % MOST;
			n--;
			at = 0;
		}
		MUST(n > 0 || ring_oldest(&ring) == RING_FULL);
		MUST(mem[SIZE] == 0xee);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, empty_ring_takes_all_its_size);
	tcase_add_test(tc, ring_goes_on_at_its_beginning);
	tcase_add_test(tc, beginning_takes_what_just_fits);
	tcase_add_loop_test(tc, random_operations_agree_with_a_model, 0, 4);
}
