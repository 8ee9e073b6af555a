/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands: each is found, listed, in the manual, and a path of the daemon. */

#include "dns64ctl/commands.h"

#include <stdlib.h>
#include <string.h>

#include "control/api.h"
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
		ck_assert_ptr_eq(commands_find(words, n_words, &used), &all[i]);
		ck_assert_uint_eq(used, n_words);
		ck_assert_ptr_eq(commands_find(words, n_words + 1, &used), &all[i]);
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

			ck_assert_ptr_null(commands_find(line, n, &used));
		}
}
END_TEST

/* Each asks for a path that the daemon has, by its method. */
START_TEST(each_has_its_path)
{
	size_t n, n_routes;
	const struct command *all = commands(&n);
	const struct http_route *routes = api_routes(&n_routes);

	for (size_t i = 0; i < n; i++) {
		bool found = all[i].path == NULL;

		for (size_t k = 0; k < n_routes && !found; k++)
			found = strcmp(routes[k].path, all[i].path) == 0 &&
			    (routes[k].methods &
				(strcmp(all[i].method, "GET") == 0 ? EVHTTP_REQ_GET
								   : EVHTTP_REQ_POST)) != 0;
		ck_assert_msg(found, "%s", all[i].words);
	}
	/* And every path but "/" and the pages has a command. */
	for (size_t k = 0; k < n_routes; k++) {
		bool found = strcmp(routes[k].path, "/") == 0 || api_is_page(&routes[k]);

		for (size_t i = 0; i < n && !found; i++)
			found = all[i].path != NULL && strcmp(routes[k].path, all[i].path) == 0;
		ck_assert_msg(found, "%s", routes[k].path);
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

/* The arguments of a line of words, as "key=value ..."; "no" if they are not taken. */
static const char *
bound(const char *line)
{
	static char out[256];
	char text[256], *words[16];
	const char *args[COMMANDS_ARGS];
	const struct command *c;
	size_t n = 0, used;

	strcpy(text, line);
	for (char *w = strtok(text, " "); w != NULL; w = strtok(NULL, " "))
		words[n++] = w;
	c = commands_find(words, n, &used);
	ck_assert_ptr_nonnull(c);
	if (!commands_bind(c, words + used, n - used, args))
		return "no";
	out[0] = '\0';
	for (size_t i = 0; i < commands_keys(c); i++) {
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
}
END_TEST

START_TEST(lists)
{
	size_t n, n_lines = 0;
	const struct command *all = commands(&n);
	char *help = written(commands_help), *print = written(commands_print);

	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_nonnull(strstr(help, all[i].words));
		ck_assert_ptr_nonnull(strstr(help, all[i].help));
		ck_assert_ptr_nonnull(strstr(print, all[i].help));
		ck_assert_uint_le(all[i].n_needed, commands_keys(&all[i]));
		/* One has arguments, or none. */
		ck_assert_int_eq(all[i].args[0] == '\0', commands_keys(&all[i]) == 0);
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
	tcase_add_test(tc, each_has_its_path);
	tcase_add_test(tc, words_go_to_their_keys);
	tcase_add_test(tc, manual_has_each);
	tcase_add_test(tc, lists);
}
