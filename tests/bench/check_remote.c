/* SPDX-License-Identifier: BSD-2-Clause */
/* What agents are called; all else of them is for check_agents. */

#include "bench/remote.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* One after another, to the end of the list. */
START_TEST(agents_are_read)
{
	const char *list = "a,bench.example.org#53,2001:db8::7,192.0.2.1#65535";
	static const struct {
		const char *host;
		uint16_t port;
	} peers[] = { { "a", BENCH_REMOTE_PORT }, { "bench.example.org", 53 },
		{ "2001:db8::7", BENCH_REMOTE_PORT }, { "192.0.2.1", 65535 } };
	static const char *const bad[] = { "", ",", ",a", "a,", "#5", "a#", "a#0", "a#65536",
		"a#-1", "a#5x" };
	char longest[300];
	struct bench_remote_place p;

	for (size_t i = 0; i < N_OF(peers); i++) {
		ck_assert(*list != '\0' && bench_remote_parse(&list, &p));
		ck_assert_str_eq(p.host, peers[i].host);
		ck_assert_uint_eq(p.port, peers[i].port);
	}
	ck_assert_str_eq(list, "");
	for (size_t i = 0; i < N_OF(bad); i++) {
		list = bad[i];
		ck_assert_msg(!bench_remote_parse(&list, &p), "\"%s\"", bad[i]);
	}
	memset(longest, 'a', sizeof(longest));
	longest[255] = '\0';
	list = longest;
	ck_assert(bench_remote_parse(&list, &p));
	longest[255] = 'a';
	longest[256] = '\0';
	list = longest;
	ck_assert(!bench_remote_parse(&list, &p));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_remote");
	TCase *tc = tcase_create("remote");

	tcase_add_test(tc, agents_are_read);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
