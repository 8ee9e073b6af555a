/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are a reply to the question for AAAA of ipv4only.arpa. */
#include "dns64/discover.h"
#include "dns64/special.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_message(data, len, cap, seed);
}

/* Does an AAAA record of M have a well-known address under P? */
static bool
is_there(const struct msg *m, const struct pref64 *p)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;
	uint8_t v4[4];

	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_AAAA && rr.rdlen == 16 &&
		    pref64_extract(p, m->bytes + rr.rdata, v4) && special_is_wka(v4))
			return true;
	}
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	enum discover_verdict verdict;
	char text[PREF64_TEXT];
	struct discover d;
	struct pref64 p;
	struct msg m;

	if (msg_parse(&m, data, len) != MSG_OK || m.qdcount == 0)
		return 0;
	verdict = discover_reply(&m, &d);
	FUZZ_CHECK((verdict == DISCOVER_FOUND) == (d.n > 0) && d.n <= DISCOVER_MAX);
	FUZZ_CHECK(d.ttl <= DNS_TTL_MAX && (d.n > 0 || d.ttl == 0));
	for (unsigned i = 0; i < d.n; i++) {
		FUZZ_CHECK(pref64_parse(pref64_format(&d.prefixes[i], text), &p) == PREF64_OK);
		FUZZ_CHECK(is_there(&m, &d.prefixes[i]));
		for (unsigned k = 0; k < i; k++)
			FUZZ_CHECK(!pref64_same(&d.prefixes[i], &d.prefixes[k]));
	}
	return 0;
}
