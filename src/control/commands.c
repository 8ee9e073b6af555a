/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/commands.h"

#include <assert.h>
#include <string.h>

static const struct command table[] = {
#define COMMANDS_ROW(handle, show, ...) { __VA_ARGS__ },
	COMMANDS_TABLE(COMMANDS_ROW)
#undef COMMANDS_ROW
};

#define N_COMMANDS (sizeof(table) / sizeof(table[0]))

const struct command *
commands(size_t *n)
{
	*n = N_COMMANDS;
	return table;
}

const char *
commands_path_help(const struct command *c)
{
	return c->path_help != NULL ? c->path_help : c->help;
}

/* Append NAME to NAMES, unless it is there. */
static void
add_name(const char *names[static COMMANDS_NAMES + 1], const char *name)
{
	size_t n = 0;

	for (; names[n] != NULL; n++) {
		if (strcmp(names[n], name) == 0)
			return;
	}
	assert(n < COMMANDS_NAMES);
	names[n] = name;
}

void
commands_names(const char *path, bool posted, const char *names[static COMMANDS_NAMES + 1])
{
	for (size_t i = 0; i <= COMMANDS_NAMES; i++)
		names[i] = NULL;
	for (const struct command *c = table; c < table + N_COMMANDS; c++) {
		/* One that does both posts its arguments. */
		if (c->path == NULL || strcmp(c->path, path) != 0 ||
		    ((c->methods & COMMANDS_POST) != 0) != posted)
			continue;
		for (size_t k = 0; k < COMMANDS_KEYS && c->keys[k] != NULL; k++) {
			if (c->keys[k][0] != '=')
				add_name(names, c->keys[k] + (c->keys[k][0] == '?'));
		}
		if (c->saves)
			add_name(names, "persist");
	}
}
