/* SPDX-License-Identifier: BSD-2-Clause */
/* What testers tell each other comes back as it was, and nothing else is taken. */

#include "bench/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/tests.h"

#define START 5000000000000ULL
#define THERE 77000000000ULL

static struct bench_tally a, b; /* every test runs in a process of its own */
static struct bench_histogram h, h2;
static char why[BENCH_EXCHANGE_WHY];

/* What the text that is made of O is read as: it passes a connection. */
static json_t *
passed(json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT);
	json_t *there = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(there);
	free(text);
	json_decref(o);
	return there;
}

/* --- Plan ------------------------------------------------------------------------------------- */

static struct bench_plan
some_plan(void)
{
	static const uint8_t zone[] = "\007example\003org";
	struct bench_plan p = { .transport = &bench_tcp,
		.n_threads = 3,
		.testers = 5,
		.tester = 4,
		.n_lanes = 7,
		.window = 9,
		.per_connection = 11,
		.rate = 13000,
		.burst = 17,
		.first = 1900000000019ULL,
		.n_questions = 23000000023ULL,
		.even = true,
		.duration_ns = 29000000029ULL,
		.pause_ns = 31000031,
		.timeout_ns = 37000037,
		.singles = true,
		.spin = true };

	bench_load_init(&p.load);
	ck_assert(netaddr_parse("2001:db8::53", 5353, &p.server));
	p.clients.n = 2;
	ck_assert(bench_clients_parse("2001:db8:1::/48", &p.clients.network[0]));
	ck_assert(bench_clients_parse("2001:db8:2:3::/64", &p.clients.network[1]));
	fake_zone_init(&p.load.zone, zone);
	p.load.zone.aaaa_percent = 41;
	p.load.base = 0xc0000200;
	p.load.size = 256;
	p.load.hot = 43;
	p.load.first = 47000000047ULL;
	p.load.seed = 0xfedcba9876543210;
	p.load.bufsize = 1232;
	p.load.dnssec_ok = true;
	p.load.any_prefix = false;
	ck_assert(pref64_parse("2001:db8:64::/96", &p.load.prefix) == PREF64_OK);
	ck_assert(bench_load_mix(&p.load, BENCH_HIT, 20));
	ck_assert(bench_load_mix(&p.load, BENCH_REVERSE, 30));
	return p;
}

/* The same questions, in the same way: field by field, and by what is asked. */
START_TEST(plan_comes_back)
{
	struct bench_plan p = some_plan();
	struct bench_exchange_plan q;
	json_t *there = passed(bench_exchange_plan(&p));

	ck_assert_msg(bench_exchange_read_plan(there, &q, why), "%s", why);
	ck_assert(netaddr_equal(&p.server, &q.plan.server));
	ck_assert_ptr_eq(p.transport, q.plan.transport);
	ck_assert_uint_eq(p.n_threads, q.plan.n_threads);
	ck_assert_uint_eq(p.testers, q.plan.testers);
	ck_assert_uint_eq(p.tester, q.plan.tester);
	ck_assert_uint_eq(p.n_lanes, q.plan.n_lanes);
	ck_assert_uint_eq(p.window, q.plan.window);
	ck_assert_uint_eq(p.per_connection, q.plan.per_connection);
	ck_assert_uint_eq(p.rate, q.plan.rate);
	ck_assert_uint_eq(p.burst, q.plan.burst);
	ck_assert_uint_eq(p.first, q.plan.first);
	ck_assert_uint_eq(p.n_questions, q.plan.n_questions);
	ck_assert_uint_eq(p.duration_ns, q.plan.duration_ns);
	ck_assert_uint_eq(p.pause_ns, q.plan.pause_ns);
	ck_assert_uint_eq(p.timeout_ns, q.plan.timeout_ns);
	ck_assert_uint_eq(q.plan.clients.n, 2);
	for (uint64_t k = 0; k < 5; k++) {
		struct netaddr x = bench_clients_address(&p.clients, k);
		struct netaddr y = bench_clients_address(&q.plan.clients, k);

		ck_assert(netaddr_equal(&x, &y));
	}
	ck_assert(q.plan.even && q.plan.singles && q.plan.spin && q.zipf == 0);
	for (uint64_t n = 0; n < 300; n++) {
		uint8_t x[BENCH_QUESTION_MAX], y[BENCH_QUESTION_MAX];
		size_t len = bench_load_write(&p.load, bench_load_question(&p.load, n), 1, x);

		ck_assert_uint_eq(len,
		    bench_load_write(&q.plan.load, bench_load_question(&q.plan.load, n), 1, y));
		ck_assert_mem_eq(x, y, len);
	}
	ck_assert(p.load.seed == q.plan.load.seed && p.load.hits == q.plan.load.hits);
	ck_assert_uint_eq(p.load.zone.aaaa_percent, q.plan.load.zone.aaaa_percent);
	ck_assert(!q.plan.load.any_prefix);
	json_decref(there);
}
END_TEST

START_TEST(plan_without_limits_and_prefix_comes_back)
{
	struct bench_plan p = some_plan();
	struct bench_zipf zipf = { .s = 0.9 };
	struct bench_exchange_plan q;

	p.duration_ns = UINT64_MAX;
	p.load.any_prefix = true;
	memset(p.load.mix, BENCH_HIT, sizeof(p.load.mix));
	p.load.zipf = &zipf;
	json_t *there = passed(bench_exchange_plan(&p));
	ck_assert_msg(bench_exchange_read_plan(there, &q, why), "%s", why);
	ck_assert_uint_eq(q.plan.duration_ns, UINT64_MAX);
	ck_assert(q.plan.load.any_prefix && q.zipf == 0.9 && q.plan.load.zipf == NULL);
	json_decref(there);
	/* Where no question is for the hot names, nobody needs a table of them. */
	memset(p.load.mix, BENCH_NEW, sizeof(p.load.mix));
	there = passed(bench_exchange_plan(&p));
	ck_assert(bench_exchange_read_plan(there, &q, why) && q.zipf == 0);
	json_decref(there);
}
END_TEST

/* KEY of the plan, or of its load, becomes VALUE. */
static const struct {
	const char *key, *value, *why;
} bad_plans[] = {
	{ "threads", "0", "threads is no number from 1 to 256" },
	{ "threads", "257", "threads is" },
	{ "threads", "\"1\"", "threads is" },
	{ "threads", "1.5", "threads is" },
	{ "lanes", "4097", "lanes is" },
	{ "testers", "65", "testers is" },
	{ "tester", "5", "tester is no number from 0 to 4" },
	{ "tester", "-1", "tester is" },
	{ "window", "65537", "window is" },
	{ "rate", "100000001", "rate is" },
	{ "burst", "0", "burst is no number from 1" },
	{ "timeout", "0", "timeout is" },
	{ "timeout", "3600000000001", "timeout is" },
	{ "transport", "\"sctp\"", "transport \"sctp\" is not known" },
	{ "transport", "1", "transport is no text" },
	{ "server", "\"example.org\"", "server is no address" },
	{ "spin", "1", "spin is neither" },
	{ "clients", "null", "clients are no list of up to 32 networks" },
	{ "clients", "\"2001:db8::/32\"", "clients are no list" },
	{ "clients", "[1]", "clients: one is no network of the server's family" },
	{ "clients", "[\"2001:db8::/32\", \"192.0.2.0/24\"]", "clients: one is no" },
	{ "clients", "[\"2001:db8::1/32\"]", "clients: one is no" },
	{ "questions", "-1", "questions is" },
	{ "load", "[]", "not an object" },
	{ "load.zone", "\"a..b\"", "zone is no name" },
	{ "load.size", "0", "size is" },
	{ "load.size", "4294967296", "size is" },
	{ "load.hot", "257", "hot is no number from 1 to 256" },
	{ "load.mix", "\"0\"", "mix has not 100 kinds" },
	{ "load.prefix", "\"2001:db8::/95\"", "prefix is none" },
	{ "load.seed", "null", "seed is no number" },
	{ "load.zipf", "4", "zipf is no number" },
	{ "load.zipf", "0.01", "zipf is too small" },
	{ "load.aaaa_percent", "101", "aaaa_percent is" },
};

START_TEST(bad_plan_is_refused)
{
	struct bench_plan p = some_plan();
	struct bench_exchange_plan q;
	json_t *o = bench_exchange_plan(&p), *at = o;
	const char *key = bad_plans[_i].key;

	if (strncmp(key, "load.", 5) == 0) {
		at = json_object_get(o, "load");
		key += 5;
	}
	ck_assert(bench_exchange_read_plan(o, &q, why));
	(void)json_object_set_new(at, key, json_loads(bad_plans[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert(!bench_exchange_read_plan(o, &q, why));
	ck_assert_msg(strncmp(why, bad_plans[_i].why, strlen(bad_plans[_i].why)) == 0, "%s", why);
	json_decref(o);
}
END_TEST

/* What would take the memory of a tester, or never end, and what it cannot ask. */
START_TEST(impossible_plan_is_refused)
{
	struct bench_plan p = some_plan();
	struct bench_exchange_plan q;
	json_t *o;

	p.rate = BENCH_RATE_MAX;
	p.timeout_ns = 3600 * NS_PER_SEC;
	o = bench_exchange_plan(&p);
	ck_assert(!bench_exchange_read_plan(o, &q, why));
	ck_assert_str_eq(why, "more questions could be open than this tester remembers");
	json_decref(o);
	p = some_plan();
	p.n_questions = p.duration_ns = UINT64_MAX;
	o = bench_exchange_plan(&p);
	ck_assert(!bench_exchange_read_plan(o, &q, why));
	ck_assert_str_eq(why, "there is no end to it");
	json_decref(o);
	p = some_plan();
	p.load.any_prefix = true; /* with reverse names */
	o = bench_exchange_plan(&p);
	ck_assert(!bench_exchange_read_plan(o, &q, why));
	json_decref(o);
	p = some_plan();
	p.load.mix[99] = BENCH_NUMBER;
	o = bench_exchange_plan(&p);
	ck_assert(!bench_exchange_read_plan(o, &q, why));
	json_decref(o);
	ck_assert(!bench_exchange_read_plan(NULL, &q, why));
}
END_TEST

/* --- Histogram and tally ---------------------------------------------------------------------- */

static void
fill_histogram(struct bench_histogram *x, uint64_t unit)
{
	bench_histogram_clear(x);
	for (uint64_t i = 1; i < 2000; i++)
		bench_histogram_add_many(x, i * i * unit, i);
	bench_histogram_add(x, BENCH_HISTOGRAM_MAX_NS);
}

START_TEST(histogram_comes_back)
{
	fill_histogram(&h, 997);
	json_t *there = passed(bench_exchange_histogram(&h));
	ck_assert_msg(bench_exchange_read_histogram(there, &h2, why), "%s", why);
	ck_assert_mem_eq(&h, &h2, sizeof(h));
	json_decref(there);
	bench_histogram_clear(&h);
	there = passed(bench_exchange_histogram(&h));
	ck_assert_msg(bench_exchange_read_histogram(there, &h2, why), "%s", why);
	ck_assert_mem_eq(&h, &h2, sizeof(h));
	json_decref(there);
}
END_TEST

static const char *const bad_histograms[] = {
	"[]",
	"{}",
	"{\"n\":1,\"min\":5,\"max\":4,\"sum\":5,\"squares\":25,\"buckets\":[5,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":1e300,\"squares\":25,\"buckets\":[5,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":1e300,\"buckets\":[5,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":-5,\"squares\":25,\"buckets\":[5,1]}",
	"{\"n\":2,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[5,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[5]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":{}}",
	"{\"n\":2,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[5,1,5,1]}",
	"{\"n\":2,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[5,1,4,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[5,1,6,0]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[-1,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[4352,1]}",
	"{\"n\":1,\"min\":5,\"max\":5,\"sum\":5,\"squares\":25,\"buckets\":[1e300,1]}",
	"{\"n\":1,\"min\":5,\"max\":9e18,\"sum\":5,\"squares\":25,\"buckets\":[5,1]}",
};

START_TEST(bad_histogram_is_refused)
{
	json_t *o = json_loads(bad_histograms[_i], 0, NULL);

	ck_assert_ptr_nonnull(o);
	why[0] = '\0';
	ck_assert(!bench_exchange_read_histogram(o, &h, why));
	ck_assert_str_ne(why, "");
	json_decref(o);
}
END_TEST

static void
fill(struct bench_tally *t)
{
	bench_tally_clear(t);
	t->sent = 1000;
	t->burst = 3;
	t->replies[BENCH_VALID] = 500;
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		t->replies[i] += i + 1;
	t->overdue = 12;
	t->late = 10;
	t->duplicate = 20;
	t->other = 30;
	t->stray = 40;
	t->malformed = 50;
	t->paused = 51;
	t->pauses = 52;
	t->pause_ns = 53;
	t->no_room = 55;
	t->faults = (struct bench_faults){ .unsent = 60,
		.refused = 70,
		.dropped = 80,
		.closed = 90,
		.stalled = 91,
		.elsewhere = 92,
		.no_port = 93,
		.connections = 94 };
	t->first_ns = START + 1;
	t->last_ns = START + 3 * NS_PER_SEC;
	t->heard_ns = START + 2 * NS_PER_SEC;
	t->end_ns = START + 4 * NS_PER_SEC;
	t->n_numbers = 95;
	bench_histogram_add_many(&t->rtt, 12345678, t->replies[BENCH_VALID]);
	bench_histogram_add(&t->lag, 200);
}

/* All of it, but by a clock of its own. */
START_TEST(tally_comes_back)
{
	fill(&a);
	json_t *there = passed(bench_exchange_tally(&a, START));
	ck_assert_msg(bench_exchange_read_tally(there, THERE, &b, why), "%s", why);
	ck_assert_uint_eq(b.first_ns, THERE + 1);
	ck_assert_uint_eq(b.last_ns, THERE + 3 * NS_PER_SEC);
	ck_assert_uint_eq(b.heard_ns, THERE + 2 * NS_PER_SEC);
	ck_assert_uint_eq(b.end_ns, THERE + 4 * NS_PER_SEC);
	a.first_ns = b.first_ns;
	a.last_ns = b.last_ns;
	a.heard_ns = b.heard_ns;
	a.end_ns = b.end_ns;
	ck_assert_mem_eq(&a, &b, sizeof(a));
	json_decref(there);
	bench_tally_clear(&a);
	there = passed(bench_exchange_tally(&a, START));
	ck_assert_msg(bench_exchange_read_tally(there, THERE, &b, why), "%s", why);
	ck_assert_mem_eq(&a, &b, sizeof(a));
	json_decref(there);
}
END_TEST

static const struct {
	const char *key, *value, *why;
} bad_tallies[] = {
	{ "sent", "-1", "sent is" },
	{ "sent", "9007199254740993", "sent is" },
	{ "sent", "null", "sent is" },
	{ "faults.dropped", "true", "faults.dropped is" },
	{ "replies", "[1,2]", "replies are not of" },
	{ "replies", "[1,2,3,4,-5]", "replies of kind 4" },
	{ "replies", "[500,2,3,4,5]", "not each valid reply has its time" },
	{ "first", "3000000001", "the last question was before the first" },
	{ "end", "99999999999999999", "end is" },
	{ "rtt", "{}", "n is" },
	{ "lag", "null", "not an object" },
	{ "burst", "-1", "burst is" },
};

START_TEST(bad_tally_is_refused)
{
	json_t *o;

	fill(&a);
	o = bench_exchange_tally(&a, START);
	ck_assert(bench_exchange_read_tally(o, THERE, &b, why));
	(void)json_object_set_new(
	    o, bad_tallies[_i].key, json_loads(bad_tallies[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert(!bench_exchange_read_tally(o, THERE, &b, why));
	ck_assert_msg(
	    strncmp(why, bad_tallies[_i].why, strlen(bad_tallies[_i].why)) == 0, "%s", why);
	json_decref(o);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, plan_comes_back);
	tcase_add_test(tc, plan_without_limits_and_prefix_comes_back);
	tcase_add_loop_test(tc, bad_plan_is_refused, 0, sizeof(bad_plans) / sizeof(*bad_plans));
	tcase_add_test(tc, impossible_plan_is_refused);
	tcase_add_test(tc, histogram_comes_back);
	tcase_add_loop_test(
	    tc, bad_histogram_is_refused, 0, sizeof(bad_histograms) / sizeof(*bad_histograms));
	tcase_add_test(tc, tally_comes_back);
	tcase_add_loop_test(
	    tc, bad_tally_is_refused, 0, sizeof(bad_tallies) / sizeof(*bad_tallies));
}
