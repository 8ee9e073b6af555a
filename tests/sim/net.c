/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/net.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "sim/history.h"
#include "sim/rare.h"
#include "sim/shell.h"

#define NEAR_MISSES \
	2          /* forged replies right in all but case or cookie, for one question at most \
		    */
#define GUESSES 20 /* forged replies with another ID, for each question of some forgers */
#define FORGER 6   /* index of the forger's own chances */

/* A question under way. */
struct trip {
	struct sim *s;
	const struct msg *m;
	const struct packet_out *send;
	unsigned up; /* from 0 */
	bool tcp, check;
	uint64_t key;   /* history_key */
	uint64_t luck;  /* of this question, of this upstream, and how often it came */
	uint64_t at_ns; /* when the reply arrives */
};

static struct parcel *
send_parcel(const struct trip *t, enum parcel_kind kind, uint64_t at_ns)
{
	struct sim *s = t->s;
	struct parcel *p;

	assert(s->n_parcels < SIM_PARCELS);
	p = &s->parcels[s->n_parcels++];
	p->at_ns = at_ns;
	p->order = s->n_sent++;
	p->kind = (uint8_t)kind;
	p->tcp = t->tcp;
	p->right = p->forged = p->established = p->other = p->alike = false;
	p->id = t->m->id;
	p->what = 0;
	p->sock = t->send->to.sock;
	p->gen = t->tcp ? s->conn_gen[p->sock] : s->slot_gen[p->sock];
	p->key = t->key;
	p->len = 0;
	return p;
}

static uint32_t
draw(const struct trip *t, uint32_t what, uint32_t below)
{
	return sim_draw(t->s, what, t->luck, below);
}

/* Is fault F there, and does it strike this time? */
static bool
struck(const struct trip *t, enum fault f)
{
	const struct act *a = sim_fault(t->s, f, t->up);

	return a != NULL && draw(t, 100 + f, 100) < a->much;
}

/* --- forged replies --------------------------------------------------------------------------- */

static void
turn_letters(uint8_t *name)
{
	for (size_t i = 0; name[i] != 0; i += name[i] + 1u)
		for (size_t k = 1; k <= name[i]; k++)
			if ((name[i + k] | 32) >= 'a' && (name[i + k] | 32) <= 'z')
				name[i + k] ^= 32;
}

static bool
is_mixed(const uint8_t *name)
{
	for (size_t i = 0; name[i] != 0; i += name[i] + 1u)
		for (size_t k = 1; k <= name[i]; k++)
			if (name[i + k] >= 'A' && name[i + k] <= 'Z')
				return true;
	return false;
}

/* May the question get one more reply that is right in all but case or cookie? */
static bool
may_be_near(const struct trip *t)
{
	uint8_t *n = &t->s->n_near[t->key % sizeof(t->s->n_near)];

	return *n < NEAR_MISSES && ++*n > 0;
}

/* One forged reply, which lacks something. */
static void
forge(const struct trip *t, uint32_t which, uint64_t at_ns)
{
	struct truth_reply how = { .forged = true }, true_one = { 0 };
	uint8_t said[SIM_PARCEL];
	int other = t->s->slot[(t->send->to.sock + 1) % SIM_UPSTREAMS];
	struct parcel *p;
	size_t cookie_len = 0;

	if (which == 1 && (other < 0 || other == (int)t->send->to.sock))
		which = 0;
	if (which == 2 && !(!t->s->lowers && is_mixed(msg_qname(t->m)) && may_be_near(t)))
		which = 0;
	if (which == 3 && !(msg_option(t->m, EDNS_COOKIE, &cookie_len) != NULL && may_be_near(t)))
		which = 0;
	p = send_parcel(t, PARCEL_MESSAGE, at_ns);
	p->forged = true;
	p->what = (uint8_t)which;
	p->len = truth_reply(p->bytes, sizeof(p->bytes), t->m, &how);
	p->alike = truth_reply(said, sizeof(said), t->m, &true_one) == p->len &&
	    memcmp(said, p->bytes, p->len) == 0;
	switch (which) {
	case 1: /* to another port */
		p->sock = (uint32_t)other;
		p->gen = t->s->slot_gen[p->sock];
		break;
	case 2:
		turn_letters(p->bytes + DNS_HEADER_LEN);
		break;
	case 3: /* the first octet of the cookie, which ends the message */
		p->bytes[p->len - 16] ^= 1;
		break;
	case 4: /* for another name */
		p->bytes[DNS_HEADER_LEN + 2] ^= 1;
		break;
	case 5: /* for another type */
		p->bytes[DNS_HEADER_LEN + t->m->qname_len + 1] ^= 2;
		break;
	default:
		wire_set_u16(p->bytes,
		    (uint16_t)(t->m->id + 1u +
			draw(t, (uint32_t)(12 + p->order % 64 * 256), 65535)));
		break;
	}
}

static void
forge_some(const struct trip *t)
{
	const struct act *a = sim_fault(t->s, FAULT_FORGER, t->up);
	unsigned n = 1 + draw(t, FORGER, 3), more = 0;

	if (t->tcp || a == NULL)
		return;
	if (a->much ==
	    100) /* so many that somebody is suspected of guessing IDs (outbound/id_attack) */
		more = GUESSES;
	for (unsigned i = 0; i < n + more; i++)
		forge(t, i < n ? draw(t, 20 + i, 6) : 0,
		    t->s->w.now_ns + draw(t, 30 + i, 20) * (uint64_t)NS_PER_MS);
}

/* --- true ones -------------------------------------------------------------------------------- */

static bool
has_cookie(const struct msg *m)
{
	size_t len = 0;

	return msg_option(m, EDNS_COOKIE, &len) != NULL;
}

/* What the upstream replies. Returns whether it is the truth. */
static bool
choose_reply(const struct trip *t, struct truth_reply *how)
{
	*how = (struct truth_reply){ 0 };
	if (struck(t, FAULT_SERVFAIL))
		how->rcode = DNS_SERVFAIL;
	else if (struck(t, FAULT_REFUSES))
		how->rcode = DNS_REFUSED;
	else if (struck(t, FAULT_FORMERR))
		how->rcode = DNS_FORMERR;
	else if (t->m->qtype == DNS_TYPE_AAAA && !(t->m->flags & DNS_CD) && struck(t, FAULT_BOGUS))
		how->rcode = DNS_SERVFAIL;
	else if (struck(t, FAULT_LAME))
		how->lame = true;
	else if (struck(t, FAULT_CUT) && !t->tcp)
		*how = (struct truth_reply){ .tc = true, .part = draw(t, 16, 2) };
	else if (struck(t, FAULT_BADCOOKIE) && !t->tcp && has_cookie(t->m))
		how->rcode = DNS_BADCOOKIE;
	else if (sim_fault(t->s, FAULT_NO_EDNS, t->up) != NULL && t->m->edns.present)
		*how = (struct truth_reply){ .rcode = DNS_FORMERR, .no_opt = true };
	else
		return true;
	return false;
}

static void
reply(const struct trip *t)
{
	struct sim *s = t->s;
	struct truth_reply how;
	bool lowered = !t->tcp && struck(t, FAULT_LOWERS) && is_mixed(msg_qname(t->m));
	bool right = choose_reply(t, &how) && !lowered;
	bool other = t->tcp && struck(t, FAULT_TCP_OTHER);
	bool broken = struck(t, FAULT_MALFORMED), twice = struck(t, FAULT_TWICE);
	struct parcel *p = send_parcel(t, PARCEL_MESSAGE, t->at_ns);

	p->right = right && !broken && !other && !t->check;
	p->len = truth_reply(p->bytes, sizeof(p->bytes), t->m, &how);
	if (!t->tcp && p->len > 512 && struck(t, FAULT_DROPS_LARGE)) {
		if (t->m->edns.present && t->m->edns.bufsize > 512) {
			s->n_parcels--; /* it was the last */
			history_touched(s, t->key, false);
			return;
		}
		how.tc = true;
		p->right = right = false;
		p->len = truth_reply(p->bytes, sizeof(p->bytes), t->m, &how);
	}
	if (lowered)
		name_lower(p->bytes + DNS_HEADER_LEN, p->bytes + DNS_HEADER_LEN, t->m->qname_len);
	if (broken)
		p->len -= 1 + draw(t, 13, 8);
	if (other) {
		p->bytes[DNS_HEADER_LEN + 2] ^= 1;
		p->other = true;
		send_parcel(t, PARCEL_LOST, t->at_ns)->established = true;
	}
	if (!right || broken || other)
		history_touched(t->s, t->key, true);
	if (twice && !t->tcp) {
		struct parcel *again =
		    send_parcel(t, PARCEL_MESSAGE, t->at_ns + draw(t, 14, 300) * NS_PER_MS);

		again->len = p->len;
		memcpy(again->bytes, p->bytes, p->len);
		again->right = p->right;
	}
}

/* Does a firewall drop it? */
static bool
is_dropped(const struct trip *t)
{
	return struck(t, FAULT_UDP_SILENT) || (t->m->edns.present && struck(t, FAULT_DROPS_EDNS)) ||
	    (has_cookie(t->m) && struck(t, FAULT_DROPS_OPTIONS));
}

/* The question gets lost, or nobody replies. */
static bool
is_lost(const struct trip *t)
{
	struct truth truth;

	truth_of(msg_qname(t->m), &truth);
	return struck(t, FAULT_SILENT) || (!t->tcp && (struck(t, FAULT_LOSSY) || is_dropped(t))) ||
	    (t->m->qtype == DNS_TYPE_AAAA && struck(t, FAULT_NO_AAAA)) ||
	    (truth.ours && !truth.open && truth_is_mute(truth.kind, t->m->qtype));
}

/* The connection, before a question goes over it. Returns whether the question arrives. */
static bool
connect_tcp(struct trip *t)
{
	struct sim *s = t->s;
	uint32_t conn = t->send->to.sock;
	bool was_up = s->conn_up[conn];

	if (struck(t, FAULT_TCP_FULL)) {
		send_parcel(t, PARCEL_FULL, s->w.now_ns);
		return false;
	}
	if (!was_up && (struck(t, FAULT_TCP_REFUSED) || struck(t, FAULT_REFUSED))) {
		send_parcel(t, PARCEL_LOST, t->at_ns);
		return false;
	}
	if (struck(t, FAULT_TCP_SILENT) || struck(t, FAULT_SILENT)) {
		send_parcel(t, was_up ? PARCEL_LOOK : PARCEL_LOST,
		    s->w.now_ns + (was_up ? 300U : 5000U) * NS_PER_MS);
		return false;
	}
	s->conn_up[conn] = true;
	if (!was_up)
		t->at_ns += s->rtt_ms[t->up] * NS_PER_MS;
	if (struck(t, FAULT_TCP_CLOSING) || struck(t, FAULT_REFUSED)) {
		send_parcel(t, PARCEL_LOST, t->at_ns)->established = true;
		return false;
	}
	return true;
}

static uint64_t
delay_ns(const struct trip *t)
{
	uint64_t ms = t->s->rtt_ms[t->up];
	const struct act *a = sim_fault(t->s, FAULT_SLOW, t->up);

	if (a != NULL)
		ms += a->much;
	a = t->tcp ? sim_fault(t->s, FAULT_TCP_SLOW, t->up) : NULL;
	if (a != NULL)
		ms += a->much;
	a = sim_fault(t->s, FAULT_DISORDER, t->up);
	if (a != NULL)
		ms += draw(t, 15, a->much + 1);
	if (ms > 45)
		history_touched(t->s, t->key, false);
	history_slow(t->s, t->key, ms * NS_PER_MS);
	return ms * NS_PER_MS;
}

size_t
net_question(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	struct sim *s = w->arg;
	bool tcp = packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP);
	struct trip t = { .s = s, .m = m, .send = send, .tcp = tcp };
	uint8_t lower[DNS_NAME_MAX];
	uint8_t *n;

	(void)out;
	t.up = shell_upstream(s, tcp, send->to.sock);
	t.key = history_asked(s, m, tcp, send->to.sock, &t.check);
	name_lower(lower, msg_qname(m), m->qname_len);
	t.luck = hash_bytes(lower, m->qname_len, m->qtype * 8u + t.up);
	n = &s->seen[t.luck % sizeof(s->seen)];
	t.luck += (uint64_t)*n << 8;
	if (*n < UINT8_MAX)
		(*n)++;
	t.at_ns = w->now_ns + delay_ns(&t);
	forge_some(&t);
	if (tcp && !connect_tcp(&t)) {
		history_touched(s, t.key, false);
		return 0;
	}
	if (is_lost(&t)) {
		history_touched(s, t.key, false);
	} else if (!tcp && struck(&t, FAULT_REFUSED)) {
		send_parcel(&t, PARCEL_REFUSED, w->now_ns + NS_PER_MS);
	} else {
		reply(&t);
	}
	return 0;
}

/* --- what arrives ----------------------------------------------------------------------------- */

uint64_t
net_next_ns(const struct sim *s)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < s->n_parcels; i++)
		first = s->parcels[i].at_ns < first ? s->parcels[i].at_ns : first;
	return first;
}

static void
hand_in(struct sim *s, const struct parcel *p)
{
	struct packet_in in = { .msg = p->bytes,
		.len = p->len,
		.from.side = PACKET_UPSTREAM,
		.from.transport = p->tcp ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.sock = p->sock };
	const struct stats *st = engine_stats(s->w.engine);
	uint64_t taken = parts_count(&st->upstream_replies), born_ns;

	if (p->tcp && !s->conn_up[p->sock])
		return;
	if (p->forged && p->what == 0 && history_is_open(s, wire_u16(p->bytes)))
		return; /* such luck has nobody */
	sim_say(s, "  %s%s reply %u by %s %u, rcode %u, %u, kind %u", p->forged ? "FORGED " : "",
	    p->right ? "right" : "wrong", p->id, p->tcp ? "TCP" : "UDP", p->sock, p->bytes[3] & 15u,
	    wire_u16(p->bytes), p->what);
	born_ns = history_heard(s, wire_u16(p->bytes), shell_number(s, p->tcp, p->sock), p->other);
	rare_turn(s);
	engine_prepare(s->w.engine, &in, 1);
	if (engine_input(s->w.engine, &in, s->w.now_ns) == ENGINE_SPOILT)
		shell_replace(s, p->sock);
	taken = parts_count(&st->upstream_replies) - taken;
	/* Who adds his voice to near misses that agree, and are true, does no harm (RULES D21). */
	if (p->forged && taken > 0 && !(p->alike && (p->what == 2 || p->what == 3)))
		sim_fail(s, "a forged reply was taken");
	if (!p->forged && taken > 0)
		history_taken(s, p, born_ns);
	if (taken > 0 && p->tcp)
		s->conn_good[p->sock] = true;
	world_drain(&s->w);
}

void
net_deliver(struct sim *s)
{
	for (;;) {
		unsigned first = 0;
		struct parcel p;

		for (unsigned i = 1; i < s->n_parcels; i++) {
			const struct parcel *a = &s->parcels[i], *b = &s->parcels[first];

			if (a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order))
				first = i;
		}
		if (s->n_parcels == 0 || s->parcels[first].at_ns > s->w.now_ns)
			return;
		p = s->parcels[first];
		s->parcels[first] = s->parcels[--s->n_parcels];
		if (p.gen != (p.tcp ? s->conn_gen[p.sock] : s->slot_gen[p.sock]))
			continue;
		if (p.kind == PARCEL_MESSAGE)
			hand_in(s, &p);
		else
			shell_event(s, &p);
	}
}
