/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_OPTIONS_H
#define DNS64D_BENCH_SETTINGS_OPTIONS_H

/* bench_options: the command line of dns64bench. */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/load/worker.h"
#include "bench/settings/optable.h"

#define BENCH_STEPS_MAX 64     /* numbers of clients one after another */
#define BENCH_EXPERIMENT 256   /* questions of an experiment */
#define BENCH_BLOCK 256        /* experiments of a block */
#define BENCH_ROWS_MAX 1000000 /* of a soak */

enum bench_task {
	BENCH_TASK_RUN,
	BENCH_TASK_HELP,
	BENCH_TASK_VERSION,
	BENCH_TASK_NONE /* the command line is wrong, and every fault was told */
};

/* Texts are borrowed from the command line; NULL: not given. */
struct bench_settings {
	enum bench_method method;
	struct bench_plan plan; /* what a trial does, as far as it does not change in a run */
	double duration; /* s, of a trial or step; 0: closed asks experiments of 256 questions */
	const char *pid; /* of the server's processes, with commas between */
	const char *pid_file; /* that names the server's process */
	const char *unit;     /* of systemd, that the server runs in */
	const char *json;
	const char *csv;
	const char *plot;
	const char *raw;
	const char *output; /* report: the page */
	char *const *files; /* report: what it is made of */
	int n_files;

	/* search */
	uint32_t low, high; /* questions per second */
	double resolution;  /* % of the rate */
	unsigned repetitions;
	double delta;            /* the self-test's rate is 2 * (1 + delta) times that found */
	struct netaddr upstream; /* of family NETADDR_NONE: no self-test */
	const char *restart;     /* command between trials */
	const char *state;       /* file of what was measured already */

	/* closed, enum */
	unsigned clients[BENCH_STEPS_MAX];
	size_t n_clients;
	unsigned blocks;          /* of 256 experiments */
	unsigned missing_percent; /* questions for numbers that do not exist */

	/* soak */
	double interval; /* s, between two rows */
};

/*
 * bench_options_read: what ARGV (METHOD OPTION...) asks for, to *s; faults are told to ERRORS, a
 * line each.
 */
MUST_USE enum bench_task bench_options_read(
    int argc, char **argv, struct bench_settings *s, FILE *errors);

#endif
