/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/upstream_set.h"

#include <errno.h>
#include <unistd.h>

#include "io/connlog.h"
#include "io/port.h"
#include "io/shell.h"

void
upstream_set_init(struct upstream_set *set, uint8_t upstream, uint8_t space)
{
	set->upstream = upstream;
	set->space = space;
	list_init(&set->draining);
	list_init(&set->sent);
}

unsigned
upstream_set_most(unsigned ports)
{
	if (ports == 0)
		return UPSTREAM_MAX_SOCKETS;
	return TXID_MAX_SPACES * (ports + UPSTREAM_SET_DRAINING);
}

/* How many sockets a set has in use: never more than half of its share. */
static unsigned
n_ports(const struct shell *sh)
{
	unsigned n = sh->conf->outgoing_ports, most = sh->upstream_udp.share / 2;

	if (n == 0)
		return 1;
	return n < most ? n : most;
}

/* How many retired sockets of a set may be open. */
static unsigned
most_draining(const struct shell *sh)
{
	unsigned rest = sh->upstream_udp.share - n_ports(sh);

	return sh->conf->outgoing_ports > 0 && rest > UPSTREAM_SET_DRAINING ? UPSTREAM_SET_DRAINING
									    : rest;
}

/*
 * How many questions may leave by one socket of SET. Each that is retired is kept for its replies,
 * so a slow upstream must not have more of them than there may be.
 */
static uint32_t
uses(const struct shell *sh, const struct upstream_set *set)
{
	bool many = set->n_draining > most_draining(sh) / 4;

	if (sh->conf->outgoing_ports == 0)
		return 1;
	/* Where somebody guesses IDs, as long as there are ports. */
	if (!sh->upstream_udp.pace.busy && set->n_draining <= most_draining(sh) / 2 &&
	    engine_socket_each(sh->engine, set->upstream, sh->now_ns))
		return 1;
	return sh->upstream_udp.pace.busy || many ? UPSTREAM_SET_USES_BUSY : UPSTREAM_SET_USES;
}

/* Watch FD, which has SLOT, for SET. Returns 0 or -ENOMEM. */
static int
sock_watch(struct shell *sh, struct upstream_set *set, int fd, int slot)
{
	struct upstream_socks *socks = &sh->upstream_udp.socks;
	struct upstream_sock *s = &socks->at[slot];

	*s = (struct upstream_sock){ .opened_ns = sh->now_ns,
		.upstream = set->upstream,
		.space = set->space,
		.open = true };
	list_init(&s->drain);
	udp_out_init(&s->out, fd, true, &set->way);
	udp_rx_socket(&sh->upstream_rx, fd);
	fd_event_open(&s->src, sh->base, fd, EV_READ, &socks->ready);
	if (fd_event_on(&s->src) == 0) {
		socks->n_active++;
		return 0;
	}
	fd_event_close(&s->src);
	s->open = false;
	return -ENOMEM;
}

/*
 * Open a socket for SET and tell the engine of it. Returns its slot, or -errno: -ENOSPC when all
 * slots are taken.
 */
static int
sock_open(struct shell *sh, struct upstream_set *set)
{
	uint16_t port = set->port;
	int fd = port_open(sh->conf, &sh->rng, &set->addr, &port), slot, r;

	if (fd < 0)
		return fd;
	set->port = port;
	slot = engine_socket_add(sh->engine, set->upstream, set->space);
	r = slot < 0 ? -ENOSPC : sock_watch(sh, set, fd, slot);
	if (r == 0)
		return slot;
	close(fd);
	if (slot >= 0)
		engine_socket_del(sh->engine, (unsigned)slot);
	return r;
}

/* Log once that an upstream cannot be reached (ERR: errno), and once that it can again (ERR: 0). */
static void
set_report(struct shell *sh, const struct upstream_set *set, int err)
{
	uint64_t bit = UINT64_C(1) << set->upstream;
	bool failing = (sh->upstream_udp.failing & bit) != 0;

	if (failing == (err != 0))
		return;
	sh->upstream_udp.failing ^= bit;
	connlog_socket(sh->logonce, &set->addr, err);
}

/* The upstream of SET was removed: end the report of failures without a message. */
static void
set_forget(struct shell *sh, const struct upstream_set *set)
{
	uint64_t bit = UINT64_C(1) << set->upstream;

	if ((sh->upstream_udp.failing & bit) == 0)
		return;
	sh->upstream_udp.failing &= ~bit;
	(void)logonce_end(sh->logonce, LOGONCE_NO_SOCKET, &set->addr);
}

/* Open one more socket of SET. Returns its slot, or -1 when that must wait until retry_ns. */
static int
set_open(struct shell *sh, struct upstream_set *set)
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
	set->retry_ns = sh->now_ns + UPSTREAM_SET_RETRY_NS;
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

/* Close S, which is retired. What is open on it gets no reply any more. */
static void
sock_close(struct shell *sh, struct upstream_sock *s)
{
	struct upstream_udp *udp = &sh->upstream_udp;

	upstream_udp_set_of(udp, s)->n_draining--;
	udp->n_draining--;
	list_unlink(&s->drain);
	engine_socket_del(sh->engine, upstream_sock_slot(&udp->socks, s));
	fd_event_close(&s->src);
	udp_out_close(&s->out);
	s->open = false;
}

void
upstream_set_end(struct shell *sh, struct upstream_sock *s)
{
	if (!udp_out_waits(&s->out) &&
	    !engine_socket_busy(sh->engine, upstream_sock_slot(&sh->upstream_udp.socks, s)))
		sock_close(sh, s);
}

/* Let the socket in SLOT get no more questions; it is closed when its open ones have ended. */
static void
sock_retire(struct shell *sh, unsigned slot)
{
	struct upstream_udp *udp = &sh->upstream_udp;
	struct upstream_sock *s = &udp->socks.at[slot];
	struct upstream_set *set = upstream_udp_set_of(udp, s);

	engine_socket_retire(sh->engine, slot);
	udp->socks.n_active--;
	list_push(&set->draining, &s->drain);
	set->n_draining++;
	udp->n_draining++;
}

/*
 * Is there room for one more retired socket of SET? If not it is made: the oldest one has waited
 * long enough for its replies.
 */
static bool
make_room(struct shell *sh, struct upstream_set *set)
{
	struct upstream_sock *s;

	if (set->n_draining < most_draining(sh))
		return true;
	if (list_empty(&set->draining))
		return false;
	s = LIST_OBJECT(set->draining.next, struct upstream_sock, drain);
	if (udp_out_waits(&s->out))
		return false;
	sock_close(sh, s);
	return true;
}

static bool
is_old(const struct shell *sh, const struct upstream_sock *s)
{
	return sh->now_ns - s->opened_ns >= UPSTREAM_SET_AGE_NS;
}

/* Have the next questions of SET leave by the socket in SLOT. */
static void
set_use(struct shell *sh, struct upstream_set *set, uint16_t slot)
{
	const struct upstream_sock *s = &sh->upstream_udp.socks.at[slot];
	/* If the socket is too old and could not be replaced now, try again soon. */
	uint64_t renew_ns =
	    is_old(sh, s) ? sh->now_ns + UPSTREAM_SET_RETRY_NS : s->opened_ns + UPSTREAM_SET_AGE_NS;

	set->in_use = slot;
	engine_socket_use(sh->engine, slot);
	if (renew_ns < sh->upstream_udp.renew_ns)
		sh->upstream_udp.renew_ns = renew_ns;
}

/* Open one more socket of SET, if possible, and use it for the next questions. */
static void
set_grow(struct shell *sh, struct upstream_set *set)
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
set_index(const struct upstream_set *set)
{
	unsigned i = 0;

	while (set->slots[i] != set->in_use)
		i++;
	return i;
}

/* The index of one drawn from the others than the socket in use of SET, which has two at least. */
static unsigned
set_other(struct shell *sh, const struct upstream_set *set)
{
	return (set_index(set) + 1 + rng_below(&sh->rng, set->n - 1)) % set->n;
}

/* Replace socket I of SET by a new one, if one can be opened. */
static void
set_replace(struct shell *sh, struct upstream_set *set, unsigned i)
{
	int slot = make_room(sh, set) ? set_open(sh, set) : -1;

	if (slot < 0)
		return;
	sock_retire(sh, set->slots[i]);
	set->slots[i] = (uint16_t)slot;
}

/* Retire sockets of SET until it has MOST. */
static void
set_shrink(struct shell *sh, struct upstream_set *set, unsigned most)
{
	bool lost = false; /* the one in use was retired */

	while (set->n > most) {
		uint16_t slot = set->slots[--set->n];

		lost |= slot == set->in_use;
		sock_retire(sh, slot);
	}
	if (lost && set->n > 0)
		set_use(sh, set, set->slots[rng_below(&sh->rng, set->n)]);
}

/* Retire all sockets of SET. */
static void
set_retire(struct shell *sh, struct upstream_set *set)
{
	set_shrink(sh, set, 0);
	set->retry_ns = 0;
	set->asleep = false;
	list_unlink(&set->sent);
}

void
upstream_set_sync(struct shell *sh, struct upstream_set *set, const struct netaddr *addr)
{
	bool other = addr == NULL || !netaddr_equal(addr, &set->addr);

	if (other) {
		set_retire(sh, set);
		set_forget(sh, set);
	}
	if (addr == NULL)
		return;
	set->addr = *addr;
	if (other)
		set->way = (struct udp_way){ .singly_ns = 0 };
	set_shrink(sh, set, n_ports(sh));
	if (set->n == 0 && !set->asleep)
		set_grow(sh, set);
}

void
upstream_set_dodge(struct shell *sh, struct upstream_set *set)
{
	unsigned i = set_index(set);

	if (sh->now_ns >= set->fresh_ns && set->n_draining < most_draining(sh) / 2) {
		set->fresh_ns = sh->now_ns + UPSTREAM_SET_FRESH_NS;
		set_replace(sh, set, i);
	} else if (set->n > 1) {
		i = set_other(sh, set);
	}
	set_use(sh, set, set->slots[i]);
}

/* Is S of SET to be replaced? */
static bool
is_due(const struct shell *sh, const struct upstream_set *set, const struct upstream_sock *s)
{
	return s->n_sent >= uses(sh, set) || is_old(sh, s);
}

void
upstream_set_draw(struct shell *sh, struct upstream_set *set)
{
	unsigned i;

	if (set->n < n_ports(sh) && sh->now_ns >= set->retry_ns) {
		set_grow(sh, set);
		return;
	}
	if (set->n == 0)
		return;
	i = set->n > 1 ? set_other(sh, set) : 0;
	if (is_due(sh, set, &sh->upstream_udp.socks.at[set->slots[i]]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
upstream_set_renew(struct shell *sh, struct upstream_set *set)
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
	if (is_old(sh, &sh->upstream_udp.socks.at[set->in_use]))
		set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}

void
upstream_set_expire(struct shell *sh, struct upstream_set *set)
{
	bool lost = false; /* the one in use was retired */

	if (set->n == 0)
		return;
	for (unsigned i = set->n; i-- > 0;) {
		uint16_t slot = set->slots[i];

		if (!is_old(sh, &sh->upstream_udp.socks.at[slot]) || !make_room(sh, set))
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

void
upstream_set_close_drained(struct shell *sh, struct upstream_set *set)
{
	struct list *head = &set->draining;

	for (struct list *link = head->next, *next; link != head; link = next) {
		struct upstream_sock *s = LIST_OBJECT(link, struct upstream_sock, drain);

		next = link->next;
		upstream_set_end(sh, s);
	}
}

void
upstream_set_drop(struct shell *sh, struct upstream_set *set, uint16_t slot)
{
	bool used = set->in_use == slot;
	unsigned i = 0;

	while (set->slots[i] != slot)
		i++;
	sock_retire(sh, slot);
	set->slots[i] = set->slots[--set->n];
	(void)make_room(sh, set);
	if (set->n == 0)
		set->retry_ns = 0; /* if this fails the beat tries again */
	set_grow(sh, set);
	if (used && set->in_use == slot && set->n > 0)
		set_use(sh, set, set->slots[rng_below(&sh->rng, set->n)]);
}

void
upstream_set_sent(struct shell *sh, struct upstream_set *set, const struct upstream_sock *s)
{
	unsigned i;

	if (list_empty(&set->sent))
		list_push(&sh->upstream_udp.sent, &set->sent);
	if (s->n_sent < uses(sh, set) || set->n == 0 ||
	    set->in_use != upstream_sock_slot(&sh->upstream_udp.socks, s))
		return;
	i = set_index(set);
	set_replace(sh, set, i);
	set_use(sh, set, set->slots[i]);
}
