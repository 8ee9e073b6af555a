/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/request.h"

#include <string.h>

#include "base/log.h"
#include "base/logonce.h"
#include "dns/name.h"
#include "dns64/reverse.h"
#include "dns64/special.h"
#include "engine/explain.h"

/* Answer locally, with RCODE, for REASON. */
static void
set_local(struct query *q, uint16_t rcode, enum reason reason)
{
	q->state = QUERY_LOCAL;
	q->came.rcode = rcode;
	q->reason = (uint8_t)reason;
}

static void
set_negative(struct query *q, uint16_t rcode, size_t zone_at, enum reason reason)
{
	set_local(q, rcode, reason);
	q->local.kind = QUERY_LOCAL_EMPTY;
	q->local.zone_at = (uint8_t)zone_at;
}

/*
 * The local answer to PTR of V4 (network byte order); SPECIAL_ASK if its name is in no locally
 * served zone (RFC 6303).
 */
static enum special_answer
decide_local(const struct queries *qs, const uint8_t v4[static 4])
{
	uint8_t name[DNS_NAME_MAX];
	struct zonemap_path path;
	size_t at = 0;

	zonemap_path(&path, name, reverse_name(v4, name));
	if (!qs->conf->local_zones ||
	    zonemap_find(qs->conf->policies->common.special, &path, &at) != SPECIAL_LOCAL_ZONE)
		return SPECIAL_ASK;
	return special_decide(SPECIAL_LOCAL_ZONE, at == 0, DNS_TYPE_PTR);
}

/*
 * Sort a reverse name under a prefix of ours or under the Well-Known Prefix (RFC 6147 section
 * 5.3.1).
 */
static void
sort_reverse(struct queries *qs, struct query *q, const struct pref64 *p, size_t zone_at)
{
	const struct policy *policy = query_policy(qs, q);
	enum special_answer local;
	struct reverse r;

	reverse_find(q->req.qname, p, 1, &r);
	if (r.kind != REVERSE_ADDRESS || q->req.qtype != DNS_TYPE_PTR) {
		set_negative(q, r.kind == REVERSE_NXDOMAIN ? DNS_NXDOMAIN : DNS_NOERROR, zone_at,
		    REASON_REVERSE_EMPTY);
		return;
	}
	memcpy(q->local.v4, r.v4, sizeof(q->local.v4));
	if (special_is_wka(r.v4) || policy->reverse == POLICY_REVERSE_LOCAL) {
		set_local(q, DNS_NOERROR, REASON_REVERSE_NAME);
		q->local.kind = QUERY_LOCAL_NAME;
		return;
	}
	local = decide_local(qs, r.v4);
	if (local != SPECIAL_ASK) {
		set_negative(q, local == SPECIAL_NXDOMAIN ? DNS_NXDOMAIN : DNS_NOERROR, zone_at,
		    REASON_LOCAL_ZONE);
		return;
	}
	q->local.zone_at = (uint8_t)zone_at;
	q->state = QUERY_REVERSE;
}

enum reason
request_special_reason(enum special kind)
{
	switch (kind) {
	case SPECIAL_IPV4ONLY:
	case SPECIAL_WKA:
		break;
	case SPECIAL_RESOLVER:
		return REASON_RESOLVER;
	case SPECIAL_LOCALHOST:
		return REASON_LOCALHOST;
	case SPECIAL_INVALID:
		return REASON_INVALID;
	case SPECIAL_LOCAL_ZONE:
		return REASON_LOCAL_ZONE;
	}
	return REASON_IPV4ONLY;
}

/*
 * Sort a name in a special zone, which is answered locally (RULES D15, D17). False: upstream is
 * asked.
 */
static bool
sort_special(struct queries *qs, struct query *q, enum special kind, size_t zone_at)
{
	enum special_answer answer = special_decide(kind, zone_at == 0, q->req.qtype);

	if (answer == SPECIAL_ASK || (kind == SPECIAL_LOCAL_ZONE && !qs->conf->local_zones))
		return false;
	if (answer == SPECIAL_NXDOMAIN || answer == SPECIAL_NODATA) {
		set_negative(q, answer == SPECIAL_NXDOMAIN ? DNS_NXDOMAIN : DNS_NOERROR, zone_at,
		    request_special_reason(kind));
		return true;
	}
	set_local(q, DNS_NOERROR, request_special_reason(kind));
	q->local.kind = QUERY_LOCAL_SPECIAL;
	q->local.special = (uint8_t)answer;
	q->local.zone_at = (uint8_t)zone_at;
	return true;
}

/*
 * Sort a name that is in a special zone or under a prefix. False: it is not, or upstream is asked.
 */
static bool
sort_by_name(struct queries *qs, struct query *q, const struct zonemap_path *path)
{
	const struct policies *ps = qs->conf->policies;
	size_t at = 0;
	uint32_t special = zonemap_find(ps->common.special, path, &at);
	uint32_t place = ZONEMAP_NONE;

	if (special != ZONEMAP_NONE && special != SPECIAL_LOCAL_ZONE)
		return sort_special(qs, q, (enum special)special, at);
	/* A prefix goes before the documentation network that it may be part of (RFC 6303). */
	if (!q->req.hands_off)
		place = zonemap_find(ps->site.reverse, path, &at);
	if (place != ZONEMAP_NONE) {
		sort_reverse(qs, q, &ps->site.prefixes[place].prefix, at);
		return true;
	}
	return special != ZONEMAP_NONE && sort_special(qs, q, (enum special)special, at);
}

/* How DNS64 works for this client and name (RULES D7, D13). Notes in Q why it works otherwise. */
static enum policy_synthesize
dns64_for(const struct policy *p, struct query *q, const struct zonemap_path *path)
{
	enum policy_zone zone = POLICY_ZONE_NONE;
	size_t at;

	if (!policy_fits_family(p, query_client(q))) {
		q->reason = REASON_CLIENT_FAMILY;
		return POLICY_NEVER;
	}
	if (p->zones != NULL)
		zone = policy_zone(zonemap_find(p->zones, path, &at));
	/* The setting of a zone goes before that of all names (RULES D13). */
	if (zone == POLICY_ZONE_NEVER) {
		q->reason = REASON_ZONE_NEVER;
		return POLICY_NEVER;
	}
	if (zone == POLICY_ZONE_IGNORE_AAAA) {
		q->reason = REASON_SYNTH_IGNORED;
		return POLICY_ALWAYS;
	}
	if (UNLIKELY(p->synthesize != POLICY_NORMAL))
		q->reason =
		    p->synthesize == POLICY_NEVER ? REASON_CLIENT_NEVER : REASON_SYNTH_ALWAYS;
	return (enum policy_synthesize)p->synthesize;
}

static void
sort_aaaa(struct query *q, const struct policy *p, const struct zonemap_path *path)
{
	switch (dns64_for(p, q, path)) {
	case POLICY_NEVER:
		break;
	case POLICY_NORMAL:
		q->state = QUERY_AAAA;
		break;
	case POLICY_ALWAYS:
		/* Without an active prefix only the real AAAA can be the answer. */
		if (p->synth.active_bits == 0)
			q->reason = REASON_NO_PREFIX;
		q->state = p->synth.active_bits == 0 ? QUERY_NATIVE : QUERY_A;
		q->aaaa.how = QUERY_AAAA_IGNORED;
		break;
	}
}

/* Sort a question for health-name: NOERROR for all types, with a record of TXT. */
static void
sort_health(struct queries *qs, struct query *q)
{
	if (qs->unready != NULL) {
		set_local(q, DNS_SERVFAIL, REASON_NOT_READY);
		return;
	}
	/* Without an SOA nobody may keep that there is no record (RFC 2308 section 5). */
	set_negative(q, DNS_NOERROR, QUERY_NO_ZONE, REASON_HEALTH);
	if (q->req.qtype == DNS_TYPE_TXT || q->req.qtype == DNS_TYPE_ANY)
		q->local.kind = QUERY_LOCAL_HEALTH;
}

/* Is this name, checked, of LEN bytes, health-name? */
static inline bool
is_health(const struct conf_core *conf, const uint8_t *name, size_t len)
{
	return UNLIKELY(len == conf->health.len) && name_equal_len(name, conf->health.name, len);
}

bool
request_is_health(const struct conf_core *conf, const struct packet_in *in)
{
	struct msg m;

	if (conf->health.len == 0 || msg_parse(&m, in->msg, in->len) != MSG_OK ||
	    m.qclass != DNS_CLASS_IN || !is_health(conf, msg_qname(&m), m.qname_len))
		return false;
	return policies_access(conf->policies, packet_client(in)) == POLICY_SERVED;
}

/* Sort a question in class IN, the one with DNS64. */
static void
sort_in(struct queries *qs, struct query *q)
{
	const struct policy *p = query_policy(qs, q);
	struct zonemap_path path;

	if (is_health(qs->conf, q->req.qname, q->req.qname_len)) {
		sort_health(qs, q);
		return;
	}
	zonemap_path(&path, q->req.qname, q->req.qname_len);
	if (sort_by_name(qs, q, &path))
		return;
	if (UNLIKELY(q->req.hands_off)) {
		if (q->req.qtype == DNS_TYPE_AAAA)
			q->reason = REASON_VALIDATES;
		return;
	}
	if (q->req.qtype == DNS_TYPE_AAAA)
		sort_aaaa(q, p, &path);
	else if (q->req.qtype == DNS_TYPE_A && p->hide_a)
		q->state = QUERY_HIDDEN;
}

/* Sort a question in class CH: version and server name, if configured (RULES D17). */
static void
sort_chaos(struct queries *qs, struct query *q)
{
	static const uint8_t version[] = "\7version\4bind";
	static const uint8_t id[] = "\2id\6server";
	bool text = q->req.qtype == DNS_TYPE_TXT || q->req.qtype == DNS_TYPE_ANY;

	if (text && qs->conf->chaos.version[0] != '\0' && name_equal(q->req.qname, version)) {
		set_local(q, DNS_NOERROR, REASON_VERSION);
		q->local.kind = QUERY_LOCAL_VERSION;
	} else if (text && qs->conf->chaos.server_id[0] != '\0' && name_equal(q->req.qname, id)) {
		set_local(q, DNS_NOERROR, REASON_SERVER_ID);
		q->local.kind = QUERY_LOCAL_ID;
	} else {
		query_refuse(qs, q, REASON_REFUSED_CHAOS);
	}
}

/* A question that is not sorted here is relayed. */
void
request_sort(struct queries *qs, struct query *q)
{
	/* The client validates itself (RULES D8). */
	q->req.hands_off = q->req.do_bit && q->req.flags & DNS_CD;
	q->state = QUERY_RELAY;
	if (q->req.qclass == DNS_CLASS_CH) {
		sort_chaos(qs, q);
		return;
	}
	if (q->req.qtype == DNS_TYPE_AXFR || q->req.qtype == DNS_TYPE_IXFR ||
	    q->req.qtype == DNS_TYPE_OPT) {
		query_refuse(qs, q, REASON_REFUSED_TYPE); /* RULES D24 */
		return;
	}
	/* Other classes: as if there were no DNS64 (RFC 6147 section 5.1). */
	if (q->req.qclass == DNS_CLASS_IN && !q->req.signed_msg)
		sort_in(qs, q);
	/* Without RD only the cache may answer (RULES D10). */
	if (!(q->req.flags & DNS_RD) && q->state != QUERY_LOCAL && !q->child &&
	    (qs->conf->cache == NULL || q->req.signed_msg))
		query_refuse(qs, q, REASON_NO_RECURSION);
}

/*
 * Note the network of PEER, a refused client: the next wider one than its address, written to *net.
 * True: this loop had not noted it before, and had room.
 */
static bool
note_refused(struct queries *qs, const struct netaddr *peer, struct net *net)
{
	unsigned n;
	unsigned bytes = netaddr_levels(peer, &n)[1].bytes;

	*net = (struct net){ .family = peer->family, .len = (uint8_t)(8 * bytes) };
	memcpy(net->addr, peer->addr, bytes);
	if (qs->n_refused == QUERY_MAX_REFUSED)
		return false;
	for (unsigned i = 0; i < qs->n_refused; i++) {
		if (memcmp(&qs->refused[i], net, sizeof(*net)) == 0)
			return false;
	}
	qs->refused[qs->n_refused++] = *net;
	return true;
}

/* Log the refusal once per network, with the line that would admit the client (RULES D23). */
static void
tell_refused(struct queries *qs, const struct netaddr *peer)
{
	char text[NETADDR_TEXT];
	struct netaddr first = { .family = peer->family };
	struct net net;

	if (log_debugs(LOG_CLIENT))
		log_debug(LOG_CLIENT, "refused %s", netaddr_format(peer, text));
	if (!note_refused(qs, peer, &net))
		return;
	memcpy(first.addr, net.addr, sizeof(first.addr));
	if (!logonce_begin(qs->conf->logonce, LOGONCE_REFUSED, &first))
		return;
	netaddr_format(&first, text);
	log_notice(LOG_CLIENT, "refused a client in %s/%u; to serve it add \"allow %s/%u\"", text,
	    net.len, text, net.len);
}

/* May this client ask at all (RULES D23)? */
static bool
may_ask(struct queries *qs, struct query *q)
{
	bool may, denied;

	q->policy = (uint16_t)policies_find(qs->conf->policies, query_client(q), &may);
	q->conf_gen = qs->conf_gen;
	if (may)
		return true;
	denied = policies_access(qs->conf->policies, query_client(q)) != POLICY_STRANGER;
	stats_inc(&qs->stats->client_denied);
	/* An operator who denies needs no advice; if it is only explained nobody asked. */
	if (!denied && !explain_counts(qs->explanation, qs->stats))
		tell_refused(qs, query_client(q));
	if (policies_ordered(qs->conf->policies, query_client(q)) != POLICY_SERVED)
		query_refuse(qs, q, REASON_DENIED_OPERATOR);
	else
		query_refuse(qs, q, denied ? REASON_DENIED_NETWORK : REASON_DENIED);
	return false;
}

/* Copy the client's cookie. False: its length is not allowed (RFC 7873 section 5.2.2). */
static bool
read_cookie(struct query *q, const struct msg *m)
{
	size_t len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (cookie == NULL)
		return true;
	q->req.cookie_alone = m->qdcount == 0;
	if (len != DNS_COOKIE_CLIENT && (len < DNS_COOKIE_MIN || len > DNS_COOKIE_MAX))
		return false;
	q->cookie.state = len > DNS_COOKIE_CLIENT ? QUERY_COOKIE_BAD : QUERY_COOKIE_NONE;
	/* A server cookie of another length is not ours: only the client cookie is kept. */
	q->cookie.len = len == COOKIE_LEN ? COOKIE_LEN : DNS_COOKIE_CLIENT;
	memcpy(q->cookie.bytes, cookie, q->cookie.len);
	return true;
}

static bool
read_badly(struct queries *qs, struct query *q)
{
	stats_inc(&qs->stats->client_formerr);
	set_local(q, DNS_FORMERR, REASON_FORMERR);
	return false;
}

/* Copy the fields of the message into Q. False: the answer is an error. */
static bool
read_message(struct queries *qs, struct query *q, const struct msg *m, enum msg_verdict verdict)
{
	q->req.id = m->id;
	q->req.flags = m->flags;
	q->req.edns = verdict == MSG_BAD_OPT || m->edns.present;
	q->req.do_bit = m->edns.present && m->edns.do_bit;
	q->req.bufsize =
	    m->edns.present && m->edns.bufsize > DNS_UDP_MIN ? m->edns.bufsize : DNS_UDP_MIN;
	if ((m->flags & DNS_OPCODE) != DNS_OPCODE_QUERY) {
		stats_inc(&qs->stats->client_notimp);
		set_local(q, DNS_NOTIMP, REASON_NOTIMP);
		return false;
	}
	q->req.qtype = m->qtype;
	q->req.qclass = m->qclass;
	if (m->qname_len > 0 && !query_set_name(qs, q, msg_qname(m), m->qname_len)) {
		set_local(q, DNS_SERVFAIL, REASON_NO_ROOM);
		return false;
	}
	if (verdict != MSG_OK)
		return read_badly(qs, q);
	if (m->edns.present && m->edns.version > 0) {
		stats_inc(&qs->stats->client_badvers);
		set_local(q, DNS_BADVERS, REASON_BADVERS);
		return false;
	}
	if (m->edns.options_len > 0 && qs->conf->cookies.client && !read_cookie(q, m))
		return read_badly(qs, q);
	if (UNLIKELY(m->qname_len == 0)) {
		if (!q->req.cookie_alone)
			return read_badly(qs, q);
		/* A message without a question asks for a cookie (RFC 7873 section 5.4). */
		set_local(q, DNS_NOERROR, REASON_COOKIE_ALONE);
		return true;
	}
	q->req.signed_msg = m->signature || m->qtype == DNS_TYPE_TKEY;
	return true;
}

enum reason
request_ignored(const struct policies *ps, const struct netaddr *client)
{
	return policies_ordered(ps, client) == POLICY_IGNORED ? REASON_DROP_OPERATOR
							      : REASON_DROP_DENIED;
}

/*
 * May this message get an answer at all? A response never does: two servers that answer each
 * other's responses would go on for ever (Loop DoS).
 */
static bool
deserves_answer(
    struct queries *qs, const struct packet_in *in, const struct msg *m, enum msg_verdict verdict)
{
	if (verdict == MSG_SHORT) {
		stats_inc(&qs->stats->client_short);
		stats_dropped(qs->stats, REASON_DROP_SHORT);
		return false;
	}
	if (m->flags & DNS_QR) {
		stats_inc(&qs->stats->client_response);
		stats_dropped(qs->stats, REASON_DROP_RESPONSE);
		return false;
	}
	if (policies_ignore(qs->conf->policies, packet_client(in))) {
		stats_inc(&qs->stats->client_ignored);
		stats_dropped(qs->stats, request_ignored(qs->conf->policies, packet_client(in)));
		return false;
	}
	return true;
}

/* Answer without records, so that the client asks again over TCP or with the cookie it gets. */
static void
slip_away(struct query *q)
{
	set_local(q, q->cookie.len > 0 ? DNS_BADCOOKIE : DNS_NOERROR, REASON_RATE_LIMITED);
	q->local.kind = q->cookie.len > 0 ? QUERY_LOCAL_ERROR : QUERY_LOCAL_TC;
}

struct query *
request_accept(struct queries *qs, const struct packet_in *in, bool slip)
{
	struct msg m;
	enum msg_verdict verdict = msg_parse(&m, in->msg, in->len);
	struct query *q;

	if (!deserves_answer(qs, in, &m, verdict))
		return NULL;
	stats_inc(&qs->stats->asked[stats_asked(
	    in->from.transport, packet_client(in)->family == NETADDR_IPV6, m.qtype)]);
	q = query_new(qs);
	if (q == NULL) {
		stats_inc(&qs->stats->client_dropped);
		stats_dropped(qs->stats, REASON_DROP_FULL);
		return NULL;
	}
	q->from = in->from;
	q->req.len = (uint16_t)in->len;
	if (read_message(qs, q, &m, verdict) && may_ask(qs, q) && !UNLIKELY(q->req.cookie_alone)) {
		if (UNLIKELY(slip))
			slip_away(q);
		else
			request_sort(qs, q);
	}
	/* The lookup needs the message's bytes, which are available only now. */
	if (UNLIKELY(q->req.signed_msg) && q->state == QUERY_RELAY) {
		q->reason = REASON_SIGNED;
		q->lookup = lookup_start_signed(qs->lookups, &m, in->from.transport);
	}
	return q;
}
