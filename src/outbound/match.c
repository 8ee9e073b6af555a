/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/match.h"

#include "dns/header.h"
#include "outbound/attempt.h"
#include "outbound/trace.h"

#define MATCH_SILENCES 2 /* over UDP, before a large reply over TCP shows anything */

/* What came by IN has an ID that is in flight elsewhere, if at all. */
static __attribute__((noinline)) void
on_stray(struct lookups *ls, const struct packet_in *in, uint16_t id, uint64_t now_ns)
{
	bool udp = !transport_is_stream(in->from.transport);

	if (udp && !id_attack_given_up(&ls->upstreams->sockets[in->from.sock]) &&
	    stale_id_has(&ls->stale_ids[in->from.sock], id)) {
		stats_inc(&ls->stats->upstream_late);
		return;
	}
	stats_inc(&ls->stats->upstream_unknown_id);
	if (udp)
		id_attack_note(ls, in->from.sock, now_ns);
}

/* Did what has OWNER's ID leave by the socket or connection that IN came by? */
static inline bool
came_back(const struct lookups *ls, const struct packet_in *in, const struct txid_owner *owner)
{
	if (transport_is_stream(in->from.transport))
		return lookup_went_by(owner, in->from.sock);
	return owner->socket == in->from.sock && !transport_is_stream(owner->transport) &&
	    !id_attack_given_up(&ls->upstreams->sockets[in->from.sock]);
}

/* Find the lookup by the reply's socket and ID. NULL: none; counted. */
static struct lookup *
find(struct lookups *ls, const struct packet_in *in, const struct msg *msg, uint64_t now_ns)
{
	const struct txid *space = &ls->spaces[match_space(ls, in)];
	const struct txid_owner *owner = &space->owner[msg->id];

	if (transport_is_stream(in->from.transport))
		tcp_conn_heard(upstreams_conn(ls->upstreams, in->from.sock), now_ns);
	if (!came_back(ls, in, owner)) {
		on_stray(ls, in, msg->id, now_ns);
		return NULL;
	}
	if (!txid_in_flight(space, msg->id)) {
		stats_inc(&ls->stats->upstream_late);
		return NULL;
	}
	return lookup_at(ls, owner->lookup);
}

struct lookup *
match_lookup(struct lookups *ls, const struct packet_in *in, const struct msg *msg,
    enum msg_verdict verdict, uint64_t now_ns)
{
	if (verdict == MSG_SHORT) {
		stats_inc(&ls->stats->upstream_short);
		return NULL;
	}
	if (!(msg->flags & DNS_QR) || (msg->flags & DNS_OPCODE) != 0) {
		stats_inc(&ls->stats->upstream_not_reply);
		return NULL;
	}
	return find(ls, in, msg, now_ns);
}

bool
match_sent_ns(const struct lookups *ls, const struct packet_in *in, uint64_t *sent_ns)
{
	uint8_t space = (uint8_t)match_space(ls, in);
	const struct txid *ids = &ls->spaces[space];
	const struct txid_owner *owner;
	const struct lookup *l;
	const struct attempt *a;
	uint16_t id;

	if (in->len < DNS_HEADER_LEN || (header_flags(in->msg) & DNS_QR) == 0)
		return false;
	id = header_id(in->msg);
	owner = &ids->owner[id];
	if (!txid_in_flight(ids, id) || !came_back(ls, in, owner))
		return false;
	l = lookup_at(ls, owner->lookup);
	a = match_is_late(ls, l, in, id) ? l->earlier : &l->now;
	while (a != NULL && (a->id != id || a->space != space))
		a = a->next;
	if (a != NULL)
		*sent_ns = a->sent_ns;
	return a != NULL;
}

bool
match_forgets_edns(const struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	return ls->upstreams->table[l->upstream].edns.spoken && match_rejects_edns(l, m) &&
	    l->progress == LOOKUP_ASKED_DATAGRAM && id_attack_may_tcp(l);
}

void
match_ways(struct lookups *ls, const struct lookup *l, const struct msg *msg, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];
	bool large = msg->len > WAYS_SMALL;

	if (l->key.qtype == DNS_TYPE_AAAA && l->key.qclass == DNS_CLASS_IN && up->ways.n_aaaa > 0)
		upstreams_aaaa_came(ls->upstreams, l->upstream);
	if (large && l->now.over == UPSTREAM_PRIMARY)
		upstreams_large_came(ls->upstreams, l->upstream);
	else if (large && l->stream.plan != LOOKUP_STREAM_HERE && l->message.bytes == NULL &&
	    times_known(&up->times[UPSTREAM_PRIMARY]) &&
	    attempt_timeouts(l, UPSTREAM_PRIMARY, l->upstream) >= MATCH_SILENCES)
		upstreams_large_lost(ls->upstreams, l->upstream, now_ns);
}

void
match_learn(struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	if (m->edns.present)
		up->edns.refused_on = UPSTREAM_NONE;
	up->watched =
	    antispoof_right(ls, l, m) || up->edns.refused_on != UPSTREAM_NONE || ls->traced.anybody;
	if (UNLIKELY(ls->traced.anybody))
		trace_reply(ls, l, m, now_ns);
}
