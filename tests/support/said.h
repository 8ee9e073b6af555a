/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_SAID_H
#define DNS64D_TESTS_SUPPORT_SAID_H

/*
 * said: a sink that keeps what is said of a configuration, and a parse that uses it.
 */

#include "config/diag.h"
#include "config/settings.h"

#define SAID_TEXT 65536

struct said {
	struct diag diag;
	unsigned n_errors;
	unsigned n_warnings;
	unsigned n_notices;
	size_t len;
	char text[SAID_TEXT]; /* one finding a line, after "error ", "warning " or "notice " */
};

/* said_init: nothing was said yet; the file is called "t.conf". */
void said_init(struct said *said);

/*
 * said_parse: conffile_parse of TEXT, with all that was said before forgotten. *S must be all zero
 * at first; what it held is let go of.
 */
void said_parse(struct said *said, const char *text, struct settings *s);

/* said_nothing: the same; fails the test if anything is said of it, even a notice. */
void said_nothing(struct said *said, const char *text, struct settings *s);

/* A line alone in a file, and what is said of it, less "error t.conf:1: " and the end of line. */
struct said_bad {
	const char *line;
	const char *text;
};

/* said_bad: said_parse of the line of BAD; fails the test unless just its text is said. */
void said_bad(struct said *said, const struct said_bad *bad, struct settings *s);

/*
 * said_make: the same as said_parse, then the policies; they are those of *S. NULL if there were
 * errors.
 */
const struct policies *said_make(struct said *said, const char *text, struct settings *s);

#endif
