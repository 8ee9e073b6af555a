/* SPDX-License-Identifier: BSD-2-Clause */
/* Each option's value becomes its setting, or a fault that is reported. */

#include "bench/options.h"

#include <string.h>

#include "bench/load/plan.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct bench_settings s;
static struct cmdline c;
static char errors[1024];

static void
setup(void)
{
	memset(&s, 0, sizeof(s));
	memset(&c, 0, sizeof(c));
}

/* One option, as if from the command line. */
static void
set(const char *name, const char *arg)
{
	const struct cmdline_row *row = cmdline_find(bench_options_table(), name);
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_msg(row != NULL, "%s", name);
	errors[0] = '\0';
	c.table = bench_options_table();
	c.settings = &s;
	c.errors = f;
	row->parse(&c, row, arg, (char *)&s + row->offset);
	(void)fclose(f);
}

static void
good(const char *name, const char *arg)
{
	set(name, arg);
	ck_assert_str_eq(errors, "");
	ck_assert_uint_eq(c.n_errors, 0);
}

/* Is TEXT a value of the option NAME? */
static bool
takes(const char *name, const char *text)
{
	c.n_errors = 0;
	set(name, text);
	return c.n_errors == 0;
}

/* --- Values that are no plain numbers or texts ------------------------------------------------ */

START_TEST(decimals_are_read)
{
	static const struct {
		const char *text;
		bool good;
		double v;
	} cases[] = {
		{ "0.5", true, 0.5 },
		{ ".5", true, 0.5 },
		{ "10", true, 10 },
		{ "10.", true, 10 },
		{ "0.001", true, 0.001 },
		{ "50", true, 50 },
		{ "0.00099", false, 0 },
		{ "50.001", false, 0 },
		{ "", false, 0 },
		{ ".", false, 0 },
		{ "1.2.3", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1s", false, 0 },
		{ "0x1", false, 0 },
		{ "1e0", false, 0 },
		{ "nan", false, 0 },
		{ "inf", false, 0 },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		bool good = takes("resolution", cases[i].text);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (good)
			ck_assert(s.resolution == cases[i].v);
	}
}
END_TEST

START_TEST(networks_are_read)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t base;
		uint64_t size;
	} cases[] = {
		{ "10.0.0.0/8", true, 0x0a000000, 1 << 24 },
		{ "198.18.0.0/15", true, 0xc6120000, 1 << 17 },
		{ "192.0.2.1/32", true, 0xc0000201, 1 },
		{ "255.255.255.254/31", true, 0xfffffffe, 2 },
		{ "0.0.0.0/0", true, 0, 1ULL << 32 },
		{ "128.0.0.0/1", true, 0x80000000, 1ULL << 31 },
		{ "10.0.0.1/8", false, 0, 0 }, /* bits behind the length */
		{ "128.0.0.0/0", false, 0, 0 },
		{ "10.0.0.0/33", false, 0, 0 },
		{ "10.0.0.0/", false, 0, 0 },
		{ "10.0.0.0", false, 0, 0 },
		{ "10.0.0.0/8/8", false, 0, 0 },
		{ "/8", false, 0, 0 },
		{ "10/8", false, 0, 0 },
		{ "10.0.0.256/32", false, 0, 0 },
		{ "2001:db8::/32", false, 0, 0 },
		{ "1000000000000000000000/8", false, 0, 0 },
		{ "", false, 0, 0 },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		bool good = takes("namespace", cases[i].text);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(s.plan.load.base, cases[i].base);
		ck_assert_uint_eq(s.plan.load.size, cases[i].size);
	}
}
END_TEST

START_TEST(ranges_are_read)
{
	static const struct {
		const char *text;
		bool good;
		struct bench_range r;
	} cases[] = {
		{ "0-9", true, { 0, 9, 1 } },
		{ "5-5", true, { 5, 5, 1 } },
		{ "0100-0199", true, { 100, 199, 4 } },
		{ "000000000000000-999999999999999", true, { 0, 999999999999999, 15 } },
		{ "0000000000000000-0000000000000001", false, { 0, 0, 0 } }, /* 16 digits */
		{ "1-10", false, { 0, 0, 0 } },
		{ "2-1", false, { 0, 0, 0 } },
		{ "12", false, { 0, 0, 0 } },
		{ "12-", false, { 0, 0, 0 } },
		{ "-12", false, { 0, 0, 0 } },
		{ "1-2-3", false, { 0, 0, 0 } },
		{ "1a-2b", false, { 0, 0, 0 } },
		{ "10-2b", false, { 0, 0, 0 } },
		{ "", false, { 0, 0, 0 } },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		const struct bench_range *r = &s.plan.load.numbers;
		bool good = takes("numbers", cases[i].text);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(r->first, cases[i].r.first);
		ck_assert_uint_eq(r->last, cases[i].r.last);
		ck_assert_uint_eq(r->digits, cases[i].r.digits);
	}
}
END_TEST

START_TEST(lists_of_steps_are_read)
{
	static const struct {
		const char *text;
		size_t n; /* 0: refused */
		unsigned list[8];
	} cases[] = {
		{ "1", 1, { 1 } },
		{ "1,2,4", 3, { 1, 2, 4 } },
		{ "1-4", 4, { 1, 2, 3, 4 } },
		{ "1-20/5", 4, { 1, 6, 11, 16 } },
		{ "1-3,10,20-40/10", 7, { 1, 2, 3, 10, 20, 30, 40 } },
		{ "5-5", 1, { 5 } },
		{ "4096", 1, { 4096 } },
		{ "1-8", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ "1-65", 0, { 0 } }, /* more than there is room for */
		{ "1-64,65", 0, { 0 } },
		{ "4097", 0, { 0 } },
		{ "1-4097/2000", 0, { 0 } },
		{ "0", 0, { 0 } },
		{ "0-4", 0, { 0 } },
		{ "4-1", 0, { 0 } },
		{ "1-4/0", 0, { 0 } },
		{ "", 0, { 0 } },
		{ ",", 0, { 0 } },
		{ "1,", 0, { 0 } },
		{ ",1", 0, { 0 } },
		{ "1,,2", 0, { 0 } },
		{ "1-", 0, { 0 } },
		{ "1-4/", 0, { 0 } },
		{ "1 2", 0, { 0 } },
		{ "1-2-3", 0, { 0 } },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		bool good = takes("clients", cases[i].text);

		ck_assert_msg(good == (cases[i].n > 0), "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(s.n_clients, cases[i].n);
		ck_assert_mem_eq(s.clients, cases[i].list, s.n_clients * sizeof(s.clients[0]));
	}
}
END_TEST

/* Rates come in ascending order, each once; N of them have one factor between two. */
START_TEST(rates_are_read)
{
	static const struct {
		const char *text;
		size_t n; /* 0: refused */
		uint32_t list[8];
	} cases[] = {
		{ "7", 1, { 7 } },
		{ "300,100,200", 3, { 100, 200, 300 } },
		{ "1000-100000/5", 5, { 1000, 3162, 10000, 31623, 100000 } },
		{ "100-200/2", 2, { 100, 200 } },
		{ "1,2,3,4,5,6,7,8", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ "100000000", 1, { 100000000 } },
		{ "100000001", 0, { 0 } },
		{ "1-100000000/257", 0, { 0 } },
		{ "1-3/4", 0, { 0 } }, /* there are not so many */
		{ "100-100/2", 0, { 0 } },
		{ "200-100/2", 0, { 0 } },
		{ "100-200/1", 0, { 0 } },
		{ "100-200", 0, { 0 } },
		{ "100-200/", 0, { 0 } },
		{ "100-200/2,300", 0, { 0 } },
		{ "5,5", 0, { 0 } },
		{ "0", 0, { 0 } },
		{ "5,", 0, { 0 } },
		{ ",5", 0, { 0 } },
		{ "5 6", 0, { 0 } },
		{ "", 0, { 0 } },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		bool good = takes("rates", cases[i].text);

		ck_assert_msg(good == (cases[i].n > 0), "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(s.n_rates, cases[i].n);
		ck_assert_mem_eq(s.rates, cases[i].list, s.n_rates * sizeof(s.rates[0]));
	}
}
END_TEST

/* Percentages as they are given, each once. */

/* As many values as there is room for, and one more. */
START_TEST(lists_have_limits)
{
	char text[1100] = "1";
	size_t len = 1;

	for (unsigned i = 2; i <= BENCH_RATES_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ",%u", i);
	ck_assert(takes("rates", text));
	ck_assert_uint_eq(s.n_rates, BENCH_RATES_MAX);
	(void)strcat(text, ",257");
	ck_assert(!takes("rates", text));
	ck_assert(takes("clients", "1-64"));
	ck_assert_uint_eq(s.n_clients, BENCH_STEPS_MAX);
}
END_TEST

START_TEST(shares_are_read)
{
	static const char *const bad[] = { "", ",", "1,", ",1", "101", "1,1", "1-2", "1 2", "x",
		"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21" };

	c.method = BENCH_MATRIX;
	ck_assert(takes("hits", "100,0,20"));
	ck_assert_uint_eq(s.hits.n, 3);
	ck_assert_uint_eq(s.hits.percent[0], 100);
	ck_assert_uint_eq(s.hits.percent[1], 0);
	ck_assert_uint_eq(s.hits.percent[2], 20);
	ck_assert(takes("aaaa", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"));
	ck_assert_uint_eq(s.aaaa.n, BENCH_SHARES_MAX);
	for (size_t i = 0; i < N_OF(bad); i++)
		ck_assert_msg(!takes("hits", bad[i]), "\"%s\"", bad[i]);
}
END_TEST

/* Weights of types, as percentages that are 100 together. */
START_TEST(mixes_are_read)
{
	static const struct {
		const char *text;
		size_t n;
		uint16_t type[3];
		unsigned percent[3];
	} cases[] = {
		{ "A=40,AAAA=55,HTTPS=5", 3, { 1, 28, 65 }, { 40, 55, 5 } },
		{ "aaaa=7", 1, { 28 }, { 100 } },
		{ "A=1,AAAA=2", 2, { 1, 28 }, { 33, 67 } },
		{ "TYPE65=1,A=1,AAAA=1", 3, { 65, 1, 28 }, { 34, 33, 33 } },
		{ "A=1000000,AAAA=1000000", 2, { 1, 28 }, { 50, 50 } },
	};
	static const char *const bad[] = { "", "A", "A=", "A=0", "A=1,", "=1", "A=1,A=1", "A=1 ",
		"A=1.5", "A=-1", "NOSUCH=1", "A=1,TYPE1=2", "A=1,AAAA=200", "A=1000001",
		"A=1,AAAA=1,MX=1,NS=1,TXT=1,SRV=1,SOA=1,PTR=1,DS=1,HTTPS=1,SVCB=1" };
	const struct bench_mix *mix = &s.mix;

	for (size_t i = 0; i < N_OF(cases); i++) {
		ck_assert_msg(takes("mix", cases[i].text), "%s", cases[i].text);
		ck_assert_uint_eq(mix->n, cases[i].n);
		ck_assert_str_eq(mix->text, cases[i].text);
		for (size_t k = 0; k < mix->n; k++) {
			ck_assert_uint_eq(mix->type[k], cases[i].type[k]);
			ck_assert_uint_eq(mix->percent[k], cases[i].percent[k]);
		}
	}
	for (size_t i = 0; i < N_OF(bad); i++)
		ck_assert_msg(!takes("mix", bad[i]), "\"%s\"", bad[i]);
}
END_TEST

START_TEST(addresses_with_ports_are_read)
{
	static const char *const cases[][2] = {
		{ "192.0.2.1", "192.0.2.1#53" },
		{ "192.0.2.1#5300", "192.0.2.1#5300" },
		{ "2001:db8::1", "2001:db8::1#53" },
		{ "2001:db8::1#65535", "2001:db8::1#65535" },
		{ "192.0.2.1#0", NULL },
		{ "192.0.2.1#65536", NULL },
		{ "192.0.2.1#", NULL },
		{ "192.0.2.1#53#53", NULL },
		{ "192.0.2.1:53", NULL },
		{ "localhost", NULL },
		{ "#53", NULL },
		{ "", NULL },
		{ "1111111111111111111111111111111111111111111111111111111111111111111111111",
		    NULL },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		char text[NETADDR_TEXT];
		bool good = takes("upstream", cases[i][0]);

		ck_assert_msg(good == (cases[i][1] != NULL), "\"%s\"", cases[i][0]);
		if (good)
			ck_assert_str_eq(netaddr_format(&s.upstream, text), cases[i][1]);
	}
}
END_TEST

/* --- Good values ------------------------------------------------------------------------------ */

/* The options whose setting is a number: the smallest and the largest. */
static const struct {
	const char *name;
	const char *min, *max;
	uint64_t min_v, max_v;
	const void *field;
	size_t size;
} numbers[] = {
#define FIELD(f) &(f), sizeof(f)
	{ "aaaa", "0", "100", 0, 100, FIELD(s.plan.load.zone.aaaa_percent) },
	{ "blocks", "1", "1000000", 1, 1000000, FIELD(s.blocks) },
	{ "bufsize", "0", "65535", 0, 65535, FIELD(s.plan.load.bufsize) },
	{ "burst", "1", "100000000", 1, 100000000, FIELD(s.plan.burst) },
	{ "count", "1", "1000000000000", 1, 1000000000000, FIELD(s.plan.n_questions) },
	{ "high", "1", "100000000", 1, 100000000, FIELD(s.high) },
	{ "hits", "0", "100", 0, 100, FIELD(s.hits_percent) },
	{ "hot", "1", "4294967295", 1, UINT32_MAX, FIELD(s.plan.load.hot) },
	{ "low", "1", "100000000", 1, 100000000, FIELD(s.low) },
	{ "missing", "0", "100", 0, 100, FIELD(s.missing_percent) },
	{ "port", "1", "65535", 1, 65535, FIELD(s.plan.server.port) },
	{ "rate", "1", "100000000", 1, 100000000, FIELD(s.plan.rate) },
	{ "repetitions", "1", "10000", 1, 10000, FIELD(s.repetitions) },
	{ "sources", "1", "4096", 1, 4096, FIELD(s.plan.n_lanes) },
	{ "threads", "1", "256", 1, 256, FIELD(s.plan.n_threads) },
	{ "timeout", "0.001", "3600", 1000000, 3600000000000, FIELD(s.plan.timeout_ns) },
	{ "window", "1", "65536", 1, 65536, FIELD(s.plan.window) },
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
	good(numbers[_i].name, numbers[_i].min);
	ck_assert_uint_eq(value_of(numbers[_i].field, numbers[_i].size), numbers[_i].min_v);
	good(numbers[_i].name, numbers[_i].max);
	ck_assert_uint_eq(value_of(numbers[_i].field, numbers[_i].size), numbers[_i].max_v);
}
END_TEST

START_TEST(decimals_are_taken)
{
	good("duration", "0.25");
	good("interval", "0.5");
	good("delta", "0");
	good("resolution", "1.5");
	good("timeout", "0.125");
	ck_assert(s.duration == 0.25 && s.interval == 0.5 && s.delta == 0 && s.resolution == 1.5);
	ck_assert_uint_eq(s.plan.timeout_ns, 125000000);
}
END_TEST

START_TEST(texts_are_taken)
{
	good("csv", "a");
	good("json", "b");
	good("pid", "d");
	good("pid-file", "D");
	good("raw", "f");
	good("restart", "g");
	good("state", "h");
	good("unit", "i");
	ck_assert_str_eq(s.csv, "a");
	ck_assert_str_eq(s.json, "b");
	ck_assert_str_eq(s.pid, "d");
	ck_assert_str_eq(s.pid_file, "D");
	ck_assert_str_eq(s.raw, "f");
	ck_assert_str_eq(s.restart, "g");
	ck_assert_str_eq(s.state, "h");
	ck_assert_str_eq(s.unit, "i");
}
END_TEST

START_TEST(addresses_and_networks_are_taken)
{
	char text[PREF64_TEXT];

	good("server", "2001:db8::53");
	ck_assert_int_eq(s.plan.server.family, NETADDR_IPV6);
	good("upstream", "192.0.2.1");
	ck_assert_uint_eq(s.upstream.port, 53);
	good("upstream", "192.0.2.1#5300");
	ck_assert_uint_eq(s.upstream.port, 5300);
	good("transport", "udp");
	ck_assert_ptr_eq(s.plan.transport, &bench_udp);
	ck_assert_uint_eq(s.plan.transport->window, 0);
	good("transport", "tcp");
	ck_assert_ptr_eq(s.plan.transport, &bench_tcp);
	ck_assert_uint_eq(s.plan.transport->window, BENCH_TCP_WINDOW);
	good("per-connection", "4000000000");
	ck_assert_uint_eq(s.plan.per_connection, 4000000000);
	good("namespace", "198.18.0.0/15");
	ck_assert_uint_eq(s.plan.load.base, 0xc6120000);
	ck_assert_uint_eq(s.plan.load.size, 1 << 17);
	s.plan.load.any_prefix = true;
	good("prefix", "2001:db8:64::/48");
	ck_assert(!s.plan.load.any_prefix);
	ck_assert_str_eq(pref64_format(&s.plan.load.prefix, text), "2001:db8:64::/48");
	good("numbers", "0100-0199");
	ck_assert_uint_eq(s.plan.load.numbers.last, 199);
	ck_assert_uint_eq(s.plan.load.numbers.digits, 4);
	good("missing-numbers", "30-39");
	ck_assert_uint_eq(s.plan.load.missing.first, 30);
	good("clients", "1,3-7/2");
	ck_assert_uint_eq(s.n_clients, 4);
	ck_assert_uint_eq(s.clients[3], 7);
	good("dnssec", NULL);
	good("spin", NULL);
	ck_assert(s.plan.load.dnssec_ok && s.plan.spin);
	good("help", NULL);
	ck_assert_int_eq(c.task, CMDLINE_HELP);
	good("version", NULL);
	ck_assert_int_eq(c.task, CMDLINE_VERSION);
}
END_TEST

/* The port and the address of the server are two options, in any order. */
START_TEST(server_and_port_come_in_any_order)
{
	char text[NETADDR_TEXT];

	good("port", "5353");
	good("server", "192.0.2.1");
	ck_assert_str_eq(netaddr_format(&s.plan.server, text), "192.0.2.1#5353");
	good("port", "54");
	ck_assert_str_eq(netaddr_format(&s.plan.server, text), "192.0.2.1#54");
	good("server", "dns64.example");
	ck_assert_str_eq(s.server_name, "dns64.example");
	ck_assert_uint_eq(s.plan.server.port, 54);
	ck_assert_int_eq(s.plan.server.family, NETADDR_NONE);
	good("server", "192.0.2.1");
	ck_assert_ptr_null(s.server_name);
}
END_TEST

/* The zone in lower case, and the share of AAAA stays. */
START_TEST(zone_is_in_lower_case_and_keeps_aaaa)
{
	good("aaaa", "40");
	good("zone", "Bench.Example.");
	ck_assert_uint_eq(s.plan.load.zone.len, 15);
	ck_assert_mem_eq(s.plan.load.zone.name, "\005bench\007example", 15);
	ck_assert_uint_eq(s.plan.load.zone.aaaa_percent, 40);
}
END_TEST

/* --- Faults ----------------------------------------------------------------------------------- */

/* A value that is none, and what is told. */
static const struct {
	const char *name;
	const char *arg;
	const char *told;
} faults[] = {
	{ "aaaa", "101", "--aaaa: \"101\" is not a number from 0 to 100\n" },
	{ "aaaa", "5%", "--aaaa: \"5%\" is not a number from 0 to 100\n" },
	{ "blocks", "0", "--blocks: \"0\" is not a number from 1 to 1000000\n" },
	{ "bufsize", "65536", "--bufsize: \"65536\" is not a number from 0 to 65535\n" },
	{ "burst", "0", "--burst: \"0\" is not a number from 1 to 100000000\n" },
	{ "clients", "1,",
	    "--clients: \"1,\" is not a list like 1,2,4 or 1-20/2, of up to 64 numbers "
	    "from 1 to 4096\n" },
	{ "count", "0", "--count: \"0\" is not a number from 1 to 1000000000000\n" },
	{ "delta", "-1", "--delta: \"-1\" is not a number from 0 to 100\n" },
	{ "duration", "0", "--duration: \"0\" is not a number from 0.01 to 3.1536e+07\n" },
	{ "duration", "1m", "--duration: \"1m\" is not a number" },
	{ "high", "100000001", "--high: \"100000001\" is not a number from 1 to 100000000\n" },
	{ "hits", "-5", "--hits: \"-5\" is not a number from 0 to 100\n" },
	{ "hot", "4294967296", "--hot: \"4294967296\" is not a number from 1 to 4294967295\n" },
	{ "interval", "0", "--interval: \"0\" is not a number from 0.1 to" },
	{ "low", "0", "--low: \"0\" is not a number from 1 to 100000000\n" },
	{ "missing", "101", "--missing: \"101\" is not a number from 0 to 100\n" },
	{ "missing-numbers", "1-10",
	    "--missing-numbers: \"1-10\" is not FIRST-LAST, two numbers of as "
	    "many digits, up to 15\n" },
	{ "namespace", "10.0.0.1/8",
	    "--namespace: \"10.0.0.1/8\" is not an IPv4 network like 10.0.0.0/8\n" },
	{ "numbers", "9", "--numbers: \"9\" is not FIRST-LAST" },
	{ "port", "0", "--port: \"0\" is not a number from 1 to 65535\n" },
	{ "prefix", "2001:db8::/33",
	    "--prefix: \"2001:db8::/33\" is not a prefix of RFC 6052 like "
	    "2001:db8:64::/96\n" },
	{ "prefix", "2001:db8::1/96", "--prefix: \"2001:db8::1/96\" is not a prefix" },
	{ "rate", "0", "--rate: \"0\" is not a number from 1 to 100000000\n" },
	{ "rate", "99999999999999999999", "--rate: \"99999999999999999999\" is not a number" },
	{ "repetitions", "0", "--repetitions: \"0\" is not a number from 1 to 10000\n" },
	{ "resolution", "0", "--resolution: \"0\" is not a number from 0.001 to 50\n" },
	{ "server", "192.0.2.1#53",
	    "--server: \"192.0.2.1#53\" is neither an IPv4 or IPv6 address nor the name of a "
	    "host\n" },
	{ "server", "192.0.2.256", "--server: \"192.0.2.256\" is neither" },
	{ "server", "", "--server: \"\" is neither" },
	{ "server", "a b", "--server: \"a b\" is neither" },
	{ "server", ".test", "--server: \".test\" is neither" },
	{ "sources", "4097", "--sources: \"4097\" is not a number from 1 to 4096\n" },
	{ "threads", "257", "--threads: \"257\" is not a number from 1 to 256\n" },
	{ "timeout", "0", "--timeout: \"0\" is not a number from 0.001 to 3600\n" },
	{ "transport", "sctp", "--transport: \"sctp\" is none of udp, tcp\n" },
	{ "transport", "tls", "--transport: \"tls\" is none of udp, tcp\n" },
	{ "transport", "", "--transport: \"\" is none of udp, tcp\n" },
	{ "upstream", "192.0.2.1:53",
	    "--upstream: \"192.0.2.1:53\" is not an address like 192.0.2.1 or "
	    "2001:db8::1#5300\n" },
	{ "window", "65537", "--window: \"65537\" is not a number from 1 to 65536\n" },
	{ "zone", "a..b", "--zone: \"a..b\" is not a domain name, or too long\n" },
	{ "zone", "", "--zone: \"\" is not a domain name, or too long\n" },
};

START_TEST(faults_are_told)
{
	set(faults[_i].name, faults[_i].arg);
	ck_assert_uint_eq(c.n_errors, 1);
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
	good("zone", text);
	(void)strcat(text, "p");
	set("zone", text);
	ck_assert_uint_eq(c.n_errors, 1);
}
END_TEST

/* All rows whose value is not any text complain about rubbish. */
START_TEST(rubbish_is_refused)
{
	const struct cmdline_table *t = bench_options_table();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		if (row->value == NULL || row->parse == cmdline_text)
			continue;
		c.n_errors = 0;
		set(row->name, "..");
		ck_assert_msg(c.n_errors == 1, "%s takes \"..\"", row->name);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, decimals_are_read);
	tcase_add_test(tc, networks_are_read);
	tcase_add_test(tc, ranges_are_read);
	tcase_add_test(tc, lists_of_steps_are_read);
	tcase_add_test(tc, rates_are_read);
	tcase_add_test(tc, lists_have_limits);
	tcase_add_test(tc, shares_are_read);
	tcase_add_test(tc, mixes_are_read);
	tcase_add_test(tc, addresses_with_ports_are_read);
	tcase_add_loop_test(tc, numbers_are_taken_up_to_their_limits, 0, N_OF(numbers));
	tcase_add_test(tc, decimals_are_taken);
	tcase_add_test(tc, texts_are_taken);
	tcase_add_test(tc, addresses_and_networks_are_taken);
	tcase_add_test(tc, server_and_port_come_in_any_order);
	tcase_add_test(tc, zone_is_in_lower_case_and_keeps_aaaa);
	tcase_add_loop_test(tc, faults_are_told, 0, N_OF(faults));
	tcase_add_test(tc, zone_too_long);
	tcase_add_test(tc, rubbish_is_refused);
}
