/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_COOKIE_H
#define DNS64D_ENGINE_COOKIE_H

/*
 * cookie: server cookies for clients (RFC 7873, RFC 9018).
 *
 * A server cookie is a SipHash-2-4 over the client cookie, a timestamp and the client's address, so
 * no state is kept per client. If no secret is configured, a secret for each day is derived from
 * one drawn at the start, so that all loops use the same secret without talking to each other. The
 * secret of the day before is still accepted. One thread per struct.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"
#include "dns/proto.h"

#define COOKIE_LEN 24    /* bytes: client cookie and server cookie (RFC 9018 section 4) */
#define COOKIE_OLD 3600  /* s: an older cookie is not accepted (RFC 9018 section 4.3) */
#define COOKIE_AHEAD 300 /* s: nor one that is further ahead of our clock */
#define COOKIE_DAY 86400 /* s that a derived secret signs (RFC 7873 section 7.1: 26 hours) */

struct evp_mac_ctx_st;

struct cookies {
	struct evp_mac_ctx_st *mac;          /* owned; NULL: libcrypto has no SipHash */
	uint32_t day;                        /* day of the derived secrets, in days since 1970 */
	bool derived;                        /* the derived secrets are there */
	uint8_t secrets[2][CONF_SECRET_LEN]; /* those of that day and of the day before */
};

/*
 * cookies_init: make C ready. False: libcrypto has no SipHash; cookie_make and cookie_check then
 * fail, and C needs no cookies_fini.
 */
bool cookies_init(struct cookies *c);

/* cookies_fini: free what C owns. May be called twice. */
void cookies_fini(struct cookies *c);

/* cookies_forget: the settings have changed: derive secrets anew when they are needed. */
void cookies_forget(struct cookies *c);

/*
 * cookie_derived: write to OUT the secret that signs at UNIX_S under CONF, which has none but what
 * was drawn. False: there is no SipHash.
 */
MUST_USE bool cookie_derived(
    const struct conf_core *conf, uint32_t unix_s, uint8_t out[static CONF_SECRET_LEN]);

#define COOKIE_FINGERPRINT 9 /* bytes of a fingerprint, with its zero */

/*
 * cookie_fingerprint: write to TEXT 8 hexadecimal digits by which SECRET can be told from others: a
 * keyed hash, of which the secret does not follow. "-" if there is no SipHash. Returns TEXT.
 */
char *cookie_fingerprint(
    const uint8_t secret[static CONF_SECRET_LEN], char text[static COOKIE_FINGERPRINT]);

/*
 * cookie_make: write the server cookie (16 bytes) for CLIENT at UNIX_S into COOKIE, behind the
 * client cookie (8 bytes) that is there (RFC 9018 section 4). False: there is no SipHash or no
 * secret.
 */
MUST_USE bool cookie_make(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, uint8_t cookie[static COOKIE_LEN]);

/*
 * cookie_check: did we give COOKIE to CLIENT, at most COOKIE_OLD s before UNIX_S and at most
 * COOKIE_AHEAD s after it (RFC 9018 section 4.3)?
 */
MUST_USE bool cookie_check(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, const uint8_t cookie[static COOKIE_LEN]);

#endif
