/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay: the least that a DNS64 server does on this machine, to compare dns64d with. It checks and
 * keeps nothing and has no timers: a measuring rod.
 *
 *	relay relay|echo single|batch|segments PORT UPSTREAM THREADS
 *	relay pool single PORT UPSTREAM THREADS
 *
 * It serves 127.0.0.1. "relay" asks 127.0.0.1 port UPSTREAM for AAAA, then for A if there is none,
 * and synthesizes. "echo" makes the answer from the name, which spells the address (fakedns(8)).
 * Both have so many loops, each with sockets of its own; a loop's turn reads up to 64 datagrams, by
 * one system call each (single) or by one for all (batch), or up to 256 and sends them as runs
 * (segments, UDP_SEGMENT). "pool" works as the paper on mtd64-ng has it: a thread reads questions
 * into a queue, and each of THREADS others takes one of them, asks by a socket of its own, and
 * waits.
 */
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>

#define READ 64     /* datagrams that one system call reads */
#define SLOTS 256   /* that a turn reads */
#define RUN 64      /* that leave as one message */
#define BYTES 600   /* of a datagram */
#define UPSTREAMS 4 /* sockets of a loop */
#define BUFFER (4 << 20)
#define MAX_THREADS 64

#define HEADER 12
#define RCODE 3 /* where these are in a header */
#define ANCOUNT 7
#define TYPE_A 1
#define TYPE_AAAA 28
#define NXDOMAIN 3

enum manner { SINGLE, BATCH, SEGMENTS };

struct datagram {
	uint8_t bytes[BYTES];
	size_t len;
	struct sockaddr_in peer;
};

/* What leaves by one socket in a turn. */
struct out {
	unsigned n;
	struct datagram *d[SLOTS];
	struct mmsghdr m[SLOTS];
	struct iovec iov[SLOTS];
	_Alignas(struct cmsghdr) uint8_t control[SLOTS][CMSG_SPACE(sizeof(uint16_t))];
};

/* A question that upstream has, by its ID there. */
struct asked {
	struct sockaddr_in client;
	uint16_t id;
};

struct loop {
	int epoll, clients, upstream[UPSTREAMS];
	unsigned turn;
	uint16_t next_id[UPSTREAMS];
	struct asked *asked[UPSTREAMS];
	struct datagram in[SLOTS];
	struct out to_clients, to_upstream;
};

static const uint8_t prefix[12] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0x64 };
static enum manner manner;
static bool echo;
static uint16_t port, upstream_port;

static void
die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* The length of header and question. */
static size_t
question_end(const uint8_t *m)
{
	size_t at = HEADER;

	while (m[at] != 0)
		at += m[at] + 1U;
	return at + 5;
}

/* The question of M with a header of FLAGS, without records. */
static void
strip(struct datagram *d, uint8_t flags)
{
	d->len = question_end(d->bytes);
	d->bytes[2] = flags;
	memset(d->bytes + RCODE, 0, HEADER - RCODE);
	d->bytes[5] = 1;
}

/* D becomes the answer with the AAAA that is made from V4. */
static void
answer(struct datagram *d, const uint8_t v4[static 4])
{
	static const uint8_t head[12] = { 0xc0, HEADER, 0, TYPE_AAAA, 0, 1, 0, 0, 1, 0x2c, 0, 16 };
	uint8_t *rr, a[4];

	memcpy(a, v4, 4); /* V4 may be in D */
	strip(d, 0x81);
	d->bytes[d->len - 3] = TYPE_AAAA;
	d->bytes[RCODE] = 0x80;
	d->bytes[ANCOUNT] = 1;
	rr = d->bytes + d->len;
	memcpy(rr, head, 12);
	memcpy(rr + 12, prefix, 12);
	memcpy(rr + 24, a, 4);
	d->len += 28;
}

/* D, a question, becomes the answer that its name spells, NXDOMAIN if none. */
static void
answer_from_name(struct datagram *d)
{
	const uint8_t *digit = d->bytes + HEADER + 1;
	uint8_t v4[4];

	if (d->bytes[HEADER] != 15) {
		strip(d, 0x81);
		d->bytes[RCODE] = 0x80 | NXDOMAIN;
		return;
	}
	for (unsigned i = 0; i < 4; i++, digit += 4)
		v4[i] = (uint8_t)((digit[0] - '0') * 100 + (digit[1] - '0') * 10 + digit[2] - '0');
	answer(d, v4);
}

/* A reply of upstream becomes the client's answer, or the question for A: false. */
static bool
answer_from_reply(struct datagram *d)
{
	uint8_t *m = d->bytes;
	size_t end = question_end(m);

	if ((m[RCODE] & 15) != 0)
		return true;
	if (m[ANCOUNT] == 0 && m[end - 3] == TYPE_AAAA) {
		strip(d, 1);
		m[end - 3] = TYPE_A;
		return false;
	}
	if (m[end - 3] == TYPE_A) /* its record's name is a pointer */
		answer(d, m + end + 12);
	return true;
}

/* --- Sockets ---------------------------------------------------------------------------------- */

static int
open_socket(uint16_t bound, uint16_t connected)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1, size = BUFFER;

	if (fd < 0)
		die("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	at.sin_port = htons(bound != 0 ? bound : connected);
	if (bound != 0 &&
	    (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
		bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0))
		die("bind");
	if (bound == 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		die("connect");
	return fd;
}

static unsigned
read_singles(int fd, struct datagram *in)
{
	unsigned n = 0;

	for (; n < READ; n++) {
		socklen_t size = sizeof(in[n].peer);
		ssize_t len = recvfrom(fd, in[n].bytes, BYTES - 28, MSG_DONTWAIT,
		    (struct sockaddr *)&in[n].peer, &size);

		if (len < HEADER)
			break;
		in[n].len = (size_t)len;
	}
	return n;
}

static unsigned
read_batch(int fd, struct datagram *in)
{
	struct mmsghdr m[READ];
	struct iovec iov[READ];
	int n;

	for (unsigned i = 0; i < READ; i++) {
		iov[i] = (struct iovec){ in[i].bytes, BYTES - 28 };
		m[i].msg_hdr = (struct msghdr){ .msg_name = &in[i].peer,
			.msg_namelen = sizeof(in[i].peer),
			.msg_iov = &iov[i],
			.msg_iovlen = 1 };
	}
	n = recvmmsg(fd, m, READ, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++)
		in[i].len = m[i].msg_len;
	return n < 0 ? 0 : (unsigned)n;
}

/* Up to SLOTS datagrams; how many. */
static unsigned
read_datagrams(int fd, struct datagram *in)
{
	unsigned n = 0, more;

	if (manner == SINGLE)
		return read_singles(fd, in);
	do {
		more = read_batch(fd, in + n);
		n += more;
	} while (manner == SEGMENTS && more == READ && n + READ <= SLOTS);
	return n;
}

static int
longest_first(const void *a, const void *b)
{
	const struct datagram *x = *(struct datagram *const *)a, *y = *(struct datagram *const *)b;

	return (x->len < y->len) - (x->len > y->len);
}

/* How many of O, from the I-th on, leave as one message: to one peer, of one length, the last may
 * be shorter. */
static unsigned
run_length(const struct out *o, unsigned i, bool connected)
{
	const struct datagram *first = o->d[i], *d = first;
	unsigned n = 1;

	for (; i + n < o->n && n < RUN && d->len == first->len; n++) {
		d = o->d[i + n];
		if (d->len > first->len ||
		    (!connected &&
			(d->peer.sin_port != first->peer.sin_port ||
			    d->peer.sin_addr.s_addr != first->peer.sin_addr.s_addr)))
			break;
	}
	return n;
}

static void
mark_segments(struct msghdr *h, void *control, size_t size, size_t len)
{
	uint16_t segment = (uint16_t)len;
	struct cmsghdr *c;

	h->msg_control = control;
	h->msg_controllen = size;
	c = CMSG_FIRSTHDR(h);
	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(c), &segment, sizeof(segment));
}

/* Sends what is in O and empties it. What a full socket does not take is lost. */
static void
send_datagrams(int fd, struct out *o, bool connected)
{
	unsigned n = 0, i, run;

	if (manner == SEGMENTS && connected)
		qsort(o->d, o->n, sizeof(*o->d), longest_first);
	for (i = 0; i < o->n; i++)
		o->iov[i] = (struct iovec){ o->d[i]->bytes, o->d[i]->len };
	for (i = 0; i < o->n; i += run, n++) {
		struct msghdr *h = &o->m[n].msg_hdr;

		run = manner == SEGMENTS ? run_length(o, i, connected) : 1;
		*h = (struct msghdr){ .msg_iov = &o->iov[i], .msg_iovlen = run };
		if (!connected) {
			h->msg_name = &o->d[i]->peer;
			h->msg_namelen = sizeof(o->d[i]->peer);
		}
		if (run > 1)
			mark_segments(h, o->control[n], sizeof(o->control[n]), o->d[i]->len);
		if (manner == SINGLE)
			(void)sendmsg(fd, h, 0);
	}
	if (manner != SINGLE && n > 0)
		(void)sendmmsg(fd, o->m, n, 0);
	o->n = 0;
}

/* --- Loops ------------------------------------------------------------------------------------ */

static void
on_questions(struct loop *l)
{
	unsigned n = read_datagrams(l->clients, l->in), u = l->turn++ % UPSTREAMS;

	for (unsigned i = 0; i < n; i++) {
		struct datagram *d = &l->in[i];

		if (echo) {
			answer_from_name(d);
			l->to_clients.d[l->to_clients.n++] = d;
			continue;
		}
		uint16_t id = l->next_id[u]++;
		l->asked[u][id].client = d->peer;
		memcpy(&l->asked[u][id].id, d->bytes, 2);
		memcpy(d->bytes, &id, 2);
		l->to_upstream.d[l->to_upstream.n++] = d;
	}
	send_datagrams(l->clients, &l->to_clients, false);
	if (!echo)
		send_datagrams(l->upstream[u], &l->to_upstream, true);
}

static void
on_replies(struct loop *l, unsigned u)
{
	unsigned n = read_datagrams(l->upstream[u], l->in);

	for (unsigned i = 0; i < n; i++) {
		struct datagram *d = &l->in[i];
		const struct asked *a;
		uint16_t id;

		if (!answer_from_reply(d)) {
			l->to_upstream.d[l->to_upstream.n++] = d;
			continue;
		}
		memcpy(&id, d->bytes, 2);
		a = &l->asked[u][id];
		d->peer = a->client;
		memcpy(d->bytes, &a->id, 2);
		l->to_clients.d[l->to_clients.n++] = d;
	}
	send_datagrams(l->upstream[u], &l->to_upstream, true);
	send_datagrams(l->clients, &l->to_clients, false);
}

static void
watch(const struct loop *l, int fd, uint32_t which)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = which };

	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) != 0)
		die("epoll");
}

static void *
loop_main(void *arg)
{
	struct loop *l = calloc(1, sizeof(*l));
	struct epoll_event e[UPSTREAMS + 1];

	(void)arg;
	if (l == NULL)
		die("calloc");
	l->epoll = epoll_create1(0);
	l->clients = open_socket(port, 0);
	watch(l, l->clients, UPSTREAMS);
	for (unsigned u = 0; u < UPSTREAMS && !echo; u++) {
		l->upstream[u] = open_socket(0, upstream_port);
		l->asked[u] = calloc(UINT16_MAX + 1U, sizeof(*l->asked[u]));
		if (l->asked[u] == NULL)
			die("calloc");
		watch(l, l->upstream[u], u);
	}
	for (;;) {
		int n = epoll_wait(l->epoll, e, UPSTREAMS + 1, -1);

		for (int i = 0; i < n; i++)
			if (e[i].data.u32 == UPSTREAMS)
				on_questions(l);
			else
				on_replies(l, e[i].data.u32);
	}
	return NULL;
}

/* --- The pool --------------------------------------------------------------------------------- */

struct task {
	struct task *next;
	struct datagram d;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct task *oldest, **newest = &oldest;
static int pool_clients;

static struct task *
take_task(void)
{
	struct task *t;

	(void)pthread_mutex_lock(&lock);
	while (oldest == NULL)
		(void)pthread_cond_wait(&filled, &lock);
	t = oldest;
	oldest = t->next;
	if (oldest == NULL)
		newest = &oldest;
	(void)pthread_mutex_unlock(&lock);
	return t;
}

/* Asks upstream for what D has, and reads the reply into it. */
static bool
ask(int fd, struct datagram *d)
{
	ssize_t len;
	uint8_t id[2];

	memcpy(id, d->bytes, 2);
	if (send(fd, d->bytes, d->len, 0) < 0)
		return false;
	do
		len = recv(fd, d->bytes, BYTES - 28, 0);
	while (len >= 2 && memcmp(d->bytes, id, 2) != 0);
	d->len = len > 0 ? (size_t)len : 0;
	return len > HEADER;
}

static void *
worker_main(void *arg)
{
	struct timeval patience = { .tv_sec = 1 };
	int fd = open_socket(0, upstream_port);

	(void)arg;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (;;) {
		struct task *t = take_task();
		struct datagram *d = &t->d;

		if (ask(fd, d) && (answer_from_reply(d) || (ask(fd, d) && answer_from_reply(d))))
			(void)sendto(pool_clients, d->bytes, d->len, 0, (struct sockaddr *)&d->peer,
			    sizeof(d->peer));
		free(t);
	}
	return NULL;
}

static void *
pool_main(void *arg)
{
	(void)arg;
	for (;;) {
		struct task *t = malloc(sizeof(*t));
		socklen_t size = sizeof(t->d.peer);

		if (t == NULL)
			die("malloc");
		ssize_t len = recvfrom(
		    pool_clients, t->d.bytes, BYTES - 28, 0, (struct sockaddr *)&t->d.peer, &size);
		if (len < HEADER) {
			free(t);
			continue;
		}
		t->d.len = (size_t)len;
		t->next = NULL;
		(void)pthread_mutex_lock(&lock);
		*newest = t;
		newest = &t->next;
		(void)pthread_mutex_unlock(&lock);
		(void)pthread_cond_signal(&filled);
	}
	return NULL;
}

/* --- The command line ------------------------------------------------------------------------- */

static void
start_threads(long n, void *(*run)(void *))
{
	pthread_t thread;

	while (n-- > 0)
		if (pthread_create(&thread, NULL, run, NULL) != 0)
			die("pthread_create");
}

int
main(int argc, char **argv)
{
	long n = argc == 6 ? strtol(argv[5], NULL, 10) : 0;

	if (n < 1 || n > MAX_THREADS) {
		(void)fprintf(
		    stderr, "relay relay|echo|pool single|batch|segments PORT UPSTREAM THREADS\n");
		return 2;
	}
	echo = strcmp(argv[1], "echo") == 0;
	manner = argv[2][1] == 'i' ? SINGLE : argv[2][0] == 'b' ? BATCH : SEGMENTS;
	port = (uint16_t)strtoul(argv[3], NULL, 10);
	upstream_port = (uint16_t)strtoul(argv[4], NULL, 10);
	if (strcmp(argv[1], "pool") == 0) {
		pool_clients = open_socket(port, 0);
		start_threads(n, worker_main);
		(void)pool_main(NULL);
	} else {
		start_threads(n - 1, loop_main);
		(void)loop_main(NULL);
	}
	return EXIT_SUCCESS;
}
