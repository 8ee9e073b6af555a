/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ended other DNS64 servers: states that nobody had thought of (tests/INCIDENTS). Here each
 * question meets each reply, and has one answer.
 */

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/build.h"
#include "dns/edit.h"
#include "dns/header.h"
#include "dns/name.h"
#include "scenario/world.h"
#include "support/tests.h"

/* What is in a reply. */
enum shape { NOTHING, SOA, ADDRESS, CHAIN, OPEN, TREE, LOOP, BOTH, SHAPES };

static struct world world;

/* The replies to A, and to all other types. */
static struct reply {
	enum shape shape;
	uint16_t rcode;
} of_a, of_others;

static unsigned n_asked, n_answers;

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	struct msg m;

	(void)w;
	n_answers++;
	PARTS_CHECK(msg_parse(&m, msg, send->len) == MSG_OK);
	PARTS_CHECK(send->to.sock == n_asked - 1);
}

static bool
put_address(struct build *b, const uint8_t *owner, uint16_t type)
{
	static const uint8_t address[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };

	if (type != DNS_TYPE_A && type != DNS_TYPE_AAAA)
		return true;
	return build_rr(
	    b, MSG_ANSWER, owner, type, DNS_CLASS_IN, 300, address, type == DNS_TYPE_A ? 4 : 16);
}

static bool
put(struct build *b, enum shape shape, const uint8_t *name, uint16_t type)
{
	static const uint8_t soa[22] = { [21] = 60 }, other[] = "\5other\4test", root[] = "";
	bool ok = true;

	if (shape == CHAIN || shape == OPEN || shape == BOTH)
		ok = build_rr_name(b, MSG_ANSWER, name, DNS_TYPE_CNAME, DNS_CLASS_IN, 300, other);
	if (shape == LOOP)
		ok = build_rr_name(b, MSG_ANSWER, name, DNS_TYPE_CNAME, DNS_CLASS_IN, 300, name);
	if (shape == TREE)
		ok = build_rr_name(b, MSG_ANSWER, root, DNS_TYPE_DNAME, DNS_CLASS_IN, 300, other) &&
		    put_address(b, other, type);
	if (shape == ADDRESS || shape == BOTH)
		ok = ok && put_address(b, name, type);
	if (shape == CHAIN)
		ok = ok && put_address(b, other, type);
	if (shape == SOA || shape == CHAIN)
		ok = ok &&
		    build_rr(
			b, MSG_AUTHORITY, root, DNS_TYPE_SOA, DNS_CLASS_IN, 60, soa, sizeof(soa));
	return ok;
}

static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	const struct reply *r = m->qtype == DNS_TYPE_A ? &of_a : &of_others;
	struct build b;

	(void)w;
	(void)send;
	build_start(&b, out, WORLD_REPLY,
	    &(struct build_question){ .id = m->id,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = msg_qname(m),
		.qtype = m->qtype,
		.qclass = m->qclass });
	PARTS_CHECK(put(&b, r->shape, msg_qname(m), m->qtype));
	b.rcode = r->rcode;
	return build_finish(&b, WORLD_REPLY, &opt);
}

/* Ask a new name, with DO, CD and AD as bits of FLAGS, and wait for the answer. */
static void
ask(uint16_t type, unsigned flags)
{
	const struct edit_opt opt = { .bufsize = 1232, .do_bit = flags & 1, .ede = DNS_EDE_NONE };
	struct packet_in in = {
		.from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP, .from.sock = n_asked
	};
	uint8_t msg[512];
	char name[128];

	snprintf(name, sizeof(name), "n%u.test", n_asked);
	if (type == DNS_TYPE_PTR)
		snprintf(name, sizeof(name),
		    "%x.%x.%x.%x.%x.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
		    n_asked & 15, n_asked >> 4 & 15, n_asked >> 8 & 15, n_asked >> 12 & 15,
		    n_asked >> 16 & 15);
	in.len = parts_question(msg, (uint16_t)n_asked, name, type);
	header_set_flags(
	    msg, (uint16_t)(DNS_RD | (flags & 2 ? DNS_CD : 0) | (flags & 4 ? DNS_AD : 0)));
	header_set(msg, HEADER_ARCOUNT, 0);
	in.len = edit_append_opt(msg, DNS_HEADER_LEN + strlen(name) + 2 + 4, sizeof(msg), &opt);
	in.msg = msg;
	in.from.peer.family = NETADDR_IPV6;
	n_asked++;
	world_input(&world, &in);
	for (unsigned i = 0; i < 100 && n_answers < n_asked; i++)
		world_pass(&world, 100 * NS_PER_MS);
	PARTS_CHECK(n_answers == n_asked);
	PARTS_CHECK(engine_in_flight(world.engine) == 0);
}

static void
begin(bool cache)
{
	n_asked = 0;
	n_answers = 0;
	world_init(&world, 1, 1024);
	world.client = on_client;
	world.upstream = on_upstream;
	world.conf.keep = (struct conf_cache){
		.max_ttl_s = 604800, .max_negative_s = 3600, .failure_s = 1, .stale_s = 86400
	};
	world.conf.cache = cache ? cache_new((size_t)1 << 20, 86400, 1) : NULL;
	world_start(&world, 1);
}

static void
end(void)
{
	struct cache *cache = world.conf.cache;

	world_pass(&world, 10 * NS_PER_SEC);
	ck_assert_uint_eq(n_answers, n_asked);
	world_stop(&world);
	cache_free(cache);
}

/*
 * CVE-2012-5688 (one question ended the server), CVE-2018-14644 (of meta-types): each type of
 * question with each rcode and kind of reply, chains by CNAME and DNAME too.
 */
START_TEST(cve_2012_5688_each_type_each_reply)
{
	static const uint16_t types[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_PTR, DNS_TYPE_CNAME,
		DNS_TYPE_DNAME, DNS_TYPE_SOA, DNS_TYPE_ANY, DNS_TYPE_RRSIG, DNS_TYPE_HTTPS,
		DNS_TYPE_OPT, DNS_TYPE_AXFR, 0, 128, 253, 65535 };

	begin(_i == 1);
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		for (uint16_t rcode = 0; rcode < 24; rcode++) {
			for (unsigned s = 0; s < SHAPES; s++) {
				of_others = (struct reply){ (enum shape)s, rcode };
				of_a = (struct reply){ ADDRESS, DNS_NOERROR };
				ask(types[t], rcode % 8);
				of_a = of_others;
				ask(types[t], (rcode + 1U) % 8);
			}
		}
	}
	end();
}
END_TEST

/*
 * CVE-2012-5689, CVE-2017-3135 (A came from another place than AAAA, from a policy or the cache),
 * CVE-2018-5737, CVE-2022-3924 (a question began anew where nobody thought of it): all pairs of
 * replies to AAAA and A, with a cache from which either may come.
 */
START_TEST(cve_2017_3135_each_pair_of_replies)
{
	static const uint16_t rcodes[] = { DNS_NOERROR, DNS_SERVFAIL, DNS_NXDOMAIN, DNS_REFUSED };

	begin(_i == 1);
	for (unsigned pair = 0; pair < SHAPES * SHAPES * 16; pair++) {
		of_others =
		    (struct reply){ (enum shape)(pair % SHAPES), rcodes[pair / SHAPES % 4] };
		of_a = (struct reply){ (enum shape)(pair / SHAPES / 4 % SHAPES),
			rcodes[pair / SHAPES / 4 / SHAPES] };
		ask(DNS_TYPE_AAAA, 0);
		if (pair % 7 == 0) /* what was kept ends, and comes back stale */
			world_pass(&world, 61 * NS_PER_SEC);
		ask(DNS_TYPE_AAAA, pair % 8);
	}
	end();
}
END_TEST

/* CVE-2017-3136 (synthesis with DO): each combination of DO, CD and AD. */
START_TEST(cve_2017_3136_each_do_cd_ad)
{
	begin(false);
	for (unsigned flags = 0; flags < 8; flags++) {
		uint64_t before = world_stat(&world, "synthesized");

		of_others = (struct reply){ SOA, DNS_NOERROR };
		of_a = (struct reply){ ADDRESS, DNS_NOERROR };
		ask(DNS_TYPE_AAAA, flags);
		/* not for who validates itself */
		ck_assert_uint_eq(
		    world_stat(&world, "synthesized") - before, (flags & 3) == 3 ? 0 : 1);
	}
	end();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, cve_2012_5688_each_type_each_reply, 0, 2);
	tcase_add_loop_test(tc, cve_2017_3135_each_pair_of_replies, 0, 2);
	tcase_add_test(tc, cve_2017_3136_each_do_cd_ad);
}
