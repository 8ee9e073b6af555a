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

/* said_make: the same, then the policies; they are those of *S. NULL if there were errors. */
const struct policies *said_make(struct said *said, const char *text, struct settings *s);

#endif
