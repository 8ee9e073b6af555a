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

/* of a process or thread, with the zero; the kernel's own have more */
#define BENCH_PROCFS_NAME 32
#define BENCH_PROCFS_PID_MAX 4194304 /* Linux gives none above */

/* The file stat. Of a process the times are all its threads', of the ended ones too. */
struct bench_stat {
	char name[BENCH_PROCFS_NAME]; /* printable ASCII */
	bool ended; /* it waits for its parent only: no thread of it runs any more */
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

/* bench_procfs_number: the number of a process or thread, LEN decimal digits at TEXT (which may go
 * on); 0 if they are no such number. */
MUST_USE int bench_procfs_number(const char *text, size_t len);

/*
 * bench_procfs_parse_stat: TEXT of a file stat to *s; false, and *s as it was, when something is
 * missing. The name may hold any character, blanks and parentheses too.
 */
MUST_USE bool bench_procfs_parse_stat(const char *text, struct bench_stat *s);

/* bench_procfs_parse_status: what TEXT of a file status has of *s; the rest stays as it was. */
void bench_procfs_parse_status(const char *text, struct bench_status *s);

/* bench_procfs_stat: the file stat of directory DIR. 0 or -errno; -EBADMSG when it is none. */
MUST_USE int bench_procfs_stat(const char *dir, struct bench_stat *s);

/* bench_procfs_status: as bench_procfs_parse_status with the file of DIR. 0 or -errno. */
MUST_USE int bench_procfs_status(const char *dir, struct bench_status *s);

/* bench_procfs_cpu_ns: CPU time of one thread from schedstat of DIR; 0 where there is none. */
uint64_t bench_procfs_cpu_ns(const char *dir);

/* bench_procfs_rss: bytes in memory, from statm of DIR; 0 if that is not told. */
uint64_t bench_procfs_rss(const char *dir);

/*
 * bench_procfs_descriptors: the number of open descriptors to *n; false if we may not know.
 * SIZED: DIR is a real /proc, where Linux 6.2 and later tell it as the size of DIR/fd, which needs
 * no permission and no walk.
 */
MUST_USE bool bench_procfs_descriptors(const char *dir, bool sized, unsigned *n);

#endif
