/* SPDX-License-Identifier: BSD-2-Clause */
/* File, command line and machine together, in this order. */

#include "config/load.h"
#include "config/loglevel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/policy_lines.h"
#include "support/scratch.h"
#include "support/tests.h"

static char path[SCRATCH_PATH];
static struct settings settings;
static unsigned n_errors;

static void
make(void)
{
	close(scratch_file(path));
}

static void
unmake(void)
{
	settings_fini(&settings);
	unlink(path);
}

static void
count(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	(void)text;
	n_errors += kind == DIAG_ERROR ? 1 : 0;
}

static bool
load(const struct options *o, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	n_errors = 0;
	settings_fini(&settings);
	return load_settings(o, path, NULL, count, NULL, &settings);
}

START_TEST(errors_of_all_stages_at_once)
{
	struct options o = {
		.level = -1, .n_overrides = 1, .overrides = { { "num-threads", "0" } }
	};

	ck_assert(!load(&o, "prot 53\nlisten ::1\nlisten ::1\n"));
	/* The word, the option, the second listen, the missing nameserver. */
	ck_assert_uint_eq(n_errors, 4);
}
END_TEST

/* What lines say against one another is told beside the rest, and nothing is held. */
START_TEST(contradictions_are_told_beside_the_rest)
{
	struct options o = { .level = -1 };

	ck_assert(!load(&o,
	    "prot 53\nnameserver 192.0.2.1\nlisten ::1\nclient 10.0.0.0/8 {\n}\n"
	    "client 10.0.0.0/8 {\nmap 10.0.0.0/8 none\nexclude-a 10.0.0.0/8\n}\n"));
	ck_assert_uint_eq(n_errors, 3);
	ck_assert(settings.policy_lines == NULL && settings.conf.core.policies == NULL);
}
END_TEST

/* The policies are made; what they were made from stays, so that dns64ctl can change it. */
START_TEST(policies_are_made_and_lines_kept)
{
	struct options o = { .level = -1 };

	ck_assert(
	    load(&o, "nameserver 192.0.2.1\nlisten ::1\nclient 10.0.0.0/8 {\nhide-a yes\n}\n"));
	ck_assert_uint_eq(settings.policy_lines->all.n, 2);
	ck_assert_uint_eq(settings.conf.core.policies->n, 2);
	ck_assert(settings.conf.core.policies->table[1].hide_a);
}
END_TEST

/* One error, and not all that an empty configuration would lack. */
START_TEST(missing_file_is_one_error)
{
	struct options o = { .level = -1 };

	unlink(path);
	n_errors = 0;
	ck_assert(!load_settings(&o, path, NULL, count, NULL, &settings));
	ck_assert_uint_eq(n_errors, 1);
}
END_TEST

START_TEST(option_over_file)
{
	struct options o = { .level = 4, .n_overrides = 1, .overrides = { { "user", "u" } } };

	ck_assert(load(&o, "nameserver 192.0.2.1\nuser file\nlog-level error\n"));
	ck_assert_str_eq(settings.user, "u");
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), 4);
	ck_assert_uint_eq(n_errors, 0);
}
END_TEST

/* -6 with IPv4 addresses only leaves nothing to serve on. */
START_TEST(no_address_of_the_family_is_an_error)
{
	struct options o = { .level = -1, .family = NETADDR_IPV6 };

	ck_assert(!load(&o, "nameserver 192.0.2.1\nlisten 127.0.0.1\n"));
	ck_assert_uint_eq(n_errors, 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, errors_of_all_stages_at_once);
	tcase_add_test(tc, contradictions_are_told_beside_the_rest);
	tcase_add_test(tc, policies_are_made_and_lines_kept);
	tcase_add_test(tc, missing_file_is_one_error);
	tcase_add_test(tc, option_over_file);
	tcase_add_test(tc, no_address_of_the_family_is_an_error);
}
