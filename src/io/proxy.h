/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PROXY_H
#define DNS64D_IO_PROXY_H

/*
 * proxy: the header of the PROXY protocol, version 2 (HAProxy's proxy-protocol.txt), in which a
 * balancer names the client that it asks for. It stands before the message of a datagram, and once
 * at the beginning of a stream. Pure: bytes in, verdict out.
 *
 * Whoever is in a network of proxy-protocol must send it, and nobody else may.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"

#define PROXY_MAX 1024                         /* bytes of a whole header at most */
#define PROXY_SIGNATURE "\r\n\r\n\0\r\nQUIT\n" /* what each begins with */
#define PROXY_SIGNATURE_LEN 12

enum proxy_verdict {
	PROXY_CLIENT,    /* a whole header that names a client */
	PROXY_SENDER,    /* a whole header: its sender asks for itself (LOCAL, UNSPEC) */
	PROXY_PARTIAL,   /* the beginning of a header: more bytes are needed */
	PROXY_MISSING,   /* no header, or one of another version */
	PROXY_MALFORMED, /* a header that is not permitted */
	/* a whole or cut one where none may be: of one that is no proxy, or behind another one */
	PROXY_UNEXPECTED
};

/* A header that was read. */
struct proxy_header {
	size_t len;            /* bytes, TLVs included: what follows is the first message */
	struct netaddr client; /* PROXY_CLIENT: who asks; an IPv4-mapped address as IPv4 */
};

/*
 * proxy_parse: read the header at the beginning of the LEN bytes at P. h->len is set with
 * PROXY_CLIENT and PROXY_SENDER, h->client with PROXY_CLIENT. In a datagram PROXY_PARTIAL is a
 * violation. A command, family or length that is wrong is found with the first 16 bytes, however
 * long the header is. PROXY_UNEXPECTED is never returned.
 */
MUST_USE enum proxy_verdict proxy_parse(const uint8_t *p, size_t len, struct proxy_header *h);

/* proxy_begins: do the LEN bytes at P begin with the signature of a header? */
MUST_USE static inline bool
proxy_begins(const uint8_t *p, size_t len)
{
	/* In two, each of which a compiler compares at once. */
	return len >= PROXY_SIGNATURE_LEN && memcmp(p, PROXY_SIGNATURE, 8) == 0 &&
	    memcmp(p + 8, &PROXY_SIGNATURE[8], 4) == 0;
}

/* proxy_is: must SENDER, a socket's peer, send a header (proxy-protocol)? */
MUST_USE bool proxy_is(const struct conf_io *conf, const struct netaddr *sender);

/* proxy_reason: what is wrong, for the log: "its PROXY header is cut"; else "". */
MUST_USE const char *proxy_reason(enum proxy_verdict verdict);

#endif
