/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/world.h"

#include <string.h>

#include "core/wheel.h"
#include "dns64/special.h"
#include "engine/engine_parts.h"
#include "support/configured.h"
#include "support/message.h"

size_t
world_plain(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	static const uint8_t v4[] = { 192, 0, 2, 1 };
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	const struct build_question question = { .id = m->id,
		.flags = DNS_QR | DNS_RA | DNS_RD,
		.qname = msg_qname(m),
		.qtype = m->qtype,
		.qclass = m->qclass };
	struct build b;

	(void)w;
	(void)send;
	if (msg_qname(m)[0] == strlen("silent"))
		return 0;
	build_start(&b, out, WORLD_REPLY, &question);
	if (m->qtype == DNS_TYPE_A)
		PARTS_CHECK(build_rr(
		    &b, MSG_ANSWER, msg_qname(m), DNS_TYPE_A, DNS_CLASS_IN, 300, v4, sizeof(v4)));
	else
		PARTS_CHECK(special_soa(&b, MSG_AUTHORITY, msg_qname(m), 300, 300));
	return build_finish(&b, WORLD_REPLY, &none);
}

void
world_unread(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	(void)w;
	(void)send;
	(void)msg;
}

void
world_init(struct world *w, unsigned n_upstreams, uint32_t cap)
{
	memset(w, 0, sizeof(*w));
	parts_conf(&w->conf, n_upstreams, cap);
	w->conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	w->now_ns = PARTS_START_NS;
}

/* A socket per upstream for each ID space that is new. */
static void
open_sockets(struct world *w)
{
	for (; w->n_spaces < engine_spaces(w->engine); w->n_spaces++) {
		for (unsigned u = 0; u < w->conf.n_upstreams; u++) {
			int slot = engine_socket_add(w->engine, u, w->n_spaces);

			ck_assert_int_ge(slot, 0);
			engine_socket_use(w->engine, (unsigned)slot);
		}
	}
}

/* Questions leave by another socket than that of SLOT, which the engine has given up. */
static void
replace(struct world *w, unsigned slot)
{
	const struct upstream_socket s = w->engine->upstreams.sockets[slot];
	int other = engine_socket_add(w->engine, s.upstream, s.space);

	ck_assert_int_ge(other, 0);
	engine_socket_use(w->engine, (unsigned)other);
	if (!engine_socket_busy(w->engine, slot))
		engine_socket_del(w->engine, slot);
}

void
world_start(struct world *w, uint64_t seed)
{
	w->engine = engine_new(&w->conf, &seed, w->now_ns);
	ck_assert_ptr_nonnull(w->engine);
	open_sockets(w);
}

void
world_stop(struct world *w)
{
	engine_free(w->engine);
	w->engine = NULL;
	policies_unref(w->conf.policies);
}

void
world_sound(struct msg *m, const struct packet_out *send, const uint8_t *msg, size_t limit)
{
	bool tcp = send->to.transport == TRANSPORT_TCP;

	message_sound(m, msg, send->len, tcp ? DNS_MSG_MAX : limit);
}

static void
question(struct world *w, const struct packet_out *send, const uint8_t *bytes)
{
	struct world_reply *r = &w->queue[w->n_queued];
	struct msg m;

	PARTS_CHECK(w->n_queued < WORLD_QUEUE);
	PARTS_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	r->in = (struct packet_in){ .msg = r->bytes, .from = send->to };
	r->in.len = w->upstream == NULL ? 0 : w->upstream(w, &m, send, r->bytes);
	if (r->in.len > 0)
		w->n_queued++;
}

/* Send all that the engine has to send now. */
static void
drain_turn(struct world *w)
{
	struct packet_out send;

	for (; engine_next(w->engine, w->udp, w->tcp, &send); w->n_sent++) {
		bool tcp = send.to.transport == TRANSPORT_TCP;
		const uint8_t *bytes = tcp ? w->tcp : w->udp;

		if (send.to.side == PACKET_UPSTREAM)
			question(w, &send, bytes);
		else
			w->client(w, &send, bytes);
	}
}

/* In as many turns as it takes. */
static void
drain(struct world *w)
{
	do
		drain_turn(w);
	while (engine_work(w->engine, w->now_ns));
	open_sockets(w);
}

/* The replies queued so far, then what those lead to. */
static void
deliver(struct world *w)
{
	while (w->n_queued > 0) {
		struct world_reply r = w->queue[0];

		memmove(&w->queue[0], &w->queue[1], --w->n_queued * sizeof(w->queue[0]));
		for (unsigned i = 0; i < w->n_queued; i++)
			w->queue[i].in.msg = w->queue[i].bytes;
		r.in.msg = r.bytes;
		engine_prepare(w->engine, &r.in, 1);
		if (engine_input(w->engine, &r.in, w->now_ns) == ENGINE_SPOILT)
			replace(w, r.in.from.sock);
		drain(w);
	}
}

void
world_drain(struct world *w)
{
	drain(w);
	deliver(w);
}

void
world_input(struct world *w, const struct packet_in *in)
{
	engine_prepare(w->engine, in, 1);
	engine_input(w->engine, in, w->now_ns);
	world_drain(w);
}

void
world_pass(struct world *w, uint64_t ns)
{
	uint64_t end = w->now_ns + ns;
	bool more;

	while (w->now_ns < end) {
		w->now_ns = w->now_ns + WHEEL_TICK_NS < end ? w->now_ns + WHEEL_TICK_NS : end;
		do {
			more = engine_tick(w->engine, w->now_ns);
			drain(w);
		} while (more);
		deliver(w);
	}
}

uint64_t
world_stat(const struct world *w, const char *name)
{
	const struct stats *one[1] = { engine_stats(w->engine) };
	struct stats_row rows[STATS_N];

	stats_sum(one, 1, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].value;
	}
	ck_abort_msg("no counter %s", name);
}
