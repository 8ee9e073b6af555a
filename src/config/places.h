/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_PLACES_H
#define DNS64D_CONFIG_PLACES_H

/*
 * places: in which file, and where there, each line of a configuration stands.
 *
 * Lines are numbered through all files in the order in which they are read: a line of a file that
 * an include line names has a number behind that of the include line. All of config/ and who tells
 * of it carry that one number, and ask here for the file. Without include it is the line's own.
 * Without memory lines are taken for lines of the file before.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/array.h"

/* All zero: one file without a name. */
struct places {
	struct array files; /* char *, owned: their names; 0 is the configuration itself */
	struct array looks; /* char *, owned: directories that include looks into, ended by a / */
	struct array runs;  /* of lines that follow one another in one file */
	unsigned last;      /* the number that was given last */
};

struct place {
	const char *file; /* borrowed; NULL: no file is known */
	unsigned line;    /* in it, from 1 */
};

/* places_add: one more file, whose name is copied. Its index; that of the last without memory. */
MUST_USE size_t places_add(struct places *p, const char *file);

/* places_begin: what is read next is the file of index FILE, from its line LINE on. */
void places_begin(struct places *p, size_t file, unsigned line);

/* places_next: the number of the next line. */
unsigned places_next(struct places *p);

/* places_look: include looks for files in the directory of PATH and, with a wildcard there, below.
 */
void places_look(struct places *p, const char *path);

/* places_at: where the line of the number LINE (> 0) stands. P may be NULL. */
MUST_USE struct place places_at(const struct places *p, unsigned line);

/* places_other: is LINE in another file than the configuration itself? Its name, borrowed, or NULL.
 */
MUST_USE const char *places_other(const struct places *p, unsigned line);

/* places_keep: a number in NEXT for the line LINE (> 0) of NOW, as what it says is kept. */
MUST_USE unsigned places_keep(struct places *next, const struct places *now, unsigned line);

/* places_files: the names of all files that were read, N of them, the configuration itself first.
 */
MUST_USE char *const *places_files(const struct places *p, size_t *n);

/* places_looks: likewise directories, each ended by a /. */
MUST_USE char *const *places_looks(const struct places *p, size_t *n);

/* places_move: names are from now on as seen inside of the directory ROOT; others stay. */
void places_move(struct places *p, const char *root);

/* places_inside: PATH as seen from inside of ROOT; PATH itself where it is not below. */
MUST_USE const char *places_inside(const char *path, const char *root);

/*
 * places_absolute: write PATH to the CAP bytes at OUT, beginning with a /, as this process may
 * change its directory; cut if it does not fit. Links in it stay: who reads it later reads what
 * they lead to then, as clusters swap one to replace all files at once.
 */
void places_absolute(const char *path, char *out, size_t cap);

/*
 * places_enter: change PATH, with room for PATH_MAX bytes, to what it is inside of ROOT, which is
 * entered next: by its name, or else, if that has a link that leads there, by what it leads to now.
 */
void places_enter(char *path, const char *root);

/* places_fini: free it all; *p is all zero afterwards. */
void places_fini(struct places *p);

#endif
