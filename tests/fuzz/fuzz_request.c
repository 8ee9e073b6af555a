/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what a client sent: over UDP, then over TCP when what the first led to is in the
 * cache. Upstream replies at once: with an address to questions for A, that there is none to
 * others.
 */
#include <string.h>

#include "dns/build.h"
#include "dns/header.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#define ROUNDS 16

/* The question of Q with an A behind it, or nothing. */
static size_t
reply_to(const struct fuzz_question *q, uint8_t *reply)
{
	static const uint8_t a[] = { 0xc0, HEADER_QNAME, 0, DNS_TYPE_A, 0, DNS_CLASS_IN, 0, 0, 0,
		60, 0, 4, 192, 0, 2, 33 };
	struct msg m;
	size_t len;

	FUZZ_CHECK(msg_parse(&m, q->bytes, q->len) == MSG_OK);
	len = HEADER_QNAME + m.qname_len + HEADER_QUESTION_FIXED;
	memcpy(reply, q->bytes, len);
	header_set(reply, HEADER_FLAGS, DNS_QR | DNS_RD | DNS_RA);
	memset(reply + HEADER_ANCOUNT, 0, DNS_HEADER_LEN - HEADER_ANCOUNT);
	if (m.qtype != DNS_TYPE_A)
		return len;
	header_set(reply, HEADER_ANCOUNT, 1);
	memcpy(reply + len, a, sizeof(a));
	return len + sizeof(a);
}

static void
ask(struct fuzz *f, enum transport transport, const uint8_t *data, size_t len)
{
	static uint8_t reply[PACKET_UDP_CAP + 64];

	fuzz_ask(f, transport, 1, data, len);
	for (unsigned i = 0; i < ROUNDS && f->n_open > 0; i++)
		fuzz_reply(f, 0, reply, reply_to(f->open[0], reply));
	fuzz_wait(f);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(0, data, len, cap, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f = fuzz_begin();

	ask(f, TRANSPORT_UDP, data, len);
	if (len <= DNS_MSG_MAX)
		ask(f, TRANSPORT_TCP, data, len);
	FUZZ_CHECK(f->n_answers <= 2);
	fuzz_end(f);
	return 0;
}
