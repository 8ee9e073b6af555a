/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/words.h"

#include <string.h>

#include "dns64ctl/explain.h"
#include "dns64ctl/show.h"
#include "dns64ctl/top.h"

/* Where the help begins, behind words and arguments or below longer ones. */
#define HELP_COLUMN 32

/* In the order of the table. */
static command_show *const shows[] = {
#define WORDS_SHOW(handle, show, ...) show,
	COMMANDS_TABLE(WORDS_SHOW)
#undef WORDS_SHOW
};

command_show *
words_show(const struct command *c)
{
	size_t n;

	return shows[c - commands(&n)];
}

/* How many of the N words at WORDS are those of C; 0: they are others. */
static size_t
match(const struct command *c, char *const *words, size_t n)
{
	const char *second = strchr(c->words, ' ');
	size_t len = second == NULL ? strlen(c->words) : (size_t)(second - c->words);

	if (n == 0 || strlen(words[0]) != len || strncmp(words[0], c->words, len) != 0)
		return 0;
	if (second == NULL)
		return 1;
	return n > 1 && strcmp(words[1], second + 1) == 0 ? 2 : 0;
}

const struct command *
words_find(char *const *words, size_t n, size_t *used)
{
	size_t n_commands;
	const struct command *table = commands(&n_commands);

	for (size_t i = 0; i < n_commands; i++) {
		*used = match(&table[i], words, n);
		if (*used > 0)
			return &table[i];
	}
	return NULL;
}

size_t
words_keys(const struct command *c)
{
	size_t n = 0;

	while (n < COMMANDS_KEYS && c->keys[n] != NULL)
		n++;
	return n;
}

/* Is KEY that of a word, which stands by itself or with an argument behind it? */
static bool
is_word(const char *key)
{
	return key[0] == '=' || key[0] == '?';
}

/* The key of the first argument: of those that fill from the end, if N is less than there are. */
static size_t
first_key(const struct command *c, size_t n)
{
	size_t n_keys = words_keys(c);

	for (size_t k = 0; k < n_keys; k++) {
		if (is_word(c->keys[k]))
			return 0;
	}
	return c->methods == (COMMANDS_GET | COMMANDS_POST) && n < n_keys ? n_keys - n : 0;
}

bool
words_bind(
    const struct command *c, char *const *args, size_t n, const char *bound[static COMMANDS_KEYS])
{
	size_t n_keys = words_keys(c), i = 0;

	for (size_t k = 0; k < COMMANDS_KEYS; k++)
		bound[k] = NULL;
	if (c->value != NULL) {
		bound[0] = c->value;
		return n == 0;
	}
	for (size_t k = first_key(c, n); k < n_keys && i < n; k++) {
		const char *key = c->keys[k];
		bool said = is_word(key) && strcmp(key + 1, args[i]) == 0;

		if (key[0] == '?') {
			bound[k] = said ? "yes" : NULL;
			i += said;
		} else if (key[0] == '=') {
			if (said && i + 1 == n)
				return false;
			k++; /* the argument */
			bound[k] = said ? args[i + 1] : NULL;
			i += said ? 2 : 0;
		} else {
			bound[k] = args[i++];
		}
	}
	return i == n && n >= c->n_needed;
}

bool
words_fit(const struct command *c, char *const *args, size_t n)
{
	const char *bound[COMMANDS_KEYS];

	return words_bind(c, args, n, bound);
}

void
words_help(FILE *out)
{
	size_t n;
	const struct command *table = commands(&n);

	for (const struct command *c = table; c < table + n; c++) {
		int len = fprintf(out, "  %s%s%s", c->words, c->args != NULL ? " " : "",
		    c->args != NULL ? c->args : "");

		if (len > HELP_COLUMN) {
			fputc('\n', out);
			len = 0;
		}
		fprintf(out, "%*s %s\n", HELP_COLUMN - len, "", c->help);
	}
}

void
words_print(FILE *out)
{
	size_t n;
	const struct command *table = commands(&n);

	for (const struct command *c = table; c < table + n; c++)
		fprintf(out, "%s\t%s\t%s\n", c->words, c->args != NULL ? c->args : "-", c->help);
}
