/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/log.h"
#include "cache/cache.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/plan.h"

#define SEED 64
#define STALE_S 60
#define STEP_NS 50000000ULL /* 50 ms: a fraction of a timeout */
#define STEPS_MAX 2000      /* 100 s: no question lives that long */

static struct netaddr
loopback(uint16_t port)
{
	struct netaddr a;

	FUZZ_CHECK(netaddr_parse("::1", port, &a));
	return a;
}

void
fuzz_start(struct fuzz *f)
{
	static const char *const plan[] = { "prefix 64:ff9b::/96", "prefix 2001:db8:64::/96" };
	const uint64_t seed = SEED;
	int slot;

	memset(f, 0, sizeof(*f));
	log_open(LOG_SINK_NONE, "fuzz");
	f->conf.upstreams[0] = loopback(53);
	f->conf.n_upstreams = 1;
	f->conf.timeout_ms = 200;
	f->conf.resend_attempts = 1;
	f->conf.udp_size_client = 1232;
	f->conf.udp_size_upstream = 1232;
	f->conf.max_queries = 64;
	f->conf.policies = plan_policies(plan, sizeof(plan) / sizeof(plan[0]));
	f->conf.cache = cache_new(CACHE_MIN, STALE_S, SEED);
	FUZZ_CHECK(f->conf.cache != NULL);
	f->conf.keep = (struct conf_cache){ .max_ttl_s = 604800,
		.max_negative_s = 3600,
		.failure_s = 1,
		.stale_s = STALE_S,
		.cut = CONF_CUT_ALL,
		.prefetch = true,
		.rotate = true };
	f->limit = f->conf.udp_size_client;
	f->now_ns = 1;
	f->engine = engine_new(&f->conf, &seed, f->now_ns);
	FUZZ_CHECK(f->engine != NULL);
	slot = engine_socket_add(f->engine, 0, 0);
	FUZZ_CHECK(slot >= 0);
	engine_socket_use(f->engine, (unsigned)slot);
}

void
fuzz_end(struct fuzz *f)
{
	engine_free(f->engine);
	cache_free(f->conf.cache);
	policies_unref(f->conf.policies);
}

static void
keep_question(struct fuzz *f, const uint8_t *bytes, const struct packet_out *send)
{
	FUZZ_CHECK(send->len <= sizeof(f->question_bytes));
	f->asked = true;
	f->question = *send;
	f->question_len = send->len;
	memcpy(f->question_bytes, bytes, send->len);
}

static void
check_sent(struct fuzz *f, const uint8_t *bytes, const struct packet_out *send)
{
	struct msg m;

	FUZZ_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	if (send->way == PACKET_UPSTREAM_UDP || send->way == PACKET_UPSTREAM_TCP) {
		FUZZ_CHECK((m.flags & DNS_QR) == 0 && m.qdcount == 1);
		keep_question(f, bytes, send);
		return;
	}
	FUZZ_CHECK((m.flags & DNS_QR) != 0);
	FUZZ_CHECK(msg_parse_reply(&m, bytes, send->len) == MSG_OK); /* D25 */
	FUZZ_CHECK(send->way == PACKET_CLIENT_TCP || send->len <= f->limit);
	f->n_answers++;
}

void
fuzz_drain(struct fuzz *f)
{
	uint8_t udp[PACKET_UDP_CAP];
	uint8_t *tcp = malloc(PACKET_TCP_CAP);
	struct packet_out send;

	FUZZ_CHECK(tcp != NULL);
	while (engine_next(f->engine, udp, tcp, &send)) {
		bool by_udp = send.way == PACKET_CLIENT_UDP || send.way == PACKET_UPSTREAM_UDP;

		FUZZ_CHECK(send.len <= (by_udp ? PACKET_UDP_CAP : PACKET_TCP_CAP));
		check_sent(f, by_udp ? udp : tcp, &send);
	}
	free(tcp);
	if (engine_work(f->engine, f->now_ns))
		fuzz_drain(f);
}

/* A copy on the heap, so that a sanitizer sees every read beyond its end. */
static void
input(struct fuzz *f, const struct packet_in *in)
{
	uint8_t *copy = malloc(in->len > 0 ? in->len : 1);
	struct packet_in with_copy = *in;

	FUZZ_CHECK(copy != NULL);
	if (in->len > 0)
		memcpy(copy, in->msg, in->len);
	with_copy.msg = copy;
	engine_prepare(f->engine, &with_copy, 1);
	engine_input(f->engine, &with_copy, f->now_ns);
	fuzz_drain(f);
	free(copy);
}

void
fuzz_ask(struct fuzz *f, enum packet_way way, const uint8_t *msg, size_t len)
{
	const struct packet_in in = { .msg = msg, .len = len, .way = way, .peer = loopback(4711) };

	input(f, &in);
}

void
fuzz_reply(struct fuzz *f, const uint8_t *msg, size_t len)
{
	const size_t question_end =
	    name_skip(f->question_bytes, f->question_len, DNS_HEADER_LEN) + 4;
	const struct packet_in in = { .msg = f->question_bytes,
		.len = len,
		.way = f->question.way,
		.sock = f->question.sock };
	uint8_t question[DNS_NAME_MAX + 4];
	uint8_t id[2];

	memcpy(id, f->question_bytes, 2);
	memcpy(question, f->question_bytes + DNS_HEADER_LEN, question_end - DNS_HEADER_LEN);
	if (!f->asked || len < question_end || len > sizeof(f->question_bytes))
		return;
	f->asked = false;
	/* The question's bytes are not needed any more: the reply takes their place. */
	memcpy(f->question_bytes, msg, len);
	memcpy(f->question_bytes, id, 2);
	memcpy(f->question_bytes + DNS_HEADER_LEN, question, question_end - DNS_HEADER_LEN);
	input(f, &in);
}

void
fuzz_be_late(struct fuzz *f)
{
	static uint8_t bytes[PACKET_UDP_CAP];
	const struct packet_out question = f->question;
	size_t len = f->question_len;

	memcpy(bytes, f->question_bytes, len);
	f->asked = false;
	for (unsigned i = 0; i < STEPS_MAX && !f->asked && engine_in_flight(f->engine) > 0; i++) {
		f->now_ns += STEP_NS;
		engine_tick(f->engine, f->now_ns);
		fuzz_drain(f);
	}
	keep_question(f, bytes, &question);
	FUZZ_CHECK(f->question_len == len);
}

void
fuzz_wait(struct fuzz *f)
{
	for (unsigned i = 0; i < STEPS_MAX && engine_in_flight(f->engine) > 0; i++) {
		f->now_ns += STEP_NS;
		engine_tick(f->engine, f->now_ns);
		fuzz_drain(f);
	}
	FUZZ_CHECK(engine_in_flight(f->engine) == 0);
}
