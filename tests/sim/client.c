/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/client.h"

#include <assert.h>
#include <string.h>

#include "dns/build.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "sim/oracle.h"
#include "sim/rare.h"
#include "sim/rates.h"

void
client_name(const struct act *a, uint8_t out[static DNS_NAME_MAX], struct truth *t)
{
	const char alias[2] = { a->alias, '\0' };

	if (a->type == DNS_TYPE_PTR) {
		truth_address(out, a->prefix, a->number, t);
		return;
	}
	truth_name(out, (enum truth_kind)a->name_kind, alias, a->number);
	truth_of(out, t);
}

/* The client's address: 2001:db8:CLIENT::1, or another one of that /64. */
static struct netaddr
address_of(const struct act *a)
{
	struct netaddr peer;

	assert(
	    netaddr_parse(a->client == CLIENT_DENIED ? "2001:dead::1" : "2001:db8::1", 53, &peer));
	if (a->client != CLIENT_DENIED)
		peer.addr[5] = a->client;
	peer.addr[14] = a->host;
	return peer;
}

/* The cookie of K's question to k->cookie. Returns its length. */
static uint8_t
draw_cookie(const struct sim *s, struct ask *k)
{
	const struct act *a = k->act;
	unsigned from = a->client;

	if (a->cookie == COOKIE_NONE || a->bufsize == 0)
		return 0;
	if (a->cookie == COOKIE_STOLEN)
		from = (from + 1) % SIM_CLIENTS;
	memcpy(k->cookie, s->cookies[from], sizeof(k->cookie));
	k->proven = a->cookie == COOKIE_GIVEN && k->cookie[0] != 0 && s->conf[0].cookies.client;
	if (k->cookie[0] == 0)
		memcpy(k->cookie, "\1client\1......................", sizeof(k->cookie));
	if (a->cookie == COOKIE_WRONG)
		k->cookie[DNS_COOKIE_CLIENT + 10] ^= 1;
	return a->cookie == COOKIE_FRESH ? DNS_COOKIE_CLIENT : COOKIE_LEN;
}

/* K's question to MSG. Returns its length. */
static size_t
write_question(const struct sim *s, struct ask *k, uint8_t *msg, size_t cap)
{
	const struct act *a = k->act;
	struct build_opt opt = { .present = a->bufsize > 0,
		.do_bit = a->do_bit,
		.bufsize = a->bufsize,
		.ede = DNS_EDE_NONE,
		.cookie_len = draw_cookie(s, k),
		.cookie = k->cookie };
	uint8_t name[DNS_NAME_MAX];
	size_t len;

	client_name(a, name, &k->truth);
	len = build_query(msg, cap,
	    &(struct build_question){ .id = k->id,
		.flags = a->cd ? DNS_CD : 0,
		.qname = name,
		.qtype = a->type,
		.qclass = DNS_CLASS_IN },
	    &opt);
	if (a->no_rd)
		wire_set_u16(msg + 2, (uint16_t)(wire_u16(msg + 2) & ~DNS_RD));
	k->question_len = name_len(name) + 4;
	memcpy(k->question, msg + DNS_HEADER_LEN, k->question_len);
	return len;
}

/* Was a cookie taken that we gave to this client, and no other one? */
static void
check_cookie(struct sim *s, const struct ask *k, bool good)
{
	bool sent = k->act->bufsize > 0 && s->conf[0].cookies.client;

	if (good && (!sent || k->act->cookie != COOKIE_GIVEN))
		sim_fail(s, "a cookie was taken that was not given");
}

void
client_ask(struct sim *s, const struct act *a)
{
	const struct stats *st = engine_stats(s->w.engine);
	uint64_t n_dropped = parts_count(&st->client_dropped);
	uint64_t good = parts_count(&st->client_cookies_good);
	struct ask *k = &s->asks[s->n_asks];
	uint8_t msg[512];
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = a->tcp ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.sock = s->n_asks,
		.from.gen = 1,
		.from.peer = address_of(a),
		.msg = msg };
	bool dropped;

	assert(s->n_asks++ < SIM_ASKS);
	k->act = a;
	k->at_ns = s->w.now_ns;
	k->slept_ns = s->slept_ns;
	k->id = (uint16_t)(s->n_asks * 7);
	k->limit = a->tcp ? DNS_MSG_MAX : a->bufsize < 512 ? 512 : a->bufsize < 1232 ? 512 : 1232;
	k->n_no_room = parts_count(&st->no_room);
	k->n_given_up = s->n_given_up;
	k->n_rare = s->n_rare;
	k->peer = in.from.peer;
	k->len = in.len = write_question(s, k, msg, sizeof(msg));
	k->open = true;
	s->n_open++;
	oracle_begins(s, k);
	rates_asks(s, k);
	rare_turn(s);
	engine_prepare(s->w.engine, &in, 1);
	engine_input(s->w.engine, &in, s->w.now_ns);
	dropped = rates_asked(s, k);
	world_drain(&s->w);
	check_cookie(s, k, parts_count(&st->client_cookies_good) > good);
	if (parts_count(&st->client_dropped) == n_dropped && !dropped)
		return;
	if (!k->open || (a->strict && !dropped))
		sim_fail(s, "a question dropped");
	k->open = false;
	s->n_open--;
}

/* What of the question is in the answer M to K, and what the client did not ask for is not. */
static void
check_form(struct sim *s, const struct ask *k, const struct msg *m, size_t len)
{
	const struct act *a = k->act;
	uint16_t copied = DNS_RD | DNS_CD | DNS_OPCODE;
	uint16_t asked = (uint16_t)((a->no_rd ? 0 : DNS_RD) | (a->cd ? DNS_CD : 0));
	bool cookies = s->conf[0].cookies.client && a->cookie != COOKIE_NONE;
	const uint8_t *cookie;
	size_t cookie_len = 0;

	if (m->id != k->id || memcmp(m->bytes + DNS_HEADER_LEN, k->question, k->question_len) != 0)
		sim_fail(s, "an answer to another question");
	if (len > k->limit)
		sim_fail(s, "an answer of %zu bytes, more than %u", len, k->limit);
	if ((m->flags & copied) != asked || !(m->flags & DNS_RA))
		sim_fail(s, "flags %x", m->flags);
	if (m->edns.present != (a->bufsize > 0) || m->edns.do_bit != a->do_bit)
		sim_fail(s, "OPT is not as in the question");
	cookie = msg_option(m, EDNS_COOKIE, &cookie_len);
	if ((cookie != NULL) != (cookies && a->bufsize > 0))
		sim_fail(s, "cookie or none");
	if (cookie == NULL)
		return;
	if (cookie_len != COOKIE_LEN || memcmp(cookie, k->cookie, DNS_COOKIE_CLIENT) != 0)
		sim_fail(s, "another cookie");
	memcpy(s->cookies[a->client], cookie, cookie_len);
}

void
client_answer(struct world *w, const struct packet_out *send, const uint8_t *bytes)
{
	struct sim *s = w->arg;
	struct ask *k = &s->asks[send->to.sock];
	struct msg m;

	if (send->to.sock >= s->n_asks || !k->open)
		sim_fail(s, "an answer to nobody");
	k->open = false;
	s->n_open--;
	if ((packet_is(&send->to, PACKET_CLIENT, TRANSPORT_TCP)) != k->act->tcp)
		sim_fail(s, "an answer by another way");
	if (msg_parse(&m, bytes, send->len) != MSG_OK || !(m.flags & DNS_QR))
		sim_fail(s, "no answer at all");
	check_form(s, k, &m, send->len);
	if (!rates_answered(s, k, &m, send->len))
		oracle_answer(s, k, &m);
}
