/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_engine [-b BLOCKS] [-r RULES] [-n QUESTIONS] [-amp]: the engine fed from memory, without a
 * socket. Every name is new and has an A only, so each question costs two upstream. Prints the time
 * of one; under callgrind (tests/bench/rules.sh) it tells where it goes.
 *
 *	-b	client blocks: IPv6 /64 and /48, IPv4 /24; of the clients that ask, in any case,
 *		three in four are in one of the first 1,000
 *	-r	rules: zones that are never synthesized or whose AAAA are ignored
 *	-m	ask for names in zones of rules; else for names in none, though under the same
 *		top-level domains, and some under the same domain
 *	-a	whatever rule there is, AAAA are ignored, for all other names too: each question costs
 *		one upstream and a rule changes no answer
 *	-p	plain: without what the defaults add to questions upstream (0x20, cookies)
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "core/engine.h"
#include "dns/build.h"
#include "dns/name.h"
#include "support/plan.h"

#define BATCH 32
#define QUESTIONS 1000000
#define BATCH_NS 1000000 /* of the engine's time: the same in every run */
#define TEXT 80
#define CAP (DNS_UDP_MIN + DNS_OPT_LEN)

/* What to run. */
struct task {
	unsigned blocks;
	unsigned rules;
	unsigned questions;
	bool matching;
	bool always;
	bool plain;
};

struct bench {
	struct task task;
	struct conf_core conf;
	struct engine *engine;
	unsigned n_answers;
	size_t n_replies; /* of the batch */
	uint8_t slot[ENGINE_UDP_CAP];
	uint8_t tcp[ENGINE_TCP_CAP];
	uint8_t replies[BATCH][CAP];
	struct engine_in in[BATCH];
};

/* --- Clients, names and rules ------------------------------------------------------------ */

static PRINTF_LIKE(2, 3) void
put(char text[static TEXT], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, TEXT, format, args) >= TEXT)
		abort();
	va_end(args);
}

/* The network of the I-th block: of four one is a /64, one a /48, and two are /24. */
static void
block_net(char text[static TEXT], unsigned i)
{
	unsigned n = i / 4;

	if (i % 4 == 0)
		put(text, "2001:db8:ffff:%x::/64", n + 0x1000);
	else if (i % 4 == 1)
		put(text, "2001:db8:%x::/48", n + 0x1000);
	else
		put(text, "10.%u.%u.0/24", i % 4 + n / 256 * 4, n % 256);
}

/* The client that asks the I-th question: in a /64, a /48, a /24 or none. */
static void
client_addr(char text[static TEXT], unsigned i)
{
	unsigned n = i / 4 * 37 % 250;

	if (i % 4 == 0)
		put(text, "2001:db8:ffff:%x:5054:ff:fe12:3456", n + 0x1000);
	else if (i % 4 == 1)
		put(text, "2001:db8:%x:17:5054:ff:fe12:3456", n + 0x1000);
	else if (i % 4 == 2)
		put(text, "10.2.%u.53", n);
	else
		put(text, "2001:db8:fffe:%x:5054:ff:fe12:3456", n);
}

/* The zone of the I-th rule: half of them are two labels deep, half three. */
static void
rule_zone(char text[static TEXT], unsigned i)
{
	static const char *const tops[] = { "com", "net", "org", "de", "example" };

	put(text, "%s%u.%s", i % 2 == 0 ? "example" : "ads.site-", i, tops[i / 2 % 5]);
}

/* The name of the I-th question: of three to five labels. */
static void
question_name(char text[static TEXT], const struct task *t, unsigned i)
{
	static const char *const tops[] = { "com", "net", "com", "org" };
	static const char *const hosts[] = { "www", "www", "api.eu-west", "a.static.images" };
	char zone[TEXT];

	if (t->matching) {
		rule_zone(zone, i * 7 % 10000);
		put(text, "h%u.%s", i, zone);
	} else if (i % 16 == 5) {
		put(text, "w%u.site-%u.com", i, (i * 10 + 1) % 10000); /* beside a zone */
	} else {
		put(text, "%s.domain-%u.%s", hosts[i / 4 % 4], i, tops[i % 4]);
	}
}

static char *
new_line(const char *keyword, const char *value)
{
	char *line = NULL;

	if (asprintf(&line, "%s %s", keyword, value) < 0)
		abort();
	return line;
}

/* A block has a prefix of its own, else it is as what stands outside. */
static struct policies *
make_policies(const struct task *t)
{
	size_t n = 0, max = 2 + t->rules + 2 * (size_t)t->blocks;
	const char **lines = calloc(max, sizeof(*lines));
	struct policies *ps;
	char text[TEXT];

	if (lines == NULL)
		abort();
	lines[n++] = new_line("prefix", "2001:db8:64::/96");
	lines[n++] = new_line("synthesize", t->always ? "always" : "normal");
	for (unsigned i = 0; i < t->rules; i++) {
		bool ignore = t->always || i % 4 < 2;

		rule_zone(text, i);
		lines[n++] = new_line(ignore ? "ignore-aaaa" : "never-synthesize", text);
	}
	for (unsigned i = 0; i < t->blocks; i++) {
		block_net(text, i);
		lines[n++] = new_line("client", text);
		put(text, "2001:db8:64:%x::/96", i);
		lines[n++] = new_line("prefix", text);
	}
	ps = plan_policies(lines, n);
	while (n > 0)
		free((void *)(uintptr_t)lines[--n]);
	free(lines);
	return ps;
}

/* --- Upstream ---------------------------------------------------------------------------- */

/* No AAAA, but an A: NODATA with an SOA, then 10.0.0.1. */
static size_t
make_reply(uint8_t out[static CAP], const uint8_t *question, size_t len)
{
	static const uint8_t soa[22] = { [11] = 1, [15] = 1, [21] = 60 };
	static const uint8_t v4[4] = { 10, 0, 0, 1 };
	const struct build_opt none = { .present = false };
	struct build b;
	struct msg m;
	bool ok;

	if (msg_parse(&m, question, len) != MSG_OK)
		abort();
	build_start(
	    &b, out, CAP, m.id, DNS_QR | DNS_RD | DNS_RA, msg_qname(&m), m.qtype, DNS_CLASS_IN);
	if (m.qtype == DNS_TYPE_A)
		ok = build_rr(&b, MSG_ANSWER, msg_qname(&m), DNS_TYPE_A, DNS_CLASS_IN, 300, v4, 4);
	else
		ok = build_rr(&b, MSG_AUTHORITY, msg_qname(&m), DNS_TYPE_SOA, DNS_CLASS_IN, 60, soa,
		    sizeof(soa));
	if (!ok)
		abort();
	return build_finish(&b, DNS_UDP_MIN, &none);
}

/* Pull everything out; a question for upstream becomes a reply of the next batch. */
static void
drain(struct bench *bench)
{
	struct engine_send send;

	while (engine_next(bench->engine, bench->slot, bench->tcp, &send)) {
		struct engine_in *in = &bench->in[bench->n_replies];

		if (send.way == ENGINE_CLIENT_UDP) {
			bench->n_answers++;
			continue;
		}
		in->msg = bench->replies[bench->n_replies];
		in->len = make_reply(bench->replies[bench->n_replies++], bench->slot, send.len);
		in->way = send.way;
		in->sock = send.sock;
	}
}

static void
feed(struct bench *bench, const struct engine_in *in, size_t n, uint64_t now_ns)
{
	engine_prepare(bench->engine, in, n);
	for (size_t i = 0; i < n; i++) {
		engine_input(bench->engine, &in[i], now_ns);
		drain(bench);
	}
}

/* --- Clients ----------------------------------------------------------------------------- */

/* The I-th question, in BYTES. */
static struct engine_in
ask(const struct task *t, unsigned i, uint8_t bytes[static CAP])
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	struct engine_in in = { .msg = bytes, .way = ENGINE_CLIENT_UDP };
	uint8_t name[DNS_NAME_MAX];
	char text[TEXT];

	question_name(text, t, i);
	if (name_from_text(text, name) == 0)
		abort();
	client_addr(text, i);
	if (!netaddr_parse(text, 5353, &in.peer))
		abort();
	in.len = build_query(
	    bytes, CAP, (uint16_t)i, name, DNS_TYPE_AAAA, DNS_CLASS_IN, false, &opt);
	return in;
}

/* One batch of new names, then upstream's replies until all is answered. */
static void
ask_batch(struct bench *bench, unsigned first, uint64_t now_ns)
{
	static uint8_t questions[BATCH][CAP];
	struct engine_in clients[BATCH], replies[BATCH];

	for (unsigned i = 0; i < BATCH; i++)
		clients[i] = ask(&bench->task, first + i, questions[i]);
	feed(bench, clients, BATCH, now_ns);
	while (bench->n_replies > 0) {
		size_t n = bench->n_replies;
		static uint8_t bytes[BATCH][CAP];

		memcpy(bytes, bench->replies, sizeof(bytes));
		memcpy(replies, bench->in, sizeof(replies));
		for (size_t i = 0; i < n; i++)
			replies[i].msg = bytes[i];
		bench->n_replies = 0;
		feed(bench, replies, n, now_ns);
	}
	engine_tick(bench->engine, now_ns);
	drain(bench);
}

static void
start(struct bench *bench)
{
	const uint64_t seed = 1;
	int slot;

	bench->conf = (struct conf_core){ .n_upstreams = 1,
		.timeout_ms = 1000,
		.resend_attempts = 2,
		.udp_size_client = 1232,
		.udp_size_upstream = 1232,
		.max_queries = 65536,
		.case_randomization = !bench->task.plain,
		.upstream_cookies = !bench->task.plain,
		.policies = make_policies(&bench->task) };
	if (!netaddr_parse("::1", 53, &bench->conf.upstreams[0]))
		abort();
	bench->engine = engine_new(&bench->conf, &seed, BATCH_NS);
	if (bench->engine == NULL || (slot = engine_socket_add(bench->engine, 0, 0)) < 0)
		abort();
	engine_socket_use(bench->engine, (unsigned)slot);
}

static unsigned
number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

static struct task
read_options(int argc, char **argv)
{
	struct task t = { .questions = QUESTIONS };
	int c;

	while ((c = getopt(argc, argv, "b:r:n:amp")) != -1) {
		if (c == 'b')
			t.blocks = number(optarg);
		else if (c == 'r')
			t.rules = number(optarg);
		else if (c == 'n')
			t.questions = number(optarg);
		else if (c == 'a')
			t.always = true;
		else if (c == 'm')
			t.matching = true;
		else if (c == 'p')
			t.plain = true;
		else
			exit(2);
	}
	return t;
}

int
main(int argc, char **argv)
{
	static struct bench bench;
	uint64_t begin_ns, spent_ns;
	unsigned n;

	bench.task = read_options(argc, argv);
	n = bench.task.questions;
	start(&bench);
	begin_ns = clock_now_ns();
	for (unsigned i = 0; i < n; i += BATCH)
		ask_batch(&bench, i, (2 + i / BATCH) * (uint64_t)BATCH_NS);
	spent_ns = clock_now_ns() - begin_ns;
	(void)printf("engine: %u questions, %u answers, %.0f ns each\n", n, bench.n_answers,
	    (double)spent_ns / (n > 0 ? n : 1));
	engine_free(bench.engine);
	policies_unref(bench.conf.policies);
	return bench.n_answers >= n ? 0 : 1;
}
