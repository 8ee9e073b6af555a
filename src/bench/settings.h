/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_H
#define DNS64D_BENCH_SETTINGS_H

/* bench_settings: what dns64bench is told to do. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/plan.h"

#define BENCH_STEPS_MAX 64     /* numbers of clients one after another */
#define BENCH_EXPERIMENT 256   /* questions of an experiment */
#define BENCH_BLOCK 256        /* experiments of a block */
#define BENCH_ROWS_MAX 1000000 /* of a soak */
/* of a rate: those of its first day, and the last has the rest; of a ramp, which ends by then */
#define BENCH_SECONDS_ROWS 86400
#define BENCH_SHARES_MAX 21 /* of a matrix, in each direction */
#define BENCH_RATES_MAX 256 /* of a sweep */

/* Bits: an option may belong to several. */
enum bench_method {
	BENCH_RATE = 1,
	BENCH_SEARCH = 2,
	BENCH_CLOSED = 4,
	BENCH_ENUM = 8,
	BENCH_SOAK = 16,
	BENCH_MATRIX = 128,
	BENCH_SWEEP = 256,
	BENCH_RAMP = 512
};

/* Those that search for the highest rate without a fault. */
#define BENCH_SEARCHES ((unsigned)BENCH_SEARCH | BENCH_MATRIX)

#define BENCH_MIX_MAX (BENCH_OTHERS + 2) /* types: A and AAAA besides */

/* Types that are asked for, by their weights; TEXT is borrowed, NULL: not given. */
struct bench_mix {
	const char *text;
	size_t n;
	uint16_t type[BENCH_MIX_MAX];
	unsigned percent[BENCH_MIX_MAX]; /* of the questions: together 100 */
};

/* Percentages, in the order given. */
struct bench_shares {
	unsigned percent[BENCH_SHARES_MAX];
	size_t n;
};

/* Texts are borrowed from the command line; NULL: not given. */
struct bench_settings {
	enum bench_method method;
	const char *server_name; /* a host, whose address the plan gets; NULL: it has one */
	struct bench_plan plan;  /* what a trial does, as far as it does not change in a run */
	bool first_given;        /* --first: else it is drawn at random */
	double duration; /* s, of a trial or step; 0: closed asks experiments of 256 questions */
	unsigned hits_percent; /* questions for names asked before */
	double zipf;           /* how popular these are: Zipf's exponent; 0: all alike */
	struct bench_mix mix;
	bool poisson;             /* questions arrive by chance, not evenly */
	unsigned missing_percent; /* questions for names or numbers that do not exist */
	bool sources_given;       /* --sources: else as many as a recording has clients */
	const char *replay;       /* file of questions, to be asked instead of all these */
	double speed;             /* how many times as fast as they were recorded */
	const char *pid;          /* of the server's processes, with commas between */
	const char *pid_file;     /* that names the server's process */
	const char *unit;         /* of systemd, that the server runs in */
	const char *json;
	const char *csv;
	const char *raw;
	uint64_t start_at_ns; /* since 1970, when the trial begins; 0: at once */

	/* search, matrix; ramp: high */
	uint32_t low, high; /* questions per second */
	bool high_given;    /* --high: not less, then */
	double resolution;  /* % of the rate */
	unsigned repetitions;
	bool calculated;         /* tell the calculated rate */
	double delta;            /* the self-test's rate is 2 * (1 + delta) times that found */
	struct netaddr upstream; /* of family NETADDR_NONE: no self-test */
	const char *restart;     /* command between trials */
	const char *state;       /* file of what was measured already */

	/* closed, enum */
	unsigned clients[BENCH_STEPS_MAX];
	size_t n_clients;
	unsigned blocks; /* of 256 experiments */

	/* soak */
	double interval; /* s, between two rows */

	/* matrix */
	struct bench_shares hits; /* --hits and --aaaa; the plan has neither */
	struct bench_shares aaaa;

	/* sweep */
	uint32_t rates[BENCH_RATES_MAX]; /* ascending */
	size_t n_rates;
	uint32_t seed; /* of their order; other methods: of arrivals by chance */
};

/* --- As JSON, for results and state files ----------------------------------------------------- */

/* bench_settings_json: all of S but where results go, an object, the caller's; NULL without memory.
 */
MUST_USE json_t *bench_settings_json(const struct bench_settings *s);

/*
 * bench_settings_identity: those of S as an object, the caller's; NULL without memory. They are all
 * that the outcome of a trial depends on: not the number of repetitions, nor where the results go.
 */
MUST_USE json_t *bench_settings_identity(const struct bench_settings *s);

#endif
