/* SPDX-License-Identifier: BSD-2-Clause */
/* Do the times of answers say that a server knew the names? */

#include "bench/fresh.h"

#include <check.h>
#include <stdlib.h>

static const struct {
	uint64_t new_us, again_us, upstream_us;
	bool known;
} times[] = {
	/* On one machine: an answer from the cache takes as long as one of the upstream. */
	{ 150, 45, 40, false },
	{ 46, 45, 40, true },
	{ 70, 45, 40, false },
	/* The upstream is far: two questions to it, or one as the other is late. */
	{ 40100, 100, 20000, false },
	{ 20100, 100, 20000, false },
	{ 120, 100, 20000, true },
	/* Without a cache, the second time takes as long: nobody can say. */
	{ 150, 150, 40, false },
	{ 40100, 40100, 20000, false },
	/* Some got lost. */
	{ 0, 45, 40, false },
	{ 46, 0, 40, false },
	{ 46, 45, 0, false },
};

START_TEST(times_tell_what_was_known)
{
	ck_assert(bench_fresh_is_known(times[_i].new_us * 1000, times[_i].again_us * 1000,
		      times[_i].upstream_us * 1000) == times[_i].known);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_fresh");
	TCase *tc = tcase_create("fresh");

	tcase_add_loop_test(
	    tc, times_tell_what_was_known, 0, (int)(sizeof(times) / sizeof(times[0])));
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
