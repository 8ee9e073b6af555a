/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_ENTRY_H
#define DNS64D_CACHE_ENTRY_H

/*
 * entry: what lies in a shard's rings: 32 bytes, then the message, whose question holds the name
 * and the class of the key.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "cache/question.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

/* Flags in struct entry_meta. */
#define ENTRY_CUT 0x01    /* there is nothing below its name either (RFC 8020) */
#define ENTRY_OWNERS 0x3e /* bits that mean something to the shard's owner only */
#define ENTRY_CD 0x40     /* the key's CD; in struct entry only */
#define ENTRY_DO 0x80     /* the key's DO; in struct entry only */

/* What is stored beside a message. */
struct entry_meta {
	uint32_t stored_s;   /* when it came, in seconds of the cache's clock */
	uint32_t ttl_s;      /* how long it is fresh */
	uint16_t generation; /* the owner's */
	uint16_t retry;      /* the owner's */
	uint16_t ede;        /* the owner's */
	uint8_t kind;        /* the owner's */
	uint8_t flags;       /* ENTRY_CUT, ENTRY_OWNERS */
};

struct entry {
	uint32_t len;           /* bytes of the whole entry; the ring writes it */
	uint32_t slot;          /* the slot that points here */
	uint32_t hash;          /* lower half of the name's hash */
	uint16_t msg_len;       /* bytes; 0: replaced or removed, no slot points here */
	uint16_t qtype;         /* the key's */
	struct entry_meta meta; /* its flags have the key's ENTRY_DO and ENTRY_CD too */
};

_Static_assert(sizeof(struct entry) == 32, "32 bytes in front of a message");
_Static_assert((ENTRY_CUT | ENTRY_OWNERS) == 0x3f, "ENTRY_DO and ENTRY_CD are the key's");

/* entry_age: seconds from STORED_S to NOW_S; 0 if STORED_S is later (a clock a little ahead). */
MUST_USE static inline uint32_t
entry_age(uint32_t stored_s, uint32_t now_s)
{
	uint32_t age_s = now_s - stored_s;

	return age_s <= INT32_MAX ? age_s : 0;
}

/* entry_msg: E's message, E->msg_len bytes. */
MUST_USE static inline const uint8_t *
entry_msg(const struct entry *e)
{
	return (const uint8_t *)(e + 1);
}

/* entry_name: the name in the message's question, not compressed. */
MUST_USE static inline const uint8_t *
entry_name(const struct entry *e)
{
	return header_qname(entry_msg(e));
}

/* entry_key_flags: DO and CD of KEY as ENTRY_DO and ENTRY_CD. */
MUST_USE static inline uint8_t
entry_key_flags(const struct question *key)
{
	return (uint8_t)((unsigned)key->do_bit << 7 | (unsigned)key->cd << 6);
}

/* entry_of_name: is E an entry of KEY's name? Compares hash and octets: names are in lower case. */
MUST_USE static inline bool
entry_of_name(const struct entry *e, const struct question *key)
{
	return e->hash == (uint32_t)key->hash &&
	    header_question_end(key->qname_len) <= e->msg_len &&
	    memcmp(entry_name(e), key->qname, key->qname_len) == 0;
}

/* entry_of_key: is E the entry for KEY, but of type QTYPE? */
MUST_USE static inline bool
entry_of_key(const struct entry *e, const struct question *key, uint16_t qtype)
{
	return e->qtype == qtype &&
	    (e->meta.flags & (ENTRY_DO | ENTRY_CD)) == entry_key_flags(key) &&
	    entry_of_name(e, key) && header_qclass(entry_msg(e), key->qname_len) == key->qclass;
}

/* entry_of_use: is E not removed, and fresh or stale for less than STALE_S? */
MUST_USE static inline bool
entry_of_use(const struct entry *e, uint32_t stale_s, uint32_t now_s)
{
	uint32_t age_s = entry_age(e->meta.stored_s, now_s);

	return e->msg_len > 0 && (age_s < e->meta.ttl_s || age_s - e->meta.ttl_s < stale_s);
}

/* entry_key: the key of E, its hash 0; the name is borrowed from E. */
MUST_USE static inline struct question
entry_key(const struct entry *e)
{
	const uint8_t *name = entry_name(e);
	size_t len = name_len(name);

	return (struct question){ .qname = name,
		.qname_len = len,
		.qtype = e->qtype,
		.qclass = header_qclass(entry_msg(e), len),
		.do_bit = (e->meta.flags & ENTRY_DO) != 0,
		.cd = (e->meta.flags & ENTRY_CD) != 0 };
}

#endif
