/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what an upstream replies while an AAAA question is open: the length of the first
 * reply in two bytes (with the highest bit set it comes late, when the question has been sent
 * again), that reply, and one for all questions that follow from it. The question asked is
 * www.example.com; over UDP without EDNS, so 512 bytes are all the answer may have. It is asked
 * again at once, when what the cache has of it has aged, and when that is stale, and so is the name
 * below it.
 */
#include "base/clock.h"
#include "dns/wire.h"
#include "fuzz/fuzz.h"

#define LATE 0x8000
#define ROUNDS 8 /* questions that get a reply; more end by time */

static const uint8_t question[] = { 0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'w', 'w',
	'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

static const uint8_t below[] = { 0x12, 0x35, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 3, 'w',
	'w', 'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

static void
ask_again(struct fuzz *f, const uint8_t *data, size_t len)
{
	static const uint64_t later_s[] = { 0, 7, 100 };

	for (unsigned i = 0; i < sizeof(later_s) / sizeof(later_s[0]); i++) {
		f->now_ns += later_s[i] * NS_PER_SEC;
		fuzz_ask(f, PACKET_CLIENT_UDP, question, sizeof(question));
		if (f->asked)
			fuzz_reply(f, data, len);
		fuzz_ask(f, PACKET_CLIENT_TCP, below, sizeof(below));
		fuzz_wait(f);
		FUZZ_CHECK(f->n_answers == 3 + 2 * i);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz f;
	size_t first;

	if (len < 2)
		return 0;
	first = wire_u16(data) & (LATE - 1);
	if (first > len - 2)
		first = len - 2;
	fuzz_start(&f);
	f.limit = DNS_UDP_MIN;
	fuzz_ask(&f, PACKET_CLIENT_UDP, question, sizeof(question));
	FUZZ_CHECK(f.asked);
	if (wire_u16(data) & LATE)
		fuzz_be_late(&f);
	fuzz_reply(&f, data + 2, first);
	for (unsigned i = 1; i < ROUNDS && f.asked; i++)
		fuzz_reply(&f, data + 2 + first, len - 2 - first);
	fuzz_wait(&f);
	FUZZ_CHECK(f.n_answers == 1);
	ask_again(&f, data + 2, first);
	fuzz_end(&f);
	return 0;
}
