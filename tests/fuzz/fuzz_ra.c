/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are a router advertisement. Each prefix that is found is one that dns64-prefix takes.
 */
#include "dns64/pref64_ra.h"
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char text[PREF64_TEXT];
	struct pref64_ra ra;
	struct pref64 p;

	if (pref64_ra_parse(data, len, &ra) != PREF64_RA_OK) {
		FUZZ_CHECK(ra.n == 0 && ra.n_bad == 0 && !ra.more);
		return 0;
	}
	FUZZ_CHECK(ra.n <= PREF64_RA_MAX && (size_t)ra.n * 16 <= len);
	for (unsigned i = 0; i < ra.n; i++) {
		const struct pref64_ra_option *o = &ra.options[i];

		FUZZ_CHECK(o->lifetime_s <= 65528 && o->lifetime_s % 8 == 0);
		FUZZ_CHECK(pref64_parse(pref64_format(&o->prefix, text), &p) == PREF64_OK);
		FUZZ_CHECK(pref64_same(&p, &o->prefix) && p.well_known == o->prefix.well_known);
	}
	return 0;
}
