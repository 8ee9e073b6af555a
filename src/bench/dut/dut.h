/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_DUT_H
#define DNS64D_BENCH_DUT_DUT_H

/*
 * bench_dut: the server under test as the kernel sees it: CPU time, memory, descriptors and
 * context switches of its processes and threads, read from /proc. It may be read every second of a
 * run; how it counts what has ended is told in bench_proctree.
 *
 * ROOT is "" for this machine, or a directory with a proc and a sys/fs/cgroup. One thread uses it.
 */

#include <stddef.h>

#include "base/attr.h"
#include "bench/dut/proctree.h"
#include "bench/dut/unit.h"

#define BENCH_DUT_ERROR BENCH_UNIT_ERROR

struct bench_dut;

/*
 * bench_dut_new_pids: the processes of PIDS ("120,121"), without those that they start. NULL,
 * and why to ERROR, when that is no such list, one does not exist or may not be looked at.
 */
MUST_USE struct bench_dut *bench_dut_new_pids(
    const char *root, const char *pids, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_pid_file: the process whose number the file PATH (borrowed) begins with, at
 * each reading the one that it names then. NULL, and why to ERROR, when it names none.
 */
MUST_USE struct bench_dut *bench_dut_new_pid_file(
    const char *root, const char *path, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_unit: the processes of the systemd unit UNIT, at each reading those that it has
 * then. NULL, and why to ERROR, when systemctl does not know where they are or there is none.
 */
MUST_USE struct bench_dut *bench_dut_new_unit(
    const char *root, const char *unit, char error[static BENCH_DUT_ERROR]);

void bench_dut_free(struct bench_dut *s);

/* bench_dut_read: look at all processes and threads; their sum to *usage. */
void bench_dut_read(struct bench_dut *s, struct bench_usage *usage);

/* bench_dut_mark: begin the tables anew with the last reading. */
void bench_dut_mark(struct bench_dut *s);

/* bench_dut_processes, bench_dut_threads: the tables, as bench_proctree has them; in no
 * order. */
size_t bench_dut_processes(const struct bench_dut *s, struct bench_row *rows, size_t cap);
size_t bench_dut_threads(const struct bench_dut *s, struct bench_row *rows, size_t cap);

#endif
