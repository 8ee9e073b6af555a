/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_engine [QUESTIONS [plain]]: the engine fed from memory, without a socket. Every name is new and has
 * an A only, so each question costs two upstream. Prints the time of one; under callgrind
 * (valgrind --tool=callgrind) it tells where it goes. plain: without what the defaults add to questions
 * upstream (0x20, cookies).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/engine.h"
#include "dns/build.h"
#include "dns/name.h"
#include "support/plan.h"

#define BATCH 32
#define QUESTIONS 1000000
#define CAP (DNS_UDP_MIN + DNS_OPT_LEN)

struct bench {
	struct conf_core conf;
	struct engine *engine;
	unsigned n_answers;
	size_t n_replies; /* of the batch */
	uint8_t slot[ENGINE_UDP_CAP];
	uint8_t tcp[ENGINE_TCP_CAP];
	uint8_t replies[BATCH][CAP];
	struct engine_in in[BATCH];
};

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

/* One batch of new names, then upstream's replies until all is answered. */
static void
ask_batch(struct bench *bench, unsigned first, uint64_t now_ns)
{
	static uint8_t questions[BATCH][CAP];
	struct engine_in clients[BATCH], replies[BATCH];
	uint8_t name[DNS_NAME_MAX];
	char text[64];

	for (unsigned i = 0; i < BATCH; i++) {
		const struct build_opt opt = {
			.present = true, .bufsize = 1232, .ede = DNS_EDE_NONE
		};

		(void)snprintf(text, sizeof(text), "name-%u.example.com", first + i);
		if (name_from_text(text, name) == 0)
			abort();
		clients[i] = (struct engine_in){ .msg = questions[i],
			.len = build_query(questions[i], CAP, (uint16_t)i, name, DNS_TYPE_AAAA,
			    DNS_CLASS_IN, false, &opt),
			.way = ENGINE_CLIENT_UDP,
			.peer = bench->conf.upstreams[0] };
	}
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
start(struct bench *bench, bool plain)
{
	const uint64_t seed = 1;
	int slot;

	bench->conf = (struct conf_core){ .n_upstreams = 1,
		.timeout_ms = 1000,
		.resend_attempts = 2,
		.udp_size_client = 1232,
		.udp_size_upstream = 1232,
		.max_queries = 65536,
		.case_randomization = !plain,
		.upstream_cookies = !plain,
		.policies = plan_one("prefix 2001:db8:64::/96") };
	if (!netaddr_parse("::1", 53, &bench->conf.upstreams[0]))
		abort();
	bench->engine = engine_new(&bench->conf, &seed, clock_now_ns());
	if (bench->engine == NULL || (slot = engine_socket_add(bench->engine, 0, 0)) < 0)
		abort();
	engine_socket_use(bench->engine, (unsigned)slot);
}

int
main(int argc, char **argv)
{
	static struct bench bench;
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : QUESTIONS;
	uint64_t begin_ns, spent_ns;

	start(&bench, argc > 2 && strcmp(argv[2], "plain") == 0);
	begin_ns = clock_now_ns();
	for (unsigned i = 0; i < n; i += BATCH)
		ask_batch(&bench, i, clock_now_ns());
	spent_ns = clock_now_ns() - begin_ns;
	(void)printf("engine: %u questions, %u answers, %.0f ns each\n", n, bench.n_answers,
	    (double)spent_ns / (n > 0 ? n : 1));
	engine_free(bench.engine);
	return bench.n_answers >= n ? 0 : 1;
}
