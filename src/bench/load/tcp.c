/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_tcp: DNS over TCP (RFC 7766). A lane has one connection at a time; its questions are
 * pipelined and may be answered in any order.
 *
 * What is measured: at a rate, the time of a question runs from when it is due, so that it includes
 * the wait of a question that the server lets wait: it does not read, all places of the window are
 * taken, the connection is being made or was lost. Else it runs from when the question is handed to
 * the lane. Connections are begun before the run: unless --per-connection asks for new ones or the
 * server closes them, the time is that of question and answer alone.
 *
 * When a connection ends, its open questions are lost. They are not asked again, as RFC 7766
 * section 6.2.4 would have a client do, since that would hide the server's losses. The lane
 * connects again: at once if the connection had an answer, else after a pause. A connection by
 * which questions were sent and nothing was received for two timeouts is given up.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/clients.h"
#include "bench/load/plan.h"
#include "dns/wire.h"

#define IN_SIZE 131072 /* more than the longest message, and hundreds of short ones */
#define OUT_SIZE 65536
#define FRAME_MAX (2 + BENCH_QUESTION_MAX) /* length and question (RFC 1035 section 4.2.2) */
#define PAUSE_NS (10 * NS_PER_MS) /* before a new connection, if the last one had no answer */

_Static_assert(OUT_SIZE >= BENCH_BATCH * FRAME_MAX, "a batch fits");

/* Without a connection (lane->fd < 0) the output waits for the next one. */
struct bench_stream {
	bool stands;        /* the connection is established */
	bool of_use;        /* a message was received on it */
	bool more;          /* whole messages were left behind BENCH_VIEWS others */
	uint64_t n_asked;   /* questions for this connection */
	uint64_t n_waiting; /* of them, since the last message came */
	uint64_t since_ns;  /* when the first of these was asked */
	uint64_t again_ns;  /* without a connection: when to try again */
	size_t in_at;       /* in[in_at, in_len): received, not yet handed out */
	size_t in_len;
	size_t out_at; /* out[out_at, out_len): not yet sent */
	size_t out_len;
	uint8_t in[IN_SIZE];
	uint8_t out[OUT_SIZE];
};

/* --- Sockets ---------------------------------------------------------------------------------- */

/* Begin a connection to the lane's server: its descriptor or -errno. */
static int
tcp_begin(struct bench_lane *lane)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(lane->way.server, &ss);
	int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return -errno;
	bench_stamp_enable(fd);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	int err = bench_clients_bind(fd, &lane->way.source);
	if (err == 0 && connect(fd, (struct sockaddr *)&ss, len) != 0 && errno != EINPROGRESS)
		err = -errno;
	if (err == 0)
		return fd;
	(void)close(fd);
	return err;
}

/* Is it established? 0: yes; > 0: events of epoll to wait for; -errno: it has failed. */
static int
tcp_shake(struct bench_lane *lane)
{
	struct pollfd p = { .fd = lane->fd, .events = POLLOUT };
	int err = 0;
	socklen_t len = sizeof(err);

	if (poll(&p, 1, 0) <= 0)
		return EPOLLOUT;
	return getsockopt(lane->fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 ? -err : -errno;
}

/*
 * Read up to LEN bytes; lane->came_ns is when the last of them came. How many; 0: the stream has
 * ended; -EAGAIN: none now; -errno.
 */
static ssize_t
tcp_read(struct bench_lane *lane, uint8_t *bytes, size_t len)
{
	_Alignas(struct cmsghdr) uint8_t control[BENCH_STAMP_CONTROL];
	struct iovec iov = { bytes, len };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	ssize_t n;

	do {
		h.msg_controllen = sizeof(control);
		n = recvmsg(lane->fd, &h, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	bench_stamp_take(&lane->stamp);
	lane->came_ns = bench_stamp_of(&h, &lane->stamp);
	return n;
}

/* Write up to LEN bytes. How many; -EAGAIN: none now; -errno. */
static ssize_t
tcp_write(struct bench_lane *lane, const uint8_t *bytes, size_t len)
{
	ssize_t n;

	do
		n = send(lane->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n >= 0 ? n : -errno;
}

/* --- Connections ------------------------------------------------------------------------------ */

/* Close the connection and forget what was asked by it. */
static void
end(struct bench_lane *lane)
{
	struct bench_stream *s = lane->stream;

	if (lane->fd >= 0)
		(void)close(lane->fd);
	lane->fd = -1;
	lane->events = 0;
	s->stands = s->of_use = s->more = false;
	s->n_asked = s->n_waiting = 0;
	s->in_at = s->in_len = s->out_at = s->out_len = 0;
}

/* Begin a connection: 0 or -errno. The output that waits goes by it. */
static int
begin(struct bench_lane *lane)
{
	int fd = tcp_begin(lane);

	if (fd < 0)
		return fd;
	lane->fd = fd;
	int err = bench_lane_watch(lane, EPOLLIN | EPOLLOUT);
	if (err != 0)
		end(lane);
	return err;
}

/* Does the error mean that this machine has no more ports or descriptors? */
static bool
is_ours(int err)
{
	return err == -EADDRNOTAVAIL || err == -EMFILE || err == -ENFILE || err == -ENOBUFS ||
	    err == -ENOMEM || err == -ENOSPC;
}

/* The connection was not established. */
static void
fail(struct bench_lane *lane, int err)
{
	lane->faults.no_port += is_ours(err);
	lane->faults.refused += !is_ours(err);
	end(lane);
	lane->stream->again_ns = clock_now_ns() + PAUSE_NS;
}

static void
begin_again(struct bench_lane *lane)
{
	int err = begin(lane);

	if (err != 0)
		fail(lane, err);
}

/* The server or the network ended the connection (RFC 7766 section 6.2.4). */
static void
lose(struct bench_lane *lane)
{
	bool of_use = lane->stream->of_use;

	lane->faults.closed++;
	end(lane);
	lane->stream->again_ns = clock_now_ns() + PAUSE_NS;
	if (of_use)
		begin_again(lane);
}

static void
watch(struct bench_lane *lane, uint32_t events)
{
	if (bench_lane_watch(lane, events) != 0)
		fail(lane, -ENOMEM);
}

/* Is the connection established by now? */
static bool
stands(struct bench_lane *lane)
{
	struct bench_stream *s = lane->stream;

	if (s->stands || lane->fd < 0)
		return s->stands;
	int wants = tcp_shake(lane);
	if (wants > 0)
		watch(lane, (uint32_t)wants);
	else if (wants < 0)
		fail(lane, wants);
	if (wants != 0)
		return false;
	s->stands = true;
	lane->faults.connections++;
	watch(lane, EPOLLIN);
	return s->stands;
}

static void
tcp_close(struct bench_lane *lane)
{
	end(lane);
	free(lane->stream);
	lane->stream = NULL;
}

static int
tcp_open(struct bench_lane *lane)
{
	lane->stream = calloc(1, sizeof(*lane->stream));
	if (lane->stream == NULL)
		return -ENOMEM;
	int err = begin(lane);
	if (err == -ECONNREFUSED) { /* at once, as on loopback: counted as a later one is */
		fail(lane, err);
		err = 0;
	}
	if (err != 0)
		tcp_close(lane);
	return err;
}

static void
tcp_tick(struct bench_lane *lane, uint64_t now_ns)
{
	struct bench_stream *s = lane->stream;

	if (lane->fd < 0) {
		if (now_ns >= s->again_ns)
			begin_again(lane);
		return;
	}
	if (s->n_waiting == 0 || now_ns < s->since_ns + 2 * lane->way.timeout_ns)
		return;
	lane->faults.stalled++;
	end(lane);
	begin_again(lane);
}

/* --- Questions -------------------------------------------------------------------------------- */

/* The connection had its --per-connection questions, and all their answers. */
static void
renew(struct bench_lane *lane)
{
	bool paused = lane->fd < 0;

	end(lane);
	if (!paused)
		begin_again(lane);
}

/*
 * As many as the buffer and the plan's per_connection allow. If that is used up and no question is
 * open, a new connection is begun. That open questions have different IDs (RFC 7766 section 6.2.1)
 * is seen to by bench_inflight.
 */
static uint64_t
tcp_room(struct bench_lane *lane)
{
	struct bench_stream *s = lane->stream;
	uint64_t most = lane->way.per_connection > 0 ? lane->way.per_connection : UINT64_MAX;

	if (s->n_asked >= most && lane->asked.n_open > 0)
		return 0;
	if (s->n_asked >= most)
		renew(lane);
	uint64_t room = (OUT_SIZE - (s->out_len - s->out_at)) / FRAME_MAX;
	return room < most - s->n_asked ? room : most - s->n_asked;
}

static void
flush(struct bench_lane *lane)
{
	struct bench_stream *s = lane->stream;

	if (!stands(lane) || s->out_at == s->out_len)
		return;
	ssize_t n = tcp_write(lane, s->out + s->out_at, s->out_len - s->out_at);
	if (n < 0 && n != -EAGAIN)
		return; /* receive will read the end, after the replies before it */
	s->out_at += n > 0 ? (size_t)n : 0;
	if (s->out_at == s->out_len)
		s->out_at = s->out_len = 0;
	watch(lane, s->out_len > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Append a question to the output. */
static void
put(struct bench_stream *s, const struct bench_view *question)
{
	if (s->out_len + 2 + question->len > OUT_SIZE) {
		memmove(s->out, s->out + s->out_at, s->out_len - s->out_at);
		s->out_len -= s->out_at;
		s->out_at = 0;
	}
	wire_set_u16(s->out + s->out_len, (uint16_t)question->len);
	memcpy(s->out + s->out_len + 2, question->bytes, question->len);
	s->out_len += 2 + question->len;
}

/* All in one write, each length with its message (RFC 7766 section 8). */
static unsigned
tcp_send(struct bench_lane *lane, struct bench_batch *b)
{
	uint64_t room = tcp_room(lane);
	struct bench_stream *s = lane->stream;
	unsigned n = b->n_out < room ? b->n_out : (unsigned)room;

	if (s->n_waiting == 0)
		s->since_ns = clock_now_ns();
	for (unsigned i = 0; i < n; i++)
		put(s, &b->out[i]);
	s->n_asked += n;
	s->n_waiting += n;
	flush(lane);
	lane->faults.unsent += b->n_out - n;
	return n;
}

/* --- Replies ---------------------------------------------------------------------------------- */

/* Take the whole messages from the input. */
static void
take_messages(struct bench_stream *s, struct bench_batch *b, uint64_t came_ns)
{
	s->more = false;
	while (s->in_len - s->in_at >= 2) {
		const uint8_t *at = s->in + s->in_at;
		size_t len = wire_u16(at);

		if (s->in_len - s->in_at - 2 < len)
			break;
		if (b->n_in == BENCH_VIEWS) {
			s->more = true;
			break;
		}
		b->in[b->n_in++] = (struct bench_view){ at + 2, len, came_ns };
		s->in_at += 2 + len;
	}
	if (b->n_in == 0)
		return;
	s->of_use = true;
	s->n_waiting = 0;
}

/* Move the beginning of a message to the front of the buffer, to make room for the rest. */
static ssize_t
read_more(struct bench_lane *lane)
{
	struct bench_stream *s = lane->stream;

	if (s->in_at > 0)
		memmove(s->in, s->in + s->in_at, s->in_len - s->in_at);
	s->in_len -= s->in_at;
	s->in_at = 0;
	ssize_t n = tcp_read(lane, s->in + s->in_len, IN_SIZE - s->in_len);
	s->in_len += n > 0 ? (size_t)n : 0;
	return n;
}

static unsigned
tcp_receive(struct bench_lane *lane, struct bench_batch *b)
{
	struct bench_stream *s = lane->stream;

	b->n_in = 0;
	b->more = false;
	if (!s->more) {
		flush(lane);
		ssize_t n = stands(lane) ? read_more(lane) : -EAGAIN;
		if (n == -EAGAIN)
			return 0;
		if (n <= 0) {
			lose(lane);
			return 0;
		}
	}
	take_messages(s, b, lane->came_ns);
	b->more = s->more;
	return b->n_in;
}

const struct bench_transport bench_tcp = {
	.name = "tcp",
	.stream = true,
	.port = 53,
	.window = BENCH_TCP_WINDOW,
	.open = tcp_open,
	.room = tcp_room,
	.send = tcp_send,
	.receive = tcp_receive,
	.tick = tcp_tick,
	.close = tcp_close,
};
