/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "outbound/upstream.h"

#define SHELL_ROUNDS 4 /* times that one iteration flushes and tells the engine */

int
shell_init(struct shell *sh, struct event_base *base, struct engine *engine,
    const struct conf_io *conf, uint64_t now_ns)
{
	bool runs = udp_pieces_known();
	size_t rx_bytes = udp_rx_bytes(runs);
	int r;

	sh->base = base;
	sh->engine = engine;
	sh->stats = engine_stats(engine);
	sh->conf = conf;
	sh->now_ns = now_ns;
	rng_init(&sh->rng);
	upstream_tcp_init(sh);
	r = listener_init(sh);
	if (r < 0)
		return r;
	/* The receive batch, then the send slots, then the TCP buffer. */
	sh->bytes = malloc(rx_bytes + UDP_TX_BYTES + PACKET_TCP_CAP);
	if (sh->bytes == NULL)
		return -ENOMEM;
	sh->tcp_buf = sh->bytes + rx_bytes + UDP_TX_BYTES;
	udp_rx_init(&sh->client_rx, sh->bytes, true, runs);
	udp_rx_init(&sh->upstream_rx, sh->bytes, false, runs);
	r = udp_tx_init(&sh->tx, sh->bytes + rx_bytes, sh->stats);
	if (r == 0)
		r = stream_mem_init(&sh->mem, conf->max_tcp_clients + UPSTREAM_TCP_CONNS);
	if (r == 0)
		r = session_init(sh, conf->max_tcp_clients);
	if (r == 0)
		r = upstream_udp_init(sh);
	/* Ports to come; and by what clients' networks are hashed. */
	secret_lock(&sh->rng, sizeof(sh->rng));
	secret_lock(sh->sessions.peers.fair.spread, sizeof(sh->sessions.peers.fair.spread));
	return r;
}

void
shell_fini(struct shell *sh)
{
	if (sh->base == NULL)
		return;
	listener_fini(sh);
	upstream_tcp_fini(sh);
	upstream_udp_fini(sh);
	session_fini(sh);
	if (sh->mem.scratch != NULL)
		stream_mem_fini(&sh->mem);
	udp_tx_fini(&sh->tx);
	free(sh->bytes);
	sh->bytes = NULL;
}

/* Pass what engine_next has written to the part that sends it, which may change SEND. */
static void
shell_dispatch(struct shell *sh, struct packet_out *send)
{
	bool stream = transport_is_stream(send->to.transport);

	if (send->to.side == PACKET_CLIENT && !stream)
		listener_answer(sh, send);
	else if (send->to.side == PACKET_CLIENT)
		session_answer(sh, send);
	else if (!stream)
		upstream_udp_question(sh, send);
	else
		upstream_tcp_question(sh, send);
}

unsigned
shell_drain(struct shell *sh)
{
	struct packet_out send;
	unsigned n = 0;

	while (engine_next(sh->engine, udp_tx_slot(&sh->tx), sh->tcp_buf, &send)) {
		shell_dispatch(sh, &send);
		n++;
	}
	return n;
}

/* The engine has not taken the message IN. Returns 1 for a question that gets no answer, else 0. */
static unsigned
shell_lose(struct shell *sh, struct packet_in *in, enum engine_taken taken)
{
	if (taken == ENGINE_SPOILT) {
		upstream_udp_spoilt(sh, in->from.sock);
		return 0;
	}
	if (in->from.transport == TRANSPORT_UDP)
		listener_forget(sh, &in->from);
	return 1;
}

unsigned
shell_input(struct shell *sh, unsigned n)
{
	unsigned n_dropped = 0;

	if (UNLIKELY(sh->now_ns >= sh->upstream_udp.renew_ns))
		upstream_udp_renew(sh);
	engine_prepare(sh->engine, sh->in, n);
	for (unsigned i = 0; i < n; i++) {
		enum engine_taken taken = engine_input(sh->engine, &sh->in[i], sh->now_ns);

		if (UNLIKELY(taken != ENGINE_TAKEN))
			n_dropped += shell_lose(sh, &sh->in[i], taken);
		(void)shell_drain(sh);
	}
	return n_dropped;
}

void
shell_refuse(struct shell *sh, const struct packet_route *route, enum proxy_verdict verdict)
{
	const struct connlog_event e = { sh->logonce, &route->peer, sh->now_ns };

	stats_inc(&sh->stats->proxy_refused);
	connlog_header(&e, &sh->refused, route->transport, proxy_reason(verdict));
}

bool
shell_is_exhausted(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM || err == ENOSPC ||
	    err == EADDRINUSE;
}

bool
shell_send(struct shell *sh)
{
	udp_tx_flush(&sh->tx, sh->now_ns);
	return upstream_udp_unsent(sh);
}

void
shell_flush(struct shell *sh)
{
	bool told = true;

	udp_tx_again(&sh->tx, sh->now_ns);
	for (unsigned i = 0; told && i < SHELL_ROUNDS; i++) {
		told = shell_send(sh);
		told |= upstream_tcp_flush(sh);
		told |= upstream_udp_refused(sh);
		session_flush(sh);
		if (told && shell_drain(sh) > 0)
			sh->again = true;
	}
	if (shell_send(sh) && shell_drain(sh) > 0)
		sh->again = true;
	upstream_udp_draw(sh);
}
