/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/hex.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct out {
	const char *text; /* the whole, for complaints */
	uint8_t *bytes;
	size_t len;
	size_t cap;
};

static _Noreturn void
bad(const struct out *o, const char *at)
{
	fprintf(stderr, "hex: bad at \"%.20s\" in \"%s\"\n", at, o->text);
	abort();
}

static void
put(struct out *o, unsigned v)
{
	if (o->len == o->cap)
		bad(o, "(too long)");
	o->bytes[o->len++] = (uint8_t)(v & 0xff);
}

/* Labels up to CLOSE; returns the character behind it. */
static const char *
read_labels(struct out *o, const char *p, char close)
{
	while (*p != close) {
		size_t n = 0;

		while (p[n] != '.' && p[n] != close) {
			if (p[n] == '\0')
				bad(o, p);
			n++;
		}
		put(o, (unsigned)n);
		for (size_t i = 0; i < n; i++)
			put(o, (unsigned char)p[i]);
		p += n;
		if (*p == '.')
			p++;
	}
	return p + 1;
}

static const char *
read_text(struct out *o, const char *p)
{
	for (; *p != '\''; p++) {
		if (*p == '\0')
			bad(o, p);
		put(o, (unsigned char)*p);
	}
	return p + 1;
}

static const char *
check_offset(struct out *o, const char *p)
{
	char *end;

	if (strtoul(p, &end, 10) != o->len || *end != '.')
		bad(o, p);
	return end + 1;
}

static const char *
read_pair(struct out *o, const char *p)
{
	char pair[3] = { p[0], p[0] != '\0' ? p[1] : '\0', '\0' };

	if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
		bad(o, p);
	put(o, (unsigned)strtoul(pair, NULL, 16));
	return p + 2;
}

size_t
hex_read(const char *text, uint8_t *out, size_t cap)
{
	struct out o = { .text = text, .bytes = out, .cap = cap };
	const char *p = text;

	while (*p != '\0') {
		if (isspace((unsigned char)*p)) {
			p++;
		} else if (*p == '<') {
			p = read_labels(&o, p + 1, '>');
			put(&o, 0);
		} else if (*p == '{') {
			p = read_labels(&o, p + 1, '}');
		} else if (*p == '\'') {
			p = read_text(&o, p + 1);
		} else if (*p == '@') {
			p = check_offset(&o, p + 1);
		} else {
			p = read_pair(&o, p);
		}
	}
	return o.len;
}
