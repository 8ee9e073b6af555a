/* SPDX-License-Identifier: BSD-2-Clause */
/* The first byte chooses the prefix's length, the rest is a reply; see making.h for its fate. */
#include <string.h>

#include "dns64/pref64.h"
#include "fuzz/fuzz.h"
#include "fuzz/making.h"
#include "fuzz/mutate.h"
#include "support/configured.h"

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(1, data, len, cap, seed);
}

/* What msg_plain says of M is what msg_parse found. */
static void
check_plain(const struct msg *m)
{
	struct msg plain;

	if (!msg_is_plain(m) || m->edns.present)
		return;
	msg_plain(&plain, m->bytes, m->len, m->qname_len);
	FUZZ_CHECK(memcmp(plain.at, m->at, sizeof(m->at)) == 0);
	FUZZ_CHECK(memcmp(plain.count, m->count, sizeof(m->count)) == 0);
	FUZZ_CHECK(plain.rcode == m->rcode && plain.signature == m->signature);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const prefixes[] = { "2001:db8::/32", "2001:db8::/40", "2001:db8::/48",
		"2001:db8::/56", "2001:db8::/64", "64:ff9b::/96" };
	static const size_t limits[] = { 512, 513, 1232, 4096, DNS_MSG_MAX };
	static struct policies *ps; /* made once */
	struct pref64 prefix;
	struct msg m, made;
	uint8_t *buf;

	if (len == 0 || msg_parse(&m, data + 1, len - 1) != MSG_OK || m.qdcount == 0)
		return 0;
	check_plain(&m);
	FUZZ_CHECK(pref64_parse(prefixes[data[0] % 6], &prefix) == PREF64_OK);
	if (ps == NULL)
		ps = configured_policies("");
	const struct synth_policy policy = { .prefixes = { prefix },
		.n_prefixes = 1,
		.n_general = 1,
		.active_bits = 1,
		.v4 = ps->table[0].synth.v4,
		.excluded = ps->table[0].synth.excluded };
	buf = malloc(DNS_MSG_MAX);
	FUZZ_CHECK(buf != NULL);
	for (enum making what = 0; what < MAKINGS; what++) {
		for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
			size_t n = making_build(what, &policy, &m, buf, limits[i]);

			FUZZ_CHECK(n <= limits[i] && msg_parse(&made, buf, n) == MSG_OK);
		}
	}
	free(buf);
	return 0;
}
