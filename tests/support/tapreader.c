/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/tapreader.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FRAME_MAX 70000
#define CONTENT "protobuf:dnstap.Dnstap"
#define STEP_MS 100

enum control { ACCEPT = 1, START = 2, STOP = 3, READY = 4, FINISH = 5 };

static bool
is_over(const struct tapreader *t, int ms)
{
	struct pollfd p = { .fd = t->end_fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

/* Read LEN bytes. False: the connection has ended, or it is over. */
static bool
read_all(const struct tapreader *t, int fd, void *to, size_t len)
{
	uint8_t *at = to;

	while (len > 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n = 0;

		if (poll(&p, 1, STEP_MS) > 0 && (n = read(fd, at, len)) <= 0)
			return false;
		if (is_over(t, 0))
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
read_u32(const struct tapreader *t, int fd, uint32_t *n)
{
	if (!read_all(t, fd, n, sizeof(*n)))
		return false;
	*n = ntohl(*n);
	return true;
}

/* Read the control frame that follows an empty length; it must be of KIND. */
static bool
read_control(const struct tapreader *t, int fd, enum control kind)
{
	uint8_t body[512];
	uint32_t len, got;

	if (!read_u32(t, fd, &len) || len < 4 || len > sizeof(body) || !read_all(t, fd, body, len))
		return false;
	memcpy(&got, body, 4);
	ck_assert_uint_eq(ntohl(got), kind);
	if (kind != STOP)
		ck_assert_ptr_nonnull(memmem(body, len, CONTENT, strlen(CONTENT)));
	return true;
}

static void
write_control(int fd, enum control kind, bool with_content)
{
	uint32_t head[5] = { 0, htonl(with_content ? 12 + (uint32_t)strlen(CONTENT) : 4),
		htonl((uint32_t)kind), htonl(1), htonl((uint32_t)strlen(CONTENT)) };

	(void)!write(fd, head, with_content ? 20 : 12);
	if (with_content)
		(void)!write(fd, CONTENT, strlen(CONTENT));
}

static void
keep(struct tapreader *t, const uint8_t *frame, uint32_t len)
{
	size_t at = atomic_load(&t->len);

	if (at + 4 + len <= TAPREADER_CAP) {
		memcpy(t->bytes + at, &len, 4);
		memcpy(t->bytes + at + 4, frame, len);
		atomic_store(&t->len, at + 4 + len);
	}
	atomic_fetch_add(&t->n, 1);
}

static void
read_stream(struct tapreader *t, int fd)
{
	static _Thread_local uint8_t frame[FRAME_MAX]; /* two may read at once */
	uint32_t len;

	if (t->manner == TAPREADER_DUMB) {
		(void)is_over(t, -1);
		return;
	}
	if (!read_u32(t, fd, &len) || len != 0 || !read_control(t, fd, READY))
		return;
	write_control(fd, ACCEPT, true);
	if (t->manner == TAPREADER_STUCK)
		(void)is_over(t, -1);
	if (!read_u32(t, fd, &len) || len != 0 || !read_control(t, fd, START))
		return;
	while (read_u32(t, fd, &len)) {
		if (len == 0) {
			if (read_control(t, fd, STOP)) {
				atomic_fetch_add(&t->n_ended, 1);
				write_control(fd, FINISH, false);
			}
			return;
		}
		ck_assert_uint_le(len, FRAME_MAX);
		if (!read_all(t, fd, frame, len))
			return;
		keep(t, frame, len);
	}
}

static void *
reader_main(void *arg)
{
	struct tapreader *t = arg;

	for (;;) {
		struct pollfd p[] = { { .fd = t->end_fd, .events = POLLIN },
			{ .fd = t->listen_fd, .events = POLLIN } };
		int fd;

		if (poll(p, 2, -1) <= 0 || p[0].revents != 0)
			return NULL;
		fd = accept(t->listen_fd, NULL, NULL);
		if (fd < 0)
			continue;
		atomic_fetch_add(&t->n_begun, 1);
		read_stream(t, fd);
		close(fd);
	}
}

void
tapreader_start(struct tapreader *t, const char *path, enum tapreader_manner manner)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	memset(t, 0, sizeof(*t));
	t->manner = manner;
	t->bytes = malloc(TAPREADER_CAP);
	ck_assert_ptr_nonnull(t->bytes);
	(void)unlink(path);
	strncpy(a.sun_path, path, sizeof(a.sun_path) - 1);
	t->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(t->listen_fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(listen(t->listen_fd, 8), 0);
	t->end_fd = eventfd(0, EFD_CLOEXEC);
	ck_assert_int_ge(t->end_fd, 0);
	ck_assert_int_eq(pthread_create(&t->id, NULL, reader_main, t), 0);
}

void
tapreader_end(struct tapreader *t)
{
	uint64_t one = 1;

	ck_assert_int_eq(write(t->end_fd, &one, sizeof(one)), sizeof(one));
	pthread_join(t->id, NULL);
	close(t->listen_fd);
	close(t->end_fd);
	free(t->bytes);
	t->bytes = NULL;
}

const uint8_t *
tapreader_frame(const struct tapreader *t, unsigned i, size_t *len)
{
	const uint8_t *at = t->bytes;
	uint32_t n;

	for (;; i--) {
		ck_assert(at < t->bytes + atomic_load(&t->len));
		memcpy(&n, at, 4);
		if (i == 0)
			break;
		at += 4 + n;
	}
	*len = n;
	return at + 4;
}
