/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_GNUPLOT_H
#define DNS64D_BENCH_RESULT_GNUPLOT_H

/*
 * bench_gnuplot: the program gnuplot at work: started without a shell, without its user's own
 * settings, with a script in and a picture out. What lies between are files without a name.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

/* bench_gnuplot_there: whether PROGRAM ("gnuplot") can be started; if not, why, to ERROR. */
MUST_USE bool bench_gnuplot_there(const char *program, char *error, size_t size);

/*
 * bench_gnuplot_run: what PROGRAM ("gnuplot") draws for the script in the file SCRIPT: a file
 * without a name, at its start, the caller's. NULL if there is no program or no picture; then why,
 * to ERROR.
 */
MUST_USE FILE *bench_gnuplot_run(const char *program, FILE *script, char *error, size_t size);

#endif
