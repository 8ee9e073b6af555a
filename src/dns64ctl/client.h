/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_CLIENT_H
#define DNS64D_DNS64CTL_CLIENT_H

/*
 * client: one HTTP/1.1 request over a UNIX socket, and its answer. Blocks, but gives up when no
 * byte came or went for CLIENT_S seconds.
 */

#include <stddef.h>

#include "base/attr.h"

#define CLIENT_S 30
#define CLIENT_MAX (16U << 20) /* bytes of an answer */

struct client_request {
	const char *method;
	const char *path; /* with what is behind a "?" */
	const char *body; /* NULL: none */
};

struct client_answer {
	int code;   /* of HTTP */
	char *text; /* owned: all that came, with a zero behind */
	char *body; /* in it */
	size_t len; /* of the body, in bytes */
};

/*
 * client_ask: ask R at the socket at PATH. Returns 0, and the caller frees out->text; -EPROTO: what
 * came is no answer, or longer than CLIENT_MAX; or another -errno: -ENOENT and -ECONNREFUSED:
 * nobody is there.
 */
MUST_USE int client_ask(
    const char *path, const struct client_request *r, struct client_answer *out);

#endif
