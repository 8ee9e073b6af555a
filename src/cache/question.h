/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_QUESTION_H
#define DNS64D_CACHE_QUESTION_H

/*
 * question: what is asked of upstream, and kept: equal questions share a lookup and an entry of the
 * cache (RULES D10).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct question {
	const uint8_t *qname; /* a name, in lower case */
	size_t qname_len;
	uint64_t hash; /* of the name alone: lookup_hash */
	uint16_t qtype;
	uint16_t qclass;
	bool do_bit;
	bool cd;
};

#endif
