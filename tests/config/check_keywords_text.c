/* SPDX-License-Identifier: BSD-2-Clause */
/* What people and programs get to read of the table. */

#include "config/keywords.h"

#include <string.h>

#include "support/tests.h"

/* Print to TEXT. */
static void
print(void (*printer)(FILE *), char *text, size_t cap)
{
	FILE *f = fmemopen(text, cap, "w");

	ck_assert_ptr_nonnull(f);
	printer(f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_uint_lt(strlen(text) + 1, cap);
}

START_TEST(help_has_bounds_and_defaults)
{
	static char text[32768];

	print(keywords_help, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text,
	    "  max-tcp-clients N\n\tclient connections at a time, per loop (1 to 65536); default "
	    "1024; needs a restart\n"));
	ck_assert_ptr_nonnull(strstr(text,
	    "  cache-size BYTES\n\tmemory for what upstream said, with k, m or g; 1m at least, or "
	    "0: none (0 to 64g); default 64m; needs a restart\n"));
	ck_assert_ptr_nonnull(strstr(text,
	    "  hide-a no|yes\n\tyes: questions for A get no addresses; default no; also in client "
	    "blocks\n"));
}
END_TEST

/* Eight fields a row. */
START_TEST(table_for_programs)
{
	static char text[32768];
	size_t n_rows, n_lines = 0;

	print(keywords_print, text, sizeof(text));
	(void)keywords(&n_rows);
	for (char *at = text, *line; (line = strsep(&at, "\n")) != NULL && *line != '\0';
	     n_lines++) {
		size_t n_fields = 1;

		for (const char *c = line; *c != '\0'; c++)
			n_fields += *c == '\t' ? 1 : 0;
		ck_assert_msg(n_fields == 8, "%s", line);
	}
	ck_assert_uint_eq(n_lines, n_rows);
	print(keywords_print, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text,
	    "\nlisten\tADDRESS|INTERFACE [port N]\t-\t::1; "
	    "127.0.0.1\trepeatable\treload\tglobal\t"));
	ck_assert_ptr_nonnull(
	    strstr(text, "\ncache-size\tBYTES\t0 to 64g\t64m\tsingle\trestart\tglobal\t"));
	ck_assert_ptr_nonnull(
	    strstr(text, "\nmax-synthesized\tN\t0 to 1000\t0\tsingle\treload\tblock\t"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, help_has_bounds_and_defaults);
	tcase_add_test(tc, table_for_programs);
}
