/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_PROC_H
#define DNS64D_BENCH_HOST_PROC_H

/*
 * bench_proc: what /proc and /sys tell: their small files and the numbers in them; one process or
 * thread (proc(5)); the processes of a systemd unit.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* --- Files ------------------------------------------------------------------------------------ */

/*
 * A text may end anywhere (the process ended, the buffer was full): a number at its very end may be
 * cut off, and is not read.
 */

/* /proc/PID/status with masks for 8,192 processors and 1,024 nodes has 5,600. */
#define BENCH_PROC_FILE_MAX 8191 /* bytes of a file that are read */
#define BENCH_PROC_PATH 4096     /* bytes of a path, with the zero */

struct bench_proc_file {
	size_t len;
	char text[BENCH_PROC_FILE_MAX + 1]; /* with a zero after len bytes */
};

/*
 * bench_proc_read: read the first BENCH_PROC_FILE_MAX bytes of a file to *file. PATH is a printf
 * format. Returns 0 or -errno; -ENAMETOOLONG for a path of BENCH_PROC_PATH bytes or more.
 */
MUST_USE int bench_proc_read(struct bench_proc_file *file, const char *path, ...) PRINTF_LIKE(2, 3);

/*
 * bench_proc_value: what follows "KEY:" and blanks at the beginning of a line of TEXT, to the end
 * of the text; NULL if no line begins so.
 */
MUST_USE const char *bench_proc_value(const char *text, const char *key);

/*
 * bench_proc_number: read the decimal number at *at, behind blanks, to *v, and move *at behind it.
 * False if there is none, if it is 2^64 or more, or if neither a blank nor the end of a line
 * follows; *at and *v are then as they were.
 */
MUST_USE bool bench_proc_number(const char **at, uint64_t *v);

/* bench_proc_times: A times B; UINT64_MAX if the product is above that. */
uint64_t bench_proc_times(uint64_t a, uint64_t b);

/*
 * bench_proc_clean: copy LEN bytes at FROM, or as many as fit, to CAP (>= 1) bytes at TO, with a
 * zero behind. What is not printable ASCII becomes "?", so that it can stand in any output.
 */
void bench_proc_clean(char *to, size_t cap, const char *from, size_t len);

/* --- One process or thread -------------------------------------------------------------------- */

/* As it stands there. A directory is "ROOT/proc/PID" or "ROOT/proc/PID/task/TID". */

/* Bytes of the name of a process or thread, with the zero; kernel threads have longer names. */
#define BENCH_PROC_NAME 32
#define BENCH_PROC_PID_MAX 4194304 /* Linux gives none above */

/* The file stat. Of a process the times are all its threads', of the ended ones too. */
struct bench_stat {
	char name[BENCH_PROC_NAME]; /* printable ASCII */
	bool ended;                 /* a zombie: it only waits for its parent */
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
 * bench_proc_id: the number of a process or thread that the LEN bytes at TEXT are, in decimal
 * digits; 0 if they are no such number. TEXT may go on behind them.
 */
MUST_USE int bench_proc_id(const char *text, size_t len);

/*
 * bench_proc_parse_stat: parse TEXT, the content of a file stat, to *s. False if something is
 * missing; *s is then as it was. The name may have any character, blanks and parentheses too.
 */
MUST_USE bool bench_proc_parse_stat(const char *text, struct bench_stat *s);

/*
 * bench_proc_parse_status: parse TEXT, the content of a file status; a field of *s that is not in
 * it stays as it was.
 */
void bench_proc_parse_status(const char *text, struct bench_status *s);

/*
 * bench_proc_stat: read the file stat of directory DIR to *s. 0 or -errno; -EBADMSG if it cannot
 * be parsed.
 */
MUST_USE int bench_proc_stat(const char *dir, struct bench_stat *s);

/* bench_proc_status: read the file status of DIR, as bench_proc_parse_status does. 0 or -errno. */
MUST_USE int bench_proc_status(const char *dir, struct bench_status *s);

/* bench_proc_cpu_ns: CPU time of one thread, in ns, from the file schedstat of DIR; 0 without it.
 */
uint64_t bench_proc_cpu_ns(const char *dir);

/* bench_proc_rss: resident memory in bytes, from the file statm of DIR; 0 without it. */
uint64_t bench_proc_rss(const char *dir);

/*
 * bench_proc_descriptors: count the open descriptors of the process at DIR to *n; false if this
 * user may not read that. SIZED: DIR is in a real /proc, where Linux 6.2 and later have the number
 * as the size of DIR/fd, which needs neither permission nor a walk through the directory.
 */
MUST_USE bool bench_proc_descriptors(const char *dir, bool sized, unsigned *n);

/* --- A systemd unit --------------------------------------------------------------------------- */

/*
 * By its control group: that has all processes that the unit started, and keeps its name when the
 * unit is restarted.
 */

#define BENCH_PROC_GROUP_PATH 1024 /* bytes of a control group's path, with the zero */
#define BENCH_PROC_ERROR 256       /* bytes of a message, with the zero */

/*
 * bench_proc_unit: ask systemctl(1) for the control group of unit NAME ("unbound" means
 * "unbound.service"); the group, as "/system.slice/unbound.service", goes to PATH. False, and the
 * reason to ERROR, if systemctl cannot be asked, or the unit has none since it does not run.
 */
MUST_USE bool bench_proc_unit(
    const char *name, char path[static BENCH_PROC_GROUP_PATH], char error[static BENCH_PROC_ERROR]);

/*
 * bench_proc_group: the processes in control group PATH below ROOT/sys/fs/cgroup (version 2, 1
 * or both) and in the groups inside it, to CAP numbers at PIDS. Returns how many there are, which
 * may be more than CAP; 0 if there is no such group. With version 1 a process may be listed twice.
 */
size_t bench_proc_group(const char *root, const char *path, int *pids, size_t cap);

#endif
