/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_MACHINE_H
#define DNS64D_BENCH_HOST_MACHINE_H

/*
 * bench_machine: a description of the machine that a measurement was made on, for its results. It
 * has nothing that identifies the machine, as its name or addresses.
 */

#define BENCH_MACHINE_TEXT 128 /* bytes of a text, with the zero */

/* The texts are printable ASCII; "unknown" where the system does not say. */
struct bench_machine {
	char cpu[BENCH_MACHINE_TEXT]; /* "AMD EPYC 7543"; without a model name the architecture */
	char memory[BENCH_MACHINE_TEXT]; /* "7.8 GiB" */
	char kernel[BENCH_MACHINE_TEXT]; /* "Linux 6.1.0-18-amd64 x86_64" */
	char os[BENCH_MACHINE_TEXT];     /* "Debian GNU/Linux 12 (bookworm)" */
	unsigned cpus;                   /* in use, each hardware thread */
};

/*
 * bench_machine_read: describe this machine in *m. ROOT is "", or a directory with the
 * proc/cpuinfo, proc/meminfo and etc/os-release of another one; the kernel is always that which
 * runs.
 */
void bench_machine_read(const char *root, struct bench_machine *m);

#endif
