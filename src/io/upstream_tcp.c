/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/upstream_tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/header.h"
#include "io/shell.h"

void
upstream_tcp_init(struct shell *sh)
{
	struct upstream_tcp *f = &sh->upstream_tcp;

	list_init(&f->readable);
	list_init(&f->writable);
	list_init(&f->dirty);
	for (size_t i = 0; i < UPSTREAM_TCP_CONNS; i++) {
		f->c[i].link = CARRIER_NONE;
		list_init(&f->c[i].dirty);
	}
}

/* The number by which the engine knows C. */
static unsigned
number_of(const struct shell *sh, const struct upstream_tcp_conn *c)
{
	return (unsigned)(c - sh->upstream_tcp.c);
}

/* Where the replies on C come from. */
static struct packet_route
route_of(const struct shell *sh, const struct upstream_tcp_conn *c)
{
	return (struct packet_route){
		.side = PACKET_UPSTREAM, .transport = c->transport, .sock = number_of(sh, c)
	};
}

/* Have upstream_tcp_flush look at C. */
static void
conn_dirty(struct shell *sh, struct upstream_tcp_conn *c)
{
	if (list_empty(&c->dirty))
		list_push(&sh->upstream_tcp.dirty, &c->dirty);
}

/* Give C up because of ERR (errno; 0: it was closed); upstream_tcp_flush closes it. */
static void
conn_lose(struct shell *sh, struct upstream_tcp_conn *c, int err)
{
	c->lost = true;
	c->err = err;
	conn_dirty(sh, c);
}

static void
conn_close(struct shell *sh, struct upstream_tcp_conn *c)
{
	if (c->state != UPSTREAM_TCP_CLOSED) {
		fd_event_close(&c->rd);
		fd_event_close(&c->wr);
		carrier_end(&c->link);
		sh->upstream_tcp.n_open--;
	}
	list_unlink(&c->dirty);
	stream_in_clear(&c->in, &sh->mem);
	stream_out_clear(&c->out, &sh->mem);
	c->state = UPSTREAM_TCP_CLOSED;
	c->lost = false;
	c->err = 0;
}

void
upstream_tcp_fini(struct shell *sh)
{
	for (size_t i = 0; i < UPSTREAM_TCP_CONNS; i++)
		if (sh->upstream_tcp.c[i].state != UPSTREAM_TCP_CLOSED)
			conn_close(sh, &sh->upstream_tcp.c[i]);
}

/* What io/connlog needs to know of C. */
static struct connlog_event
event_of(const struct shell *sh, const struct upstream_tcp_conn *c)
{
	return (
	    struct connlog_event){ .logonce = sh->logonce, .peer = &c->addr, .now_ns = sh->now_ns };
}

/* C has been made. */
static void
conn_up(struct shell *sh, struct upstream_tcp_conn *c)
{
	const struct connlog_event e = event_of(sh, c);

	c->state = UPSTREAM_TCP_UP;
	fd_event_off(&c->wr);
	stats_inc(&sh->stats->tcp_upstream_opened);
	connlog_conn_up(&e, &c->said);
	if (fd_event_on(&c->rd) < 0)
		c->lost = true;
	conn_dirty(sh, c);
}

/* Begin a stream by C's transport to UP, whose address C has. Returns 0 or -errno. */
static int
conn_open(struct shell *sh, struct upstream_tcp_conn *c, const struct conf_upstream *up)
{
	int r = carrier_begin(&c->link, (enum transport)c->transport, up);

	if (r < 0)
		return r;
	c->state = UPSTREAM_TCP_CONNECTING;
	c->opened_ns = sh->now_ns;
	sh->upstream_tcp.n_open++;
	fd_event_open(&c->rd, sh->base, c->link.fd, EV_READ, &sh->upstream_tcp.readable);
	fd_event_open(&c->wr, sh->base, c->link.fd, EV_WRITE, &sh->upstream_tcp.writable);
	if (fd_event_on(&c->wr) == 0)
		return 0;
	conn_close(sh, c);
	return -ENOMEM;
}

/* Does C lead to UP by TRANSPORT, or did it last? */
static bool
leads_to(const struct upstream_tcp_conn *c, const struct conf_upstream *up, uint8_t transport)
{
	return c->transport == transport && netaddr_equal(&c->addr, &up->addr);
}

/* Begin to connect C, which is closed, to UP by TRANSPORT. Returns 0 or -errno. */
static int
conn_begin(struct shell *sh, struct upstream_tcp_conn *c, const struct conf_upstream *up,
    uint8_t transport)
{
	if (!leads_to(c, up, transport)) {
		const struct connlog_event e = event_of(sh, c);

		connlog_conn_gone(&e, &c->said);
	}
	c->addr = up->addr;
	c->transport = transport;
	return conn_open(sh, c, up);
}

/* May LEN bytes more be queued? Writes what is queued if need be; C is lost if that fails. */
static bool
conn_has_room(struct shell *sh, struct upstream_tcp_conn *c, size_t len)
{
	int r;

	if (c->out.len + len <= UPSTREAM_TCP_BYTES)
		return true;
	if (c->state != UPSTREAM_TCP_UP)
		return false;
	/* A burst within one iteration fills the queue though the upstream keeps up: write now. */
	if (!c->wr.on) {
		r = stream_write(&c->out, &sh->mem, &c->link);
		if (r < 0)
			conn_lose(sh, c, -r);
	}
	return c->out.len + len <= UPSTREAM_TCP_BYTES;
}

/* Queue the question of LEN bytes in sh->tcp_buf. Returns 0 or -ENOBUFS. */
static int
conn_queue(struct shell *sh, struct upstream_tcp_conn *c, size_t len)
{
	if (!conn_has_room(sh, c, len + 2) || !stream_put(&c->out, &sh->mem, sh->tcp_buf, len))
		return -ENOBUFS;
	c->asked_ns = sh->now_ns;
	if (c->state == UPSTREAM_TCP_UP)
		conn_dirty(sh, c);
	return 0;
}

void
upstream_tcp_question(struct shell *sh, const struct packet_out *send)
{
	const struct conf_upstream *up = engine_upstream(sh->engine, send->to.sock / TCP_POOL_SIZE);
	struct upstream_tcp_conn *c;
	int r = 0;

	if (up == NULL)
		return;
	c = &sh->upstream_tcp.c[send->to.sock];
	if (c->state != UPSTREAM_TCP_CLOSED && !c->lost && !leads_to(c, up, send->to.transport))
		conn_lose(sh, c, 0);
	if (c->lost)
		return; /* upstream_tcp_flush will tell the engine, of this question too */
	if (c->state == UPSTREAM_TCP_CLOSED)
		r = conn_begin(sh, c, up, send->to.transport);
	if (r == 0)
		r = conn_queue(sh, c, send->len);
	if (r == 0 || c->lost)
		return;
	if (!shell_is_exhausted(-r)) {
		conn_lose(sh, c, -r);
		return;
	}
	const struct connlog_event e = event_of(sh, c);
	connlog_conn_full(&e, &c->said, -r);
	engine_tcp_full(sh->engine, send->to.sock, header_id(sh->tcp_buf), sh->now_ns);
}

/* Write what is queued. False: the connection has failed. */
static bool
conn_write(struct shell *sh, struct upstream_tcp_conn *c)
{
	int r;

	if (c->lost)
		return false;
	if (c->state != UPSTREAM_TCP_UP)
		return true;
	r = stream_write(&c->out, &sh->mem, &c->link);
	if (r == 0)
		return fd_event_on(&c->wr) == 0;
	if (r < 0)
		c->err = -r;
	return r > 0;
}

/* Close C, and tell the engine. */
static void
conn_end(struct shell *sh, struct upstream_tcp_conn *c)
{
	unsigned number = number_of(sh, c);
	bool established = c->state == UPSTREAM_TCP_UP;
	bool given_up = c->err == 0; /* by us, while connecting: it has no upstream any more */
	unsigned open = engine_tcp_open(sh->engine, number);
	bool idle = open == 0 && (established || given_up);
	const struct connlog_event e = event_of(sh, c);

	if (established || given_up)
		connlog_conn_ended(&e, &c->said, c->err, open);
	else if (engine_upstream_good(sh->engine, number / TCP_POOL_SIZE))
		connlog_conn_failed(&e, &c->said, c->err); /* else the log says that it is down */
	conn_close(sh, c);
	/* RFC 7766 section 6.2.4: unanswered questions are asked again. */
	engine_tcp_lost(sh->engine, number, established || idle, sh->now_ns);
}

bool
upstream_tcp_flush(struct shell *sh)
{
	struct list *link;
	bool told = false;

	while ((link = list_pop(&sh->upstream_tcp.dirty)) != NULL) {
		struct upstream_tcp_conn *c = LIST_OBJECT(link, struct upstream_tcp_conn, dirty);

		if (conn_write(sh, c))
			continue;
		conn_end(sh, c);
		told = true;
	}
	return told;
}

/* Hand all replies in the window to the engine. False: the bytes are no stream of messages. */
static bool
conn_take(struct shell *sh, struct upstream_tcp_conn *c, struct stream_window *w)
{
	enum stream_verdict v = STREAM_FRAME;

	while (v == STREAM_FRAME) {
		unsigned n = 0;

		while (n < UDP_BATCH) {
			struct packet_in *in = &sh->in[n];

			v = stream_frame(w, &in->msg, &in->len);
			if (v != STREAM_FRAME)
				break;
			in->from = route_of(sh, c);
			n++;
		}
		(void)shell_input(sh, n);
	}
	if (v == STREAM_BAD) { /* so that the engine counts it */
		sh->in[0].from = route_of(sh, c);
		(void)shell_input(sh, 1);
		return false;
	}
	return stream_keep(&c->in, &sh->mem, w);
}

/* Read C once, and what its carrier has then, and take its replies. */
static void
conn_read(struct shell *sh, struct upstream_tcp_conn *c)
{
	do {
		struct stream_window w;
		int r = stream_read(&c->in, &sh->mem, &c->link, &w);

		if (r == -EAGAIN)
			return;
		if (r <= 0 || !conn_take(sh, c, &w))
			conn_lose(sh, c, r < 0 ? -r : 0);
	} while (c->link.more && !c->lost);
}

/* Have C, which is being made, go on when its descriptor is ready for STEP. Returns 0 or -ENOMEM.
 */
static int
conn_await(struct upstream_tcp_conn *c, enum carrier_step step)
{
	bool reads = step == CARRIER_AWAITS_READ;

	fd_event_off(reads ? &c->wr : &c->rd);
	return fd_event_on(reads ? &c->rd : &c->wr);
}

/* The descriptor of C, which is being made, is ready for what it awaits. */
static void
conn_feed(struct shell *sh, struct upstream_tcp_conn *c)
{
	int r = carrier_feed(&c->link);

	if (r == CARRIER_UP) {
		conn_up(sh, c);
		return;
	}
	if (r > 0)
		r = conn_await(c, (enum carrier_step)r);
	if (r < 0)
		conn_lose(sh, c, -r);
}

static void
conn_readable(struct shell *sh, struct upstream_tcp_conn *c)
{
	if (c->state == UPSTREAM_TCP_UP)
		conn_read(sh, c);
	else
		conn_feed(sh, c);
}

/* The socket of C is writable: C is being made, or has room again. */
static void
conn_writable(struct shell *sh, struct upstream_tcp_conn *c)
{
	if (c->state != UPSTREAM_TCP_UP) {
		conn_feed(sh, c);
		return;
	}
	fd_event_off(&c->wr);
	conn_dirty(sh, c);
}

uint32_t
upstream_tcp_to(const struct shell *sh, const struct netaddr *addr)
{
	const struct upstream_tcp *tcp = &sh->upstream_tcp;
	uint32_t n = 0;

	for (unsigned i = 0; tcp->n_open > 0 && i < UPSTREAM_TCP_CONNS; i++)
		n += tcp->c[i].state != UPSTREAM_TCP_CLOSED && netaddr_equal(&tcp->c[i].addr, addr);
	return n;
}

void
upstream_tcp_turn(struct shell *sh)
{
	struct fd_event *src;

	struct upstream_tcp_conn *c;

	/* One that was lost stays ready until the turn in which that is handled. */
	while ((src = fd_event_take(&sh->upstream_tcp.writable)) != NULL) {
		c = LIST_OBJECT(src, struct upstream_tcp_conn, wr);
		if (!c->lost)
			conn_writable(sh, c);
	}
	while ((src = fd_event_take(&sh->upstream_tcp.readable)) != NULL) {
		c = LIST_OBJECT(src, struct upstream_tcp_conn, rd);
		if (!c->lost)
			conn_readable(sh, c);
	}
}

/* Has C's number another upstream now, or none, or one that is asked over something else? */
static bool
is_stale(const struct shell *sh, const struct upstream_tcp_conn *c)
{
	const struct conf_upstream *up =
	    engine_upstream(sh->engine, number_of(sh, c) / TCP_POOL_SIZE);

	return up == NULL || !netaddr_equal(&up->addr, &c->addr) ||
	    !conf_upstream_uses(up, (enum transport)c->transport);
}

/*
 * Is C, which is up, half-open: has the other end gone without a word? Then it does not acknowledge
 * what was sent, and the kernel has sent it again. An upstream that is slow, or stopped, does.
 */
static bool
is_half_open(const struct upstream_tcp_conn *c)
{
	struct tcp_info info = { .tcpi_retransmits = 0 };
	socklen_t len = sizeof(info);

	return getsockopt(c->link.fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
	    info.tcpi_retransmits > 0;
}

/*
 * Is C to be closed? *ERR becomes ETIMEDOUT if its upstream was too slow, and 0 if it is only not
 * needed any more.
 */
static bool
is_over(const struct shell *sh, const struct upstream_tcp_conn *c, int *err)
{
	bool stuck = engine_tcp_stuck(sh->engine, number_of(sh, c));
	bool up = c->state == UPSTREAM_TCP_UP;

	*err = 0;
	if (is_stale(sh, c))
		return true;
	/* Whether it can be made is of interest though nobody waits for it any more
	 * (outbound/id_attack).
	 */
	if (up && engine_tcp_open(sh->engine, number_of(sh, c)) == 0)
		return stuck || sh->now_ns - c->asked_ns >= UPSTREAM_TCP_IDLE_NS;
	*err = ETIMEDOUT;
	return up ? stuck && is_half_open(c) : sh->now_ns - c->opened_ns >= UPSTREAM_TCP_CONNECT_NS;
}

void
upstream_tcp_beat(struct shell *sh)
{
	if (sh->upstream_tcp.n_open == 0)
		return;
	for (size_t i = 0; i < UPSTREAM_TCP_CONNS; i++) {
		struct upstream_tcp_conn *c = &sh->upstream_tcp.c[i];
		int err;

		if (c->state == UPSTREAM_TCP_CLOSED || !is_over(sh, c, &err))
			continue;
		conn_lose(sh, c, err);
		sh->again = true; /* the next iteration flushes */
	}
}
