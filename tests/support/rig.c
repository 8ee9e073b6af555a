/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/rig.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "dns64/pref64.h"
#include "support/configured.h"
#include "support/cputime.h"

#define RIG_HEADER 12

struct netaddr
rig_addr(const char *text, uint16_t port)
{
	struct netaddr a = { .family = NETADDR_NONE };

	ck_assert(netaddr_parse(text, port, &a));
	return a;
}

struct netaddr
rig_local(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr a = { .family = NETADDR_NONE };

	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	ck_assert(netaddr_from_sockaddr((const struct sockaddr *)&ss, &a));
	return a;
}

static int
rig_socket(int type, const struct netaddr *addr, struct sockaddr_storage *ss, socklen_t *len)
{
	int fd, size = 4 << 20; /* as much of it as anybody may have */

	*len = netaddr_to_sockaddr(addr, ss);
	fd = socket(ss->ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(fd, 0);
	if (type == SOCK_DGRAM) /* a turn of the loop sends some hundred datagrams at once */
		ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	return fd;
}

/* As rig_bound, but -1 when somebody else has the port. */
static int
try_bound(int type, const struct netaddr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len;
	int fd = rig_socket(type, addr, &ss, &len);
	int one = 1;

	if (type == SOCK_STREAM)
		ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), 0);
	if (bind(fd, (struct sockaddr *)&ss, len) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 64) < 0)) {
		ck_assert_msg(errno == EADDRINUSE, "bind: %s", strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

int
rig_bound(int type, const struct netaddr *addr)
{
	int fd = try_bound(type, addr);

	ck_assert_msg(fd >= 0, "bind: address in use");
	return fd;
}

/* The upstream: a port that is free for UDP and TCP. */
static void
bind_upstream(struct rig *r)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);

	for (int i = 0; i < 16; i++) {
		r->up_udp = rig_bound(SOCK_DGRAM, &any);
		r->up = rig_local(r->up_udp);
		r->up_tcp = try_bound(SOCK_STREAM, &r->up);
		if (r->up_tcp >= 0)
			return;
		close(r->up_udp);
	}
	ck_abort_msg("no free port");
}

int
rig_connect(int type, const struct netaddr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len;
	int fd = rig_socket(type, addr, &ss, &len);
	int r = connect(fd, (struct sockaddr *)&ss, len);

	ck_assert_msg(r == 0 || errno == EINPROGRESS, "connect: %s", strerror(errno));
	return fd;
}

static void
rig_settings(struct rig *r)
{
	struct conf_core *c = &r->conf.core;
	struct conf_io *io = &r->conf.io;

	c->upstreams[0] = conf_upstream_at(&r->up);
	c->n_upstreams = 1;
	c->selection = CONF_IN_ORDER;
	c->timeout_ms = 5000;
	c->upstream_tries = 3;
	c->max_upstream_questions = 24;
	c->udp_size_client = 1232;
	c->udp_size_upstream = 1232;
	c->max_queries = 1000;
	c->policies = configured_policies("dns64-prefix 64:ff9b::/96");
	io->tcp_idle_ms = 10000;
	io->max_tcp_clients = 100;
	io->max_tcp_per_client = 50;
	io->outgoing_ports = 8;
}

void
rig_init(struct rig *r)
{
	log_open(LOG_SINK_NONE);
	memset(r, 0, sizeof(*r));
	r->taken = calloc(RIG_TAKEN, sizeof(*r->taken));
	ck_assert_ptr_nonnull(r->taken);
	bind_upstream(r);
	r->listen[0] = "127.0.0.1";
	r->listen[1] = "::1";
	rig_settings(r);
}

static void *
rig_thread(void *arg)
{
	loop_run(arg);
	return NULL;
}

void
rig_start(struct rig *r)
{
	struct bind_sockets ls[2];
	struct snapshot *s;
	size_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		struct netaddr addr = rig_addr(r->listen[i], 0);

		if (bind_open(&addr, 0, &ls[n]) == 0)
			n++;
	}
	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++)
		r->conf.io.listens[i] = ls[i].addr;
	r->conf.io.n_listens = n;
	r->at[0] = ls[0].addr;
	r->at[1] = ls[n - 1].addr;
	s = snapshot_new(&r->conf);
	ck_assert_ptr_nonnull(s);
	r->loop = loop_new(s, ls, n);
	ck_assert_msg(r->loop != NULL, "loop_new: %s", strerror(errno));
	snapshot_unref(s);
	ck_assert_int_eq(pthread_create(&r->thread, NULL, rig_thread, r->loop), 0);
	r->running = true;
}

void
rig_join(struct rig *r)
{
	ck_assert_int_eq(pthread_join(r->thread, NULL), 0);
	r->running = false;
}

void
rig_stop(struct rig *r, uint32_t grace_ms)
{
	loop_stop(r->loop, grace_ms);
	rig_join(r);
}

void
rig_end(struct rig *r)
{
	if (r->running)
		rig_stop(r, 0);
	loop_free(r->loop);
	r->loop = NULL;
	policies_unref(r->conf.core.policies);
	free(r->taken);
	r->taken = NULL;
	if (r->up_udp >= 0)
		close(r->up_udp);
	if (r->up_tcp >= 0)
		close(r->up_tcp);
}

void
rig_stamped(int fd, const struct netaddr *addr)
{
	int from = rig_connect(SOCK_DGRAM, addr);
	struct timespec sent, stamp;
	uint8_t byte = 0;

	do {
		ck_assert_int_eq(send(from, &byte, 1, 0), 1);
		ck_assert_int_eq(clock_gettime(CLOCK_REALTIME, &sent), 0);
		rig_pause(5);
		ck_assert_int_eq(recv(fd, &byte, 1, 0), 1);
		ck_assert_int_eq(ioctl(fd, SIOCGSTAMPNS, &stamp), 0);
	} while (stamp.tv_sec > sent.tv_sec ||
	    (stamp.tv_sec == sent.tv_sec && stamp.tv_nsec > sent.tv_nsec));
	close(from);
}

/* --- messages --------------------------------------------------------------------------------- */

static void
put16(struct rig_msg *m, unsigned v)
{
	m->bytes[m->len++] = (uint8_t)(v >> 8);
	m->bytes[m->len++] = (uint8_t)v;
}

static unsigned
get16(const struct rig_msg *m, size_t at)
{
	return (unsigned)m->bytes[at] << 8 | m->bytes[at + 1];
}

static void
set16(struct rig_msg *m, size_t at, unsigned v)
{
	m->bytes[at] = (uint8_t)(v >> 8);
	m->bytes[at + 1] = (uint8_t)v;
}

void
rig_question(struct rig_msg *m, uint16_t id, const char *name, uint16_t qtype)
{
	memset(m->bytes, 0, RIG_HEADER);
	m->len = RIG_HEADER;
	set16(m, 0, id);
	m->bytes[2] = 1; /* RD */
	m->bytes[5] = 1;
	for (const char *p = name; *p != '\0';) {
		size_t n = strcspn(p, ".");

		m->bytes[m->len++] = (uint8_t)n;
		memcpy(m->bytes + m->len, p, n);
		m->len += n;
		p += n + (p[n] == '.');
	}
	m->bytes[m->len++] = 0;
	put16(m, qtype);
	put16(m, 1);
}

/* Where the question section ends. */
static size_t
question_end(const struct rig_msg *m)
{
	size_t at = RIG_HEADER;

	while (at < m->len && m->bytes[at] != 0)
		at += (size_t)m->bytes[at] + 1;
	ck_assert_uint_le(at + 5, m->len);
	return at + 5;
}

/* The question of Q with QR and RA, without any record. */
static void
rig_echo(struct rig_msg *m, const struct rig_msg *q)
{
	size_t end = question_end(q);

	memmove(m->bytes, q->bytes, end);
	m->len = end;
	m->from = q->from;
	m->bytes[2] |= 0x80;
	m->bytes[3] = 0x80;
	memset(m->bytes + 6, 0, 6);
}

static void
put_owner(struct rig_msg *m, unsigned type, unsigned rdlen)
{
	put16(m, 0xc000 | RIG_HEADER);
	put16(m, type);
	put16(m, 1);
	put16(m, 0);
	put16(m, 300);
	put16(m, rdlen);
}

void
rig_reply(struct rig_msg *m, const struct rig_msg *q, unsigned n_a)
{
	static const uint8_t soa[22] = { 0, 0, 0, 0, 0, 1, 0, 0, 14, 16, 0, 0, 4, 176, 0, 9, 58,
		128, 0, 0, 1, 44 };

	rig_echo(m, q);
	set16(m, 6, n_a);
	for (unsigned i = 0; i < n_a; i++) {
		put_owner(m, RIG_A, 4);
		put16(m, 192 << 8);
		put16(m, 2 << 8 | (i + 1));
	}
	if (n_a > 0)
		return;
	set16(m, 8, 1);
	put_owner(m, 6, sizeof(soa));
	memcpy(m->bytes + m->len, soa, sizeof(soa));
	m->len += sizeof(soa);
}

void
rig_reply_tc(struct rig_msg *m, const struct rig_msg *q)
{
	rig_echo(m, q);
	m->bytes[2] |= 2;
}

uint16_t
rig_id(const struct rig_msg *m)
{
	return (uint16_t)get16(m, 0);
}

uint16_t
rig_qtype(const struct rig_msg *m)
{
	return (uint16_t)get16(m, question_end(m) - 4);
}

unsigned
rig_rcode(const struct rig_msg *m)
{
	return m->bytes[3] & 15u;
}

unsigned
rig_answers(const struct rig_msg *m)
{
	return get16(m, 6);
}

/* --- sockets ---------------------------------------------------------------------------------- */

bool
rig_ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

void
rig_send(int fd, const struct rig_msg *m)
{
	ck_assert_int_eq(send(fd, m->bytes, m->len, 0), (ssize_t)m->len);
}

bool
rig_recv(int fd, struct rig_msg *m)
{
	ssize_t n;

	if (!rig_ready(fd, RIG_WAIT_MS))
		return false;
	n = recv(fd, m->bytes, sizeof(m->bytes), 0);
	if (n < 0)
		return false;
	m->len = (size_t)n;
	return true;
}

/* As rig_take, of any question, waiting MS. */
static bool
take_any(const struct rig *r, struct rig_msg *m, int ms)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	ssize_t n;

	if (!rig_ready(r->up_udp, ms))
		return false;
	n = recvfrom(r->up_udp, m->bytes, sizeof(m->bytes), 0, (struct sockaddr *)&ss, &len);
	if (n < 0)
		return false;
	m->len = (size_t)n;
	return netaddr_from_sockaddr((const struct sockaddr *)&ss, &m->from);
}

/* Is it the first time that the question of M is taken, however its name is spelt? */
static bool
first_time(const struct rig *r, const struct rig_msg *m)
{
	size_t len = question_end(m) - RIG_HEADER;
	uint8_t question[512];
	uint64_t hash, *at;

	ck_assert_uint_le(len, sizeof(question));
	for (size_t i = 0; i < len; i++)
		question[i] = (uint8_t)tolower(m->bytes[RIG_HEADER + i]);
	hash = hash_bytes(question, len, 1) | 1;
	for (size_t i = 0; i < RIG_TAKEN; i++) {
		at = &r->taken[(hash + i) % RIG_TAKEN];
		if (*at == hash)
			return false;
		if (*at == 0) {
			*at = hash;
			return true;
		}
	}
	ck_abort_msg("more than %d questions", RIG_TAKEN);
	return false;
}

bool
rig_take(const struct rig *r, struct rig_msg *m)
{
	do {
		if (!take_any(r, m, RIG_WAIT_MS))
			return false;
	} while (!first_time(r, m));
	return true;
}

bool
rig_quiet(const struct rig *r, int ms)
{
	static struct rig_msg m;
	uint64_t now = rig_now_ms(), end = now + (unsigned)ms;

	for (; now < end; now = rig_now_ms()) {
		if (take_any(r, &m, (int)(end - now)) && first_time(r, &m))
			return false;
	}
	return true;
}

void
rig_give(const struct rig *r, const struct rig_msg *m)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&m->from, &ss);

	ck_assert_int_eq(
	    sendto(r->up_udp, m->bytes, m->len, 0, (struct sockaddr *)&ss, len), (ssize_t)m->len);
}

/* All LEN bytes, however the socket takes them. */
static void
put_all(int fd, const uint8_t *p, size_t len)
{
	while (len > 0) {
		struct pollfd f = { .fd = fd, .events = POLLOUT };
		ssize_t n;

		ck_assert_int_gt(poll(&f, 1, RIG_WAIT_MS), 0);
		n = send(fd, p, len, MSG_NOSIGNAL);
		ck_assert_int_gt(n, 0);
		p += n;
		len -= (size_t)n;
	}
}

void
rig_put(int fd, const struct rig_msg *m)
{
	uint8_t prefix[2] = { (uint8_t)(m->len >> 8), (uint8_t)m->len };

	put_all(fd, prefix, sizeof(prefix));
	put_all(fd, m->bytes, m->len);
}

static bool
get_all(int fd, uint8_t *p, size_t len)
{
	while (len > 0) {
		ssize_t n;

		if (!rig_ready(fd, RIG_WAIT_MS))
			return false;
		n = recv(fd, p, len, 0);
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool
rig_get(int fd, struct rig_msg *m)
{
	uint8_t prefix[2];

	if (!get_all(fd, prefix, sizeof(prefix)))
		return false;
	m->len = (size_t)prefix[0] << 8 | prefix[1];
	return get_all(fd, m->bytes, m->len);
}

bool
rig_closed(int fd, int ms)
{
	uint8_t rest[4096];
	ssize_t n = 1;

	while (n > 0) {
		if (!rig_ready(fd, ms))
			return false;
		n = recv(fd, rest, sizeof(rest), 0);
	}
	return n == 0 || errno == ECONNRESET;
}

int
rig_accept(const struct rig *r)
{
	int fd;

	ck_assert(rig_ready(r->up_tcp, RIG_WAIT_MS));
	fd = accept4(r->up_tcp, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void
answer(const struct rig *r, struct rig_msg *m)
{
	rig_reply(m, m, rig_qtype(m) == RIG_A ? 1 : 0);
	rig_give(r, m);
}

void
rig_serve(const struct rig *r, unsigned n)
{
	static struct rig_msg m;

	while (n-- > 0) {
		ck_assert(rig_take(r, &m));
		answer(r, &m);
	}
}

void
rig_serve_now(const struct rig *r)
{
	static struct rig_msg m;

	while (take_any(r, &m, 0)) {
		(void)first_time(r, &m);
		answer(r, &m);
	}
}

uint64_t
rig_stat(const struct rig *r, const char *name)
{
	const struct stats *one = loop_stats(r->loop);
	struct stats_row rows[STATS_N];

	stats_sum(&one, 1, rows);
	for (size_t i = 0; i < STATS_N; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].value;
	ck_abort_msg("no counter %s", name);
}

bool
rig_until(const struct rig *r, const char *name, uint64_t n)
{
	uint64_t end_ms = rig_now_ms() + RIG_WAIT_MS;

	while (rig_stat(r, name) < n) {
		if (rig_now_ms() > end_ms)
			return false;
		rig_pause(1);
	}
	return true;
}

/* --- time ------------------------------------------------------------------------------------- */

void
rig_pause(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

uint64_t
rig_now_ms(void)
{
	struct timespec t;

	ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &t), 0);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / NS_PER_MS;
}

unsigned
rig_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

bool
rig_until_descriptors(unsigned n)
{
	uint64_t end_ms = rig_now_ms() + RIG_WAIT_MS;

	while (rig_descriptors() > n) {
		if (rig_now_ms() > end_ms)
			return false;
		rig_pause(1);
	}
	return true;
}

bool
rig_idle(unsigned ms)
{
	uint64_t all = cputime_of(CLOCK_PROCESS_CPUTIME_ID), mine = cputime_ns();

	while (cputime_ns() - mine < ms * NS_PER_MS)
		continue;
	all = cputime_of(CLOCK_PROCESS_CPUTIME_ID) - all;
	mine = cputime_ns() - mine;
	return all < mine + mine / 4;
}

#ifdef WITH_TSAN
/* ThreadSanitizer asks for it. A descriptor that one thread closes and another gets is no race. */
const char *__tsan_default_suppressions(void);

const char *
__tsan_default_suppressions(void)
{
	return "race_top:epoll_ctl\n";
}
#endif
