/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "control/api.h"
#include "control/control_ctx.h"
#include "control/http.h"
#include "control/web.h"

#define LAST_TURNS 3 /* of the base at the end, in which answers leave */

struct control {
	struct control_ctx ctx;
	struct http_route routes[HTTP_ROUTES_MAX]; /* of the control socket */
	struct http *http;                         /* owned; NULL: there is no socket */
	struct http *web;                          /* owned; NULL: there is no web-listen */
};

const char *
control_path(const struct settings *s)
{
	if (strcmp(s->control_socket, "auto") == 0)
		return sockpath_usual();
	return s->control_socket[0] == '/' ? s->control_socket : NULL;
}

/* Serve SERVICE at the N sockets at FDS. NULL without memory. */
static struct http *
serve(struct control *c, const struct http_service *service, const int *fds, size_t n)
{
	struct http *h = http_new(c->ctx.host.base, service);

	for (size_t i = 0; h != NULL && i < n; i++) {
		if (!http_listen(h, fds[i])) {
			http_free(h);
			h = NULL;
		}
	}
	return h;
}

static bool
serve_all(struct control *c, const struct control_sockets *s)
{
	const struct http_service web = web_service(&c->ctx);
	const struct http_service control = { .routes = c->routes,
		.n = api_routes(c->routes),
		.body = HTTP_BODY,
		.life_s = HTTP_LIFE_S,
		.arg = &c->ctx };

	if (s->control >= 0) {
		c->http = serve(c, &control, &s->control, 1);
		if (c->http == NULL)
			return false;
	}
	if (s->n_web > 0) {
		c->web = serve(c, &web, s->web, s->n_web);
		if (c->web == NULL)
			return false;
	}
	return true;
}

/* What jansson frees is overwritten before: a request may have had a secret (control/api_cookie).
 */
static void
wiping_free(void *p)
{
	if (p != NULL)
		secret_wipe(p, malloc_usable_size(p));
	free(p);
}

static void
close_all(struct control *c)
{
	http_free(c->http);
	http_free(c->web);
	control_ctx_fini(&c->ctx);
	free(c);
}

struct control *
control_new(const struct host *host, const struct control_sockets *s)
{
	struct control *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	json_set_alloc_funcs(malloc, wiping_free);
	if (control_ctx_init(&c->ctx, host) && serve_all(c, s))
		return c;
	close_all(c);
	return NULL;
}

void
control_reload_begins(struct control *c)
{
	reloads_begin(&c->ctx.reloads);
}

void
control_reload_ends(struct control *c, enum verdict_reload result)
{
	c->ctx.host.reload = result;
	if (result != VERDICT_REFUSED)
		c->ctx.host.taken = time(NULL);
	reloads_end(&c->ctx.reloads, result);
	control_ctx_judge(&c->ctx);
}

void
control_reload_taken(struct control *c)
{
	if (c->ctx.host.reload != VERDICT_OVERDUE)
		return; /* another one was refused since, and that stays the last */
	c->ctx.host.reload = VERDICT_RELOADED;
	reloads_taken(&c->ctx.reloads);
	control_ctx_judge(&c->ctx);
}

void
control_lameduck(struct control *c, time_t end)
{
	if (c->ctx.host.lameduck == 0)
		c->ctx.host.lameduck = time(NULL);
	c->ctx.host.stops = end;
	control_ctx_judge(&c->ctx);
}

void
control_stops(struct control *c)
{
	c->ctx.host.stopping = true;
	c->ctx.host.stops = 0;
}

void
control_free(struct control *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < LAST_TURNS; i++) {
		control_ctx_refuse(&c->ctx);
		(void)event_base_loop(c->ctx.host.base, EVLOOP_NONBLOCK);
	}
	close_all(c);
}
