/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_MACHINE_H
#define DNS64D_BENCH_HOST_MACHINE_H

/*
 * bench_machine: the machine that a measurement was made on, for its results: a description, which
 * has nothing that identifies it, as its name or addresses; what decides how well it can measure;
 * and how busy it was with other things.
 *
 * ROOT is "", or a directory with the files of another machine: proc, sys and etc.
 */

#include <stdint.h>

#define BENCH_MACHINE_TEXT 128 /* bytes of a text, with the zero */

/* What does not change in a run. The texts are printable ASCII; "unknown": nobody says. */
struct bench_machine {
	char cpu[BENCH_MACHINE_TEXT]; /* "AMD EPYC 7543"; without a model name the architecture */
	char memory[BENCH_MACHINE_TEXT];   /* "7.8 GiB" */
	char kernel[BENCH_MACHINE_TEXT];   /* "Linux 6.1.0-18-amd64 x86_64"; that which runs */
	char os[BENCH_MACHINE_TEXT];       /* "Debian GNU/Linux 12 (bookworm)" */
	unsigned cpus;                     /* in use, each hardware thread; of this machine */
	char governor[BENCH_MACHINE_TEXT]; /* of the first processor: "performance" */
	char affinity[BENCH_MACHINE_TEXT]; /* processors that we may run on: "0-3,6" */
	uint64_t rmem_max;                 /* bytes that a socket may hold; 0: unknown */
};

/* bench_machine_read: describe the machine in *m. */
void bench_machine_read(const char *root, struct bench_machine *m);

/* A moment. */
struct bench_busy {
	uint64_t stolen;   /* ticks that the hypervisor gave to others, of all processors */
	uint64_t ticks;    /* that have passed on all processors */
	uint64_t idle;     /* of these, without work */
	uint64_t switches; /* context switches, of all processors */
	uint64_t cpu_ns;   /* that this process has used */
	uint64_t when_ns;  /* by our clock */
};

/* bench_busy_read: how it is now. */
void bench_busy_read(const char *root, struct bench_busy *b);

/* What happened from one moment to another: shares in percent. */
struct bench_busy_shares {
	double stolen;   /* of the time of all processors that others had */
	double all;      /* of the time of all processors in which they worked */
	double cpu;      /* that this process used, of one processor */
	double switches; /* context switches of all processors, per second */
};

/* bench_busy_since: what happened from A to B. */
struct bench_busy_shares bench_busy_since(const struct bench_busy *a, const struct bench_busy *b);

#endif
