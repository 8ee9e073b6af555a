/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_RR_H
#define DNS64D_DNS_RR_H

/* rr: one record, by offsets into its message (RFC 1035 section 4.1.3). */

#include <stddef.h>
#include <stdint.h>

struct rr {
	size_t at;    /* owner */
	size_t fixed; /* type, class, TTL and RDLENGTH: DNS_RR_FIXED bytes */
	size_t rdata;
	size_t end;    /* behind the RDATA */
	uint32_t ttl;  /* s, unsigned, as sent */
	uint16_t type; /* host byte order, as all numbers here */
	uint16_t class;
	uint16_t rdlen; /* bytes of RDATA */
};

#endif
