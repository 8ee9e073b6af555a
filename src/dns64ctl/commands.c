/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/commands.h"

#include <string.h>

#include "dns64ctl/show.h"

#define GET .method = "GET"
#define POST .method = "POST"

static const struct command table[] = {
	{ .words = "ping",
	    .args = "",
	    GET,
	    .path = "/ping",
	    .show = show_ping,
	    .help = "does the daemon answer?" },
};

const struct command *
commands(size_t *n)
{
	*n = sizeof(table) / sizeof(table[0]);
	return table;
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
commands_find(char *const *words, size_t n, size_t *used)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*used = match(&table[i], words, n);
		if (*used > 0)
			return &table[i];
	}
	return NULL;
}

size_t
commands_keys(const struct command *c)
{
	size_t n = 0;

	while (n < COMMANDS_ARGS && c->keys[n] != NULL)
		n++;
	return n;
}

void
commands_help(FILE *out)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct command *c = &table[i];
		int len =
		    fprintf(out, "  %s%s%s", c->words, c->args[0] != '\0' ? " " : "", c->args);

		fprintf(out, "%*s %s\n", len < 32 ? 32 - len : 0, "", c->help);
	}
}

void
commands_print(FILE *out)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		fprintf(out, "%s\t%s\t%s\n", table[i].words,
		    table[i].args[0] != '\0' ? table[i].args : "-", table[i].help);
}
