/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_DIAG_H
#define DNS64D_CONFIG_DIAG_H

/*
 * diag: what there is to say about a configuration.
 *
 * Every finding becomes one text `file:line: keyword: what is wrong, what is allowed` and
 * goes to a sink at once, so nothing stops at the first error and nothing needs memory.
 * Whoever reads a configuration passes one along and looks at n_errors at the end.
 */

#include <stddef.h>

#include "base/attr.h"

/* Longest text handed to a sink, with the final zero; the rest is cut off. */
#define DIAG_TEXT 512

/* Errors told one by one; those behind are only counted. */
#define DIAG_MAX_ERRORS 100

enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_NOTICE };

/* A sink takes one finding; TEXT lives only for the call and has no control characters. */
typedef void diag_sink(void *ctx, enum diag_kind kind, const char *text);

struct diag {
	const char *file;  /* borrowed: name that findings begin with */
	unsigned n_errors; /* found so far */
	diag_sink *sink;
	void *ctx; /* borrowed, for the sink */
};

/*
 * diag_error, diag_warning, diag_notice: tell one finding. LINE: 0 if it is about no line in
 * particular. KEYWORD: NULL if it is about none.
 */
PRINTF_LIKE(4, 5)
void diag_error(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);
PRINTF_LIKE(4, 5)
void diag_warning(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);
PRINTF_LIKE(4, 5)
void diag_notice(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...);

/* diag_to_stderr: a sink for people: errors as they are, others after "warning: " or "notice: ". */
void diag_to_stderr(void *ctx, enum diag_kind kind, const char *text);

/* diag_to_log: a sink for the running daemon. */
void diag_to_log(void *ctx, enum diag_kind kind, const char *text);

#endif
