/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_DIAG_H
#define DNS64D_CONFIG_DIAG_H

/*
 * diag: errors, warnings and notices about a configuration.
 *
 * Each becomes one text, `file:line: keyword: what is wrong, what is allowed`, and goes to a sink
 * at once: reading goes on after an error, and nothing is stored. Whoever reads a configuration
 * passes a struct diag along and checks n_errors at the end.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/places.h"

/* Bytes of the longest text that a sink gets, with the final zero; a longer one is cut. */
#define DIAG_TEXT 512

/* Bytes of the longest text of diag_line, with the final zero; a longer one is cut. */
#define DIAG_LINE 256

/* Errors that go to the sink; more are only counted. */
#define DIAG_MAX_ERRORS 100

enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_NOTICE };

/* A sink takes one text, which is borrowed for the call and has no control characters. */
typedef void diag_sink(void *ctx, enum diag_kind kind, const char *text);

struct diag {
	const char *file;            /* borrowed: the file's name, with which texts begin */
	const struct places *places; /* borrowed: where lines stand; NULL: all in that file */
	unsigned n_errors;           /* errors so far */
	diag_sink *sink;
	void *ctx; /* borrowed, for the sink */
};

/*
 * diag_error: send the text of an error to the sink, and count it. LINE: 0 if it is about no line;
 * KEYWORD: NULL if it is about none; FMT: what is wrong, and what is allowed, without a newline.
 */
PRINTF_LIKE(4, 5)
void diag_error(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);

/* diag_no_memory: the same if there is no memory for what it is about. Returns false. */
bool diag_no_memory(struct diag *d, unsigned line, const char *keyword);

/* diag_warning: the same for a warning, which is not counted. */
PRINTF_LIKE(4, 5)
void diag_warning(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);

/* diag_notice: the same for a notice, which is not counted. */
PRINTF_LIKE(4, 5)
void diag_notice(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);

/*
 * diag_line: the place of LINE (> 0) to one who is told of HERE (0: of no line): "line 12", and if
 * that is in another file "line 12 of FILE". Returns TEXT.
 */
const char *diag_line(
    const struct diag *d, unsigned line, unsigned here, char text[static DIAG_LINE]);

/*
 * diag_to_stderr: a sink: writes to standard error, with "warning: " or "notice: " before. CTX:
 * unused.
 */
void diag_to_stderr(void *ctx, enum diag_kind kind, const char *text);

/* diag_to_log: a sink: writes to the log under the word "config". CTX is not used. */
void diag_to_log(void *ctx, enum diag_kind kind, const char *text);

#endif
