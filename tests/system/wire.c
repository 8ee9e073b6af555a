/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * wire: a DNS client for the system tests that does what a well-behaved one would not.
 *
 *	wire udp|tcp ADDRESS PORT STEP...
 *
 *	ask ID NAME TYPE	send a question (TYPE: A, AAAA, TXT, PTR or a number)
 *	drip ID NAME TYPE MS	send it octet by octet, MS between them (tcp)
 *	hex HEX			send these octets as a message
 *	raw HEX			send these octets without a length before them
 *	noise N SEED		send N octets of noise (tcp), or N datagrams of it (udp)
 *	flood N NAME TYPE	send N questions and read nothing, until it would block for a second
 *	get N MS		read N messages within MS each; print "ID RCODE ANSWERS", and TC if
 *				it is set
 *	quiet MS		nothing may come for MS
 *	half			send no more (tcp): shut down this direction
 *	pause MS
 *	end MS			the other side must close within MS; print how many ms it took
 *	crowd N MS		open N more connections, MS later print how many of them are still
 *				open
 *	persist ZONE MS		ask for AAAA of ever new names NNN-NNN-NNN-NNN.ZONE, one every 5 ms
 *				(udp), until a NOERROR comes or MS are over; print how many ms it
 *				took
 *	burst FIRST N ZONE MS	ask for AAAA of N (at most 65,536) such names from the FIRST on,
 *				some 15,000 a second (udp); within MS after that read the answers;
 *				print how many came, how many of them with SERVFAIL, how many took
 *				over 100 ms, and the longest time in ms that one took
 *	steady FIRST N ZONE MS RATE	likewise, with RATE a second (at most 1,000)
 *	amplify N NAME TYPE MS RATE none|cookie
 *				ask N times with EDNS of 4,096 octets, RATE a second (udp), with the
 *				cookie that the first answer brought if so told; print how many
 * octets were sent and came, within MS, in how many answers, and how many of these had TC
 *	gap			until it is killed: sleep a ms again and again, and print each time
 * that a sleep was longer than any before by how many ms it was too long
 *
 * Exit status 0 if all steps went as they say, else 1; 2 for wrong use.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX 65535
#define CROWD_MAX 4096

struct wire {
	bool tcp;
	int fd;
	struct sockaddr_storage peer;
	socklen_t peer_len;
	uint8_t out[2 + MESSAGE_MAX]; /* a length and a message */
	uint8_t in[2 + MESSAGE_MAX];
};

static void
die(const char *what)
{
	fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
fail(const char *what)
{
	fprintf(stderr, "wire: %s\n", what);
	return 1;
}

static int
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int)(t.tv_sec % 1000000 * 1000 + t.tv_nsec / 1000000);
}

static void
pause_ms(int ms)
{
	(void)poll(NULL, 0, ms);
}

/* A number of a step; usage error if it is none. */
static unsigned
number(const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 0);

	if (*text == '\0' || *end != '\0' || v > 100000000) {
		fprintf(stderr, "wire: %s is not a number\n", text);
		exit(2);
	}
	return (unsigned)v;
}

/* --- connection ------------------------------------------------------------------------------- */

static void
resolve(struct wire *w, const char *address, unsigned port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&w->peer;
	struct sockaddr_in *four = (struct sockaddr_in *)&w->peer;

	if (inet_pton(AF_INET6, address, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)port);
		w->peer_len = sizeof(*six);
	} else if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)port);
		w->peer_len = sizeof(*four);
	} else {
		fprintf(stderr, "wire: %s is not an address\n", address);
		exit(2);
	}
}

static int
open_socket(const struct wire *w)
{
	int fd = socket(w->peer.ss_family, w->tcp ? SOCK_STREAM : SOCK_DGRAM, 0);

	if (fd == -1 || connect(fd, (const struct sockaddr *)&w->peer, w->peer_len) == -1)
		die("connect");
	return fd;
}

/* Is FD readable within MS? */
static bool
readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static int
send_all(const struct wire *w, const uint8_t *at, size_t len)
{
	while (len > 0) {
		ssize_t n = send(w->fd, at, len, MSG_NOSIGNAL);

		if (n < 0)
			return fail(strerror(errno));
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The message of LEN octets at out + 2, with its length before it over TCP. */
static int
send_message(struct wire *w, size_t len)
{
	w->out[0] = (uint8_t)(len >> 8);
	w->out[1] = (uint8_t)len;
	return w->tcp ? send_all(w, w->out, len + 2) : send_all(w, w->out + 2, len);
}

/* Read LEN octets; false at the end, an error, or when MS are over. */
static bool
read_exactly(const struct wire *w, uint8_t *at, size_t len, int ms)
{
	int deadline = now_ms() + ms;

	while (len > 0) {
		int left = deadline - now_ms();
		ssize_t n;

		if (left < 0 || !readable(w->fd, left))
			return false;
		n = recv(w->fd, at, len, 0);
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

/* The next message to in; returns its length, 0 if there is none. */
static size_t
receive(struct wire *w, int ms)
{
	uint8_t size[2];
	size_t len;
	ssize_t n;

	if (w->tcp) {
		if (!read_exactly(w, size, sizeof(size), ms))
			return 0;
		len = (size_t)size[0] << 8 | size[1];
		return read_exactly(w, w->in, len, ms) ? len : 0;
	}
	if (!readable(w->fd, ms))
		return 0;
	n = recv(w->fd, w->in, sizeof(w->in), 0);
	return n > 0 ? (size_t)n : 0;
}

/* --- questions -------------------------------------------------------------------------------- */

static unsigned
type_number(const char *type)
{
	static const struct {
		const char *name;
		unsigned number;
	} types[] = { { "A", 1 }, { "PTR", 12 }, { "TXT", 16 }, { "AAAA", 28 } };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].name, type) == 0)
			return types[i].number;
	}
	return number(type);
}

static size_t
write_name(uint8_t *out, const char *name)
{
	size_t n = 0;

	while (*name != '\0') {
		size_t len = strcspn(name, ".");

		if (len == 0 || len > 63 || n + len > 250) {
			fprintf(stderr, "wire: %s is not a name\n", name);
			exit(2);
		}
		out[n++] = (uint8_t)len;
		memcpy(out + n, name, len);
		n += len;
		name += len + (name[len] == '.');
	}
	out[n] = 0;
	return n + 1;
}

/* A question with RD to out + 2; returns its length. */
static size_t
write_question(struct wire *w, unsigned id, const char *name, const char *type)
{
	static const uint8_t rest[] = { 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 }; /* RD; one question */
	uint8_t *m = w->out + 2;
	unsigned number_of_type = type_number(type);
	size_t n = 12;

	m[0] = (uint8_t)(id >> 8);
	m[1] = (uint8_t)id;
	memcpy(m + 2, rest, sizeof(rest));
	n += write_name(m + n, name);
	m[n++] = (uint8_t)(number_of_type >> 8);
	m[n++] = (uint8_t)number_of_type;
	m[n++] = 0;
	m[n++] = 1;
	return n;
}

static size_t
read_hex(uint8_t *out, const char *hex)
{
	size_t n = 0;
	unsigned v;

	for (; hex[0] != '\0' && n < MESSAGE_MAX; hex += 2) {
		if (sscanf(hex, "%2x", &v) != 1 || hex[1] == '\0') {
			fprintf(stderr, "wire: %s is not hexadecimal\n", hex);
			exit(2);
		}
		out[n++] = (uint8_t)v;
	}
	return n;
}

/* --- steps ------------------------------------------------------------------------------------ */

static int
step_ask(struct wire *w, char **a)
{
	return send_message(w, write_question(w, number(a[0]), a[1], a[2]));
}

static int
step_drip(struct wire *w, char **a)
{
	size_t len = write_question(w, number(a[0]), a[1], a[2]);

	w->out[0] = (uint8_t)(len >> 8);
	w->out[1] = (uint8_t)len;
	for (size_t i = 0; i < len + 2; i++) {
		if (send_all(w, w->out + i, 1) != 0)
			return 1;
		pause_ms((int)number(a[3]));
	}
	return 0;
}

static int
step_hex(struct wire *w, char **a)
{
	return send_message(w, read_hex(w->out + 2, a[0]));
}

static int
step_raw(struct wire *w, char **a)
{
	return send_all(w, w->out, read_hex(w->out, a[0]));
}

/* xorshift: the same noise in every run. */
static uint32_t
chance(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static int
step_noise(struct wire *w, char **a)
{
	unsigned n = number(a[0]), messages = w->tcp ? 1 : n;
	uint32_t state = number(a[1]) * 2 + 1;

	for (unsigned i = 0; i < messages; i++) {
		size_t len = w->tcp ? n : chance(&state) % 600 + 1;

		if (len > sizeof(w->out))
			len = sizeof(w->out);
		for (size_t j = 0; j < len; j++)
			w->out[j] = (uint8_t)(chance(&state) >> 8);
		/* Half of it looks like a question at first sight. */
		if (!w->tcp && len > 12 && i % 2 == 0)
			memcpy(w->out + 2, "\1\0\0\1\0\0\0\0\0\0", 10);
		if (send(w->fd, w->out, len, MSG_NOSIGNAL) < 0 && w->tcp)
			return 0; /* closed: as it may be */
		if (i % 32 == 31)
			pause_ms(1);
	}
	return 0;
}

static int
step_flood(struct wire *w, char **a)
{
	unsigned n = number(a[0]), sent = 0;

	for (; sent < n; sent++) {
		size_t len = write_question(w, sent & 0xffff, a[1], a[2]);
		struct pollfd p = { .fd = w->fd, .events = POLLOUT };
		ssize_t done;

		w->out[0] = (uint8_t)(len >> 8);
		w->out[1] = (uint8_t)len;
		if (poll(&p, 1, 1000) != 1)
			break;
		done = send(w->fd, w->out, len + 2, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done < 0 && errno != EAGAIN)
			break;
		if (done != (ssize_t)len + 2 && done > 0)
			break; /* in the middle of a message: the buffers are full */
	}
	printf("%u sent\n", sent);
	return 0;
}

static int
step_get(struct wire *w, char **a)
{
	for (unsigned n = number(a[0]); n > 0; n--) {
		size_t len = receive(w, (int)number(a[1]));
		const uint8_t *m = w->in;

		if (len < 12) {
			printf("%u missing\n", n);
			return fail("no message came");
		}
		printf("%u %u %u%s\n", (unsigned)m[0] << 8 | m[1], m[3] & 15u,
		    (unsigned)m[6] << 8 | m[7], m[2] & 2 ? " TC" : "");
	}
	return 0;
}

static int
step_quiet(struct wire *w, char **a)
{
	size_t len = receive(w, (int)number(a[0]));

	return len == 0 ? 0 : fail("a message came");
}

static int
step_half(struct wire *w, char **a)
{
	(void)a;
	return shutdown(w->fd, SHUT_WR) == 0 ? 0 : fail(strerror(errno));
}

static int
step_pause(struct wire *w, char **a)
{
	(void)w;
	pause_ms((int)number(a[0]));
	return 0;
}

/* What still comes before the end is read and forgotten. */
static int
step_end(struct wire *w, char **a)
{
	int start = now_ms(), deadline = start + (int)number(a[0]);

	for (;;) {
		int left = deadline - now_ms();

		if (left < 0 || !readable(w->fd, left))
			return fail("still open");
		if (recv(w->fd, w->in, sizeof(w->in), 0) > 0)
			continue;
		printf("closed after %d ms\n", now_ms() - start);
		return 0;
	}
}

static int
step_crowd(struct wire *w, char **a)
{
	static int fds[CROWD_MAX];
	unsigned n = number(a[0]), open = 0;

	if (n > CROWD_MAX)
		n = CROWD_MAX;
	for (unsigned i = 0; i < n; i++)
		fds[i] = open_socket(w);
	pause_ms((int)number(a[1]));
	for (unsigned i = 0; i < n; i++) {
		open += !readable(fds[i], 0);
		close(fds[i]);
	}
	printf("%u open\n", open);
	return 0;
}

/* Ask for AAAA of the name of number I, which is its ID too. */
static void
ask_new(struct wire *w, unsigned i, const char *zone)
{
	char name[256];
	size_t len;

	snprintf(name, sizeof(name), "010-%03u-%03u-%03u.%.200s", i >> 16 & 255, i >> 8 & 255,
	    i & 255, zone);
	len = write_question(w, i & 0xffff, name, "AAAA");
	(void)send(w->fd, w->out + 2, len, MSG_NOSIGNAL);
}

/* Has a NOERROR come among what there is to read? */
static bool
came_noerror(struct wire *w)
{
	while (readable(w->fd, 0)) {
		ssize_t n = recv(w->fd, w->in, sizeof(w->in), 0);

		if (n >= 12 && (w->in[3] & 15) == 0)
			return true;
		if (n < 0)
			break; /* nobody listens yet */
	}
	return false;
}

static int
step_persist(struct wire *w, char **a)
{
	int start = now_ms(), deadline = start + (int)number(a[1]);

	for (unsigned i = 1; now_ms() < deadline; i++) {
		ask_new(w, ((unsigned)getpid() & 255) << 16 | (i & 0xffff), a[0]);
		pause_ms(5);
		if (came_noerror(w)) {
			printf("%d\n", now_ms() - start);
			return 0;
		}
	}
	return fail("no NOERROR came");
}

#define SLOW_MS 100

struct burst {
	int sent_ms[65536]; /* by ID */
	unsigned n;
	unsigned n_servfail;
	unsigned n_slow; /* over SLOW_MS */
	int slowest_ms;
};

/* Read what there is within MS. */
static void
burst_read(struct wire *w, struct burst *b, int ms)
{
	while (readable(w->fd, ms)) {
		ssize_t n = recv(w->fd, w->in, sizeof(w->in), MSG_DONTWAIT);
		int took;

		if (n < 12)
			break;
		took = now_ms() - b->sent_ms[w->in[0] << 8 | w->in[1]];
		b->n++;
		b->n_servfail += (w->in[3] & 15) == 2;
		b->n_slow += took > SLOW_MS;
		if (took > b->slowest_ms)
			b->slowest_ms = took;
		ms = 0;
	}
}

/* N questions, of which "b" knows when they were sent: read their answers within MS. */
static int
burst_end(struct wire *w, struct burst *b, unsigned n, int ms)
{
	int deadline = now_ms() + ms;

	while (b->n < n && now_ms() < deadline)
		burst_read(w, b, 100);
	printf("%u answers, %u SERVFAIL, %u slow, %d ms\n", b->n, b->n_servfail, b->n_slow,
	    b->slowest_ms);
	return b->n == n ? 0 : fail("answers are missing");
}

static int
step_burst(struct wire *w, char **a)
{
	static struct burst b;
	unsigned first = number(a[0]), n = number(a[1]);
	int size = 32 * 1024 * 1024;

	(void)setsockopt(w->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	for (unsigned i = first; i < first + n; i++) {
		b.sent_ms[i & 0xffff] = now_ms();
		ask_new(w, i, a[2]);
		if (i % 16 == 15)
			burst_read(w, &b, 1);
	}
	return burst_end(w, &b, n, (int)number(a[3]));
}

static int
step_steady(struct wire *w, char **a)
{
	static struct burst b;
	unsigned first = number(a[0]), n = number(a[1]), rate = number(a[4]);
	int start = now_ms();

	memset(&b, 0, sizeof(b));
	for (unsigned i = 0; i < n; i++) {
		int left;

		while ((left = start + (int)(i * 1000 / rate) - now_ms()) > 0)
			burst_read(w, &b, left);
		b.sent_ms[(first + i) & 0xffff] = now_ms();
		ask_new(w, first + i, a[2]);
	}
	return burst_end(w, &b, n, (int)number(a[3]));
}

#define COOKIE_OPTION "\0\12\0\30" /* with 24 octets: the client's 8 and the server's 16 */
#define CLIENT_COOKIE "\1\2\3\4\5\6\7\10"

struct harvest {
	unsigned n, n_tc;
	size_t sent, came;      /* octets */
	uint8_t option[4 + 24]; /* the cookie, once it is known */
	size_t option_len;
};

static void
keep_cookie(struct harvest *h, const uint8_t *m, size_t len)
{
	for (size_t i = 12; i + sizeof(h->option) <= len; i++) {
		if (memcmp(m + i, COOKIE_OPTION CLIENT_COOKIE, 12) != 0)
			continue;
		h->option_len = sizeof(h->option);
		memcpy(h->option, m + i, h->option_len);
	}
}

/* Read what there is within MS. */
static void
reap(struct wire *w, struct harvest *h, int ms, bool cookie)
{
	while (readable(w->fd, ms)) {
		ssize_t n = recv(w->fd, w->in, sizeof(w->in), MSG_DONTWAIT);

		if (n < 12)
			break;
		h->n++;
		h->n_tc += (w->in[2] & 2) != 0;
		h->came += (size_t)n;
		if (cookie && h->option_len <= 12)
			keep_cookie(h, w->in, (size_t)n);
		ms = 0;
	}
}

static void
sow(struct wire *w, struct harvest *h, char **a)
{
	uint8_t *m = w->out + 2;
	size_t len = write_question(w, h->n & 0xffff, a[1], a[2]);

	m[11] = 1;
	memcpy(m + len, "\0\0\51\20\0\0\0\0\0\0", 10); /* OPT with 4,096, its length last */
	m[len + 10] = (uint8_t)h->option_len;
	memcpy(m + len + 11, h->option, h->option_len);
	len += 11 + h->option_len;
	h->sent += len;
	(void)send(w->fd, m, len, MSG_NOSIGNAL);
}

static int
step_amplify(struct wire *w, char **a)
{
	static struct harvest h;
	unsigned n = number(a[0]), rate = number(a[4]);
	bool cookie = strcmp(a[5], "cookie") == 0;
	int size = 32 * 1024 * 1024, start, deadline;

	(void)setsockopt(w->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	memset(&h, 0, sizeof(h));
	if (cookie) {
		h.option_len = 12;
		memcpy(h.option, "\0\12\0\10" CLIENT_COOKIE, 12);
	}
	start = now_ms();
	for (unsigned i = 0; i < n; i++) {
		int left;

		if (cookie && i == 1)
			reap(w, &h, 2000, cookie);
		while ((left = start + (int)(i * 1000ULL / rate) - now_ms()) > 0)
			reap(w, &h, left, cookie);
		sow(w, &h, a);
	}
	deadline = now_ms() + (int)number(a[3]);
	while (h.n < n && now_ms() < deadline)
		reap(w, &h, 100, cookie);
	printf("%zu sent, %zu came, %u answers, %u TC\n", h.sent, h.came, h.n, h.n_tc);
	return h.n == n ? 0 : fail("answers are missing");
}

/* How long the machine keeps a process from running that wants to. */
static int
step_gap(struct wire *w, char **a)
{
	int most = -1;

	(void)w;
	(void)a;
	while (most < INT_MAX) {
		int began = now_ms(), late;

		pause_ms(1);
		late = now_ms() - began - 1;
		if (late <= most)
			continue;
		most = late;
		printf("%d\n", most);
	}
	return 0;
}

static const struct step {
	const char *name;
	int n_args;
	int (*run)(struct wire *w, char **args);
} steps[] = {
	{ "ask", 3, step_ask },
	{ "drip", 4, step_drip },
	{ "hex", 1, step_hex },
	{ "raw", 1, step_raw },
	{ "noise", 2, step_noise },
	{ "flood", 3, step_flood },
	{ "get", 2, step_get },
	{ "quiet", 1, step_quiet },
	{ "half", 0, step_half },
	{ "pause", 1, step_pause },
	{ "gap", 0, step_gap },
	{ "end", 1, step_end },
	{ "crowd", 2, step_crowd },
	{ "persist", 2, step_persist },
	{ "burst", 4, step_burst },
	{ "steady", 5, step_steady },
	{ "amplify", 6, step_amplify },
};

static const struct step *
find_step(const char *name, int args_left)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(steps[i].name, name) == 0 && steps[i].n_args <= args_left)
			return &steps[i];
	}
	fprintf(stderr, "wire: %s: no such step, or not all that it needs\n", name);
	exit(2);
}

int
main(int argc, char **argv)
{
	static struct wire w;

	if (argc < 4) {
		fprintf(stderr, "usage: wire udp|tcp ADDRESS PORT STEP...\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	w.tcp = strcmp(argv[1], "tcp") == 0;
	resolve(&w, argv[2], number(argv[3]));
	w.fd = open_socket(&w);
	for (int i = 4; i < argc;) {
		const struct step *s = find_step(argv[i], argc - i - 1);

		if (s->run(&w, argv + i + 1) != 0) {
			fprintf(stderr, "wire: at step %s\n", s->name);
			return 1;
		}
		i += 1 + s->n_args;
	}
	return 0;
}
