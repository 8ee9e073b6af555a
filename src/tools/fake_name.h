/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TOOLS_FAKE_NAME_H
#define DNS64D_TOOLS_FAKE_NAME_H

/*
 * fake_name: what fakedns has for a name. Pure; fakedns(8) lists the names.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

#define FAKE_MANY_MAX 2000 /* addresses of one name */
#define FAKE_TXT_MAX 60000 /* bytes of text of one name */
#define FAKE_CHAIN_MAX 100 /* CNAMEs: more would not fit behind compression pointers */
#define FAKE_DIGITS_MAX 15 /* of a telephone number (E.164) */

/* What decides which names exist; set once, then shared by all threads. */
struct fake_zone {
	uint8_t name[DNS_NAME_MAX]; /* in lower case */
	size_t len;
	unsigned aaaa_percent;   /* of the names with addresses: have AAAA as well */
	unsigned broken_percent; /* of the names below a zone: never get an answer */
	unsigned enum_percent;   /* of the telephone numbers: exist */
	uint64_t enum_first;     /* and of them only those from here */
	uint64_t enum_last;      /* to here, if enum_digits is not 0 */
	unsigned enum_digits;    /* digits of a number in that range, leading zeros included */
};

enum fake_kind {
	FAKE_OUTSIDE,  /* in no zone of ours */
	FAKE_NOTHING,  /* no such name */
	FAKE_EMPTY,    /* an empty non-terminal */
	FAKE_APEX,     /* of a zone: SOA and NS */
	FAKE_ADDRESS,  /* v4, and its IPv6 address if has_aaaa */
	FAKE_MANY,     /* n addresses, has_aaaa likewise */
	FAKE_TEXT,     /* n bytes of text */
	FAKE_NUMBER,   /* an existing telephone number: digits */
	FAKE_POINTER,  /* reverse name of v4 */
	FAKE_SERVFAIL, /* the name asks for this rcode, for every type */
	FAKE_REFUSED,  /* likewise */
	FAKE_SILENT    /* never answered */
};

/* What becomes of questions for one type of an address that FAKE_ADDRESS has. */
enum fake_quirk {
	FAKE_SOUND,
	FAKE_TYPE_FAILS,
	FAKE_TYPE_SILENT,
	FAKE_TYPE_MISSING, /* there are no records of it; of the other one there are */
	FAKE_BOTH_TYPES    /* has_aaaa, whatever the zone's share */
};

struct fake_name {
	enum fake_kind kind;
	enum fake_quirk quirk;
	uint16_t quirk_type; /* the type meant, unless FAKE_SOUND or FAKE_BOTH_TYPES */
	bool has_aaaa;
	bool broken;           /* by the zone's share, whatever the kind */
	uint8_t v4[4];         /* network order */
	unsigned n;            /* see FAKE_MANY, FAKE_TEXT */
	unsigned n_cnames;     /* names that lead to the one described here */
	const uint8_t *target; /* with n_cnames: text of the last name's first label, in lower */
	size_t target_len;
	size_t zone_at; /* bytes of the name before its zone; unset if FAKE_OUTSIDE */
	unsigned n_digits;
	char digits[FAKE_DIGITS_MAX + 1]; /* as dialled, zero-terminated */
	uint8_t lower[DNS_NAME_MAX];      /* the name in lower case */
};

/*
 * fake_zone_init: the zone NAME, a checked name in wire form, which is copied: no name has AAAA,
 * all telephone numbers exist.
 */
void fake_zone_init(struct fake_zone *z, const uint8_t *name);

/*
 * fake_zone_has_aaaa: does a name with addresses in zone Z have AAAA too? Its first label is the
 * LEN bytes at LABEL, in lower case.
 */
MUST_USE bool fake_zone_has_aaaa(const struct fake_zone *z, const uint8_t *label, size_t len);

/*
 * fake_zone_is_broken: is NAME, LEN bytes in wire form and in lower case, among the names of Z that
 * never get an answer? It must be below a zone of fakedns.
 */
MUST_USE bool fake_zone_is_broken(const struct fake_zone *z, const uint8_t *name, size_t len);

/*
 * fake_native_address: the IPv6 address, in network order to V6, of a name with AAAA whose IPv4
 * address is V4.
 */
void fake_native_address(const uint8_t v4[static 4], uint8_t v6[static 16]);

/* fake_name_read: what zone Z has for NAME, a checked name of LEN bytes in wire form, to *out. */
void fake_name_read(
    const struct fake_zone *z, const uint8_t *name, size_t len, struct fake_name *out);

#endif
