/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what an upstream replies while an AAAA question is open: the length of the first
 * reply in two bytes and flags in their upper bits, that reply, and one for all questions that
 * follow from it; after ROUNDS of these there is no such name. The question asked is
 * www.example.com; over UDP without EDNS, so 512 bytes are all the answer may have. Flags: LATE:
 * the first reply comes late, when the question has been sent again. AGAIN: the question is asked
 * again at once, when what the cache has of it has aged, and when that is stale, and so is the name
 * below it.
 */
#include "base/clock.h"
#include "dns/wire.h"
#include "fuzz/fuzz.h"

#define LATE 0x8000
#define AGAIN 0x4000
#define ROUNDS 4 /* questions that get the second reply */

static const uint8_t question[] = { 0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'w', 'w',
	'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

static const uint8_t below[] = { 0x12, 0x35, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 3, 'w',
	'w', 'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

/* The questions in flight end: there is no such name. */
static void
end(struct fuzz *f)
{
	while (f->n_open > 0)
		fuzz_deny(f);
	fuzz_wait(f);
}

static void
ask_again(struct fuzz *f, const uint8_t *data, size_t len)
{
	static const uint64_t later_s[] = { 0, 7, 100 };

	for (unsigned i = 0; i < sizeof(later_s) / sizeof(later_s[0]); i++) {
		unsigned n = f->n_questions;

		f->now_ns += later_s[i] * NS_PER_SEC;
		fuzz_ask(f, PACKET_CLIENT_UDP, 1, question, sizeof(question));
		if (f->n_questions != n)
			fuzz_reply(f, 0, data, len);
		fuzz_ask(f, PACKET_CLIENT_TCP, 1, below, sizeof(below));
		end(f);
		FUZZ_CHECK(f->n_answers == 3 + 2 * i);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f;
	size_t first;

	if (len < 2)
		return 0;
	first = wire_u16(data) & (AGAIN - 1);
	if (first > len - 2)
		first = len - 2;
	f = fuzz_begin();
	fuzz_ask(f, PACKET_CLIENT_UDP, 1, question, sizeof(question));
	FUZZ_CHECK(f->n_open == 1);
	if ((wire_u16(data) & LATE) != 0)
		fuzz_be_late(f);
	fuzz_reply(f, f->n_open - 1, data + 2, first);
	for (unsigned i = 1; i < ROUNDS && f->n_open > 0; i++)
		fuzz_reply(f, 0, data + 2 + first, len - 2 - first);
	end(f);
	FUZZ_CHECK(f->n_answers == 1);
	if ((wire_u16(data) & AGAIN) != 0)
		ask_again(f, data + 2, first);
	fuzz_end(f);
	return 0;
}
