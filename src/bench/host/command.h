/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_COMMAND_H
#define DNS64D_BENCH_HOST_COMMAND_H

/*
 * bench_command: run a program that says something and ends, without a shell.
 */

#include "base/attr.h"
#include "bench/host/file.h"

/*
 * bench_command_run: run argv[0] (looked for along PATH) with the words of ARGV, a NULL behind the
 * last. It gets no input and all signals; the beginning of what it writes, errors too, goes to
 * *output. Returns its exit code, 128 + signal if one ended it, or -errno: -ENOENT without such a
 * program, -ETIMEDOUT when it had to be killed after LIMIT_MS.
 */
MUST_USE int bench_command_run(char *const argv[], unsigned limit_ms, struct bench_file *output);

#endif
