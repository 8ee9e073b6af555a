/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * upstream: an upstream on 127.0.0.1 for the system tests that goes wrong in a chosen way.
 *
 *	upstream PORT mute	takes datagrams and never answers; refuses connections; prints the
 *				name of each question, in lower case
 *	upstream PORT noise	sends wrong replies of every kind, then for most questions the right
 *				one
 *	upstream PORT hangup	TC over UDP; over TCP every second connection answers one question
 *				of the four it waits for and closes with the others open
 *	upstream PORT silent N	TC over UDP; over TCP each connection answers N questions, then
 *				nothing, and stays open
 *	upstream PORT ports	the right answer over UDP; prints the port of each question
 *	upstream PORT full N	over UDP N replies with other IDs, then the right answer, as if
 *				somebody guessed; over TCP no room: each SYN is dropped
 *	upstream PORT none N	likewise, but TCP is refused
 *	upstream PORT deaf N	likewise, but over TCP nothing is answered
 *
 * The right answer: A 192.0.2.1; nothing, without a SOA, for all other types.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE_MAX 1232
#define CLIENTS 64
#define TOGETHER 4 /* questions that "hangup" waits for */

struct client {
	int fd; /* -1: free */
	bool hangs_up;
	unsigned n; /* questions seen */
	size_t len; /* of what is in in */
	uint8_t in[16384];
};

enum way { NOISE, HANGUP, SILENT, PORTS, GUESSED };

static enum way way;
static unsigned most_answers; /* of a connection, for SILENT */
static unsigned n_guesses;    /* at each question, for GUESSED */
static struct client clients[CLIENTS];
static uint32_t state = 0x64646464;

/* xorshift: the same noise in every run. */
static uint32_t
chance(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static int
serve(int type, unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, type, 0), on = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd == -1 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == -1 ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1)
		die("upstream");
	if (type == SOCK_STREAM && listen(fd, CLIENTS) == -1)
		die("upstream");
	return fd;
}

/* Octets of the header and the question; 0 if it has none. */
static size_t
question_len(const uint8_t *m, size_t len)
{
	size_t n = 12;

	while (n < len && m[n] != 0)
		n += 1u + m[n];
	return n + 5 <= len ? n + 5 : 0;
}

/* The right answer to the question of LEN octets at M, to OUT; returns its length, 0 for none. */
static size_t
answer(const uint8_t *m, size_t len, uint8_t *out)
{
	static const uint8_t record[] = { 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1 };
	size_t n = len < 17 ? 0 : question_len(m, len);

	if (n == 0 || n + sizeof(record) > MESSAGE_MAX)
		return 0;
	memcpy(out, m, n);
	out[2] |= 0x80;
	out[3] = 0x80;
	memset(out + 4, 0, 8);
	out[5] = 1;
	if (out[n - 3] != 1 || out[n - 4] != 0)
		return n;
	out[7] = 1;
	memcpy(out + n, record, sizeof(record));
	return n + sizeof(record);
}

/* --- noise ------------------------------------------------------------------------------------ */

#define KINDS 12

/* Make the right answer of LEN octets at M wrong in the way of KIND; returns its new length. */
static size_t
spoil(uint8_t *m, size_t len, unsigned kind)
{
	switch (kind) {
	case 0: /* short */
		return chance() % 12;
	case 1: /* a question */
		m[2] &= 0x7f;
		return len;
	case 2: /* another ID */
		m[0] ^= 0x5a;
		return len;
	case 3: /* another name */
		m[13] ^= 1;
		return len;
	case 4: /* another type */
		m[question_len(m, len) - 3] ^= 2;
		return len;
	case 5: /* another class */
		m[question_len(m, len) - 1] ^= 2;
		return len;
	case 6: /* another opcode */
		m[2] |= 0x28;
		return len;
	case 7: /* no question */
		m[5] = 0;
		return 12;
	case 8: /* noise behind the ID */
		for (size_t i = 2; i < len; i++)
			m[i] = (uint8_t)(chance() >> 8);
		return len;
	case 9: /* more records than there are */
		m[2] |= 0x80;
		m[7] = 200;
		return len;
	case 10: /* a name that points to itself */
		m[7] = 1;
		m[12] = 0xc0;
		m[13] = 12;
		return len;
	default: /* nothing but noise */
		for (size_t i = 0; i < len; i++)
			m[i] = (uint8_t)(chance() >> 8);
		return len;
	}
}

/* Kinds that end the attempt, because they are from where the question went and have its ID. */
static bool
is_fatal(unsigned kind)
{
	return kind == 9;
}

static void
on_noise(int fd, const uint8_t *m, size_t len, const struct sockaddr_in *from)
{
	uint8_t out[MESSAGE_MAX];
	unsigned kind = chance() % KINDS;
	size_t n = answer(m, len, out);

	if (n == 0)
		return;
	n = spoil(out, n, kind);
	(void)sendto(fd, out, n, 0, (const struct sockaddr *)from, sizeof(*from));
	if (is_fatal(kind))
		return;
	n = answer(m, len, out);
	(void)sendto(fd, out, n, 0, (const struct sockaddr *)from, sizeof(*from));
}

/* --- guesses ---------------------------------------------------------------------------------- */

/* Have the kernel drop each SYN to LISTENER: no connection is taken from its full queue. */
static void
fill(int listener)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	if (listen(listener, 0) == -1 || getsockname(listener, (struct sockaddr *)&a, &len) == -1)
		die("upstream");
	for (unsigned i = 0; i < 2; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		if (fd == -1)
			die("upstream");
		(void)connect(fd, (struct sockaddr *)&a, len);
	}
}

static void
on_guessed(int fd, const uint8_t *m, size_t len, const struct sockaddr_in *from)
{
	uint8_t out[MESSAGE_MAX];
	size_t n = answer(m, len, out);

	for (unsigned i = n_guesses + 1; n > 0 && i-- > 0;) {
		out[1] = (uint8_t)(m[1] + i);
		(void)sendto(fd, out, n, 0, (const struct sockaddr *)from, sizeof(*from));
	}
}

/* --- TCP -------------------------------------------------------------------------------------- */

static void
on_connection(int listener)
{
	static unsigned count;
	int fd = accept(listener, NULL, NULL);

	for (unsigned i = 0; fd != -1 && i < CLIENTS; i++) {
		if (clients[i].fd != -1)
			continue;
		clients[i].fd = fd;
		clients[i].n = 0;
		clients[i].len = 0;
		clients[i].hangs_up = count++ % 2 == 0;
		return;
	}
	if (fd != -1)
		close(fd);
}

static void
drop(struct client *c)
{
	close(c->fd);
	c->fd = -1;
}

static void
send_framed(const struct client *c, const uint8_t *m, size_t len)
{
	uint8_t frame[2 + MESSAGE_MAX];

	frame[0] = (uint8_t)(len >> 8);
	frame[1] = (uint8_t)len;
	memcpy(frame + 2, m, len);
	(void)send(c->fd, frame, len + 2, MSG_NOSIGNAL);
}

/* One question over TCP. False: the connection was ended. */
static bool
on_framed(struct client *c, const uint8_t *m, size_t len)
{
	uint8_t out[MESSAGE_MAX];
	size_t n = answer(m, len, out);

	if (n == 0)
		return true;
	c->n++;
	if (way == NOISE) {
		send_framed(c, out, spoil(out, n, chance() % KINDS));
		n = answer(m, len, out);
	}
	if (way == NOISE || (way == HANGUP && (!c->hangs_up || c->n == 1)) ||
	    (way == SILENT && c->n <= most_answers))
		send_framed(c, out, n);
	if (way == HANGUP && c->hangs_up && c->n == TOGETHER) {
		drop(c);
		return false;
	}
	return true;
}

static void
on_stream(struct client *c)
{
	ssize_t got = recv(c->fd, c->in + c->len, sizeof(c->in) - c->len, 0);
	size_t at = 0;

	if (got <= 0) {
		drop(c);
		return;
	}
	c->len += (size_t)got;
	while (at + 2 <= c->len) {
		size_t len = (size_t)c->in[at] << 8 | c->in[at + 1];

		if (at + 2 + len > c->len)
			break;
		if (!on_framed(c, c->in + at + 2, len))
			return;
		at += 2 + len;
	}
	c->len -= at;
	memmove(c->in, c->in + at, c->len);
}

/* --- UDP -------------------------------------------------------------------------------------- */

static void
on_datagram(int fd)
{
	uint8_t in[MESSAGE_MAX], out[MESSAGE_MAX];
	struct sockaddr_in from;
	socklen_t from_len = sizeof(from);
	ssize_t len = recvfrom(fd, in, sizeof(in), 0, (struct sockaddr *)&from, &from_len);
	size_t n;

	if (len < 17)
		return;
	if (way == NOISE) {
		on_noise(fd, in, (size_t)len, &from);
		return;
	}
	if (way == GUESSED) {
		on_guessed(fd, in, (size_t)len, &from);
		return;
	}
	if (way == PORTS) {
		printf("%u\n", ntohs(from.sin_port));
		n = answer(in, (size_t)len, out);
		(void)sendto(fd, out, n, 0, (const struct sockaddr *)&from, from_len);
		return;
	}
	n = question_len(in, (size_t)len);
	if (n == 0)
		return;
	memcpy(out, in, n);
	out[2] |= 0x82; /* QR, TC */
	out[3] = 0x80;
	memset(out + 6, 0, 6);
	(void)sendto(fd, out, n, 0, (const struct sockaddr *)&from, from_len);
}

static void
turn(int udp, int listener)
{
	struct pollfd p[2 + CLIENTS] = { { .fd = udp, .events = POLLIN },
		{ .fd = listener, .events = POLLIN } };

	for (unsigned i = 0; i < CLIENTS; i++)
		p[2 + i] = (struct pollfd){ .fd = clients[i].fd, .events = POLLIN };
	if (poll(p, 2 + CLIENTS, -1) < 0)
		die("poll");
	if (p[0].revents != 0)
		on_datagram(udp);
	for (unsigned i = 0; i < CLIENTS; i++) {
		if (p[2 + i].revents != 0)
			on_stream(&clients[i]);
	}
	if (p[1].revents != 0)
		on_connection(listener);
}

static void
print_name(int udp)
{
	unsigned char q[512];
	ssize_t n = recv(udp, q, sizeof(q), 0);

	for (ssize_t at = 12; at < n && q[at] != 0; at += 1 + q[at]) {
		for (ssize_t i = at + 1; i <= at + q[at] && i < n; i++)
			putchar(isprint(q[i]) ? tolower(q[i]) : '?');
		putchar('.');
	}
	putchar('\n');
}

/* An upstream at which somebody guesses. TCP: how it does there. */
static void
serve_guessed(unsigned port, const char *tcp)
{
	int listener;

	way = GUESSED;
	if (strcmp(tcp, "none") == 0)
		return;
	listener = serve(SOCK_STREAM, port);
	if (strcmp(tcp, "full") == 0)
		fill(listener);
}

int
main(int argc, char **argv)
{
	static const char *const with_n[] = { "silent", "full", "none", "deaf" };
	unsigned kind = 0;
	int udp, listener = -1;

	while (kind < 4 && argc > 2 && strcmp(argv[2], with_n[kind]) != 0)
		kind++;
	if (argc < 3 || argc != (kind < 4 ? 4 : 3)) {
		fprintf(stderr,
		    "usage: upstream PORT mute|noise|hangup|ports|silent N|full N|none N|deaf N\n");
		return 2;
	}
	udp = serve(SOCK_DGRAM, (unsigned)atoi(argv[1]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(argv[2], "mute") == 0) {
		for (;;)
			print_name(udp);
	}
	way = strcmp(argv[2], "noise") == 0 ? NOISE
	    : strcmp(argv[2], "ports") == 0 ? PORTS
	    : argc == 4                     ? SILENT
					    : HANGUP;
	most_answers = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	n_guesses = most_answers;
	if (argc == 4 && kind > 0)
		serve_guessed((unsigned)atoi(argv[1]), argv[2]);
	else
		listener = serve(SOCK_STREAM, (unsigned)atoi(argv[1]));
	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i].fd = -1;
	for (;;)
		turn(udp, listener);
}
