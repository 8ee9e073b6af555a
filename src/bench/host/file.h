/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_FILE_H
#define DNS64D_BENCH_HOST_FILE_H

/*
 * bench_file: the small text files that a kernel shows, and the numbers and lines in them. They may
 * end anywhere (the process ended, the buffer was full): what has nothing behind it is taken for
 * cut off and not read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* /proc/PID/status with masks for 8,192 processors and 1,024 nodes has 5,600. */
#define BENCH_FILE_MAX 8191 /* bytes of a file that are read */
#define BENCH_FILE_PATH 4096

struct bench_file {
	size_t len;
	char text[BENCH_FILE_MAX + 1]; /* with a zero after len bytes */
};

/*
 * bench_file_read: the beginning of a file, whose path is made as with printf, to *FILE. Returns 0
 * or -errno; -ENAMETOOLONG for a path of BENCH_FILE_PATH bytes or more.
 */
MUST_USE int bench_file_read(struct bench_file *file, const char *path, ...) PRINTF_LIKE(2, 3);

/* bench_file_value: what stands behind "KEY:" at the beginning of a line of TEXT, without the
 * blanks before it; NULL when no line begins so. */
MUST_USE const char *bench_file_value(const char *text, const char *key);

/*
 * bench_file_number: the decimal number at *AT, blanks before it skipped, to *V; *AT is moved
 * behind it. False when there is none, it is 2^64 or more, or neither blank nor end of line follows
 * it: both stay as they are.
 */
MUST_USE bool bench_file_number(const char **at, uint64_t *v);

/* bench_file_times: A times B, UINT64_MAX if that is too much. */
uint64_t bench_file_times(uint64_t a, uint64_t b);

/* bench_file_clean: LEN bytes of FROM, as many as fit, to TO (cap bytes, at least 1, with the
 * zero); what is not printable ASCII becomes "?", so that any output may hold it. */
void bench_file_clean(char *to, size_t cap, const char *from, size_t len);

#endif
