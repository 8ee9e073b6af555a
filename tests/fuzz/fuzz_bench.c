/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are a reply to dns64bench: the kind of the question, bits of the load, the question's
 * number in two bytes, the reply. With the last bit its question section is made to match.
 */
#include <string.h>

#include "bench/load/load.h"
#include "dns/wire.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

enum { OWN_PREFIX = 1, SOME_AAAA = 2, MATCH = 4 };

static void
make_load(struct bench_load *l, unsigned bits)
{
	bench_load_init(l);
	l->any_prefix = (bits & OWN_PREFIX) == 0;
	FUZZ_CHECK(pref64_parse("2001:db8:64::/96", &l->prefix) == PREF64_OK);
	l->zone.aaaa_percent = (bits & SOME_AAAA) != 0 ? 50 : 0;
	l->numbers = l->missing = (struct bench_range){ .first = 0, .last = 99999, .digits = 5 };
}

/* The question instead of what the reply has in its place. */
static void
match(const struct bench_load *l, struct bench_question q, uint8_t *reply, size_t len)
{
	uint8_t question[BENCH_QUESTION_MAX];
	size_t n = bench_load_write(l, q, 0, question);

	if (len < n)
		return;
	wire_set_u16(reply + 4, 1);
	memcpy(reply + DNS_HEADER_LEN, question + DNS_HEADER_LEN, n - DNS_HEADER_LEN);
}

static void
judge(const struct bench_load *l, struct bench_question q, const uint8_t *reply, size_t len)
{
	struct bench_question next = { q.kind, q.number + 1 };
	struct msg m;

	if (!bench_load_parse(&m, reply, len) || !bench_load_is_for(l, q, &m))
		return;
	FUZZ_CHECK(!bench_load_is_for(l, next, &m));
	enum bench_verdict v = bench_load_judge(l, q, &m);
	FUZZ_CHECK(bench_verdict_name(v) != NULL);
	FUZZ_CHECK(v != BENCH_VALID || (m.flags & (DNS_QR | DNS_TC)) == DNS_QR);
	FUZZ_CHECK(v != BENCH_VALID || m.rcode == DNS_NXDOMAIN || m.count[MSG_ANSWER] > 0);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(4, data, len, cap, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len > 4 ? len - 4 : 1); /* so that a sanitizer sees its end */
	struct bench_load l;

	FUZZ_CHECK(copy != NULL);
	if (len >= 4) {
		struct bench_question q = { (enum bench_kind)(data[0] % BENCH_REPLAY),
			wire_u16(data + 2) };

		make_load(&l, data[1]);
		memcpy(copy, data + 4, len - 4);
		if ((data[1] & MATCH) != 0)
			match(&l, q, copy, len - 4);
		judge(&l, q, copy, len - 4);
	}
	free(copy);
	return 0;
}
