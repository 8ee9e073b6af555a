/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dns/name.h"
#include "sim/shell.h"

uint64_t
history_key(const uint8_t *name, uint16_t type, bool do_bit, bool cd)
{
	uint8_t lower[DNS_NAME_MAX];
	size_t len = name_len(name);

	name_lower(lower, name, len);
	return hash_bytes(lower, len, (uint64_t)type << 2 | (do_bit ? 2 : 0) | (cd ? 1 : 0)) | 1;
}

struct fact *
history_fact(struct sim *s, uint64_t key)
{
	for (uint64_t i = key; i < key + SIM_FACTS; i++) {
		struct fact *f = &s->facts[i % SIM_FACTS];

		if (f->key == 0)
			f->key = key;
		if (f->key == key)
			return f;
	}
	abort();
}

struct fact *
history_target(struct sim *s, const uint8_t *name)
{
	struct truth t;

	truth_of(name, &t);
	return history_fact(s, history_key(t.ours ? t.target : name, 0, false, false));
}

/*
 * F is asked for, for a client: was it as often as clients may have it asked (RULES D28)? What a
 * forger makes leave anew they do not pay.
 */
static void
count_sends(struct sim *s, struct fact *f)
{
	if (++f->n_sends > f->n_clients * s->conf[0].max_upstream_questions + f->n_moved)
		sim_fail(s, "too many questions upstream: %u for %u of clients, %u moved",
		    f->n_sends, f->n_clients, f->n_moved);
}

unsigned
history_most(const struct sim *s)
{
	return s->conf[s->turn % 2].upstream_tries;
}

static struct lookup *
lookup_by(struct sim *s, uint16_t id)
{
	struct lookups *ls = &s->w.engine->lookups;

	return lookup_at(ls, ls->spaces[0].owner[id].lookup);
}

/* The sends of the lookup that ID belongs to. */
static struct sends *
sends_of(struct sim *s, const struct lookup *l)
{
	struct sends *n = &s->sends[l->number % SIM_LOOKUPS];

	if (n->born_ns != l->born_ns || n->number != l->number) {
		memset(n, 0, sizeof(*n));
		n->born_ns = l->born_ns;
		n->number = l->number;
	}
	return n;
}

uint64_t
history_asked(struct sim *s, const struct msg *m, bool tcp, uint32_t sock, bool *check)
{
	const struct lookup *l = lookup_by(s, m->id);
	unsigned u = shell_number(s, tcp, sock), most = history_most(s);
	struct sends *n = sends_of(s, l);
	char text[NAME_TEXT];
	uint64_t key;

	/* Whoever gives way makes room for another one with this number, in this moment. */
	if (l->n_sends == 1)
		memset(n->sends, 0, sizeof(n->sends));
	if (!tcp)
		n->slots |= UINT64_C(1) << sock % 64;
	*check = l->check == LOOKUP_CHECK_CD;
	sim_say(s, "  question %u by %s %u to u%u: %s %u%s%s", m->id, tcp ? "TCP" : "UDP", sock,
	    shell_upstream(s, tcp, sock), name_to_text(l->key.qname, text), m->qtype,
	    l->probe.is ? " (probe)" : "", *check ? " (check)" : "");
	if (l->here.suspect == LOOKUP_SUSPECT_GUESS) /* out of caution, by TCP: no try */
		n->heard[u][1]++;
	if (++n->sends[u][tcp] > most + n->heard[u][tcp])
		sim_fail(s, "sent %u times by %s to u%u, with %u events", n->sends[u][tcp],
		    tcp ? "TCP" : "UDP", shell_upstream(s, tcp, sock), n->heard[u][tcp]);
	if (l->probe.is)
		return 1;
	n->fact = history_target(s, l->key.qname);
	count_sends(s, n->fact);
	key = history_key(l->key.qname, l->key.qtype, l->key.do_bit, l->key.cd);
	history_fact(s, key)->asked_ns = s->w.now_ns;
	return key;
}

void
history_touched(struct sim *s, uint64_t key, bool replied)
{
	struct fact *f = history_fact(s, key);

	f->touched_ns = s->w.now_ns;
	f->n_lost += !replied;
	f->n_wrong += replied;
}

void
history_slow(struct sim *s, uint64_t key, uint64_t ns)
{
	struct fact *f = history_fact(s, key);

	f->slow_ns = ns > f->slow_ns ? ns : f->slow_ns;
}

uint64_t
history_heard(struct sim *s, uint16_t id, unsigned number, bool other)
{
	struct lookups *ls = &s->w.engine->lookups;
	struct sends *n;

	if (!txid_in_flight(&ls->spaces[0], id))
		return 0;
	n = sends_of(s, lookup_by(s, id));
	/* UDP stands for TCP that failed, and TCP for a near miss. */
	n->heard[number][0]++;
	if (!other)
		n->heard[number][1]++;
	/* That of one that has ended is nobody's answer. */
	return lookup_by(s, id)->wait == LOOKUP_LINGERS ? UINT64_MAX : n->born_ns;
}

void
history_unsent(struct sim *s, uint16_t id, unsigned number)
{
	struct fact *f;

	if (history_heard(s, id, number, false) == 0)
		return;
	f = sends_of(s, lookup_by(s, id))->fact;
	if (f != NULL && f->n_sends > 0)
		f->n_sends--;
}

void
history_given_up(struct sim *s, unsigned number, unsigned slot)
{
	uint64_t bit = UINT64_C(1) << slot % 64;

	for (unsigned i = 0; i < SIM_LOOKUPS; i++) {
		struct sends *n = &s->sends[i];

		n->heard[number][0]++;
		if (n->fact != NULL && n->slots & bit)
			n->fact->n_moved++;
		n->slots &= ~bit;
	}
}

bool
history_is_open(const struct sim *s, uint16_t id)
{
	return txid_in_flight(&s->w.engine->lookups.spaces[0], id);
}

void
history_lost(struct sim *s, unsigned conn)
{
	unsigned u = conn / TCP_POOL_SIZE;
	struct upstream *up = &s->w.engine->upstreams.table[u];
	struct list *open = &up->tcp[conn % TCP_POOL_SIZE].open;

	for (struct list *at = open->next; at != open; at = at->next) {
		struct sends *n = sends_of(
		    s, lookup_of(&s->w.engine->lookups, LIST_OBJECT(at, struct attempt, link)));

		if (s->conn_good[conn] || !(n->lost >> u & 1))
			n->heard[u][1]++;
		n->lost |= (uint64_t)!s->conn_good[conn] << u;
	}
	s->conn_good[conn] = false;
}

void
history_refused(struct sim *s, unsigned slot)
{
	struct list *open = &s->w.engine->upstreams.sockets[slot].open;

	for (struct list *at = open->next; at != open; at = at->next) {
		const struct lookup *l =
		    lookup_of(&s->w.engine->lookups, LIST_OBJECT(at, struct attempt, link));

		if (!l->probe.is)
			history_touched(s,
			    history_key(l->key.qname, l->key.qtype, l->key.do_bit, l->key.cd),
			    false);
	}
}

void
history_taken(struct sim *s, const struct parcel *p, uint64_t born_ns)
{
	struct fact *f = history_fact(s, p->key);

	if (p->right) {
		f->right_ns = s->w.now_ns;
		f->born_ns = born_ns;
	} else {
		f->wrong_ns = s->w.now_ns;
	}
}
