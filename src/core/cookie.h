/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_COOKIE_H
#define DNS64D_CORE_COOKIE_H

/*
 * cookie: server cookies for clients (RFC 7873, RFC 9018).
 *
 * A server cookie is a SipHash-2-4 over the client's cookie, the time and its address, so nothing
 * is kept for any client. A secret that is not configured is derived, for each day, from one drawn
 * at the start, so that all loops use the same without a word; the day before's still counts. One
 * thread per struct.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"
#include "dns/proto.h"

#define COOKIE_LEN 24    /* client's part and ours (RFC 9018 section 4) */
#define COOKIE_OLD 3600  /* s: older ones do not count (RFC 9018 section 4.3) */
#define COOKIE_AHEAD 300 /* s: nor such as are so much ahead */
#define COOKIE_DAY 86400 /* s that a derived secret is used (RFC 7873 section 7.1: 26 hours) */

struct evp_mac_ctx_st;

struct cookies {
	struct evp_mac_ctx_st *mac;          /* owned; NULL: none could be had */
	uint32_t day;                        /* that the derived secrets are of */
	bool derived;                        /* there are some */
	uint8_t secrets[2][CONF_SECRET_LEN]; /* that day's and the day before's */
};

/* cookies_init: false, and no cookies are made, when libcrypto has no SipHash. */
bool cookies_init(struct cookies *c);
void cookies_fini(struct cookies *c);

/*
 * cookie_make: write the server's part of COOKIE, behind its client's part, for CLIENT at UNIX_S.
 * False: it cannot be made.
 */
MUST_USE bool cookie_make(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, uint8_t cookie[static COOKIE_LEN]);

/* cookie_check: is COOKIE one that we gave to CLIENT not long before UNIX_S? */
MUST_USE bool cookie_check(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, const uint8_t cookie[static COOKIE_LEN]);

#endif
