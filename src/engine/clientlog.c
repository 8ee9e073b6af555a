/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/clientlog.h"

#include "base/log.h"
#include "dns/header.h"
#include "dns/mnemonic.h"
#include "dns/name.h"

/* --- client ----------------------------------------------------------------------------------- */

void
clientlog_question(const struct packet_in *in)
{
	char text[TRACE_ABOUT], peer[NETADDR_TEXT];
	struct msg m;

	if (msg_parse(&m, in->msg, in->len) != MSG_OK || m.qname_len == 0)
		return;
	log_debug(LOG_CLIENT, "%s asks for %s over %s%s%s", netaddr_format(packet_client(in), peer),
	    trace_about(text, msg_qname(&m), m.qtype), transport_traits[in->from.transport].title,
	    m.edns.do_bit ? ", DO" : "", m.flags & DNS_CD ? ", CD" : "");
}

/* Log the answer of LEN bytes at MSG. */
static void
tell_answer(
    const struct netaddr *client, const uint8_t *msg, size_t len, enum reason reason, double took)
{
	char text[TRACE_ABOUT], peer[NETADDR_TEXT], rcode[MNEMONIC_TEXT];
	const struct reason_row *row = reason_row(reason);
	struct msg m;

	if (msg_parse(&m, msg, len) != MSG_OK || m.qname_len == 0)
		return;
	log_debug(LOG_CLIENT, "%s gets for %s: %s%s, %u answers, after %.3f ms: %s (%s)",
	    netaddr_format(client, peer), trace_about(text, msg_qname(&m), m.qtype),
	    mnemonic_rcode(m.rcode, rcode), m.flags & DNS_TC ? ", truncated" : "",
	    m.count[MSG_ANSWER], took, row->name, row->text);
}

void
clientlog_answer(const struct query *q, const uint8_t *msg, size_t len, uint64_t now_ns)
{
	tell_answer(
	    query_client(q), msg, len, (enum reason)q->reason, trace_ms(now_ns - query_came_ns(q)));
}

void
clientlog_repeated(const struct netaddr *peer, const uint8_t *msg, size_t len, enum reason reason)
{
	tell_answer(peer, msg, len, reason, 0);
}

/* --- dns64 ------------------------------------------------------------------------------------ */

/* The prefix of P that the first AAAA in the answer M is under; NULL: it has none. */
static const struct pref64 *
prefix_of(const struct synth_policy *p, const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_AAAA)
			continue;
		for (size_t i = 0; i < p->n_prefixes; i++)
			if (pref64_covers(&p->prefixes[i], m->bytes + rr.rdata))
				return &p->prefixes[i];
	}
	return NULL;
}

void
clientlog_dns64(const struct query *q, const struct synth_policy *p, const uint8_t *msg, size_t len)
{
	const struct reason_row *row = reason_row((enum reason)q->reason);
	const struct pref64 *prefix = NULL;
	struct netaddr client = *query_client(q);
	char name[NAME_TEXT], peer[NETADDR_TEXT], text[PREF64_TEXT];
	struct msg m;

	if (q->req.qtype != DNS_TYPE_AAAA || q->req.qname_len == 0)
		return;
	client.port = 0;
	name_to_text(q->req.qname, name);
	netaddr_format(&client, peer);
	if (row->kind == REASON_SYNTHESIZING && msg_parse(&m, msg, len) == MSG_OK)
		prefix = prefix_of(p, &m);
	if (prefix != NULL)
		log_debug(LOG_DNS64, "%s for %s: synthesized under %s: %s", name, peer,
		    pref64_format(prefix, text), row->text);
	else
		log_debug(LOG_DNS64, "%s for %s: nothing synthesized: %s", name, peer, row->text);
}
