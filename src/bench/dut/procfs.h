/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_PROCFS_H
#define DNS64D_BENCH_DUT_PROCFS_H

/*
 * bench_procfs: what /proc tells of one process or thread (proc(5)), as it stands there. A
 * directory is "ROOT/proc/PID" or "ROOT/proc/PID/task/TID".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* Bytes of the name of a process or thread, with the zero; kernel threads have longer names. */
#define BENCH_PROCFS_NAME 32
#define BENCH_PROCFS_PID_MAX 4194304 /* Linux gives none above */

/* The file stat. Of a process the times are all its threads', of the ended ones too. */
struct bench_stat {
	char name[BENCH_PROCFS_NAME]; /* printable ASCII */
	bool ended;                   /* a zombie: it only waits for its parent */
	uint64_t user_ns, system_ns;
	uint64_t threads; /* of its process */
	uint64_t start;   /* in ticks since boot: tells it from an earlier one of this number */
};

/* The file status. */
struct bench_status {
	uint64_t process;     /* the process that a thread is of */
	uint64_t rss;         /* bytes */
	uint64_t switches;    /* context switches: it waited */
	uint64_t preemptions; /* context switches: others were let on its CPU */
};

/*
 * bench_procfs_number: the number of a process or thread that the LEN bytes at TEXT are, in decimal
 * digits; 0 if they are no such number. TEXT may go on behind them.
 */
MUST_USE int bench_procfs_number(const char *text, size_t len);

/*
 * bench_procfs_parse_stat: parse TEXT, the content of a file stat, to *s. False if something is
 * missing; *s is then as it was. The name may have any character, blanks and parentheses too.
 */
MUST_USE bool bench_procfs_parse_stat(const char *text, struct bench_stat *s);

/*
 * bench_procfs_parse_status: parse TEXT, the content of a file status; a field of *s that is not in
 * it stays as it was.
 */
void bench_procfs_parse_status(const char *text, struct bench_status *s);

/*
 * bench_procfs_stat: read the file stat of directory DIR to *s. 0 or -errno; -EBADMSG if it cannot
 * be parsed.
 */
MUST_USE int bench_procfs_stat(const char *dir, struct bench_stat *s);

/* bench_procfs_status: read the file status of DIR, as bench_procfs_parse_status does. 0 or -errno.
 */
MUST_USE int bench_procfs_status(const char *dir, struct bench_status *s);

/* bench_procfs_cpu_ns: CPU time of one thread, in ns, from the file schedstat of DIR; 0 without it.
 */
uint64_t bench_procfs_cpu_ns(const char *dir);

/* bench_procfs_rss: resident memory in bytes, from the file statm of DIR; 0 without it. */
uint64_t bench_procfs_rss(const char *dir);

/*
 * bench_procfs_descriptors: count the open descriptors of the process at DIR to *n; false if this
 * user may not read that. SIZED: DIR is in a real /proc, where Linux 6.2 and later have the number
 * as the size of DIR/fd, which needs neither permission nor a walk through the directory.
 */
MUST_USE bool bench_procfs_descriptors(const char *dir, bool sized, unsigned *n);

#endif
