/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/antispoof.h"

#include <string.h>

#include "base/hash.h"
#include "dns/header.h"
#include "dns/name.h"
#include "outbound/id_attack.h"

void
antispoof_cookie(struct lookups *ls, struct lookup *l, struct build_opt *opt, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	l->now.cookie = ls->conf->cookies.upstream && opt->present &&
	    l->progress == LOOKUP_ASKED_DATAGRAM && l->now.way != WAY_PLAIN &&
	    upstream_guarded(&up->cookie.guard, now_ns);
	if (!l->now.cookie)
		return;
	if (UNLIKELY(up->cookie.len == 0)) {
		rng_fill(ls->rng, up->cookie.bytes, DNS_COOKIE_CLIENT);
		up->cookie.len = DNS_COOKIE_CLIENT;
	}
	l->now.cookie_known = up->cookie.len > DNS_COOKIE_CLIENT;
	opt->cookie = up->cookie.bytes;
	opt->cookie_len = up->cookie.len;
}

bool
antispoof_cookie_right(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];
	size_t len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (cookie == NULL)
		return !l->now.cookie_known;
	/*
	 * RFC 7873 section 5.3: a cookie of a length that is not allowed, or with another client
	 * cookie.
	 */
	if (len < DNS_COOKIE_MIN || len > DNS_COOKIE_MAX ||
	    memcmp(cookie, up->cookie.bytes, DNS_COOKIE_CLIENT) != 0)
		return false;
	if (UNLIKELY(len != up->cookie.len || memcmp(cookie, up->cookie.bytes, len) != 0)) {
		memcpy(up->cookie.bytes, cookie, len);
		up->cookie.len = (uint8_t)len;
		up->watched = true;
	}
	return true;
}

void
antispoof_mix(struct lookups *ls, struct lookup *l, uint8_t *qname, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	l->now.cases = 0;
	if (!ls->conf->case_randomization || l->progress != LOOKUP_ASKED_DATAGRAM ||
	    !upstream_guarded(&up->case_guard, now_ns))
		return;
	l->now.cases = rng_u64(ls->rng);
	name_mix(qname, l->key.qname_len, l->now.cases);
	l->now.spelling = hash_bytes(qname, l->key.qname_len, ls->seed);
}

enum antispoof_match
antispoof_name(const struct lookups *ls, const struct lookup *l, const uint8_t *name)
{
	bool mixed = l->now.cases != 0;

	if (mixed && hash_bytes(name, l->key.qname_len, ls->seed) == l->now.spelling)
		return ANTISPOOF_SAME;
	if (!name_equal_len(name, l->key.qname, l->key.qname_len))
		return ANTISPOOF_OTHER;
	return mixed ? ANTISPOOF_SUSPECT_CASE : ANTISPOOF_SAME;
}

static void
unmix_records(uint8_t *bytes, const struct msg *m, const uint8_t *mixed, const uint8_t *qname)
{
	struct msg_walk w = msg_walk_all(m);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		name_respell(bytes + rr.at, mixed, qname);
		if (m->dname && rr.type == DNS_TYPE_CNAME) /* RDATA is one whole name (RULES D25) */
			name_respell(bytes + rr.rdata, mixed, qname);
	}
}

void
antispoof_unmix(struct lookups *ls, const struct lookup *l, struct msg *m)
{
	const uint8_t *mixed = msg_qname(m);

	if (l->now.cases == 0 || m->qname_len == 0 || m->len > sizeof(ls->reply))
		return;
	memcpy(ls->reply, m->bytes, m->len);
	header_set_qname(ls->reply, l->key.qname, l->key.qname_len);
	msg_move(m, ls->reply);
	if (UNLIKELY(m->spelled || m->dname))
		unmix_records(ls->reply, m, mixed, l->key.qname);
}

/*
 * A digest of a reply: its rcode, answer and authority sections, without the order of the records
 * and their TTLs. Never 0.
 */
static uint32_t
digest(const struct lookups *ls, const struct msg *m)
{
	uint64_t sum = m->rcode + 1u;

	for (unsigned s = MSG_ANSWER; s <= MSG_AUTHORITY; s++) {
		struct msg_walk w = msg_walk(m, (enum msg_section)s);
		struct rr rr;

		while (msg_walk_next(&w, &rr))
			sum += hash_bytes(
			    m->bytes + rr.rdata, rr.rdlen, ls->seed + ((uint64_t)rr.type << 8 | s));
	}
	sum = (sum ^ sum >> 32) & UINT32_MAX;
	return sum != 0 ? (uint32_t)sum : 1;
}

static struct upstream_guard *
guard_of(struct lookups *ls, const struct lookup *l, enum lookup_suspect suspect)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	return suspect == LOOKUP_SUSPECT_CASE ? &up->case_guard : &up->cookie.guard;
}

/* The reply that SUSPECT's guard had stopped was asked for again; SAME: the second reply agreed. */
static void
confirmed(
    struct lookups *ls, struct lookup *l, enum lookup_suspect suspect, bool same, uint64_t now_ns)
{
	bool by_case = suspect == LOOKUP_SUSPECT_CASE;

	l->here.suspect = LOOKUP_NO_SUSPECT;
	for (unsigned i = 0; same && i < l->here.n_agreed && i < ANTISPOOF_AGREE - 1; i++)
		upstreams_on_seen(guard_of(ls, l, suspect), l->here.agreed_on[i]);
	if (!upstreams_on_confirmed(ls->upstreams, l->upstream, guard_of(ls, l, suspect),
		by_case ? "the case of a question" : "cookies", same, now_ns))
		return;
	stats_inc(&ls->stats->upstream_unguarded);
	/* Its server cookie may be of no use any more: begin with a new client cookie. */
	if (!by_case)
		ls->upstreams->table[l->upstream].cookie.len = 0;
}

bool
antispoof_right(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	/* Without a capital letter a forged reply would have passed as well. */
	if (l->now.cases != 0 && m->qname_len > 0 &&
	    memcmp(msg_qname(m), l->key.qname, l->key.qname_len) != 0)
		upstreams_on_right(&up->case_guard);
	if (l->now.cookie && l->now.cookie_known)
		upstreams_on_right(&up->cookie.guard);
	return (ls->conf->case_randomization && !up->case_guard.settled) ||
	    (up->cookie.len > DNS_COOKIE_CLIENT && !up->cookie.guard.settled);
}

/* A number for the socket or connection that attempt A went over; no other has it. */
static uint16_t
path_of(const struct attempt *a)
{
	_Static_assert(UPSTREAM_MAX_SOCKETS <= 0x8000, "a bit is left");
	return (uint16_t)(transport_is_stream(a->transport) << 15 | a->socket);
}

/*
 * Count the near miss with DIGEST (0: it was malformed). Returns how many agree, each on another
 * socket.
 */
static unsigned
count_agreed(struct lookup *l, uint32_t digest)
{
	if (digest != l->here.near_miss)
		l->here.n_agreed = 0;
	l->here.near_miss = digest;
	for (unsigned i = 0; i < l->here.n_agreed; i++) {
		if (l->here.agreed_on[i] == path_of(&l->now))
			return l->here.n_agreed;
	}
	if (digest == 0)
		return 0;
	if (l->here.n_agreed < ANTISPOOF_AGREE - 1)
		l->here.agreed_on[l->here.n_agreed] = path_of(&l->now);
	return ++l->here.n_agreed;
}

static void
forget_near_misses(struct lookup *l)
{
	l->here.near_miss = 0;
	l->here.n_agreed = 0;
	l->here.n_stopped = 0;
}

void
antispoof_count(struct stats *s, enum antispoof_match match)
{
	stats_inc(&s->upstream_mismatch);
	switch (match) {
	case ANTISPOOF_SAME:
		break;
	case ANTISPOOF_SUSPECT_CASE:
		stats_inc(&s->upstream_case);
		break;
	case ANTISPOOF_SUSPECT_COOKIE:
		stats_inc(&s->upstream_cookie);
		break;
	case ANTISPOOF_SUSPECT_EDNS:
		stats_inc(&s->upstream_edns);
		break;
	case ANTISPOOF_OTHER:
		stats_inc(&s->upstream_question);
		break;
	}
}

enum antispoof_stopped
antispoof_stop(struct lookups *ls, struct lookup *l, enum lookup_suspect suspect,
    const struct msg *m, uint64_t now_ns)
{
	upstreams_on_near_miss(ls->upstreams, l->upstream, guard_of(ls, l, suspect));
	if (count_agreed(l, m != NULL ? digest(ls, m) : 0) == ANTISPOOF_AGREE) {
		upstreams_on_seen(guard_of(ls, l, suspect), path_of(&l->now));
		confirmed(ls, l, suspect, true, now_ns);
		forget_near_misses(l);
		return ANTISPOOF_AGREED;
	}
	if (!l->here.no_tcp) {
		l->here.suspect = (uint8_t)suspect;
		lookup_plan(l, LOOKUP_NEEDS_STREAM);
	} else if (++l->here.n_stopped == ANTISPOOF_AT_MOST) {
		return ANTISPOOF_HOPELESS;
	}
	return ANTISPOOF_STOPPED;
}

void
antispoof_confirm(struct lookups *ls, struct lookup *l, const struct msg *m, uint64_t now_ns)
{
	bool same = l->here.near_miss == digest(ls, m);

	if (l->here.suspect == LOOKUP_SUSPECT_GUESS)
		l->here.suspect = LOOKUP_NO_SUSPECT;
	else
		confirmed(ls, l, (enum lookup_suspect)l->here.suspect, same, now_ns);
	forget_near_misses(l);
}

bool
antispoof_without_tcp(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (l->here.suspect == LOOKUP_NO_SUSPECT)
		return false;
	stats_inc(&ls->stats->upstream_id_attack_tcp_failed);
	id_attack_on_vain(ls, l->upstream, now_ns);
	l->stream.vain = l->stream.vain || l->here.suspect == LOOKUP_SUSPECT_GUESS;
	l->here.suspect = LOOKUP_NO_SUSPECT;
	l->here.no_tcp = true;
	lookup_plan(l, LOOKUP_NO_STREAM);
	return true;
}

void
antispoof_forget(struct lookup *l)
{
	l->here = (struct lookup_here){ .suspect = LOOKUP_NO_SUSPECT };
}
