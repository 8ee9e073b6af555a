/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what another tester says: the first tells what it is, a plan, a tally, a histogram
 * or a connection. What is taken is told as it was read, and read as it was told.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/channel.h"
#include "bench/exchange.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#define START 1000000000000ULL

enum { PLAN, TALLY, HISTOGRAM, CONNECTION, KINDS };

/* A and B are the same; both are freed. */
static void
same(json_t *a, json_t *b)
{
	FUZZ_CHECK(a != NULL && b != NULL && json_equal(a, b));
	json_decref(a);
	json_decref(b);
}

static void
try_plan(const json_t *from)
{
	static struct bench_exchange_plan p, q;
	char why[BENCH_EXCHANGE_WHY] = "";
	uint8_t question[BENCH_QUESTION_MAX];

	if (!bench_exchange_read_plan(from, &p, why)) {
		FUZZ_CHECK(why[0] != '\0');
		return;
	}
	json_t *told = bench_exchange_plan(&p.plan);
	FUZZ_CHECK(bench_exchange_read_plan(told, &q, why));
	same(told, bench_exchange_plan(&q.plan));
	FUZZ_CHECK(bench_plan_turn(&p.plan, p.plan.n_threads - 1) < bench_plan_turns(&p.plan));
	/* Whatever it says can be asked. */
	for (uint64_t n = p.plan.first; n < p.plan.first + 100; n++)
		FUZZ_CHECK(bench_load_write(&p.plan.load, bench_load_question(&p.plan.load, n), 1,
			       question) <= sizeof(question));
}

static void
try_histogram(const json_t *from)
{
	static struct bench_histogram g, h;
	char why[BENCH_EXCHANGE_WHY] = "";

	if (!bench_exchange_read_histogram(from, &g, why)) {
		FUZZ_CHECK(why[0] != '\0');
		return;
	}
	json_t *told = bench_exchange_histogram(&g);
	FUZZ_CHECK(bench_exchange_read_histogram(told, &h, why));
	same(told, bench_exchange_histogram(&h));
	FUZZ_CHECK(bench_histogram_percentile(&g, 50) <= bench_histogram_percentile(&g, 99));
}

static void
try_tally(const json_t *from)
{
	static struct bench_tally t, u;
	char why[BENCH_EXCHANGE_WHY] = "";

	if (!bench_exchange_read_tally(from, START, &t, why)) {
		FUZZ_CHECK(why[0] != '\0');
		return;
	}
	json_t *told = bench_exchange_tally(&t, START);
	FUZZ_CHECK(bench_exchange_read_tally(told, START, &u, why));
	same(told, bench_exchange_tally(&u, START));
	FUZZ_CHECK(!bench_tally_sound(&t) || bench_tally_lost(&t) <= t.sent);
	bench_tally_merge(&t, &u);
	FUZZ_CHECK(t.sent == 2 * u.sent && t.rtt.n == 2 * u.rtt.n);
}

/* It ends when its bytes do, whatever they were; no message is more than an object. */
static void
try_connection(const uint8_t *bytes, size_t len)
{
	struct bench_channel c;
	json_t *message;
	int fd[2];

	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd) == 0);
	bench_channel_init(&c, fd[0], BENCH_CHANNEL_FIRST);
	(void)!write(fd[1], bytes, len);
	(void)close(fd[1]);
	while ((message = bench_channel_take(&c)) != NULL) {
		FUZZ_CHECK(json_is_object(message));
		json_decref(message);
	}
	FUZZ_CHECK(c.fd < 0 && c.text == NULL && c.error[0] != '\0');
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(1, data, len, cap, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_t *from;

	if (len == 0)
		return 0;
	if (data[0] % KINDS == CONNECTION) {
		try_connection(data + 1, len - 1);
		return 0;
	}
	from = json_loadb((const char *)data + 1, len - 1, JSON_REJECT_DUPLICATES, NULL);
	if (data[0] % KINDS == PLAN)
		try_plan(from);
	else if (data[0] % KINDS == TALLY)
		try_tally(from);
	else
		try_histogram(from);
	json_decref(from);
	return 0;
}
