/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_cache [-s MEGABYTES] [-e ENTRIES] [-n CALLS] [-t THREADS] [-o miss|hit|put]: the cache
 * alone, with messages of 100 bytes under names of 18. Fills it with ENTRIES names, tells how many
 * of them it has then, and for each kind of call the time of one, on average and at worst; then
 * what THREADS of them together get out of it, beside one.
 *
 *	-o	CALLS calls of that kind and nothing else after filling; under callgrind with
 *		--toggle-collect=cache_get or cache_put it tells what one costs:
 *		the count less that of the same run with -n 0, by CALLS
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "cache/cache.h"
#include "dns/proto.h"
#include "dns/wire.h"
#include "support/cputime.h"

#define MESSAGE 100
#define BLOCK 4096    /* calls between two looks at the clock */
#define NS_MAX 100000 /* longer ones count as this */
#define THREADS_MAX 64
#define SEED 42
#define NEW_NAMES 0x80000000U /* names from here on were not put when filling */
#define RUN_NS 1000000000U

struct task {
	size_t size;
	uint32_t entries;
	unsigned calls;
	unsigned threads;
	const char *only;
};

/* A key and its message. */
struct named {
	struct question key;
	uint8_t msg[MESSAGE];
};

struct bench {
	struct task task;
	struct cache *cache;
	uint32_t new_name;
	uint32_t ns[NS_MAX + 1]; /* how many calls took so long */
};

/* --- Calls ------------------------------------------------------------------------------------ */

static void
named_init(struct named *n)
{
	static const uint8_t name[] = "\010xxxxxxxx\007example";

	memset(n, 0, sizeof(*n));
	memcpy(n->msg + DNS_HEADER_LEN, name, sizeof(name));
	n->key = (struct question){ .qname = n->msg + DNS_HEADER_LEN,
		.qname_len = sizeof(name),
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN };
	wire_set_u16(n->msg + DNS_HEADER_LEN + sizeof(name), DNS_TYPE_AAAA);
	wire_set_u16(n->msg + DNS_HEADER_LEN + sizeof(name) + 2, DNS_CLASS_IN);
}

static void
number(struct named *n, uint32_t i)
{
	uint8_t *label = n->msg + DNS_HEADER_LEN + 1;

	for (unsigned k = 0; k < 8; k++)
		label[k] = (uint8_t)('a' + (i >> 4 * k & 15));
	n->key.hash = hash_bytes(n->key.qname, n->key.qname_len, SEED);
}

static void
put(struct bench *b, const struct named *n)
{
	struct cache_entry e = { .kind = CACHE_POSITIVE, .ede = DNS_EDE_NONE, .ttl_s = 3600 };

	cache_put(b->cache, &n->key, &e, n->msg, sizeof(n->msg), 1);
}

static bool
get(struct bench *b, const struct named *n)
{
	const struct cache_want want = { .now_s = 1, .ask = true };
	struct cache_entry e;
	uint8_t msg[4096];

	return cache_get(b->cache, &n->key, &want, msg, sizeof(msg), &e);
}

/* The I-th of a sequence without pattern, below N. */
static uint32_t
scattered(uint64_t i, uint32_t n)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9ULL;
	return (uint32_t)((x >> 32) * n >> 32);
}

static void
prepare(struct bench *b, const char *what, uint64_t i, struct named *n)
{
	number(n, strcmp(what, "hit") == 0 ? scattered(i, b->task.entries) : b->new_name++);
}

static void
call(struct bench *b, const char *what, const struct named *n)
{
	if (strcmp(what, "put") == 0)
		put(b, n);
	else if (get(b, n) != (strcmp(what, "hit") == 0) && b->task.only == NULL)
		b->ns[NS_MAX]++; /* seen as the worst */
}

/* --- What they cost --------------------------------------------------------------------------- */

static unsigned
percentile(const struct bench *b, double part)
{
	uint64_t sum = 0;
	unsigned ns = 0;

	for (unsigned i = 0; i <= NS_MAX; i++)
		sum += b->ns[i];
	uint64_t below = (uint64_t)((double)sum * part);
	for (sum = b->ns[0]; sum <= below && ns < NS_MAX; sum += b->ns[++ns])
		continue;
	return ns;
}

/* Single calls by the clock, whose own share is in the first line printed. */
static void
tell_times(struct bench *b, const char *what)
{
	struct named *n = calloc(BLOCK, sizeof(*n));
	uint64_t sum = 0;

	if (n == NULL)
		abort();
	memset(b->ns, 0, sizeof(b->ns));
	for (unsigned i = 0; i < BLOCK; i++)
		named_init(&n[i]);
	for (unsigned done = 0; done < b->task.calls; done += BLOCK) {
		for (unsigned i = 0; i < BLOCK; i++)
			prepare(b, what, done + i, &n[i]);
		uint64_t last = clock_now_ns();
		for (unsigned i = 0; i < BLOCK; i++) {
			if (strcmp(what, "clock") != 0)
				call(b, what, &n[i]);
			uint64_t now = clock_now_ns();
			b->ns[now - last < NS_MAX ? now - last : NS_MAX]++;
			sum += now - last;
			last = now;
		}
	}
	printf("%-5s %4.0f ns   p50 %u   p99 %u   p99.99 %u\n", what,
	    (double)sum / (double)b->task.calls, percentile(b, 0.5), percentile(b, 0.99),
	    percentile(b, 0.9999));
	free(n);
}

static void
run_only(struct bench *b)
{
	struct named n;

	named_init(&n);
	for (unsigned i = 0; i < b->task.calls; i++) {
		prepare(b, b->task.only, i, &n);
		call(b, b->task.only, &n);
	}
}

/* --- Several at once -------------------------------------------------------------------------- */

struct worker {
	struct bench *bench;
	uint64_t seed;
	unsigned puts_in_16;
	uint64_t calls;
	uint64_t cpu_ns;
	pthread_t thread;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	uint64_t start = cputime_ns(), end = clock_now_ns() + RUN_NS;
	struct named n;

	named_init(&n);
	do {
		for (unsigned i = 0; i < BLOCK; i++, w->calls++) {
			uint64_t at = w->seed + w->calls;
			bool is_put = i % 16 < w->puts_in_16;

			number(&n,
			    is_put ? (uint32_t)at | NEW_NAMES
				   : scattered(at, w->bench->task.entries));
			if (is_put)
				put(w->bench, &n);
			else
				(void)get(w->bench, &n);
		}
	} while (clock_now_ns() < end);
	w->cpu_ns = cputime_ns() - start;
	return NULL;
}

/* Calls in a second of each one's CPU time, of N threads together. */
static double
run_together(struct bench *b, unsigned n, unsigned puts_in_16)
{
	struct worker w[THREADS_MAX];
	double rate = 0;

	for (unsigned i = 0; i < n; i++) {
		w[i] = (struct worker){
			.bench = b, .seed = (i + 1ULL) << 40, .puts_in_16 = puts_in_16
		};
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < n; i++) {
		(void)pthread_join(w[i].thread, NULL);
		rate += (double)w[i].calls * 1e9 / (double)w[i].cpu_ns;
	}
	return rate;
}

static void
tell_threads(struct bench *b)
{
	for (unsigned puts = 0; puts <= 8; puts += 8) {
		double one = run_together(b, 1, puts), all = run_together(b, b->task.threads, puts);

		printf(
		    "%u of 16 put: one thread %.2f million calls/s, %u: %.2f, %.2f times as many\n",
		    puts, one / 1e6, b->task.threads, all / 1e6, all / one);
	}
}

/* ---------------------------------------------------------------------------------------------- */

static void
fill(struct bench *b)
{
	struct named n;
	uint32_t found = 0;
	struct shard_counts counts;

	named_init(&n);
	for (uint32_t i = 0; i < b->task.entries; i++) {
		number(&n, i);
		put(b, &n);
	}
	if (b->task.only != NULL)
		return;
	for (uint32_t i = 0; i < b->task.entries; i++) {
		number(&n, i);
		found += get(b, &n);
	}
	cache_counts(b->cache, &counts);
	printf("%zu bytes, %" PRIu32 " names, %" PRIu32
	       " found, %.1f bytes each beyond the message\n",
	    cache_size(b->cache), b->task.entries, found,
	    ((double)cache_size(b->cache) - (double)counts.bytes) / (double)counts.n);
}

int
main(int argc, char **argv)
{
	static struct bench b = {
		.task = { .size = 64 << 20, .entries = 300000, .calls = 1 << 20, .threads = 2 },
		.new_name = NEW_NAMES
	};
	int c;

	while ((c = getopt(argc, argv, "s:e:n:t:o:")) != -1) {
		if (c == 's')
			b.task.size = (size_t)strtoul(optarg, NULL, 10) << 20;
		else if (c == 'e')
			b.task.entries = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'n')
			b.task.calls = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 't')
			b.task.threads = (unsigned)strtoul(optarg, NULL, 10) % (THREADS_MAX + 1);
		else if (c == 'o')
			b.task.only = optarg;
		else
			return EXIT_FAILURE;
	}
	b.cache = cache_new(b.task.size, 86400, SEED);
	if (b.cache == NULL)
		return EXIT_FAILURE;
	fill(&b);
	if (b.task.only != NULL) {
		run_only(&b);
	} else {
		tell_times(&b, "clock");
		tell_times(&b, "miss");
		tell_times(&b, "hit");
		tell_threads(&b);
		tell_times(&b, "put");
	}
	cache_free(b.cache);
	return EXIT_SUCCESS;
}
