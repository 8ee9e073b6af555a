/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks: what was flushed and what was not, by name, by number, and when numbers come round again.
 */

#include "cache/flushes.h"

#include <stdio.h>

#include "dns/name.h"
#include "support/tests.h"

static struct flushes marks;

static void
set_up(void)
{
	flushes_init(&marks);
}

static bool
below(const char *text, uint32_t now_s)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	return flushes_below(&marks, name, len, now_s, 100);
}

/* Was an entry about that name that came with NUMBER not flushed? */
static bool
spares(const char *text, uint16_t number)
{
	uint8_t name[DNS_NAME_MAX];
	uint16_t was = number;
	bool older;

	if (name_from_text(text, name) == 0)
		ck_abort_msg("%s is no name", text);
	bool spared = flushes_spare(&marks, name, &number, &older);
	if (number != (spared ? flushes_now(&marks) : was))
		ck_abort_msg("the number is %u now", number);
	return spared;
}

START_TEST(flush_of_all_spares_what_comes_later)
{
	uint16_t before = flushes_now(&marks);

	ck_assert(spares("a.example", before));
	ck_assert(!flushes_all(&marks));
	ck_assert(!spares("a.example", before));
	ck_assert(spares("a.example", flushes_now(&marks)));
}
END_TEST

START_TEST(flush_by_name_spares_other_names)
{
	uint16_t before = flushes_now(&marks);

	ck_assert(!below("Example.com", 5));
	uint16_t between = flushes_now(&marks);
	ck_assert(!below("net", 5));
	ck_assert(!spares("example.com", before));
	ck_assert(!spares("a.b.example.com", before));
	ck_assert(!spares("www.net", before));
	ck_assert(spares("xexample.com", before));
	ck_assert(spares("com", before));
	ck_assert(spares("www.example.com", between)); /* came after */
	ck_assert(!spares("www.net", between));
	ck_assert(!below("example.com", 6)); /* once more: what came between is gone too */
	ck_assert(!spares("www.example.com", between));
	ck_assert_uint_eq(marks.n, 2);
	ck_assert(!below(".", 6));
	ck_assert(!spares("com", between));
}
END_TEST

/* More names than are remembered: everything is flushed; but old ones make room first. */
START_TEST(too_many_names_flush_everything)
{
	uint16_t before = flushes_now(&marks);
	char text[32];

	for (unsigned i = 0; i < FLUSHES_MAX; i++) {
		(void)snprintf(text, sizeof(text), "z%u.example", i);
		ck_assert(!below(text, i < 10 ? 0 : 50));
	}
	ck_assert(spares("other.example", before));
	ck_assert(!below("z1.example", 60)); /* known already */
	for (unsigned i = 0; i < 9; i++) {   /* z0 and z2 to z9 are over */
		(void)snprintf(text, sizeof(text), "y%u.example", i);
		ck_assert(!below(text, 101));
	}
	ck_assert(spares("other.example", before));
	ck_assert(!spares("www.y8.example", before));
	ck_assert(!spares("www.z1.example", before));
	ck_assert(!below("x.example", 101));
	ck_assert(!spares("other.example", before));
	ck_assert_uint_eq(marks.n, 0);
	ck_assert(spares("www.x.example", flushes_now(&marks)));
}
END_TEST

/* Other limits flush nothing; what came before is told once. */
START_TEST(limits_concern_what_came_before)
{
	uint8_t name[] = "\7example";
	uint16_t before = flushes_now(&marks), number = before;
	bool older = false;

	ck_assert(!flushes_limit(&marks));
	ck_assert(flushes_spare(&marks, name, &number, &older) && older);
	ck_assert_uint_eq(number, flushes_now(&marks));
	ck_assert(!below("net", 5));
	ck_assert(flushes_spare(&marks, name, &number, &older) && !older);
	ck_assert(!spares("www.net", before));
}
END_TEST

/* Numbers are 16 bits: the caller is told to remove all before one is used again. */
START_TEST(numbers_come_round)
{
	for (unsigned i = 1; i <= 2 * 65536 + 10; i++) {
		bool round = _i == 0 ? flushes_all(&marks) : below("example", i);
		uint16_t number = flushes_now(&marks);
		bool older = true;

		if (round != (i % 65536 == 0))
			ck_abort_msg("flush %u", i);
		if (!flushes_spare(&marks, (const uint8_t *)"\3net", &number, &older) || older)
			ck_abort_msg("what came after flush %u is older", i);
		if (!spares("www.example", flushes_now(&marks)))
			ck_abort_msg("what came after flush %u was flushed", i);
		if (i % 65536 != 0 && spares("www.example", (uint16_t)(flushes_now(&marks) - 1)))
			ck_abort_msg("what came before flush %u was not", i);
	}
	while (flushes_now(&marks) != UINT16_MAX)
		ck_assert(!flushes_limit(&marks));
	ck_assert(flushes_limit(&marks));
	/* Of an earlier round: larger than any there is. */
	ck_assert(!spares("www.example", UINT16_MAX));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, flush_of_all_spares_what_comes_later);
	tcase_add_test(tc, flush_by_name_spares_other_names);
	tcase_add_test(tc, too_many_names_flush_everything);
	tcase_add_test(tc, limits_concern_what_came_before);
	tcase_add_loop_test(tc, numbers_come_round, 0, 2);
}
