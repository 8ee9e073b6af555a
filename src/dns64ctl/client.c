/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"
#include "base/secret.h"

static int
connect_to(const char *path)
{
	const struct timeval wait = { .tv_sec = CLIENT_S };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) != 0 ||
	    connect(fd, (const struct sockaddr *)&a, sizeof(a)) != 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fd;
}

static int
send_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int
send_request(int fd, const struct client_request *r)
{
	const char *body = r->body != NULL ? r->body : "";
	char *text;
	int n = asprintf(&text,
	    "%s %s HTTP/1.1\r\nHost: dns64d\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
	    r->method, r->path, strlen(body), body);
	int rc;

	if (n < 0)
		return -ENOMEM;
	rc = send_all(fd, text, (size_t)n);
	secret_wipe(text, (size_t)n); /* the body may be one */
	free(text);
	return rc;
}

/* Read up to the end of the connection; *LEN bytes and a zero at *TEXT, which is the caller's. */
static int
read_all(int fd, char **text, size_t *len)
{
	size_t cap = 65536;

	*text = malloc(cap + 1);
	*len = 0;
	while (*text != NULL) {
		ssize_t n = recv(fd, *text + *len, cap - *len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
		(*text)[*len] = '\0';
		if (n == 0)
			return 0;
		if (*len < cap)
			continue;
		if (cap >= CLIENT_MAX)
			return -EPROTO;
		cap *= 2;
		char *more = realloc(*text, cap + 1);
		if (more == NULL)
			return -ENOMEM;
		*text = more;
	}
	return -ENOMEM;
}

/* Find code and body in the LEN bytes of out->text. */
static bool
parse(struct client_answer *out, size_t len)
{
	static const char version[] = "HTTP/1.1 ";
	char *end = strstr(out->text, "\r\n\r\n");
	uint64_t code;

	if (end == NULL || strncmp(out->text, version, sizeof(version) - 1) != 0 ||
	    number_prefix(out->text + sizeof(version) - 1, 3, 999, &code) != 3)
		return false;
	out->code = (int)code;
	out->body = end + 4;
	out->len = len - (size_t)(out->body - out->text);
	return true;
}

int
client_ask(const char *path, const struct client_request *r, struct client_answer *out)
{
	int fd = connect_to(path), rc;
	size_t len = 0;

	*out = (struct client_answer){ .code = 0 };
	if (fd < 0)
		return fd;
	rc = send_request(fd, r);
	/* Who refuses a request may not read all of it, but answers. */
	if (rc == 0 || rc == -EPIPE)
		rc = read_all(fd, &out->text, &len);
	close(fd);
	if (rc == 0 && !parse(out, len))
		rc = -EPROTO;
	if (rc != 0) {
		free(out->text);
		out->text = NULL;
	}
	return rc;
}
