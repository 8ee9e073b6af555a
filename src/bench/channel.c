/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/wire.h"

#define LOOK_MS 50 /* between two checks whether to stop */
#define SLOW_NS (BENCH_CHANNEL_SLOW_S * NS_PER_SEC)

/* After so long the kernel asks whether the other side is still there, so often, then it is not. */
#define ALIVE_IDLE_S 5
#define ALIVE_EACH_S 2
#define ALIVE_TIMES 3

static void
set(int fd, int level, int option, int value)
{
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

void
bench_channel_init(struct bench_channel *c, int fd, size_t most)
{
	memset(c, 0, sizeof(*c));
	c->fd = fd;
	c->most = most;
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, ALIVE_IDLE_S);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, ALIVE_EACH_S);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, ALIVE_TIMES);
}

void
bench_channel_close(struct bench_channel *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
	free(c->text);
	c->text = NULL;
	c->have = 0;
}

char *
bench_channel_plain(char *text)
{
	for (char *at = text; *at != '\0'; at++) {
		if (*at < ' ' || *at > '~')
			*at = '?';
	}
	return text;
}

bool
bench_channel_fail(struct bench_channel *c, const char *format, ...)
{
	va_list ap;

	if (c->error[0] == '\0') {
		va_start(ap, format);
		(void)vsnprintf(c->error, sizeof(c->error), format, ap);
		va_end(ap);
		(void)bench_channel_plain(c->error);
	}
	bench_channel_close(c);
	return false;
}

/* --- Sending ---------------------------------------------------------------------------------- */

static bool
send_all(struct bench_channel *c, const char *bytes, size_t len)
{
	uint64_t until_ns = clock_now_ns() + SLOW_NS;
	struct pollfd p = { .fd = c->fd, .events = POLLOUT };

	while (len > 0) {
		ssize_t n = send(c->fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return bench_channel_fail(
			    c, "the connection was lost: %s", strerror(errno));
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (clock_now_ns() > until_ns) {
			return bench_channel_fail(
			    c, "nothing was read for %d s", BENCH_CHANNEL_SLOW_S);
		} else {
			(void)poll(&p, 1, LOOK_MS);
		}
	}
	return true;
}

bool
bench_channel_send(struct bench_channel *c, json_t *message)
{
	size_t len = message != NULL ? json_dumpb(message, NULL, 0, JSON_COMPACT) : 0;
	char *bytes = len > 0 && len <= UINT32_MAX ? malloc(len + sizeof(c->head)) : NULL;
	bool sent = false;

	if (bytes == NULL) {
		(void)bench_channel_fail(c, "no memory for a message");
	} else if (c->fd >= 0) {
		wire_set_u32((uint8_t *)bytes, (uint32_t)len);
		(void)json_dumpb(message, bytes + sizeof(c->head), len, JSON_COMPACT);
		sent = send_all(c, bytes, len + sizeof(c->head));
	}
	free(bytes);
	json_decref(message);
	return sent;
}

/* --- Receiving -------------------------------------------------------------------------------- */

/* Read up to LEN bytes in all to TO, which has c->have. True: all are there. */
static bool
fill(struct bench_channel *c, uint8_t *to, size_t len)
{
	while (c->have < len) {
		ssize_t n = recv(c->fd, to + c->have, len - c->have, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0)
			return bench_channel_fail(
			    c, "the connection was lost: %s", strerror(errno));
		if (n == 0)
			return bench_channel_fail(c, "the connection was closed");
		if (c->have == 0 && c->text == NULL)
			c->since_ns = clock_now_ns();
		c->have += (size_t)n;
	}
	return true;
}

/* Make room for the text that the head tells of. */
static bool
begin_text(struct bench_channel *c)
{
	c->len = wire_u32(c->head);
	if (c->len == 0 || c->len > c->most)
		return bench_channel_fail(
		    c, "a message of %zu bytes, more than %zu or none", c->len, c->most);
	c->text = malloc(c->len);
	c->have = 0;
	return c->text != NULL || bench_channel_fail(c, "no memory for a message");
}

static json_t *
end_text(struct bench_channel *c)
{
	json_t *message = json_loadb((const char *)c->text, c->len, JSON_REJECT_DUPLICATES, NULL);

	free(c->text);
	c->text = NULL;
	c->have = 0;
	if (json_is_object(message))
		return message;
	json_decref(message);
	(void)bench_channel_fail(c, "a message that is no object of JSON");
	return NULL;
}

json_t *
bench_channel_take(struct bench_channel *c)
{
	bool whole;

	if (c->fd < 0)
		return NULL;
	whole = c->text != NULL || (fill(c, c->head, sizeof(c->head)) && begin_text(c));
	whole = whole && fill(c, c->text, c->len);
	if (whole)
		return end_text(c);
	if (c->fd >= 0 && (c->have > 0 || c->text != NULL) &&
	    clock_now_ns() - c->since_ns > SLOW_NS)
		(void)bench_channel_fail(
		    c, "the rest of a message did not come in %d s", BENCH_CHANNEL_SLOW_S);
	return NULL;
}

json_t *
bench_channel_wait(struct bench_channel *c, double seconds, const atomic_bool *stop)
{
	uint64_t until_ns = clock_now_ns() + (uint64_t)(seconds * (double)NS_PER_SEC);

	for (;;) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		json_t *message = bench_channel_take(c);

		if (message != NULL || c->fd < 0)
			return message;
		if (*stop)
			(void)bench_channel_fail(c, "it was interrupted");
		else if (clock_now_ns() >= until_ns)
			(void)bench_channel_fail(c, "no answer for %g s", seconds);
		else
			(void)poll(&p, 1, LOOK_MS);
	}
}
