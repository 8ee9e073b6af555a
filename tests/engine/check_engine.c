/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine as a whole: no allocation on a query's way, the same inputs give the same outputs, and
 * its ceilings hold.
 */

#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/hash.h"
#include "dns/name.h"
#include "scenario/scene.h"
#include "scenario/world.h"
#include "support/tests.h"

/* --- counting the allocator's calls ----------------------------------------------------------- */

#if defined(__GLIBC__) && !defined(WITH_ASAN) && !defined(WITH_TSAN)
#define COUNTS_CALLS 1

/* Volatile: a compiler may believe that malloc and free leave our variables alone, and read it
 * once. */
static volatile unsigned long n_calls;

/* glibc's own, by the names it has for those who put something before them. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *at, size_t size);
extern void __libc_free(void *at);

void *
malloc(size_t size)
{
	n_calls++;
	return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	n_calls++;
	return __libc_calloc(n, size);
}

void *
realloc(void *at, size_t size)
{
	n_calls++;
	return __libc_realloc(at, size);
}

void
free(void *at)
{
	n_calls++;
	__libc_free(at);
}
#endif

/* --- a load of everything --------------------------------------------------------------------- */

static struct world world;
static struct world second;

struct load {
	struct rng rng;
	uint64_t digest; /* of all that was sent */
	unsigned n_asked;
	unsigned n_answers;
};

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	struct load *load = w->arg;
	struct msg m;

	load->n_answers++;
	load->digest = hash_bytes(
	    msg, send->len, load->digest + send->to.side + send->to.transport + send->to.sock);
	PARTS_CHECK(msg_parse(&m, msg, send->len) == MSG_OK);
	PARTS_CHECK(send->to.gen == send->to.sock + 1);
	PARTS_CHECK(netaddr_equal(&send->to.peer, &w->conf.upstreams[0].addr));
}

/* Names tell what there is: the first letter of the question's name is the case. */
static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	static const uint8_t v4[4] = { 192, 0, 2, 1 };
	static const uint8_t soa[22] = { [21] = 60 };
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	struct load *load = w->arg;
	uint8_t kind = m->qname_len > 1 ? msg_qname(m)[1] : 0;
	uint16_t flags = DNS_QR | DNS_RD | DNS_RA;
	struct build b;
	bool ok = true;

	load->digest = hash_bytes(
	    m->bytes, m->len, load->digest + send->to.side + send->to.transport + send->to.sock);
	if (kind == 's')
		return 0;
	if (kind == 't' && packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_UDP))
		flags |= DNS_TC;
	build_start(&b, out, WORLD_REPLY,
	    &(struct build_question){ .id = m->id,
		.flags = flags,
		.qname = msg_qname(m),
		.qtype = m->qtype,
		.qclass = m->qclass });
	b.rcode = kind == 'e' ? DNS_REFUSED : kind == 'x' ? DNS_NXDOMAIN : DNS_NOERROR;
	if (b.rcode == DNS_NOERROR && m->qtype == DNS_TYPE_A)
		ok = build_rr(&b, MSG_ANSWER, msg_qname(m), DNS_TYPE_A, DNS_CLASS_IN, 300, v4, 4);
	else if (b.rcode == DNS_NOERROR)
		ok = build_rr(&b, MSG_AUTHORITY, msg_qname(m), DNS_TYPE_SOA, DNS_CLASS_IN, 60, soa,
		    sizeof(soa));
	PARTS_CHECK(ok);
	return build_finish(&b, WORLD_REPLY, &opt);
}

/* One more question, of any kind; sometimes time passes. */
static void
ask_one(struct world *w)
{
	static const char kinds[] = "aaaaaaaaaaaaaaattxxes";
	static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_A,
		DNS_TYPE_MX, DNS_TYPE_PTR };
	struct load *load = w->arg;
	struct packet_in in = { .from.peer = w->conf.upstreams[0].addr,
		.from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP };
	uint16_t type = types[rng_below(&load->rng, 6)];
	uint8_t msg[512];
	char name[128];

	snprintf(name, sizeof(name), "%c%u.%0*u.example",
	    kinds[rng_below(&load->rng, sizeof(kinds) - 1)], load->n_asked,
	    rng_below(&load->rng, 20) == 0 ? 60 : 3, load->n_asked % 4);
	if (type == DNS_TYPE_PTR)
		snprintf(name, sizeof(name),
		    "%x.%x.%x.%x.%x.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
		    load->n_asked & 15, load->n_asked >> 4 & 15, load->n_asked >> 8 & 15,
		    load->n_asked >> 12 & 15, load->n_asked >> 16 & 15);
	if (rng_below(&load->rng, 10) == 0)
		in.from.transport = TRANSPORT_TCP;
	in.from.sock = load->n_asked++;
	in.from.gen = in.from.sock + 1;
	in.msg = msg;
	in.len = parts_question(msg, rng_u16(&load->rng), name, type);
	world_input(w, &in);
	if (rng_below(&load->rng, 8) == 0)
		world_pass(w, rng_below(&load->rng, 20) * NS_PER_MS);
}

static void
begin(struct world *w, struct load *load, uint64_t engine_seed)
{
	memset(load, 0, sizeof(*load));
	rng_init_seeded(&load->rng, 99);
	world_init(w, 2, 4096);
	w->conf.selection = CONF_RANDOM;
	w->conf.timeout_ms = 200;
	w->arg = load;
	w->client = on_client;
	w->upstream = on_upstream;
	world_start(w, engine_seed);
}

static void
end(struct world *w)
{
	const struct load *load = w->arg;

	world_pass(w, 6 * NS_PER_SEC);
	ck_assert_uint_eq(load->n_answers, load->n_asked);
	ck_assert_uint_eq(engine_in_flight(w->engine), 0);
	world_stop(w);
}

#ifdef COUNTS_CALLS
/* Memory is reserved by engine_new; afterwards nothing allocates. Incidents: mtd64-leak. */
START_TEST(nothing_allocates_after_the_start)
{
	struct load load;
	unsigned long before = n_calls;
	void *volatile sign = malloc(1);

	free(sign);
	ck_assert_uint_eq(n_calls, before + 2); /* the counter works */
	begin(&world, &load, 1);
	for (unsigned i = 0; i < 1000; i++)
		ask_one(&world);
	before = n_calls;
	for (unsigned i = 0; i < 20000; i++)
		ask_one(&world);
	ck_assert_uint_eq(n_calls, before);
	ck_assert_uint_gt(world_stat(&world, "synthesized"), 2000);
	ck_assert_uint_gt(world_stat(&world, "relayed"), 2000);
	ck_assert_uint_gt(world_stat(&world, "reverse"), 2000);
	ck_assert_uint_gt(world_stat(&world, "upstream_timeouts"), 200);
	ck_assert_uint_gt(world_stat(&world, "upstream_tcp"), 200);
	end(&world);
}
END_TEST
#endif

/* --- determinism ------------------------------------------------------------------------------ */

#define RUN 5000

static uint64_t
digest_of(uint64_t engine_seed)
{
	struct load load;

	begin(&world, &load, engine_seed);
	for (unsigned i = 0; i < RUN; i++)
		ask_one(&world);
	end(&world);
	return load.digest;
}

START_TEST(same_inputs_same_outputs)
{
	uint64_t once = digest_of(5);

	ck_assert_uint_eq(digest_of(5), once);
	ck_assert_uint_ne(digest_of(6), once);
}
END_TEST

/* Engines share nothing: each does as it would alone. */
START_TEST(two_engines_share_nothing)
{
	uint64_t alone[2] = { digest_of(5), digest_of(6) };
	struct load load[2];

	begin(&world, &load[0], 5);
	begin(&second, &load[1], 6);
	for (unsigned i = 0; i < RUN; i++) {
		ask_one(&world);
		ask_one(&second);
	}
	end(&world);
	end(&second);
	ck_assert_uint_eq(load[0].digest, alone[0]);
	ck_assert_uint_eq(load[1].digest, alone[1]);
}
END_TEST

/* --- 200,000 questions in flight at a silent upstream ----------------------------------------- */

#define MANY 200000

struct late {
	uint64_t asked_ns[MANY];
	unsigned n_answers;
	uint64_t slowest_ns;
};

static struct late late;

static void
on_late_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	uint64_t took = w->now_ns - late.asked_ns[send->to.sock];

	late.n_answers++;
	if (took > late.slowest_ns)
		late.slowest_ns = took;
	PARTS_CHECK((msg[3] & DNS_RCODE) == DNS_SERVFAIL);
}

static uint64_t
resident(void)
{
	unsigned long all, rss;
	FILE *f = fopen("/proc/self/statm", "r");
	int n;

	ck_assert_ptr_nonnull(f);
	n = fscanf(f, "%lu %lu", &all, &rss);
	(void)fclose(f);
	ck_assert_int_eq(n, 2);
	return (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
ask_many(struct world *w)
{
	for (unsigned i = 0; i < MANY; i++) {
		struct packet_in in = {
			.from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP, .from.sock = i
		};
		uint8_t msg[512];
		char name[64];

		snprintf(name, sizeof(name), "n%u.example", i);
		in.msg = msg;
		in.len =
		    parts_question(msg, (uint16_t)i, name, i % 2 ? DNS_TYPE_AAAA : DNS_TYPE_MX);
		late.asked_ns[i] = w->now_ns;
		world_input(w, &in);
		if (i % 2000 == 0)
			world_pass(w, WHEEL_TICK_NS);
	}
}

/* Incidents: mtd64-flood. */
START_TEST(silent_upstream_costs_bounded_memory)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint64_t before = resident();
	uint8_t msg[512];

	world_init(&world, 1, MANY + QUERY_RESERVE);
	world.conf.max_waiting_per_client = 0;
	world.client = on_late_client;
	world_start(&world, 3);
	ask_many(&world);
	ck_assert_uint_eq(engine_in_flight(world.engine), MANY);
	ck_assert(engine_busy(world.engine));
	ck_assert_uint_eq(engine_spaces(world.engine), TXID_MAX_SPACES);
#ifndef SANITIZED
	ck_assert_uint_lt(resident() - before, 256U << 20);
#else
	(void)before;
#endif
	/* To one more the first gives way (RULES D26). */
	in.msg = msg;
	in.len = parts_question(msg, 1, "one-more.example", DNS_TYPE_AAAA);
	world_input(&world, &in);
	ck_assert_uint_eq(world_stat(&world, "queries_evicted"), 1);
	ck_assert_uint_eq(late.n_answers, 1);
	ck_assert_uint_eq(engine_in_flight(world.engine), MANY);
	world_pass(&world, 6 * NS_PER_SEC);
	ck_assert_uint_eq(world_stat(&world, "client_dropped"), 0);
	ck_assert_uint_eq(late.n_answers, MANY + 1);
	ck_assert_uint_le(late.slowest_ns, 5 * NS_PER_SEC + 2 * WHEEL_TICK_NS);
	ck_assert_uint_eq(engine_in_flight(world.engine), 0);
	ck_assert_uint_eq(world_stat(&world, "ids_exhausted"), 0);
	world_stop(&world);
}
END_TEST

/* --- sockets and upstreams as the shell sees them --------------------------------------------- */

START_TEST(sockets_are_used_as_told)
{
	struct load load;
	struct packet_in in = {
		.from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP, .from.gen = 1
	};
	uint8_t msg[512];
	int slot;

	begin(&world, &load, 1);
	in.from.peer = world.conf.upstreams[0].addr;
	ck_assert_uint_eq(engine_spaces(world.engine), 1);
	ck_assert(
	    netaddr_equal(&engine_upstream(world.engine, 1)->addr, &world.conf.upstreams[1].addr));
	ck_assert(engine_upstream_active(world.engine, 1));
	ck_assert_ptr_null(engine_upstream(world.engine, 2));
	ck_assert(!engine_upstream_active(world.engine, 2));
	ck_assert_uint_eq(engine_tcp_open(world.engine, 0), 0);
	in.msg = msg;
	in.len = parts_question(msg, 1, "silent.example", DNS_TYPE_MX);
	load.n_asked++;
	world_input(&world, &in);
	ck_assert(engine_socket_busy(world.engine, 0) != engine_socket_busy(world.engine, 1));
	slot = engine_socket_busy(world.engine, 0) ? 0 : 1;
	engine_socket_retire(world.engine, (unsigned)slot);
	ck_assert(engine_socket_busy(world.engine, (unsigned)slot));
	world_pass(&world, 5 * NS_PER_SEC); /* until then a late reply may come (RULES D27) */
	ck_assert(!engine_socket_busy(world.engine, (unsigned)slot));
	engine_socket_del(world.engine, (unsigned)slot);
	slot = engine_socket_add(world.engine, (unsigned)slot, 0);
	ck_assert_int_eq(slot, 2);
	engine_socket_use(world.engine, 2);
	end(&world);
}
END_TEST

/* An engine that draws from the kernel differs from start to start. */
START_TEST(engines_without_a_seed_differ)
{
	uint8_t first[2], msg[512];
	struct packet_in in = {
		.msg = msg, .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP
	};
	struct packet_out send;
	unsigned same = 0;

	in.len = parts_question(msg, 1, "www.example", DNS_TYPE_MX);
	world_init(&world, 1, 16);
	for (unsigned i = 0; i < 20; i++) {
		struct engine *e = engine_new(&world.conf, NULL, 0);

		ck_assert_ptr_nonnull(e);
		ck_assert_int_eq(engine_socket_add(e, 0, 0), 0);
		engine_socket_use(e, 0);
		engine_input(e, &in, 0);
		ck_assert(engine_next(e, world.udp, world.tcp, &send));
		same += i > 0 && memcmp(first, world.udp, 2) == 0;
		if (i == 0)
			memcpy(first, world.udp, sizeof(first));
		engine_free(e);
	}
	ck_assert_uint_lt(same, 3);
	engine_free(NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
#ifdef COUNTS_CALLS
	tcase_add_test(tc, nothing_allocates_after_the_start);
#endif
	tcase_add_test(tc, same_inputs_same_outputs);
	tcase_add_test(tc, two_engines_share_nothing);
	tcase_add_test(tc, silent_upstream_costs_bounded_memory);
	tcase_add_test(tc, sockets_are_used_as_told);
	tcase_add_test(tc, engines_without_a_seed_differ);
}
