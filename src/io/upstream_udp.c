/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/upstream_udp.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "io/shell.h"

int
upstream_udp_init(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	list_init(&udp->sent);
	udp->renew_ns = UINT64_MAX;
	for (uint8_t u = 0; u < UPSTREAM_MAX; u++)
		for (uint8_t space = 0; space < TXID_MAX_SPACES; space++)
			upstream_set_init(&udp->sets[u][space], u, space);
	list_init(&udp->socks.ready);
	/* calloc's zeroed pages take no memory before a slot is used. */
	udp->socks.at = calloc(UPSTREAM_MAX_SOCKETS, sizeof(*udp->socks.at));
	return udp->socks.at == NULL ? -ENOMEM : 0;
}

void
upstream_udp_fini(struct shell *sh)
{
	struct upstream_socks *socks = &sh->upstream_udp.socks;

	if (socks->at == NULL)
		return;
	for (size_t i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		if (socks->at[i].open) {
			fd_event_close(&socks->at[i].src);
			udp_out_close(&socks->at[i].out);
		}
	free(socks->at);
	socks->at = NULL;
}

/* The upstream with the number U, if it is asked over UDP at present; else NULL. */
static const struct conf_upstream *
asked_by_udp(const struct shell *sh, unsigned u)
{
	const struct conf_upstream *up = engine_upstream(sh->engine, u);

	return up != NULL && engine_upstream_active(sh->engine, u) &&
		conf_upstream_uses(up, TRANSPORT_UDP)
	    ? up
	    : NULL;
}

/* Share out the slots among the sets that are needed. */
static void
share_out(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	unsigned n = 0;

	udp->n_spaces = engine_spaces(sh->engine);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		n += asked_by_udp(sh, u) != NULL ? udp->n_spaces : 0;
	udp->share = UPSTREAM_MAX_SOCKETS / (n > 0 ? n : 1);
}

void
upstream_udp_sync(struct shell *sh)
{
	share_out(sh);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		const struct conf_upstream *up = asked_by_udp(sh, u);

		for (unsigned space = 0; space < sh->upstream_udp.n_spaces; space++)
			upstream_set_sync(
			    sh, &sh->upstream_udp.sets[u][space], up != NULL ? &up->addr : NULL);
	}
}

/*
 * The kernel reported the upstream unreachable on S. The engine is told when another socket is in
 * its place, so that what it asks again leaves by another port.
 */
static void
sock_refused(struct shell *sh, const struct upstream_sock *s)
{
	struct upstream_set *set = upstream_udp_set_of(&sh->upstream_udp, s);
	unsigned slot = upstream_sock_slot(&sh->upstream_udp.socks, s);

	if (set->n > 0 && set->in_use == slot)
		upstream_set_dodge(sh, set);
	engine_refused(sh->engine, s->upstream, (int)slot, sh->now_ns);
}

/* Of a socket the questions lie side by side. */
bool
upstream_udp_unsent(struct shell *sh)
{
	const struct udp_out *last = NULL;
	struct udp_unsent un;
	bool any = false;

	while (udp_tx_take_unsent(&sh->tx, &un)) {
		struct upstream_sock *s = LIST_OBJECT(un.out, struct upstream_sock, out);
		unsigned slot = upstream_sock_slot(&sh->upstream_udp.socks, s);

		any = true;
		if (un.away && un.out != last) {
			engine_refused(sh->engine, s->upstream, -1, sh->now_ns);
			last = un.out;
		}
		engine_unsent(sh->engine, slot, un.id, un.away, sh->now_ns);
	}
	return any;
}

bool
upstream_udp_refused(struct shell *sh)
{
	struct udp_out *out;
	bool any = false;

	while ((out = udp_tx_take_refused(&sh->tx)) != NULL) {
		any = true;
		sock_refused(sh, LIST_OBJECT(out, struct upstream_sock, out));
	}
	return any;
}

/* Hand what was received by S, N datagrams or an error, to the engine. */
static void
sock_input(struct shell *sh, struct upstream_sock *s, int n)
{
	unsigned slot = upstream_sock_slot(&sh->upstream_udp.socks, s);
	unsigned n_in = 0;

	if (n < 0) { /* an ICMP error, which reading it has cleared */
		sock_refused(sh, s);
		(void)shell_drain(sh);
		return;
	}
	gather_replies(&sh->gather, (unsigned)n);
	for (unsigned i = 0; i < (unsigned)n; i++) {
		struct packet_in *in = &sh->in[n_in];

		if (udp_cut(&sh->upstream_rx, i)) {
			stats_inc(&sh->stats->upstream_malformed);
			continue;
		}
		in->msg = udp_msg(&sh->upstream_rx, i);
		in->len = udp_len(&sh->upstream_rx, i);
		in->from.side = PACKET_UPSTREAM;
		in->from.transport = TRANSPORT_UDP;
		in->from.sock = slot;
		n_in++;
	}
	(void)shell_input(sh, n_in);
}

/* Read one batch of replies. */
static void
sock_read(struct shell *sh, struct upstream_sock *s)
{
	do
		sock_input(sh, s, udp_recv(&sh->upstream_rx, udp_out_fd(&s->out), UDP_BATCH));
	while (udp_left(&sh->upstream_rx));
	sh->full |= udp_full(&sh->upstream_rx);
	if (upstream_sock_is_retired(s))
		upstream_set_end(sh, s);
}

void
upstream_udp_turn(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	struct fd_event *src;

	if (engine_spaces(sh->engine) != udp->n_spaces)
		upstream_udp_sync(sh);
	while ((src = fd_event_take(&udp->socks.ready)) != NULL)
		sock_read(sh, LIST_OBJECT(src, struct upstream_sock, src));
}

void
upstream_udp_spoilt(struct shell *sh, unsigned slot)
{
	const struct upstream_sock *s = &sh->upstream_udp.socks.at[slot];

	if (s->open && !upstream_sock_is_retired(s))
		upstream_set_drop(sh, upstream_udp_set_of(&sh->upstream_udp, s), (uint16_t)slot);
}

void
upstream_udp_question(struct shell *sh, const struct packet_out *send)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	struct upstream_sock *s;
	struct upstream_set *set;

	if (send->to.sock >= UPSTREAM_MAX_SOCKETS || !udp->socks.at[send->to.sock].open)
		return;
	s = &udp->socks.at[send->to.sock];
	set = upstream_udp_set_of(udp, s);
	s->n_sent++;
	udp->pace.n++;
	if (udp_tx_question(&sh->tx, &s->out, send->len))
		(void)shell_send(sh); /* whoever drains the engine goes on */
	upstream_set_sent(sh, set, s);
}

static void
look_at_pace(struct upstream_pace *p, uint64_t now_ns)
{
	uint64_t ns = now_ns - p->since_ns;

	if (ns < UPSTREAM_UDP_PACE_NS)
		return;
	p->busy = p->n * (NS_PER_SEC / UPSTREAM_UDP_BUSY) > ns;
	p->n = 0;
	p->since_ns = now_ns;
}

void
upstream_udp_draw(struct shell *sh)
{
	struct list *link;

	look_at_pace(&sh->upstream_udp.pace, sh->now_ns);
	while ((link = list_pop(&sh->upstream_udp.sent)) != NULL)
		upstream_set_draw(sh, LIST_OBJECT(link, struct upstream_set, sent));
}

void
upstream_udp_renew(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	udp->renew_ns = UINT64_MAX;
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		for (unsigned space = 0; space < udp->n_spaces; space++)
			upstream_set_renew(sh, &udp->sets[u][space]);
}

static void
close_drained(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	for (unsigned u = 0; udp->n_draining > 0 && u < UPSTREAM_MAX; u++)
		for (unsigned space = 0; space < udp->n_spaces; space++)
			upstream_set_close_drained(sh, &udp->sets[u][space]);
}

void
upstream_udp_expire(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		for (unsigned space = 0; space < udp->n_spaces; space++)
			upstream_set_expire(sh, &udp->sets[u][space]);
	close_drained(sh);
}

bool
upstream_udp_is_awake(const struct shell *sh)
{
	return sh->upstream_udp.socks.n_active > 0;
}

void
upstream_udp_beat(struct shell *sh)
{
	close_drained(sh);
	if (sh->upstream_udp.failing != 0)
		upstream_udp_sync(sh);
}

bool
upstream_udp_needs_beat(const struct shell *sh)
{
	return sh->upstream_udp.failing != 0 || sh->upstream_udp.n_draining > 0;
}
