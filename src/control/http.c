/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/http.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/reply.h"

#define SWEEP_MS 250 /* how often connections that have ended are looked for */
#define ERROR_REST_MS 10
#define FULL_SWEEP_MS 10 /* the same while others wait for room */

/* A connection, until it is seen to have ended. */
struct slot {
	struct bufferevent *bev; /* one reference, besides libevent's; NULL: free */
	uint64_t since_ns;       /* accepted; from asked on: had its request */
	bool asked;              /* the request came as a whole */
	bool overfull;           /* more is there than any request has */
	bool fresh;              /* evhttp may still fail to take it, and closes the socket then */
	struct http *http;       /* whose it is */
};

struct http {
	struct event_base *base; /* borrowed */
	struct evhttp *server;
	struct http_service service;
	struct event *sweeper;
	struct event *settler; /* runs when evhttp has taken what was accepted */
	struct slot slots[HTTP_CONNECTIONS];
	unsigned n_open;
	struct evconnlistener *listeners[HTTP_LISTENERS]; /* of the server */
	size_t n_listeners;
	bool full; /* the listeners do not accept */
};

/* --- Connections ------------------------------------------------------------------------------ */

/*
 * Has libevent closed its side? It has no hook for that (one comes with 2.2), but takes its
 * callbacks away.
 */
static bool
has_ended(struct bufferevent *bev)
{
	bufferevent_event_cb on_event;

	bufferevent_getcb(bev, NULL, NULL, &on_event, NULL);
	return on_event == NULL;
}

static void
set_full(struct http *h, bool full)
{
	if (h->full == full)
		return;
	h->full = full;
	for (size_t i = 0; i < h->n_listeners; i++)
		(void)(full ? evconnlistener_disable(h->listeners[i])
			    : evconnlistener_enable(h->listeners[i]));
}

static void
schedule(struct http *h)
{
	const struct timeval wait = { .tv_usec = (h->full ? FULL_SWEEP_MS : SWEEP_MS) * 1000 };

	if (h->n_open > 0)
		(void)event_add(h->sweeper, &wait);
}

/* May who is connected by BEV ask? */
static bool
may_ask(const struct http *h, struct bufferevent *bev)
{
	struct sockaddr_storage ss;
	struct netaddr peer;
	socklen_t len = sizeof(ss);

	if (h->service.admit == NULL)
		return true;
	if (getpeername(bufferevent_getfd(bev), (struct sockaddr *)&ss, &len) != 0 ||
	    !netaddr_from_sockaddr((const struct sockaddr *)&ss, &peer))
		peer.family = NETADDR_NONE;
	return h->service.admit(&peer, h->service.arg);
}

/*
 * Is R for a name of ours? By another name a page that a browser has from elsewhere could read the
 * answers, once its name leads here (DNS rebinding). A program may leave the name out.
 */
static bool
is_for_us(const struct http *h, struct evhttp_request *r)
{
	const char *host = h->service.known != NULL ? evhttp_request_get_host(r) : NULL;

	return host == NULL || h->service.known(host, h->service.arg);
}

/* When S is closed, whatever happens. */
static uint64_t
end_of(const struct http *h, const struct slot *s)
{
	/* Who is being told so is told. */
	if (s->overfull && evbuffer_get_length(bufferevent_get_output(s->bev)) == 0)
		return 0;
	if (s->asked)
		return s->since_ns + h->service.life_s * NS_PER_SEC;
	if (h->full && !may_ask(h, s->bev))
		return 0;
	return s->since_ns + (h->full ? HTTP_HURRY_MS * NS_PER_MS : HTTP_IDLE_S * NS_PER_SEC);
}

/*
 * Drop our reference to S, which has ended: that closes the socket. But not if evhttp could not
 * make a connection of it: it has closed the socket itself, whose number may be another thread's by
 * now. One that it made, and freed for lack of memory, it leaves to us; of that it had switched
 * writing off.
 */
static void
forget(struct http *h, struct slot *s)
{
	if (s->fresh && (bufferevent_get_enabled(s->bev) & EV_WRITE) != 0)
		(void)bufferevent_setfd(s->bev, -1);
	(void)bufferevent_decref(s->bev);
	s->bev = NULL;
	h->n_open--;
}

/* End connections that last too long, and forget those that have ended. */
static void
sweep(struct http *h, uint64_t now_ns)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		struct slot *s = &h->slots[i];

		if (s->bev == NULL)
			continue;
		/* libevent ends it at once, also if it does not look at the socket now. */
		if (!s->fresh && !has_ended(s->bev) && now_ns >= end_of(h, s))
			bufferevent_trigger_event(s->bev, BEV_EVENT_TIMEOUT | BEV_EVENT_READING, 0);
		if (has_ended(s->bev))
			forget(h, s);
	}
	set_full(h, h->n_open == HTTP_CONNECTIONS);
}

/* The callback that accepts has returned, and no other had a turn: what has ended was not taken. */
static void
on_settle(evutil_socket_t fd, short what, void *arg)
{
	struct http *h = arg;

	(void)fd;
	(void)what;
	sweep(h, clock_now_ns());
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++)
		h->slots[i].fresh = false;
}

static void
on_sweep(evutil_socket_t fd, short what, void *arg)
{
	struct http *h = arg;

	(void)fd;
	(void)what;
	sweep(h, clock_now_ns());
	schedule(h);
}

/*
 * Some bytes came or were taken. libevent would keep a chunk's first line of any length, and look
 * at all of it again with each part that comes. (At a high watermark it would never rest.)
 */
static void
on_input(struct evbuffer *in, const struct evbuffer_cb_info *info, void *arg)
{
	struct slot *s = arg;

	(void)info;
	if (s->bev == NULL || bufferevent_get_input(s->bev) != in || s->overfull ||
	    evbuffer_get_length(in) <= 2 * HTTP_HEADER + s->http->service.body)
		return;
	s->overfull = true;
	event_active(s->http->sweeper, EV_TIMEOUT, 1);
}

/*
 * libevent has accepted a connection, and asks for what it is to be read and written by. The socket
 * is closed with the last reference, ours: closed by evhttp before, its number would be another
 * thread's while the event is still registered.
 */
static struct bufferevent *
on_accept(struct event_base *base, void *arg)
{
	struct http *h = arg;
	struct bufferevent *bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
	uint64_t now_ns = clock_now_ns();

	if (bev == NULL)
		return NULL;
	sweep(h, now_ns);
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		if (h->slots[i].bev != NULL)
			continue;
		bufferevent_incref(bev);
		h->slots[i] =
		    (struct slot){ .bev = bev, .since_ns = now_ns, .fresh = true, .http = h };
		event_active(h->settler, EV_TIMEOUT, 1);
		if (evbuffer_add_cb(bufferevent_get_input(bev), on_input, &h->slots[i]) == NULL)
			h->slots[i].overfull = true;
		h->n_open++;
		break;
	}
	set_full(h, h->n_open == HTTP_CONNECTIONS);
	schedule(h);
	return bev;
}

/*
 * A connection cannot be accepted, for lack of descriptors or memory. It stays in the queue, so the
 * base would come back at once, again and again. The listener cannot be told from here when to go
 * on, as what libevent passes is its own; so this thread rests for a moment.
 */
static void
on_accept_error(struct evconnlistener *l, void *arg)
{
	(void)l;
	(void)arg;
	(void)poll(NULL, 0, ERROR_REST_MS);
}

/* --- Requests --------------------------------------------------------------------------------- */

/* The bits of what is allowed where METHODS are. */
static unsigned
with_head(unsigned methods)
{
	return (methods & EVHTTP_REQ_GET) != 0 ? methods | EVHTTP_REQ_HEAD : methods;
}

static void
refuse_path(const struct http *h, struct evhttp_request *r)
{
	const char *allowed[HTTP_ROUTES_MAX + 1] = { NULL };

	for (size_t i = 0; i < h->service.n; i++)
		allowed[i] = h->service.routes[i].path;
	reply_error(r, HTTP_NOTFOUND, "there is no such path", allowed);
}

static void
refuse_method(struct evhttp_request *r, unsigned methods)
{
	const char *allowed[4] = { NULL };
	char list[32] = ""; /* all three at most */
	size_t n = 0;

	if ((methods & EVHTTP_REQ_GET) != 0)
		allowed[n++] = "GET";
	if ((methods & EVHTTP_REQ_HEAD) != 0)
		allowed[n++] = "HEAD";
	if ((methods & EVHTTP_REQ_POST) != 0)
		allowed[n++] = "POST";
	for (size_t i = 0; i < n; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
		    i > 0 ? ", " : "", allowed[i]);
	(void)evhttp_add_header(evhttp_request_get_output_headers(r), "Allow", list);
	reply_error(r, HTTP_BADMETHOD, "this path does not have this method", allowed);
}

/* The request R is there; what follows is ours to do in time. */
static void
note_request(struct http *h, struct evhttp_request *r)
{
	const struct bufferevent *bev =
	    evhttp_connection_get_bufferevent(evhttp_request_get_connection(r));

	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		if (h->slots[i].bev != bev)
			continue;
		h->slots[i].asked = true;
		h->slots[i].since_ns = clock_now_ns();
	}
}

/* Log R for PATH, at level debug; not what is behind the ?, as a secret may have got there. */
static void
tell_request(struct evhttp_request *r, const char *path)
{
	unsigned method = (unsigned)evhttp_request_get_command(r);

	log_debug(LOG_CONTROL, "asked for: %s %s",
	    method == EVHTTP_REQ_GET        ? "GET"
		: method == EVHTTP_REQ_HEAD ? "HEAD"
		: method == EVHTTP_REQ_POST ? "POST"
					    : "(another method)",
	    path != NULL ? path : "(no path)");
}

static void
on_request(struct evhttp_request *r, void *arg)
{
	struct http *h = arg;
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(r);
	const char *path = uri != NULL ? evhttp_uri_get_path(uri) : NULL;
	unsigned method = (unsigned)evhttp_request_get_command(r);

	note_request(h, r);
	if (log_debugs(LOG_CONTROL))
		tell_request(r, path);
	if (!may_ask(h, evhttp_connection_get_bufferevent(evhttp_request_get_connection(r)))) {
		reply_error(r, REPLY_FORBIDDEN, "this address may not look here", NULL);
		return;
	}
	if (!is_for_us(h, r)) {
		reply_error(r, REPLY_MISDIRECTED,
		    "the name in this URL is none of this server's; use its address, or see "
		    "web-name in dns64d.conf(5)",
		    NULL);
		return;
	}
	for (size_t i = 0; path != NULL && i < h->service.n; i++) {
		if (strcmp(h->service.routes[i].path, path) != 0)
			continue;
		if ((with_head(h->service.routes[i].methods) & method) != 0)
			h->service.routes[i].handle(r, h->service.arg);
		else
			refuse_method(r, with_head(h->service.routes[i].methods));
		return;
	}
	refuse_path(h, r);
}

/* --- The server ------------------------------------------------------------------------------- */

struct http *
http_new(struct event_base *base, const struct http_service *service)
{
	struct http *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->base = base;
	h->service = *service;
	h->server = evhttp_new(base);
	h->sweeper = evtimer_new(base, on_sweep, h);
	h->settler = evtimer_new(base, on_settle, h);
	if (h->server == NULL || h->sweeper == NULL || h->settler == NULL) {
		http_free(h);
		return NULL;
	}
	evhttp_set_max_headers_size(h->server, HTTP_HEADER);
	evhttp_set_max_body_size(h->server, (ev_ssize_t)service->body);
	evhttp_set_timeout(h->server, HTTP_IDLE_S);
	/* All that libevent knows, so that it is we who refuse. */
	evhttp_set_allowed_methods(h->server, UINT16_MAX);
	evhttp_set_bevcb(h->server, on_accept, h);
	evhttp_set_gencb(h->server, on_request, h);
	return h;
}

bool
http_listen(struct http *h, evutil_socket_t fd)
{
	struct evconnlistener *l;

	if (h->n_listeners == HTTP_LISTENERS)
		return false;
	l = evconnlistener_new(h->base, NULL, NULL, LEV_OPT_CLOSE_ON_EXEC, 0, fd);
	if (l == NULL)
		return false;
	if (evhttp_bind_listener(h->server, l) == NULL) {
		evconnlistener_free(l);
		return false;
	}
	evconnlistener_set_error_cb(l, on_accept_error);
	h->listeners[h->n_listeners++] = l;
	return true;
}

const struct http_route *
http_routes(const struct http *h, size_t *n)
{
	*n = h->service.n;
	return h->service.routes;
}

unsigned
http_open(const struct http *h)
{
	return h->n_open;
}

void
http_free(struct http *h)
{
	if (h == NULL)
		return;
	if (h->server != NULL)
		evhttp_free(h->server); /* and the listeners */
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		if (h->slots[i].bev != NULL)
			(void)bufferevent_decref(h->slots[i].bev);
	}
	if (h->sweeper != NULL)
		event_free(h->sweeper);
	if (h->settler != NULL)
		event_free(h->settler);
	free(h);
}
