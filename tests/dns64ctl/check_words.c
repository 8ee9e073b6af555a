/* SPDX-License-Identifier: BSD-2-Clause */
/* Each command of the table is found by its words, shown and listed; words go to their keys. */

#include "dns64ctl/words.h"

#include <stdlib.h>
#include <string.h>

#include "support/tests.h"

/* What WRITE writes. */
static char *
written(void (*write)(FILE *))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(f);
	write(f);
	ck_assert_int_eq(fclose(f), 0);
	return text;
}

START_TEST(each_is_found)
{
	size_t n, used;
	const struct command *all = commands(&n);

	for (size_t i = 0; i < n; i++) {
		char text[64], *words[3] = { text, strchr(strcpy(text, all[i].words), ' '), NULL };
		size_t n_words = 1;

		if (words[1] != NULL) {
			*words[1]++ = '\0';
			n_words = 2;
		}
		words[n_words] = text; /* an argument */
		ck_assert_ptr_eq(words_find(words, n_words, &used), &all[i]);
		ck_assert_uint_eq(used, n_words);
		ck_assert_ptr_eq(words_find(words, n_words + 1, &used), &all[i]);
		ck_assert_uint_eq(used, n_words);
	}
}
END_TEST

START_TEST(others_are_not)
{
	static char words[][2][16] = { { "pin", "" }, { "pingg", "" }, { "flush", "" },
		{ "flush", "al" }, { "flush", "alll" }, { "cache stats", "" }, { "", "" } };
	size_t used;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t n = 0; n <= 2; n++) {
			char *const line[] = { words[i][0], words[i][1] };

			ck_assert_ptr_null(words_find(line, n, &used));
		}
}
END_TEST

/* The arguments of a line of words, as "key=value ..."; "no" if they are not taken. */
static const char *
bound(const char *line)
{
	static char out[256];
	char text[256], *words[16];
	const char *args[COMMANDS_KEYS];
	const struct command *c;
	size_t n = 0, used;

	strcpy(text, line);
	for (char *w = strtok(text, " "); w != NULL; w = strtok(NULL, " "))
		words[n++] = w;
	c = words_find(words, n, &used);
	ck_assert_ptr_nonnull(c);
	if (!words_bind(c, words + used, n - used, args))
		return "no";
	out[0] = '\0';
	for (size_t i = 0; i < words_keys(c); i++) {
		size_t len = strlen(out);

		if (args[i] != NULL)
			snprintf(out + len, sizeof(out) - len, "%s%s=%s", len > 0 ? " " : "",
			    c->keys[i], args[i]);
	}
	return out;
}

START_TEST(words_go_to_their_keys)
{
	ck_assert_str_eq(bound("deny"), "");
	ck_assert_str_eq(bound("deny N"), "network=N");
	ck_assert_str_eq(bound("deny N drop"), "network=N ?drop=yes");
	ck_assert_str_eq(bound("deny N for 5"), "network=N for=5");
	ck_assert_str_eq(bound("deny N drop for 5"), "network=N ?drop=yes for=5");
	ck_assert_str_eq(bound("deny N for"), "no");
	ck_assert_str_eq(bound("deny N dropp"), "no");
	ck_assert_str_eq(bound("deny N for 5 drop"), "no");
	ck_assert_str_eq(bound("deny N drop for 5 6"), "no");
	ck_assert_str_eq(bound("undeny"), "no");
	ck_assert_str_eq(bound("querylog on for 5"), "state=on for=5");
	ck_assert_str_eq(bound("prefix add P client C"), "prefix=P client=C");
	ck_assert_str_eq(bound("prefix add P client"), "no");
	ck_assert_str_eq(bound("prefix add P C"), "no");
	ck_assert_str_eq(bound("log level"), "");
	ck_assert_str_eq(bound("log level debug"), "level=debug");
	ck_assert_str_eq(bound("log level cache debug"), "category=cache level=debug");
	ck_assert_str_eq(bound("flush type N T"), "name=N type=T");
	ck_assert_str_eq(bound("upstream A"), "no");
	ck_assert_str_eq(bound("lameduck"), "");
	ck_assert_str_eq(bound("lameduck on"), "state=on");
	ck_assert_str_eq(bound("lameduck off"), "state=off");
	ck_assert_str_eq(bound("lameduck on on"), "no");
}
END_TEST

START_TEST(lists)
{
	size_t n, n_lines = 0;
	const struct command *all = commands(&n);
	char *help = written(words_help), *print = written(words_print);

	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_nonnull(strstr(help, all[i].words));
		ck_assert_ptr_nonnull(strstr(help, all[i].help));
		ck_assert_ptr_nonnull(strstr(print, all[i].help));
		ck_assert(words_show(&all[i]) != NULL);
	}
	for (const char *c = print; *c != '\0'; c++)
		n_lines += *c == '\n' ? 1 : 0;
	ck_assert_uint_eq(n_lines, n);
	ck_assert_ptr_nonnull(strstr(print, "flush type\tNAME TYPE\t"));
	ck_assert_ptr_nonnull(strstr(print, "ping\t-\t"));
	free(help);
	free(print);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, each_is_found);
	tcase_add_test(tc, others_are_not);
	tcase_add_test(tc, words_go_to_their_keys);
	tcase_add_test(tc, lists);
}
