/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of lines through several files, and back. */

#include "config/places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/tests.h"

static struct places places, next;

static void
fini(void)
{
	places_fini(&places);
	places_fini(&next);
}

static void
is_at(const struct places *p, unsigned line, const char *file, unsigned in_file)
{
	struct place at = places_at(p, line);

	ck_assert_str_eq(at.file, file);
	ck_assert_uint_eq(at.line, in_file);
}

static void
take(unsigned n)
{
	while (n-- > 0)
		(void)places_next(&places);
}

/* a.conf of 5 lines, whose lines 2 and 3 include b.conf of 3 lines and c.conf of none. */
static void
three_files(void)
{
	size_t a = places_add(&places, "/e/a.conf");

	places_begin(&places, a, 1);
	take(2);
	places_begin(&places, places_add(&places, "/e/b.conf"), 1);
	take(3);
	places_begin(&places, a, 3);
	take(1);
	places_begin(&places, places_add(&places, "/e/c.conf"), 1);
	places_begin(&places, a, 4);
	take(2);
}

START_TEST(one_file_has_its_own_numbers)
{
	ck_assert_uint_eq(places_at(NULL, 7).line, 7);
	ck_assert_ptr_null(places_at(NULL, 7).file);
	ck_assert_uint_eq(places_at(&places, 7).line, 7);
	ck_assert_ptr_null(places_other(&places, 7));
	places_begin(&places, places_add(&places, "t.conf"), 1);
	for (unsigned i = 1; i < 100; i++) {
		ck_assert_uint_eq(places_next(&places), i);
		is_at(&places, i, "t.conf", i);
		ck_assert_ptr_null(places_other(&places, i));
	}
}
END_TEST

START_TEST(lines_of_several_files)
{
	static const struct {
		const char *file;
		unsigned line;
	} want[] = { { "/e/a.conf", 1 }, { "/e/a.conf", 2 }, { "/e/b.conf", 1 }, { "/e/b.conf", 2 },
		{ "/e/b.conf", 3 }, { "/e/a.conf", 3 }, { "/e/a.conf", 4 }, { "/e/a.conf", 5 } };
	size_t n;

	three_files();
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		bool other = strcmp(want[i].file, "/e/a.conf") != 0;

		is_at(&places, i + 1, want[i].file, want[i].line);
		ck_assert(other == (places_other(&places, i + 1) != NULL));
	}
	ck_assert_str_eq(places_files(&places, &n)[2], "/e/c.conf");
	ck_assert_uint_eq(n, 3);
}
END_TEST

START_TEST(what_is_kept_stands_where_it_stood)
{
	three_files();
	places_begin(&next, places_add(&next, "/e/a.conf"), 1);
	(void)places_next(&next);
	is_at(&next, places_keep(&next, &places, 4), "/e/b.conf", 2);
	is_at(&next, places_keep(&next, &places, 6), "/e/a.conf", 3);
	is_at(&next, places_keep(&next, &places, 5), "/e/b.conf", 3);
	is_at(&next, 1, "/e/a.conf", 1);
}
END_TEST

START_TEST(directories_that_are_looked_into)
{
	size_t n;
	char *const *looks;

	places_look(&places, "/e/conf.d/*.conf");
	places_look(&places, "/e/conf.d/x.conf");
	places_look(&places, "/e/conf.d/[a-c]/?");
	places_look(&places, "/*/x");
	places_look(&places, "x.conf");
	looks = places_looks(&places, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(looks[0], "/e/conf.d/");
	ck_assert_str_eq(looks[1], "/");
}
END_TEST

START_TEST(seen_from_inside_of_a_directory)
{
	size_t n;

	ck_assert_str_eq(places_inside("/jail/etc/x", "/jail"), "/etc/x");
	ck_assert_str_eq(places_inside("/jail/etc/x", "/jail//"), "/etc/x");
	ck_assert_str_eq(places_inside("/jailer/etc/x", "/jail"), "/jailer/etc/x");
	ck_assert_str_eq(places_inside("/etc/x", "/"), "/etc/x");
	ck_assert_str_eq(places_inside("/etc/x", ""), "/etc/x");
	three_files();
	places_look(&places, "/e/d/*");
	places_move(&places, "/e");
	ck_assert_str_eq(places_files(&places, &n)[1], "/b.conf");
	ck_assert_str_eq(places_looks(&places, &n)[0], "/d/");
	is_at(&places, 4, "/b.conf", 2);
}
END_TEST

/* A link that leads out of sight is only followed where its own name will not do. */
START_TEST(a_directory_is_entered)
{
	char dir[] = "/tmp/dns64d-places.XXXXXX", path[PATH_MAX], other[PATH_MAX], link[64];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	snprintf(link, sizeof(link), "%s.link", dir);
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	ck_assert_int_eq(symlink(dir, link), 0);
	places_enter(path, dir);
	ck_assert_str_eq(path, "/x");
	snprintf(path, sizeof(path), "%s/x", dir);
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(other, sizeof(other), "%s/x", link);
	places_enter(other, dir);
	ck_assert_str_eq(other, "/x");
	snprintf(other, sizeof(other), "/nonexistent/x");
	places_enter(other, dir);
	ck_assert_str_eq(other, "/nonexistent/x");
	ck_assert_int_eq(chdir(dir), 0);
	places_absolute("x", other, sizeof(other));
	ck_assert_str_eq(other, path);
	places_absolute("/x", other, sizeof(other));
	ck_assert_str_eq(other, "/x");
	unlink(link);
	rmdir(path);
	rmdir(dir);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, fini);
	tcase_add_test(tc, one_file_has_its_own_numbers);
	tcase_add_test(tc, lines_of_several_files);
	tcase_add_test(tc, what_is_kept_stands_where_it_stood);
	tcase_add_test(tc, directories_that_are_looked_into);
	tcase_add_test(tc, seen_from_inside_of_a_directory);
	tcase_add_test(tc, a_directory_is_entered);
}
