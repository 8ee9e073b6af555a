/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/dnstap_stream.h"

#ifdef HAVE_DNSTAP

#include <errno.h>
#include <fstrm.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

#define CONTENT "protobuf:dnstap.Dnstap"
#define GREET_MS 2000 /* for the reader to say that it takes the content */
#define PIECES 64     /* handed to the kernel at a time */

static void
give(struct dnstap_stream *s, uint64_t ms)
{
	if (!s->hurried)
		s->until_ns = clock_now_ns() + ms * NS_PER_MS;
}

void
dnstap_stream_patient(struct dnstap_stream *s)
{
	s->hurried = false;
}

/* Wait until EVENTS are there. False: it took too long. */
static bool
wait_for(struct dnstap_stream *s, short events)
{
	struct pollfd p[] = { { .fd = s->fd, .events = events },
		{ .fd = s->wake_fd, .events = POLLIN } };

	for (;;) {
		uint64_t now_ns = clock_now_ns();
		int n, ms = -1;

		if (now_ns >= s->until_ns)
			return false;
		if (s->until_ns != UINT64_MAX)
			ms = (int)((s->until_ns - now_ns) / NS_PER_MS) + 1;
		n = poll(p, s->hurried ? 1 : 2, ms);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0 && p[0].revents != 0)
			return true;
		if (n <= 0 || s->hurried || p[1].revents == 0)
			continue;
		give(s, DNSTAP_STREAM_HURRY_MS);
		s->hurried = true;
	}
}

/* --- The transport ---------------------------------------------------------------------------- */

static fstrm_res
fail(struct dnstap_stream *s)
{
	s->broken = true;
	return fstrm_res_failure;
}

/* The connection is opened before libfstrm has it, and closed after. */
static fstrm_res
do_nothing(void *arg)
{
	(void)arg;
	return fstrm_res_success;
}

static fstrm_res
on_read(void *arg, void *data, size_t len)
{
	struct dnstap_stream *s = arg;
	uint8_t *to = data;

	while (len > 0 && !s->broken) {
		ssize_t n = recv(s->fd, to, len, MSG_DONTWAIT);

		if (n > 0) {
			to += n;
			len -= (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !wait_for(s, POLLIN)) {
			return fail(s);
		}
	}
	return s->broken ? fstrm_res_failure : fstrm_res_success;
}

/* Copy up to PIECES of the N at IOV, without the first DONE bytes, to TO. Returns how many. */
static size_t
rest_of(const struct iovec *iov, int n, size_t done, struct iovec to[static PIECES])
{
	size_t n_to = 0;

	for (int i = 0; i < n && n_to < PIECES; i++) {
		if (done >= iov[i].iov_len) {
			done -= iov[i].iov_len;
			continue;
		}
		to[n_to++] = (struct iovec){ .iov_base = (uint8_t *)iov[i].iov_base + done,
			.iov_len = iov[i].iov_len - done };
		done = 0;
	}
	return n_to;
}

static fstrm_res
on_write(void *arg, const struct iovec *iov, int n)
{
	struct dnstap_stream *s = arg;
	struct iovec some[PIECES];
	struct msghdr h = { .msg_iov = some };
	size_t done = 0;

	while (!s->broken && (h.msg_iovlen = rest_of(iov, n, done, some)) > 0) {
		ssize_t sent = sendmsg(s->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent >= 0)
			done += (size_t)sent;
		else if ((errno != EAGAIN && errno != EINTR) || !wait_for(s, POLLOUT))
			return fail(s);
	}
	return s->broken ? fstrm_res_failure : fstrm_res_success;
}

/* --- The connection --------------------------------------------------------------------------- */

void
dnstap_stream_init(struct dnstap_stream *s, int wake_fd)
{
	*s = (struct dnstap_stream){ .fd = -1, .wake_fd = wake_fd, .until_ns = UINT64_MAX };
}

/* Returns a descriptor, or -errno. */
static int
reach(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int err, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return -errno;
	strncpy(a.sun_path, path, sizeof(a.sun_path) - 1);
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	err = errno;
	close(fd);
	if (err == ECONNREFUSED && stat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		err = ENOTSOCK;
	return -err;
}

/* A writer of ours over S; NULL without memory. */
static struct fstrm_writer *
make_writer(struct dnstap_stream *s)
{
	struct fstrm_writer_options *o = fstrm_writer_options_init();
	struct fstrm_rdwr *rdwr = fstrm_rdwr_init(s);
	struct fstrm_writer *w;

	fstrm_rdwr_set_open(rdwr, do_nothing);
	fstrm_rdwr_set_close(rdwr, do_nothing);
	fstrm_rdwr_set_read(rdwr, on_read);
	fstrm_rdwr_set_write(rdwr, on_write);
	(void)fstrm_writer_options_add_content_type(o, CONTENT, sizeof(CONTENT) - 1);
	w = fstrm_writer_init(o, &rdwr);
	fstrm_writer_options_destroy(&o);
	if (w == NULL && rdwr != NULL)
		(void)fstrm_rdwr_destroy(&rdwr);
	return w;
}

int
dnstap_stream_open(struct dnstap_stream *s, const char *path)
{
	int fd = reach(path);

	if (fd < 0)
		return fd;
	s->fd = fd;
	s->broken = false;
	give(s, GREET_MS);
	s->writer = make_writer(s);
	if (s->writer == NULL || fstrm_writer_open(s->writer) != fstrm_res_success) {
		int rc = s->writer == NULL ? -ENOMEM : -EPROTO;

		s->broken = true;
		dnstap_stream_close(s);
		return rc;
	}
	return 0;
}

bool
dnstap_stream_alive(const struct dnstap_stream *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	/* A reader says nothing but at the beginning and the end. */
	return s->writer != NULL && !s->broken && poll(&p, 1, 0) <= 0;
}

bool
dnstap_stream_write(struct dnstap_stream *s, const struct iovec *frames, int n)
{
	if (s->writer == NULL || s->broken)
		return false;
	if (!s->hurried)
		s->until_ns = UINT64_MAX;
	return fstrm_writer_writev(s->writer, frames, n) == fstrm_res_success && !s->broken;
}

void
dnstap_stream_close(struct dnstap_stream *s)
{
	if (s->writer != NULL) {
		give(s, DNSTAP_STREAM_HURRY_MS);
		(void)fstrm_writer_destroy(&s->writer);
	}
	s->writer = NULL;
	s->broken = false;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

#endif
