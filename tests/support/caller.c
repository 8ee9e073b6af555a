/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/caller.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/evbase.h"

#define WAIT_MS 10000

void
caller_open(struct caller *c)
{
	const struct sockpath_owner me = { .uid = geteuid(), .gid = getegid() };
	char path[SCRATCH_PATH + 8];

	*c = (struct caller){ .base = evbase_new() };
	ck_assert_ptr_nonnull(c->base);
	scratch_dir(c->dir);
	snprintf(path, sizeof(path), "%s/s", c->dir);
	ck_assert_int_eq(sockpath_open(&c->sock, path, &me), 0);
}

int
caller_connect(const struct caller *c)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", c->sock.path);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

void
caller_turn(const struct caller *c, unsigned ms)
{
	for (unsigned i = 0; i <= ms; i++) {
		ck_assert_int_ge(event_base_loop(c->base, EVLOOP_NONBLOCK), 0);
		if (i < ms)
			(void)poll(NULL, 0, 1);
	}
}

static void
parse(struct caller *c)
{
	const char *body = strstr(c->text, "\r\n\r\n");

	c->code = strncmp(c->text, "HTTP/1.1 ", 9) == 0 ? (int)strtol(c->text + 9, NULL, 10) : 0;
	json_decref(c->json);
	c->json = body == NULL ? NULL : json_loads(body + 4, 0, NULL);
}

int
caller_wait(struct caller *c, int fd)
{
	size_t len = 0;
	bool over = false;

	for (unsigned ms = 0; ms < WAIT_MS && !over; ms++) {
		ssize_t n = recv(fd, c->text + len, sizeof(c->text) - 1 - len, 0);

		if (n > 0)
			len += (size_t)n;
		over = n == 0 || (n < 0 && errno != EAGAIN);
		if (n < 0 && !over)
			caller_turn(c, 1);
	}
	close(fd);
	ck_assert(over);
	c->text[len] = '\0';
	parse(c);
	return c->code;
}

int
caller_send(struct caller *c, const void *raw, size_t len)
{
	const char *at = raw;
	int fd = caller_connect(c);

	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			break; /* the server has had enough */
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		caller_turn(c, 0);
	}
	return caller_wait(c, fd);
}

int
caller_ask(struct caller *c, const char *method, const char *path, const char *body)
{
	char raw[8192];
	int n =
	    snprintf(raw, sizeof(raw), "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
		method, path, body == NULL ? 0 : strlen(body), body == NULL ? "" : body);

	ck_assert_int_lt(n, (int)sizeof(raw));
	return caller_send(c, raw, (size_t)n);
}

const char *
caller_text(const struct caller *c, const char *key)
{
	const char *text = json_string_value(json_object_get(c->json, key));

	return text == NULL ? "" : text;
}

void
caller_close(struct caller *c)
{
	sockpath_close(&c->sock);
	ck_assert_int_eq(rmdir(c->dir), 0);
	json_decref(c->json);
	event_base_free(c->base);
}
