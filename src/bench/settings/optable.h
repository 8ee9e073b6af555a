/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_OPTABLE_H
#define DNS64D_BENCH_SETTINGS_OPTABLE_H

/* bench_optable: the methods and options that dns64bench knows: for the parser and for -h. */

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

/* Bits: an option may belong to several. */
enum bench_method {
	BENCH_RATE = 1,
	BENCH_SEARCH = 2,
	BENCH_CLOSED = 4,
	BENCH_ENUM = 8,
	BENCH_SOAK = 16,
	BENCH_REPORT = 32
};

/* Those with a letter are their letter. */
enum bench_option {
	BENCH_OPT_DURATION = 'd',
	BENCH_OPT_HELP = 'h',
	BENCH_OPT_COUNT = 'n',
	BENCH_OPT_NAMESPACE = 'N',
	BENCH_OPT_OUTPUT = 'o',
	BENCH_OPT_PORT = 'p',
	BENCH_OPT_RATE = 'r',
	BENCH_OPT_SERVER = 's',
	BENCH_OPT_THREADS = 't',
	BENCH_OPT_VERSION = 'V',
	BENCH_OPT_AAAA = 256,
	BENCH_OPT_BLOCKS,
	BENCH_OPT_BURST,
	BENCH_OPT_BUFSIZE,
	BENCH_OPT_CLIENTS,
	BENCH_OPT_CSV,
	BENCH_OPT_DELTA,
	BENCH_OPT_DNSSEC,
	BENCH_OPT_HIGH,
	BENCH_OPT_HITS,
	BENCH_OPT_HOT,
	BENCH_OPT_INTERVAL,
	BENCH_OPT_JSON,
	BENCH_OPT_LOW,
	BENCH_OPT_MISSING,
	BENCH_OPT_MISSING_NUMBERS,
	BENCH_OPT_NUMBERS,
	BENCH_OPT_PER_CONNECTION,
	BENCH_OPT_PID,
	BENCH_OPT_PID_FILE,
	BENCH_OPT_PLOT,
	BENCH_OPT_PREFIX,
	BENCH_OPT_RAW,
	BENCH_OPT_REPETITIONS,
	BENCH_OPT_RESOLUTION,
	BENCH_OPT_RESTART,
	BENCH_OPT_SOURCES,
	BENCH_OPT_SPIN,
	BENCH_OPT_STATE,
	BENCH_OPT_TIMEOUT,
	BENCH_OPT_TRANSPORT,
	BENCH_OPT_UNIT,
	BENCH_OPT_UPSTREAM,
	BENCH_OPT_WINDOW,
	BENCH_OPT_ZONE
};

#define BENCH_OPTIONS_MAX 64
#define BENCH_OPTION_LETTERS "d:hn:N:o:p:r:s:t:V"

struct bench_option_row {
	enum bench_option id;
	unsigned methods; /* bits of enum bench_method */
	const char *name;
	const char *arg; /* NULL: none */
	const char *help;
};

/*
 * bench_optable_row: the I-th option; NULL behind the last. bench_optable_find: that with this ID.
 */
MUST_USE const struct bench_option_row *bench_optable_row(size_t i);
MUST_USE const struct bench_option_row *bench_optable_find(int id);

/* bench_optable_method: that of this NAME, 0 if there is none. */
MUST_USE unsigned bench_optable_method(const char *name);

/* bench_optable_name: the name of a method; "" for a value that is none. */
MUST_USE const char *bench_optable_name(enum bench_method m);

/* bench_optable_methods: their names, with spaces between, to OUT. */
void bench_optable_methods(FILE *out);

/* bench_optable_help: the methods and options, a line each, to OUT. */
void bench_optable_help(FILE *out);

#endif
