/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_MESSAGE_H
#define DNS64D_TESTS_SUPPORT_MESSAGE_H

/* message: messages in the form of hex.h, read and compared inside Check tests. */

#include <stddef.h>
#include <stdint.h>

#include "dns/msg.h"

/*
 * message_read: TEXT's bytes to BUF (CAP bytes), parsed to *m, which must be MSG_OK. BUF is
 * borrowed by *m.
 */
void message_read(struct msg *m, uint8_t *buf, size_t cap, const char *text);

/* message_expect: are the LEN bytes at GOT those of TEXT? Fails the test with both in hex. */
void message_expect(const uint8_t *got, size_t len, const char *text);

/*
 * message_sound: the LEN bytes at BYTES, which may be LIMIT at most, parse as MSG_OK to *m, and
 * all owners and all names in the RDATA of NS, CNAME, SOA, PTR and MX expand.
 */
void message_sound(struct msg *m, const uint8_t *bytes, size_t len, size_t limit);

/* message_record: record I, from 0, of section S of M, which must have it. */
struct rr message_record(const struct msg *m, enum msg_section s, unsigned i);

#endif
