/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_FILE_H
#define DNS64D_BENCH_HOST_FILE_H

/*
 * bench_file: the small text files of /proc and /sys, and the numbers and lines in them. A text may
 * end anywhere (the process ended, the buffer was full): a number at its very end may be cut off,
 * and is not read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* /proc/PID/status with masks for 8,192 processors and 1,024 nodes has 5,600. */
#define BENCH_FILE_MAX 8191  /* bytes of a file that are read */
#define BENCH_FILE_PATH 4096 /* bytes of a path, with the zero */

struct bench_file {
	size_t len;
	char text[BENCH_FILE_MAX + 1]; /* with a zero after len bytes */
};

/*
 * bench_file_read: read the first BENCH_FILE_MAX bytes of a file to *file. PATH is a printf format.
 * Returns 0 or -errno; -ENAMETOOLONG for a path of BENCH_FILE_PATH bytes or more.
 */
MUST_USE int bench_file_read(struct bench_file *file, const char *path, ...) PRINTF_LIKE(2, 3);

/*
 * bench_file_value: what follows "KEY:" and blanks at the beginning of a line of TEXT, to the end
 * of the text; NULL if no line begins so.
 */
MUST_USE const char *bench_file_value(const char *text, const char *key);

/*
 * bench_file_number: read the decimal number at *at, behind blanks, to *v, and move *at behind it.
 * False if there is none, if it is 2^64 or more, or if neither a blank nor the end of a line
 * follows; *at and *v are then as they were.
 */
MUST_USE bool bench_file_number(const char **at, uint64_t *v);

/* bench_file_times: A times B; UINT64_MAX if the product is above that. */
uint64_t bench_file_times(uint64_t a, uint64_t b);

/*
 * bench_file_clean: copy LEN bytes at FROM, or as many as fit, to CAP (>= 1) bytes at TO, with a
 * zero behind. What is not printable ASCII becomes "?", so that it can stand in any output.
 */
void bench_file_clean(char *to, size_t cap, const char *from, size_t len);

#endif
