/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/include.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/places.h"

int
include_path(const char *from, const char *word, const char *root, char out[static INCLUDE_PATH])
{
	const char *slash = strrchr(from, '/');
	int dir = slash == NULL ? 0 : (int)(slash + 1 - from), n;

	if (word[0] == '/')
		n = snprintf(
		    out, INCLUDE_PATH, "%s", root == NULL ? word : places_inside(word, root));
	else
		n = snprintf(out, INCLUDE_PATH, "%.*s%s", dir, from, word);
	return n < 0 || n >= INCLUDE_PATH ? -ENAMETOOLONG : 0;
}

/* A directory cannot be read. Nonzero: give up, with errno; what is not there has no files. */
static int
on_error(const char *path, int err)
{
	(void)path;
	errno = err;
	return err != ENOENT && err != ENOTDIR;
}

int
include_find(char *path, struct include_found *f)
{
	int rc;

	*f = (struct include_found){ .n = 1 };
	f->one[0] = path;
	f->path = f->one;
	if (strpbrk(path, "*?[") == NULL)
		return 0;
	errno = 0;
	rc = glob(path, 0, on_error, &f->glob);
	f->path = f->glob.gl_pathv;
	f->n = rc == 0 ? f->glob.gl_pathc : 0;
	if (rc == 0 || rc == GLOB_NOMATCH)
		return 0;
	return rc == GLOB_ABORTED && errno != 0 ? -errno : -ENOMEM;
}

void
include_free(struct include_found *f)
{
	if (f->path != f->one)
		globfree(&f->glob);
}
