/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_MACHINE_H
#define DNS64D_BENCH_HOST_MACHINE_H

/*
 * bench_machine: the machine that a measurement was made on, for its results: a description, which
 * has nothing that identifies the machine, as its name or addresses; and what decides how well it
 * can measure: how its processors are clocked and which of them are ours, how much its sockets may
 * hold, and how busy it was with other things.
 *
 * ROOT is "", or a directory with the files of another machine: proc, sys and etc.
 */

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MACHINE_TEXT 128 /* bytes of a text, with the zero */

/* The texts are printable ASCII; "unknown" where the system does not say. */
struct bench_machine {
	char cpu[BENCH_MACHINE_TEXT]; /* "AMD EPYC 7543"; without a model name the architecture */
	char memory[BENCH_MACHINE_TEXT]; /* "7.8 GiB" */
	char kernel[BENCH_MACHINE_TEXT]; /* "Linux 6.1.0-18-amd64 x86_64" */
	char os[BENCH_MACHINE_TEXT];     /* "Debian GNU/Linux 12 (bookworm)" */
	unsigned cpus;                   /* in use, each hardware thread */
};

/* bench_machine_read: describe the machine in *m; the kernel is always that which runs. */
void bench_machine_read(const char *root, struct bench_machine *m);

#define BENCH_MEANS_TEXT 64 /* bytes of a text, with the zero */

/* What does not change in a run. */
struct bench_means {
	char governor[BENCH_MEANS_TEXT]; /* of the first processor: "performance"; "unknown" */
	char affinity[BENCH_MEANS_TEXT]; /* processors that we may run on: "0-3,6" */
	uint64_t rmem_max;               /* bytes; 0: unknown */
};

/* A moment. */
struct bench_busy {
	double load;      /* average of the last minute; < 0: unknown */
	uint64_t stolen;  /* ticks that the hypervisor gave to others, of all processors */
	uint64_t ticks;   /* that have passed on all processors */
	uint64_t idle;    /* of these, without work */
	uint64_t cpu_ns;  /* that this process has used */
	uint64_t when_ns; /* by our clock */
};

/* bench_means_read: find *m. */
void bench_means_read(const char *root, struct bench_means *m);

/* bench_busy_read: how it is now. */
void bench_busy_read(const char *root, struct bench_busy *b);

/* bench_busy_stolen: the share of the time from A to B that others had, in percent. */
double bench_busy_stolen(const struct bench_busy *a, const struct bench_busy *b);

/* bench_busy_all: the share of the time from A to B that the processors worked, in percent. */
double bench_busy_all(const struct bench_busy *a, const struct bench_busy *b);

/* bench_busy_cpu: the CPU time that this process used from A to B, in percent of one processor. */
double bench_busy_cpu(const struct bench_busy *a, const struct bench_busy *b);

#endif
