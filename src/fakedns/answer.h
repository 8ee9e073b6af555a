/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_ANSWER_H
#define DNS64D_FAKEDNS_ANSWER_H

/*
 * fake_answer: from the bytes of a question to the bytes of fakedns's answer. Pure.
 *
 * It parses with msg_parse, as the daemon that it tests does, but writes messages by itself: a
 * fault of dns/build would not be seen if fakedns had the same fault.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "tools/fake_name.h"

#define FAKE_BUFSIZE 1232 /* bytes, in the OPT of answers: the largest question over UDP */

/* What to answer; set once, then shared by all threads. */
struct fake_policy {
	struct fake_zone zone;
	uint32_t ttl;          /* s */
	uint32_t negative_ttl; /* s: TTL and MINIMUM of the SOA (RFC 2308 section 5) */
	bool no_edns;          /* FORMERR to questions with OPT */
	bool forced;           /* answer with RCODE and without records */
	uint16_t rcode;        /* 12 bits */
	uint16_t rcode_type;   /* only questions for this type are forced; 0: all */
	uint16_t broken_type;  /* broken names do not answer this type only; 0: all */
};

struct fake_question {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	bool tcp;
	bool truncate; /* answer with TC and without records, unless over TCP */
	bool unforced; /* answer as if the policy forced nothing */
};

enum fake_verdict {
	FAKE_ANSWERED,
	FAKE_MUTE,   /* a name that never gets a reply */
	FAKE_GARBAGE /* no question: FORMERR, or nothing where even that would be wrong */
};

/*
 * fake_answer: write the answer to Q to CAP bytes (>= 512) at OUT. Returns its length, 0 for no
 * answer; *verdict says why. Records beyond the client's limit or CAP are left out, and TC is
 * set.
 */
MUST_USE size_t fake_answer(const struct fake_policy *p, const struct fake_question *q,
    uint8_t *out, size_t cap, enum fake_verdict *verdict);

#endif
