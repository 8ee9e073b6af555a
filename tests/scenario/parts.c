/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/parts.h"

#include <stdio.h>
#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "outbound/attempt.h"
#include "outbound/loss.h"
#include "outbound/reply.h"
#include "support/configured.h"

void
parts_conf(struct conf_core *conf, unsigned n, uint32_t cap)
{
	*conf = (struct conf_core){ .selection = CONF_IN_ORDER,
		.timeout_ms = 1000,
		.upstream_tries = 3,
		.max_upstream_questions = 24,
		.udp_size_client = 1232,
		.udp_size_upstream = 1232,
		.max_queries = cap,
		.max_waiting_per_client = 1000,
		.max_same_question = 16,
		.n_upstreams = n };
	for (unsigned i = 0; i < n; i++) {
		struct netaddr a;
		char text[32];

		snprintf(text, sizeof(text), "192.0.2.%u", i + 1);
		PARTS_CHECK(netaddr_parse(text, 53, &a));
		conf->upstreams[i] = conf_upstream_at(&a);
	}
}

void
parts_init(struct parts *p, unsigned n, uint32_t cap)
{
	memset(p, 0, sizeof(*p));
	parts_conf(&p->conf, n, cap);
	p->conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	p->now_ns = PARTS_START_NS;
	rng_init_seeded(&p->rng, 1);
	wheel_init(&p->wheel, p->now_ns);
	upstreams_init(&p->upstreams);
	upstreams_configure(&p->upstreams, &p->conf, &p->wheel);
	for (unsigned u = 0; u < n; u++) {
		int slot = upstreams_socket_add(&p->upstreams, u, 0);

		ck_assert_int_eq(slot, (int)u);
		p->upstreams.table[u].socket[0] = slot;
	}
	ck_assert_int_eq(lookups_init(&p->lookups,
			     &(struct lookups){ .conf = &p->conf,
				 .stats = &p->stats,
				 .rng = &p->rng,
				 .wheel = &p->wheel,
				 .upstreams = &p->upstreams },
			     cap),
	    0);
	ck_assert_int_eq(queries_init(&p->queries,
			     &(struct queries){ .conf = &p->conf,
				 .stats = &p->stats,
				 .wheel = &p->wheel,
				 .lookups = &p->lookups },
			     cap),
	    0);
}

void
parts_fini(struct parts *p)
{
	queries_fini(&p->queries);
	lookups_fini(&p->lookups);
	policies_unref(p->conf.policies);
}

struct question
parts_key(const char *name, uint16_t qtype, uint8_t qname[static DNS_NAME_MAX])
{
	struct question key = { .qname = qname, .qtype = qtype, .qclass = DNS_CLASS_IN };

	key.qname_len = name_from_text(name, qname);
	ck_assert_uint_gt(key.qname_len, 0);
	key.hash = hash_bytes(qname, key.qname_len, 1);
	return key;
}

struct lookup *
parts_lookup(struct parts *p, const char *name, const struct lookup_wish *wish)
{
	uint8_t qname[DNS_NAME_MAX];
	struct question key = parts_key(name, DNS_TYPE_MX, qname);
	bool found;
	struct lookup *l = lookup_find_or_start(&p->lookups, &key, wish, &found);

	PARTS_CHECK(l != NULL);
	return l;
}

bool
parts_next(struct parts *p, struct packet_out *send)
{
	return attempt_next_question(&p->lookups, p->udp, p->tcp, send, p->now_ns);
}

struct lookup *
parts_hand_in(struct parts *p, enum transport transport, uint32_t sock, const uint8_t *msg,
    size_t len, struct lookup_result *result)
{
	const struct packet_in in = { .msg = msg,
		.len = len,
		.from = {
		    .side = PACKET_UPSTREAM, .transport = (uint8_t)transport, .sock = sock } };

	if (transport == TRANSPORT_UDP)
		reply_warm(&p->lookups, &in, 1);
	return reply_on_message(&p->lookups, &in, &p->reply, result, p->now_ns);
}

struct lookup *
parts_lose(struct parts *p, unsigned conn, bool established, struct lookup_result *result)
{
	unsigned most = UINT32_MAX;

	loss_on_tcp_lost(&p->lookups, conn, established);
	return loss_next_lost(&p->lookups, &most, result, p->now_ns);
}

size_t
parts_question(uint8_t *buf, uint16_t id, const char *name, uint16_t qtype)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	uint8_t qname[DNS_NAME_MAX];

	PARTS_CHECK(name_from_text(name, qname) > 0);
	return build_query(buf, 512,
	    &(struct build_question){
		.id = id, .qname = qname, .qtype = qtype, .qclass = DNS_CLASS_IN },
	    &opt);
}

uint64_t
parts_count(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

uint64_t
parts_questions(const struct stats *s, bool tcp)
{
	struct stats_row rows[STATS_N];

	stats_sum(&s, 1, rows);
	return rows[tcp ? STATS_client_tcp : STATS_client_udp].value;
}
