/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_REPLY_H
#define DNS64D_CONTROL_REPLY_H

/*
 * reply: answers of the control socket: JSON, and errors in one form:
 *
 *	{"error": "what is wrong", "allowed": ["what is allowed", ...]}
 */

#include <event2/buffer.h>
#include <event2/http.h>
#include <jansson.h>
#include <stddef.h>

#include "base/attr.h"

#define REPLY_FORBIDDEN 403
#define REPLY_MISDIRECTED 421   /* for a host that this is not (RFC 9110) */
#define REPLY_UNPROCESSABLE 422 /* understood, and refused for what it says (RFC 9110) */

#define REPLY_ENDING "the daemon ends" /* what an error says that comes of that */

/*
 * reply_bytes: answer R with CODE and the LEN bytes at BODY, of the content type TYPE. To HEAD the
 * body is left out. R must not be used any more.
 */
void reply_bytes(
    struct evhttp_request *r, int code, const char *type, const void *body, size_t len);

/* reply_buffer: the same with what is in OUT, which is the caller's and empty afterwards. */
void reply_buffer(struct evhttp_request *r, int code, const char *type, struct evbuffer *out);

/*
 * reply_json: answer R with CODE and J, whose reference is passed on; NULL, without memory, makes
 * it 500. R must not be used any more.
 */
void reply_json(struct evhttp_request *r, int code, json_t *j);

/*
 * reply_text: TEXT as a JSON string, the caller's; if it is no UTF-8, with a ? for each byte that
 * is not ASCII. NULL without memory.
 */
MUST_USE json_t *reply_text(const char *text);

/*
 * reply_error: answer R with CODE and the TEXT of an error. ALLOWED: what would be allowed, ended
 * by NULL; NULL: nothing is told of that. R must not be used any more.
 */
void reply_error(struct evhttp_request *r, int code, const char *text, const char *const *allowed);

#endif
