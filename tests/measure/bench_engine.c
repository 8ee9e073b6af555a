/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_engine [OPTION...]: the engine fed from memory, without a socket. Every name is new and has
 * an A only, so each question costs two upstream. Prints the time of one; under callgrind
 * (tests/measure/rules.sh, cache_engine.sh) it tells where it goes.
 *
 *	-n N	questions of each engine
 *	-b N	client blocks: IPv6 /64 and /48, IPv4 /24; of the clients that ask, in any case,
 *		three in four are in one of the first 1,000
 *	-r N	rules: zones that are never synthesized or whose AAAA are ignored
 *	-m	ask for names in zones of rules; else for names in none, though under the same
 *		top-level domains, and some under the same domain
 *	-a	whatever rule there is, AAAA are ignored, for all other names too: each question
 *		costs one upstream and a rule changes no answer
 *	-p	plain: without what the defaults add to questions upstream (0x20, cookies)
 *	-c SIZE	a cache of so many MiB
 *	-A	ask for A: one entry of the cache for a name, not two
 *	-f N	ask so many questions before those that count (under callgrind with
 *		--instr-atstart=no only these are looked at)
 *	-k N	the questions are for N known names, over and over, asked once before: all hits
 *	-w N	N seconds of the engine's time pass between those asked before and those that count
 *	-t N	so many engines on the one cache, in a thread each, on a core each
 *	-s N	a line about the memory whenever so many questions were answered
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION (void)0
#endif

#include "base/clock.h"
#include "cache/cache.h"
#include "engine/engine.h"
#include "measure/load.h"
#include "support/cputime.h"

#define BATCH 32
#define QUESTIONS 1000000
#define BATCH_NS 1000000     /* of the engine's time: the same in every run */
#define KNOWN_BATCH_NS 32000 /* so that nothing known comes to its end */
#define BEGIN_NS (2 * (uint64_t)BATCH_NS)
#define KNOWN_CAP 128   /* bytes of a question that is kept */
#define KNOWN_STEP 7919 /* names next to each other are not asked for one after the other */
#define THREADS_MAX 64
#define KEEP_STALE_S 86400

/* What to run. */
struct task {
	struct load load;
	unsigned questions;
	unsigned first; /* questions that do not count */
	unsigned known;
	unsigned threads;
	unsigned report;
	unsigned wait_s;
	size_t cache_size;
	bool plain;
};

/* A question that is asked over and over. */
struct known {
	struct packet_in in;
	uint8_t bytes[KNOWN_CAP];
};

/* What all engines share. */
struct common {
	struct task task;
	struct conf_core conf;
	struct known *known;
	pthread_barrier_t gate;
};

/* An engine and its thread. */
struct bench {
	struct common *common;
	pthread_t thread;
	unsigned number;
	struct engine *engine;
	uint64_t now_ns; /* the engine's time */
	uint64_t begin_ns, end_ns;
	uint64_t cpu_ns;
	uint64_t misses; /* of the questions that count */
	unsigned n_answers;
	size_t n_replies; /* of the batch */
	uint8_t slot[PACKET_UDP_CAP];
	uint8_t tcp[PACKET_TCP_CAP];
	uint8_t questions[BATCH][LOAD_CAP];
	uint8_t replies[2][BATCH][LOAD_CAP]; /* those that go in, those that become of it */
	struct packet_in in[2][BATCH];
};

/* --- An engine -------------------------------------------------------------------------------- */

/* Pull everything out; a question for upstream becomes a reply of the next batch, in REPLIES and
 * IN. */
static void
drain(struct bench *b, unsigned next)
{
	struct packet_out send;

	while (engine_next(b->engine, b->slot, b->tcp, &send)) {
		struct packet_in *in = &b->in[next][b->n_replies];
		uint8_t *reply = b->replies[next][b->n_replies];

		if (packet_is(&send.to, PACKET_CLIENT, TRANSPORT_UDP)) {
			b->n_answers++;
			continue;
		}
		if (b->n_replies == BATCH)
			abort();
		*in = (struct packet_in){ .msg = reply, .from = send.to };
		in->len = load_reply(reply, b->slot, send.len);
		b->n_replies++;
	}
}

static void
feed(struct bench *b, const struct packet_in *in, size_t n, unsigned next)
{
	b->n_replies = 0;
	engine_prepare(b->engine, in, n);
	if (engine_work(b->engine, b->now_ns))
		drain(b, next);
	for (size_t i = 0; i < n; i++) {
		(void)engine_input(b->engine, &in[i], b->now_ns);
		drain(b, next);
	}
}

/* One batch of questions, then upstream's replies until all is answered. */
static void
ask_batch(struct bench *b, const struct packet_in questions[static BATCH], uint64_t step_ns)
{
	unsigned next = 0;

	feed(b, questions, BATCH, next);
	while (b->n_replies > 0) {
		next = !next;
		feed(b, b->in[!next], b->n_replies, next);
	}
	(void)engine_tick(b->engine, b->now_ns);
	drain(b, next);
	b->now_ns += step_ns;
}

static void
ask_new(struct bench *b, unsigned first, uint64_t step_ns)
{
	struct packet_in in[BATCH];

	for (unsigned i = 0; i < BATCH; i++)
		in[i] = load_question(&b->common->task.load, first + i, b->questions[i]);
	ask_batch(b, in, step_ns);
}

static void
ask_known(struct bench *b, unsigned first)
{
	const struct common *c = b->common;
	unsigned at = first % c->task.known;
	struct packet_in in[BATCH];

	for (unsigned i = 0; i < BATCH; i++) {
		const struct known *k = &c->known[at];

		in[i] = k->in;
		in[i].msg = k->bytes;
		at = at + 1 < c->task.known ? at + 1 : 0;
	}
	ask_batch(b, in, KNOWN_BATCH_NS);
}

static void
open_engine(struct bench *b, struct common *c, unsigned number)
{
	const uint64_t seed = 1 + number;
	int slot;

	b->common = c;
	b->number = number;
	b->now_ns = BEGIN_NS;
	b->engine = engine_new(&c->conf, &seed, BATCH_NS);
	if (b->engine == NULL || (slot = engine_socket_add(b->engine, 0, 0)) < 0)
		abort();
	engine_socket_use(b->engine, (unsigned)slot);
}

/* --- What is counted -------------------------------------------------------------------------- */

static unsigned long
resident_kb(void)
{
	unsigned long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f == NULL || fscanf(f, "%lu %lu", &size, &resident) != 2)
		abort();
	(void)fclose(f);
	return resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static void
report(const struct bench *b, unsigned n)
{
	struct shard_counts counts = { .n = 0 };

	if (b->common->conf.cache != NULL)
		cache_counts(b->common->conf.cache, &counts);
	(void)printf(
	    "%u questions: RSS %lu kB, %llu entries of %llu bytes, %llu put, %llu evicted\n", n,
	    resident_kb(), (unsigned long long)counts.n, (unsigned long long)counts.bytes,
	    (unsigned long long)counts.put, (unsigned long long)counts.evicted);
}

/* Those that do not count: N of the first names. */
static void
prepare(struct bench *b, unsigned n, uint64_t step_ns)
{
	for (unsigned i = 0; i < n; i += BATCH)
		ask_new(b, i, step_ns);
}

static void
pin(unsigned core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void *
run(void *arg)
{
	struct bench *b = arg;
	const struct task *t = &b->common->task;
	unsigned first =
	    t->known > 0 ? t->known / t->threads * b->number : t->first + t->questions * b->number;
	unsigned done_before;

	if (t->threads > 1)
		pin(b->number);
	done_before = b->n_answers;
	b->misses = engine_stats(b->engine)->cache_misses;
	(void)pthread_barrier_wait(&b->common->gate);
	b->cpu_ns = cputime_ns();
	b->begin_ns = clock_now_ns();
	for (unsigned i = 0; i < t->questions; i += BATCH) {
		if (t->known > 0)
			ask_known(b, first + i);
		else
			ask_new(b, first + i, BATCH_NS);
		if (t->report > 0 && (i + BATCH) % t->report < BATCH)
			report(b, i + BATCH);
	}
	b->end_ns = clock_now_ns();
	b->cpu_ns = cputime_ns() - b->cpu_ns;
	b->misses = engine_stats(b->engine)->cache_misses - b->misses;
	b->n_answers -= done_before;
	return NULL;
}

/* --- All of it -------------------------------------------------------------------------------- */

static void
configure(struct common *c)
{
	struct netaddr upstream;

	c->conf = (struct conf_core){ .n_upstreams = 1,
		.max_waiting_per_client = 1000,
		.max_same_question = 16,
		.timeout_ms = 1000,
		.upstream_tries = 3,
		.max_upstream_questions = 24,
		.udp_size_client = 1232,
		.udp_size_upstream = 1232,
		.max_queries = 65536,
		.case_randomization = !c->task.plain,
		.cookies.upstream = !c->task.plain,
		.keep = { .max_ttl_s = 604800,
		    .max_negative_s = 3600,
		    .failure_s = 5,
		    .stale_s = KEEP_STALE_S,
		    .cut = CONF_CUT_SECURE,
		    .prefetch = true },
		.policies = load_policies(&c->task.load) };
	if (!netaddr_parse("::1", 53, &upstream))
		abort();
	c->conf.upstreams[0] = conf_upstream_at(&upstream);
	if (c->task.cache_size == 0)
		return;
	c->conf.cache = cache_new(c->task.cache_size, KEEP_STALE_S, 1);
	if (c->conf.cache == NULL)
		abort();
}

static void
remember(struct common *c)
{
	uint8_t bytes[LOAD_CAP];

	if (c->task.known == 0)
		return;
	c->known = calloc(c->task.known, sizeof(*c->known));
	if (c->known == NULL)
		abort();
	for (unsigned i = 0; i < c->task.known; i++) {
		unsigned which = (unsigned)((uint64_t)i * KNOWN_STEP % c->task.known);
		struct known *k = &c->known[i];

		k->in = load_question(&c->task.load, which, bytes);
		if (k->in.len > sizeof(k->bytes))
			abort();
		memcpy(k->bytes, bytes, k->in.len);
	}
}

static size_t
number(const char *text)
{
	return strtoul(text, NULL, 10);
}

/* False: C is no option that takes a number. */
static bool
set_number(struct task *t, int c, const char *text)
{
	if (c == 'b')
		t->load.blocks = (unsigned)number(text);
	else if (c == 'r')
		t->load.rules = (unsigned)number(text);
	else if (c == 'n')
		t->questions = (unsigned)number(text);
	else if (c == 'c')
		t->cache_size = number(text) << 20;
	else if (c == 'f')
		t->first = (unsigned)number(text);
	else if (c == 'k')
		t->known = (unsigned)number(text);
	else if (c == 't')
		t->threads = (unsigned)number(text);
	else if (c == 's')
		t->report = (unsigned)number(text);
	else if (c == 'w')
		t->wait_s = (unsigned)number(text);
	else
		return false;
	return true;
}

static struct task
read_options(int argc, char **argv)
{
	struct task t = { .questions = QUESTIONS, .threads = 1 };
	int c;

	while ((c = getopt(argc, argv, "b:r:n:c:f:k:t:s:w:ampA")) != -1) {
		if (c == 'a')
			t.load.always = true;
		else if (c == 'm')
			t.load.matching = true;
		else if (c == 'p')
			t.plain = true;
		else if (c == 'A')
			t.load.relay = true;
		else if (!set_number(&t, c, optarg))
			exit(2);
	}
	if (t.threads == 0 || t.threads > THREADS_MAX || (t.known > 0 && t.known % KNOWN_STEP == 0))
		exit(2);
	return t;
}

/* False: not everything was answered. */
static bool
conclude(const struct common *c, struct bench *const *benches)
{
	uint64_t answers = 0, misses = 0, spent_ns = 0, cpu_ns = 0;
	double rate = 0;
	uint64_t asked = (uint64_t)c->task.questions * c->task.threads;

	for (unsigned i = 0; i < c->task.threads; i++) {
		const struct bench *b = benches[i];
		uint64_t ns = b->end_ns - b->begin_ns;

		answers += b->n_answers;
		misses += b->misses;
		spent_ns += ns;
		cpu_ns += b->cpu_ns;
		rate += (double)c->task.questions * 1e9 / (double)(ns > 0 ? ns : 1);
	}
	if (asked == 0)
		return true;
	(void)printf("engine: %llu questions, %llu answers, %.0f ns each, %.0f of CPU",
	    (unsigned long long)asked, (unsigned long long)answers,
	    (double)spent_ns / (double)asked, (double)cpu_ns / (double)asked);
	if (c->task.known > 0)
		(void)printf(
		    ", %.0f per second together, %llu misses", rate, (unsigned long long)misses);
	(void)printf("\n");
	return answers >= asked && (c->task.known == 0 || misses == 0);
}

int
main(int argc, char **argv)
{
	static struct common common;
	static struct bench *benches[THREADS_MAX];
	bool good;

	common.task = read_options(argc, argv);
	configure(&common);
	remember(&common);
	for (unsigned i = 0; i < common.task.threads; i++) {
		benches[i] = calloc(1, sizeof(*benches[i]));
		if (benches[i] == NULL)
			abort();
		open_engine(benches[i], &common, i);
	}
	prepare(benches[0], common.task.known, KNOWN_BATCH_NS);
	prepare(benches[0], common.task.first, BATCH_NS);
	benches[0]->now_ns += common.task.wait_s * NS_PER_SEC;
	for (unsigned i = 1; i < common.task.threads; i++)
		benches[i]->now_ns = benches[0]->now_ns;
	if (pthread_barrier_init(&common.gate, NULL, common.task.threads) != 0)
		abort();
	CALLGRIND_START_INSTRUMENTATION;
	for (unsigned i = 1; i < common.task.threads; i++) {
		if (pthread_create(&benches[i]->thread, NULL, run, benches[i]) != 0)
			abort();
	}
	(void)run(benches[0]);
	for (unsigned i = 1; i < common.task.threads; i++)
		(void)pthread_join(benches[i]->thread, NULL);
	good = conclude(&common, benches);
	for (unsigned i = 0; i < common.task.threads; i++) {
		engine_free(benches[i]->engine);
		free(benches[i]);
	}
	cache_free(common.conf.cache);
	policies_unref(common.conf.policies);
	free(common.known);
	return good ? 0 : 1;
}
