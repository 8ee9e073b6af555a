/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for a search: enough, or how many would do is told. */

#include "bench/method/names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options.h"

/* A search with MORE options, up to a NULL, is there a name for each question? TEXT: what was told.
 */
static bool
fits(const char *const *more, struct bench_settings *s, char text[static 500])
{
	static const char *const common[] = { "dns64bench", "search", "-s", "127.0.0.1" };
	char *argv[20];
	int argc = 0;
	FILE *errors = fmemopen(memset(text, 0, 500), 499, "w");

	ck_assert_ptr_nonnull(errors);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		argv[argc++] = (char *)(uintptr_t)common[i];
	for (; *more != NULL; more++)
		argv[argc++] = (char *)(uintptr_t)*more;
	argv[argc] = NULL;
	ck_assert_int_eq(bench_options_read(argc, argv, s, errors), CMDLINE_RUN);
	bool good = bench_names_fit(s, errors);
	(void)fclose(errors);
	return good;
}

/* Too few names for the whole search, or for a trial after each restart: what would do is told. */
START_TEST(too_few_names_are_told)
{
	static const struct {
		const char *options[8];
		const char *told;
	} cases[] = {
		{ { NULL }, "no network has them; a lower --high than 1000000, or --restart" },
		{ { "-d", "5", "--repetitions", "5", "--high", "100000" }, ": a /7 has them" },
		{ { "--restart", "true", "--high", "1000000" }, "up to 60000000: a /6 has them" },
		{ { "--restart", "true", "--namespace", "10.0.0.0/16", "--high", "1093" },
		    ": a /15 has them" },
		{ { "--restart", "true", "--namespace", "10.0.0.0/16" },
		    "up to 60000000: a /6 has" },
		{ { "--restart", "true", "--low", "300000", "--high", "300000" },
		    ": a /7 has them" },
		/* Once this went below --low, and for ever. */
		{ { "--low", "200000" }, "a lower --high than 1000000, or --restart" },
	};
	struct bench_settings s;
	char text[500];

	ck_assert(!fits(cases[_i].options, &s, text));
	ck_assert_msg(strstr(text, cases[_i].told) != NULL, "%s", text);
	ck_assert_msg(strncmp(text, "dns64bench: --namespace: ", 25) == 0, "%s", text);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}
END_TEST

/* Without --high the search goes about as far as there are names, if that is far enough. */
START_TEST(goes_as_far_as_names)
{
	static const char *const plain[] = { "--restart", "true", NULL };
	static const char *const hits[] = { "--restart", "true", "--hits", "100", NULL };
	static const char *const few[] = { "-d", "5", "--repetitions", "1", NULL };
	static const char *const hot[] = { "--restart", "true", "--hits", "50", "--hot", "16",
		NULL };
	struct bench_settings s;
	char text[500];

	ck_assert(fits(plain, &s, text));
	ck_assert_uint_le(s.high, 279620);
	ck_assert_uint_gt(s.high, 279620 * 94 / 100);
	ck_assert(fits(hot, &s, text));
	ck_assert_uint_le(s.high, 279620);
	ck_assert(fits(few, &s, text));
	ck_assert_uint_gt(s.high, 300000);
	ck_assert_uint_lt(s.high, 400000);
	ck_assert(fits(hits, &s, text));
	ck_assert_uint_eq(s.high, 1000000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_names");
	TCase *tc = tcase_create("search");

	tcase_add_loop_test(tc, too_few_names_are_told, 0, 7);
	tcase_add_test(tc, goes_as_far_as_names);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
