/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/fake_name.h"

#include <string.h>

#include "base/hash.h"
#include "dns/name.h"

/* The same names have AAAA or are broken in every run, each share by itself. */
#define FIXED_SEED 0x64
#define BROKEN_SEED 0x66

static const uint8_t e164_arpa[] = "\004e164\004arpa";
static const uint8_t in_addr_arpa[] = "\007in-addr\004arpa";

/* The rest of a label that is being parsed. */
struct text {
	const uint8_t *at;
	size_t len;
};

void
fake_zone_init(struct fake_zone *z, const uint8_t *name)
{
	*z = (struct fake_zone){ .len = name_len(name), .enum_percent = 100 };
	name_lower(z->name, name, z->len);
}

static bool
skip_word(struct text *t, const char *word)
{
	size_t len = strlen(word);

	if (t->len < len || memcmp(t->at, word, len) != 0)
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

/* One to MAX_DIGITS decimal digits. */
static bool
read_number(struct text *t, unsigned max_digits, unsigned *v)
{
	unsigned n = 0;

	*v = 0;
	for (; t->len > 0 && n < max_digits && t->at[0] >= '0' && t->at[0] <= '9'; n++) {
		*v = *v * 10 + (unsigned)(t->at[0] - '0');
		t->at++;
		t->len--;
	}
	return n > 0;
}

static bool
read_address(struct text t, uint8_t v4[static 4])
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned v;

		if (i > 0 && !skip_word(&t, "-"))
			return false;
		if (!read_number(&t, 3, &v) || v > 255)
			return false;
		v4[i] = (uint8_t)v;
	}
	return t.len == 0;
}

static bool
in_percent(const void *data, size_t len, unsigned percent, uint64_t seed)
{
	if (percent == 0 || percent >= 100)
		return percent != 0;
	return hash_bytes(data, len, seed) % 100 < percent;
}

bool
fake_zone_has_aaaa(const struct fake_zone *z, const uint8_t *label, size_t len)
{
	uint8_t name[DNS_LABEL_MAX + DNS_NAME_MAX];

	if (z->aaaa_percent == 0 || z->aaaa_percent >= 100)
		return z->aaaa_percent != 0;
	memcpy(name, label, len);
	memcpy(name + len, z->name, z->len);
	return in_percent(name, len + z->len, z->aaaa_percent, FIXED_SEED);
}

bool
fake_zone_is_broken(const struct fake_zone *z, const uint8_t *name, size_t len)
{
	return in_percent(name, len, z->broken_percent, BROKEN_SEED);
}

void
fake_native_address(const uint8_t v4[static 4], uint8_t v6[static 16])
{
	static const uint8_t network[12] = { 0x20, 0x01, 0x0d, 0xb8, 0, 6, 0, 4 };

	memcpy(v6, network, sizeof(network));
	memcpy(v6 + sizeof(network), v4, 4);
}

/*
 * "aaaafail-", "aaaadrop-", "afail-", "adrop-" before an address: questions for that type get
 * SERVFAIL or no answer. "aaaaonly-", "both-": there are AAAA records alone, or of both types.
 */
static void
read_quirk(struct text *t, struct fake_name *out)
{
	static const struct {
		const char *word;
		enum fake_quirk quirk;
		uint16_t type;
	} quirks[] = {
		{ "aaaafail-", FAKE_TYPE_FAILS, DNS_TYPE_AAAA },
		{ "aaaadrop-", FAKE_TYPE_SILENT, DNS_TYPE_AAAA },
		{ "afail-", FAKE_TYPE_FAILS, DNS_TYPE_A },
		{ "adrop-", FAKE_TYPE_SILENT, DNS_TYPE_A },
		{ "aaaaonly-", FAKE_TYPE_MISSING, DNS_TYPE_A },
		{ "both-", FAKE_BOTH_TYPES, 0 },
	};

	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
		if (!skip_word(t, quirks[i].word))
			continue;
		out->quirk = quirks[i].quirk;
		out->quirk_type = quirks[i].type;
		return;
	}
}

/* Labels whose first letters decide on the outcome, at any depth of the zone. */
static bool
read_outcome(struct text t, struct fake_name *out)
{
	if (skip_word(&t, "nx-"))
		out->kind = FAKE_NOTHING;
	else if (skip_word(&t, "drop-"))
		out->kind = FAKE_SILENT;
	else if (skip_word(&t, "servfail-"))
		out->kind = FAKE_SERVFAIL;
	else if (skip_word(&t, "refused-"))
		out->kind = FAKE_REFUSED;
	else
		return false;
	return true;
}

/* "many-N", "txt-N" and "ns". */
static void
read_special(struct text t, struct fake_name *out)
{
	bool many = skip_word(&t, "many-");

	if (!many && !skip_word(&t, "txt-")) {
		if (t.len == 2 && memcmp(t.at, "ns", 2) == 0) {
			out->kind = FAKE_ADDRESS;
			memcpy(out->v4, "\300\000\002\065", sizeof(out->v4)); /* 192.0.2.53 */
		}
		return;
	}
	if (!read_number(&t, 5, &out->n) || t.len > 0)
		return;
	if (many && out->n > 0 && out->n <= FAKE_MANY_MAX)
		out->kind = FAKE_MANY;
	else if (!many && out->n <= FAKE_TXT_MAX)
		out->kind = FAKE_TEXT;
}

/* The first label of a name right below the zone, or the target of a chain of CNAMEs. */
static void
read_host(const struct fake_zone *z, struct text t, struct fake_name *out)
{
	struct text label = t;

	if (read_outcome(t, out))
		return;
	read_quirk(&t, out);
	if (read_address(t, out->v4))
		out->kind = FAKE_ADDRESS;
	else if (out->quirk == FAKE_SOUND)
		read_special(t, out);
	if (out->kind == FAKE_ADDRESS || out->kind == FAKE_MANY)
		/*
		 * It is the last name of the chain that has AAAA or not, as when it is asked for
		 * directly.
		 */
		out->has_aaaa = out->quirk == FAKE_TYPE_MISSING || out->quirk == FAKE_BOTH_TYPES ||
		    fake_zone_has_aaaa(z, label.at, label.len);
	else
		out->quirk = FAKE_SOUND;
}

/* "cname-N-TARGET"; a target that is a chain itself would be another one when asked alone: none. */
static bool
read_chain(struct text *t, struct fake_name *out)
{
	unsigned n;

	if (!skip_word(t, "cname-"))
		return true;
	if (!read_number(t, 3, &n) || n == 0 || n > FAKE_CHAIN_MAX || !skip_word(t, "-"))
		return false;
	if (t->len == 0 || skip_word(t, "cname-"))
		return false;
	out->n_cnames = n;
	out->target = t->at;
	out->target_len = t->len;
	return true;
}

/*
 * "aaaa-N" right below the zone: its names are as those of a zone of that name, N percent of which
 * have AAAA. So one server has several shares at the same time.
 */
static bool
read_share(const struct fake_zone *z, struct text host, struct fake_name *out)
{
	const uint8_t *above = out->lower + 1 + host.len;
	struct text label = { above + 1, above[0] };
	struct fake_zone share;

	if (out->zone_at != 1 + host.len + 1 + label.len || !skip_word(&label, "aaaa-") ||
	    !read_number(&label, 3, &share.aaaa_percent) || label.len > 0 ||
	    share.aaaa_percent > 100)
		return false;
	share.len = 1u + above[0] + z->len;
	memcpy(share.name, above, share.len);
	read_host(&share, host, out);
	return true;
}

static void
read_in_zone(const struct fake_zone *z, struct fake_name *out)
{
	struct text label = { out->lower + 1, out->lower[0] };

	out->kind = FAKE_NOTHING;
	if (out->zone_at == 0)
		out->kind = FAKE_APEX;
	else if (out->zone_at != 1 + label.len && !read_share(z, label, out))
		(void)read_outcome(label, out);
	else if (out->zone_at == 1 + label.len && read_chain(&label, out))
		read_host(z, label, out);
}

static uint64_t
number_of(const char *digits)
{
	uint64_t v = 0;

	for (; *digits != '\0'; digits++)
		v = v * 10 + (uint64_t)(*digits - '0');
	return v;
}

/* Is a number in the range, or the beginning of one that is? */
static enum fake_kind
number_in_range(const struct fake_zone *z, const struct fake_name *q)
{
	uint64_t first = number_of(q->digits), last = first;

	if (q->n_digits > z->enum_digits)
		return FAKE_NOTHING;
	for (unsigned i = q->n_digits; i < z->enum_digits; i++) {
		first *= 10;
		last = last * 10 + 9;
	}
	if (last < z->enum_first || first > z->enum_last)
		return FAKE_NOTHING;
	return q->n_digits == z->enum_digits ? FAKE_NUMBER : FAKE_EMPTY;
}

/* "4.3.2.1.e164.arpa" is the number 1234. */
static void
read_telephone(const struct fake_zone *z, struct fake_name *out)
{
	size_t n = out->zone_at / 2;

	out->kind = out->zone_at == 0 ? FAKE_APEX : FAKE_NOTHING;
	if (out->zone_at == 0 || out->zone_at % 2 != 0 || n > FAKE_DIGITS_MAX)
		return;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = out->lower[2 * i + 1];

		if (out->lower[2 * i] != 1 || c < '0' || c > '9')
			return;
		out->digits[n - 1 - i] = (char)c;
	}
	out->digits[n] = '\0';
	out->n_digits = (unsigned)n;
	out->kind = z->enum_digits > 0 ? number_in_range(z, out) : FAKE_NUMBER;
	if (out->kind == FAKE_NUMBER && !in_percent(out->digits, n, z->enum_percent, FIXED_SEED))
		out->kind = FAKE_NOTHING;
}

/* "33.2.0.192.in-addr.arpa"; its parents are empty non-terminals. */
static void
read_reverse(struct fake_name *out)
{
	unsigned n = name_labels(out->lower) - name_labels(in_addr_arpa);
	const uint8_t *label = out->lower;

	out->kind = n == 0 ? FAKE_APEX : FAKE_NOTHING;
	if (n == 0 || n > 4)
		return;
	for (unsigned i = n; i-- > 0; label += 1 + label[0]) {
		struct text t = { label + 1, label[0] };
		unsigned v;

		/* One spelling of each number only: no leading zeros. */
		if (t.len > 1 && t.at[0] == '0')
			return;
		if (!read_number(&t, 3, &v) || t.len > 0 || v > 255)
			return;
		out->v4[i] = (uint8_t)v;
	}
	out->kind = n == 4 ? FAKE_POINTER : FAKE_EMPTY;
}

/* Is the name below ZONE? Then *at is where the zone begins in it. */
static bool
ends_in(const uint8_t *name, size_t len, const uint8_t *zone, size_t zone_len, size_t *at)
{
	size_t pos = 0;

	if (len < zone_len || memcmp(name + len - zone_len, zone, zone_len) != 0)
		return false;
	while (pos < len - zone_len)
		pos += 1u + name[pos];
	*at = pos;
	return pos == len - zone_len; /* at the beginning of a label */
}

void
fake_name_read(const struct fake_zone *z, const uint8_t *name, size_t len, struct fake_name *out)
{
	out->kind = FAKE_OUTSIDE;
	out->quirk = FAKE_SOUND;
	out->quirk_type = 0;
	out->has_aaaa = out->broken = false;
	out->n_cnames = 0;
	name_lower(out->lower, name, len);
	if (ends_in(out->lower, len, e164_arpa, sizeof(e164_arpa), &out->zone_at))
		read_telephone(z, out);
	else if (ends_in(out->lower, len, in_addr_arpa, sizeof(in_addr_arpa), &out->zone_at))
		read_reverse(out);
	else if (ends_in(out->lower, len, z->name, z->len, &out->zone_at))
		read_in_zone(z, out);
	if (out->kind != FAKE_OUTSIDE && out->kind != FAKE_APEX)
		out->broken = fake_zone_is_broken(z, out->lower, len);
}
