/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/control_ctx.h"
#include "control/page.h"
#include "control/page_files.h"
#include "control/reply.h"
#include "control/state_json.h"
#include "figures/facts.h"
#include "figures/metric_text.h"
#include "figures/metrics.h"

static const char type_text[] = "text/plain; charset=utf-8";

static void
send_text(struct evhttp_request *r, int code, const char *text)
{
	reply_bytes(r, code, type_text, text, strlen(text));
}

static void
send_verdict(struct evhttp_request *r, int code, const struct verdict *v)
{
	char text[VERDICT_TEXT], line[VERDICT_TEXT + 1];

	(void)snprintf(line, sizeof(line), "%s\n", verdict_text(v, text));
	send_text(r, code, line);
}

/* Does the client of R take OpenMetrics? Who does not say so gets Prometheus' own format. */
static bool
takes_open_metrics(struct evhttp_request *r)
{
	const char *accept = evhttp_find_header(evhttp_request_get_input_headers(r), "Accept");

	return accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
}

/* Collect the facts for an answer to R; without memory R is answered with 500, and it is NULL. */
static struct facts *
facts_for(struct evhttp_request *r, struct control_ctx *d, const struct host_upstreams *v)
{
	struct facts *f = facts_new(&d->host, v);

	if (f == NULL)
		send_text(r, HTTP_INTERNAL, "no memory\n");
	return f;
}

static void
send_metrics(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	struct facts *f = facts_for(r, arg, v);
	struct evbuffer *out = evbuffer_new();
	bool open = takes_open_metrics(r);

	if (f != NULL && out != NULL)
		metrics_write(out, f, open);
	if (f != NULL)
		reply_buffer(r, HTTP_OK, metric_text_type(open), out);
	if (out != NULL)
		evbuffer_free(out);
	free(f);
}

void
pages_metrics(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, send_metrics);
}

void
pages_health(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	const struct verdict v = facts_verdict_now(&d->host, &d->ask.upstreams);

	/* What the loops told a moment ago: who asks this does not wait. Only a restart mends them.
	 */
	send_verdict(r, v.n_stuck == 0 ? HTTP_OK : HTTP_SERVUNAVAIL, &v);
}

static void
send_ready(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	struct facts *f = facts_for(r, arg, v);
	struct verdict verdict;

	if (f == NULL)
		return;
	verdict = facts_verdict(f);
	if (verdict.state == VERDICT_UNREADY)
		reply_error(r, HTTP_SERVUNAVAIL, verdict.reason, NULL);
	else
		send_verdict(r, HTTP_OK, &verdict);
	free(f);
}

void
pages_ready(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, send_ready);
}

static void
send_status(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	struct facts *f = facts_for(r, arg, v);

	if (f != NULL)
		reply_json(r, HTTP_OK, state_json(f));
	free(f);
}

void
pages_status(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, send_status);
}

/* --- The page --------------------------------------------------------------------------------- */

static void
send_page(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	struct facts *f = facts_for(r, arg, v);
	struct evbuffer *out = evbuffer_new();

	if (f != NULL && out != NULL)
		page_write(out, f);
	if (f != NULL)
		reply_buffer(r, HTTP_OK, "text/html; charset=utf-8", out);
	if (out != NULL)
		evbuffer_free(out);
	free(f);
}

void
pages_page(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, send_page);
}

void
pages_css(struct evhttp_request *r, void *arg)
{
	(void)arg;
	reply_bytes(r, HTTP_OK, "text/css; charset=utf-8", page_files_css, page_files_css_len);
}

void
pages_js(struct evhttp_request *r, void *arg)
{
	(void)arg;
	reply_bytes(r, HTTP_OK, "text/javascript; charset=utf-8", page_files_js, page_files_js_len);
}
