/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/store.h"

#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "cache/outages.h"
#include "dns/answer.h"
#include "dns/edit.h"
#include "dns/name.h"
#include "outbound/trace.h"

_Static_assert(OUTAGES_LIFE_S >= STORE_SILENCE_MOST_S, "an outage outlives its silences");

#define ECS_SCOPE_AT 3 /* offset of SCOPE PREFIX-LENGTH in the option (RFC 7871 section 6) */

/* --- The message as it is kept ---------------------------------------------------------------- */

/*
 * Is the answer for some networks only (RFC 7871)? Then it is not for other clients. We never ask
 * for such answers.
 */
static bool
is_for_some(const struct msg *m)
{
	size_t len = 0;
	const uint8_t *ecs;

	if (m->edns.options_len == 0)
		return false;
	ecs = msg_option(m, EDNS_ECS, &len);
	return ecs != NULL && !(len > ECS_SCOPE_AT && ecs[ECS_SCOPE_AT] == 0);
}

/*
 * Copy a reply without its OPT and AA (RULES D22), with the name of the key. The ID field gets the
 * upper bits of the rcode. Returns the length in bytes.
 */
static size_t
copy_message(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	uint8_t *out = ls->kept;
	size_t len = edit_copy_without_opt(out, LOOKUP_KEPT, m);

	header_set_id(out, m->rcode >> STORE_RCODE_SHIFT);
	header_clear_flags(out, DNS_AA);
	header_set_qname(out, l->key.qname, l->key.qname_len);
	return len;
}

/*
 * Write a message with the question only, for a failure without a reply. Returns its length in
 * bytes.
 */
static size_t
write_question(struct lookups *ls, const struct lookup *l, uint16_t rcode)
{
	uint8_t *out = ls->kept;

	header_start(
	    out, rcode >> STORE_RCODE_SHIFT, DNS_QR | DNS_RD | DNS_RA | (rcode & DNS_RCODE));
	header_set_qname(out, l->key.qname, l->key.qname_len);
	header_set_qtype(out, l->key.qname_len, l->key.qtype);
	header_set_qclass(out, l->key.qname_len, l->key.qclass);
	return header_question_end(l->key.qname_len);
}

/* --- How long --------------------------------------------------------------------------------- */

/* What the records of a message say about its TTLs (s). */
struct ttls {
	uint32_t least; /* smallest TTL of all records */
	uint32_t most;
	unsigned n_soas;   /* in the authority section */
	struct rr soa;     /* the first of them, if there is one */
	uint32_t negative; /* its negative TTL */
	bool answers;      /* a record of the question's type is in the answer section */
};

static void
note_soa(const struct msg *m, const struct rr *rr, struct ttls *t)
{
	uint32_t ttl;

	if (!msg_soa(m, rr, &ttl) || t->n_soas++ > 0)
		return;
	t->negative = ttl;
	t->soa = *rr;
}

static void
read_section(const struct msg *m, enum msg_section s, struct ttls *t)
{
	struct msg_walk w = msg_walk(m, s);
	struct rr rr;

	if (w.left == 0 || (s == MSG_ADDITIONAL && w.left == 1 && m->edns.present))
		return;
	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_OPT)
			continue;
		if (rr.ttl < t->least)
			t->least = rr.ttl;
		if (rr.ttl > t->most)
			t->most = rr.ttl;
		if (s == MSG_ANSWER && (rr.type == m->qtype || m->qtype == DNS_TYPE_ANY))
			t->answers = true;
		if (s == MSG_AUTHORITY && rr.type == DNS_TYPE_SOA)
			note_soa(m, &rr, t);
	}
}

static void
read_ttls(const struct msg *m, struct ttls *t)
{
	*t = (struct ttls){ .least = UINT32_MAX };
	for (enum msg_section s = MSG_ANSWER; s < MSG_SECTIONS; s++)
		read_section(m, s, t);
}

static uint32_t
smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
set_negative(const struct conf_cache *conf, const struct msg *m, uint32_t least, uint32_t minimum,
    struct cache_entry *e)
{
	e->kind = m->rcode == DNS_NXDOMAIN ? CACHE_NXDOMAIN : CACHE_NODATA;
	e->ttl_s = smaller(smaller(least, minimum), conf->max_negative_s);
}

/* The same, for a reply with a chain or with an SOA of another zone. */
static __attribute__((noinline)) void
judge_chain(
    const struct conf_cache *conf, const struct msg *m, const struct ttls *t, struct cache_entry *e)
{
	struct answer a;

	answer_scan(m, m->qtype, &a);
	if (a.has_soa)
		set_negative(conf, m, t->least, a.negative_ttl, e);
	else if (m->rcode == DNS_NOERROR && a.kind == ANSWER_OPEN && a.n_steps > 0)
		e->ttl_s = t->least;
}

/*
 * Set kind and TTL of a reply without records of the question's type. Without an SOA it is not
 * stored (RFC 2308 section 5), except an open chain, which is stored for the TTL of its records.
 */
static void
judge_negative(
    const struct conf_cache *conf, const struct msg *m, const struct ttls *t, struct cache_entry *e)
{
	e->ttl_s = 0;
	if (m->count[MSG_ANSWER] == 0 && t->n_soas > 0 && msg_owner_in_question(m, &t->soa))
		set_negative(conf, m, t->least, t->negative, e);
	else
		judge_chain(conf, m, t, e);
}

/* Set kind and TTL of a reply; ttl_s 0: do not store it. */
static void
judge(
    const struct conf_cache *conf, const struct msg *m, const struct ttls *t, struct cache_entry *e)
{
	e->kind = CACHE_POSITIVE;
	e->ttl_s = t->least;
	if (m->rcode == DNS_NXDOMAIN || !t->answers)
		judge_negative(conf, m, t, e);
	if (e->ttl_s == 0)
		return;
	e->ttl_s = smaller(e->ttl_s, conf->max_ttl_s);
	if (e->ttl_s < conf->min_ttl_s)
		e->ttl_s = conf->min_ttl_s;
}

/*
 * Bring the TTLs of the stored message within our bounds, so that they are true when it is used:
 * none is shorter than the entry's or over max_ttl_s, and that of an SOA is the negative TTL.
 */
static void
bound_all(uint8_t *bytes, size_t len, const struct conf_cache *conf, const struct cache_entry *e)
{
	struct msg_walk w;
	struct rr rr;
	struct msg m;

	if (msg_parse(&m, bytes, len) != MSG_OK)
		return;
	w = msg_walk_all(&m);
	while (msg_walk_next(&w, &rr)) {
		uint32_t ttl = smaller(rr.ttl, conf->max_ttl_s);

		if (ttl < e->ttl_s || (e->kind != CACHE_POSITIVE && rr.type == DNS_TYPE_SOA))
			ttl = e->ttl_s;
		edit_set_ttl(bytes, &rr, ttl);
	}
}

/* The same. Mostly only the TTL of the SOA changes, and its offset is known. */
static void
bound_ttls(uint8_t *bytes, size_t len, const struct conf_cache *conf, const struct ttls *t,
    const struct cache_entry *e)
{
	if (t->least >= e->ttl_s && t->most <= conf->max_ttl_s && t->n_soas == 1)
		edit_set_ttl(bytes, &t->soa, e->ttl_s);
	else
		bound_all(bytes, len, conf, e);
}

/* --- Keeping ---------------------------------------------------------------------------------- */

/* May an NXDOMAIN cover the names below it too (RFC 8020, RULES D22)? */
static bool
cuts(const struct conf_cache *conf, const struct lookup_result *result)
{
	switch (conf->cut) {
	case CONF_CUT_OFF:
		return false;
	case CONF_CUT_SECURE:
		return result->trusted && result->msg->flags & DNS_AD;
	case CONF_CUT_ALL:
		break;
	}
	return true;
}

/* Remove the entry: it is no longer true, and the new reply may not be stored (RULES D22). */
static void
forget(struct lookups *ls, const struct lookup *l)
{
	cache_remove(ls->conf->cache, &l->key);
}

static void
keep_reply(
    struct lookups *ls, const struct lookup *l, const struct lookup_result *result, uint64_t now_ns)
{
	const struct conf_cache *conf = &ls->conf->keep;
	const struct msg *m = result->msg;
	struct question key = l->key;
	struct cache_entry e = { .flags = CACHE_WITH_MSG, .ede = DNS_EDE_NONE };
	struct ttls t;

	read_ttls(m, &t);
	judge(conf, m, &t, &e);
	if (UNLIKELY(ls->traced.anybody))
		trace_kept(ls, &key, &e, now_ns);
	if (e.ttl_s == 0) {
		forget(ls, l);
		return;
	}
	if (m->edns.options_len > 0)
		e.ede = msg_ede(m);
	if (result->trusted)
		e.flags |= CACHE_TRUSTED;
	if (msg_is_plain(m))
		e.flags |= CACHE_PLAIN;
	if (e.kind == CACHE_NXDOMAIN && m->count[MSG_ANSWER] == 0) {
		key.qtype = SHARD_ANY_TYPE;
		if (cuts(conf, result) && name_labels(l->key.qname) < SHARD_CUT_DEPTHS)
			e.flags |= CACHE_CUT;
	}
	size_t len = copy_message(ls, l, m);
	if (e.kind != CACHE_POSITIVE || t.least < e.ttl_s || t.most > conf->max_ttl_s)
		bound_ttls(ls->kept, len, conf, &t, &e);
	cache_put(ls->conf->cache, &key, &e, ls->kept, len, clock_s(now_ns));
}

/*
 * s: the longest that a failure of KIND is stored, so that a recovery is soon noticed (RULES D22).
 */
static uint32_t
longest(const struct conf_cache *conf, enum cache_kind kind)
{
	uint32_t most_s = kind == CACHE_SILENT ? STORE_SILENCE_MOST_S : STORE_ERROR_MOST_S;

	return conf->failure_s > most_s ? conf->failure_s : most_s;
}

/*
 * Store that all upstreams failed (RULES D4), so that they are not asked again for every question.
 */
static void
keep_failure(
    struct lookups *ls, const struct lookup *l, const struct lookup_result *result, uint64_t now_ns)
{
	const struct conf_cache *conf = &ls->conf->keep;
	uint32_t now_s = clock_s(now_ns);
	const struct cache_want want = { .now_s = now_s, .stale_s = conf->stale_s };
	const struct question key = l->key;
	struct cache_entry e = {
		.kind = CACHE_SILENT,
		.ede = DNS_EDE_NONE,
		.ttl_s = conf->failure_s,
		.took_s = now_s - clock_s(l->born_ns),
	};
	size_t len;

	if (result->outcome == LOOKUP_ERROR)
		e.kind = CACHE_ERROR;
	else if (result->outcome == LOOKUP_BOGUS)
		e.kind = CACHE_BOGUS;
	if (UNLIKELY(ls->traced.anybody))
		trace_kept(ls, &key, &e, now_ns);
	if (result->msg != NULL) {
		e.flags = CACHE_WITH_MSG;
		e.ede = result->outcome == LOOKUP_BOGUS ? msg_ede_dnssec(result->msg)
							: msg_ede(result->msg);
		len = copy_message(ls, l, result->msg);
	} else {
		len = write_question(ls, l, result->rcode);
	}
	cache_put_failure(ls->conf->cache, &key, &e, ls->kept, len, &want, longest(conf, e.kind));
}

/* May results of this lookup be in the cache at all? */
static bool
has_key(const struct lookup *l)
{
	/*
	 * SHARD_ANY_TYPE (0) means all types in a key, so the answer to a question for type 0 has
	 * no key.
	 */
	return l->message.bytes == NULL && !l->probe.is && l->key.qtype != SHARD_ANY_TYPE;
}

/* May reply M be given to other clients? */
static bool
may_keep(const struct lookup *l, const struct msg *m)
{
	return m->len <= SHARD_MSG_MAX && m->qname_len == l->key.qname_len && !m->signature &&
	    !is_for_some(m);
}

void
store_result(
    struct lookups *ls, const struct lookup *l, const struct lookup_result *result, uint64_t now_ns)
{
	const struct msg *m = result->msg;

	if (!has_key(l))
		return;
	switch (result->outcome) {
	case LOOKUP_REPLY:
		if (UNLIKELY(!may_keep(l, m)))
			forget(ls, l);
		else
			keep_reply(ls, l, result, now_ns);
		break;
	case LOOKUP_ERROR:
	case LOOKUP_BOGUS:
	case LOOKUP_SILENT:
		/*
		 * A name is not to blame if there was no upstream to ask, if the outage is over, or
		 * if it could not be asked for as often as usual.
		 */
		if (m != NULL ? may_keep(l, m)
			      : l->wait != LOOKUP_HOPELESS && !l->excuse.hindered &&
			    !l->waiters.over_budget)
			keep_failure(ls, l, result, now_ns);
		break;
	case LOOKUP_TRUNCATED: /* never (RULES D1) */
	case LOOKUP_NO_ROOM:   /* nor a lack of our own room (RULES D26) */
		break;
	}
}

void
store_limit(const struct conf_core *conf)
{
	cache_limit(conf->cache, conf->keep.max_ttl_s, conf->keep.max_negative_s);
}

void
store_changes(struct cache *c, unsigned changed, uint64_t now_ns)
{
	uint32_t now_s = clock_s(now_ns);

	if (changed & UPSTREAMS_DISTRUST)
		cache_distrust(c, now_s);
	if (changed & UPSTREAMS_NEW)
		cache_revived(c, now_s - STORE_SILENCE_MOST_S, now_s);
}
