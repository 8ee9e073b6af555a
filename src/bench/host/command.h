/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_COMMAND_H
#define DNS64D_BENCH_HOST_COMMAND_H

/*
 * bench_command: run a program for what it prints, without a shell.
 */

#include "base/attr.h"
#include "bench/host/file.h"

/*
 * bench_command_run: run the program ARGV[0], found by PATH, with the words of ARGV, which NULL
 * ends. It gets no input, and no signal is blocked. What it prints, errors too, goes to *output, as
 * far as there is room. Returns its exit code, 128 + the signal that ended it, or -errno: -ENOENT
 * if there is no such program, -ETIMEDOUT if it was killed since it ran longer than LIMIT_MS.
 */
MUST_USE int bench_command_run(char *const argv[], unsigned limit_ms, struct bench_file *output);

#endif
