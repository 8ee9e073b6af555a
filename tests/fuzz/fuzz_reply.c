/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what an upstream replies while an AAAA question is open: the length of the first
 * reply in two bytes, that reply, and one for all questions that follow from it. The question
 * asked is www.example.com; over UDP without EDNS, so 512 bytes are all the answer may have.
 */
#include "dns/wire.h"
#include "fuzz/fuzz.h"

#define ROUNDS 8 /* questions that get a reply; more end by time */

static const uint8_t question[] = { 0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'w', 'w',
	'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz f;
	size_t first;

	if (len < 2)
		return 0;
	first = wire_u16(data) < len - 2 ? wire_u16(data) : len - 2;
	fuzz_start(&f);
	f.limit = DNS_UDP_MIN;
	fuzz_ask(&f, ENGINE_CLIENT_UDP, question, sizeof(question));
	FUZZ_CHECK(f.asked);
	fuzz_reply(&f, data + 2, first);
	for (unsigned i = 1; i < ROUNDS && f.asked; i++)
		fuzz_reply(&f, data + 2 + first, len - 2 - first);
	fuzz_wait(&f);
	FUZZ_CHECK(f.n_answers == 1);
	fuzz_end(&f);
	return 0;
}
