/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_DUT_H
#define DNS64D_BENCH_HOST_DUT_H

/*
 * bench_dut: the server under test as the kernel sees it: CPU time, memory, descriptors and
 * context switches of its processes and threads, read from /proc. It may be read every second of a
 * run; bench_tasks says how it counts processes and threads that have ended.
 *
 * ROOT is "" for this machine, or a directory with a proc and a sys/fs/cgroup. One thread uses it.
 */

#include <stddef.h>

#include "base/attr.h"
#include "bench/host/proc.h"
#include "bench/host/tasks.h"

#define BENCH_DUT_PIDS 64                /* processes of a server, at most */
#define BENCH_DUT_ERROR BENCH_PROC_ERROR /* bytes of a message, with the zero */

struct bench_dut;

/*
 * bench_dut_new_pids: watch the processes of PIDS ("120,121"), but not those that they start. NULL,
 * and the reason to ERROR, if PIDS is no such list, or a process does not exist or may not be read.
 */
MUST_USE struct bench_dut *bench_dut_new_pids(
    const char *root, const char *pids, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_pid_file: watch the process whose number the file PATH (borrowed) begins with. Each
 * reading looks there again. NULL, and the reason to ERROR, if the file names no process.
 */
MUST_USE struct bench_dut *bench_dut_new_pid_file(
    const char *root, const char *path, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_unit: watch the processes of the systemd unit UNIT. Each reading takes those that
 * the unit has then. NULL, and the reason to ERROR, if systemctl does not know its control group or
 * it has no process.
 */
MUST_USE struct bench_dut *bench_dut_new_unit(
    const char *root, const char *unit, char error[static BENCH_DUT_ERROR]);

/* bench_dut_free: NULL is fine. */
void bench_dut_free(struct bench_dut *d);

/* bench_dut_read: read all processes and threads; the sum of their usage goes to *usage. */
void bench_dut_read(struct bench_dut *d, struct bench_usage *usage);

/* bench_dut_mark: the tables below count from the last reading on. */
void bench_dut_mark(struct bench_dut *d);

/*
 * bench_dut_processes: what each process has used from the mark to the last reading, to CAP rows at
 * ROWS, in no order. Returns how many rows; BENCH_TASKS_MAX is always enough.
 */
size_t bench_dut_processes(const struct bench_dut *d, struct bench_row *rows, size_t cap);

/* bench_dut_threads: the same of each thread. */
size_t bench_dut_threads(const struct bench_dut *d, struct bench_row *rows, size_t cap);

#endif
