/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines are read and listed by a table of rows. */

#include "tools/cmdline.h"

#include <stdint.h>
#include <string.h>

#include "support/tests.h"
#include "support/text.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ARGS_MAX 20

enum { WALK = 1, RUN = 2 };

static struct settings {
	uint16_t small;
	uint32_t middle;
	uint64_t large;
	const char *text;
	bool flag;
	char list[64]; /* what came to the parser below, with blanks between */
} s;

/* Takes several values. */
static void
parse_list(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	ck_assert_ptr_eq(field, s.list);
	if (strcmp(text, "bad") == 0)
		cmdline_complain(c, row->name, "\"%s\" is not good", text);
	(void)strcat(s.list, text);
	(void)strcat(s.list, " ");
}

/* "yes" and nothing else */
static bool
read_yes(const char *text, void *field)
{
	*(bool *)field = strcmp(text, "yes") == 0;
	return *(bool *)field;
}

#define OFFSET(member) .offset = offsetof(struct settings, member), .size = sizeof(s.member)

static const struct cmdline_row rows[] = {
	{ .name = "flag", .parse = cmdline_flag, OFFSET(flag), .help = "a flag" },
	{ .name = "help", .letter = 'h', .parse = cmdline_help, .help = "show this" },
	{ .name = "large",
	    .value = "N",
	    .parse = cmdline_number,
	    .max = 1e15,
	    OFFSET(large),
	    .help = "without default" },
	{ .name = "list",
	    .letter = 'l',
	    .value = "WORD",
	    .parse = parse_list,
	    OFFSET(list),
	    .fallback = "one\ntwo",
	    .help = "words" },
	{ .name = "middle",
	    .letter = 'm',
	    .methods = WALK,
	    .value = "N",
	    .parse = cmdline_number,
	    .min = 1,
	    .max = UINT32_MAX,
	    OFFSET(middle),
	    .fallback = "7",
	    .help = "for one method" },
	{ .name = "small",
	    .letter = 's',
	    .value = "N",
	    .parse = cmdline_number,
	    .min = 10,
	    .max = UINT16_MAX,
	    OFFSET(small),
	    .fallback = "10",
	    .special = { { RUN, "99" } },
	    .help = "has two defaults" },
	{ .name = "text", .value = "TEXT", .parse = cmdline_text, OFFSET(text), .help = "a text" },
	{ .name = "version", .letter = 'V', .parse = cmdline_version, .help = "show it" },
};

static const struct cmdline_method methods[] = {
	{ WALK, "walk", "slowly", NULL },
	{ RUN, "run", "fast", NULL },
};

static const struct cmdline_table with_methods = {
	.program = "tool",
	.about = "Does something.",
	.methods = methods,
	.n_methods = N_OF(methods),
	.with_words = RUN,
	.rows = rows,
	.n_rows = N_OF(rows),
};

/* Without methods no option is bound to one. */
static const struct cmdline_table plain = {
	.program = "tool",
	.about = "Does something.",
	.rows = rows,
	.n_rows = 4,
};

static struct cmdline c;
static char errors[1024];

/* LINE in words; what was told is in errors. */
static enum cmdline_task
read_line(const struct cmdline_table *t, const char *line)
{
	static char copy[1024];
	static char *argv[ARGS_MAX];
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	memset(&s, 0, sizeof(s));
	errors[0] = '\0';
	(void)snprintf(copy, sizeof(copy), "tool %s", line);
	c = (struct cmdline){ .table = t, .settings = &s, .errors = f };
	cmdline_read(&c, text_words(copy, argv, ARGS_MAX), argv);
	(void)fclose(f);
	return cmdline_end(&c);
}

static void
good(const struct cmdline_table *t, const char *line)
{
	ck_assert_msg(read_line(t, line) == CMDLINE_RUN, "%s: %s", line, errors);
	ck_assert_str_eq(errors, "");
}

/* Also those of options that the method does not have. */
START_TEST(defaults_fill_what_is_not_given)
{
	good(&with_methods, "walk");
	ck_assert_uint_eq(c.method, WALK);
	ck_assert_uint_eq(s.small, 10);
	ck_assert_uint_eq(s.middle, 7);
	ck_assert_uint_eq(s.large, 0);
	ck_assert_str_eq(s.list, "one two ");
	ck_assert(s.text == NULL && !s.flag);
	good(&with_methods, "run");
	ck_assert_uint_eq(c.method, RUN);
	ck_assert_uint_eq(s.small, 99);
	ck_assert_uint_eq(s.middle, 7);
	good(&plain, "");
	ck_assert_uint_eq(c.method, 0);
	ck_assert_str_eq(s.list, "one two ");
}
END_TEST

START_TEST(values_fill_their_fields)
{
	good(&with_methods,
	    "walk --small 65535 -m 4294967295 --large=1000000000000000 -lthree --list four"
	    " --text any --flag");
	ck_assert_uint_eq(s.small, 65535);
	ck_assert_uint_eq(s.middle, 4294967295);
	ck_assert_uint_eq(s.large, 1000000000000000);
	ck_assert_str_eq(s.list, "three four ");
	ck_assert_str_eq(s.text, "any");
	ck_assert(s.flag);
	ck_assert(cmdline_seen(&c, "flag") && cmdline_seen(&c, "small"));
	ck_assert(!cmdline_seen(&c, "help"));
	good(&with_methods, "walk -s 10 -s 11 --lar 3"); /* the last one; a name cut short */
	ck_assert_uint_eq(s.small, 11);
	ck_assert_uint_eq(s.large, 3);
	good(&plain, "--flag");
	ck_assert(s.flag);
}
END_TEST

START_TEST(words_behind_the_options_are_kept)
{
	good(&with_methods, "run --flag a b");
	ck_assert_int_eq(c.n_words, 2);
	ck_assert_str_eq(c.words[0], "a");
	ck_assert_str_eq(c.words[1], "b");
	good(&with_methods, "run");
	ck_assert_int_eq(c.n_words, 0);
}
END_TEST

START_TEST(help_and_version_are_tasks)
{
	ck_assert_int_eq(read_line(&with_methods, "-h"), CMDLINE_HELP);
	ck_assert_int_eq(read_line(&with_methods, "--help"), CMDLINE_HELP);
	ck_assert_int_eq(read_line(&with_methods, "-V"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line(&with_methods, "--version"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line(&with_methods, "walk -V"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line(&with_methods, "run --help"), CMDLINE_HELP);
	ck_assert_int_eq(read_line(&with_methods, "run --help -s 1"), CMDLINE_WRONG);
	ck_assert_int_eq(read_line(&plain, "-h"), CMDLINE_HELP);
	ck_assert_int_eq(read_line(&plain, "--flag -h"), CMDLINE_HELP);
}
END_TEST

/* A table's line, and all that is told. */
static const struct {
	const struct cmdline_table *t;
	const char *line;
	const char *told;
} faults[] = {
	{ &with_methods, "", "tool: first comes one of walk run\n" },
	{ &with_methods, "fly -s 10",
	    "tool: \"fly\" is not a method; first comes one of walk run\n" },
	{ &with_methods, "walk -s 9", "tool: --small: \"9\" is not a number from 10 to 65535\n" },
	{ &with_methods, "walk -s 65536",
	    "tool: --small: \"65536\" is not a number from 10 to 65535\n" },
	{ &with_methods, "walk -s ten -l bad",
	    "tool: --small: \"ten\" is not a number from 10 to 65535\n"
	    "tool: --list: \"bad\" is not good\n" },
	{ &with_methods, "run -m 5", "tool: --middle: says nothing to run, but to walk\n" },
	{ &with_methods, "walk word", "tool: \"word\": there are options only\n" },
	{ &with_methods, "walk -q", "tool: -q: unknown option\n" },
	{ &with_methods, "walk --nosuch=7", "tool: --nosuch=7: unknown option\n" },
	{ &with_methods, "walk --l 7",
	    "tool: --l: which of --large, --list\n"
	    "tool: \"7\": there are options only\n" },
	{ &with_methods, "walk --l=7", "tool: --l=7: which of --large, --list\n" },
	{ &with_methods, "walk -s", "tool: --small: needs a value\n" },
	{ &with_methods, "walk --large", "tool: --large: needs a value\n" },
	{ &with_methods, "walk --flag=1", "tool: --flag: takes no value\n" },
	{ &with_methods, "walk --version=1", "tool: --version: takes no value\n" },
	{ &plain, "word", "tool: \"word\": there are options only\n" },
	{ &plain, "--nosuch", "tool: --nosuch: unknown option\n" },
};

START_TEST(faults_are_told)
{
	ck_assert_int_eq(read_line(faults[_i].t, faults[_i].line), CMDLINE_WRONG);
	ck_assert_str_eq(errors, faults[_i].told);
}
END_TEST

START_TEST(rows_are_found)
{
	ck_assert_ptr_eq(cmdline_find(&plain, "flag"), &rows[0]);
	ck_assert_ptr_eq(cmdline_find(&with_methods, "version"), &rows[N_OF(rows) - 1]);
	ck_assert_ptr_null(cmdline_find(&plain, "version"));
	ck_assert_ptr_null(cmdline_find(&plain, "fla"));
	ck_assert_str_eq(cmdline_method_name(&with_methods, RUN), "run");
	ck_assert_str_eq(cmdline_method_name(&with_methods, 4), "");
	ck_assert_str_eq(cmdline_method_name(&plain, WALK), "");
}
END_TEST

/* The defaults in it are those of the rows. */
START_TEST(help_has_the_defaults_of_the_rows)
{
	static const char *const want[] = {
		"Usage: tool METHOD [option ...]\n"
		"Does something.\n"
		"\n"
		"  walk     slowly\n"
		"  run      fast\n"
		"\n"
		"      --flag      a flag\n"
		"  -h, --help      show this\n"
		"      --large N   without default\n"
		"  -l, --list WORD words (default one, two)\n"
		"  -m, --middle N  for one method (default 7)\n"
		"  -s, --small N   has two defaults (default 10; run: 99)\n"
		"      --text TEXT a text\n"
		"  -V, --version   show it\n",
		"Usage: tool [option ...]\n"
		"Does something.\n"
		"\n"
		"      --flag      a flag\n"
		"  -h, --help      show this\n"
		"      --large N   without default\n"
		"  -l, --list WORD words (default one, two)\n",
		"Usage: tool run [option ...]\n"
		"run: fast\n"
		"\n"
		"      --flag      a flag\n"
		"  -h, --help      show this\n"
		"      --large N   without default\n"
		"  -l, --list WORD words (default one, two)\n"
		"  -s, --small N   has two defaults (default 99)\n"
		"      --text TEXT a text\n"
		"  -V, --version   show it\n",
	};
	char text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(f);
	cmdline_print_help(_i == 1 ? &plain : &with_methods, _i == 2 ? RUN : 0, f);
	(void)fclose(f);
	ck_assert_str_eq(text, want[_i]);
}
END_TEST

/* Under headings, which a method without such options does not have; and with an example. */
START_TEST(help_has_groups_and_examples)
{
	static const char *const groups[] = { "First", "Second", "None" };
	static const struct cmdline_row grouped[] = {
		{ .name = "a", .parse = cmdline_flag, .group = 1, .methods = RUN, .help = "one" },
		{ .name = "b", .parse = cmdline_flag, .help = "two" },
		{ .name = "c", .parse = cmdline_flag, .group = 1, .methods = RUN, .help = "three" },
	};
	static const struct cmdline_method ways[] = {
		{ WALK, "walk", "slowly", NULL },
		{ RUN, "run", "fast", "--a --c" },
	};
	const struct cmdline_table t = { .program = "tool",
		.about = "Does something.",
		.methods = ways,
		.n_methods = 2,
		.rows = grouped,
		.n_rows = 3,
		.groups = groups,
		.n_groups = 3 };
	static const char *const want[] = {
		"Usage: tool METHOD [option ...]\nDoes something.\n\n"
		"  walk     slowly\n  run      fast\n           tool run --a --c\n"
		"\nFirst:\n      --b two\n\nSecond:\n      --a one\n      --c three\n",
		"Usage: tool walk [option ...]\nwalk: slowly\n\nFirst:\n      --b two\n",
	};
	char text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(f);
	cmdline_print_help(&t, _i == 1 ? WALK : 0, f);
	(void)fclose(f);
	ck_assert_str_eq(text, want[_i]);
}
END_TEST

START_TEST(values_are_read_by_their_rows)
{
	static const struct cmdline_row row = {
		.name = "agree", .read = read_yes, .wants = "not yes"
	};
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	c = (struct cmdline){ .table = &plain, .errors = f };
	cmdline_value(&c, &row, "yes", &s.flag);
	ck_assert(s.flag && c.n_errors == 0);
	cmdline_value(&c, &row, "no", &s.flag);
	(void)fclose(f);
	ck_assert(c.n_errors == 1);
	ck_assert_str_eq(errors, "tool: --agree: \"no\" is not yes\n");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, values_are_read_by_their_rows);
	tcase_add_test(tc, defaults_fill_what_is_not_given);
	tcase_add_test(tc, values_fill_their_fields);
	tcase_add_test(tc, words_behind_the_options_are_kept);
	tcase_add_test(tc, help_and_version_are_tasks);
	tcase_add_loop_test(tc, faults_are_told, 0, N_OF(faults));
	tcase_add_test(tc, rows_are_found);
	tcase_add_loop_test(tc, help_has_the_defaults_of_the_rows, 0, 3);
	tcase_add_loop_test(tc, help_has_groups_and_examples, 0, 2);
}
