/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_INCLUDE_H
#define DNS64D_CONFIG_INCLUDE_H

/*
 * include: which files an include line names. config/conffile reads them.
 */

#include <glob.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"

#define INCLUDE_DEPTH 10    /* files that include one another, the configuration not counted */
#define INCLUDE_FILES 10000 /* files of a configuration in all */

#define INCLUDE_PATH (2 * SETTINGS_PATH) /* bytes of a path, with its final zero */

struct include_found {
	char *const *path; /* borrowed from the rest, or from the caller's word */
	size_t n;
	char *one[1];
	glob_t glob; /* owned; empty if there was no wildcard */
};

/*
 * include_path: write the path that WORD in the file FROM means to OUT: without a / at its head it
 * is seen from the directory of FROM. ROOT: the directory that this process is locked in and whose
 * name an absolute path may have before; NULL: none. Returns 0 or -ENAMETOOLONG.
 */
MUST_USE int include_path(
    const char *from, const char *word, const char *root, char out[static INCLUDE_PATH]);

/*
 * include_find: fill in *f with the files of PATH, sorted by their bytes: itself if it has none of
 * the wildcards *, ? and [, be it there or not; else those that fit, of which there may be none.
 * Returns 0 or -errno, if a directory cannot be read. The caller calls include_free in any case.
 */
MUST_USE int include_find(char *path, struct include_found *f);

/* include_free: free what *f owns. */
void include_free(struct include_found *f);

#endif
