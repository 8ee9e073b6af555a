/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_HTTP_H
#define DNS64D_CONTROL_HTTP_H

/*
 * http: an HTTP/1.1 server on the main thread (libevent's evhttp), over any listening sockets, with
 * limits, and with a table of its paths.
 *
 * A connection serves one request and is closed. A request has 4 kB of header and as much of a body
 * as the service permits, and is there as a whole within HTTP_IDLE_S seconds; the answer has to be
 * taken before the connection's life ends, and none of the time stands still as long. At
 * HTTP_CONNECTIONS at a time others wait in the kernel's queue, and those who have not asked yet
 * give way after HTTP_HURRY_MS, and at once if they may not ask: who is idle keeps nobody out.
 *
 * What libevent itself refuses (a header that is too long or no HTTP) gets a short page of its own,
 * all else an answer by reply_error.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define HTTP_CONNECTIONS 64
#define HTTP_HEADER 4096 /* bytes of a request's line and header */
#define HTTP_BODY 65536  /* bytes of a request's body */
#define HTTP_IDLE_S 5
#define HTTP_HURRY_MS 1000
#define HTTP_LIFE_S 30     /* of an answer that may change something */
#define HTTP_LISTENERS 18  /* sockets of one server */
#define HTTP_ROUTES_MAX 64 /* paths of one server */

/*
 * A handler answers R, which is libevent's, at once or later, by a function of control/reply. An
 * answer later is allowed whatever became of the connection. ARG: that of http_new.
 */
typedef void http_handler(struct evhttp_request *r, void *arg);

/* A path of the server. */
struct http_route {
	const char *path; /* the whole of it */
	unsigned methods; /* bits: EVHTTP_REQ_GET, EVHTTP_REQ_POST; HEAD goes with GET */
	http_handler *handle;
	const char *help; /* one line */
};

struct http;

/*
 * http_admit: may the client at PEER ask anything at all? ARG: that of http_new. The family of PEER
 * is NETADDR_NONE if it has no IP address.
 */
typedef bool http_admit(const struct netaddr *peer, void *arg);

/*
 * http_known: is HOST, without the port, a name or an address of this server? ARG: that of
 * http_new.
 */
typedef bool http_known(const char *host, void *arg);

/* What a server has. All pointers are borrowed. */
struct http_service {
	const struct http_route *routes;
	size_t n;
	size_t body;       /* bytes of a request's body at most */
	unsigned life_s;   /* of an answer, at most, once it was asked for */
	http_admit *admit; /* NULL: all may ask */
	http_known *known; /* NULL: by any name */
	void *arg;         /* for these functions */
};

/* http_new: a server on BASE for S, which is copied. NULL without memory. */
MUST_USE struct http *http_new(struct event_base *base, const struct http_service *s);

/*
 * http_listen: serve at FD too, a listening socket, which is borrowed until http_free. False
 * without memory.
 */
MUST_USE bool http_listen(struct http *h, evutil_socket_t fd);

/* http_routes: the table of H; *N: its length. */
const struct http_route *http_routes(const struct http *h, size_t *n);

/* http_open: how many connections are open. */
MUST_USE unsigned http_open(const struct http *h);

/*
 * http_free: close all sockets and connections, and free H, which may be NULL. Requests without an
 * answer are gone and must not be answered any more.
 */
void http_free(struct http *h);

#endif
