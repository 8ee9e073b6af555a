/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 1035 sections 2.3.4, 4.1.4 and 5.1; RFC 4343; RFC 6672 section 2.2; RFC 9267. */

#include "dns/name.h"

#include <string.h>

#include "support/guard.h"
#include "support/hex.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define FILL "000000000000000000000000" /* 12 bytes where a header would be */

/* TEXT (support/hex.h), ending at the unreadable page. */
static const uint8_t *
guarded(const char *text, size_t *len)
{
	uint8_t bytes[4096];

	*len = hex_read(text, bytes, sizeof(bytes));
	return guard_put(&guard, bytes, *len);
}

/* Write a name of exactly LEN bytes (not 2), its labels as long as may be. */
static void
name_of(size_t len, uint8_t *out)
{
	size_t left = len - 1;

	while (left > 0) {
		size_t size = left > 64 ? 64 : left;

		if (left == 65) /* a label cannot be one byte with its length byte */
			size = 63;
		*out++ = (uint8_t)(size - 1);
		memset(out, 'x', size - 1);
		out += size - 1;
		left -= size;
	}
	*out = 0;
}

struct expand_case {
	const char *msg;
	size_t pos;
	const char *name; /* NULL: malformed */
	size_t end;
};

static const struct expand_case expand_cases[] = {
	/* RFC 1035 section 4.1.4: labels, a pointer, labels and a pointer. */
	{ FILL "<>", 12, "<>", 13 },
	{ FILL "<a.b>", 12, "<a.b>", 17 },
	{ FILL "<F.ISI.ARPA>{FOO}c00c ff", 24, "<FOO.F.ISI.ARPA>", 30 },
	{ FILL "<F.ISI.ARPA>c00c ff", 24, "<F.ISI.ARPA>", 26 },
	{ FILL "<F.ISI.ARPA>c012 ff", 24, "<ARPA>", 26 },
	{ FILL "<F.ISI.ARPA>c017 ff", 24, "<>", 26 },
	/* Pointers to pointers, each further back. */
	{ FILL "<com>{b}c00c{a}c011", 21, "<a.b.com>", 25 },
	{ FILL "<com>c00cc011c013", 21, "<com>", 23 },
	/* RFC 9267 section 2: to itself, forward, in circles, behind the end. */
	{ FILL "c00c", 12, NULL, 0 },
	{ FILL "c00e00", 12, NULL, 0 },
	{ FILL "c00e<a>", 12, NULL, 0 },
	{ FILL "{a}c00c", 12, NULL, 0 },
	{ FILL "{a}c00e", 12, NULL, 0 },
	{ FILL "{a}c010{b}c00c", 16, NULL, 0 },
	{ FILL "c00ec00c", 14, NULL, 0 },
	/* Back, and from there forward again, though to before the first pointer. */
	{ FILL "c00e<b>c00c", 17, NULL, 0 },
	{ FILL "<a>ffff", 15, NULL, 0 },
	{ FILL "<a>c0ff", 15, NULL, 0 },
	/* To the middle of the labels that it ends. */
	{ FILL "{aa}c00d", 12, NULL, 0 },
	/* To labels that run into those that lead there, or beyond. */
	{ FILL "03'a'c00c<>", 14, NULL, 0 },
	{ FILL "03'a'c00c'xy'<>", 14, NULL, 0 },
	{ FILL "02'a'<>c00c", 15, NULL, 0 },
	/* Into the header, where no name stands. */
	{ FILL "<a>c000", 15, NULL, 0 },
	{ FILL "<a>c00b", 15, NULL, 0 },
	/* RFC 9267 section 3: labels that run out, no terminator, half a pointer. */
	{ FILL "", 12, NULL, 0 },
	{ FILL "", 13, NULL, 0 },
	{ FILL "", 65535, NULL, 0 },
	{ FILL "01", 12, NULL, 0 },
	{ FILL "{a}", 12, NULL, 0 },
	{ FILL "03'ab'", 12, NULL, 0 },
	{ FILL "3f'ab'", 12, NULL, 0 },
	{ FILL "c0", 12, NULL, 0 },
	{ FILL "{a}c0", 12, NULL, 0 },
	/* The labels that a pointer names run out too. */
	{ FILL "3f'a'c00c", 14, NULL, 0 },
};

/* RFC 1035 section 4.1.4: two bits set, and 14 of offset. */
START_TEST(pointer_has_14_bits)
{
	static const size_t offsets[] = { 12, 255, 256, NAME_REACH - 1 };
	uint8_t p[NAME_POINTER_LEN];

	ck_assert_uint_eq(name_pointer(12), 0xc00c);
	ck_assert_uint_eq(name_pointer(NAME_REACH - 1), 0xffff);
	for (size_t i = 0; i < N_OF(offsets); i++) {
		wire_set_u16(p, name_pointer(offsets[i]));
		ck_assert(name_is_pointer(p[0]));
		ck_assert_uint_eq(name_pointee(p), offsets[i]);
		ck_assert_uint_eq(name_sole_pointer(p), offsets[i]);
	}
	for (unsigned byte = 0; byte <= 0xff; byte++) {
		p[0] = (uint8_t)byte;
		p[1] = 12;
		ck_assert_int_eq(name_is_pointer(p[0]), byte >= 0xc0);
		if (byte < 0xc0)
			ck_assert_uint_eq(name_sole_pointer(p), 0);
	}
}
END_TEST

START_TEST(labels_begin_where_they_begin)
{
	static const uint8_t name[] = "\3www\7example\3com";
	static const char is_label[] = "y...y.......y...y";

	for (size_t off = 0; off < sizeof(name); off++)
		ck_assert_int_eq(name_is_label(name, off), is_label[off] == 'y');
	ck_assert(name_is_label((const uint8_t *)"", 0));
}
END_TEST

START_TEST(compressed_names_are_expanded)
{
	const struct expand_case *c = &expand_cases[_i];
	uint8_t want[DNS_NAME_MAX];
	uint8_t name[DNS_NAME_MAX];
	size_t end = 4711;
	size_t len;
	const uint8_t *msg = guarded(c->msg, &len);
	size_t n = name_expand(msg, len, c->pos, name, &end);

	if (c->name == NULL) {
		ck_assert_uint_eq(n, 0);
		ck_assert_uint_eq(end, 4711);
		ck_assert(!name_equal_at(msg, len, c->pos, (const uint8_t *)"\1a"));
		ck_assert(!name_equal_at(msg, len, c->pos, (const uint8_t *)""));
		return;
	}
	ck_assert_uint_eq(n, hex_read(c->name, want, sizeof(want)));
	ck_assert_mem_eq(name, want, n);
	ck_assert_uint_eq(end, c->end);
	ck_assert_uint_eq(name_skip(msg, len, c->pos), c->end);
	ck_assert(name_equal_at(msg, len, c->pos, want));
}
END_TEST

/* Each label compared is counted, the root too; when nothing is left no name is another's. */
START_TEST(compared_labels_are_counted)
{
	static const uint8_t msg[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'a', 1, 'B', 0, 1,
		'a', 0xc0, 14 };
	static const uint8_t same[] = "\1A\1b", other[] = "\1a\1c", longer[] = "\1a\1b\1c";

	for (size_t at = 12; at <= 17; at += 5) {
		unsigned left = 3;

		ck_assert(name_equal_within(msg, sizeof(msg), at, same, &left));
		ck_assert_uint_eq(left, 0);
		ck_assert(!name_equal_within(msg, sizeof(msg), at, same, &left));
		left = 2;
		ck_assert(!name_equal_within(msg, sizeof(msg), at, same, &left));
		ck_assert_uint_eq(left, 0);
		left = 10;
		ck_assert(!name_equal_within(msg, sizeof(msg), at, other, &left));
		ck_assert_uint_eq(left, 8);
		ck_assert(!name_equal_within(msg, sizeof(msg), at, longer, &left));
		ck_assert_uint_eq(left, 5);
	}
}
END_TEST

/* Names of each length from 1 to 255 are good, of 256 not (RFC 1035 section 2.3.4). */
static void
one_every_length(int value)
{
	size_t want = (size_t)value;
	uint8_t buf[DNS_HEADER_LEN + 300] = { 0 };
	uint8_t name[DNS_NAME_MAX];
	size_t end;
	const uint8_t *msg;

	if (want == 2) /* there is no such name */
		return;
	name_of(want, buf + DNS_HEADER_LEN);
	msg = guard_put(&guard, buf, DNS_HEADER_LEN + want);
	if (want > DNS_NAME_MAX) {
		ck_assert_uint_eq(name_expand(msg, DNS_HEADER_LEN + want, 12, name, &end), 0);
		ck_assert_uint_eq(name_skip(msg, DNS_HEADER_LEN + want, 12), 0);
		return;
	}
	ck_assert_uint_eq(name_expand(msg, DNS_HEADER_LEN + want, 12, name, &end), want);
	ck_assert_uint_eq(end, DNS_HEADER_LEN + want);
	ck_assert_uint_eq(name_skip(msg, DNS_HEADER_LEN + want, 12), end);
	ck_assert_mem_eq(name, buf + 12, want);
	ck_assert_uint_eq(name_len(name), want);
	ck_assert(name_equal_at(msg, DNS_HEADER_LEN + want, 12, name));
	/* One byte less is one too few. */
	ck_assert_uint_eq(name_expand(buf, DNS_HEADER_LEN + want - 1, 12, name, &end), 0);
	ck_assert_uint_eq(name_skip(buf, DNS_HEADER_LEN + want - 1, 12), 0);
}

START_TEST(names_of_every_length_are_read)
{
	for (int i = 1; i < 258; i++)
		one_every_length(i);
}
END_TEST

/* The limit is the name's, not its spelling's: 255 bytes by way of a pointer, then one more. */
START_TEST(length_through_pointer)
{
	uint8_t buf[DNS_HEADER_LEN + 300] = { 0 };
	uint8_t name[DNS_NAME_MAX];
	size_t end;

	name_of(250, buf + 12);
	memcpy(buf + 262, "\4abcd\xc0\x0c", 7);
	ck_assert_uint_eq(name_expand(buf, 269, 262, name, &end), 255);
	memcpy(buf + 262, "\5abcde\xc0\x0c", 8);
	ck_assert_uint_eq(name_expand(buf, 270, 262, name, &end), 0);
	ck_assert_uint_eq(name_skip(buf, 270, 262), 270);
}
END_TEST

/* Only 0-63 and 192-255 begin a label or pointer (RFC 1035 section 4.1.4, RFC 6891 section 5). */
static void
one_every_label_byte(int value)
{
	unsigned c = (unsigned)value;
	uint8_t buf[DNS_HEADER_LEN + 4 + 66] = { 0 };
	uint8_t name[DNS_NAME_MAX];
	size_t pos = DNS_HEADER_LEN + 4;
	size_t want = c == 0 ? 1 : c <= 63 ? c + 2 : 0;
	size_t skip = c >= 0xc0 ? pos + 2 : want > 0 ? pos + want : 0;
	size_t end;
	const uint8_t *msg;

	memcpy(buf + 12, "\1a", 3);
	buf[pos] = (uint8_t)c;
	msg = guard_put(&guard, buf, pos + 66);
	/* 0xc0 points to 0, the header; the others behind the end. */
	ck_assert_uint_eq(name_expand(msg, pos + 66, pos, name, &end), want);
	ck_assert_uint_eq(name_skip(msg, pos + 66, pos), skip);
	ck_assert(!name_equal_at(msg, pos + 66, pos, (const uint8_t *)"\1a"));
}

START_TEST(every_label_byte)
{
	for (int i = 0; i < 256; i++)
		one_every_label_byte(i);
}
END_TEST

/* A chain of pointers back to back, COUNT of them before the name; its last one's offset. */
static size_t
pointer_chain(uint8_t *buf, size_t count)
{
	size_t pos = DNS_HEADER_LEN;

	memcpy(buf + pos, "\1a", 3);
	for (size_t i = 0; i < count; i++) {
		size_t next = DNS_HEADER_LEN + 3 + 2 * i;

		buf[next] = (uint8_t)(0xc0 | pos >> 8);
		buf[next + 1] = (uint8_t)(pos & 0xff);
		pos = next;
	}
	return pos;
}

/* Incidents: RFC9267. */
START_TEST(pointers_are_bounded)
{
	static uint8_t buf[16384];
	uint8_t name[DNS_NAME_MAX];
	size_t end;
	size_t pos;

	pos = pointer_chain(buf, NAME_HOPS_MAX);
	ck_assert_uint_eq(name_expand(buf, sizeof(buf), pos, name, &end), 3);
	ck_assert(name_equal_at(buf, sizeof(buf), pos, (const uint8_t *)"\1A"));
	pos = pointer_chain(buf, NAME_HOPS_MAX + 1);
	ck_assert_uint_eq(name_expand(buf, sizeof(buf), pos, name, &end), 0);
	ck_assert(!name_equal_at(buf, sizeof(buf), pos, (const uint8_t *)"\1A"));
	pos = pointer_chain(buf, 8000);
	ck_assert_uint_eq(name_expand(buf, sizeof(buf), pos, name, &end), 0);
	ck_assert_uint_eq(name_skip(buf, sizeof(buf), pos), pos + 2);
}
END_TEST

START_TEST(labels_and_lengths_are_counted)
{
	ck_assert_uint_eq(name_len((const uint8_t *)""), 1);
	ck_assert_uint_eq(name_labels((const uint8_t *)""), 0);
	ck_assert_uint_eq(name_len((const uint8_t *)"\3www\7example\3com"), 17);
	ck_assert_uint_eq(name_labels((const uint8_t *)"\3www\7example\3com"), 3);
}
END_TEST

START_TEST(skip_labels_ends_where_labels_end)
{
	size_t len;
	const uint8_t *msg = guarded(FILL "<a.b>{c}c00c", &len);

	ck_assert_uint_eq(name_skip_labels(msg, len, 12), 16);
	ck_assert_uint_eq(name_skip_labels(msg, len, 17), 19);
	msg = guarded(FILL "{c}c0", &len);
	ck_assert_uint_eq(name_skip_labels(msg, len, 12), 14);
	msg = guarded(FILL "{c}80", &len);
	ck_assert_uint_eq(name_skip_labels(msg, len, 12), len);
}
END_TEST

/* RFC 4343 section 3: only A-Z fold. At offsets and lengths that meet all code paths. */
static void
one_every_byte_folds_as_ascii(int value)
{
	uint8_t c = (uint8_t)value;
	uint8_t want = c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
	uint8_t src[40];
	uint8_t dst[40];
	uint8_t all_want[40];

	memset(src, c, sizeof(src));
	memset(all_want, want, sizeof(all_want));
	for (size_t len = 0; len <= 32; len++) {
		const uint8_t *in = guard_put(&guard, src, len);

		memset(dst, '.', sizeof(dst));
		name_lower(dst, in, len);
		ck_assert_mem_eq(dst, all_want, len);
		ck_assert_uint_eq(dst[len], '.');
		ck_assert(name_equal_len(in, all_want, len));
	}
	name_lower(src, src, sizeof(src));
	ck_assert_mem_eq(src, all_want, sizeof(src));
}

START_TEST(every_byte_folds_as_ascii)
{
	for (int i = 0; i < 256; i++)
		one_every_byte_folds_as_ascii(i);
}
END_TEST

/* RULES D21: only a-z change, to capitals; the same bits, the same choice; all letters have a
 * share. */
static void
one_d21_mix(int value)
{
	uint8_t c = (uint8_t)value;
	bool letter = c >= 'a' && c <= 'z';

	for (size_t len = 1; len <= 40; len++) {
		uint8_t ever[40] = { 0 }, not [40] = { 0 };
		bool right = true; /* one assertion a length: each is a system call */

		for (unsigned n = 0; n < 64; n++) {
			uint8_t one[40], two[40];

			memset(one, c, sizeof(one));
			memset(two, c, sizeof(two));
			name_mix(one, len, UINT64_C(0x9e3779b97f4a7c15) << n);
			name_mix(two, len, UINT64_C(0x9e3779b97f4a7c15) << n);
			right = right && memcmp(one, two, sizeof(one)) == 0;
			for (size_t i = 0; i < sizeof(one); i++) {
				right = right &&
				    (one[i] == c || (letter && i < len && one[i] == c - 32));
				ever[i] |= one[i] != c;
				not [i] |= one[i] == c;
			}
		}
		for (size_t i = 0; i < len && letter; i++)
			right = right && ever[i] && not [i];
		ck_assert_msg(right, "byte %d, %zu of them", value, len);
	}
}

START_TEST(d21_mix_changes_letters_only)
{
	for (int i = 0; i < 256; i++)
		one_d21_mix(i);
}
END_TEST

/* Two bytes are the same exactly if they fold to the same, wherever in a name they stand. */
static void
one_equal_only_when_folded_bytes_are(int value)
{
	uint8_t a[22] = "\24....................";
	uint8_t b[22] = "\24....................";
	unsigned c = (unsigned)value;
	bool right = true; /* one assertion a place: each is a system call */

	for (size_t at = 1; at <= 20; at++) {
		for (unsigned d = 0; d < 256; d++) {
			unsigned fc = c >= 'A' && c <= 'Z' ? c + 32 : c;
			unsigned fd = d >= 'A' && d <= 'Z' ? d + 32 : d;

			a[at] = (uint8_t)c;
			b[at] = (uint8_t)d;
			right = right && name_equal(a, b) == (fc == fd);
		}
		ck_assert_msg(right, "byte %u at %zu", c, at);
		a[at] = '.';
		b[at] = '.';
	}
}

START_TEST(equal_only_when_folded_bytes_are)
{
	for (int i = 0; i < 256; i++)
		one_equal_only_when_folded_bytes_are(i);
}
END_TEST

START_TEST(equality_minds_label_bounds)
{
	const uint8_t *a = (const uint8_t *)"\3a.b";
	const uint8_t *b = (const uint8_t *)"\1a\1b";

	ck_assert(!name_equal(a, b));
	ck_assert(!name_equal((const uint8_t *)"\1a", (const uint8_t *)"\1a\1b"));
	ck_assert(!name_equal((const uint8_t *)"", (const uint8_t *)"\1a"));
	ck_assert(name_equal((const uint8_t *)"", (const uint8_t *)""));
	/* A zero byte in a label is not the root. */
	ck_assert(!name_equal((const uint8_t *)"\2\0a", (const uint8_t *)"\2\0b"));
	ck_assert(name_equal((const uint8_t *)"\2\0A", (const uint8_t *)"\2\0a"));
}
END_TEST

struct below_case {
	const char *name;
	const char *zone;
	bool below;
};

static const struct below_case below_cases[] = {
	{ "a.example", "example", true },
	{ "A.EXAMPLE", "example", true },
	{ "example", "example", true },
	{ "a.b.c.example", "c.EXAMPLE", true },
	{ "a.example", ".", true },
	{ ".", ".", true },
	{ ".", "example", false },
	{ "example", "a.example", false },
	{ "xexample", "example", false },
	{ "a.xexample", "example", false },
	{ "example.org", "example", false },
	/* The bytes of the zone's wire form, but not at a label's beginning. */
	{ "a\\007example", "example", false },
};

START_TEST(name_below_a_zone_is_told)
{
	const struct below_case *c = &below_cases[_i];
	uint8_t name[DNS_NAME_MAX];
	uint8_t zone[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(c->name, name), 0);
	ck_assert_uint_gt(name_from_text(c->zone, zone), 0);
	ck_assert_int_eq(name_is_below(name, zone), c->below);
}
END_TEST

struct dname_case {
	const char *name, *owner, *target;
	const char *want; /* NULL: too long */
};

#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L61 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* The table of RFC 6672 section 2.2, where a name is below the owner. */
static const struct dname_case dname_cases[] = {
	{ "a.example.com.", "example.com.", "example.net.", "a.example.net." },
	{ "a.b.example.com.", "example.com.", "example.net.", "a.b.example.net." },
	{ "foo.example.com.", "example.com.", "example.net.", "foo.example.net." },
	{ "a.x.example.com.", "x.example.com.", "example.net.", "a.example.net." },
	{ "a.example.com.", "example.com.", "y.example.net.", "a.y.example.net." },
	{ "cyc.example.com.", "example.com.", "example.com.", "cyc.example.com." },
	{ "shortloop.x.x.", "x.", ".", "shortloop.x." },
	{ "shortloop.x.", "x.", ".", "shortloop." },
	{ "a.EXAMPLE.com.", "example.com.", "example.net.", "a.example.net." },
	/* 255 bytes are good, 256 are YXDOMAIN. */
	{ "a." L50 ".x.", "x.", L63 "." L63 "." L63 ".aaaaaaaa.",
	    "a." L50 "." L63 "." L63 "." L63 ".aaaaaaaa." },
	{ "a." L50 ".x.", "x.", L63 "." L63 "." L63 ".aaaaaaaaa.", NULL },
};

START_TEST(dname_substitution_is_bounded)
{
	const struct dname_case *c = &dname_cases[_i];
	uint8_t name[DNS_NAME_MAX];
	uint8_t owner[DNS_NAME_MAX];
	uint8_t target[DNS_NAME_MAX];
	uint8_t want[DNS_NAME_MAX];
	uint8_t out[DNS_NAME_MAX];
	size_t len;

	ck_assert_uint_gt(name_from_text(c->name, name), 0);
	ck_assert_uint_gt(name_from_text(c->owner, owner), 0);
	ck_assert_uint_gt(name_from_text(c->target, target), 0);
	len = name_substitute(name, owner, target, out);
	if (c->want == NULL) {
		ck_assert_uint_eq(len, 0);
		return;
	}
	ck_assert_uint_eq(len, name_from_text(c->want, want));
	ck_assert_mem_eq(out, want, len);
}
END_TEST

struct text_case {
	const char *text;
	const char *wire; /* support/hex.h; NULL: refused */
};

static const struct text_case text_cases[] = {
	{ ".", "<>" },
	{ "a", "<a>" },
	{ "a.", "<a>" },
	{ "www.Example.com", "<www.Example.com>" },
	{ "www.Example.com.", "<www.Example.com>" },
	{ "a\\.b.c", "03'a.b'<c>" },
	{ "\\\\", "01'\\'00" },
	{ "\\065", "<A>" },
	{ "\\000\\255", "0200ff00" },
	{ "a\\ b", "03'a b'00" },
	{ L63, "<" L63 ">" },
	{ L63 "." L63 "." L63 "." L61, "<" L63 "." L63 "." L63 "." L61 ">" },
	{ L63 "." L63 "." L63 "." L61 ".", "<" L63 "." L63 "." L63 "." L61 ">" },
	{ "", NULL },
	{ "..", NULL },
	{ ".a", NULL },
	{ "a..b", NULL },
	{ "a..", NULL },
	{ "a\\", NULL },
	{ "a\\1", NULL },
	{ "a\\12", NULL },
	{ "a\\1x2", NULL },
	{ "a\\256", NULL },
	{ "a\\999", NULL },
	{ L63 "a", NULL },
	{ L63 "." L63 "." L63 "." L61 "a", NULL },
	{ L63 "." L63 "." L63 "." L61 ".a", NULL },
	{ L63 "." L63 "." L63 "." L50 ".aaaaaaaaaaa", NULL },
};

START_TEST(text_becomes_a_name)
{
	const struct text_case *c = &text_cases[_i];
	uint8_t want[DNS_NAME_MAX] = { 0 };
	uint8_t *out = guard_put(&guard, want, sizeof(want));
	size_t len = name_from_text(c->text, out);

	if (c->wire == NULL) {
		ck_assert_uint_eq(len, 0);
		return;
	}
	ck_assert_uint_eq(len, hex_read(c->wire, want, sizeof(want)));
	ck_assert_mem_eq(out, want, len);
}
END_TEST

/* Every byte value, written and read back, is itself; nothing written can move a terminal. */
static void
one_text_round_trip(int value)
{
	uint8_t name[4] = { 2, (uint8_t)value, 'B', 0 };
	uint8_t back[DNS_NAME_MAX];
	char text[NAME_TEXT];

	ck_assert_ptr_eq(name_to_text(name, text), text);
	for (const char *p = text; *p != '\0'; p++)
		ck_assert(*p > ' ' && *p < 0x7f);
	ck_assert_uint_eq(name_from_text(text, back), 4);
	ck_assert_mem_eq(back, name, 4);
}

START_TEST(text_round_trip)
{
	for (int i = 0; i < 256; i++)
		one_text_round_trip(i);
}
END_TEST

START_TEST(name_becomes_text)
{
	char text[NAME_TEXT];
	uint8_t name[DNS_NAME_MAX];

	ck_assert_str_eq(name_to_text((const uint8_t *)"", text), ".");
	ck_assert_str_eq(name_to_text((const uint8_t *)"\3www\2ex", text), "www.ex.");
	ck_assert_str_eq(name_to_text((const uint8_t *)"\4a.\\\"", text), "a\\.\\\\\\\".");
	ck_assert_str_eq(name_to_text((const uint8_t *)"\3a\n\x80", text), "a\\010\\128.");
	/* The longest text there is: all bytes escaped. */
	name_of(DNS_NAME_MAX, name);
	for (size_t i = 0; i < DNS_NAME_MAX; i++) {
		if (name[i] == 'x')
			name[i] = 0xff;
	}
	ck_assert_uint_eq(strlen(name_to_text(name, text)), 4 * 250 + 4);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, guard_setup, guard_teardown);
	tcase_add_test(tc, pointer_has_14_bits);
	tcase_add_test(tc, labels_begin_where_they_begin);
	tcase_add_loop_test(tc, compressed_names_are_expanded, 0, N_OF(expand_cases));
	tcase_add_test(tc, compared_labels_are_counted);
	tcase_add_test(tc, names_of_every_length_are_read);
	tcase_add_test(tc, length_through_pointer);
	tcase_add_test(tc, every_label_byte);
	tcase_add_test(tc, pointers_are_bounded);
	tcase_add_test(tc, labels_and_lengths_are_counted);
	tcase_add_test(tc, skip_labels_ends_where_labels_end);
	tcase_add_test(tc, every_byte_folds_as_ascii);
	tcase_add_test(tc, d21_mix_changes_letters_only);
	tcase_add_test(tc, equal_only_when_folded_bytes_are);
	tcase_add_test(tc, equality_minds_label_bounds);
	tcase_add_loop_test(tc, name_below_a_zone_is_told, 0, N_OF(below_cases));
	tcase_add_loop_test(tc, dname_substitution_is_bounded, 0, N_OF(dname_cases));
	tcase_add_loop_test(tc, text_becomes_a_name, 0, N_OF(text_cases));
	tcase_add_test(tc, text_round_trip);
	tcase_add_test(tc, name_becomes_text);
}
