/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/match.h"

/* Find the lookup by the reply's socket and ID. NULL: none; counted. */
static struct lookup *
find(struct lookups *ls, const struct packet_in *in, const struct msg *msg, uint64_t now_ns)
{
	bool udp = in->way == PACKET_UPSTREAM_UDP;
	const struct txid *space = &ls->spaces[match_space(ls, in)];
	const struct txid_owner *owner = &space->owner[msg->id];

	if (!udp)
		channel_heard(upstreams_channel(ls->upstreams, in->sock), now_ns);
	if (udp ? owner->socket != in->sock : !lookup_went_by(owner, in->sock)) {
		stats_inc(&ls->stats->upstream_unknown_id);
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

void
match_learn(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	if (m->edns.present)
		up->no_edns_on = UPSTREAM_NONE;
	up->watched = antispoof_right(ls, l, m) || up->no_edns_on != UPSTREAM_NONE;
}
