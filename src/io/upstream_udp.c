/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/upstream_udp.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/port.h"
#include "io/say.h"
#include "io/shell.h"

int
upstream_udp_init(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	list_init(&udp->ready);
	list_init(&udp->draining);
	list_init(&udp->sent);
	udp->renew_ns = UINT64_MAX;
	for (uint8_t u = 0; u < UPSTREAM_MAX; u++)
		for (uint8_t space = 0; space < TXID_MAX_SPACES; space++) {
			udp->sets[u][space].upstream = u;
			udp->sets[u][space].space = space;
			list_init(&udp->sets[u][space].sent);
		}
	/* calloc's zeroed pages take no memory before a slot is used. */
	udp->socks = calloc(UPSTREAM_MAX_SOCKETS, sizeof(*udp->socks));
	return udp->socks == NULL ? -ENOMEM : 0;
}

/* The set that S belongs to. */
static struct upstream_udp_set *
set_of(struct upstream_udp *udp, const struct upstream_udp_sock *s)
{
	return &udp->sets[s->upstream][s->space];
}

void
upstream_udp_fini(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	if (udp->socks == NULL)
		return;
	for (size_t i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		if (udp->socks[i].open) {
			source_close(&udp->socks[i].src);
			close(udp->socks[i].out.fd);
		}
	free(udp->socks);
	udp->socks = NULL;
}

/* Open a socket for SET and tell the engine of it. Returns its slot, or -errno. */
static int
sock_open(struct shell *sh, struct upstream_udp_set *set)
{
	struct upstream_udp_sock *s;
	int fd = port_open(sh->conf, &sh->rng, &set->addr);
	int slot;

	if (fd < 0)
		return fd;
	slot = engine_socket_add(sh->engine, set->upstream, set->space);
	if (slot < 0) {
		close(fd);
		return -ENOSPC;
	}
	s = &sh->upstream_udp.socks[slot];
	*s = (struct upstream_udp_sock){ .opened_ns = sh->now_ns,
		.upstream = set->upstream,
		.space = set->space,
		.open = true };
	list_init(&s->drain);
	udp_out_init(&s->out, fd, true);
	source_open(&s->src, sh->base, fd, EV_READ, &sh->upstream_udp.ready);
	if (source_on(&s->src) == 0) {
		sh->upstream_udp.n_active++;
		return slot;
	}
	source_close(&s->src);
	s->open = false;
	close(fd);
	engine_socket_del(sh->engine, (unsigned)slot);
	return -ENOMEM;
}

/* Log once that an upstream cannot be reached (ERR: errno), and once that it can again (ERR: 0). */
static void
set_report(struct shell *sh, const struct upstream_udp_set *set, int err)
{
	uint64_t bit = UINT64_C(1) << set->upstream;
	bool failing = (sh->upstream_udp.failing & bit) != 0;

	if (failing == (err != 0))
		return;
	sh->upstream_udp.failing ^= bit;
	say_socket(sh->told, &set->addr, err);
}

/* The upstream of SET was removed: end the report of failures without a message. */
static void
set_forget(struct shell *sh, const struct upstream_udp_set *set)
{
	uint64_t bit = UINT64_C(1) << set->upstream;

	if ((sh->upstream_udp.failing & bit) == 0)
		return;
	sh->upstream_udp.failing &= ~bit;
	(void)told_end(sh->told, TOLD_NO_SOCKET, &set->addr);
}

/* Open one more socket of SET. Returns its slot, or -1 when that must wait until retry_ns. */
static int
set_open(struct shell *sh, struct upstream_udp_set *set)
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
	set->retry_ns = sh->now_ns + UPSTREAM_UDP_RETRY_NS;
	if (set->n == 0 && sh->upstream_udp.sets[set->upstream][0].n == 0) {
		set_report(sh, set, -slot);
		if (shell_is_exhausted(-slot))
			engine_socket_none(sh->engine, set->upstream);
		else
			engine_refused(sh->engine, set->upstream, -1, sh->now_ns);
		if (shell_drain(sh) > 0)
			sh->again = true; /* this iteration may have flushed already */
	}
	return -1;
}

/* Let the socket in SLOT get no more questions; it is closed when its open ones have ended. */
static void
sock_retire(struct shell *sh, unsigned slot)
{
	struct upstream_udp_sock *s = &sh->upstream_udp.socks[slot];

	engine_socket_retire(sh->engine, slot);
	sh->upstream_udp.n_active--;
	set_of(&sh->upstream_udp, s)->n_draining++;
	list_push(&sh->upstream_udp.draining, &s->drain);
}

static bool
is_old(const struct shell *sh, const struct upstream_udp_sock *s)
{
	return sh->now_ns - s->opened_ns >= UPSTREAM_UDP_AGE_NS;
}

/* Have the next questions of SET leave by the socket in SLOT. */
static void
set_use(struct shell *sh, struct upstream_udp_set *set, uint16_t slot)
{
	const struct upstream_udp_sock *s = &sh->upstream_udp.socks[slot];
	/* If the socket is too old and could not be replaced now, try again soon. */
	uint64_t renew_ns =
	    is_old(sh, s) ? sh->now_ns + UPSTREAM_UDP_RETRY_NS : s->opened_ns + UPSTREAM_UDP_AGE_NS;

	set->in_use = slot;
	engine_socket_use(sh->engine, slot);
	if (renew_ns < sh->upstream_udp.renew_ns)
		sh->upstream_udp.renew_ns = renew_ns;
}

/* Open one more socket of SET, if possible, and use it for the next questions. */
static void
set_grow(struct shell *sh, struct upstream_udp_set *set)
{
	int slot = set_open(sh, set);

	if (slot < 0)
		return;
	set->asleep = false;
	set->slots[set->n++] = (uint16_t)slot;
	set_use(sh, set, (uint16_t)slot);
}

/* The index in SET's slots of the socket in use. SET has at least one. */
static unsigned
set_index(const struct upstream_udp_set *set)
{
	unsigned i = 0;

	while (set->slots[i] != set->in_use)
		i++;
	return i;
}

/* Replace socket I of SET by a new one, if one can be opened. */
static void
set_replace(struct shell *sh, struct upstream_udp_set *set, unsigned i)
{
	int slot = set->n_draining < UPSTREAM_UDP_DRAINING ? set_open(sh, set) : -1;

	if (slot < 0)
		return;
	sock_retire(sh, set->slots[i]);
	set->slots[i] = (uint16_t)slot;
}

/* Retire all sockets of SET. */
static void
set_retire(struct shell *sh, struct upstream_udp_set *set)
{
	while (set->n > 0)
		sock_retire(sh, set->slots[--set->n]);
	set->retry_ns = 0;
	set->asleep = false;
	list_unlink(&set->sent);
}

/* SET is for the upstream at ADDR from now on; NULL: for none. */
static void
set_sync(struct shell *sh, struct upstream_udp_set *set, const struct netaddr *addr)
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
upstream_udp_sync(struct shell *sh)
{
	sh->upstream_udp.n_spaces = engine_spaces(sh->engine);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		const struct netaddr *addr = engine_upstream(sh->engine, u);

		if (addr != NULL && !engine_upstream_active(sh->engine, u))
			addr = NULL;
		for (unsigned space = 0; space < sh->upstream_udp.n_spaces; space++)
			set_sync(sh, &sh->upstream_udp.sets[u][space], addr);
	}
}

/*
 * Have the next questions of SET leave by another port than that of the socket in use, which was
 * refused: a fresh one, or, as ICMP must not have us open ports without end, another of the set.
 */
static void
set_dodge(struct shell *sh, struct upstream_udp_set *set)
{
	unsigned i = set_index(set);

	if (sh->now_ns >= set->fresh_ns && set->n_draining < UPSTREAM_UDP_DRAINING / 2) {
		set->fresh_ns = sh->now_ns + UPSTREAM_UDP_FRESH_NS;
		set_replace(sh, set, i);
	} else if (set->n > 1) {
		i = (i + 1 + rng_below(&sh->rng, set->n - 1)) % set->n;
	}
	set_use(sh, set, set->slots[i]);
}

/*
 * The kernel reported the upstream unreachable on S. The engine is told when another socket is in
 * its place, so that what it asks again leaves by another port.
 */
static void
sock_refused(struct shell *sh, const struct upstream_udp_sock *s)
{
	struct upstream_udp_set *set = set_of(&sh->upstream_udp, s);
	unsigned slot = (unsigned)(s - sh->upstream_udp.socks);

	if (set->n > 0 && set->in_use == slot)
		set_dodge(sh, set);
	engine_refused(sh->engine, s->upstream, (int)slot, sh->now_ns);
}

bool
upstream_udp_refused(struct shell *sh)
{
	struct list *link;
	bool any = !list_empty(&sh->tx.refused);

	while ((link = list_pop(&sh->tx.refused)) != NULL) {
		struct udp_out *out = LIST_OBJECT(link, struct udp_out, refused);

		sock_refused(sh, LIST_OBJECT(out, struct upstream_udp_sock, out));
	}
	return any;
}

/* Read one batch of replies. */
static void
sock_read(struct shell *sh, struct upstream_udp_sock *s)
{
	unsigned slot = (unsigned)(s - sh->upstream_udp.socks);
	unsigned n_in = 0;
	int n = udp_recv(&sh->upstream_rx, s->out.fd, UDP_BATCH);

	if (n < 0) { /* an ICMP error, which reading it has cleared */
		sock_refused(sh, s);
		(void)shell_drain(sh);
		return;
	}
	for (unsigned i = 0; i < (unsigned)n; i++) {
		struct packet_in *in = &sh->in[n_in];

		if (udp_cut(&sh->upstream_rx, i)) {
			stats_inc(&sh->stats->upstream_malformed);
			continue;
		}
		in->msg = udp_msg(&sh->upstream_rx, i);
		in->len = udp_len(&sh->upstream_rx, i);
		in->way = PACKET_UPSTREAM_UDP;
		in->sock = slot;
		n_in++;
	}
	(void)shell_input(sh, n_in);
}

void
upstream_udp_turn(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	struct source *src;

	if (engine_spaces(sh->engine) != udp->n_spaces)
		upstream_udp_sync(sh);
	while ((src = source_take(&udp->ready)) != NULL)
		sock_read(sh, LIST_OBJECT(src, struct upstream_udp_sock, src));
}

void
upstream_udp_question(struct shell *sh, const struct packet_out *send)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	struct upstream_udp_sock *s;
	struct upstream_udp_set *set;

	if (send->sock >= UPSTREAM_MAX_SOCKETS || !udp->socks[send->sock].open)
		return;
	s = &udp->socks[send->sock];
	set = set_of(udp, s);
	s->n_sent++;
	if (list_empty(&set->sent))
		list_push(&udp->sent, &set->sent);
	udp_tx_question(&sh->tx, &s->out, send->len);
}

/* Is S to be replaced? */
static bool
is_due(const struct shell *sh, const struct upstream_udp_sock *s)
{
	return s->n_sent >= UPSTREAM_UDP_USES || is_old(sh, s);
}

/* Draw the socket for the next questions of SET. */
static void
set_draw(struct shell *sh, struct upstream_udp_set *set)
{
	unsigned i;

	if (set->n < UPSTREAM_UDP_ACTIVE && sh->now_ns >= set->retry_ns) {
		set_grow(sh, set);
		return;
	}
	if (set->n == 0)
		return;
	i = rng_below(&sh->rng, set->n);
	if (is_due(sh, &sh->upstream_udp.socks[set->slots[i]]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
upstream_udp_draw(struct shell *sh)
{
	struct list *link;

	while ((link = list_pop(&sh->upstream_udp.sent)) != NULL)
		set_draw(sh, LIST_OBJECT(link, struct upstream_udp_set, sent));
}

/* Replace the socket in use of SET if it is too old, and wake SET if it is asleep. */
static void
set_renew(struct shell *sh, struct upstream_udp_set *set)
{
	unsigned i;

	if (set->asleep) {
		set->asleep = false; /* even if set_grow fails: then the beat tries again */
		set->retry_ns = 0;
		set_grow(sh, set);
	}
	if (set->n == 0)
		return;
	i = set_index(set);
	if (is_old(sh, &sh->upstream_udp.socks[set->in_use]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
upstream_udp_renew(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	udp->renew_ns = UINT64_MAX;
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		for (unsigned space = 0; space < udp->n_spaces; space++)
			set_renew(sh, &udp->sets[u][space]);
}

/* Retire sockets of SET that are too old; without any left it is asleep. */
static void
set_expire(struct shell *sh, struct upstream_udp_set *set)
{
	bool lost = false; /* the one in use was retired */

	if (set->n == 0)
		return;
	for (unsigned i = set->n; i-- > 0 && set->n_draining < UPSTREAM_UDP_DRAINING;) {
		uint16_t slot = set->slots[i];

		if (!is_old(sh, &sh->upstream_udp.socks[slot]))
			continue;
		lost |= slot == set->in_use;
		sock_retire(sh, slot);
		set->slots[i] = set->slots[--set->n];
	}
	if (set->n == 0) {
		set->asleep = true;
		sh->upstream_udp.renew_ns = 0;
	} else if (lost) {
		set_use(sh, set, set->slots[rng_below(&sh->rng, set->n)]);
	}
}

/* Close retired sockets that have no open questions. */
static void
close_drained(struct shell *sh)
{
	struct list *head = &sh->upstream_udp.draining;

	for (struct list *link = head->next, *next; link != head; link = next) {
		struct upstream_udp_sock *s = LIST_OBJECT(link, struct upstream_udp_sock, drain);
		unsigned slot = (unsigned)(s - sh->upstream_udp.socks);

		next = link->next;
		if (engine_socket_busy(sh->engine, slot))
			continue;
		list_unlink(link);
		list_unlink(&s->out.refused);
		engine_socket_del(sh->engine, slot);
		source_close(&s->src);
		close(s->out.fd);
		s->open = false;
		set_of(&sh->upstream_udp, s)->n_draining--;
	}
}

void
upstream_udp_expire(struct shell *sh)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		for (unsigned space = 0; space < udp->n_spaces; space++)
			set_expire(sh, &udp->sets[u][space]);
	close_drained(sh);
}

bool
upstream_udp_is_awake(const struct shell *sh)
{
	return sh->upstream_udp.n_active > 0;
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
	return sh->upstream_udp.failing != 0 || !list_empty(&sh->upstream_udp.draining);
}
