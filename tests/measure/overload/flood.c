/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * flood: clients of many networks that ask for ever new names, as many as a phase says, and others
 * beside them that ask for names which the server knows. See README.
 *
 *	flood ADDRESS PORT NETWORKS PID RATE:SECONDS...
 *
 * PATIENCE in the environment: answers count within so many ms only. NAMES: so many names, in turn.
 *
 * ADDRESS is the server's, IPv4, PID its process. For each phase a line: "phase", the rate, then
 * per second from its second one on: questions sent, right answers, SERVFAIL, other rcodes and TC;
 * of the others' questions the percentage that was answered, the 50th and 99th percentile and the
 * longest of their times in ms (unanswered: 10 s); the server's memory in KiB at the end, and the
 * percentage of a CPU that it used. Then "back": how many ms into the last phase it was until 95 %
 * of its questions were answered rightly for half a second.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)
#define BATCH 64
#define BYTES 512
#define WINDOW_NS (NS / 10) /* of the counts */
#define WINDOWS 6000        /* ten minutes of them */
#define PHASES 16
#define OTHERS_RATE 500 /* questions per second of the others, in all */
#define OTHERS_NETWORKS 250
#define OTHERS_NAMES 100
#define OTHERS_MAX (OTHERS_RATE * 600)
#define LOST_MS 10000.0
#define DEBT_NS (NS / 20) /* the flood does not catch up with more */

struct phase {
	double rate;
	uint64_t from_ns, to_ns;
	unsigned long kib, ticks; /* of the server, at the end */
};

/* What came in a window. */
struct count {
	uint32_t sent, right, servfail, other;
};

struct inquiry {
	uint64_t sent_ns;
	double ms;
};

#define TIMES (1U << 20) /* questions whose time is known: more than are under way */

static struct sockaddr_in server;
static uint64_t sent_ns[TIMES]; /* by the low bits of the name's address */
static uint32_t n_names;        /* NAMES: the flood asks for so many, in turn; 0: ever new ones */
static uint64_t patience_ns;    /* PATIENCE, in ms: an answer that comes later does not count; 0 */
static struct phase phases[PHASES];
static unsigned n_phases, n_networks;
static uint64_t start_ns;
static struct count counts[WINDOWS];
static struct inquiry others[OTHERS_MAX];
static uint32_t n_others;
static atomic_bool over;

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void
die(const char *what)
{
	fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
open_socket(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int on = 1, size = 16 << 20, fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof(on)) != 0 ||
	    bind(fd, (struct sockaddr *)&any, sizeof(any)) != 0)
		die("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	return fd;
}

/* A question for the AAAA of "NNN-NNN-NNN-NNN.dns64perf.test", for the address A. Returns its
 * length. */
static size_t
question(uint8_t *q, uint16_t id, uint32_t a)
{
	static const uint8_t rest[] = "\011dns64perf\004test\0\0\034\0\001";

	memset(q, 0, 12);
	q[0] = (uint8_t)(id >> 8);
	q[1] = (uint8_t)id;
	q[2] = 1; /* RD */
	q[5] = 1;
	snprintf((char *)q + 12, 20, "\017%03u-%03u-%03u-%03u", a >> 24, a >> 16 & 255,
	    a >> 8 & 255, a & 255);
	memcpy(q + 28, rest, sizeof(rest) - 1);
	return 28 + sizeof(rest) - 1;
}

/* Datagrams to be sent in one call, each from an address of its own. */
struct batch {
	struct mmsghdr h[BATCH];
	struct iovec iov[BATCH];
	uint8_t bytes[BATCH][BYTES];
	_Alignas(struct cmsghdr) uint8_t control[BATCH][CMSG_SPACE(sizeof(struct in_pktinfo))];
};

static void
put(struct batch *b, unsigned i, uint16_t id, uint32_t name, uint32_t from)
{
	struct in_pktinfo info = { .ipi_spec_dst.s_addr = htonl(from) };
	struct msghdr *h = &b->h[i].msg_hdr;
	struct cmsghdr *c;

	b->iov[i] = (struct iovec){ b->bytes[i], question(b->bytes[i], id, name) };
	*h = (struct msghdr){ .msg_name = &server,
		.msg_namelen = sizeof(server),
		.msg_iov = &b->iov[i],
		.msg_iovlen = 1,
		.msg_control = b->control[i],
		.msg_controllen = sizeof(b->control[i]) };
	c = CMSG_FIRSTHDR(h);
	c->cmsg_level = IPPROTO_IP;
	c->cmsg_type = IP_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
}

static struct count *
count_now(void)
{
	uint64_t w = (now_ns() - start_ns) / WINDOW_NS;

	return &counts[w < WINDOWS ? w : WINDOWS - 1];
}

/* Is it the answer, with the address *AT that the question's name spells at its end? */
static bool
is_right(const uint8_t *m, size_t len, uint32_t *at)
{
	char name[16];
	unsigned a[4];

	if (len < 60 || (m[3] & 15) != 0 || (m[2] & 2) != 0 || m[7] == 0)
		return false;
	memcpy(name, m + 13, 15);
	name[15] = 0;
	if (sscanf(name, "%3u-%3u-%3u-%3u", &a[0], &a[1], &a[2], &a[3]) != 4)
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (m[len - 4 + i] != a[i])
			return false;
	*at = a[0] << 24 | a[1] << 16 | a[2] << 8 | a[3];
	return true;
}

static void
read_flood(int fd, struct batch *b)
{
	for (;;) {
		int n;
		uint32_t at;
		struct count *c;

		for (unsigned i = 0; i < BATCH; i++) {
			b->iov[i] = (struct iovec){ b->bytes[i], BYTES };
			b->h[i].msg_hdr = (struct msghdr){ .msg_iov = &b->iov[i], .msg_iovlen = 1 };
		}
		n = recvmmsg(fd, b->h, BATCH, MSG_DONTWAIT, NULL);
		c = count_now();
		for (int i = 0; i < n; i++) {
			if (is_right(b->bytes[i], b->h[i].msg_len, &at))
				c->right += patience_ns == 0 ||
				    now_ns() - sent_ns[at % TIMES] < patience_ns;
			else if ((b->bytes[i][3] & 15) == 2)
				c->servfail++;
			else
				c->other++;
		}
		if (n < BATCH)
			return;
	}
}

/* The phase at T, and NULL after the last one. */
static const struct phase *
phase_at(uint64_t t)
{
	for (unsigned i = 0; i < n_phases; i++)
		if (t < phases[i].to_ns)
			return &phases[i];
	return NULL;
}

static void *
flood(void *arg)
{
	static struct batch out, in;
	const struct phase *now = NULL, *p;
	const uint32_t first = UINT32_C(10) << 24;
	uint32_t name = first, turn = 0;
	double due = 0;
	uint64_t last_ns = start_ns;
	int fd = open_socket();

	(void)arg;
	while ((p = phase_at(now_ns())) != NULL) {
		uint64_t t = now_ns(), gone = t - last_ns;
		struct timespec nap = { .tv_nsec = 200000 };

		if (p != now)
			due = 0;
		now = p;
		due += p->rate * (double)(gone < DEBT_NS ? gone : DEBT_NS) / (double)NS;
		last_ns = t;
		while (due >= 1) {
			unsigned n = 0;
			int sent;

			for (; n < BATCH && due >= 1; n++, due -= 1, name++, turn++) {
				if (n_names > 0 && name >= first + n_names)
					name = first;
				sent_ns[name % TIMES] = t;
				put(&out, n, (uint16_t)name, name,
				    (UINT32_C(10) << 24 | 64 << 16) + turn % n_networks);
			}
			sent = sendmmsg(fd, out.h, n, MSG_DONTWAIT);
			count_now()->sent += sent > 0 ? (uint32_t)sent : 0;
			read_flood(fd, &in);
		}
		read_flood(fd, &in);
		(void)nanosleep(&nap, NULL);
	}
	atomic_store(&over, true);
	return NULL;
}

static uint32_t
other_name(uint32_t i)
{
	return (UINT32_C(11) << 24) + i % OTHERS_NAMES;
}

/* Take the answers to the others' questions. */
static void
read_others(int fd)
{
	uint8_t m[BYTES];
	uint32_t at;
	ssize_t n;

	while ((n = recv(fd, m, sizeof(m), MSG_DONTWAIT)) > 0) {
		uint32_t id = (uint32_t)m[0] << 8 | m[1], i;

		if (n_others == 0 || !is_right(m, (size_t)n, &at))
			continue;
		/* The last question with this ID. */
		i = ((n_others - 1) & ~UINT32_C(0xffff)) | id;
		if (i >= n_others)
			i -= 65536;
		if (i < n_others && others[i].ms >= LOST_MS)
			others[i].ms = (double)(now_ns() - others[i].sent_ns) / 1e6;
	}
}

/* The others: at a steady rate, whatever the flood does. */
static void *
ask_others(void *arg)
{
	static struct batch out;
	int fd = open_socket();

	(void)arg;
	while (!atomic_load(&over) && n_others < OTHERS_MAX) {
		uint64_t due_ns = start_ns + n_others * (NS / OTHERS_RATE);
		struct timespec nap = { .tv_nsec = 100000 };

		if (now_ns() >= due_ns) {
			put(&out, 0, (uint16_t)n_others, other_name(n_others),
			    (UINT32_C(10) << 24 | 65 << 16) + n_others % OTHERS_NETWORKS);
			others[n_others] = (struct inquiry){ now_ns(), LOST_MS };
			n_others++;
			(void)sendmmsg(fd, out.h, 1, MSG_DONTWAIT);
		}
		read_others(fd);
		(void)nanosleep(&nap, NULL);
	}
	for (unsigned i = 0; i < 20; i++) {
		usleep(50000);
		read_others(fd);
	}
	return NULL;
}

/* Have the server know the others' names: ask until each was answered. */
static void
prime(void)
{
	static struct batch out;
	int fd = open_socket();

	for (uint32_t i = 0; i < OTHERS_NAMES; i++) {
		bool known = false;

		for (unsigned tries = 0; !known; tries++) {
			uint8_t m[BYTES];
			uint32_t at;
			ssize_t n;

			if (tries == 20) {
				errno = ETIMEDOUT;
				die("the server does not answer");
			}
			put(&out, 0, (uint16_t)i, other_name(i), (UINT32_C(10) << 24 | 65 << 16));
			(void)sendmmsg(fd, out.h, 1, 0);
			for (unsigned wait = 0; wait < 100 && !known; wait++) {
				usleep(5000);
				n = recv(fd, m, sizeof(m), MSG_DONTWAIT);
				known = n > 0 && is_right(m, (size_t)n, &at);
			}
		}
	}
	close(fd);
}

static unsigned long
memory_kib(const char *pid)
{
	unsigned long all = 0, resident = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/statm", pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

/* CPU time of the server, user and system. */
static unsigned long
ticks_used(const char *pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		&system) != 2)
		user = system = 0;
	fclose(f);
	return user + system;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
print_phase(const struct phase *p, unsigned long ticks_before)
{
	static double ms[OTHERS_MAX];
	uint64_t from = (p->from_ns + NS - start_ns) / WINDOW_NS;
	uint64_t to = (p->to_ns - start_ns) / WINDOW_NS;
	double seconds = (double)(to - from) * WINDOW_NS / (double)NS;
	uint64_t sent = 0, right = 0, servfail = 0, other = 0;
	size_t n = 0, answered = 0;

	for (uint64_t w = from; w < to && w < WINDOWS; w++) {
		sent += counts[w].sent;
		right += counts[w].right;
		servfail += counts[w].servfail;
		other += counts[w].other;
	}
	for (uint32_t i = 0; i < n_others; i++) {
		if (others[i].sent_ns < p->from_ns || others[i].sent_ns >= p->to_ns)
			continue;
		ms[n++] = others[i].ms;
		answered += others[i].ms < LOST_MS;
	}
	if (n == 0 || seconds <= 0)
		return;
	qsort(ms, n, sizeof(ms[0]), by_value);
	printf("phase %.0f %.0f %.0f %.0f %.0f %.2f %.2f %.2f %.2f %lu %.0f\n", p->rate,
	    (double)sent / seconds, (double)right / seconds, (double)servfail / seconds,
	    (double)other / seconds, 100.0 * (double)answered / (double)n, ms[n / 2],
	    ms[n * 99 / 100], ms[n - 1], p->kib,
	    100.0 * (double)(p->ticks - ticks_before) / (double)sysconf(_SC_CLK_TCK) /
		((double)(p->to_ns - p->from_ns) / (double)NS));
}

static void
print_back(const struct phase *p)
{
	uint64_t from = (p->from_ns - start_ns) / WINDOW_NS;
	double least = 0.95 * p->rate * WINDOW_NS / (double)NS;
	unsigned calm = 0;

	for (uint64_t w = from; w < (p->to_ns - start_ns) / WINDOW_NS && w < WINDOWS; w++) {
		calm = counts[w].right >= least ? calm + 1 : 0;
		if (calm == 5) {
			printf("back %" PRIu64 "\n", (w - 4 - from) * (WINDOW_NS / 1000000));
			return;
		}
	}
	printf("back never\n");
}

int
main(int argc, char **argv)
{
	pthread_t flooder, other;
	unsigned long ticks;
	uint64_t end_ns;

	if (argc < 6 || argc - 5 > PHASES || inet_pton(AF_INET, argv[1], &server.sin_addr) != 1) {
		fprintf(stderr, "usage: flood ADDRESS PORT NETWORKS PID RATE:SECONDS...\n");
		return 2;
	}
	server.sin_family = AF_INET;
	server.sin_port = htons((uint16_t)atoi(argv[2]));
	n_networks = (unsigned)atoi(argv[3]);
	if (getenv("PATIENCE") != NULL)
		patience_ns = (uint64_t)atoi(getenv("PATIENCE")) * (NS / 1000);
	if (getenv("NAMES") != NULL)
		n_names = (uint32_t)atoi(getenv("NAMES"));
	prime();
	start_ns = now_ns();
	end_ns = start_ns;
	ticks = ticks_used(argv[4]);
	for (int i = 5; i < argc; i++) {
		struct phase *p = &phases[n_phases++];
		double seconds = 0;

		if (sscanf(argv[i], "%lf:%lf", &p->rate, &seconds) != 2)
			die(argv[i]);
		p->from_ns = end_ns;
		end_ns += (uint64_t)(seconds * (double)NS);
		p->to_ns = end_ns;
	}
	if (pthread_create(&flooder, NULL, flood, NULL) != 0 ||
	    pthread_create(&other, NULL, ask_others, NULL) != 0)
		die("thread");
	for (unsigned i = 0; i < n_phases; i++) {
		while (now_ns() < phases[i].to_ns)
			usleep(10000);
		phases[i].kib = memory_kib(argv[4]);
		phases[i].ticks = ticks_used(argv[4]);
	}
	pthread_join(flooder, NULL);
	pthread_join(other, NULL);
	for (unsigned i = 0; i < n_phases; i++)
		print_phase(&phases[i], i == 0 ? ticks : phases[i - 1].ticks);
	print_back(&phases[n_phases - 1]);
	return 0;
}
