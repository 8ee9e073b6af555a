/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/name.h"

#include <string.h>

/* A walk over the labels of a name in a message. */
struct walk {
	const uint8_t *msg;
	size_t
	    len; /* where the message ends, or the labels that lead to a prior occurrence begin */
	size_t pos; /* the next length byte or pointer */
	size_t run; /* start of the labels being read: a pointer must point to before it */
	size_t end; /* behind the first pointer; set once there was one */
	unsigned n_hops;
};

/*
 * Return the length of the next label, following pointers; its length byte is then at w->pos, and
 * all of it is in the message. -1: the name is malformed.
 */
static inline int
walk_label(struct walk *w)
{
	while (w->pos < w->len) {
		unsigned c = w->msg[w->pos];

		if (c <= DNS_LABEL_MAX)
			return c < w->len - w->pos ? (int)c : -1;
		/* 0x40 and 0x80 are no label types (RFC 6891 section 5). */
		if (c < 0xc0 || w->len - w->pos < 2 || w->n_hops == NAME_HOPS_MAX)
			return -1;
		if (w->n_hops++ == 0)
			w->end = w->pos + 2;
		w->pos = (size_t)(c & 0x3f) << 8 | w->msg[w->pos + 1];
		/*
		 * A "prior occurrence" (RFC 1035 section 4.1.4) is strictly before this one, all of
		 * it: what stands behind may go when the message is passed on, as an OPT does.
		 */
		if (w->pos >= w->run || w->pos < DNS_HEADER_LEN)
			return -1;
		w->len = w->run;
		w->run = w->pos;
	}
	return -1;
}

size_t
name_expand(
    const uint8_t *msg, size_t len, size_t pos, uint8_t out[static DNS_NAME_MAX], size_t *end)
{
	struct walk w = { .msg = msg, .len = len, .pos = pos, .run = pos };
	size_t n = 0;
	int label;

	do {
		size_t size;

		label = walk_label(&w);
		size = (size_t)label + 1;
		if (label < 0 || size > DNS_NAME_MAX - n)
			return 0;
		memcpy(out + n, msg + w.pos, size);
		n += size;
		w.pos += size;
	} while (label > 0);
	*end = w.n_hops > 0 ? w.end : w.pos;
	return n;
}

size_t
name_measure(const uint8_t *msg, size_t len, size_t pos, size_t *end, unsigned *n_steps)
{
	struct walk w = { .msg = msg, .len = len, .pos = pos, .run = pos };
	size_t n = 0;
	int label;

	do {
		size_t size;

		label = walk_label(&w);
		size = (size_t)label + 1;
		*n_steps += 1;
		if (label < 0 || size > DNS_NAME_MAX - n) {
			n = 0;
			break;
		}
		n += size;
		w.pos += size;
	} while (label > 0);
	*n_steps += w.n_hops;
	if (n > 0)
		*end = w.n_hops > 0 ? w.end : w.pos;
	return n;
}

bool
name_equal_at(const uint8_t *msg, size_t len, size_t pos, const uint8_t *name)
{
	unsigned left = DNS_NAME_MAX;

	return name_equal_within(msg, len, pos, name, &left);
}

bool
name_equal_within(const uint8_t *msg, size_t len, size_t pos, const uint8_t *name, unsigned *left)
{
	struct walk w = { .msg = msg, .len = len, .pos = pos, .run = pos };

	for (;;) {
		int label;
		size_t size;

		if (*left == 0)
			return false;
		--*left;
		label = walk_label(&w);
		size = (size_t)label + 1;
		if (label < 0 || label != name[0])
			return false;
		if (label == 0)
			return true;
		if (!name_equal_len(msg + w.pos, name, size))
			return false;
		name += size;
		w.pos += size;
	}
}

size_t
name_skip(const uint8_t *msg, size_t len, size_t pos)
{
	size_t at = name_skip_labels(msg, len, pos);

	if (at >= len)
		return 0;
	if (msg[at] == 0)
		return at + 1;
	return len - at >= 2 ? at + 2 : 0;
}

size_t
name_len(const uint8_t *name)
{
	size_t n = 0;

	while (name[n] != 0)
		n += (size_t)name[n] + 1;
	return n + 1;
}

unsigned
name_labels(const uint8_t *name)
{
	unsigned n = 0;

	for (; *name != 0; name += *name + 1)
		n++;
	return n;
}

/*
 * Case folding. It treats length bytes like letters, which does not change them: they are 63 at
 * most, and 'A' is 65.
 */
static inline uint8_t
fold(uint8_t c)
{
	return (uint8_t)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

#define EACH_BYTE(v) (0x0101010101010101ULL * (v))

/* Fold each byte of W. The top bits of the two sums say "at least 'A'" and "above 'Z'". */
static inline uint64_t
fold8(uint64_t w)
{
	uint64_t low = w & EACH_BYTE(0x7f);
	uint64_t from_a = low + EACH_BYTE(0x80 - 'A');
	uint64_t above_z = low + EACH_BYTE(0x80 - 'Z' - 1);
	uint64_t upper = (from_a ^ above_z) & ~w & EACH_BYTE(0x80);

	return w | upper >> 2;
}

static inline uint64_t
load8(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static inline uint64_t
load4(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static inline bool
equal8(uint64_t a, uint64_t b)
{
	return a == b || fold8(a) == fold8(b);
}

static inline void
lower8(uint8_t *dst, const uint8_t *src)
{
	uint64_t w = fold8(load8(src));

	memcpy(dst, &w, sizeof(w));
}

void
name_lower(uint8_t *dst, const uint8_t *src, size_t len)
{
	size_t i = 0;

	if (len < 8) {
		for (; i < len; i++)
			dst[i] = fold(src[i]);
		return;
	}
	for (; len - i > 8; i += 8)
		lower8(dst + i, src + i);
	/* The last word may overlap the one before. */
	lower8(dst + len - 8, src + len - 8);
}

/* Return 0x20 for each byte of W that is a lower-case letter, else 0; the sums as in fold8. */
static inline uint64_t
letters8(uint64_t w)
{
	uint64_t low = w & EACH_BYTE(0x7f);
	uint64_t from_a = low + EACH_BYTE(0x80 - 'a');
	uint64_t above_z = low + EACH_BYTE(0x80 - 'z' - 1);

	return ((from_a ^ above_z) & ~w & EACH_BYTE(0x80)) >> 2;
}

static inline void
mix8(uint8_t *p, uint64_t bits)
{
	uint64_t w = load8(p);

	w ^= letters8(w) & bits;
	memcpy(p, &w, sizeof(w));
}

void
name_mix(uint8_t *name, size_t len, uint64_t bits)
{
	size_t i = 0;

	/* Each round uses another bit of each byte; after eight rounds all 64 are used. */
	for (; len - i >= 8; i += 8) {
		mix8(name + i, bits);
		bits = bits << 1 | bits >> 63;
	}
	if (i == len)
		return;
	if (len >= 8) {
		/* Some of these eight bytes were mixed before: capitals stay capitals. */
		mix8(name + len - 8, bits);
		return;
	}
	for (; i < len; i++) {
		if (name[i] >= 'a' && name[i] <= 'z')
			name[i] = (uint8_t)(name[i] ^ (bits >> 8 * i & 0x20));
	}
}

void
name_respell(uint8_t *at, const uint8_t *from, const uint8_t *like)
{
	while (from[0] != 0 && from[0] <= DNS_LABEL_MAX) {
		size_t size = (size_t)from[0] + 1;

		if (at[0] != from[0] || memcmp(at, from, size) != 0)
			return;
		memcpy(at, like, size);
		at += size;
		from += size;
		like += size;
	}
}

/* Compare less than a word: as two halves that overlap, or byte by byte. */
static inline bool
equal_short(const uint8_t *a, const uint8_t *b, size_t len)
{
	if (len >= 4) {
		return equal8(
		    load4(a) | load4(a + len - 4) << 32, load4(b) | load4(b + len - 4) << 32);
	}
	for (size_t i = 0; i < len; i++) {
		if (fold(a[i]) != fold(b[i]))
			return false;
	}
	return true;
}

bool
name_equal_len(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t i = 0;

	if (len < 8)
		return equal_short(a, b, len);
	for (; len - i > 8; i += 8) {
		if (!equal8(load8(a + i), load8(b + i)))
			return false;
	}
	/* The last word may overlap the one before. */
	return equal8(load8(a + len - 8), load8(b + len - 8));
}

bool
name_equal(const uint8_t *a, const uint8_t *b)
{
	size_t len = name_len(a);

	return len == name_len(b) && name_equal_len(a, b, len);
}

bool
name_is_below(const uint8_t *name, const uint8_t *zone)
{
	size_t zone_len = name_len(zone);
	size_t len = name_len(name);

	while (len > zone_len) {
		size_t size = (size_t)*name + 1;

		name += size;
		len -= size;
	}
	return len == zone_len && name_equal_len(name, zone, len);
}

size_t
name_substitute(const uint8_t *name, const uint8_t *owner, const uint8_t *target,
    uint8_t out[static DNS_NAME_MAX])
{
	size_t keep = name_len(name) - name_len(owner);
	size_t target_len = name_len(target);

	if (keep + target_len > DNS_NAME_MAX)
		return 0;
	memcpy(out, name, keep);
	memcpy(out + keep, target, target_len);
	return keep + target_len;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read one character at *P, plain or escaped, and step over it. -1: there is none. */
static int
text_char(const char **p)
{
	const char *s = *p;
	int v;

	if (s[0] != '\\') {
		*p = s + 1;
		return (unsigned char)s[0];
	}
	if (!is_digit(s[1])) {
		*p = s + 2;
		return s[1] != '\0' ? (unsigned char)s[1] : -1;
	}
	/* \DDD, decimal (RFC 1035 section 5.1) */
	if (!is_digit(s[2]) || !is_digit(s[3]))
		return -1;
	v = (s[1] - '0') * 100 + (s[2] - '0') * 10 + (s[3] - '0');
	*p = s + 4;
	return v <= 255 ? v : -1;
}

/* Read one label, up to a dot or the end, to OUT with its length byte. Returns its length or 0. */
static size_t
text_label(const char **p, uint8_t *out, size_t cap)
{
	size_t n = 0;

	while (**p != '\0' && **p != '.') {
		int c = text_char(p);

		if (c < 0 || n == DNS_LABEL_MAX || n + 1 >= cap)
			return 0;
		out[++n] = (uint8_t)c;
	}
	out[0] = (uint8_t)n;
	return n;
}

size_t
name_from_text(const char *text, uint8_t out[static DNS_NAME_MAX])
{
	const char *p = text;
	size_t n = 0;

	if (p[0] == '.' && p[1] == '\0')
		p++;
	else if (p[0] == '\0')
		return 0;
	while (*p != '\0') {
		/* One byte stays free for the root label. */
		size_t label =
		    n < DNS_NAME_MAX - 1 ? text_label(&p, out + n, DNS_NAME_MAX - 1 - n) : 0;

		if (label == 0)
			return 0;
		n += label + 1;
		if (*p == '.')
			p++;
	}
	out[n] = 0;
	return n + 1;
}

/* Write C as it may stand in a zone file: plain, with a backslash, or as \DDD. */
static char *
put_char(char *to, uint8_t c)
{
	if (c <= ' ' || c >= 0x7f) {
		*to++ = '\\';
		*to++ = (char)('0' + c / 100);
		*to++ = (char)('0' + c / 10 % 10);
		*to++ = (char)('0' + c % 10);
		return to;
	}
	if (strchr(".\\\"();@$", c) != NULL)
		*to++ = '\\';
	*to++ = (char)c;
	return to;
}

char *
name_to_text(const uint8_t *name, char text[static NAME_TEXT])
{
	char *to = text;

	if (*name == 0)
		*to++ = '.';
	while (*name != 0) {
		unsigned label = *name++;

		while (label-- > 0)
			to = put_char(to, *name++);
		*to++ = '.';
	}
	*to = '\0';
	return text;
}
