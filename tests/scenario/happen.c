/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/happen.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/build.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "scenario/passing.h"
#include "support/hex.h"

/* --- what happens ----------------------------------------------------------------------------- */

/* Append a signature: its owner "key.", class ANY, TTL 0 and RDATA that nobody looks into. */
static size_t
sign(uint8_t *msg, size_t len, uint16_t type)
{
	static const uint8_t key[] = { 3, 'k', 'e', 'y', 0 };

	memcpy(msg + len, key, sizeof(key));
	len += sizeof(key);
	memset(msg + len, 0, DNS_RR_FIXED + 20);
	wire_set_u16(msg + len, type);
	wire_set_u16(msg + len + 2, DNS_CLASS_ANY);
	wire_set_u16(msg + len + 8, 20);
	msg[11]++;
	return len + DNS_RR_FIXED + 20;
}

/* RULES D12: the least of ours, the client's, and 512 without OPT. */
static size_t
client_limit(const struct run *r, const struct build_opt *opt, bool tcp)
{
	size_t theirs = opt->present && opt->bufsize > DNS_UDP_MIN ? opt->bufsize : DNS_UDP_MIN;

	if (tcp)
		return DNS_MSG_MAX;
	return theirs < r->settings->conf.core.udp_size_client
	    ? theirs
	    : r->settings->conf.core.udp_size_client;
}

/* What else the words want in the OPT that MSG ends with. */
static size_t
change_opt(uint8_t *msg, size_t len, char **w, unsigned n)
{
	const char *version = stage_value(w, n, "version");
	const char *option = stage_value(w, n, "option");
	uint8_t *opt = msg + len - DNS_OPT_LEN;

	if (version != NULL)
		opt[6] = (uint8_t)atoi(version);
	if (option != NULL) { /* without a value */
		wire_set_u16(msg + len, (uint16_t)atoi(option));
		wire_set_u16(msg + len + 2, 0);
		wire_set_u16(opt + DNS_OPT_LEN - 2, 4);
		len += 4;
	}
	if (stage_has(w, n, "twoopts")) {
		memcpy(msg + len, opt, DNS_OPT_LEN);
		msg[11]++;
		len += DNS_OPT_LEN;
	}
	return len;
}

/* Take the question, of SIZE bytes, out of MSG. */
static size_t
drop_question(uint8_t *msg, size_t len, size_t size)
{
	uint8_t rest[1024];

	wire_set_u16(msg + 4, 0);
	memcpy(rest, msg + DNS_HEADER_LEN + size, len - DNS_HEADER_LEN - size);
	memcpy(msg + DNS_HEADER_LEN, rest, len - DNS_HEADER_LEN - size);
	return len - size;
}

static void
do_ask(struct run *r, char **w, unsigned n)
{
	const char *class = stage_value(w, n, "class");
	const char *bufsize = stage_value(w, n, "bufsize");
	const char *from = stage_value(w, n, "from");
	const char *cookie = stage_value(w, n, "cookie");
	struct build_opt opt = { .present = !stage_has(w, n, "noedns"),
		.cookie = r->cookie,
		.do_bit = stage_has(w, n, "do"),
		.bufsize = (uint16_t)(bufsize != NULL ? atoi(bufsize) : 1232),
		.ede = DNS_EDE_NONE };
	struct client *c = &r->clients[r->n_clients];
	struct packet_in in = { .msg = r->udp, .from.sock = r->n_clients, .from.gen = 7 };
	uint8_t msg[1024];
	uint8_t name[DNS_NAME_MAX];

	stage_engine(r);
	if (cookie != NULL)
		opt.cookie_len = (uint8_t)(strcmp(cookie, "back") == 0
			? COOKIE_LEN
			: hex_read(cookie, r->cookie, DNS_COOKIE_MAX));
	ck_assert_uint_lt(r->n_clients, STAGE_MAX_NAMED);
	if (!netaddr_parse(from != NULL ? from : "2001:db8:c::1", 1024, &in.from.peer))
		stage_fail(r, "bad address");
	snprintf(c->label, sizeof(c->label), "%s", w[1]);
	in.from.side = PACKET_CLIENT;
	in.from.transport = strcmp(w[2], "tcp") == 0 ? TRANSPORT_TCP : TRANSPORT_UDP;
	c->peer = in.from.peer;
	c->tcp = packet_is(&in.from, PACKET_CLIENT, TRANSPORT_TCP);
	c->edns = opt.present;
	c->do_bit = opt.do_bit;
	c->limit = client_limit(r, &opt, c->tcp);
	stage_name(r, w[3], name);
	in.len = build_query(msg, sizeof(msg),
	    &(struct build_question){ .id = (uint16_t)(0x4000 + r->n_clients),
		.flags = stage_has(w, n, "cd") ? DNS_CD : 0,
		.qname = name,
		.qtype = stage_type(r, w[4]),
		.qclass = (uint16_t)(class != NULL ? atoi(class) : DNS_CLASS_IN) },
	    &opt);
	if (!stage_has(w, n, "ad"))
		msg[3] = (uint8_t)(msg[3] & ~DNS_AD);
	if (stage_has(w, n, "nord"))
		msg[2] = (uint8_t)(msg[2] & ~(DNS_RD >> 8));
	in.len = change_opt(msg, in.len, w, n);
	if (stage_has(w, n, "noquestion"))
		in.len = drop_question(msg, in.len, name_len(name) + 4);
	if (stage_has(w, n, "tsig"))
		in.len = sign(msg, in.len, DNS_TYPE_TSIG);
	if (stage_has(w, n, "sig0"))
		in.len = sign(msg, in.len, DNS_TYPE_SIG);
	in.msg = msg;
	c->len = in.len;
	memcpy(c->bytes, msg, in.len);
	c->question = stage_has(w, n, "noquestion") ? 0 : (uint16_t)(name_len(name) + 4);
	memcpy(c->spelled, msg + DNS_HEADER_LEN, c->question);
	r->n_clients++;
	stage_input(r, &in);
}

static void
send_reply(
    struct run *r, const struct stage_asked *q, const char *by, const uint8_t *msg, size_t len)
{
	struct packet_in in = { .msg = msg, .len = len, .from = q->send.to };

	r->reply_len = len;
	memmove(r->reply, msg, len);
	if (by != NULL)
		in.from.sock = (uint32_t)r->socket_of[atoi(by + 1) - 1];
	stage_input(r, &in);
}

static uint16_t
reply_flags(char **w, unsigned n)
{
	const char *opcode = stage_value(w, n, "opcode");
	int flags = stage_has(w, n, "rd0") ? DNS_RA : DNS_RD | DNS_RA;

	flags |= stage_has(w, n, "qr0") ? 0 : DNS_QR;
	flags |= stage_has(w, n, "tc") ? DNS_TC : 0;
	flags |= stage_has(w, n, "aa") ? DNS_AA : 0;
	flags |= stage_has(w, n, "ad") ? DNS_AD : 0;
	flags |= stage_has(w, n, "cd") ? DNS_CD : 0;
	flags |= opcode != NULL ? atoi(opcode) << 11 : 0;
	return (uint16_t)flags;
}

/* Begin the reply to question M as the words tell. */
static void
start_reply(struct run *r, struct build *b, uint8_t *out, size_t cap, const struct msg *m, char **w,
    unsigned n)
{
	const char *other = stage_value(w, n, "name");
	const char *type = stage_value(w, n, "type");
	const char *class = stage_value(w, n, "class");
	const char *spelled = stage_value(w, n, "spelled");
	uint8_t name[DNS_NAME_MAX];

	memcpy(name, msg_qname(m), m->qname_len);
	if (spelled != NULL)
		memcpy(name, stage_asked(r, spelled)->bytes + DNS_HEADER_LEN, m->qname_len);
	if (other != NULL)
		stage_name(r, other, name);
	build_start(b, out, cap,
	    &(struct build_question){ .id = (uint16_t)(m->id + (stage_has(w, n, "id+1") ? 1 : 0)),
		.flags = reply_flags(w, n),
		.qname = stage_has(w, n, "noquestion") ? NULL : name,
		.qtype = type != NULL ? stage_type(r, type) : m->qtype,
		.qclass = class != NULL ? (uint16_t)atoi(class) : m->qclass });
	if (scene_rcode(w[2]) < 0)
		stage_fail(r, "bad rcode %s", w[2]);
	b->rcode = (uint16_t)scene_rcode(w[2]);
}

/* An option of the server's own behind those in the OPT that MSG ends with: "CODE:HEX". */
static size_t
add_option(uint8_t *msg, size_t len, const char *option)
{
	const char *hex = option != NULL ? strchr(option, ':') : NULL;
	struct msg m;
	uint8_t *at = msg + len;
	size_t n;

	if (hex == NULL)
		return len;
	ck_assert_int_eq(msg_parse(&m, msg, len), MSG_OK);
	ck_assert(m.edns.present);
	n = hex_read(hex + 1, at + 4, 64);
	wire_set_u16(at, (uint16_t)atoi(option));
	wire_set_u16(at + 2, (uint16_t)n);
	wire_set_u16(at - m.edns.options_len - 2, (uint16_t)(m.edns.options_len + 4 + n));
	return len + 4 + n;
}

/* Put the OPT, which is last, before the other additional records. */
static void
put_opt_first(uint8_t *msg, size_t len)
{
	static uint8_t rest[65535];
	struct msg m;
	size_t first, n;

	ck_assert_int_eq(msg_parse(&m, msg, len), MSG_OK);
	ck_assert(m.edns.present);
	first = m.at[MSG_ADDITIONAL];
	n = m.edns.at - first;
	memcpy(rest, msg + first, n);
	memmove(msg + first, msg + m.edns.at, len - m.edns.at);
	memcpy(msg + len - n, rest, n);
}

/* Our part of the question's cookie and the upstream's own; the length of both. */
static uint8_t
reply_cookie(const struct msg *m, char **w, unsigned n, uint8_t out[static DNS_COOKIE_MAX])
{
	const char *own = stage_value(w, n, "cookie");
	size_t len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (own == NULL)
		return 0;
	memset(out, 0, DNS_COOKIE_MAX);
	if (cookie != NULL)
		memcpy(out, cookie, DNS_COOKIE_CLIENT);
	if (stage_has(w, n, "notours"))
		out[7] ^= 1;
	return (uint8_t)(DNS_COOKIE_CLIENT +
	    hex_read(own, out + DNS_COOKIE_CLIENT, DNS_COOKIE_MAX - 8));
}

static void
do_reply(struct run *r, char **w, unsigned n)
{
	const struct stage_asked *q = stage_asked(r, w[1]);
	const char *ede = stage_value(w, n, "ede");
	const char *bufsize = stage_value(w, n, "bufsize");
	const char *cut = stage_value(w, n, "cut");
	struct build_opt opt = { .present = !stage_has(w, n, "noopt"),
		.bufsize = (uint16_t)(bufsize != NULL ? atoi(bufsize) : 1232),
		.ede = (uint16_t)(ede != NULL ? atoi(ede) : DNS_EDE_NONE) };
	static uint8_t msg[65535];
	uint8_t cookie[DNS_COOKIE_MAX];
	struct build b;
	struct msg m;
	size_t len;

	ck_assert_int_eq(msg_parse(&m, q->bytes, q->send.len), MSG_OK);
	opt.do_bit = m.edns.do_bit;
	opt.cookie = cookie;
	opt.cookie_len = reply_cookie(&m, w, n, cookie);
	start_reply(r, &b, msg, sizeof(msg), &m, w, n);
	for (unsigned i = 0; i < r->n_records; i++) {
		if (!scene_put(&b, r->records[i]))
			stage_fail(r, "bad record %s", r->records[i]);
	}
	len = build_finish(&b, sizeof(msg), &opt);
	len = add_option(msg, len, stage_value(w, n, "option"));
	if (stage_has(w, n, "optfirst"))
		put_opt_first(msg, len);
	if (cut != NULL)
		len -= (size_t)atoi(cut);
	send_reply(r, q, stage_value(w, n, "by"), msg, len);
}

static void
do_malformed(struct run *r, char **w, unsigned n)
{
	const struct stage_asked *q = stage_asked(r, w[1]);
	uint8_t msg[1024];

	(void)n;
	memcpy(msg, q->bytes, q->send.len);
	msg[2] |= DNS_QR >> 8;
	wire_set_u16(msg + 6, 3); /* three answers that are not there */
	send_reply(r, q, NULL, msg, q->send.len);
}

static void
do_lost(struct run *r, char **w, unsigned n)
{
	bool established = strcmp(w[2], "established") == 0;
	unsigned first = stage_upstream(r, w[1]) * TCP_POOL_SIZE;

	(void)n;
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++) {
		if (i > 0 && engine_tcp_open(r->e, first + i) == 0)
			continue;
		engine_tcp_lost(r->e, first + i, established, r->now_ns);
		stage_collect(r);
	}
}

static void
do_full(struct run *r, char **w, unsigned n)
{
	const struct stage_asked *q = stage_asked(r, w[1]);

	(void)n;
	engine_tcp_full(r->e, q->send.to.sock, wire_u16(q->bytes), r->now_ns);
	stage_collect(r);
}

static void
do_refused(struct run *r, char **w, unsigned n)
{
	(void)n;
	engine_refused(
	    r->e, stage_upstream(r, w[1]), r->socket_of[stage_upstream(r, w[1])], r->now_ns);
	stage_collect(r);
}

static void
do_unsent(struct run *r, char **w, unsigned n)
{
	const struct stage_asked *q = stage_asked(r, w[1]);
	bool away = strcmp(w[2], "way") == 0;

	(void)n;
	if (!away && strcmp(w[2], "room") != 0)
		stage_fail(r, "unsent for want of room or way");
	for (unsigned u = 0; away && u < UPSTREAM_MAX; u++)
		if (r->socket_of[u] == (int)q->send.to.sock)
			engine_refused(r->e, u, -1, r->now_ns);
	engine_unsent(r->e, q->send.to.sock, wire_u16(q->bytes), away, r->now_ns);
	stage_collect(r);
}

static void
do_plug(struct run *r, char **w, unsigned n)
{
	(void)n;
	stage_engine(r);
	unsigned u = stage_upstream(r, w[1]);

	r->unplugged[u] = strcmp(w[0], "plug") != 0;
	stage_sockets(r);
	if (strcmp(w[0], "starve") == 0)
		engine_socket_none(r->e, u);
}

static void
do_reload(struct run *r, char **w, unsigned n)
{
	(void)w;
	(void)n;
	stage_engine(r);
	stage_reload(r);
}

/* The operator tells the daemon something, as dns64ctl does. */
static void
do_order(struct run *r, char **w, unsigned n)
{
	static const char *const states[] = { "up", "drain", "down" };
	struct order order = { .what = ORDER_UPSTREAM };
	char text[NETADDR_TEXT];

	stage_engine(r);
	order.of = n > 2 ? w[2] : "";
	if (strcmp(w[1], "deny") == 0 || strcmp(w[1], "undeny") == 0) {
		order.what = w[1][0] == 'd' ? ORDER_DENY : ORDER_UNDENY;
		order.state = stage_has(w, n, "drop") ? POLICY_IGNORED : POLICY_DENIED;
		stage_order(r, &order);
		return;
	}
	if (n != 4 || strcmp(w[1], "upstream") != 0)
		stage_fail(r, "order takes upstream uN up|drain|down, or deny or undeny NETWORK");
	order.of = netaddr_format(&engine_upstream(r->e, stage_upstream(r, w[2]))->addr, text);
	while (order.state < 2 && strcmp(states[order.state], w[3]) != 0)
		order.state++;
	stage_order(r, &order);
}

/* The cache forgets all, or what is said. */
static void
do_flush(struct run *r, char **w, unsigned n)
{
	uint8_t name[DNS_NAME_MAX], lower[DNS_NAME_MAX];
	struct cache *c = r->e != NULL ? r->settings->conf.core.cache : NULL;
	size_t len;

	if (c == NULL)
		stage_fail(r, "there is no cache yet");
	if (n < 3) {
		cache_flush_all(c);
		return;
	}
	len = stage_name(r, w[2], name);
	name_lower(lower, name, len);
	if (strcmp(w[1], "below") == 0)
		(void)cache_flush_below(c, lower, len, (uint32_t)(r->now_ns / NS_PER_SEC));
	else if (strcmp(w[1], "name") == 0)
		(void)cache_flush_name(c, lower, len);
	else
		stage_fail(r, "flush takes name or below");
}

/* What the main thread finds out about the daemon. */
static void
do_health(struct run *r, char **w, unsigned n)
{
	(void)n;
	if (r->e == NULL)
		stage_fail(r, "there is no engine yet");
	engine_set_unready(r->e, strcmp(w[1], "lameduck") == 0 ? "lameduck" : NULL);
}

/* What the configuration cannot say, which is for the start only. */
static void
do_start(struct run *r, char **w, unsigned n)
{
	(void)n;
	if (r->e != NULL)
		stage_fail(r, "only before the first event");
	if (strcmp(w[0], "clock") == 0)
		r->now_ns = strtoull(w[1], NULL, 10) * NS_PER_SEC;
	else
		r->max_queries = (uint32_t)strtoul(w[1], NULL, 10);
}

static const struct {
	const char *word;
	unsigned least; /* words, with this one */
	void (*run)(struct run *r, char **w, unsigned n);
} commands[] = {
	{ "ask", 5, do_ask },
	{ "reply", 3, do_reply },
	{ "malformed", 2, do_malformed },
	{ "lost", 3, do_lost },
	{ "full", 2, do_full },
	{ "refused", 2, do_refused },
	{ "unsent", 3, do_unsent },
	{ "unplug", 2, do_plug },
	{ "starve", 2, do_plug },
	{ "plug", 2, do_plug },
	{ "pass", 2, passing_pass },
	{ "mute", 2, passing_mute },
	{ "reload", 1, do_reload },
	{ "order", 2, do_order },
	{ "flush", 1, do_flush },
	{ "health", 2, do_health },
	{ "clock", 2, do_start },
	{ "test-max-queries", 2, do_start },
};

bool
happen(struct run *r, char **w, unsigned n)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(w[0], commands[i].word) == 0 && n >= commands[i].least) {
			commands[i].run(r, w, n);
			return true;
		}
	}
	return false;
}
