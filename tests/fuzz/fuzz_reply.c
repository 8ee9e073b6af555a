/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what an upstream replies while an AAAA question is open: the length of the first
 * reply in two bytes and flags in their upper bits, that reply, and one for all questions that
 * follow from it; after ROUNDS of these there is no such name. The question asked is
 * www.example.com; over UDP without EDNS, so 512 bytes are all the answer may have. Flags: LATE:
 * the first reply comes late, when the question has been sent again. AGAIN: the question and one
 * for a name below it are asked once more, at once (1), when what the cache has of it has aged (2),
 * or when that is stale (3).
 */
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#define LATE 0x8000
#define AGAIN(flags) ((flags) >> 13 & 3)
#define FIRST_MAX 0x1fffu
#define FIRST(flags) ((flags)&FIRST_MAX)
#define ROUNDS 4 /* questions that get the second reply */

static const uint8_t question[] = { 0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'w', 'w',
	'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

static const uint8_t below[] = { 0x12, 0x35, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 3, 'w',
	'w', 'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 28, 0, 1 };

/* The questions in flight end: there is no such name. */
static void
end(struct fuzz *f)
{
	fuzz_deny(f);
	fuzz_wait(f);
}

static void
ask_again(struct fuzz *f, uint64_t later_s, const uint8_t *data, size_t len)
{
	unsigned n = f->n_questions;

	f->now_ns += later_s * NS_PER_SEC;
	fuzz_ask(f, TRANSPORT_UDP, 1, question, sizeof(question));
	if (f->n_questions != n)
		fuzz_reply(f, 0, data, len);
	fuzz_ask(f, TRANSPORT_TCP, 1, below, sizeof(below));
	end(f);
	FUZZ_CHECK(f->n_answers == 3);
}

/* One of the two replies changes, and the first one's length with it. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	static uint8_t changed[DNS_MSG_MAX];
	size_t first, room, n;

	if (len < 2 || len == cap || seed % 16 == 0)
		return LLVMFuzzerMutate(data, len, cap);
	first = FIRST(wire_u16(data)) < len - 2 ? FIRST(wire_u16(data)) : len - 2;
	if (seed % 2 == 0)
		return 2 + first +
		    mutate_message(data + 2 + first, len - 2 - first, cap - 2 - first, seed / 16);
	room = cap - (len - first);
	memcpy(changed, data + 2, first);
	n = mutate_message(changed, first, room < FIRST_MAX ? room : FIRST_MAX, seed / 16);
	memmove(data + 2 + n, data + 2 + first, len - 2 - first);
	memcpy(data + 2, changed, n);
	wire_set_u16(data, (uint16_t)((wire_u16(data) & ~FIRST_MAX) | n));
	return len - first + n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint64_t later_s[] = { 0, 0, 7, 100 };
	struct fuzz *f;
	unsigned flags;
	size_t first;

	if (len < 2)
		return 0;
	flags = wire_u16(data);
	first = FIRST(flags) < len - 2 ? FIRST(flags) : len - 2;
	f = fuzz_begin();
	fuzz_ask(f, TRANSPORT_UDP, 1, question, sizeof(question));
	FUZZ_CHECK(f->n_open == 1);
	if ((flags & LATE) != 0)
		fuzz_be_late(f);
	fuzz_reply(f, f->n_open - 1, data + 2, first);
	for (unsigned i = 1; i < ROUNDS && f->n_open > 0; i++)
		fuzz_reply(f, 0, data + 2 + first, len - 2 - first);
	end(f);
	FUZZ_CHECK(f->n_answers == 1);
	if (AGAIN(flags) != 0)
		ask_again(f, later_s[AGAIN(flags)], data + 2, first);
	fuzz_end(f);
	return 0;
}
