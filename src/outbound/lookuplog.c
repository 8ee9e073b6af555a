/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/lookuplog.h"

#include <stdio.h>

#include "base/log.h"
#include "dns/mnemonic.h"

const char *
lookuplog_about(char text[static LOOKUPLOG_ABOUT], const uint8_t *name, uint16_t qtype)
{
	char name_text[NAME_TEXT], type[TYPE_TEXT];

	snprintf(text, LOOKUPLOG_ABOUT, "%s %s", name_to_text(name, name_text),
	    type_to_text(qtype, type));
	return text;
}

/* --- upstream --------------------------------------------------------------------------------- */

static const char *
over(const struct attempt *a)
{
	return transport_traits[a->transport].title;
}

/* Why L asks the upstream that it asks first. */
static const char *
why_first(const struct upstreams *us, const struct lookup *l, unsigned before)
{
	static const char *const modes[] = { [CONF_RANDOM] = "among the cheapest, by chance",
		[CONF_FASTEST] = "the fastest",
		[CONF_ROUND_ROBIN] = "the next in turn",
		[CONF_IN_ORDER] = "the first in order that is good" };

	if (us->n_order == 1)
		return "the only one";
	if (upstreams_all_down(us))
		return "all are down";
	if (l->exploring)
		return "to measure it again";
	if (before == l->upstream)
		return "it replied about this name before";
	return modes[us->selection];
}

static const char *
why(const struct upstreams *us, const struct lookup *l, unsigned before)
{
	if (l->probe.is)
		return "a probe";
	if (l->n_sends == 1)
		return why_first(us, l, before);
	if (l->check != LOOKUP_CHECK_NONE)
		return "to find out whether SERVFAIL means that the data is bogus";
	if (l->here.suspect != LOOKUP_NO_SUSPECT)
		return "to confirm a reply that may be forged";
	if (before == l->upstream)
		return "the same once more";
	if (l->tried.best_rcode != DNS_NOERROR)
		return "after an error";
	return l->earlier != NULL ? "beside one that is slow or silent" : "another one";
}

void
lookuplog_asks(const struct lookups *ls, const struct lookup *l, unsigned before)
{
	const struct upstreams *us = ls->upstreams;
	char text[LOOKUPLOG_ABOUT], addr[NETADDR_TEXT];

	log_debug(LOG_UPSTREAM, "%s: asked for %s over %s, attempt %u: %s",
	    netaddr_format(&us->table[l->upstream].addr, addr),
	    lookuplog_about(text, l->key.qname, l->key.qtype), over(&l->now), l->n_sends,
	    why(us, l, before));
}

void
lookuplog_reply(
    const struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns)
{
	char text[LOOKUPLOG_ABOUT], addr[NETADDR_TEXT], rcode[MNEMONIC_TEXT];

	log_debug(LOG_UPSTREAM, "%s: replies about %s over %s in %.3f ms: %s%s, %u answers",
	    netaddr_format(&ls->upstreams->table[l->now.upstream].addr, addr),
	    lookuplog_about(text, l->key.qname, l->key.qtype), over(&l->now),
	    lookuplog_ms(l->now.sent_ns, now_ns), mnemonic_rcode(m->rcode, rcode),
	    m->flags & DNS_TC ? ", truncated" : "", m->count[MSG_ANSWER]);
}

void
lookuplog_silent(
    const struct lookups *ls, const struct lookup *l, const struct attempt *a, uint64_t now_ns)
{
	char text[LOOKUPLOG_ABOUT], addr[NETADDR_TEXT];

	log_debug(LOG_UPSTREAM, "%s: no reply about %s over %s in %.3f ms",
	    netaddr_format(&ls->upstreams->table[a->upstream].addr, addr),
	    lookuplog_about(text, l->key.qname, l->key.qtype), over(a),
	    lookuplog_ms(a->sent_ns, now_ns));
}

/* --- cache ------------------------------------------------------------------------------------ */

static const char *
kind_text(enum cache_kind kind)
{
	static const char *const names[] = { [CACHE_POSITIVE] = "data",
		[CACHE_NODATA] = "no data",
		[CACHE_NXDOMAIN] = "it does not exist",
		[CACHE_ERROR] = "upstream's error",
		[CACHE_SILENT] = "upstream's silence",
		[CACHE_BOGUS] = "it is bogus" };

	return names[kind];
}

void
lookuplog_found(const struct question *key, const struct cache_entry *e)
{
	char text[LOOKUPLOG_ABOUT];

	log_debug(LOG_CACHE, "%s %s: %s, %u s old, TTL %u%s", cache_fresh(e) ? "hit" : "stale",
	    lookuplog_about(text, key->qname, key->qtype), kind_text(e->kind), e->age_s, e->ttl_s,
	    e->due ? ", to be refreshed" : "");
}

void
lookuplog_kept(const struct question *key, const struct cache_entry *e)
{
	char text[LOOKUPLOG_ABOUT];

	lookuplog_about(text, key->qname, key->qtype);
	if (e->ttl_s == 0)
		log_debug(LOG_CACHE, "not kept %s: it has no time to live", text);
	else
		log_debug(LOG_CACHE, "kept %s: %s, TTL %u", text, kind_text(e->kind), e->ttl_s);
}
