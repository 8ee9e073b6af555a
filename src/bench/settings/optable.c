/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings/optable.h"

#include <string.h>

#define ALL (BENCH_RATE | BENCH_SEARCH | BENCH_CLOSED | BENCH_ENUM | BENCH_SOAK)
#define OPEN (BENCH_RATE | BENCH_SEARCH | BENCH_SOAK) /* at a fixed rate */
#define ADDRESSES (BENCH_RATE | BENCH_SEARCH | BENCH_CLOSED | BENCH_SOAK)

/* One table for the parser and -h; a test compares it with the manual page. */
static const struct bench_option_row table[] = {
	{ BENCH_OPT_AAAA, ADDRESSES, "aaaa", "PERCENT",
	    "names that have AAAA, as fakedns was told (0)" },
	{ BENCH_OPT_BLOCKS, BENCH_CLOSED, "blocks", "B", "256 experiments each (1)" },
	{ BENCH_OPT_BUFSIZE, ALL, "bufsize", "OCTETS", "send an OPT that says so; 0: none (0)" },
	{ BENCH_OPT_BURST, OPEN, "burst", "N", "questions due at once (1)" },
	{ BENCH_OPT_CLIENTS, BENCH_CLOSED | BENCH_ENUM, "clients", "LIST",
	    "N,N or FIRST-LAST/STEP (1)" },
	{ BENCH_OPT_COUNT, BENCH_RATE, "count", "N", "questions to ask (duration times rate)" },
	{ BENCH_OPT_CSV, ALL, "csv", "FILE", "write the main table as CSV" },
	{ BENCH_OPT_DELTA, BENCH_SEARCH, "delta", "D",
	    "self-test at 2 (1 + D) times the rate (0.1)" },
	{ BENCH_OPT_DNSSEC, ALL, "dnssec", NULL, "set DO" },
	{ BENCH_OPT_DURATION, ALL, "duration", "SECONDS", "of a trial or step (60; soak: 3600)" },
	{ BENCH_OPT_HELP, ALL | BENCH_REPORT, "help", NULL, "show this and end" },
	{ BENCH_OPT_HIGH, BENCH_SEARCH, "high", "RATE", "search up to here (1000000)" },
	{ BENCH_OPT_HITS, ADDRESSES, "hits", "PERCENT",
	    "questions for names asked before (0; soak: 20)" },
	{ BENCH_OPT_HOT, ADDRESSES, "hot", "N", "names of --hits (1)" },
	{ BENCH_OPT_INTERVAL, BENCH_SOAK, "interval", "SECONDS", "between two rows (60)" },
	{ BENCH_OPT_JSON, ALL, "json", "FILE", "write the whole run as JSON" },
	{ BENCH_OPT_LOW, BENCH_SEARCH, "low", "RATE", "search from here (1000)" },
	{ BENCH_OPT_MISSING, BENCH_ENUM | BENCH_SOAK, "missing", "PERCENT",
	    "questions for what does not exist (0; soak: 6)" },
	{ BENCH_OPT_MISSING_NUMBERS, BENCH_ENUM, "missing-numbers", "FIRST-LAST",
	    "numbers that do not exist" },
	{ BENCH_OPT_NAMESPACE, ADDRESSES, "namespace", "NETWORK",
	    "IPv4 addresses of names (10.0.0.0/8)" },
	{ BENCH_OPT_NUMBERS, BENCH_ENUM, "numbers", "FIRST-LAST", "telephone numbers that exist" },
	{ BENCH_OPT_OUTPUT, BENCH_REPORT, "output", "FILE", "the HTML page" },
	{ BENCH_OPT_PER_CONNECTION, ALL, "per-connection", "N",
	    "questions, then a new connection; 0: never (0)" },
	{ BENCH_OPT_PID, ALL, "pid", "PID,...", "processes of the server, to watch them" },
	{ BENCH_OPT_PID_FILE, ALL, "pid-file", "FILE",
	    "of the server, which may be restarted, to watch it" },
	{ BENCH_OPT_PLOT, ALL, "plot", "FILE", "draw the run: .png or .svg (needs gnuplot)" },
	{ BENCH_OPT_PORT, ALL, "port", "PORT", "of the server (53)" },
	{ BENCH_OPT_PREFIX, ADDRESSES, "prefix", "PREFIX", "that answers are under (any)" },
	{ BENCH_OPT_RATE, BENCH_RATE | BENCH_SOAK, "rate", "RATE", "questions per second" },
	{ BENCH_OPT_RAW, BENCH_RATE, "raw", "FILE", "write a line for each question as CSV" },
	{ BENCH_OPT_REPETITIONS, BENCH_SEARCH, "repetitions", "N", "of the search (20)" },
	{ BENCH_OPT_RESOLUTION, BENCH_SEARCH, "resolution", "PERCENT", "of the rate found (0.5)" },
	{ BENCH_OPT_RESTART, BENCH_SEARCH, "restart", "COMMAND",
	    "restarts the server, before each trial" },
	{ BENCH_OPT_SERVER, ALL, "server", "ADDR", "the server to measure" },
	{ BENCH_OPT_SOURCES, OPEN, "sources", "N",
	    "source ports or connections of each thread (16)" },
	{ BENCH_OPT_SPIN, ALL, "spin", NULL, "wait without sleeping: a CPU for each thread" },
	{ BENCH_OPT_STATE, BENCH_SEARCH, "state", "FILE",
	    "keep trials here, and go on from there" },
	{ BENCH_OPT_THREADS, ALL, "threads", "N", "threads that ask (1)" },
	{ BENCH_OPT_TIMEOUT, ALL, "timeout", "SECONDS", "replies count until then (1)" },
	{ BENCH_OPT_TRANSPORT, ALL, "transport", "udp|tcp", "how to ask (udp)" },
	{ BENCH_OPT_UNIT, ALL, "unit", "NAME", "systemd unit of the server, to watch it" },
	{ BENCH_OPT_UPSTREAM, BENCH_SEARCH, "upstream", "ADDR[#PORT]",
	    "of the server, for the self-test" },
	{ BENCH_OPT_VERSION, ALL | BENCH_REPORT, "version", NULL, "show the version and end" },
	{ BENCH_OPT_WINDOW, ALL, "window", "N", "questions open at once on a port or connection" },
	{ BENCH_OPT_ZONE, ADDRESSES, "zone", "NAME", "of the names (dns64perf.test)" },
};

#define N_OPTIONS (sizeof(table) / sizeof(table[0]))
_Static_assert(N_OPTIONS <= BENCH_OPTIONS_MAX, "BENCH_OPTIONS_MAX");

static const struct {
	enum bench_method method;
	const char *name;
	const char *help;
} methods[] = {
	{ BENCH_RATE, "rate", "ask at a fixed rate" },
	{ BENCH_SEARCH, "search", "find the highest rate without a fault (RFC 8219 section 9)" },
	{ BENCH_CLOSED, "closed", "clients that ask one question after another (dns64perf2)" },
	{ BENCH_ENUM, "enum", "telephone numbers, more and more clients (enumperf)" },
	{ BENCH_SOAK, "soak", "a mixed load for hours" },
	{ BENCH_REPORT, "report", "an HTML page of the JSON files of runs" },
};

#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

const struct bench_option_row *
bench_optable_row(size_t i)
{
	return i < N_OPTIONS ? &table[i] : NULL;
}

const struct bench_option_row *
bench_optable_find(int id)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		if ((int)table[i].id == id)
			return &table[i];
	}
	return NULL;
}

unsigned
bench_optable_method(const char *name)
{
	for (size_t i = 0; i < N_METHODS; i++) {
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].method;
	}
	return 0;
}

const char *
bench_optable_name(enum bench_method m)
{
	for (size_t i = 0; i < N_METHODS; i++) {
		if (methods[i].method == m)
			return methods[i].name;
	}
	return "";
}

void
bench_optable_methods(FILE *out)
{
	for (size_t i = 0; i < N_METHODS; i++)
		(void)fprintf(out, i > 0 ? " %s" : "%s", methods[i].name);
}

void
bench_optable_help(FILE *out)
{
	(void)fprintf(out,
	    "Usage: dns64bench METHOD [option ...]\n"
	    "Measures DNS64 servers; see dns64bench(1).\n\n");
	for (size_t i = 0; i < N_METHODS; i++)
		(void)fprintf(out, "  %-8s %s\n", methods[i].name, methods[i].help);
	(void)fputc('\n', out);
	for (size_t i = 0; i < N_OPTIONS; i++) {
		char left[40];

		(void)snprintf(left, sizeof(left), "--%s%s%s", table[i].name,
		    table[i].arg != NULL ? " " : "", table[i].arg != NULL ? table[i].arg : "");
		if (table[i].id < 256)
			(void)fprintf(out, "  -%c, ", (char)table[i].id);
		else
			(void)fprintf(out, "      ");
		(void)fprintf(out, "%-28s %s\n", left, table[i].help);
	}
}
