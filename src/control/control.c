/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "control/api.h"
#include "control/api_explain.h"
#include "control/desk.h"
#include "control/http.h"
#include "control/web.h"

#define LAST_TURNS 3 /* of the base at the end, in which answers leave */

struct control {
	struct desk desk;
	struct http *http; /* owned; NULL: there is no socket */
	struct http *web;  /* owned; NULL: there is no web-listen */
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
	struct http *h = http_new(c->desk.host.base, service);

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
	const struct http_service web = web_service(&c->desk);
	struct http_service control = { .body = HTTP_BODY, .life_s = HTTP_LIFE_S, .arg = &c->desk };

	control.routes = api_routes(&control.n);
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
on_views(void *arg)
{
	desk_judge(arg);
}

struct control *
control_new(const struct host *host, const struct control_sockets *s)
{
	struct control *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->desk.host = *host;
	c->desk.host.taken = host->started;
	json_set_alloc_funcs(malloc, wiping_free);
	if (ask_init(&c->desk.ask, &c->desk.host) &&
	    inquiry_init(&c->desk.inquiry, &c->desk.host, api_explain_answer, &c->desk) &&
	    changes_init(&c->desk.changes, &c->desk.host) &&
	    surveys_init(&c->desk.surveys, &c->desk.host) &&
	    ask_watch(&c->desk.ask, on_views, &c->desk) && serve_all(c, s))
		return c;
	http_free(c->http);
	http_free(c->web);
	inquiry_fini(&c->desk.inquiry);
	ask_fini(&c->desk.ask);
	changes_fini(&c->desk.changes);
	surveys_fini(&c->desk.surveys);
	free(c);
	return NULL;
}

void
control_reload_begins(struct control *c)
{
	reloads_begin(&c->desk.reloads);
}

void
control_reload_ends(struct control *c, enum verdict_reload result)
{
	c->desk.host.reload = result;
	if (result != VERDICT_REFUSED)
		c->desk.host.taken = time(NULL);
	reloads_end(&c->desk.reloads, result);
	desk_judge(&c->desk);
}

void
control_reload_taken(struct control *c)
{
	if (c->desk.host.reload != VERDICT_OVERDUE)
		return; /* another one was refused since, and that stays the last */
	c->desk.host.reload = VERDICT_RELOADED;
	reloads_taken(&c->desk.reloads);
	desk_judge(&c->desk);
}

void
control_stops(struct control *c)
{
	c->desk.host.stopping = true;
}

void
control_free(struct control *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < LAST_TURNS; i++) {
		reloads_refuse(&c->desk.reloads);
		changes_refuse(&c->desk.changes);
		ask_refuse(&c->desk.ask);
		inquiry_refuse(&c->desk.inquiry);
		surveys_refuse(&c->desk.surveys);
		(void)event_base_loop(c->desk.host.base, EVLOOP_NONBLOCK);
	}
	http_free(c->http);
	http_free(c->web);
	inquiry_fini(&c->desk.inquiry);
	ask_fini(&c->desk.ask);
	changes_fini(&c->desk.changes);
	surveys_fini(&c->desk.surveys);
	reloads_fini(&c->desk.reloads);
	free(c);
}
