/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/testsend.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* What the linker makes of sendmmsg, and the real one (ld --wrap). */
int __wrap_sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags);
int __real_sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags);

static atomic_bool of_connected;
static atomic_long to_skip;
static atomic_long to_refuse;
static atomic_int error;
static atomic_long n_refused;
static atomic_long n_calls;
static atomic_int refused_fd = -1; /* its next call fails */

static bool
is_connected(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	return getpeername(fd, (struct sockaddr *)&ss, &len) == 0;
}

static bool
refuses(int fd)
{
	if (to_refuse <= 0 || is_connected(fd) != of_connected)
		return false;
	if (atomic_fetch_sub(&to_skip, 1) > 0 || atomic_fetch_sub(&to_refuse, 1) <= 0)
		return false;
	atomic_fetch_add(&n_refused, 1);
	return true;
}

/* Is one of the N datagrams refused that are one message? */
static bool
refuses_any(int fd, size_t n)
{
	bool any = false;

	while (!any && n-- > 0)
		any = refuses(fd);
	return any;
}

int
__wrap_sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	unsigned i = 0;

	atomic_fetch_add(&n_calls, 1);
	if (refused_fd == fd) {
		refused_fd = -1;
		errno = error;
		return -1;
	}
	while (i < n && !refuses_any(fd, m[i].msg_hdr.msg_iovlen))
		i++;
	if (i == 0) {
		errno = error;
		return -1;
	}
	if (i < n)
		refused_fd = fd;
	return __real_sendmmsg(fd, m, i, flags);
}

void
testsend_refuse(bool connected, long skip, long times, int err)
{
	to_refuse = 0;
	of_connected = connected;
	to_skip = skip;
	error = err;
	n_refused = 0;
	to_refuse = times;
}

long
testsend_refused(void)
{
	return n_refused;
}

void
testsend_reset(void)
{
	to_refuse = 0;
	n_calls = 0;
}

long
testsend_calls(void)
{
	return n_calls;
}
