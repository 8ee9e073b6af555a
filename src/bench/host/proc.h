/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_PROC_H
#define DNS64D_BENCH_HOST_PROC_H

/* bench_proc: the small files of /proc and /sys, and the numbers in them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* /proc/PID/status with masks for 8,192 processors and 1,024 nodes has 5,600. */
#define BENCH_PROC_FILE_MAX 8191 /* bytes of a file that are read */

struct bench_proc_file {
	char text[BENCH_PROC_FILE_MAX + 1]; /* with a zero behind */
};

/*
 * bench_proc_read: read the first BENCH_PROC_FILE_MAX bytes of a file to *file. PATH is a printf
 * format. Returns 0 or -errno; -ENAMETOOLONG for a path of PATH_MAX bytes or more.
 */
MUST_USE int bench_proc_read(struct bench_proc_file *file, const char *path, ...) PRINTF_LIKE(2, 3);

/*
 * bench_proc_value: what follows KEY, MARK (as ':') and blanks at the beginning of a line of TEXT,
 * to the end of the text; blanks may be before MARK, too. NULL if no line begins so.
 */
MUST_USE const char *bench_proc_value(const char *text, const char *key, char mark);

/*
 * bench_proc_number: read the decimal number at *at, behind blanks, to *v, and move *at behind it.
 * False if there is none, if it is 2^64 or more, or if neither a blank nor the end of a line
 * follows, as the text may be cut off; *at and *v are then as they were.
 */
MUST_USE bool bench_proc_number(const char **at, uint64_t *v);

#endif
