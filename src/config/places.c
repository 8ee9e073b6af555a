/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines that follow one another in one file. */
struct run {
	unsigned first; /* the number of its first line */
	unsigned line;  /* that line in the file */
	size_t file;    /* index of its name */
};

/* Append a copy of the LEN bytes at NAME to LIST. False without memory. */
static bool
add(struct array *list, const char *name, size_t len)
{
	char *copy = strndup(name, len);
	char **new = copy == NULL ? NULL : array_add(list, sizeof(*new));

	if (new == NULL)
		free(copy);
	else
		*new = copy;
	return new != NULL;
}

size_t
places_add(struct places *p, const char *file)
{
	(void)add(&p->files, file, strlen(file));
	return p->files.n > 0 ? p->files.n - 1 : 0;
}

void
places_begin(struct places *p, size_t file, unsigned line)
{
	struct run *new = file < p->files.n ? array_add(&p->runs, sizeof(*new)) : NULL;

	if (new != NULL)
		*new = (struct run){ .first = p->last + 1, .line = line, .file = file };
}

unsigned
places_next(struct places *p)
{
	/* Files have less lines in all than there are numbers (TEXTFILE_MAX). */
	return ++p->last;
}

void
places_look(struct places *p, const char *path)
{
	char *const *looks = p->looks.items;
	size_t len = strcspn(path, "*?["), n = p->looks.n;

	while (len > 0 && path[len - 1] != '/')
		len--;
	/* One directory is looked into by many lines. */
	if (len == 0 || (n > 0 && strncmp(looks[n - 1], path, len) == 0 && looks[n - 1][len] == 0))
		return;
	(void)add(&p->looks, path, len);
}

struct place
places_at(const struct places *p, unsigned line)
{
	const struct run *run;
	size_t low = 0, high;

	if (p == NULL || p->runs.n == 0)
		return (struct place){ .line = line };
	run = p->runs.items;
	/* The last run that begins no later. */
	for (high = p->runs.n; high - low > 1;) {
		size_t middle = low + (high - low) / 2;

		if (run[middle].first <= line)
			low = middle;
		else
			high = middle;
	}
	run += low;
	return (struct place){ .file = ((char *const *)p->files.items)[run->file],
		.line = run->line + (line - run->first) };
}

const char *
places_other(const struct places *p, unsigned line)
{
	const char *file = places_at(p, line).file;

	return file == NULL || strcmp(file, ((char *const *)p->files.items)[0]) == 0 ? NULL : file;
}

unsigned
places_keep(struct places *next, const struct places *now, unsigned line)
{
	struct place at = places_at(now, line);
	char *const *files = next->files.items;
	size_t i = 0;

	if (at.file == NULL)
		return line;
	while (i < next->files.n && strcmp(files[i], at.file) != 0)
		i++;
	places_begin(next, i < next->files.n ? i : places_add(next, at.file), at.line);
	return places_next(next);
}

char *const *
places_files(const struct places *p, size_t *n)
{
	*n = p->files.n;
	return p->files.items;
}

char *const *
places_looks(const struct places *p, size_t *n)
{
	*n = p->looks.n;
	return p->looks.items;
}

const char *
places_inside(const char *path, const char *root)
{
	size_t len = strlen(root);

	while (len > 0 && root[len - 1] == '/')
		len--;
	return strncmp(path, root, len) == 0 && path[len] == '/' ? path + len : path;
}

static void
move(struct array *list, const char *root)
{
	char **name = list->items;

	for (size_t i = 0; i < list->n; i++) {
		const char *inside = places_inside(name[i], root);

		memmove(name[i], inside, strlen(inside) + 1);
	}
}

void
places_move(struct places *p, const char *root)
{
	move(&p->files, root);
	move(&p->looks, root);
}

void
places_absolute(const char *path, char *out, size_t cap)
{
	char *dir = path[0] == '/' ? NULL : getcwd(NULL, 0);

	snprintf(out, cap, "%s%s%s", dir != NULL ? dir : "", dir != NULL ? "/" : "", path);
	free(dir);
}

void
places_enter(char *path, const char *root)
{
	const char *inside = places_inside(path, root);
	char *real = inside == path ? realpath(path, NULL) : NULL;

	if (real != NULL)
		inside = places_inside(real, root);
	if (inside != real)
		memmove(path, inside, strlen(inside) + 1);
	free(real);
}

static void
fini(struct array *list)
{
	char **name = list->items;

	for (size_t i = 0; i < list->n; i++)
		free(name[i]);
	array_fini(list);
}

void
places_fini(struct places *p)
{
	fini(&p->files);
	fini(&p->looks);
	array_fini(&p->runs);
	p->last = 0;
}
