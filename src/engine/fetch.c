/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/fetch.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cache/cache.h"
#include "dns/build.h"
#include "dns/edit.h"
#include "dns/name.h"
#include "engine/store.h"
#include "outbound/trace.h"

/* Count the TTLs down; a stale entry's TTLs are FETCH_STALE_TTL (RFC 8767 section 4). */
static void
age(struct fetch *f, const struct cache_entry *e)
{
	if (f->stale)
		edit_set_ttls(f->bytes, &f->msg, FETCH_STALE_TTL);
	else
		edit_age(f->bytes, &f->msg, e->age_s);
}

/* --- Rotation --------------------------------------------------------------------------------- */

#define ROTATED_MAX 64              /* addresses that rotate; further ones keep their places */
#define ROTATED_WORK 8192           /* labels that may be compared to find them */
#define GOLDEN UINT32_C(2654435769) /* 2^32 divided by the golden ratio */

/*
 * Find the addresses of the first owner name in the answer section; AT gets the offsets of their
 * RDATA. Returns their number.
 */
static unsigned
find_addresses(const struct msg *m, size_t rdlen, size_t at[static ROTATED_MAX])
{
	uint8_t owner[DNS_NAME_MAX];
	unsigned found = 0, left = ROTATED_WORK;
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (found < ROTATED_MAX && msg_walk_next(&w, &rr)) {
		if (rr.type != m->qtype || rr.rdlen != rdlen)
			continue;
		if (found == 0 && msg_owner(m, &rr, owner) == 0)
			return 0;
		if (name_equal_within(m->bytes, m->len, rr.at, owner, &left))
			at[found++] = rr.rdata;
	}
	return found;
}

/*
 * Rotate the addresses, so that each comes first equally often. Records of the same name, type and
 * length exchange their RDATA. Each hit rotates by an irrational part of a round, so that names
 * that are asked alternately, or A after AAAA, do not fall into step.
 */
static void
rotate(struct fetch *f)
{
	size_t rdlen = f->msg.qtype == DNS_TYPE_A ? 4 : 16;
	uint8_t data[ROTATED_MAX][16];
	size_t at[ROTATED_MAX];
	unsigned n, first;

	if (f->msg.qtype != DNS_TYPE_A && f->msg.qtype != DNS_TYPE_AAAA)
		return;
	n = find_addresses(&f->msg, rdlen, at);
	if (n < 2)
		return;
	f->rotation += GOLDEN;
	first = (unsigned)((uint64_t)f->rotation * n >> 32);
	for (unsigned i = 0; i < n; i++)
		memcpy(data[i], f->bytes + at[i], rdlen);
	for (unsigned i = 0; i < n; i++)
		memcpy(f->bytes + at[i], data[(i + first) % n], rdlen);
}

/* --- Hits ------------------------------------------------------------------------------------- */

static enum lookup_outcome
outcome_of(enum cache_kind kind)
{
	switch (kind) {
	case CACHE_POSITIVE:
	case CACHE_NODATA:
	case CACHE_NXDOMAIN:
		break;
	case CACHE_ERROR:
		return LOOKUP_ERROR;
	case CACHE_SILENT:
		return LOOKUP_SILENT;
	case CACHE_BOGUS:
		return LOOKUP_BOGUS;
	}
	return LOOKUP_REPLY;
}

/*
 * Parse the entry's bytes, with an OPT as that of the reply if it said something: the upper bits of
 * the rcode, an extended error (RULES D22).
 */
static __attribute__((noinline)) bool
parse_whole(struct fetch *f, const struct question *key, const struct cache_entry *e)
{
	const uint16_t upper = header_id(f->bytes);
	size_t len = e->len;

	if (e->ede != DNS_EDE_NONE || upper != 0) {
		const struct edit_opt opt = { .bufsize = DNS_UDP_MIN,
			.rcode = (uint16_t)(upper << STORE_RCODE_SHIFT),
			.ede = e->ede };

		len = edit_append_opt(f->bytes, len, sizeof(f->bytes), &opt);
	}
	return msg_parse(&f->msg, f->bytes, len) == MSG_OK && f->msg.qname_len == key->qname_len;
}

/*
 * Make the entry's bytes a message about KEY's type, since an NXDOMAIN is stored once for all
 * types, and parse it.
 */
static bool
parse(struct fetch *f, const struct question *key, const struct cache_entry *e)
{
	header_set_qtype(f->bytes, key->qname_len, key->qtype);
	if (f->stale) /* stale data does not count as validated (RULES D9) */
		header_clear_flags(f->bytes, DNS_AD);
	if (UNLIKELY(!(e->flags & CACHE_PLAIN)) || e->ede != DNS_EDE_NONE ||
	    header_id(f->bytes) != 0)
		return parse_whole(f, key, e);
	msg_plain(&f->msg, f->bytes, e->len, key->qname_len);
	return true;
}

static enum fetch_found
hit(struct fetch *f, const struct conf_core *conf, struct stats *stats, const struct question *key,
    const struct cache_entry *e)
{
	f->stale = !cache_fresh(e);
	f->failing = e->failing;
	if (log_debugs(LOG_CACHE))
		trace_found(key, e);
	if (!parse(f, key, e))
		return FETCH_NOTHING;
	if (e->age_s > 0)
		age(f, e);
	if (conf->keep.rotate)
		rotate(f);
	f->result = (struct lookup_result){ .outcome = LOOKUP_REPLY,
		.rcode = f->msg.rcode,
		.upstream = UPSTREAM_NONE,
		.trusted = (e->flags & CACHE_TRUSTED) != 0 && !f->stale,
		.msg = e->flags & CACHE_WITH_MSG ? &f->msg : NULL };
	stats_hit(stats, key->qtype);
	if (e->kind >= CACHE_ERROR) {
		f->result.outcome = outcome_of(e->kind);
		stats_inc(&stats->cache_failures);
	}
	if (f->stale)
		stats_inc(&stats->cache_stale);
	return e->due && conf->keep.prefetch ? FETCH_DUE : FETCH_HIT;
}

/*
 * Turn the NXDOMAIN of a name above into one for KEY's name (RFC 8020 section 2): the authority
 * section proves both.
 */
static bool
lower(struct fetch *f, const struct question *key, struct cache_entry *e)
{
	const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
	struct build_question question = {
		.qname = key->qname, .qtype = key->qtype, .qclass = key->qclass
	};
	uint8_t out[PACKET_UDP_CAP];
	struct build b;
	struct msg_walk w;
	struct rr rr;
	struct msg m;

	if (msg_parse(&m, f->bytes, e->len) != MSG_OK)
		return false;
	question.flags = m.flags;
	build_start(&b, out, sizeof(out), &question);
	b.rcode = DNS_NXDOMAIN;
	w = msg_walk(&m, MSG_AUTHORITY);
	while (msg_walk_next(&w, &rr)) {
		if (!build_copy(&b, MSG_AUTHORITY, &m, &rr, rr.ttl))
			return false;
	}
	e->len = build_finish(&b, sizeof(out), &no_opt);
	e->flags &= (uint8_t)~CACHE_PLAIN;
	memcpy(f->bytes, out, e->len);
	return true;
}

/*
 * Do the current settings let E, the NXDOMAIN of a name above in F, be used? It was stored under
 * the settings of its time (RULES D22).
 */
static bool
still_cuts(const struct fetch *f, const struct conf_core *conf, const struct cache_entry *e)
{
	return conf->keep.cut == CONF_CUT_ALL ||
	    (e->flags & CACHE_TRUSTED && header_flags(f->bytes) & DNS_AD);
}

/* Do the settings ever let an NXDOMAIN of a name above be used (RULES D22)? */
static bool
may_cut(const struct conf_core *conf)
{
	switch (conf->keep.cut) {
	case CONF_CUT_OFF:
		return false;
	case CONF_CUT_SECURE:
		return conf->any_trusted;
	case CONF_CUT_ALL:
		break;
	}
	return true;
}

static bool
takes(enum fetch_take take, const struct cache_entry *e)
{
	switch (take) {
	case FETCH_UNEXPIRED:
	case FETCH_FAILING:
	case FETCH_LOOKING:
		break;
	case FETCH_RECORDS:
		if (e->kind != CACHE_NXDOMAIN)
			return true;
		break;
	case FETCH_ALL:
		return true;
	}
	return cache_fresh(e) || e->failing;
}

enum fetch_found
fetch_find(struct fetch *f, const struct conf_core *conf, struct stats *stats,
    const struct question *key, enum fetch_take take, uint64_t now_ns)
{
	const struct cache_want want = { .now_s = clock_s(now_ns),
		.stale_s = take != FETCH_UNEXPIRED ? conf->keep.stale_s : 0,
		.ask = take == FETCH_FAILING };
	size_t cap = sizeof(f->bytes) - EDIT_OPT_MAX;
	struct cache_entry *e = &f->entry;
	bool stale = false;

	if (cache_get(conf->cache, key, &want, f->bytes, cap, e)) {
		if (takes(take, e))
			return hit(f, conf, stats, key, e);
		stale = true;
	}
	if (may_cut(conf) && cache_get_above(conf->cache, key, want.now_s, f->bytes, cap, e) &&
	    still_cuts(f, conf, e) && lower(f, key, e)) {
		stats_inc(&stats->cache_cut);
		return hit(f, conf, stats, key, e);
	}
	return stale ? FETCH_STALE : FETCH_NOTHING;
}

bool
fetch_exists(struct fetch *f, const struct conf_core *conf, const struct question *key,
    uint32_t stale_s, uint64_t now_ns)
{
	const struct cache_want want = { .now_s = clock_s(now_ns), .stale_s = stale_s };
	struct cache_entry e;

	return cache_get(conf->cache, key, &want, f->bytes, sizeof(f->bytes) - EDIT_OPT_MAX, &e);
}
