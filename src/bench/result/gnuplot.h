/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_GNUPLOT_H
#define DNS64D_BENCH_RESULT_GNUPLOT_H

/*
 * bench_gnuplot: run gnuplot(1): a script in, a picture out. It is started without a shell and
 * without the user's settings; script and picture are in files without a name.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

/*
 * bench_gnuplot_there: can PROGRAM ("gnuplot") be started? If not, the reason goes to ERROR, of
 * SIZE bytes.
 */
MUST_USE bool bench_gnuplot_there(const char *program, char *error, size_t size);

/*
 * bench_gnuplot_run: the picture that PROGRAM ("gnuplot") draws for the script in the file SCRIPT,
 * as a file without a name, at its start; the caller's. NULL if there is no program or no picture,
 * and the reason to ERROR, of SIZE bytes.
 */
MUST_USE FILE *bench_gnuplot_run(const char *program, FILE *script, char *error, size_t size);

#endif
