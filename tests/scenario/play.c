/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/play.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/expect.h"
#include "scenario/happen.h"

static const struct play_hooks no_hooks = { .before = NULL };

static void
do_line(struct run *r, const struct play_hooks *h, char **w, unsigned n)
{
	if (h->before != NULL && !h->before(h->arg, r, w, n))
		return;
	if (!happen(r, w, n) && !expect(r, w, n))
		stage_configure(r, w, n);
	if (h->after != NULL)
		h->after(h->arg, r, w, n);
}

static unsigned
split(char *line, char *words[static STAGE_WORDS])
{
	unsigned n = 0;

	for (char *p = strtok(line, " \t\n"); p != NULL && n < STAGE_WORDS;
	     p = strtok(NULL, " \t\n"))
		words[n++] = p;
	return n;
}

static void
finish_command(struct run *r, const struct play_hooks *h, char *command, unsigned line)
{
	char *words[STAGE_WORDS];
	unsigned n = split(command, words);
	unsigned here = r->line;

	if (n > 0) {
		r->line = line;
		if (n == STAGE_WORDS && strtok(NULL, " \t\n") != NULL)
			stage_fail(r, "more than %d words", STAGE_WORDS);
		do_line(r, h, words, n);
		r->line = here;
	}
	command[0] = 0;
	r->n_records = 0;
}

/* Keep a record; with "xN" behind it N of them, their addresses counting up from the first. */
static void
keep_record(struct run *r, char *line)
{
	char *times = strrchr(line, ' ');
	unsigned n = times != NULL && times[1] == 'x' ? (unsigned)atoi(times + 2) : 0;

	if (n > 0)
		*times = '\0';
	for (unsigned i = 0; i < (n > 0 ? n : 1); i++) {
		ck_assert_uint_lt(r->n_records, STAGE_MAX_RECORDS);
		if (!scene_count_up(line, i, r->records[r->n_records++]))
			stage_fail(r, "bad record %s", line);
	}
}

static void
read_file(struct run *r, const struct play_hooks *h, FILE *f)
{
	char line[SCENE_TEXT];
	char command[SCENE_TEXT] = "";
	unsigned command_line = 0;

	while (fgets(line, sizeof(line), f) != NULL) {
		char *comment = strchr(line, ';');

		r->line++;
		if (comment != NULL)
			*comment = 0;
		line[strcspn(line, "\n")] = 0;
		if (line[strspn(line, " \t")] == 0)
			continue;
		if (line[0] == ' ' || line[0] == '\t') {
			keep_record(r, line + strspn(line, " \t"));
			continue;
		}
		finish_command(r, h, command, command_line);
		snprintf(command, sizeof(command), "%s", line);
		command_line = r->line;
	}
	finish_command(r, h, command, command_line);
}

void
play(struct run *r, const struct play_hooks *hooks)
{
	char path[4096];
	FILE *f;

	play_path(r->file, path);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	read_file(r, hooks != NULL ? hooks : &no_hooks, f);
	fclose(f);
}

/* --- the files -------------------------------------------------------------------------------- */

static const char *
top(void)
{
	const char *dir = getenv("TEST_SRCDIR");

	return dir != NULL ? dir : "tests";
}

void
play_path(const char *file, char path[static 4096])
{
	snprintf(path, 4096, "%s/scenarios/%s", top(), file);
}

static int
is_scenario(const struct dirent *d)
{
	const char *wanted = getenv("SCENARIO");
	size_t len = strlen(d->d_name);

	return len > 4 && strcmp(d->d_name + len - 4, ".scn") == 0 &&
	    (wanted == NULL || strstr(d->d_name, wanted) != NULL);
}

unsigned
play_list(char *files[static PLAY_MAX_FILES])
{
	struct dirent **entries;
	char dir[4096];
	int n;

	play_path("", dir);
	n = scandir(dir, &entries, is_scenario, alphasort);
	if (n <= 0 || n > PLAY_MAX_FILES) {
		fprintf(stderr, "no scenarios in %s, or too many\n", dir);
		exit(1);
	}
	for (int i = 0; i < n; i++) {
		files[i] = strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return (unsigned)n;
}

void
play_forget(char *files[static PLAY_MAX_FILES], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free(files[i]);
}
