/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/costly.h"

#include <string.h>

#include "dns/wire.h"

#define N_LABELS 127 /* of the longest name, of one letter each */

static void
u16(struct costly_reply *r, unsigned v)
{
	wire_set_u16(r->bytes + r->len, (uint16_t)v);
	r->len += 2;
}

static void
bytes(struct costly_reply *r, const void *from, size_t len)
{
	memcpy(r->bytes + r->len, from, len);
	r->len += len;
}

static void
pointer(struct costly_reply *r, size_t to)
{
	u16(r, 0xc000 | (unsigned)to);
}

static bool
has_room(const struct costly_reply *r, size_t len)
{
	return r->len + len <= r->max;
}

/* The owner of a record stands there; the rest of it follows, RDLEN bytes excepted. */
static void
fixed(struct costly_reply *r, unsigned type, unsigned rdlen)
{
	uint8_t *count = r->bytes + 6 + 2 * (size_t)r->section;

	u16(r, type);
	u16(r, DNS_CLASS_IN);
	u16(r, 0);
	u16(r, 300);
	u16(r, rdlen);
	wire_set_u16(count, (uint16_t)(wire_u16(count) + 1));
}

/* A record whose owner is a pointer TO. */
static void
record(struct costly_reply *r, size_t to, unsigned type, const void *rdata, unsigned rdlen)
{
	pointer(r, to);
	fixed(r, type, rdlen);
	bytes(r, rdata, rdlen);
}

/* A name of N labels of one letter and a last one of LAST, in plain. */
static size_t
long_name(uint8_t *out, unsigned n, char last)
{
	size_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		out[len++] = 1;
		out[len++] = 'a';
	}
	out[len - 1] = (uint8_t)last;
	out[len++] = 0;
	return len;
}

/* A record of an opaque type that only has a name in it, to be pointed to; where the name is. */
static size_t
store(struct costly_reply *r, const uint8_t *name, size_t len)
{
	pointer(r, DNS_HEADER_LEN);
	fixed(r, 65400, (unsigned)len);
	bytes(r, name, len);
	return r->len - len;
}

/* The longest name but for its last letter, somewhere in the reply. */
static size_t
store_like_question(struct costly_reply *r, char last)
{
	uint8_t name[DNS_NAME_MAX];

	return store(r, name, long_name(name, N_LABELS, last));
}

static const uint8_t address[16] = { 203, 0, 113, 1 };
static const uint8_t excluded[16] = { [10] = 0xff, [11] = 0xff, [12] = 203 };

static void
vary(struct costly_reply *r, size_t back)
{
	wire_set_u16(r->bytes + r->len - back, (uint16_t)(r->len / 4));
}

/* --- the worst ones --------------------------------------------------------------------------- */

static void
equal_owners(struct costly_reply *r, unsigned type, unsigned rdlen)
{
	size_t at = store_like_question(r, 'z'), other = store_like_question(r, 'z');

	for (bool turn = false; has_room(r, 12 + rdlen); turn = !turn) {
		record(r, turn ? at : other, type, address, rdlen);
		vary(r, 2);
	}
}

static void
a_equal(struct costly_reply *r)
{
	equal_owners(r, DNS_TYPE_A, 4);
}

static void
aaaa_equal(struct costly_reply *r)
{
	equal_owners(r, DNS_TYPE_AAAA, 16);
}

static void
mx_equal(struct costly_reply *r)
{
	equal_owners(r, DNS_TYPE_MX, 4);
}

static void
any_equal(struct costly_reply *r)
{
	equal_owners(r, DNS_TYPE_TXT, 1);
}

static void
plain(struct costly_reply *r, unsigned type, const uint8_t *rdata, unsigned rdlen)
{
	while (has_room(r, 12 + rdlen)) {
		record(r, DNS_HEADER_LEN, type, rdata, rdlen);
		vary(r, 2);
	}
}

static void
a_plain(struct costly_reply *r)
{
	plain(r, DNS_TYPE_A, address, 4);
}

static void
a_loopback(struct costly_reply *r)
{
	static const uint8_t loopback[4] = { 127, 0, 0, 1 };

	plain(r, DNS_TYPE_A, loopback, 4);
}

static void
aaaa_excluded(struct costly_reply *r)
{
	plain(r, DNS_TYPE_AAAA, excluded, 16);
}

/* Names that differ from the question's in the last letter only. */
static void
unlike(struct costly_reply *r, unsigned type, unsigned rdlen)
{
	size_t at = store_like_question(r, 'y');

	record(r, DNS_HEADER_LEN, type, address, rdlen);
	while (has_room(r, 12 + rdlen))
		record(r, at, type, address, rdlen);
}

static void
a_unlike(struct costly_reply *r)
{
	unlike(r, DNS_TYPE_A, 4);
}

static void
aaaa_unlike(struct costly_reply *r)
{
	unlike(r, DNS_TYPE_AAAA, 16);
}

static void
any_unlike(struct costly_reply *r)
{
	unlike(r, DNS_TYPE_TXT, 1);
}

static void
ptr_unlike(struct costly_reply *r)
{
	static const uint8_t root[1] = { 0 };
	size_t at = store_like_question(r, 'y');

	record(r, DNS_HEADER_LEN, DNS_TYPE_PTR, root, 1);
	while (has_room(r, 13))
		record(r, at, DNS_TYPE_PTR, root, 1);
}

/* Each owner is spelled anew, by one letter. */
static void
spelled(struct costly_reply *r, unsigned type, unsigned rdlen, char last)
{
	size_t at = store_like_question(r, last);

	while (has_room(r, 16 + rdlen)) {
		bytes(r, "\1a", 2);
		pointer(r, at + 2);
		fixed(r, type, rdlen);
		bytes(r, address, rdlen);
		vary(r, 2);
	}
}

static void
a_spelled(struct costly_reply *r)
{
	spelled(r, DNS_TYPE_A, 4, 'z');
}

static void
mx_spelled(struct costly_reply *r)
{
	spelled(r, DNS_TYPE_MX, 4, 'z');
}

/* A chain, in the wrong order, of names that are hard to tell apart; behind it COUNT more. */
static void
chain(struct costly_reply *r, unsigned type, unsigned rdlen)
{
	size_t name[17];

	for (unsigned i = 0; i < 17; i++)
		name[i] = store_like_question(r, (char)('A' + i));
	name[0] = DNS_HEADER_LEN;
	for (unsigned i = 16; i-- > 0;) {
		pointer(r, name[i]);
		fixed(r, DNS_TYPE_CNAME, 2);
		pointer(r, name[i + 1]);
	}
	for (unsigned i = 0; i < 15; i++) {
		size_t other = store_like_question(r, (char)('0' + i % 10));

		pointer(r, other);
		fixed(r, DNS_TYPE_CNAME, 2);
		pointer(r, other);
	}
	record(r, name[16], type, address, rdlen);
	size_t off = store_like_question(r, '!');
	while (has_room(r, 12 + rdlen))
		record(r, off, type, address, rdlen);
}

static void
a_chain(struct costly_reply *r)
{
	chain(r, DNS_TYPE_A, 4);
}

static void
aaaa_chain(struct costly_reply *r)
{
	chain(r, DNS_TYPE_AAAA, 16);
}

/* DNAMEs by the dozen, none above the name but nearly. */
static void
a_dnames(struct costly_reply *r)
{
	size_t name[17];

	for (unsigned i = 0; i < 17; i++)
		name[i] = store_like_question(r, (char)('A' + i));
	name[0] = DNS_HEADER_LEN;
	for (unsigned i = 16; i-- > 0;) {
		pointer(r, name[i]);
		fixed(r, DNS_TYPE_CNAME, 2);
		pointer(r, name[i + 1]);
	}
	for (unsigned i = 0; i < 16; i++) {
		pointer(r, store_like_question(r, '!') + 2);
		fixed(r, DNS_TYPE_DNAME, 2);
		pointer(r, name[1]);
	}
	record(r, name[16], DNS_TYPE_A, address, 4);
	while (has_room(r, 16))
		record(r, name[15], 65400, address, 4);
}

/* Records with three names, each hard to find among those written. */
static void
names_in(struct costly_reply *r, unsigned section)
{
	size_t name[32];

	for (unsigned i = 0; i < 32; i++)
		name[i] = store_like_question(r, (char)('!' + i));
	r->section = section;
	for (unsigned i = 0; has_room(r, 16); i++) {
		pointer(r, name[i % 32] + 2 * (i / 32 % 100));
		fixed(r, DNS_TYPE_MINFO, 4);
		pointer(r, name[(i + 11) % 32] + 2 * (i / 17 % 90));
		pointer(r, name[(i + 22) % 32] + 2 * (i / 13 % 80));
	}
}

static void
a_names_authority(struct costly_reply *r)
{
	record(r, DNS_HEADER_LEN, DNS_TYPE_A, address, 4);
	names_in(r, 1);
}

static void
a_names_additional(struct costly_reply *r)
{
	record(r, DNS_HEADER_LEN, DNS_TYPE_A, address, 4);
	names_in(r, 2);
}

static void
aaaa_names(struct costly_reply *r)
{
	record(r, DNS_HEADER_LEN, DNS_TYPE_AAAA, excluded, 16);
	record(r, DNS_HEADER_LEN, DNS_TYPE_AAAA, address, 16);
	names_in(r, 0);
}

/* The same few short names again and again: all of it can be written. */
static void
a_short_names(struct costly_reply *r)
{
	record(r, DNS_HEADER_LEN, DNS_TYPE_A, address, 4);
	r->section = 1;
	for (unsigned i = 0; has_room(r, 16); i++) {
		pointer(r, DNS_HEADER_LEN + 2 * (i % 120));
		fixed(r, DNS_TYPE_MINFO, 4);
		pointer(r, DNS_HEADER_LEN + 2 * (i % 7));
		pointer(r, DNS_HEADER_LEN + 2 * (i % 5));
	}
}

/* PTR to many names, as a shared host has: an honest one, but for the number. */
static void
ptr_names(struct costly_reply *r)
{
	for (unsigned i = 0; has_room(r, 26); i++) {
		uint8_t name[12] = { 5, 'h', (uint8_t)('a' + i % 26), (uint8_t)('a' + i / 26 % 26),
			(uint8_t)('a' + i / 676), 'x', 3, 'n', 'e', 't', 0 };

		record(r, DNS_HEADER_LEN, DNS_TYPE_PTR, name, 11);
	}
}

/* SOAs that are sound but of other names. */
static void
a_soas(struct costly_reply *r)
{
	static const uint8_t soa[22] = { 0 };

	r->section = 1;
	size_t at = store_like_question(r, 'y');
	while (has_room(r, 34))
		record(r, at, DNS_TYPE_SOA, soa, 22);
}

static void
opt(struct costly_reply *r, unsigned rdlen)
{
	r->section = 2;
	bytes(r, "", 1);
	fixed(r, DNS_TYPE_OPT, rdlen);
	memset(r->bytes + r->len - 6, 0, 4);
}

static void
mx_options(struct costly_reply *r)
{
	unsigned len = (unsigned)(r->max - r->len - 11) / 4 * 4;

	opt(r, len);
	for (; len > 0; len -= 4) {
		u16(r, EDNS_EDE);
		u16(r, 0);
	}
}

static void
mx_opt_first(struct costly_reply *r)
{
	opt(r, 0);
	names_in(r, 2);
}

/* Over an OPT that is first, a message of names that is short enough to be kept. */
static void
svcb_targets(struct costly_reply *r)
{
	static const uint8_t alias[3] = { 0, 1, 0 };

	while (has_room(r, 15 + 40 * 28 + 300))
		record(r, DNS_HEADER_LEN, DNS_TYPE_SVCB, alias, 3);
	r->section = 2;
	size_t at = store_like_question(r, 'z');
	while (has_room(r, 28))
		record(r, at, DNS_TYPE_AAAA, address, 16);
}

static const struct costly all[] = {
	{ "a-equal", 28, 1, a_equal, COSTLY_MAX, NULL, false },
	{ "a-equal-relayed", 1, 1, a_equal, COSTLY_MAX, NULL, false },
	{ "aaaa-equal", 28, 28, aaaa_equal, COSTLY_MAX, NULL, false },
	{ "mx-equal", 15, 15, mx_equal, COSTLY_MAX, NULL, false },
	{ "any-equal", 255, 255, any_equal, COSTLY_MAX, "any minimal", false },
	{ "a-plain", 28, 1, a_plain, COSTLY_MAX, NULL, false },
	{ "a-loopback", 28, 1, a_loopback, COSTLY_MAX, NULL, false },
	{ "a-hidden", 1, 1, a_equal, COSTLY_MAX, "hide-a yes", false },
	{ "aaaa-excluded", 28, 28, aaaa_excluded, COSTLY_MAX, NULL, false },
	{ "a-unlike", 28, 1, a_unlike, COSTLY_MAX, NULL, false },
	{ "aaaa-unlike", 28, 28, aaaa_unlike, COSTLY_MAX, NULL, false },
	{ "any-unlike", 255, 255, any_unlike, COSTLY_MAX, "any minimal", false },
	{ "a-spelled", 28, 1, a_spelled, COSTLY_MAX, NULL, false },
	{ "mx-spelled", 15, 15, mx_spelled, COSTLY_MAX, NULL, false },
	{ "a-chain", 28, 1, a_chain, COSTLY_MAX, NULL, false },
	{ "aaaa-chain", 28, 28, aaaa_chain, COSTLY_MAX, NULL, false },
	{ "a-dnames", 28, 1, a_dnames, COSTLY_MAX, NULL, false },
	{ "a-names-authority", 28, 1, a_names_authority, COSTLY_MAX, NULL, false },
	{ "a-names-additional", 28, 1, a_names_additional, COSTLY_MAX, NULL, false },
	{ "aaaa-names", 28, 28, aaaa_names, COSTLY_MAX, NULL, false },
	{ "a-short-names", 28, 1, a_short_names, COSTLY_MAX, NULL, false },
	{ "any-names", 255, 255, aaaa_names, COSTLY_MAX, "any minimal", false },
	{ "a-soas", 28, 1, a_soas, COSTLY_MAX, NULL, false },
	{ "aaaa-soas", 28, 28, a_soas, COSTLY_MAX, NULL, false },
	{ "mx-options", 15, 15, mx_options, COSTLY_MAX, NULL, false },
	{ "mx-opt-first", 15, 15, mx_opt_first, COSTLY_MAX, NULL, false },
	{ "ptr-unlike", 12, 12, ptr_unlike, COSTLY_MAX, NULL, false },
	{ "ptr-names", 12, 12, ptr_names, COSTLY_MAX, NULL, false },
	/* The cache keeps these, and gives them again. */
	{ "a-equal-kept", 28, 1, a_equal, 16384, NULL, true },
	{ "a-unlike-kept", 1, 1, a_unlike, 16384, NULL, true },
	{ "a-chain-kept", 28, 1, a_chain, 16384, NULL, true },
	{ "mx-opt-first-kept", 15, 15, mx_opt_first, 16384, NULL, false },
	{ "a-names-kept", 28, 1, a_names_authority, 16384, NULL, false },
	{ "svcb-targets", 64, 64, svcb_targets, 4096, "svcb-additional resolve", false },
};

const struct costly *
costly_all(size_t *n)
{
	*n = sizeof(all) / sizeof(all[0]);
	return all;
}

size_t
costly_question(uint8_t out[static DNS_NAME_MAX])
{
	return long_name(out, N_LABELS, 'z');
}

void
costly_walk(struct costly_reply *r)
{
	*r = (struct costly_reply){ .len = DNS_HEADER_LEN + 5, .max = COSTLY_MAX };
	r->bytes[5] = 1;
	while (has_room(r, 12))
		record(r, DNS_HEADER_LEN, 65400, "", 0);
}
