/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_DUT_H
#define DNS64D_BENCH_DUT_DUT_H

/*
 * bench_subject: the server under test as the kernel sees it: CPU time, memory, descriptors and
 * context switches of its processes and threads, read from /proc. It may be read every second of a
 * run; how it counts what has ended is told in bench_census.
 *
 * ROOT is "" for this machine, or a directory with a proc and a sys/fs/cgroup. One thread uses it.
 */

#include <stddef.h>

#include "base/attr.h"
#include "bench/dut/proctree.h"
#include "bench/dut/unit.h"

#define BENCH_SUBJECT_ERROR BENCH_UNIT_ERROR

struct bench_subject;

/*
 * bench_subject_new_pids: the processes of PIDS ("120,121"), without those that they start. NULL,
 * and why to ERROR, when that is no such list, one does not exist or may not be looked at.
 */
MUST_USE struct bench_subject *bench_subject_new_pids(
    const char *root, const char *pids, char error[static BENCH_SUBJECT_ERROR]);

/*
 * bench_subject_new_pid_file: the process whose number the file PATH (borrowed) begins with, at
 * each reading the one that it names then. NULL, and why to ERROR, when it names none.
 */
MUST_USE struct bench_subject *bench_subject_new_pid_file(
    const char *root, const char *path, char error[static BENCH_SUBJECT_ERROR]);

/*
 * bench_subject_new_unit: the processes of the systemd unit UNIT, at each reading those that it has
 * then. NULL, and why to ERROR, when systemctl does not know where they are or there is none.
 */
MUST_USE struct bench_subject *bench_subject_new_unit(
    const char *root, const char *unit, char error[static BENCH_SUBJECT_ERROR]);

void bench_subject_free(struct bench_subject *s);

/* bench_subject_read: look at all processes and threads; their sum to *usage. */
void bench_subject_read(struct bench_subject *s, struct bench_usage *usage);

/* bench_subject_mark: begin the tables anew with the last reading. */
void bench_subject_mark(struct bench_subject *s);

/* bench_subject_processes, bench_subject_threads: the tables, as bench_census has them; in no
 * order. */
size_t bench_subject_processes(const struct bench_subject *s, struct bench_row *rows, size_t cap);
size_t bench_subject_threads(const struct bench_subject *s, struct bench_row *rows, size_t cap);

#endif
