/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands: each row is whole and in the manual; a path takes the keys of its rows. */

#include "control/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tests.h"

START_TEST(each_is_whole)
{
	size_t n;
	const struct command *all = commands(&n);

	for (size_t i = 0; i < n; i++) {
		const struct command *c = &all[i];
		size_t n_keys = 0;

		while (n_keys < COMMANDS_KEYS && c->keys[n_keys] != NULL)
			n_keys++;
		ck_assert_str_ne(c->words, "");
		ck_assert_str_ne(c->help, "");
		ck_assert_str_ne(commands_path_help(c), "");
		ck_assert_int_eq(c->path == NULL, c->methods == 0);
		ck_assert_uint_le(c->n_needed, n_keys);
		/* Who types a value is told what; that of other words is there already. */
		ck_assert_int_eq(c->args != NULL, n_keys > 0 && c->value == NULL);
		if (c->value != NULL)
			ck_assert_uint_eq(n_keys, 1);
		/* What is behind a word has a key. */
		if (n_keys > 0)
			ck_assert_int_ne(c->keys[n_keys - 1][0], '=');
	}
}
END_TEST

/* The manual has all of them, and no others. */
START_TEST(manual_has_each)
{
	char path[1024], line[1024];
	size_t n, n_items = 0;
	const struct command *all = commands(&n);

	snprintf(path, sizeof(path), "%s/../man/dns64ctl.8.in", getenv("TEST_SRCDIR"));
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		bool found = false;

		if (strncmp(line, ".It Ic ", 7) != 0)
			continue;
		for (size_t i = 0; i < n && !found; i++) {
			size_t len = strlen(all[i].words);

			found = strncmp(line + 7, all[i].words, len) == 0 &&
			    (line[7 + len] == '\n' || line[7 + len] == ' ');
		}
		ck_assert_msg(found, "%s", line);
		n_items++;
	}
	fclose(f);
	ck_assert_uint_eq(n_items, n);
}
END_TEST

/* What PATH takes, in one line. */
static const char *
names(const char *path, bool posted)
{
	static char out[256];
	const char *names[COMMANDS_NAMES + 1];

	out[0] = '\0';
	commands_names(path, posted, names);
	for (size_t i = 0; names[i] != NULL; i++)
		strcat(strcat(out, i > 0 ? " " : ""), names[i]);
	return out;
}

START_TEST(paths_take_keys)
{
	ck_assert_str_eq(names("/explain", false), "name type client ask tcp do cd");
	ck_assert_str_eq(names("/explain", true), "");
	ck_assert_str_eq(names("/deny", true), "network drop for");
	ck_assert_str_eq(names("/deny", false), "");
	ck_assert_str_eq(names("/prefix/drain", true), "prefix client persist");
	ck_assert_str_eq(names("/lameduck", true), "state");
	ck_assert_str_eq(names("/lameduck", false), "");
	ck_assert_str_eq(names("/flush/all", true), "");
	ck_assert_str_eq(names("/", false), "");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, each_is_whole);
	tcase_add_test(tc, manual_has_each);
	tcase_add_test(tc, paths_take_keys);
}
