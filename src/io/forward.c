/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/forward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "io/port.h"
#include "io/shell.h"

int
forward_init(struct shell *sh)
{
	struct forward *f = &sh->forward;

	list_init(&f->ready);
	list_init(&f->draining);
	list_init(&f->sent);
	f->renew_ns = UINT64_MAX;
	for (uint8_t u = 0; u < ENGINE_MAX_UPSTREAMS; u++)
		for (uint8_t space = 0; space < ENGINE_MAX_SPACES; space++) {
			f->sets[u][space].upstream = u;
			f->sets[u][space].space = space;
			list_init(&f->sets[u][space].sent);
		}
	/* Zeroed pages, touched as slots are used. */
	f->socks = calloc(ENGINE_MAX_SOCKETS, sizeof(*f->socks));
	return f->socks == NULL ? -ENOMEM : 0;
}

static struct forward_set *
set_of(struct forward *f, const struct forward_sock *s)
{
	return &f->sets[s->upstream][s->space];
}

void
forward_fini(struct shell *sh)
{
	struct forward *f = &sh->forward;

	if (f->socks == NULL)
		return;
	for (size_t i = 0; i < ENGINE_MAX_SOCKETS; i++)
		if (f->socks[i].open) {
			source_close(&f->socks[i].src);
			close(f->socks[i].out.fd);
		}
	free(f->socks);
	f->socks = NULL;
}

/* Open a socket for SET and make it known to the engine; its slot, or -errno. */
static int
sock_open(struct shell *sh, struct forward_set *set)
{
	struct forward_sock *s;
	int fd = port_open(sh->conf, &sh->rng, &set->addr);
	int slot;

	if (fd < 0)
		return fd;
	slot = engine_socket_add(sh->engine, set->upstream, set->space);
	if (slot < 0) {
		close(fd);
		return -ENOSPC;
	}
	s = &sh->forward.socks[slot];
	*s = (struct forward_sock){ .opened_ns = sh->now_ns,
		.upstream = set->upstream,
		.space = set->space,
		.open = true };
	list_init(&s->drain);
	udp_out_init(&s->out, fd, set->upstream);
	source_open(&s->src, sh->base, fd, EV_READ, &sh->forward.ready);
	if (source_on(&s->src) == 0) {
		sh->forward.n_active++;
		return slot;
	}
	source_close(&s->src);
	s->open = false;
	close(fd);
	engine_socket_del(sh->engine, (unsigned)slot);
	return -ENOMEM;
}

/* Say once that an upstream cannot be reached, and once that it can again. */
static void
set_report(struct shell *sh, const struct forward_set *set, int err)
{
	uint64_t bit = UINT64_C(1) << set->upstream;
	char text[NETADDR_TEXT];

	if (err == 0 && (sh->forward.failing & bit) != 0) {
		sh->forward.failing &= ~bit;
		if (told_end(sh->told, TOLD_NO_SOCKET, &set->addr))
			log_notice(
			    "upstream", "%s: reachable again", netaddr_format(&set->addr, text));
	} else if (err != 0 && (sh->forward.failing & bit) == 0) {
		sh->forward.failing |= bit;
		if (told_begin(sh->told, TOLD_NO_SOCKET, &set->addr))
			log_warn("upstream", "%s: no socket: %s", netaddr_format(&set->addr, text),
			    strerror(err));
	}
}

/* Its upstream is asked no more: nobody wants to hear how it goes on. */
static void
set_forget(struct shell *sh, const struct forward_set *set)
{
	uint64_t bit = UINT64_C(1) << set->upstream;

	if ((sh->forward.failing & bit) == 0)
		return;
	sh->forward.failing &= ~bit;
	(void)told_end(sh->told, TOLD_NO_SOCKET, &set->addr);
}

/* Open a further socket of the set; its slot, or -1 when it has to wait. */
static int
set_open(struct shell *sh, struct forward_set *set)
{
	int slot;

	if (sh->now_ns < set->retry_ns)
		return -1;
	slot = sock_open(sh, set);
	if (slot >= 0) {
		set->retry_ns = 0;
		set_report(sh, set, 0);
		return slot;
	}
	set->retry_ns = sh->now_ns + FORWARD_RETRY_NS;
	if (set->n == 0 && sh->forward.sets[set->upstream][0].n == 0) {
		set_report(sh, set, -slot);
		if (shell_is_exhausted(-slot))
			engine_socket_none(sh->engine, set->upstream);
		else
			engine_refused(sh->engine, set->upstream, sh->now_ns);
		if (shell_drain(sh) > 0)
			sh->again = true; /* the flush of this iteration may be over */
	}
	return -1;
}

/* No new questions for this socket; forward_beat closes it when there are no old ones. */
static void
sock_retire(struct shell *sh, unsigned slot)
{
	struct forward_sock *s = &sh->forward.socks[slot];

	engine_socket_retire(sh->engine, slot);
	sh->forward.n_active--;
	set_of(&sh->forward, s)->n_draining++;
	list_push(&sh->forward.draining, &s->drain);
}

static bool
is_old(const struct shell *sh, const struct forward_sock *s)
{
	return sh->now_ns - s->opened_ns >= FORWARD_AGE_NS;
}

/* The next questions of the set go out by the socket in SLOT. */
static void
set_use(struct shell *sh, struct forward_set *set, uint16_t slot)
{
	const struct forward_sock *s = &sh->forward.socks[slot];
	/* An old one that cannot be replaced now is looked at again soon. */
	uint64_t renew_ns =
	    is_old(sh, s) ? sh->now_ns + FORWARD_RETRY_NS : s->opened_ns + FORWARD_AGE_NS;

	set->in_use = slot;
	engine_socket_use(sh->engine, slot);
	if (renew_ns < sh->forward.renew_ns)
		sh->forward.renew_ns = renew_ns;
}

static void
set_grow(struct shell *sh, struct forward_set *set)
{
	int slot = set_open(sh, set);

	if (slot < 0)
		return;
	set->asleep = false;
	set->slots[set->n++] = (uint16_t)slot;
	set_use(sh, set, (uint16_t)slot);
}

/* Put another socket in the place of the set's I-th, if that is to be had. */
static void
set_replace(struct shell *sh, struct forward_set *set, unsigned i)
{
	int slot;

	if (set->n_draining >= FORWARD_DRAINING)
		return;
	slot = set_open(sh, set);
	if (slot < 0)
		return;
	sock_retire(sh, set->slots[i]);
	set->slots[i] = (uint16_t)slot;
}

static void
set_retire(struct shell *sh, struct forward_set *set)
{
	while (set->n > 0)
		sock_retire(sh, set->slots[--set->n]);
	set->retry_ns = 0;
	set->asleep = false;
	list_unlink(&set->sent);
}

static void
set_sync(struct shell *sh, struct forward_set *set, const struct netaddr *addr)
{
	bool other = addr == NULL || !netaddr_equal(addr, &set->addr);

	if (other) {
		set_retire(sh, set);
		set_forget(sh, set);
	}
	if (addr == NULL)
		return;
	set->addr = *addr;
	if (set->n == 0 && !set->asleep)
		set_grow(sh, set);
}

void
forward_sync(struct shell *sh)
{
	sh->forward.n_spaces = engine_spaces(sh->engine);
	for (unsigned u = 0; u < ENGINE_MAX_UPSTREAMS; u++) {
		const struct netaddr *addr = engine_upstream(sh->engine, u);

		if (addr != NULL && !engine_upstream_active(sh->engine, u))
			addr = NULL;
		for (unsigned space = 0; space < sh->forward.n_spaces; space++)
			set_sync(sh, &sh->forward.sets[u][space], addr);
	}
}

/* A batch of replies. */
static void
sock_read(struct shell *sh, struct forward_sock *s)
{
	unsigned slot = (unsigned)(s - sh->forward.socks);
	unsigned n_in = 0;
	int n = udp_recv(&sh->upstream_rx, s->out.fd, UDP_BATCH);

	if (n < 0) { /* ICMP said so; having read it, it is gone */
		engine_refused(sh->engine, s->upstream, sh->now_ns);
		(void)shell_drain(sh);
		return;
	}
	for (unsigned i = 0; i < (unsigned)n; i++) {
		struct engine_in *in = &sh->in[n_in];

		if (udp_cut(&sh->upstream_rx, i)) {
			stats_inc(&sh->stats->upstream_malformed);
			continue;
		}
		in->msg = udp_msg(&sh->upstream_rx, i);
		in->len = udp_len(&sh->upstream_rx, i);
		in->way = ENGINE_UPSTREAM_UDP;
		in->sock = slot;
		n_in++;
	}
	(void)shell_input(sh, n_in);
}

void
forward_turn(struct shell *sh)
{
	struct forward *f = &sh->forward;
	struct source *src;

	if (engine_spaces(sh->engine) != f->n_spaces)
		forward_sync(sh);
	while ((src = source_take(&f->ready)) != NULL)
		sock_read(sh, LIST_OBJECT(src, struct forward_sock, src));
}

void
forward_question(struct shell *sh, const struct engine_send *send)
{
	struct forward *f = &sh->forward;
	struct forward_sock *s;
	struct forward_set *set;

	if (send->sock >= ENGINE_MAX_SOCKETS || !f->socks[send->sock].open)
		return;
	s = &f->socks[send->sock];
	set = set_of(f, s);
	s->n_sent++;
	if (list_empty(&set->sent))
		list_push(&f->sent, &set->sent);
	udp_tx_question(&sh->tx, &s->out, send->len);
}

static bool
is_due(const struct shell *sh, const struct forward_sock *s)
{
	return s->n_sent >= FORWARD_USES || is_old(sh, s);
}

/* Choose the socket for the next questions of the set. */
static void
set_draw(struct shell *sh, struct forward_set *set)
{
	unsigned i;

	if (set->n < FORWARD_ACTIVE && sh->now_ns >= set->retry_ns) {
		set_grow(sh, set);
		return;
	}
	if (set->n == 0)
		return;
	i = rng_below(&sh->rng, set->n);
	if (is_due(sh, &sh->forward.socks[set->slots[i]]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
forward_draw(struct shell *sh)
{
	struct list *link;

	while ((link = list_pop(&sh->forward.sent)) != NULL)
		set_draw(sh, LIST_OBJECT(link, struct forward_set, sent));
}

/* Before questions: what was drawn some time ago may have become too old since. */
static void
set_renew(struct shell *sh, struct forward_set *set)
{
	unsigned i = 0;

	if (set->asleep) {
		set->asleep = false; /* without a socket too: then the beat tries again */
		set->retry_ns = 0;
		set_grow(sh, set);
	}
	if (set->n == 0)
		return;
	while (set->slots[i] != set->in_use)
		i++;
	if (is_old(sh, &sh->forward.socks[set->in_use]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
forward_renew(struct shell *sh)
{
	struct forward *f = &sh->forward;

	f->renew_ns = UINT64_MAX;
	for (unsigned u = 0; u < ENGINE_MAX_UPSTREAMS; u++)
		for (unsigned space = 0; space < f->n_spaces; space++)
			set_renew(sh, &f->sets[u][space]);
}

static void
set_expire(struct shell *sh, struct forward_set *set)
{
	bool lost = false; /* the one in use */

	if (set->n == 0)
		return;
	for (unsigned i = set->n; i-- > 0 && set->n_draining < FORWARD_DRAINING;) {
		uint16_t slot = set->slots[i];

		if (!is_old(sh, &sh->forward.socks[slot]))
			continue;
		lost |= slot == set->in_use;
		sock_retire(sh, slot);
		set->slots[i] = set->slots[--set->n];
	}
	if (set->n == 0) {
		set->asleep = true;
		sh->forward.renew_ns = 0;
	} else if (lost) {
		set_use(sh, set, set->slots[rng_below(&sh->rng, set->n)]);
	}
}

static void
close_drained(struct shell *sh)
{
	struct list *head = &sh->forward.draining;

	for (struct list *link = head->next, *next; link != head; link = next) {
		struct forward_sock *s = LIST_OBJECT(link, struct forward_sock, drain);
		unsigned slot = (unsigned)(s - sh->forward.socks);

		next = link->next;
		if (engine_socket_open(sh->engine, slot) > 0)
			continue;
		list_unlink(link);
		engine_socket_del(sh->engine, slot);
		source_close(&s->src);
		close(s->out.fd);
		s->open = false;
		set_of(&sh->forward, s)->n_draining--;
	}
}

void
forward_expire(struct shell *sh)
{
	struct forward *f = &sh->forward;

	for (unsigned u = 0; u < ENGINE_MAX_UPSTREAMS; u++)
		for (unsigned space = 0; space < f->n_spaces; space++)
			set_expire(sh, &f->sets[u][space]);
	close_drained(sh);
}

bool
forward_is_awake(const struct shell *sh)
{
	return sh->forward.n_active > 0;
}

void
forward_beat(struct shell *sh)
{
	close_drained(sh);
	if (sh->forward.failing != 0)
		forward_sync(sh);
}

bool
forward_needs_beat(const struct shell *sh)
{
	return sh->forward.failing != 0 || !list_empty(&sh->forward.draining);
}
