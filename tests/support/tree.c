/* SPDX-License-Identifier: BSD-2-Clause */

#include "support/tree.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void
tree_write(const char *root, const char *path, const char *text)
{
	char name[4096];
	int len = snprintf(name, sizeof(name), "%s/%s", root, path);

	ck_assert_int_lt(len, (int)sizeof(name));
	for (char *slash = name + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		(void)mkdir(name, 0700);
		*slash = '/';
	}
	FILE *f = fopen(name, "we");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
tree_remove(const char *root, const char *path)
{
	char name[4096];

	(void)snprintf(name, sizeof(name), "%s/%s", root, path);
	ck_assert_int_eq(nftw(name, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}
