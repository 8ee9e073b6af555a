/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cache/cache.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "engine/audit.h"
#include "engine/engine_parts.h"
#include "fuzz/image.h"
#include "fuzz/plain.h"
#include "support/configured.h"

#define SEED 64
#define STALE_S 60
#define QUERIES 16
#define PASS_MAX 64     /* deadlines that fuzz_pass waits for, before it jumps to the end */
#define STEPS_MAX 10000 /* deadlines: no question lives for so many */

static struct netaddr
loopback(uint16_t port)
{
	struct netaddr a;

	FUZZ_CHECK(netaddr_parse("::1", port, &a));
	return a;
}

/* --- The engine ------------------------------------------------------------------------------- */

static void
make_conf(struct conf_core *c)
{
	const struct netaddr a = loopback(53);

	c->upstreams[0] = conf_upstream_at(&a);
	c->n_upstreams = 1;
	c->timeout_ms = 200;
	c->upstream_tries = 2;
	c->max_upstream_questions = 24;
	c->udp_size_client = 1232;
	c->udp_size_upstream = 1232;
	c->max_queries = QUERIES;
	c->policies =
	    configured_policies("dns64-prefix 64:ff9b::/96\ndns64-prefix 2001:db8:64::/96\n");
	c->cache = cache_new(CACHE_MIN, STALE_S, SEED);
	FUZZ_CHECK(c->cache != NULL);
	c->keep = (struct conf_cache){ .max_ttl_s = 604800,
		.max_negative_s = 3600,
		.failure_s = 1,
		.stale_s = STALE_S,
		.cut = CONF_CUT_ALL,
		.prefetch = true,
		.rotate = true };
}

static void
make(struct fuzz *f)
{
	const uint64_t seed = SEED;

	log_open(LOG_SINK_NONE);
	for (unsigned i = 0; i < FUZZ_OPEN; i++)
		f->open[i] = &f->questions[i];
	make_conf(&f->conf);
	f->engine = engine_new(&f->conf, &seed, 1);
	FUZZ_CHECK(f->engine != NULL);
	f->image = image_take(f->engine, f->conf.cache);
}

struct fuzz *
fuzz_begin(void)
{
	static struct fuzz f;

	if (f.engine == NULL)
		make(&f);
	f.now_ns = 1;
	for (unsigned i = 0; i < FUZZ_OPEN; i++)
		f.questions[i].len = 0;
	f.n_asks = f.n_answers = f.n_questions = f.n_open = 0;
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		f.slot[u] = -1;
	f.n_old = 0;
	f.odd = false;
	fuzz_open_sockets(&f);
	return &f;
}

/* Does the engine still have anything to do for anybody? */
static bool
is_at_rest(const struct engine *e)
{
	return e->queries.pool.n_used == 0 && e->lookups.pool.n_used == 0;
}

void
fuzz_audit(const struct fuzz *f)
{
	FUZZ_CHECK(audit(&f->engine->queries) == NULL);
}

/* --- Sockets, as the shell has them ----------------------------------------------------------- */

static void
close_old(struct fuzz *f)
{
	for (unsigned i = 0; i < f->n_old;) {
		if (engine_socket_busy(f->engine, f->old[i])) {
			i++;
			continue;
		}
		engine_socket_del(f->engine, f->old[i]);
		f->old[i] = f->old[--f->n_old];
	}
}

static void
retire(struct fuzz *f, unsigned u)
{
	unsigned slot = (unsigned)f->slot[u];

	engine_socket_retire(f->engine, slot);
	FUZZ_CHECK(f->n_old < UPSTREAM_MAX_SOCKETS);
	f->old[f->n_old++] = slot;
	f->slot[u] = -1;
}

static void
open_socket(struct fuzz *f, unsigned u)
{
	f->slot[u] = engine_socket_add(f->engine, u, 0);
	FUZZ_CHECK(f->slot[u] >= 0);
	engine_socket_use(f->engine, (unsigned)f->slot[u]);
}

void
fuzz_open_sockets(struct fuzz *f)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		if (engine_upstream_active(f->engine, u) && f->slot[u] < 0)
			open_socket(f, u);
		else if (!engine_upstream_active(f->engine, u) && f->slot[u] >= 0)
			retire(f, u);
	}
	close_old(f);
}

void
fuzz_replace_socket(struct fuzz *f, unsigned u)
{
	int old = f->slot[u], now;

	open_socket(f, u);
	now = f->slot[u];
	f->slot[u] = old;
	retire(f, u);
	f->slot[u] = now;
	close_old(f);
}

void
fuzz_lose_socket(struct fuzz *f, unsigned u)
{
	retire(f, u);
	engine_socket_none(f->engine, u);
	close_old(f);
}

/* --- What comes out --------------------------------------------------------------------------- */

static void
keep_question(struct fuzz *f, const uint8_t *bytes, const struct packet_out *send)
{
	struct fuzz_question *q = f->open[f->n_open < FUZZ_OPEN ? f->n_open : FUZZ_OPEN - 1];

	f->n_open += f->n_open < FUZZ_OPEN;
	memmove(&f->open[1], &f->open[0], (f->n_open - 1) * sizeof(f->open[0]));
	f->open[0] = q;
	q->to = *send;
	q->len = send->len;
	memcpy(q->bytes, bytes, send->len);
	f->n_questions++;
	image_sent(f->image, header_id(bytes));
}

static void
check_answer(struct fuzz *f, const uint8_t *bytes, const struct packet_out *send)
{
	struct fuzz_ask *a = &f->asks[send->to.sock];
	struct msg m;

	FUZZ_CHECK(send->to.sock < f->n_asks && a->open && send->len <= a->limit);
	FUZZ_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	FUZZ_CHECK(f->odd || msg_parse_reply(&m, bytes, send->len) == MSG_OK); /* D25 */
	FUZZ_CHECK((m.flags & DNS_QR) != 0);
	a->open = false;
	f->n_answers++;
}

static void
check_sent(struct fuzz *f, const uint8_t *bytes, const struct packet_out *send)
{
	struct msg m;

	if (send->to.side == PACKET_CLIENT) {
		check_answer(f, bytes, send);
		return;
	}
	FUZZ_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	FUZZ_CHECK((m.flags & DNS_QR) == 0 && m.qdcount == 1 && send->len <= PACKET_UDP_CAP);
	keep_question(f, bytes, send);
}

void
fuzz_drain(struct fuzz *f)
{
	static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
	struct packet_out send;

	do {
		while (engine_next(f->engine, udp, tcp, &send)) {
			bool by_udp = send.to.transport == TRANSPORT_UDP;

			FUZZ_CHECK(send.len <= (by_udp ? PACKET_UDP_CAP : PACKET_TCP_CAP));
			check_sent(f, by_udp ? udp : tcp, &send);
		}
	} while (engine_work(f->engine, f->now_ns));
}

/* --- What comes in ---------------------------------------------------------------------------- */

/* The socket of SLOT is of no use any more. */
static void
replace_socket(struct fuzz *f, unsigned slot)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		if (f->slot[u] == (int)slot)
			fuzz_replace_socket(f, u);
	}
}

/* A copy on the heap, so that a sanitizer sees every read beyond its end. */
static bool
input(struct fuzz *f, struct packet_in *in)
{
	uint8_t *copy = malloc(in->len > 0 ? in->len : 1);
	enum engine_taken taken;

	FUZZ_CHECK(copy != NULL);
	if (in->len > 0)
		memcpy(copy, in->msg, in->len);
	in->msg = copy;
	engine_prepare(f->engine, in, 1);
	taken = engine_input(f->engine, in, f->now_ns);
	if (in->from.side == PACKET_CLIENT)
		f->asks[in->from.sock].open = taken == ENGINE_TAKEN;
	else if (taken == ENGINE_SPOILT)
		replace_socket(f, in->from.sock);
	fuzz_drain(f);
	free(copy);
	return taken == ENGINE_TAKEN;
}

/* RFC 6891 section 6.2.3: never longer than the client takes. */
static size_t
client_takes(const struct fuzz *f, const uint8_t *data, size_t len)
{
	size_t most = f->engine->queries.conf->udp_size_client;
	struct msg m;

	if (msg_parse(&m, data, len) != MSG_OK || !m.edns.present || m.edns.bufsize < DNS_UDP_MIN)
		return DNS_UDP_MIN;
	return m.edns.bufsize < most ? m.edns.bufsize : most;
}

void
fuzz_ask(struct fuzz *f, enum transport transport, uint8_t host, const uint8_t *msg, size_t len)
{
	struct packet_in in = { .msg = msg,
		.len = len,
		.from = { .side = PACKET_CLIENT,
		    .transport = (uint8_t)transport,
		    .peer = loopback(4711) } };

	if (f->n_asks == FUZZ_ASKS)
		return;
	if (!f->engine->queries.conf->keep.rotate)
		image_repeated(f->image);
	in.from.peer.addr[15] = host;
	in.from.sock = f->n_asks++;
	f->asks[in.from.sock].limit =
	    transport == TRANSPORT_TCP ? PACKET_TCP_CAP : client_takes(f, msg, len);
	(void)input(f, &in);
}

void
fuzz_input(struct fuzz *f, enum transport transport, uint32_t sock, const uint8_t *msg, size_t len)
{
	struct packet_in in = { .msg = msg,
		.len = len,
		.from = {
		    .side = PACKET_UPSTREAM, .transport = (uint8_t)transport, .sock = sock } };
	struct msg m;

	f->odd |= msg_parse(&m, msg, len) == MSG_OK && !plain(&m);
	/* Nothing comes by a socket that was closed. */
	if (transport == TRANSPORT_TCP ||
	    f->engine->upstreams.sockets[sock].upstream != UPSTREAM_NONE)
		(void)input(f, &in);
}

void
fuzz_close(struct fuzz *f, unsigned which)
{
	FUZZ_CHECK(which < f->n_open);
	struct fuzz_question *q = f->open[which];

	f->n_open--;
	memmove(&f->open[which], &f->open[which + 1], (f->n_open - which) * sizeof(f->open[0]));
	f->open[f->n_open] = q;
}

void
fuzz_reply(struct fuzz *f, unsigned which, const uint8_t *msg, size_t len)
{
	static uint8_t reply[PACKET_UDP_CAP];
	const struct fuzz_question *q = f->open[which];
	const struct packet_out to = q->to;
	size_t end;

	FUZZ_CHECK(which < f->n_open);
	end = name_skip(q->bytes, q->len, HEADER_QNAME) + HEADER_QUESTION_FIXED;
	if (len < end || len > sizeof(reply)) {
		fuzz_close(f, which);
		return;
	}
	memcpy(reply, msg, len);
	memcpy(reply, q->bytes, HEADER_ID_LEN);
	memcpy(reply + HEADER_QNAME, q->bytes + HEADER_QNAME, end - HEADER_QNAME);
	fuzz_close(f, which);
	fuzz_input(f, to.to.transport, to.to.sock, reply, len);
}

/* --- Time ------------------------------------------------------------------------------------- */

/* When the engine's next deadline is over; UINT64_MAX: it has none. */
static FUZZ_PLAIN uint64_t
next_deadline(const struct engine *e)
{
	const struct wheel *w = &e->wheel;

	for (uint64_t tick = w->tick; w->n > 0 && tick < w->tick + WHEEL_SLOTS; tick++) {
		const struct list *slot = &w->slots[tick % WHEEL_SLOTS];

		for (struct list *at = slot->next; at != slot; at = at->next) {
			if (LIST_OBJECT(at, struct wheel_timer, link)->due <= tick)
				return tick * WHEEL_TICK_NS;
		}
	}
	return w->n > 0 ? (w->tick + WHEEL_SLOTS) * WHEEL_TICK_NS : UINT64_MAX;
}

static void
pass_to(struct fuzz *f, uint64_t ns)
{
	bool more;

	f->now_ns = ns > f->now_ns ? ns : f->now_ns;
	do {
		more = engine_tick(f->engine, f->now_ns);
		fuzz_drain(f);
	} while (more);
}

void
fuzz_pass(struct fuzz *f, uint64_t ns)
{
	uint64_t end = f->now_ns + ns, next;

	for (unsigned i = 0; i < PASS_MAX && (next = next_deadline(f->engine)) <= end; i++)
		pass_to(f, next);
	pass_to(f, end);
}

void
fuzz_be_late(struct fuzz *f)
{
	unsigned n = f->n_questions;

	for (unsigned i = 0; i < STEPS_MAX && f->n_questions == n; i++) {
		if (engine_in_flight(f->engine) == 0)
			return;
		pass_to(f, next_deadline(f->engine));
	}
}

void
fuzz_wait(struct fuzz *f)
{
	for (unsigned i = 0; i < STEPS_MAX && engine_in_flight(f->engine) > 0; i++)
		pass_to(f, next_deadline(f->engine));
	FUZZ_CHECK(engine_in_flight(f->engine) == 0);
}

/* Reply to Q that there is no such name. */
static void
deny(struct fuzz *f, struct fuzz_question *q)
{
	static uint8_t reply[PACKET_UDP_CAP];
	size_t len = q->len;

	memcpy(reply, q->bytes, len);
	header_set(reply, HEADER_FLAGS, DNS_QR | DNS_RD | DNS_RA | DNS_NXDOMAIN);
	q->len = 0;
	fuzz_input(f, q->to.to.transport, q->to.to.sock, reply, len);
}

void
fuzz_deny(struct fuzz *f)
{
	unsigned n;

	do {
		n = f->n_questions;
		for (unsigned i = 0; i < FUZZ_OPEN && !is_at_rest(f->engine); i++) {
			if (f->questions[i].len > 0)
				deny(f, &f->questions[i]);
		}
	} while (f->n_questions != n && !is_at_rest(f->engine));
	f->n_open = 0;
}

void
fuzz_end(struct fuzz *f)
{
	for (unsigned i = 0; i < STEPS_MAX && !is_at_rest(f->engine); i++) {
		fuzz_deny(f);
		if (!is_at_rest(f->engine))
			pass_to(f, next_deadline(f->engine));
	}
	FUZZ_CHECK(is_at_rest(f->engine));
	for (unsigned i = 0; i < f->n_asks; i++)
		FUZZ_CHECK(!f->asks[i].open);
	image_restore(f->image);
}
