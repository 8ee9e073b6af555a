/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/tests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static Suite *suite;
static SRunner *runner;

TCase *
tests_case(const char *name)
{
	TCase *tc = tcase_create(name);

	suite_add_tcase(suite, tc);
	return tc;
}

void
tests_apart(void)
{
	srunner_set_fork_status(runner, CK_FORK);
}

void
tests_skip(const char *why)
{
	fprintf(stderr, "%s: skipped: %s\n", program_invocation_short_name, why);
	exit(77);
}

/* Suite and first case are named as the program. */
int
main(void)
{
	const char *name = program_invocation_short_name;
	int n_failed;

	suite = suite_create(name);
	runner = srunner_create(suite);
	tests_add(tests_case(name));
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	if (srunner_ntests_run(runner) == 0) {
		fprintf(stderr, "%s: no test was run\n", name);
		n_failed++;
	}
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
