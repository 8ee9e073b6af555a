/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_rate [-n CALLS] [-r ROUNDS] [-t THREADS]: what policy/rate and engine/limit add to a
 *question over UDP: ns of CPU time for one, the least, median and most of ROUNDS rounds of CALLS,
 *for
 *
 *	one	always the same address
 *	crowd	10,000 IPv6 addresses in as many networks
 *	many	a million IPv6 addresses in 65,536 networks, so that lines come from memory
 *	four	a million IPv4 addresses
 *	full	many, and so much asked that all counters are in use
 *	over	one address that is over its limit, so that each question is dropped
 *	loops	THREADS at once, all asked by the same million addresses
 *	same	THREADS at once, all asked by one address: they contend for its counters
 *
 * The making of the address is not counted: the first line tells what that takes alone, and it is
 * taken off the others.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "policy/rate.h"
#include "support/cputime.h"

#define THREADS_MAX 64
#define ROUNDS_MAX 101
#define START_NS 1000000000000ULL
#define BETWEEN_NS 1000 /* a million questions a second */

enum scene { NOTHING, ONE, CROWD, MANY, FOUR, FULL, OVER };

struct bench {
	struct rates *rates;
	struct rate_plan plan;
	enum scene scene;
	unsigned calls;
	unsigned limited; /* of the last run */
};

struct worker {
	struct bench *bench;
	unsigned seed;
	double ns; /* CPU time of a call */
	pthread_t thread;
};

/* The I-th of a sequence without pattern, below N. */
static uint32_t
scattered(uint64_t i, uint32_t n)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9ULL;
	return (uint32_t)((x >> 32) * n >> 32);
}

static const uint32_t addresses[] = { [NOTHING] = 1000000,
	[ONE] = 1,
	[CROWD] = 10000,
	[MANY] = 1000000,
	[FOUR] = 1000000,
	[FULL] = 1000000,
	[OVER] = 1 };
/* Hardly anybody is limited but in OVER, where almost everybody is. */
static const uint64_t per_s[] = { [NOTHING] = 1,
	[ONE] = 1000000000,
	[CROWD] = 1000000000,
	[MANY] = 1000000000,
	[FOUR] = 1000000000,
	[FULL] = 1000,
	[OVER] = 1 };

static void
address(struct netaddr *a, enum scene scene, uint64_t i)
{
	uint32_t n = scattered(i, addresses[scene]);

	a->family = scene == FOUR ? NETADDR_IPV4 : NETADDR_IPV6;
	memcpy(a->addr + (scene == FOUR ? 0 : 12), &n, sizeof(n));
	a->addr[6] = (uint8_t)(n >> 8);
	a->addr[7] = (uint8_t)n;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct bench *b = w->bench;
	struct netaddr who = { .addr = { 0x20, 0x01, 0x0d, 0xb8 } };
	struct rate_use use = { .kind = RATE_QUESTIONS, .who = &who, .amount = 1 << 16 };
	unsigned limited = 0;
	uint64_t start = cputime_ns();

	for (unsigned i = 0; i < b->calls; i++) {
		address(&who, b->scene, (uint64_t)w->seed + i);
		use.dice = use.dice * 1664525 + 1013904223;
		use.now_ns = START_NS + (uint64_t)i * BETWEEN_NS;
		if (b->scene != NOTHING)
			limited += rates_charge(b->rates, &b->plan, &use) != 0;
		else
			limited += who.addr[7] == 1;
	}
	w->ns = (double)(cputime_ns() - start) / b->calls;
	b->limited = limited;
	return NULL;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The time of a call of SCENE by N threads, on average over them. */
static double
run_once(struct bench *b, enum scene scene, unsigned n)
{
	struct worker w[THREADS_MAX];
	double sum = 0;

	b->scene = scene;
	b->rates = rates_new();
	if (b->rates == NULL)
		abort();
	rate_plan_make(&b->plan, per_s[scene], per_s[scene]);
	for (unsigned i = 0; i < n; i++) {
		w[i] = (struct worker){ .bench = b, .seed = i * 7919 };
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < n; i++) {
		(void)pthread_join(w[i].thread, NULL);
		sum += w[i].ns;
	}
	rates_free(b->rates);
	return sum / n;
}

/* Print the spread of ROUNDS, less BESIDE; returns the median. */
static double
tell(struct bench *b, const char *name, enum scene scene, unsigned threads, unsigned rounds,
    double beside)
{
	double ns[ROUNDS_MAX];

	for (unsigned i = 0; i < rounds; i++)
		ns[i] = run_once(b, scene, threads) - beside;
	qsort(ns, rounds, sizeof(*ns), by_size);
	printf("%-8s %5.1f ns  (%.1f to %.1f)   %u of %u limited\n", name, ns[rounds / 2], ns[0],
	    ns[rounds - 1], b->limited, b->calls);
	return ns[rounds / 2];
}

int
main(int argc, char **argv)
{
	struct bench b = { .calls = 4000000 };
	unsigned rounds = 11, threads = 2;
	double beside;
	int c;

	while ((c = getopt(argc, argv, "n:r:t:")) != -1) {
		if (c == 'n')
			b.calls = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'r')
			rounds = (unsigned)strtoul(optarg, NULL, 10) % (ROUNDS_MAX + 1);
		else if (c == 't')
			threads = (unsigned)strtoul(optarg, NULL, 10) % (THREADS_MAX + 1);
		else
			return EXIT_FAILURE;
	}
	if (b.calls == 0 || rounds == 0 || threads == 0)
		return EXIT_FAILURE;
	beside = tell(&b, "address", NOTHING, 1, rounds, 0);
	(void)tell(&b, "one", ONE, 1, rounds, beside);
	(void)tell(&b, "crowd", CROWD, 1, rounds, beside);
	(void)tell(&b, "many", MANY, 1, rounds, beside);
	(void)tell(&b, "four", FOUR, 1, rounds, beside);
	(void)tell(&b, "full", FULL, 1, rounds, beside);
	(void)tell(&b, "over", OVER, 1, rounds, beside);
	(void)tell(&b, "loops", MANY, threads, rounds, beside);
	(void)tell(&b, "same", ONE, threads, rounds, beside);
	return EXIT_SUCCESS;
}
