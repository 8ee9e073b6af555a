/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_QUESTION_H
#define DNS64D_CACHE_QUESTION_H

/*
 * question: the key of a lookup and of an entry in the cache: equal questions share them (RULES
 * D10).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct question {
	const uint8_t *qname; /* borrowed: a name in lower case, not compressed */
	size_t qname_len;     /* bytes */
	uint64_t hash;        /* hash_bytes of the name, under cache_seed */
	uint16_t qtype;
	uint16_t qclass;
	bool do_bit; /* DO (RFC 3225) */
	bool cd;     /* CD (RFC 4035 section 3.2.2) */
};

#endif
