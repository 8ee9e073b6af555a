/* SPDX-License-Identifier: BSD-2-Clause */
/* Which settings make another search. */

#include "bench/settings.h"

#include <string.h>

#include "bench/options.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Read like a command line that begins so: "search -s ::1 -d 0.5 ...". */
static json_t *
identity(const char *option, const char *value)
{
	static const char *const begin[] = { "dns64bench", "search", "-s", "::1", "-d", "0.5",
		"--high", "20000", "--first", "7", "--upstream", "::1" };
	char text[N_OF(begin) + 2][64];
	char *argv[N_OF(begin) + 3] = { NULL };
	struct bench_settings s;
	int argc = 0;

	for (size_t i = 0; i < N_OF(begin); i++) {
		(void)snprintf(text[argc], sizeof(text[argc]), "%s", begin[i]);
		argv[argc] = text[argc];
		argc++;
	}
	for (const char *word = option; word != NULL; word = word == option ? value : NULL) {
		(void)snprintf(text[argc], sizeof(text[argc]), "%s", word);
		argv[argc] = text[argc];
		argc++;
	}
	ck_assert_int_eq(bench_options_read(argc, argv, &s, stderr), CMDLINE_RUN);
	json_t *id = bench_settings_identity(&s);
	ck_assert_ptr_nonnull(id);
	return id;
}

static bool
same(const char *option, const char *value)
{
	json_t *a = identity(NULL, NULL), *b = identity(option, value);
	bool equal = json_equal(a, b) != 0;

	json_decref(a);
	json_decref(b);
	return equal;
}

/* All that the server or its load can tell. */
static const char *const options[][2] = {
	{ "-s", "::2" },
	{ "-p", "54" },
	{ "-d", "0.6" },
	{ "--low", "1001" },
	{ "--high", "19999" },
	{ "--resolution", "1" },
	{ "--upstream", "::1#54" },
	{ "--delta", "0.2" },
	{ "--restart", "true" },
	{ "--aaaa", "20" },
	{ "--hits", "20" },
	{ "--hot", "2" },
	{ "--bufsize", "1232" },
	{ "--dnssec", NULL },
	{ "--burst", "2" },
	{ "--threads", "2" },
	{ "--sources", "2" },
	{ "--timeout", "0.5" },
	{ "--spin", NULL },
	{ "--namespace", "16.0.0.0/8" },
	{ "--zone", "example.org" },
	{ "--window", "9" },
	{ "--namespace", "0.0.0.0/4" },
	{ "--prefix", "64:ff9b::/96" },
	{ "--transport", "tcp" },
	{ "--singles", NULL },
	{ "--clients-from", "2001:db8::/48" },
};

START_TEST(each_setting_changes_the_identity)
{
	ck_assert_msg(!same(options[_i][0], options[_i][1]), "%s", options[_i][0]);
}
END_TEST

/* Where results go, and how many are wanted, change none of them. */
START_TEST(output_settings_keep_the_identity)
{
	ck_assert(same("--repetitions", "5"));
	ck_assert(same("--json", "-"));
	ck_assert(same("--state", "file"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, each_setting_changes_the_identity, 0, N_OF(options));
	tcase_add_test(tc, output_settings_keep_the_identity);
}
