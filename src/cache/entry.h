/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_ENTRY_H
#define DNS64D_CACHE_ENTRY_H

/*
 * entry: what lies in a shard's rings: 32 bytes and the message, whose question holds the name and
 * the class of the key. Between the parts of the shard only.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "cache/question.h"
#include "cache/shard.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define ENTRY_DO 0x80 /* bit 7 */
#define ENTRY_CD 0x40 /* bit 6 */

struct entry {
	uint32_t len;           /* of the whole entry; the ring's */
	uint32_t slot;          /* that points here */
	uint32_t hash;          /* of the name, its lower half */
	uint16_t msg_len;       /* 0: it was replaced or removed, no slot points here */
	uint16_t qtype;         /* the key's */
	struct shard_meta meta; /* its flags are SHARD_CUT, the owner's, and the key's */
};

_Static_assert(sizeof(struct entry) == 32, "32 bytes in front of a message");
_Static_assert((SHARD_CUT | SHARD_OWNERS) == 0x3f, "ENTRY_DO and ENTRY_CD are the key's");

MUST_USE static inline const uint8_t *
entry_msg(const struct entry *e)
{
	return (const uint8_t *)(e + 1);
}

MUST_USE static inline const uint8_t *
entry_name(const struct entry *e)
{
	return entry_msg(e) + DNS_HEADER_LEN;
}

MUST_USE static inline uint8_t
entry_key_flags(const struct question *key)
{
	return (uint8_t)((unsigned)key->do_bit << 7 | (unsigned)key->cd << 6);
}

/* entry_of_name: is it of KEY's name? */
MUST_USE static inline bool
entry_of_name(const struct entry *e, const struct question *key)
{
	return e->hash == (uint32_t)key->hash &&
	    DNS_HEADER_LEN + key->qname_len + 4u <= e->msg_len &&
	    memcmp(entry_name(e), key->qname, key->qname_len) == 0;
}

/* entry_of_key: is it KEY's, but for the type, which is QTYPE? */
MUST_USE static inline bool
entry_of_key(const struct entry *e, const struct question *key, uint16_t qtype)
{
	return e->qtype == qtype &&
	    (e->meta.flags & (ENTRY_DO | ENTRY_CD)) == entry_key_flags(key) &&
	    entry_of_name(e, key) && wire_u16(entry_name(e) + key->qname_len + 2) == key->qclass;
}

/* entry_of_use: is it there, and neither over nor stale for STALE_S already? */
MUST_USE static inline bool
entry_of_use(const struct entry *e, uint32_t stale_s, uint32_t now_s)
{
	uint32_t age_s = shard_age(e->meta.stored_s, now_s);

	return e->msg_len > 0 && (age_s < e->meta.ttl_s || age_s - e->meta.ttl_s < stale_s);
}

/* entry_key: all of it but the hash. */
MUST_USE static inline struct question
entry_key(const struct entry *e)
{
	const uint8_t *name = entry_name(e);
	size_t len = name_len(name);

	return (struct question){ .qname = name,
		.qname_len = len,
		.qtype = e->qtype,
		.qclass = wire_u16(name + len + 2),
		.do_bit = (e->meta.flags & ENTRY_DO) != 0,
		.cd = (e->meta.flags & ENTRY_CD) != 0 };
}

#endif
