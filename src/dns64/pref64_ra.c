/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/pref64_ra.h"

#include <string.h>

/* RFC 4861 sections 4.2 and 4.6 */
#define TYPE 134
#define HEADER_LEN 16
#define OPTION_UNIT 8 /* bytes, that the second byte of an option counts */

/* RFC 8781 section 4 */
#define PREF64_OPTION 38
#define PREF64_LEN 16
#define PREFIX_AT 4 /* behind type, length, lifetime and code */
#define PREFIX_BYTES 12
#define CODE_BITS 3
#define LIFETIME_UNIT 8 /* s */

/* Read the PREF64 option at O, PREF64_LEN bytes. False: it cannot be. */
static bool
read_option(const uint8_t *o, struct pref64_ra_option *out)
{
	static const uint8_t lengths[] = { 96, 64, 56, 48, 40, 32 };
	unsigned both = (unsigned)o[2] << 8 | o[3];
	unsigned code = both & ((1U << CODE_BITS) - 1);
	uint8_t addr[16] = { 0 };

	memcpy(addr, o + PREFIX_AT, PREFIX_BYTES);
	out->lifetime_s = (both >> CODE_BITS) * LIFETIME_UNIT;
	return code < sizeof(lengths) && pref64_of(addr, lengths[code], &out->prefix) == PREF64_OK;
}

static void
add(struct pref64_ra *ra, const uint8_t *o, size_t len)
{
	struct pref64_ra_option option;

	if (len != PREF64_LEN || !read_option(o, &option))
		ra->n_bad++;
	else if (ra->n == PREF64_RA_MAX)
		ra->more = true;
	else
		ra->options[ra->n++] = option;
}

enum pref64_ra_verdict
pref64_ra_parse(const uint8_t *msg, size_t len, struct pref64_ra *ra)
{
	struct pref64_ra found = { .n = 0 };

	*ra = found;
	if (len >= 2 && (msg[0] != TYPE || msg[1] != 0))
		return PREF64_RA_OTHER;
	if (len < HEADER_LEN)
		return PREF64_RA_MALFORMED;
	for (size_t at = HEADER_LEN, n; at < len; at += n) {
		n = len - at >= 2 ? (size_t)msg[at + 1] * OPTION_UNIT : 0;
		if (n == 0 || n > len - at)
			return PREF64_RA_MALFORMED;
		if (msg[at] == PREF64_OPTION)
			add(&found, msg + at, n);
	}
	*ra = found;
	return PREF64_RA_OK;
}
