/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/request.h"

#include "dns64/reverse.h"

/* Answer here, with an rcode. */
static void
set_local(struct query *q, uint16_t rcode, uint16_t ede)
{
	q->state = QUERY_LOCAL;
	q->rcode = rcode;
	q->ede = ede;
}

static void
refuse(struct queries *qs, struct query *q, uint16_t ede)
{
	set_local(q, DNS_REFUSED, ede);
	stats_inc(&qs->stats->client_refused);
}

/* PTR under one of our prefixes or the Well-Known one (RFC 6147 section 5.3.1). True: it is. */
static bool
sort_reverse(struct queries *qs, struct query *q)
{
	const struct pref64 wkp = pref64_well_known();
	size_t n = qs->conf->n_prefixes;
	struct reverse r;

	reverse_find(q->qname, qs->conf->prefixes, n, &r);
	if (r.kind != REVERSE_NONE)
		q->prefix = (uint8_t)(r.prefix - qs->conf->prefixes);
	else
		reverse_find(q->qname, &wkp, 1, &r);
	if (r.kind == REVERSE_NONE)
		return false;
	if (r.prefix == &wkp)
		q->prefix = (uint8_t)n;
	if (r.kind == REVERSE_ADDRESS && q->qtype == DNS_TYPE_PTR) {
		q->state = QUERY_REVERSE;
		for (unsigned i = 0; i < sizeof(q->v4); i++)
			q->v4[i] = r.v4[i];
		return true;
	}
	q->local_soa = true;
	set_local(q, r.kind == REVERSE_NXDOMAIN ? DNS_NXDOMAIN : DNS_NOERROR, DNS_EDE_NONE);
	return true;
}

/* Is NAME in ip6.arpa? A cheap look at its end before the search among prefixes. */
static bool
in_ip6_arpa(const struct query *q)
{
	static const uint8_t zone[] = "\3ip6\4arpa";
	size_t len = sizeof(zone);

	if (q->qname_len < len)
		return false;
	for (size_t i = 0; i < len; i++) {
		uint8_t c = q->qname[q->qname_len - len + i];

		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		if (c != zone[i])
			return false;
	}
	return true;
}

/* Which way does a sound question go? */
static void
sort(struct queries *qs, struct query *q)
{
	bool hands_off = q->do_bit && q->flags & DNS_CD; /* it validates itself (rules.md D8) */

	q->state = QUERY_RELAY;
	if (q->qclass == DNS_CLASS_CH || q->qtype == DNS_TYPE_AXFR || q->qtype == DNS_TYPE_IXFR ||
	    q->qtype == DNS_TYPE_OPT) {
		refuse(qs, q, DNS_EDE_NONE); /* rules.md D17, D24 */
		return;
	}
	/* Other classes: as if there were no DNS64 (RFC 6147 section 5.1). */
	if (q->qclass == DNS_CLASS_IN && !hands_off) {
		bool ours = in_ip6_arpa(q) && sort_reverse(qs, q);

		if (!ours && q->qtype == DNS_TYPE_AAAA)
			q->state = QUERY_AAAA;
	}
	if (!(q->flags & DNS_RD) && q->state != QUERY_LOCAL)
		refuse(qs, q, DNS_EDE_NOT_AUTHORITATIVE); /* rules.md D10 */
}

/* Take over what the message says. False: it is answered with an error. */
static bool
read_message(struct queries *qs, struct query *q, const struct msg *m, enum msg_verdict verdict)
{
	q->id = m->id;
	q->flags = m->flags;
	q->edns = verdict == MSG_BAD_OPT || m->edns.present;
	q->do_bit = m->edns.present && m->edns.do_bit;
	q->bufsize =
	    m->edns.present && m->edns.bufsize > DNS_UDP_MIN ? m->edns.bufsize : DNS_UDP_MIN;
	if ((m->flags & DNS_OPCODE) != DNS_OPCODE_QUERY) {
		stats_inc(&qs->stats->client_notimp);
		set_local(q, DNS_NOTIMP, DNS_EDE_NONE);
		return false;
	}
	q->qtype = m->qtype;
	q->qclass = m->qclass;
	if (m->qname_len > 0 && !query_set_name(qs, q, msg_qname(m), m->qname_len)) {
		set_local(q, DNS_SERVFAIL, DNS_EDE_NONE);
		return false;
	}
	if (verdict != MSG_OK || m->qname_len == 0) {
		stats_inc(&qs->stats->client_formerr);
		set_local(q, DNS_FORMERR, DNS_EDE_NONE);
		return false;
	}
	if (m->edns.present && m->edns.version > 0) {
		stats_inc(&qs->stats->client_badvers);
		set_local(q, DNS_BADVERS, DNS_EDE_NONE);
		return false;
	}
	if (m->signature) {
		/* Ours would not be the message that was signed. */
		refuse(qs, q, DNS_EDE_NONE);
		return false;
	}
	return true;
}

/* May this message get an answer at all? Never to a response (reliability: Loop DoS). */
static bool
deserves_answer(struct queries *qs, const struct msg *m, enum msg_verdict verdict)
{
	if (verdict == MSG_SHORT) {
		stats_inc(&qs->stats->client_short);
		return false;
	}
	if (m->flags & DNS_QR) {
		stats_inc(&qs->stats->client_response);
		return false;
	}
	return true;
}

struct query *
request_accept(struct queries *qs, const struct engine_in *in)
{
	struct msg m;
	enum msg_verdict verdict = msg_parse(&m, in->msg, in->len);
	bool tcp = in->way == ENGINE_CLIENT_TCP;
	struct query *q;

	if (!deserves_answer(qs, &m, verdict))
		return NULL;
	stats_inc(tcp ? &qs->stats->client_tcp : &qs->stats->client_udp);
	q = query_new(qs);
	if (q == NULL) {
		stats_inc(&qs->stats->client_dropped);
		return NULL;
	}
	q->tcp = tcp;
	q->sock = in->sock;
	q->gen = in->gen;
	q->peer = in->peer;
	q->local = in->local;
	if (read_message(qs, q, &m, verdict))
		sort(qs, q);
	return q;
}
