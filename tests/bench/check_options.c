/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of dns64bench: what belongs together, and the table of options. */

#include "bench/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/tests.h"
#include "support/text.h"

/* --- options ---------------------------------------------------------------------------------- */

/* The command line of dns64bench: what belongs together, and that faults are told. */

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ARGS_MAX 60

static struct bench_settings s;
static char errors[2048];

/* LINE in words; what was told is in errors. */
static enum cmdline_task
read_line(const char *line)
{
	static char copy[2048];
	static char *argv[ARGS_MAX];
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	(void)snprintf(copy, sizeof(copy), "dns64bench %s", line);
	errors[0] = '\0';
	enum cmdline_task task = bench_options_read(text_words(copy, argv, ARGS_MAX), argv, &s, f);
	(void)fclose(f);
	return task;
}

static void
good(const char *line)
{
	ck_assert_msg(read_line(line) == CMDLINE_RUN, "%s: %s", line, errors);
	ck_assert_str_eq(errors, "");
}

START_TEST(defaults_are_as_documented)
{
	char text[NETADDR_TEXT];

	good("rate -s 192.0.2.1 -r 1000");
	ck_assert_int_eq(s.method, BENCH_RATE);
	ck_assert_str_eq(netaddr_format(&s.plan.server, text), "192.0.2.1#53");
	ck_assert_str_eq(s.plan.transport->name, "udp");
	ck_assert_uint_eq(s.plan.n_threads, 1);
	ck_assert_uint_eq(s.plan.n_lanes, 16);
	ck_assert_uint_eq(s.plan.rate, 1000);
	ck_assert_uint_eq(s.plan.burst, 1);
	ck_assert_uint_eq(s.plan.n_questions, 60000);
	ck_assert_uint_eq(s.plan.duration_ns, UINT64_MAX);
	ck_assert_uint_eq(s.plan.timeout_ns, NS_PER_SEC);
	ck_assert_uint_eq(s.plan.load.base, 0x0a000000);
	ck_assert_uint_eq(s.plan.load.size, 1 << 24);
	ck_assert_uint_eq(s.plan.load.bufsize, 0);
	ck_assert(s.plan.load.any_prefix && !s.plan.load.dnssec_ok && !s.plan.spin);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(s.plan.load.mix[i], BENCH_NEW);
	good("search -s 192.0.2.1");
	ck_assert(s.duration == 60 && s.resolution == 0.5 && s.delta == 0.1);
	ck_assert_uint_eq(s.low, 1000);
	ck_assert_uint_eq(s.high, 1000000);
	ck_assert_uint_eq(s.repetitions, 20);
	ck_assert_int_eq(s.upstream.family, NETADDR_NONE);
	good("soak -s 192.0.2.1 -r 5");
	ck_assert(s.interval == 60);
}
END_TEST

/* What is said for one run is not remembered for the next. */
START_TEST(second_reading_remembers_nothing)
{
	good("rate -s 192.0.2.1 -r 1000 -n 5 --hits 50 --hot 2 --spin --prefix 64:ff9b::/96");
	good("rate -s ::1 -r 10");
	ck_assert_uint_eq(s.plan.n_questions, 600);
	ck_assert(!s.plan.spin && s.plan.load.any_prefix);
	ck_assert_uint_eq(s.plan.load.mix[0], BENCH_NEW);
}
END_TEST

/* --- Methods ---------------------------------------------------------------------------------- */

/* The least that each method must be told. */
static const struct {
	enum bench_method method;
	const char *line;
} methods[] = {
	{ BENCH_RATE, "rate -s 192.0.2.1 -r 1000" },
	{ BENCH_SEARCH, "search -s 192.0.2.1 --high 3000 -d 1 --repetitions 1" },
	{ BENCH_CLOSED, "closed -s 192.0.2.1" },
	{ BENCH_ENUM, "enum -s 192.0.2.1 --numbers 00-99 --missing-numbers 000-999 --missing 7" },
	{ BENCH_SOAK, "soak -s 192.0.2.1 -r 1000" },
	{ BENCH_MATRIX, "matrix -s 192.0.2.1" },
	{ BENCH_SWEEP, "sweep -s 192.0.2.1 --rates 5" },
	{ BENCH_RAMP, "ramp -s 192.0.2.1" },
};

/* A time in a minute. */
static const char *
soon(void)
{
	static char text[32];

	(void)snprintf(
	    text, sizeof(text), "%.1f", (double)clock_wall_ns() / (double)NS_PER_SEC + 60);
	return text;
}

/* A value for ROW that is good whatever else there is. */
static const char *
value_for(const struct cmdline_row *row)
{
	static const char *const values[][2] = {
		{ "PERCENT", "5" },
		{ "N", "1" },
		{ "B", "3" },
		{ "D", "0.2" },
		{ "RATE", "2000" },
		{ "RATES", "1000-2000/3" },
		{ "OCTETS", "512" },
		{ "SECONDS", "2" },
		{ "FILE", "file.png" },
		{ "LAW", "even" },
		{ "X", "1" },
		{ "LIST", "1,2" },
		{ "FIRST-LAST", "1-2" },
		{ "NETWORK", "10.0.0.0/8" },
		{ "PID,...", "1" },
		{ "PORT", "53" },
		{ "PREFIX", "64:ff9b::/96" },
		{ "COMMAND", "true" },
		{ "HOST", "192.0.2.1" },
		{ "udp|tcp", "udp" },
		{ "TIME", NULL }, /* soon */
		{ "fixed|poisson", "poisson" },
		{ "TYPE=W,...", "A=1,AAAA=2" },
		{ "NAME", "name" },
		{ "ADDR[#PORT]", "192.0.2.1#53" },
	};

	if (row->value == NULL)
		return "";
	if (strcmp(row->name, "per-connection") == 0)
		return "0"; /* others are for TCP */
	for (size_t i = 0; i < N_OF(values); i++) {
		if (strcmp(values[i][0], row->value) == 0)
			return values[i][1] != NULL ? values[i][1] : soon();
	}
	ck_abort_msg("--%s %s: no value for it here", row->name, row->value);
}

/* What must be told besides, with ROW. */
static const char *
with_for(const struct cmdline_row *row)
{
	/* Clients have a window only in a time of their own. */
	if (strcmp(row->name, "window") == 0)
		return "-d 2";
	if (strcmp(row->name, "seed") == 0)
		return "--arrivals poisson";
	return strcmp(row->name, "delta") == 0 ? "--upstream 192.0.2.2" : "";
}

/* Every option where it belongs, and refused, by name, everywhere else. */
START_TEST(options_of_methods)
{
	const struct cmdline_table *t = bench_options_table();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		char line[300], want[100];
		const char *with = with_for(row);
		enum cmdline_task task = row->letter == 'h' ? CMDLINE_HELP
		    : row->letter == 'V'                    ? CMDLINE_VERSION
							    : CMDLINE_RUN;

		if ((row->methods & methods[_i].method) == 0)
			with = "";
		else if (strcmp(row->name, "speed") == 0)
			continue; /* is of --replay without --rate: recordings_are_replayed */
		(void)snprintf(line, sizeof(line), "%s --%s %s %s", methods[_i].line, row->name,
		    value_for(row), with);
		(void)snprintf(want, sizeof(want), "dns64bench: --%s: says nothing to %s, but to ",
		    row->name, bench_options_method(methods[_i].method));
		if ((row->methods & methods[_i].method) != 0) {
			ck_assert_msg(read_line(line) == task, "%s: %s", line, errors);
			ck_assert_str_eq(errors, "");
		} else {
			ck_assert_msg(read_line(line) == CMDLINE_WRONG, "%s", line);
			ck_assert_msg(strncmp(errors, want, strlen(want)) == 0, "%s", errors);
		}
	}
}
END_TEST

START_TEST(letters_set_what_their_names_do)
{
	good("rate -s192.0.2.1 -p 5353 -r 10 -t 2 -d 1.5 -N 198.18.0.0/15");
	ck_assert_uint_eq(s.plan.server.port, 5353);
	good("rate -s192.0.2.1 -r 10 --transport tcp");
	ck_assert_uint_eq(s.plan.server.port, bench_tcp.port);
	good("rate -s192.0.2.1 -p 5353 -r 10 -t 2 -d 1.5 -N 198.18.0.0/15 --transport tcp");
	ck_assert_uint_eq(s.plan.server.port, 5353);
	ck_assert_uint_eq(s.plan.n_threads, 2);
	ck_assert_uint_eq(s.plan.n_questions, 15);
	ck_assert_uint_eq(s.plan.load.base, 0xc6120000);
	good("rate -r 10 -n 7 -s 192.0.2.1");
	ck_assert_uint_eq(s.plan.n_questions, 7);
}
END_TEST

START_TEST(help_and_version_go_before_faults)
{
	ck_assert_int_eq(read_line("-h"), CMDLINE_HELP);
	ck_assert_int_eq(read_line("--help"), CMDLINE_HELP);
	ck_assert_int_eq(read_line("-V"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line("--version"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line("rate -h"), CMDLINE_HELP); /* without what rate needs */
	ck_assert_int_eq(read_line("soak --version"), CMDLINE_VERSION);
}
END_TEST

/* --- What belongs together -------------------------------------------------------------------- */

START_TEST(depending_options_are_completed)
{
	good("rate -s 192.0.2.1 -r 1000 --dnssec");
	ck_assert_uint_eq(s.plan.load.bufsize, 1232); /* DO is said in an OPT */
	good("rate -s 192.0.2.1 -r 1000 --dnssec --bufsize 4096");
	ck_assert_uint_eq(s.plan.load.bufsize, 4096);
	good("closed -s 192.0.2.1 --hits 30");
	unsigned hits = 0;
	for (unsigned i = 0; i < 100; i++)
		hits += s.plan.load.mix[i] == BENCH_HIT;
	ck_assert_uint_eq(hits, 30);
	good("enum -s 192.0.2.1 --numbers 100-199 --missing 25 --missing-numbers 5000-5999");
	unsigned missing = 0;
	for (unsigned i = 0; i < 100; i++) {
		missing += s.plan.load.mix[i] == BENCH_NO_NUMBER;
		ck_assert(
		    s.plan.load.mix[i] == BENCH_NO_NUMBER || s.plan.load.mix[i] == BENCH_NUMBER);
	}
	ck_assert_uint_eq(missing, 25);
	ck_assert_uint_eq(s.missing_percent, 25);
	/* --zone and --aaaa in any order */
	good("rate -s 192.0.2.1 -r 1000 --aaaa 30 --zone Example.net");
	ck_assert_uint_eq(s.plan.load.zone.aaaa_percent, 30);
	ck_assert_mem_eq(s.plan.load.zone.name, "\007example\003net", 13);
	/* just enough: names for the run, and the hot ones apart */
	good("rate -s 192.0.2.1 -r 256 -d 1 -N 10.0.0.0/24");
	good("rate -s 192.0.2.1 -r 1000 -n 206 -N 10.0.0.0/24 --hits 10 --hot 50");
	good("rate -s 192.0.2.1 -r 1000 -n 1000000 -N 10.0.0.0/24 --hits 100 --hot 256");
	/* a load for hours begins again with its names: only the hot ones must fit */
	good("soak -s 192.0.2.1 -r 5 -N 10.0.0.0/24 --hits 10 --hot 255");
}
END_TEST

START_TEST(clients_come_from_networks)
{
	char text[BENCH_NETWORK_TEXT];

	good("rate -s 192.0.2.1 -r 9");
	ck_assert_uint_eq(s.plan.clients.n, 0);
	good("rate -s 192.0.2.1 -r 9 --clients-from 10.0.0.0/8 --clients-from 198.18.0.0/15");
	ck_assert_uint_eq(s.plan.clients.n, 2);
	ck_assert_str_eq(bench_clients_format(&s.plan.clients.network[1], text), "198.18.0.0/15");
	good("rate --clients-from 2001:db8::/32 -s 2001:db8::1 -r 9");
	ck_assert_uint_eq(s.plan.clients.n, 1);
}
END_TEST

/* How many questions there are is not known yet. */
START_TEST(recordings_are_replayed)
{
	good("rate -s ::1 --replay file");
	ck_assert_str_eq(s.replay, "file");
	ck_assert_double_eq(s.speed, 1);
	ck_assert_uint_eq(s.plan.rate, 0);
	ck_assert_uint_eq(s.plan.n_questions, 0);
	ck_assert_double_eq(s.duration, 0);
	ck_assert_uint_eq(s.plan.load.first, 0);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(s.plan.load.mix[i], BENCH_REPLAY);
	ck_assert_uint_eq(bench_load_names(&s.plan.load, 1000000000), 0);
	good("rate -s ::1 --replay file --speed 2.5 -n 7");
	ck_assert_double_eq(s.speed, 2.5);
	ck_assert_uint_eq(s.plan.n_questions, 7);
	good("rate -s ::1 --replay file --rate 1000000 -d 60 --burst 5");
	ck_assert_double_eq(s.duration, 60);
	good("soak -s ::1 --replay file");
	ck_assert_double_eq(s.duration, 3600);
	ck_assert_uint_eq(s.plan.load.mix[0], BENCH_REPLAY);
	good("search -s ::1 --replay file");
	ck_assert_uint_eq(s.plan.load.mix[0], BENCH_REPLAY);
	good("closed -s ::1 --replay file -d 1");
}
END_TEST

/* A second run does not ask for the names of the first, unless it is told to. */
START_TEST(names_begin_at_random_unless_told)
{
	static const char *const lines[] = { "rate -s ::1 -r 9", "search -s ::1",
		"enum -s ::1 --numbers 1000-1999" };

	for (size_t i = 0; i < 3; i++) {
		uint64_t most = 0;

		for (unsigned k = 0; k < 20; k++) {
			good(lines[i]);
			ck_assert(!s.first_given);
			most = s.plan.load.first > most ? s.plan.load.first : most;
		}
		/* Of 2^24 names, or of a billion draws, anywhere. */
		ck_assert_uint_gt(most, (i < 2 ? s.plan.load.size : 1000000000) / 4);
		ck_assert_uint_lt(most, i < 2 ? s.plan.load.size : 1000000000);
	}
	good("rate -s ::1 -r 9 --first 7");
	ck_assert(s.first_given);
	ck_assert_uint_eq(s.plan.load.first, 7);
}
END_TEST

/* Popularity is among many names, unless it is said among how many. */
START_TEST(popularity_is_of_hot_names)
{
	good("rate -s 192.0.2.1 -r 1000 --hits 50");
	ck_assert_double_eq(s.zipf, 0);
	ck_assert_uint_eq(s.plan.load.hot, 1);
	good("rate -s 192.0.2.1 -r 1000 --hits 50 --popularity zipf:0.95");
	ck_assert_double_eq(s.zipf, 0.95);
	ck_assert_uint_eq(s.plan.load.hot, 10000);
	good("rate -s 192.0.2.1 -r 1000 --hits 50 --popularity zipf:3 --hot 20");
	ck_assert_uint_eq(s.plan.load.hot, 20);
	good("rate -s 192.0.2.1 -r 1000 --popularity even");
	ck_assert_double_eq(s.zipf, 0);
	ck_assert_uint_eq(s.plan.load.hot, 1);
	good("soak -s 192.0.2.1 -r 1000 --popularity zipf:0.1"); /* which has hits anyway */
	good("rate -s ::1 -r 9 --hits 100 --popularity zipf:1 --hot 16777216");
}
END_TEST

/* A line and two texts that the message must have. */
static const char *const faults[][3] = {
	{ "", "first comes one of rate search closed enum soak matrix sweep ramp", "dns64bench: " },
	{ "walk -s 192.0.2.1", "\"walk\" is not a method", "rate search" },
	{ "-s 192.0.2.1 rate", "\"-s\" is not a method", "rate search" },
	{ "-h -h", "\"-h\" is not a method", "rate search" },
	{ "rate", "--server: rate needs it", "--rate: rate needs it" }, /* all at once */
	{ "search", "--server: search needs it", "\n" },
	{ "closed", "--server: closed needs it", "\n" },
	{ "soak -s ::1", "--rate: soak needs it", "\n" },
	{ "enum -s ::1", "--numbers: enum needs it", "\n" },
	{ "enum -s ::1 --numbers 0-9 --missing 1", "--missing: needs --missing-numbers", "\n" },
	{ "enum -s ::1 --numbers 0-9 --missing-numbers 10-19",
	    "--missing-numbers: are asked for with --missing, which is 0 %", "\n" },
	{ "rate -s ::1 -r 9 -n 9 -d 9", "--duration: either this or --count", "\n" },
	{ "rate -s ::1 -r 9 --singles --transport tcp",
	    "--singles: there are no datagrams over tcp", "\n" },
	{ "search -s ::1 --high 9 -d 1 --delta 0.2",
	    "--delta: is of the self-test, which needs --upstream", "\n" },
	{ "compare a b", "\"compare\" is not a method", "rate search" },
	{ "sweep -s ::1", "--rates: sweep needs it", "\n" },
	{ "sweep -s ::1 --rates 5,10,5", "--rates: \"5,10,5\" is not a list like", "\n" },
	{ "sweep -s ::1 --rates 5,10 -t 6", "--threads: more than there are questions", "\n" },
	{ "ramp -s ::1 -d 1", "--duration: of a ramp is from 2 to 86400 s", "\n" },
	{ "ramp -s ::1 -d 86401", "--duration: of a ramp is from 2 to 86400 s", "\n" },
	{ "ramp -s ::1 --high 600000", "16777216 names, and the run asks for 18000000", "\n" },
	{ "rate -s ::1 -r 9 --arrivals even", "--arrivals: \"even\" is neither fixed nor poisson",
	    "\n" },
	{ "rate -s ::1 -r 9 --arrivals poisson --burst 2", "--burst: needs --arrivals fixed",
	    "\n" },
	{ "rate -s ::1 -r 9 --seed 2", "--seed: is of --arrivals poisson", "\n" },
	{ "rate -s ::1 --replay file --arrivals poisson", "--arrivals: needs --rate", "\n" },
	{ "rate -s ::1 -r 9 --mix A=1,A=2", "--mix: \"A=1,A=2\" is not a list like", "\n" },
	{ "rate -s ::1 -r 9 --mix A=99,AAAA=1 --hits 2", "all shares together are more", "\n" },
	{ "soak -s ::1 -r 9 --mix A=95,AAAA=5", "--mix: AAAA is less than the share", "\n" },
	{ "soak -s ::1 -r 9 --mix A=1,MX=1,NS=1,TXT=1,SRV=1,SOA=1,PTR=1,DS=1,HTTPS=1,SVCB=1",
	    "--mix: up to 8 types besides A and AAAA", "\n" },
	{ "matrix -s ::1 --zone "
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
	  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb."
	  "ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc."
	  "ddddddddddddddddddddddddddddddddddddddddd",
	    "--zone: too long for the label aaaa-100 before it", "\n" },
	{ "matrix -s ::1 --hits 0,101", "--hits: \"0,101\" is not a list like", "\n" },
	{ "matrix -s ::1 --aaaa 5,5", "--aaaa: \"5,5\" is not a list like", "\n" },
	{ "matrix -s ::1 --aaaa 5,", "--aaaa: \"5,\" is not a list like", "\n" },
	{ "rate -s ::1 -r 1 --hits 5,6", "--hits: \"5,6\" is not a number from 0 to 100", "\n" },
	{ "rate -s ::1 -r 5 --nosuch", "dns64bench: --nosuch: unknown option\n", "" },
	{ "rate -s ::1 -r 5 --nosuch=7", "dns64bench: --nosuch=7: unknown option\n", "" },
	{ "rate -s ::1 -r 5 -q", "dns64bench: -q: unknown option\n", "" },
	{ "rate -s ::1 -r 5 --re 3",
	    "dns64bench: --re: which of --repetitions, --replay, --resolution, --restart\n", "" },
	{ "rate -s ::1 -r", "dns64bench: --rate: needs a value\n", "" },
	{ "rate -s ::1 --rate", "dns64bench: --rate: needs a value\n", "" },
	{ "rate -s ::1 -r 5 --spin=yes", "dns64bench: --spin: takes no value\n", "" },
	{ "rate -s ::1 -r 5 word", "\"word\": there are options only", "" },
	{ "rate -s na/me -r x", "--server: \"na/me\"", "--rate: \"x\"" }, /* all at once */
	{ "rate -s name -q --nosuch --spin=1 word", "-q: unknown", "\"word\"" },
	{ "rate -s ::1 -r 5 --json a --interval 3 --low 2", "--interval: says nothing to rate",
	    "--low: says nothing to rate" },
	{ "rate -s ::1 -r 5 --pid 1 --unit dns64d", "--unit: one of this, --pid and --pid-file",
	    "" },
	{ "rate -s ::1 -r 5 --pid-file f --unit dns64d",
	    "--unit: one of this, --pid and --pid-file", "" },
	{ "rate -s ::1 -r 5 --csv - --json -", "--csv: standard output takes either this or --json",
	    "" },
	{ "rate -s ::1 -r 5 --pid-file f --pid 5", "--pid-file: one of this, --pid and --unit",
	    "" },
	{ "rate -s ::1 -r 5 --per-connection 1",
	    "--per-connection: there are no connections over udp", "" },
	{ "search -s ::1 --low 2000 --high 1999", "--low: 2000 is above --high 1999", "" },
	{ "search -s ::1 --low 2 --threads 3", "--low: 2 is less than one question for each", "" },
	{ "rate -s ::1 -r 3 -t 4", "--threads: more than there are questions per second", "" },
	{ "rate -s ::1 -r 1 -d 0.5", "--duration: 0.5 s at 1 per second are less than one question",
	    "" },
	{ "rate -s ::1 -r 257 -d 1 -N 10.0.0.0/24",
	    "--namespace: 256 names, and the run asks for 257", "" },
	{ "rate -s ::1 -r 300000", "16777216 names, and the run asks for 18000000", "" },
	{ "rate -s ::1 -r 9 -n 207 -N 10.0.0.0/24 --hits 10 --hot 50", "256 names",
	    "asks for 257" },
	{ "rate -s ::1 -r 1 -n 1 -N 10.0.0.0/32 --hits 50", "1 names are fewer than --hot wants",
	    "" },
	{ "rate -s ::1 -r 9 --clients-from 10.0.0.0/8",
	    "--clients-from: 10.0.0.0/8 has no IPv6 address", "" },
	{ "rate -s 192.0.2.1 -r 9 --clients-from 10.0.0.0/8 --clients-from 2001:db8::/32",
	    "--clients-from: 2001:db8::/32 has no IPv4 address", "" },
	{ "rate -s 192.0.2.1 -r 9 --clients-from 10.0.0.1/8",
	    "\"10.0.0.1/8\" is not a network like 192.0.2.0/24 or 2001:db8::/48", "" },
	{ "rate -s ::1 --replay file --hits 5 --zone a.test", "--hits: says nothing with --replay",
	    "--zone: says nothing with --replay" },
	{ "rate -s ::1 --replay file --burst 2", "--burst: needs --rate", "" },
	{ "rate -s ::1 --replay file --rate 9 --speed 2", "--speed: is of --replay without --rate",
	    "" },
	{ "rate -s ::1 --rate 9 --speed 2", "--speed: is of --replay without --rate", "" },
	{ "search -s ::1 --replay file --upstream ::1", "--upstream: says nothing with --replay",
	    "" },
	{ "rate -s ::1 -r 9 --start-at 1500000000.5", "--start-at: 1500000000.5 has passed: it is ",
	    " now\n" },
	{ "ramp -s ::1 -d 2.5", "--duration: of a ramp is in whole seconds: each has a row", "" },
	{ "rate -s ::1 -r 9 --json a --csv a", "--csv: a is the file of --json", "" },
	{ "rate -s ::1 -r 9 --json a --csv b --raw a", "--raw: a is the file of --json", "" },
	{ "rate -s ::1 -r 9 --csv b --raw b", "--raw: b is the file of --csv", "" },
	{ "soak -s ::1 -r 9 --start-at 9999999999", "--start-at: 9999999999 is more than a day",
	    "" },
	{ "closed -s ::1 --start-at soon", "--start-at: \"soon\" is not a time: seconds since 1970",
	    "" },
	{ "search -s ::1 --start-at 1", "--start-at: says nothing to search", "" },
	{ "rate -s ::1 -r 9 --popularity zipf:1", "--popularity: is that of the names of --hits",
	    "0 %" },
	{ "rate -s ::1 -r 9 --hits 9 --popularity zipf:1 -N 10.0.0.0/24",
	    "256 names are fewer than --hot wants", "" },
	{ "rate -s ::1 -r 9 --hits 9 --popularity zipf:1 --hot 16777217 -N 10.0.0.0/7",
	    "--popularity: of up to 16777216 names of --hot", "" },
	{ "rate -s ::1 -r 9 --popularity zipf", "\"zipf\" is neither even nor zipf:S", "" },
	{ "rate -s ::1 -r 9 --popularity zipf:", "\"zipf:\" is neither", "" },
	{ "rate -s ::1 -r 9 --popularity zipf:0.09", "S from 0.1 to 3", "" },
	{ "rate -s ::1 -r 9 --popularity zipf:3.01", "S from 0.1 to 3", "" },
	{ "rate -s ::1 -r 9 --popularity zipf:-1", "S from 0.1 to 3", "" },
	{ "rate -s ::1 -r 9 --popularity uneven", "is neither even nor zipf:S", "" },
	{ "closed -s ::1 --clients 257", "--clients: 257 are more than there are questions (256)",
	    "" },
	{ "closed -s ::1 --clients 2 -t 2", "--threads: one does all experiments", "" },
	{ "closed -s ::1 --window 2", "--window: needs --duration", "" },
	{ "closed -s ::1 --blocks 2 -d 1", "--blocks: either this or --duration", "" },
	{ "closed -s ::1 -N 10.0.0.0/16 --hits 1", "65536 names, and the run asks for 65537", "" },
	{ "closed -s ::1 -N 10.0.0.0/16 --clients 1,2", "65536 names, and the run asks for 131072",
	    "" },
	{ "enum -s ::1 --numbers 10-19 -t 2", "--threads: 1 clients cannot be shared evenly", "" },
	{ "soak -s ::1 -r 5 -N 10.0.0.0/24 --hits 1 --hot 256",
	    "256 names are fewer than --hot wants", "" },
	{ "soak -s ::1 -r 5 -N 10.0.0.0/24 --hot 257", "256 names are fewer than --hot wants", "" },
};

START_TEST(faults_are_told)
{
	const char *line = faults[_i][0];

	ck_assert_int_eq(read_line(line), CMDLINE_WRONG);
	ck_assert_msg(strstr(errors, faults[_i][1]) != NULL, "%s: %s", line, errors);
	ck_assert_msg(strstr(errors, faults[_i][2]) != NULL, "%s: %s", line, errors);
	/* Each is a line of its own that begins with the program's name. */
	for (char *at = errors, *end; *at != '\0'; at = end + 1) {
		ck_assert_msg(strncmp(at, "dns64bench: ", 12) == 0, "%s: %s", line, errors);
		end = strchr(at, '\n');
		ck_assert_ptr_nonnull(end);
	}
}
END_TEST

static void
add_options(TCase *tc)
{
	tcase_add_test(tc, defaults_are_as_documented);
	tcase_add_test(tc, second_reading_remembers_nothing);
	tcase_add_loop_test(tc, options_of_methods, 0, N_OF(methods));
	tcase_add_test(tc, letters_set_what_their_names_do);
	tcase_add_test(tc, help_and_version_go_before_faults);
	tcase_add_test(tc, depending_options_are_completed);
	tcase_add_test(tc, clients_come_from_networks);
	tcase_add_test(tc, names_begin_at_random_unless_told);
	tcase_add_test(tc, popularity_is_of_hot_names);
	tcase_add_test(tc, recordings_are_replayed);
	tcase_add_loop_test(tc, faults_are_told, 0, N_OF(faults));
}

/* --- optable ---------------------------------------------------------------------------------- */

/* The table of options agrees with itself, and its defaults are good values. */

#define ALL \
	(BENCH_RATE | BENCH_SEARCH | BENCH_CLOSED | BENCH_ENUM | BENCH_SOAK | BENCH_MATRIX | \
	    BENCH_SWEEP | BENCH_RAMP)

static const enum bench_method every_method[] = { BENCH_RATE, BENCH_SEARCH, BENCH_CLOSED,
	BENCH_ENUM, BENCH_SOAK, BENCH_MATRIX, BENCH_SWEEP, BENCH_RAMP };

/* Rows stand in the order of their names, for some method, each with a letter of its own or none.
 */
START_TEST(rows_are_sorted_and_have_their_own_letters)
{
	const struct cmdline_table *t = bench_options_table();
	const char *before = "";
	char letters[CMDLINE_ROWS_MAX] = "";

	ck_assert_uint_gt(t->n_rows, 30);
	ck_assert_uint_le(t->n_rows, CMDLINE_ROWS_MAX);
	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		const char letter[] = { row->letter, '\0' };

		ck_assert_msg(strcmp(row->name, before) > 0, "%s after %s", row->name, before);
		ck_assert_msg(
		    row->methods != 0 && (row->methods & ~(unsigned)ALL) == 0, "%s", row->name);
		ck_assert_uint_gt(strlen(row->help), 0);
		ck_assert_msg(row->parse != NULL && row->min <= row->max, "%s", row->name);
		ck_assert_msg(row->letter == '\0' || strchr(letters, row->letter) == NULL, "-%c",
		    row->letter);
		(void)strcat(letters, letter);
		before = row->name;
	}
}
END_TEST

/* Fields lie in the settings; a number's is as large as its maximum wants. */
START_TEST(fields_are_as_large_as_their_values)
{
	const struct cmdline_table *t = bench_options_table();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		bool none = row->parse == cmdline_help || row->parse == cmdline_version;

		ck_assert_msg((row->size == 0) == none, "%s", row->name);
		ck_assert_msg(
		    row->offset + row->size <= sizeof(struct bench_settings), "%s", row->name);
		if (row->parse == cmdline_number)
			ck_assert_msg(row->size == 8 || row->max < (double)(1ULL << 8 * row->size),
			    "%s", row->name);
		if (row->parse == cmdline_text)
			ck_assert_uint_eq(row->size, sizeof(char *));
		if (row->parse == cmdline_flag)
			ck_assert_uint_eq(row->size, sizeof(bool));
	}
}
END_TEST

START_TEST(defaults_are_good_values)
{
	static struct bench_settings made;
	const struct cmdline_table *t = bench_options_table();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		struct cmdline c = { .table = t, .settings = &made, .errors = stderr };

		if (row->fallback != NULL)
			row->parse(&c, row, row->fallback, (char *)&made + row->offset);
		for (size_t i = 0; i < CMDLINE_SPECIALS && row->special[i].methods != 0; i++) {
			c.method = row->special[i].methods;
			row->parse(&c, row, row->special[i].fallback, (char *)&made + row->offset);
		}
		ck_assert_msg(c.n_errors == 0, "%s", row->name);
		/* A text is borrowed, which a default is not there for. */
		ck_assert(row->parse != cmdline_text || row->fallback == NULL);
	}
}
END_TEST

START_TEST(names_of_methods)
{
	const struct cmdline_table *t = bench_options_table();

	ck_assert_uint_eq(t->n_methods, sizeof(every_method) / sizeof(every_method[0]));
	for (size_t i = 0; i < t->n_methods; i++) {
		ck_assert_uint_eq(t->methods[i].bit, every_method[i]);
		ck_assert_str_eq(bench_options_method(every_method[i]), t->methods[i].name);
	}
	ck_assert_str_eq(bench_options_method(BENCH_RATE), "rate");
	ck_assert_str_eq(bench_options_method((enum bench_method)0), "");
}
END_TEST

/* What follows from a fault is not another one. */
START_TEST(one_fault_is_told_once)
{
	ck_assert_int_eq(read_line("rate -s ::1"), CMDLINE_WRONG);
	ck_assert_str_eq(errors, "dns64bench: --rate: rate needs it\n");
}
END_TEST

/* -h: a line for each method and option, each short enough for a terminal. */
START_TEST(help_has_a_line_for_each_row)
{
	char *text = NULL, left[64];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	const struct cmdline_table *t = bench_options_table();

	ck_assert_ptr_nonnull(f);
	cmdline_print_help(t, 0, f);
	(void)fclose(f);
	for (size_t i = 0; i < t->n_methods; i++) {
		(void)snprintf(left, sizeof(left), "\n  %s ", t->methods[i].name);
		ck_assert_msg(strstr(text, left) != NULL, "%s", left);
	}
	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		if (row->letter != '\0')
			(void)snprintf(
			    left, sizeof(left), "\n  -%c, --%s ", row->letter, row->name);
		else
			(void)snprintf(left, sizeof(left), "\n      --%s ", row->name);
		ck_assert_msg(strstr(text, left) != NULL, "%s", left);
		ck_assert_msg(strstr(text, row->help) != NULL, "%s", row->help);
	}
	ck_assert_ptr_nonnull(strstr(text, "\nWhat to ask:\n      --aaaa "));
	ck_assert_ptr_nonnull(strstr(text, " dns64bench sweep -s 192.0.2.1 --rates "));
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		ck_assert_msg(end - line <= 100, "%.*s", (int)(end - line), line);
	free(text);
}
END_TEST

static void
add_optable(TCase *tc)
{
	tcase_add_test(tc, rows_are_sorted_and_have_their_own_letters);
	tcase_add_test(tc, fields_are_as_large_as_their_values);
	tcase_add_test(tc, defaults_are_good_values);
	tcase_add_test(tc, names_of_methods);
	tcase_add_test(tc, one_fault_is_told_once);
	tcase_add_test(tc, help_has_a_line_for_each_row);
}

void
tests_add(TCase *tc)
{
	add_options(tc);
	add_optable(tc);
}
