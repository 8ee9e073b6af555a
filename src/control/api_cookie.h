/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_COOKIE_H
#define DNS64D_CONTROL_API_COOKIE_H

/*
 * api_cookie: the secrets of cookies for clients, changed at once on all loops, so that servers
 * that share an address can change theirs one step after the other (RFC 9018 section 5): add the
 * new one on all, then activate it on all, then drop the old one on all. A secret is read, and
 * never told or logged: fingerprints (engine/cookie) show whether servers have the same.
 *
 * The handlers want a struct control_ctx. They answer when all loops have the change.
 */

#include "control/http.h"

http_handler api_cookie;          /* how many secrets there are, and their fingerprints */
http_handler api_cookie_add;      /* take cookies of {secret} too: 32 hexadecimal digits */
http_handler api_cookie_activate; /* make cookies with the other secret, which was only taken */
http_handler api_cookie_drop;     /* take no more cookies of the one that makes none */

#endif
