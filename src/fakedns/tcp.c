/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/wire.h"

#define BACKLOG 1024
#define ROUNDS 16                   /* reads of one connection before others have their turn */
#define FRAME_MAX (2 + DNS_MSG_MAX) /* length and message (RFC 1035 section 4.2.2) */

struct fake_connection {
	int fd;
	uint32_t index;
	uint32_t generation;
	uint32_t n_delayed; /* questions of this connection in the ring */
	uint32_t events;    /* of epoll that the connection waits for */
	unsigned n_answers; /* written to out */
	bool eof;           /* the client sends no more, but may still read */
	bool broken;
	size_t in_len;
	size_t out_at; /* how much of out_len was sent */
	size_t out_len;
	uint8_t in[2 * (2 + FAKE_QUESTION_MAX)];
	uint8_t out[2 * FRAME_MAX];
};

int
fake_tcp_open(const struct netaddr *a)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(a, &ss);
	int on = 1, err = 0;
	int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
		err = -errno;
	if (err == 0 && a->family == NETADDR_IPV6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
		err = -errno;
	if (err == 0 && (bind(fd, (struct sockaddr *)&ss, len) != 0 || listen(fd, BACKLOG) != 0))
		err = -errno;
	if (err == 0)
		return fd;
	(void)close(fd);
	return err;
}

static void
reset(int fd)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

static void
close_connection(struct fake_worker *w, struct fake_connection *c)
{
	w->connections[c->index] = NULL;
	(void)close(c->fd);
	free(c);
}

/* Has a connection with N answers had all that the settings allow? */
static bool
is_over(const struct fake_worker *w, unsigned n)
{
	return w->s->tcp_ends && n >= w->s->tcp_answers;
}

/* Make ready for close() a connection that is over. */
static void
end(struct fake_worker *w, int fd)
{
	uint8_t rest[4096];

	w->counters.ended++;
	if (w->s->tcp_reset)
		reset(fd);
	else /* unread questions would make an RST of the FIN, which destroys answers */
		while (recv(fd, rest, sizeof(rest), 0) > 0)
			;
}

static void
accept_one(struct fake_worker *w, int fd)
{
	uint32_t index = 0;
	int on = 1;

	while (index < FAKE_CONNECTIONS && w->connections[index] != NULL)
		index++;
	if (is_over(w, 0)) {
		end(w, fd);
		(void)close(fd);
		return;
	}
	struct fake_connection *c = index < FAKE_CONNECTIONS ? malloc(sizeof(*c)) : NULL;
	if (c == NULL || fake_worker_watch(w, fd, EPOLLIN, FAKE_EVENT_CONNECTION, index) != 0) {
		free(c);
		(void)close(fd);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->fd = fd;
	c->index = index;
	c->generation = ++w->generation;
	c->events = EPOLLIN;
	c->n_delayed = c->n_answers = 0;
	c->eof = c->broken = false;
	c->in_len = c->out_at = c->out_len = 0;
	w->connections[index] = c;
}

void
fake_tcp_accept(struct fake_worker *w, int fd)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		int new = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (new < 0)
			return;
		accept_one(w, new);
	}
}

static bool
has_room(const struct fake_connection *c)
{
	return c->out_len - c->out_at + FRAME_MAX <= sizeof(c->out);
}

/* There must be room for the largest of all answers. */
static void
put_answer(struct fake_worker *w, struct fake_connection *c, const uint8_t *bytes, size_t len,
    const struct fake_fate *fate)
{
	struct fake_question q = {
		.bytes = bytes, .len = len, .tcp = true, .unforced = fate->unforced
	};

	if (c->out_at > 0) {
		memmove(c->out, c->out + c->out_at, c->out_len - c->out_at);
		c->out_len -= c->out_at;
		c->out_at = 0;
	}
	size_t n = fake_worker_answer(w, &q, c->out + c->out_len + 2, DNS_MSG_MAX);
	if (n == 0)
		return;
	wire_set_u16(c->out + c->out_len, (uint16_t)n);
	c->out_len += 2 + n;
	c->n_answers++;
	w->counters.answers++;
}

static void
put_aside(struct fake_worker *w, struct fake_connection *c, const uint8_t *bytes, size_t len,
    const struct fake_fate *fate)
{
	struct fake_delayed *d = fake_worker_delay(w, bytes, len, fate);

	if (d == NULL)
		return;
	d->connection = c->index + 1;
	d->generation = c->generation;
	c->n_delayed++;
}

static void
take_question(struct fake_worker *w, struct fake_connection *c, const uint8_t *bytes, size_t len)
{
	struct fake_fate fate;

	w->counters.questions++;
	switch (fake_worker_fate(w, bytes, len, true, &fate)) {
	case FAKE_NEVER:
		break;
	case FAKE_LATER:
		put_aside(w, c, bytes, len, &fate);
		break;
	case FAKE_NOW:
		put_answer(w, c, bytes, len, &fate);
		break;
	}
}

/*
 * All whole questions in the buffer, as long as there is room for their answers. True: that
 * was not long enough.
 */
static bool
take_frames(struct fake_worker *w, struct fake_connection *c)
{
	size_t at = 0;
	bool blocked = false;

	while (c->in_len - at >= 2 && !is_over(w, c->n_answers)) {
		size_t len = wire_u16(c->in + at);

		if (len >
		    FAKE_QUESTION_MAX) { /* no question, and where the next begins is not known */
			w->counters.questions++;
			w->counters.malformed++;
			c->broken = true;
			return false;
		}
		if (c->in_len - at - 2 < len)
			break;
		blocked = !has_room(c);
		if (blocked)
			break;
		take_question(w, c, c->in + at + 2, len);
		at += 2 + len;
	}
	memmove(c->in, c->in + at, c->in_len - at);
	c->in_len -= at;
	return blocked;
}

static void
send_out(struct fake_connection *c)
{
	while (c->out_at < c->out_len) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);

		if (n > 0) {
			c->out_at += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			c->broken = true;
		if (errno != EINTR)
			return;
	}
	c->out_at = c->out_len = 0;
}

/* Read what has come. False: nothing, and nothing will come any more. */
static bool
read_in(struct fake_worker *w, struct fake_connection *c)
{
	if (c->eof || is_over(w, c->n_answers) || c->in_len == sizeof(c->in))
		return false;
	ssize_t n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, 0);
	if (n > 0) {
		c->in_len += (size_t)n;
		return true;
	}
	if (n == 0)
		c->eof = true;
	else if (errno != EAGAIN && errno != EINTR)
		c->broken = true;
	return false;
}

/* Set what epoll waits for; as long as a client does not read its answers, we do not read from it.
 */
static void
wait_on(struct fake_worker *w, struct fake_connection *c)
{
	struct epoll_event e = { .events = 0 };

	if (!c->eof && has_room(c) && !is_over(w, c->n_answers))
		e.events |= EPOLLIN;
	if (c->out_at < c->out_len)
		e.events |= EPOLLOUT;
	if (e.events == c->events)
		return;
	e.data.u64 = (uint64_t)FAKE_EVENT_CONNECTION << 32 | c->index;
	c->events = e.events;
	c->broken = c->broken || epoll_ctl(w->epoll_fd, EPOLL_CTL_MOD, c->fd, &e) != 0;
}

void
fake_tcp_run(struct fake_worker *w, uint32_t index)
{
	struct fake_connection *c = w->connections[index];

	if (c == NULL)
		return;
	for (unsigned round = 0;; round++) {
		bool blocked = take_frames(w, c);

		send_out(c);
		if (c->broken)
			break;
		if (blocked && has_room(c)) /* for what was read already there is no event */
			continue;
		if (round >= ROUNDS || !has_room(c) || !read_in(w, c))
			break;
	}
	/* A half-closed client still gets what it asked for (RFC 7766 section 6.2.4). */
	bool sent = c->out_at == c->out_len, over = is_over(w, c->n_answers);
	bool done = sent && ((c->eof && c->n_delayed == 0) || over);
	if (!c->broken && !done)
		wait_on(w, c);
	if (!c->broken && done && over)
		end(w, c->fd);
	if (c->broken || done)
		close_connection(w, c);
}

void
fake_tcp_late(struct fake_worker *w, struct fake_delayed *d, uint64_t now_ms)
{
	struct fake_connection *c = w->connections[d->connection - 1];
	uint32_t index = d->connection - 1;

	if (c == NULL || c->generation != d->generation) {
		w->counters.unsent++;
		fake_ring_give(w->ring, d);
		return;
	}
	if (!has_room(c)) {
		fake_ring_again(w->ring, d, now_ms + 1);
		return;
	}
	c->n_delayed--;
	if (is_over(w, c->n_answers)) /* while the answers before are still being sent */
		w->counters.unsent++;
	else
		put_answer(w, c, d->bytes, d->len, &d->fate);
	fake_ring_give(w->ring, d);
	fake_tcp_run(w, index);
}

void
fake_tcp_close_all(struct fake_worker *w, bool with_reset)
{
	for (uint32_t i = 0; i < FAKE_CONNECTIONS; i++) {
		struct fake_connection *c = w->connections[i];

		if (c != NULL && with_reset)
			reset(c->fd);
		if (c != NULL)
			close_connection(w, c);
	}
}
