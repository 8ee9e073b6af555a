/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/crowd.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define STEP_MS 100

void
crowd_init(struct crowd *c)
{
	rig_init(&c->rig);
	c->sh = NULL;
}

void
crowd_start(struct crowd *c)
{
	struct event_base *base = event_base_new();
	struct engine *engine = engine_new(&c->rig.conf.core, NULL, NS_PER_SEC);

	c->sh = calloc(1, sizeof(*c->sh));
	ck_assert(base != NULL && engine != NULL && c->sh != NULL);
	ck_assert_int_eq(shell_init(c->sh, base, engine, &c->rig.conf.io, NS_PER_SEC), 0);
	upstream_udp_sync(c->sh);
}

void
crowd_end(struct crowd *c)
{
	struct event_base *base = c->sh->base;
	struct engine *engine = c->sh->engine;

	shell_fini(c->sh);
	engine_free(engine);
	event_base_free(base);
	free(c->sh);
	rig_end(&c->rig);
}

int
crowd_join(struct crowd *c, const char *address)
{
	struct netaddr peer = rig_addr(address, 1);
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	session_open(c->sh, fd[0], &peer);
	return fd[1];
}

void
crowd_turn(struct crowd *c)
{
	c->sh->again = false;
	(void)event_base_loop(c->sh->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	session_turn(c->sh);
	shell_flush(c->sh);
}

unsigned
crowd_settle(struct crowd *c)
{
	unsigned n = 0;

	do {
		crowd_turn(c);
		ck_assert_uint_lt(n, 100000);
		n++;
	} while (c->sh->again);
	return n;
}

void
crowd_pass(struct crowd *c, unsigned ms)
{
	for (unsigned i = 0; i < ms; i += STEP_MS) {
		c->sh->now_ns += STEP_MS * NS_PER_MS;
		(void)engine_tick(c->sh->engine, c->sh->now_ns);
		(void)shell_drain(c->sh);
		(void)crowd_settle(c);
		while (session_beat(c->sh))
			continue;
	}
}

void
crowd_ask(int fd, const char *name, unsigned n)
{
	static struct rig_msg m;
	static uint8_t bytes[65536];
	size_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		rig_question(&m, (uint16_t)i, name, RIG_A);
		ck_assert_uint_le(len + 2 + m.len, sizeof(bytes));
		bytes[len++] = (uint8_t)(m.len >> 8);
		bytes[len++] = (uint8_t)m.len;
		memcpy(bytes + len, m.bytes, m.len);
		len += m.len;
	}
	/* One write: a socket pair holds few small ones. */
	if (len > 0 && send(fd, bytes, len, MSG_NOSIGNAL) < 0)
		ck_assert_msg(errno == EPIPE || errno == ECONNRESET, "send: %s", strerror(errno));
}

bool
crowd_is_full(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	ck_assert_int_ge(poll(&p, 1, 0), 0);
	return (p.revents & POLLOUT) == 0;
}

void
crowd_ask_new(int fd)
{
	static unsigned n;
	char name[32];

	snprintf(name, sizeof(name), "n%u.test", n++);
	crowd_ask(fd, name, 1);
}

bool
crowd_is_open(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	ck_assert_int_ge(poll(&p, 1, 0), 0);
	return p.revents == 0;
}

uint64_t
crowd_stat(const struct crowd *c, const char *name)
{
	const struct stats *one = c->sh->stats;
	struct stats_row rows[STATS_N];

	stats_sum(&one, 1, rows);
	for (size_t i = 0; i < STATS_N; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].value;
	ck_abort_msg("no counter %s", name);
}

size_t
crowd_read(int fd, size_t max)
{
	static uint8_t bytes[65536];
	size_t n = 0;

	while (n < max) {
		size_t want = max - n < sizeof(bytes) ? max - n : sizeof(bytes);
		ssize_t r = recv(fd, bytes, want, MSG_DONTWAIT);

		if (r <= 0)
			break;
		n += (size_t)r;
	}
	return n;
}
