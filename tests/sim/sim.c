/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim [-n COUNT] [-f FIRST] [-j WORKERS] [-x]	play COUNT (else SIM_SEEDS of the
 *	environment, else 300) seeds from FIRST on
 * sim -p [-e N] [-f FIRST] [-n COUNT] [-x]	play each Nth (else each) pair of what upstreams do
 *	(sim/pairs)
 * sim [-p] [-d I,J-K,...] SEED			tell what happens in one; -d: without these acts
 *
 * When a seed fails it is played again with fewer and fewer acts, as long as it fails in the same
 * way (-x: it is not), and the shortest story is told. After ten that failed no more are played
 *(-x: all are). Exit status 1: a seed failed.
 */
#include "sim/pairs.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 64
#define WHAT 160 /* bytes of what is wrong */
#define MOST_FAILED 10
#define TO_SHRINK 3

/* What processes share. */
struct shared {
	_Atomic uint64_t next; /* seed */
	_Atomic uint64_t n_answers;
	uint64_t seed[WORKERS]; /* that each plays */
	char what[WORKERS][WHAT];
};

static bool pairs;         /* which stories */
static uint64_t every = 1; /* seed from the first on */
static struct shared *shared;
static unsigned worker;

void
sim_fail(struct sim *s, const char *format, ...)
{
	char *what = shared->what[worker];
	va_list args;

	va_start(args, format);
	vsnprintf(what, WHAT, format, args);
	va_end(args);
	sim_say(s, "FAILED: %s", what);
	fflush(stdout);
	_exit(1);
}

/* Play SEED without what is dropped, in fresh memory, of which a short story touches little. */
static void
play(uint64_t seed, const bool *dropped, bool verbose)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (s == NULL)
		abort();
	s->parcels = calloc(SIM_PARCELS, sizeof(s->parcels[0]));
	if (s->parcels == NULL)
		abort();
	s->seed = seed;
	s->verbose = verbose;
	s->pairs = pairs;
	if (dropped != NULL)
		memcpy(s->dropped, dropped, sizeof(s->dropped));
	sim_run(s);
	atomic_fetch_add(&shared->n_answers, s->n_asks);
	free(s->parcels);
	free(s);
}

/* Play SEED in a process of its own. Returns what is wrong; empty: nothing. */
static const char *
try(uint64_t seed, const bool *dropped, bool verbose)
{
	static char what[WHAT];
	int status = 0;
	pid_t pid;

	fflush(stdout);
	worker = WORKERS - 1;
	shared->what[worker][0] = '\0';
	pid = fork();
	if (pid == 0) {
		if (!verbose && freopen("/dev/null", "w", stderr) == NULL)
			_exit(3);
		play(seed, dropped, verbose);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	memcpy(what, shared->what[worker], WHAT);
	if (status != 0 && what[0] == '\0')
		snprintf(what, WHAT, "ended with status %d", status);
	return what;
}

/* Are these the same failure, but for its figures? */
static bool
is_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "0123456789");

	return n == strcspn(b, "0123456789") && strncmp(a, b, n) == 0;
}

static void
shrink(uint64_t seed, const char *what)
{
	static bool dropped[SIM_ACTS], more[SIM_ACTS];
	unsigned n_left = 0;

	memset(dropped, 0, sizeof(dropped));
	for (unsigned n = SIM_ACTS / 2; n > 0; n /= 2) {
		for (unsigned at = 0; at < SIM_ACTS; at += n) {
			memcpy(more, dropped, sizeof(more));
			memset(more + at, 1, n);
			if (memcmp(more, dropped, sizeof(more)) != 0 &&
			    is_same(try(seed, more, false), what))
				memcpy(dropped, more, sizeof(more));
		}
	}
	printf("seed %llu: %s; the shortest story: sim -d ", (unsigned long long)seed, what);
	for (unsigned i = 0, k; i < SIM_ACTS; i = k) {
		for (k = i; k < SIM_ACTS && dropped[k] == dropped[i]; k++)
			n_left += !dropped[k];
		if (dropped[i])
			printf("%u-%u%s", i, k - 1, k < SIM_ACTS ? "," : "");
	}
	printf(" %llu\n", (unsigned long long)seed);
	(void)try(seed, dropped, true);
	printf("(%u acts)\n", n_left);
}

static void
work(uint64_t end)
{
	uint64_t seed;

	while ((seed = atomic_fetch_add(&shared->next, every)) < end) {
		shared->seed[worker] = seed;
		play(seed, NULL, false);
	}
	_exit(0);
}

static pid_t
start(unsigned i, uint64_t end)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	worker = i;
	if (freopen("/dev/null", "w", stderr) == NULL)
		_exit(3);
	work(end);
	return 0;
}

static void
tell(uint64_t seed, const char *what)
{
	char pair[WHAT] = "";

	if (pairs)
		pairs_say(seed, pair, sizeof(pair));
	printf("seed %llu: %s%s%s\n", (unsigned long long)seed, pair, pairs ? ": " : "", what);
	fflush(stdout);
}

static int
play_many(uint64_t first, uint64_t n, unsigned n_workers, bool as_is)
{
	struct {
		uint64_t seed;
		char what[WHAT];
	} failed[TO_SHRINK];
	pid_t pids[WORKERS];
	unsigned n_running = n_workers, n_failed = 0;
	uint64_t end = first + n; /* of what is played */
	int status;

	shared->next = first;
	for (unsigned i = 0; i < n_workers; i++)
		pids[i] = start(i, first + n);
	while (n_running > 0) {
		pid_t pid = wait(&status);
		unsigned i = 0;

		while (i < n_workers && pids[i] != pid)
			i++;
		n_running--;
		if (i == n_workers || status == 0)
			continue;
		if (shared->what[i][0] == '\0')
			snprintf(shared->what[i], WHAT, "ended with status %d", status);
		tell(shared->seed[i], shared->what[i]);
		if (n_failed < TO_SHRINK) {
			failed[n_failed].seed = shared->seed[i];
			memcpy(failed[n_failed].what, shared->what[i], WHAT);
		}
		shared->what[i][0] = '\0';
		if (++n_failed == MOST_FAILED && !as_is)
			end = atomic_exchange(&shared->next, first + n);
		if (as_is || n_failed + n_running < MOST_FAILED) {
			pids[i] = start(i, first + n);
			n_running++;
		}
	}
	for (unsigned i = 0; i < n_failed && i < TO_SHRINK && !as_is && !pairs; i++)
		shrink(failed[i].seed, failed[i].what);
	end = end < first + n ? end : first + n;
	printf("%llu of %llu seeds, %llu questions: %u failed\n",
	    (unsigned long long)((end - first + every - 1) / every),
	    (unsigned long long)((n + every - 1) / every), (unsigned long long)shared->n_answers,
	    n_failed);
	return n_failed > 0;
}

/* "3,7-9" */
static void
read_dropped(const char *text, bool *dropped)
{
	char *at;

	for (; *text != '\0'; text = *at == ',' ? at + 1 : at) {
		unsigned long from = strtoul(text, &at, 10), to = from;

		if (*at == '-')
			to = strtoul(at + 1, &at, 10);
		for (; from <= to && from < SIM_ACTS; from++)
			dropped[from] = true;
		if (*at != ',' && *at != '\0')
			exit(2);
	}
}

int
main(int argc, char **argv)
{
	static bool dropped[SIM_ACTS];
	const char *wanted = getenv("SIM_SEEDS");
	uint64_t first = 1, n = wanted != NULL ? strtoull(wanted, NULL, 10) : 300, seed = 0;
	unsigned n_workers = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	bool one = false, as_is = false;
	int opt;

	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	while ((opt = getopt(argc, argv, "n:f:j:d:e:px")) != -1) {
		switch (opt) {
		case 'n':
			n = strtoull(optarg, NULL, 10);
			break;
		case 'f':
			first = strtoull(optarg, NULL, 10);
			break;
		case 'e':
			every = strtoull(optarg, NULL, 10);
			if (every < 1)
				return 2;
			break;
		case 'j':
			n_workers = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			read_dropped(optarg, dropped);
			break;
		case 'p':
			pairs = true;
			first = 0;
			n = pairs_count();
			break;
		case 'x':
			as_is = true;
			break;
		default:
			return 2;
		}
	}
	if (optind < argc) {
		seed = strtoull(argv[optind], NULL, 10);
		one = true;
	}
	if (n_workers < 1)
		n_workers = 1;
	if (n_workers >= WORKERS)
		n_workers = WORKERS - 1;
	if (!one)
		return play_many(first, n, n_workers, as_is);
	play(seed, dropped, true);
	printf("seed %llu: nothing is wrong\n", (unsigned long long)seed);
	return 0;
}
