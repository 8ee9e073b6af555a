/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_PROTO_H
#define DNS64D_DNS_PROTO_H

/* proto: the protocol's numbers (IANA, RFC 1035 section 4, RFC 6891, RFC 8914). */

#include "dns/type_rows.h"

#define DNS_HEADER_LEN 12
#define DNS_NAME_MAX 255 /* bytes of a name in wire form (RFC 1035 section 3.1) */
#define DNS_LABEL_MAX 63
#define DNS_MSG_MAX 65535 /* bytes of a message over TCP */
#define DNS_UDP_MIN 512   /* what a client without EDNS takes (RFC 1035 section 4.2.1) */
#define DNS_RR_FIXED 10   /* type, class, TTL and RDLENGTH */
#define DNS_OPT_LEN 11    /* an OPT record without options */
#define DNS_SOA_NUMBERS \
	20 /* the five of an SOA, behind its two names (RFC 1035 section 3.3.13) \
	    */

#define DNS_A_LEN 4        /* RDLENGTH of A (RFC 1035 section 3.4.1) */
#define DNS_AAAA_LEN 16    /* RDLENGTH of AAAA (RFC 3596 section 2.2) */
#define DNS_TTL_MAX 604800 /* s: a larger TTL counts as this (RFC 8767 section 4, RULES D22) */

/* Header flags, as in the 16 bits behind the ID. */
#define DNS_QR 0x8000
#define DNS_OPCODE 0x7800
#define DNS_AA 0x0400
#define DNS_TC 0x0200
#define DNS_RD 0x0100
#define DNS_RA 0x0080
#define DNS_AD 0x0020
#define DNS_CD 0x0010
#define DNS_RCODE 0x000f

enum dns_opcode { DNS_OPCODE_QUERY = 0 };

/* 12 bits with EDNS: what counts is always the whole (RULES D1). */
enum dns_rcode {
	DNS_NOERROR = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5,
	DNS_BADVERS = 16,
	DNS_BADCOOKIE = 23
};

#define DNS_TYPE(type, number, form, check, kind, added) DNS_TYPE_##type = (number),
enum dns_type { TYPE_ROWS(DNS_TYPE) };
#undef DNS_TYPE

enum dns_class { DNS_CLASS_IN = 1, DNS_CLASS_CH = 3, DNS_CLASS_NONE = 254, DNS_CLASS_ANY = 255 };

enum edns_option { EDNS_ECS = 8, EDNS_COOKIE = 10, EDNS_KEEPALIVE = 11, EDNS_EDE = 15 };

#define DNS_COOKIE_CLIENT 8 /* bytes of the client's part (RFC 7873 section 4) */
#define DNS_COOKIE_MIN 16   /* of both parts */
#define DNS_COOKIE_MAX 40

/* Extended DNS errors that dns64d says or understands (RFC 8914 section 4). */
enum dns_ede {
	DNS_EDE_NONE = 0xffff, /* ours: no EDE */
	DNS_EDE_OTHER = 0,
	DNS_EDE_UNSUPPORTED_DNSKEY = 1,
	DNS_EDE_UNSUPPORTED_DS = 2,
	DNS_EDE_STALE = 3,
	DNS_EDE_INDETERMINATE = 5,
	DNS_EDE_BOGUS = 6,
	DNS_EDE_NSEC_MISSING = 12,
	DNS_EDE_NOT_READY = 14,
	DNS_EDE_FILTERED = 17,
	DNS_EDE_PROHIBITED = 18,
	DNS_EDE_STALE_NXDOMAIN = 19,
	DNS_EDE_NOT_AUTHORITATIVE = 20,
	DNS_EDE_NO_REACHABLE_AUTHORITY = 22,
	DNS_EDE_NETWORK_ERROR = 23,
	DNS_EDE_NSEC3_ITERATIONS = 27,
	DNS_EDE_SYNTHESIZED = 29
};

#endif
