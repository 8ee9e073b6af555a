/* SPDX-License-Identifier: BSD-2-Clause */
/* Secrets are locked in memory, and gone when they are wiped. */

#include "base/secret.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/attr.h"
#include "support/tests.h"

/* The sanitizers have a runtime whose mlock(2) does nothing. */
#if defined(WITH_ASAN) || defined(WITH_TSAN)
#define MAY_LOCK false
#else
#define MAY_LOCK true
#endif

/* Kilobytes of this process that are locked. */
static long
locked_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "VmLck:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	}
	if (f != NULL)
		fclose(f);
	return kb;
}

START_TEST(its_pages_are_locked)
{
	long page = sysconf(_SC_PAGESIZE), before = locked_kb();
	char *p = aligned_alloc((size_t)page, (size_t)page * 2);
	struct rlimit limit;

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	secret_lock(p + page - 8, 16);
	/* Where this user may lock that much. */
	if (MAY_LOCK && before >= 0 && limit.rlim_cur >= (rlim_t)(before * 1024 + 2 * page))
		ck_assert_int_eq(locked_kb(), before + 2 * page / 1024);
	munlock(p, (size_t)page * 2);
	free(p);
}
END_TEST

START_TEST(that_the_limit_forbids_it_is_no_error)
{
	char secret[16] = "secret";

	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 0, 0 }), 0);
	secret_lock(secret, sizeof(secret));
	ck_assert_str_eq(secret, "secret");
}
END_TEST

START_TEST(wiped)
{
	static const char zeros[32];
	char secret[32];

	memset(secret, 'x', sizeof(secret));
	secret_wipe(secret + 1, sizeof(secret) - 2);
	ck_assert_mem_eq(secret + 1, zeros, sizeof(secret) - 2);
	ck_assert(secret[0] == 'x' && secret[31] == 'x');
}
END_TEST

void
tests_add(TCase *tc)
{
	/* One of them lowers a limit. */
	tests_apart();
	tcase_add_test(tc, its_pages_are_locked);
	tcase_add_test(tc, that_the_limit_forbids_it_is_no_error);
	tcase_add_test(tc, wiped);
}
