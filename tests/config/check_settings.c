/* SPDX-License-Identifier: BSD-2-Clause */
/* Who holds what: a leak or a second free is for the sanitizers to see. */

#include "config/settings.h"

#include "config/policy_lines.h"
#include "support/tests.h"

START_TEST(new_settings_are_freed)
{
	static struct settings s; /* too large for the stack */

	ck_assert(settings_init(&s));
	ck_assert_uint_eq(s.policy_lines->all.n, 1);
	ck_assert_uint_eq(s.port, 0);
	s.conf.core.policies = policies_new(1);
	ck_assert_ptr_nonnull(s.conf.core.policies);
	settings_fini(&s);
	ck_assert(s.policy_lines == NULL && s.conf.core.policies == NULL);
	/* All zero, or ended before. */
	settings_fini(&s);
	ck_assert(settings_init(&s));
	settings_fini(&s);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, new_settings_are_freed);
}
