/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/websock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/netaddr.h"

#define BACKLOG 64

/* Bind FD to A and listen. Returns 0 or -errno. */
static int
serve_at(int fd, const struct netaddr *a, bool freebind)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(a, &ss);
	int one = 1, rc = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));

	if (rc == 0 && a->family == NETADDR_IPV6)
		rc = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (rc == 0 && freebind)
		rc = a->family == NETADDR_IPV6
		    ? setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one))
		    : setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one));
	if (rc == 0)
		rc = bind(fd, (const struct sockaddr *)&ss, len);
	if (rc == 0)
		rc = listen(fd, BACKLOG);
	return rc == 0 ? 0 : -errno;
}

/* Returns a descriptor, the caller's, or -errno. */
static int
open_one(const struct netaddr *a, bool freebind)
{
	int family = a->family == NETADDR_IPV6 ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	rc = serve_at(fd, a, freebind);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

bool
websock_open(struct websock *w, const struct settings *s)
{
	char text[NETADDR_TEXT];

	w->n = 0;
	w->memory_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	w->has_memory = w->memory_fd >= 0;
	w->fds_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->has_fds = w->fds_fd >= 0;
	for (size_t i = 0; i < s->web.n; i++) {
		int fd = open_one(&s->web.addr[i], s->conf.io.freebind);

		if (fd < 0) {
			log_error(LOG_SERVER, "web-listen %s: %s",
			    netaddr_format(&s->web.addr[i], text), strerror(-fd));
			websock_close(w);
			return false;
		}
		w->fd[w->n++] = fd;
	}
	return true;
}

void
websock_close(struct websock *w)
{
	while (w->n > 0)
		close(w->fd[--w->n]);
	if (w->has_memory)
		close(w->memory_fd);
	w->has_memory = false;
	if (w->has_fds)
		close(w->fds_fd);
	w->has_fds = false;
}
