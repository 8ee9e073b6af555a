/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/forward.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "io/shell.h"

#define PORT_FIRST 1024u /* RFC 5452 section 9.2: 1024 and up */
#define STRAY_MAX 1024   /* datagrams thrown away before first use */

int
forward_init(struct shell *sh)
{
	struct forward *f = &sh->forward;

	list_init(&f->ready);
	list_init(&f->draining);
	list_init(&f->sent);
	for (uint8_t u = 0; u < ENGINE_MAX_UPSTREAMS; u++)
		for (uint8_t space = 0; space < ENGINE_MAX_SPACES; space++) {
			f->sets[u][space].upstream = u;
			f->sets[u][space].space = space;
			list_init(&f->sets[u][space].sent);
		}
	/* Zeroed pages, touched as slots are used. */
	f->socks = calloc(ENGINE_MAX_SOCKETS, sizeof *f->socks);
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

static bool
is_avoided(const struct conf_io *conf, uint16_t port)
{
	for (size_t i = 0; i < conf->n_avoid_ports; i++)
		if (conf->avoid_ports[i] == port)
			return true;
	return false;
}

/* Bind FD to a random port that may be used. Never with SO_REUSEPORT: the port is ours alone. */
static int
bind_random(struct shell *sh, int fd, uint8_t family)
{
	struct netaddr any = { .family = family };
	int r = -EADDRINUSE;

	for (int i = 0; r < 0 && i < FORWARD_TRIES; i++) {
		struct sockaddr_storage ss;
		socklen_t len;

		do
			any.port = (uint16_t)(PORT_FIRST + rng_below(&sh->rng, 65536 - PORT_FIRST));
		while (is_avoided(sh->conf, any.port));
		len = netaddr_to_sockaddr(&any, &ss);
		if (bind(fd, (const struct sockaddr *)&ss, len) == 0)
			return 0;
		r = -errno;
		if (r != -EADDRINUSE && r != -EACCES && r != -EPERM)
			break;
	}
	return r;
}

/* Throw away what strangers sent to the port before the socket was connected. */
static int
read_empty(int fd)
{
	uint8_t byte;

	for (int i = 0; i < STRAY_MAX; i++)
		if (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) < 0)
			return errno == EAGAIN ? 0 : -errno;
	return -EBUSY; /* somebody is at it: another port */
}

static int
set_up(struct shell *sh, int fd, const struct netaddr *addr)
{
	uint32_t buffer = sh->conf->socket_buffer;
	int size = buffer <= INT32_MAX ? (int)buffer : INT32_MAX;
	int one = 1;
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(addr, &ss);
	int r;

	if (addr->family == NETADDR_IPV6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) < 0)
		return -errno;
	/* A smaller buffer than asked for is no reason not to serve. */
	if (size > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	r = bind_random(sh, fd, addr->family);
	if (r < 0)
		return r;
	if (connect(fd, (const struct sockaddr *)&ss, len) < 0)
		return -errno;
	return read_empty(fd);
}

/* A new socket to ADDR, or -errno. */
static int
sock_fd(struct shell *sh, const struct netaddr *addr)
{
	int family = addr->family == NETADDR_IPV6 ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = set_up(sh, fd, addr);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

/* Open a socket for SET and make it known to the engine; its slot, or -errno. */
static int
sock_open(struct shell *sh, struct forward_set *set)
{
	struct forward_sock *s;
	int fd = sock_fd(sh, &set->addr);
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
	if (source_on(&s->src) == 0)
		return slot;
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
		log_notice("upstream", "%s: reachable again", netaddr_format(&set->addr, text));
	} else if (err != 0 && (sh->forward.failing & bit) == 0) {
		sh->forward.failing |= bit;
		log_warn("upstream", "%s: no socket: %s", netaddr_format(&set->addr, text),
		    strerror(err));
	}
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
	if (set->n == 0) {
		set_report(sh, set, -slot);
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
	set_of(&sh->forward, s)->n_draining++;
	list_push(&sh->forward.draining, &s->drain);
}

static void
set_grow(struct shell *sh, struct forward_set *set)
{
	int slot = set_open(sh, set);

	if (slot < 0)
		return;
	set->slots[set->n++] = (uint16_t)slot;
	engine_socket_use(sh->engine, (unsigned)slot);
}

static void
set_retire(struct shell *sh, struct forward_set *set)
{
	while (set->n > 0)
		sock_retire(sh, set->slots[--set->n]);
	set->retry_ns = 0;
	sh->forward.failing &= ~(UINT64_C(1) << set->upstream);
	list_unlink(&set->sent);
}

static void
set_sync(struct shell *sh, struct forward_set *set, const struct netaddr *addr)
{
	if (set->n > 0 && (addr == NULL || !netaddr_equal(addr, &set->addr)))
		set_retire(sh, set);
	if (addr == NULL)
		return;
	if (!netaddr_equal(addr, &set->addr))
		set->retry_ns = 0;
	set->addr = *addr;
	if (set->n == 0)
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
	return s->n_sent >= FORWARD_USES || sh->now_ns - s->opened_ns >= FORWARD_AGE_NS;
}

/* Choose the socket for the next questions of the set. */
static void
set_draw(struct shell *sh, struct forward_set *set)
{
	unsigned i;
	int slot;

	if (set->n < FORWARD_ACTIVE && sh->now_ns >= set->retry_ns) {
		set_grow(sh, set);
		return;
	}
	if (set->n == 0)
		return;
	i = rng_below(&sh->rng, set->n);
	if (is_due(sh, &sh->forward.socks[set->slots[i]]) && set->n_draining < FORWARD_DRAINING) {
		slot = set_open(sh, set);
		if (slot >= 0) {
			sock_retire(sh, set->slots[i]);
			set->slots[i] = (uint16_t)slot;
		}
	}
	engine_socket_use(sh->engine, set->slots[i]);
}

void
forward_draw(struct shell *sh)
{
	struct list *link;

	while ((link = list_pop(&sh->forward.sent)) != NULL)
		set_draw(sh, LIST_OBJECT(link, struct forward_set, sent));
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
