/* SPDX-License-Identifier: BSD-2-Clause */
/* Each option's value becomes its setting, or a fault that is told. */

#include "bench/settings/set.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct bench_settings s;
static struct bench_parser p;
static char errors[1024];

static void
setup(void)
{
	memset(&s, 0, sizeof(s));
	memset(&p, 0, sizeof(p));
}

/* One option, as if from the command line. */
static void
set(int id, const char *arg)
{
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	errors[0] = '\0';
	p.s = &s;
	p.errors = f;
	p.option = bench_optable_find(id)->name;
	bench_set(&p, (enum bench_option)id, arg);
	(void)fclose(f);
}

static void
good(int id, const char *arg)
{
	set(id, arg);
	ck_assert_str_eq(errors, "");
	ck_assert_uint_eq(p.n_errors, 0);
}

/* --- Good values ------------------------------------------------------------------------------ */

/* The options whose setting is a number: the smallest and the largest. */
static const struct {
	int id;
	const char *min, *max;
	uint64_t min_v, max_v;
	const void *field;
	size_t size;
} numbers[] = {
#define FIELD(f) &(f), sizeof(f)
	{ BENCH_OPT_AAAA, "0", "100", 0, 100, FIELD(s.plan.load.zone.aaaa_percent) },
	{ BENCH_OPT_BLOCKS, "1", "1000000", 1, 1000000, FIELD(s.blocks) },
	{ BENCH_OPT_BUFSIZE, "0", "65535", 0, 65535, FIELD(s.plan.load.bufsize) },
	{ BENCH_OPT_BURST, "1", "100000000", 1, 100000000, FIELD(s.plan.burst) },
	{ BENCH_OPT_COUNT, "1", "1000000000000", 1, 1000000000000, FIELD(s.plan.n_questions) },
	{ BENCH_OPT_HIGH, "1", "100000000", 1, 100000000, FIELD(s.high) },
	{ BENCH_OPT_HITS, "0", "100", 0, 100, FIELD(p.hits) },
	{ BENCH_OPT_HOT, "1", "4294967295", 1, UINT32_MAX, FIELD(s.plan.load.hot) },
	{ BENCH_OPT_LOW, "1", "100000000", 1, 100000000, FIELD(s.low) },
	{ BENCH_OPT_MISSING, "0", "100", 0, 100, FIELD(p.missing) },
	{ BENCH_OPT_PORT, "1", "65535", 1, 65535, FIELD(p.port) },
	{ BENCH_OPT_RATE, "1", "100000000", 1, 100000000, FIELD(s.plan.rate) },
	{ BENCH_OPT_REPETITIONS, "1", "10000", 1, 10000, FIELD(s.repetitions) },
	{ BENCH_OPT_SOURCES, "1", "4096", 1, 4096, FIELD(s.plan.n_lanes) },
	{ BENCH_OPT_THREADS, "1", "256", 1, 256, FIELD(s.plan.n_threads) },
	{ BENCH_OPT_TIMEOUT, "0.001", "3600", 1000000, 3600000000000, FIELD(s.plan.timeout_ns) },
	{ BENCH_OPT_WINDOW, "1", "65536", 1, 65536, FIELD(s.plan.window) },
};

static uint64_t
value_of(const void *field, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, field, size); /* in host order from the lowest byte on all that we build for */
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : v >> 8 * (sizeof(v) - size);
}

START_TEST(numbers_are_taken_up_to_their_limits)
{
	good(numbers[_i].id, numbers[_i].min);
	ck_assert_uint_eq(value_of(numbers[_i].field, numbers[_i].size), numbers[_i].min_v);
	good(numbers[_i].id, numbers[_i].max);
	ck_assert_uint_eq(value_of(numbers[_i].field, numbers[_i].size), numbers[_i].max_v);
}
END_TEST

START_TEST(decimals_are_taken)
{
	good(BENCH_OPT_DURATION, "0.25");
	good(BENCH_OPT_INTERVAL, "0.5");
	good(BENCH_OPT_DELTA, "0");
	good(BENCH_OPT_RESOLUTION, "1.5");
	good(BENCH_OPT_TIMEOUT, "0.125");
	ck_assert(s.duration == 0.25 && s.interval == 0.5 && s.delta == 0 && s.resolution == 1.5);
	ck_assert_uint_eq(s.plan.timeout_ns, 125000000);
}
END_TEST

START_TEST(texts_are_taken)
{
	good(BENCH_OPT_CSV, "a");
	good(BENCH_OPT_JSON, "b");
	good(BENCH_OPT_OUTPUT, "c");
	good(BENCH_OPT_PID, "d");
	good(BENCH_OPT_PID_FILE, "D");
	good(BENCH_OPT_PLOT, "e.png");
	good(BENCH_OPT_RAW, "f");
	good(BENCH_OPT_RESTART, "g");
	good(BENCH_OPT_STATE, "h");
	good(BENCH_OPT_UNIT, "i");
	ck_assert_str_eq(s.csv, "a");
	ck_assert_str_eq(s.json, "b");
	ck_assert_str_eq(s.output, "c");
	ck_assert_str_eq(s.pid, "d");
	ck_assert_str_eq(s.pid_file, "D");
	ck_assert_str_eq(s.plot, "e.png");
	ck_assert_str_eq(s.raw, "f");
	ck_assert_str_eq(s.restart, "g");
	ck_assert_str_eq(s.state, "h");
	ck_assert_str_eq(s.unit, "i");
}
END_TEST

START_TEST(addresses_and_networks_are_taken)
{
	char text[PREF64_TEXT];

	good(BENCH_OPT_SERVER, "2001:db8::53");
	ck_assert_int_eq(s.plan.server.family, NETADDR_IPV6);
	good(BENCH_OPT_UPSTREAM, "192.0.2.1");
	ck_assert_uint_eq(s.upstream.port, 53);
	good(BENCH_OPT_UPSTREAM, "192.0.2.1#5300");
	ck_assert_uint_eq(s.upstream.port, 5300);
	good(BENCH_OPT_TRANSPORT, "udp");
	ck_assert_ptr_eq(s.plan.transport, &bench_udp);
	good(BENCH_OPT_TRANSPORT, "tcp");
	ck_assert_ptr_eq(s.plan.transport, &bench_tcp);
	good(BENCH_OPT_PER_CONNECTION, "4000000000");
	ck_assert_uint_eq(s.plan.per_connection, 4000000000);
	good(BENCH_OPT_NAMESPACE, "198.18.0.0/15");
	ck_assert_uint_eq(s.plan.load.base, 0xc6120000);
	ck_assert_uint_eq(s.plan.load.size, 1 << 17);
	s.plan.load.any_prefix = true;
	good(BENCH_OPT_PREFIX, "2001:db8:64::/48");
	ck_assert(!s.plan.load.any_prefix);
	ck_assert_str_eq(pref64_format(&s.plan.load.prefix, text), "2001:db8:64::/48");
	good(BENCH_OPT_NUMBERS, "0100-0199");
	ck_assert_uint_eq(s.plan.load.numbers.last, 199);
	ck_assert_uint_eq(s.plan.load.numbers.digits, 4);
	good(BENCH_OPT_MISSING_NUMBERS, "30-39");
	ck_assert_uint_eq(s.plan.load.missing.first, 30);
	good(BENCH_OPT_CLIENTS, "1,3-7/2");
	ck_assert_uint_eq(s.n_clients, 4);
	ck_assert_uint_eq(s.clients[3], 7);
	good(BENCH_OPT_DNSSEC, NULL);
	good(BENCH_OPT_SPIN, NULL);
	ck_assert(s.plan.load.dnssec_ok && s.plan.spin);
	good(BENCH_OPT_HELP, NULL);
	ck_assert_int_eq(p.task, BENCH_TASK_HELP);
	good(BENCH_OPT_VERSION, NULL);
	ck_assert_int_eq(p.task, BENCH_TASK_VERSION);
}
END_TEST

/* The zone in lower case, and the share of AAAA stays. */
START_TEST(zone_is_in_lower_case_and_keeps_aaaa)
{
	good(BENCH_OPT_AAAA, "40");
	good(BENCH_OPT_ZONE, "Bench.Example.");
	ck_assert_uint_eq(s.plan.load.zone.len, 15);
	ck_assert_mem_eq(s.plan.load.zone.name, "\005bench\007example", 15);
	ck_assert_uint_eq(s.plan.load.zone.aaaa_percent, 40);
}
END_TEST

/* --- Faults ----------------------------------------------------------------------------------- */

/* A value that is none, and what is told. */
static const struct {
	int id;
	const char *arg;
	const char *told;
} faults[] = {
	{ BENCH_OPT_AAAA, "101", "--aaaa: \"101\" is not a number from 0 to 100\n" },
	{ BENCH_OPT_AAAA, "5%", "--aaaa: \"5%\" is not a number from 0 to 100\n" },
	{ BENCH_OPT_BLOCKS, "0", "--blocks: \"0\" is not a number from 1 to 1000000\n" },
	{ BENCH_OPT_BUFSIZE, "65536", "--bufsize: \"65536\" is not a number from 0 to 65535\n" },
	{ BENCH_OPT_BURST, "0", "--burst: \"0\" is not a number from 1 to 100000000\n" },
	{ BENCH_OPT_CLIENTS, "1,",
	    "--clients: \"1,\" is not a list like 1,2,4 or 1-20/2, of up to 64 numbers "
	    "from 1 to 4096\n" },
	{ BENCH_OPT_COUNT, "0", "--count: \"0\" is not a number from 1 to 1000000000000\n" },
	{ BENCH_OPT_DELTA, "-1", "--delta: \"-1\" is not a number from 0 to 100\n" },
	{ BENCH_OPT_DURATION, "0", "--duration: \"0\" is not a number from 0.01 to 3.1536e+07\n" },
	{ BENCH_OPT_DURATION, "1m", "--duration: \"1m\" is not a number" },
	{ BENCH_OPT_HIGH, "100000001",
	    "--high: \"100000001\" is not a number from 1 to 100000000\n" },
	{ BENCH_OPT_HITS, "-5", "--hits: \"-5\" is not a number from 0 to 100\n" },
	{ BENCH_OPT_HOT, "4294967296",
	    "--hot: \"4294967296\" is not a number from 1 to 4294967295\n" },
	{ BENCH_OPT_INTERVAL, "0", "--interval: \"0\" is not a number from 0.1 to" },
	{ BENCH_OPT_LOW, "0", "--low: \"0\" is not a number from 1 to 100000000\n" },
	{ BENCH_OPT_MISSING, "101", "--missing: \"101\" is not a number from 0 to 100\n" },
	{ BENCH_OPT_MISSING_NUMBERS, "1-10",
	    "--missing-numbers: \"1-10\" is not FIRST-LAST, two numbers of as "
	    "many digits, up to 15\n" },
	{ BENCH_OPT_NAMESPACE, "10.0.0.1/8",
	    "--namespace: \"10.0.0.1/8\" is not an IPv4 network like 10.0.0.0/8\n" },
	{ BENCH_OPT_NUMBERS, "9", "--numbers: \"9\" is not FIRST-LAST" },
	{ BENCH_OPT_PORT, "0", "--port: \"0\" is not a number from 1 to 65535\n" },
	{ BENCH_OPT_PREFIX, "2001:db8::/33",
	    "--prefix: \"2001:db8::/33\" is not a prefix of RFC 6052 like "
	    "2001:db8:64::/96\n" },
	{ BENCH_OPT_PREFIX, "2001:db8::1/96", "--prefix: \"2001:db8::1/96\" is not a prefix" },
	{ BENCH_OPT_RATE, "0", "--rate: \"0\" is not a number from 1 to 100000000\n" },
	{ BENCH_OPT_RATE, "99999999999999999999",
	    "--rate: \"99999999999999999999\" is not a number" },
	{ BENCH_OPT_REPETITIONS, "0", "--repetitions: \"0\" is not a number from 1 to 10000\n" },
	{ BENCH_OPT_RESOLUTION, "0", "--resolution: \"0\" is not a number from 0.001 to 50\n" },
	{ BENCH_OPT_SERVER, "localhost",
	    "--server: \"localhost\" is not an IPv4 or IPv6 address\n" },
	{ BENCH_OPT_SERVER, "192.0.2.1#53",
	    "--server: \"192.0.2.1#53\" is not an IPv4 or IPv6 address\n" },
	{ BENCH_OPT_SOURCES, "4097", "--sources: \"4097\" is not a number from 1 to 4096\n" },
	{ BENCH_OPT_THREADS, "257", "--threads: \"257\" is not a number from 1 to 256\n" },
	{ BENCH_OPT_TIMEOUT, "0", "--timeout: \"0\" is not a number from 0.001 to 3600\n" },
	{ BENCH_OPT_TRANSPORT, "sctp", "--transport: \"sctp\" is neither udp nor tcp\n" },
	{ BENCH_OPT_UPSTREAM, "192.0.2.1:53",
	    "--upstream: \"192.0.2.1:53\" is not an address like 192.0.2.1 or "
	    "2001:db8::1#5300\n" },
	{ BENCH_OPT_WINDOW, "65537", "--window: \"65537\" is not a number from 1 to 65536\n" },
	{ BENCH_OPT_ZONE, "a..b", "--zone: \"a..b\" is not a domain name, or too long\n" },
	{ BENCH_OPT_ZONE, "", "--zone: \"\" is not a domain name, or too long\n" },
};

START_TEST(faults_are_told)
{
	set(faults[_i].id, faults[_i].arg);
	ck_assert_uint_eq(p.n_errors, 1);
	ck_assert_msg(strncmp(errors, "dns64bench: ", 12) == 0 &&
		strncmp(errors + 12, faults[_i].told, strlen(faults[_i].told)) == 0,
	    "%s", errors);
}
END_TEST

/* A zone that leaves no room for the longest of the labels before it. */
START_TEST(zone_too_long)
{
	char text[256] = "";

	for (unsigned i = 0; i < 3; i++)
		(void)strcat(
		    text, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi01.");
	(void)strcat(text, "abcdefghijklmnopqrstuvwxyzabcdefghijklmno");
	good(BENCH_OPT_ZONE, text);
	(void)strcat(text, "p");
	set(BENCH_OPT_ZONE, text);
	ck_assert_uint_eq(p.n_errors, 1);
}
END_TEST

/* No row of the table is without a case here: each sets something or complains about rubbish. */
START_TEST(every_row_is_known)
{
	static const int texts_only[] = { BENCH_OPT_CSV, BENCH_OPT_JSON, BENCH_OPT_OUTPUT,
		BENCH_OPT_PID, BENCH_OPT_PID_FILE, BENCH_OPT_PLOT, BENCH_OPT_RAW, BENCH_OPT_RESTART,
		BENCH_OPT_STATE, BENCH_OPT_UNIT };
	const struct bench_option_row *row;

	for (size_t i = 0; (row = bench_optable_row(i)) != NULL; i++) {
		bool text = row->arg == NULL;

		for (size_t k = 0; k < N_OF(texts_only); k++)
			text |= texts_only[k] == (int)row->id;
		if (text)
			continue;
		p.n_errors = 0;
		set((int)row->id, "..");
		ck_assert_msg(p.n_errors == 1, "%s takes \"..\"", row->name);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("bench_set");
	TCase *tc = tcase_create("settings");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, numbers_are_taken_up_to_their_limits, 0, N_OF(numbers));
	tcase_add_test(tc, decimals_are_taken);
	tcase_add_test(tc, texts_are_taken);
	tcase_add_test(tc, addresses_and_networks_are_taken);
	tcase_add_test(tc, zone_is_in_lower_case_and_keeps_aaaa);
	tcase_add_loop_test(tc, faults_are_told, 0, N_OF(faults));
	tcase_add_test(tc, zone_too_long);
	tcase_add_test(tc, every_row_is_known);
	suite_add_tcase(suite, tc);

	SRunner *sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
