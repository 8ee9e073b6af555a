/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by their names, those that are misspelt, and the lines that keywords stood in. */

#include "config/keywords.h"

#include <string.h>

#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

START_TEST(each_row_is_found_by_its_name)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++)
		ck_assert_ptr_eq(keywords_find(table[i].name), &table[i]);
	ck_assert_ptr_null(keywords_find("Port"));
	ck_assert_ptr_null(keywords_find(""));
}
END_TEST

struct misspelt {
	const char *name;
	const char *nearest; /* NULL: none */
};

static const struct misspelt misspelts[] = {
	{ "namserver", "nameserver" },
	{ "Nameserver", "nameserver" },
	{ "nameservers", "nameserver" },
	{ "dns64_prefix", "dns64-prefix" },
	{ "prefix", "no-prefix" },
	{ "listn", "listen" },
	{ "timeout-tiem", "upstream-timeout" },
	{ "numthreads", "num-threads" },
	{ "prot", "port" },
	{ "exclude-aaa", "exclude-aaaa" },
	{ "forward-zone:", NULL },
	{ "", NULL },
	{ "xyzzy", NULL },
	{ "a-word-that-is-longer-than-any-keyword-there-is", NULL },
};

START_TEST(misspelt_keyword_finds_the_nearest)
{
	const char *found = keywords_nearest(misspelts[_i].name);

	if (misspelts[_i].nearest == NULL)
		ck_assert_msg(
		    found == NULL, "%s: %s", misspelts[_i].name, found == NULL ? "" : found);
	else
		ck_assert_msg(found != NULL && strcmp(found, misspelts[_i].nearest) == 0, "%s: %s",
		    misspelts[_i].name, found == NULL ? "(none)" : found);
}
END_TEST

START_TEST(line_of_a_keyword)
{
	said_parse(&said, "nameserver 192.0.2.1\n\ncache-size 8m\nport 54\n", &settings);
	ck_assert_uint_eq(keywords_line(&settings, "nameserver"), 1);
	ck_assert_uint_eq(keywords_line(&settings, "cache-size"), 3);
	ck_assert_uint_eq(keywords_line(&settings, "port"), 4);
	ck_assert_uint_eq(keywords_line(&settings, "listen"), 0);
	ck_assert_uint_eq(keywords_line(&settings, "no such keyword"), 0);
	settings_fini(&settings);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, each_row_is_found_by_its_name);
	tcase_add_loop_test(tc, misspelt_keyword_finds_the_nearest, 0,
	    (int)(sizeof(misspelts) / sizeof(misspelts[0])));
	tcase_add_test(tc, line_of_a_keyword);
}
