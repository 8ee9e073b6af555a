/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/api.h"
#include "control/desk.h"
#include "control/http.h"

#define LAST_TURNS 3 /* of the base at the end, in which answers leave */

struct control {
	struct desk desk;
	struct http *http; /* owned; NULL: there is no socket */
};

const char *
control_path(const struct settings *s)
{
	if (strcmp(s->control_socket, "auto") == 0)
		return sockpath_usual();
	return s->control_socket[0] == '/' ? s->control_socket : NULL;
}

struct control *
control_new(const struct host *host, int fd)
{
	struct control *c = calloc(1, sizeof(*c));
	const struct http_route *routes;
	size_t n;

	if (c == NULL)
		return NULL;
	c->desk.host = *host;
	if (fd < 0)
		return c;
	routes = api_routes(&n);
	c->http = http_new(host->base, routes, n, HTTP_BODY, &c->desk);
	if (c->http != NULL && ask_init(&c->desk.ask, &c->desk.host) && http_listen(c->http, fd))
		return c;
	http_free(c->http);
	ask_fini(&c->desk.ask);
	free(c);
	return NULL;
}

void
control_reload_begins(struct control *c)
{
	reloads_begin(&c->desk.reloads);
}

void
control_reload_ends(struct control *c, bool ok)
{
	reloads_end(&c->desk.reloads, ok);
}

void
control_free(struct control *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < LAST_TURNS; i++)
		(void)event_base_loop(c->desk.host.base, EVLOOP_NONBLOCK);
	http_free(c->http);
	ask_fini(&c->desk.ask);
	reloads_fini(&c->desk.reloads);
	free(c);
}
