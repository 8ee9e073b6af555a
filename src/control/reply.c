/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/reply.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char type_json[] = "application/json";

void
reply_buffer(struct evhttp_request *r, int code, const char *type, struct evbuffer *out)
{
	/* A page is only of use by itself: nothing from elsewhere, and not within another one. */
	static const char *const always[][2] = { { "Cache-Control", "no-store" },
		{ "X-Content-Type-Options", "nosniff" }, { "X-Frame-Options", "DENY" },
		{ "Content-Security-Policy",
		    "default-src 'self'; base-uri 'none'; form-action 'none'; "
		    "frame-ancestors 'none'" },
		{ "Referrer-Policy", "no-referrer" }, { "Connection", "close" } };
	struct evkeyvalq *headers = evhttp_request_get_output_headers(r);
	size_t len = out == NULL ? 0 : evbuffer_get_length(out);
	char number[24];

	snprintf(number, sizeof(number), "%zu", len);
	(void)evhttp_add_header(headers, "Content-Length", number);
	(void)evhttp_add_header(headers, "Content-Type", type);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		(void)evhttp_add_header(headers, always[i][0], always[i][1]);
	/* libevent would send it along. */
	if (out != NULL && evhttp_request_get_command(r) == EVHTTP_REQ_HEAD)
		(void)evbuffer_drain(out, len);
	evhttp_send_reply(r, code, NULL, out);
}

void
reply_bytes(struct evhttp_request *r, int code, const char *type, const void *body, size_t len)
{
	struct evbuffer *out = evbuffer_new();

	if (out != NULL)
		(void)evbuffer_add(out, body, len);
	reply_buffer(r, code, type, out);
	if (out != NULL)
		evbuffer_free(out);
}

void
reply_json(struct evhttp_request *r, int code, json_t *j)
{
	static const char no_memory[] = "{\"error\": \"no memory\"}\n";
	char *text = j == NULL ? NULL : json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	size_t len = text == NULL ? 0 : strlen(text);

	json_decref(j);
	if (text == NULL) {
		reply_bytes(r, HTTP_INTERNAL, type_json, no_memory, sizeof(no_memory) - 1);
		return;
	}
	text[len] = '\n'; /* in place of the final zero */
	reply_bytes(r, code, type_json, text, len + 1);
	free(text);
}

json_t *
reply_text(const char *text)
{
	json_t *j = json_string(text);
	char *copy = j != NULL ? NULL : strdup(text);

	for (char *c = copy; c != NULL && *c != '\0'; c++)
		*c = (unsigned char)*c < 0x80 ? *c : '?';
	if (copy != NULL)
		j = json_string(copy);
	free(copy);
	return j;
}

void
reply_error(struct evhttp_request *r, int code, const char *text, const char *const *allowed)
{
	json_t *j = json_pack("{s:o}", "error", reply_text(text)), *list;

	if (j != NULL && allowed != NULL) {
		list = json_array();
		for (size_t i = 0; allowed[i] != NULL; i++)
			(void)json_array_append_new(list, json_string(allowed[i]));
		(void)json_object_set_new(j, "allowed", list);
	}
	reply_json(r, code, j);
}
