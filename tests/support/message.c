/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/message.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/hex.h"

#define TEXT_MAX 1024 /* bytes of a message that are shown */

void
message_read(struct msg *m, uint8_t *buf, size_t cap, const char *text)
{
	size_t len = hex_read(text, buf, cap);

	ck_assert_int_eq(msg_parse(m, buf, len), MSG_OK);
}

static void
to_hex(const uint8_t *bytes, size_t len, char text[static 3 * TEXT_MAX + 1])
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < len && i < TEXT_MAX; i++)
		n += (size_t)sprintf(text + n, i % 2 != 0 ? "%02x " : "%02x", (unsigned)bytes[i]);
}

void
message_expect(const uint8_t *got, size_t len, const char *text)
{
	static uint8_t want[DNS_MSG_MAX];
	static char got_text[3 * TEXT_MAX + 1];
	static char want_text[3 * TEXT_MAX + 1];
	size_t want_len = hex_read(text, want, sizeof(want));

	if (len == want_len && memcmp(got, want, len) == 0)
		return;
	to_hex(got, len, got_text);
	to_hex(want, want_len, want_text);
	ck_abort_msg("got  %zu bytes: %s\nwant %zu bytes: %s", len, got_text, want_len, want_text);
}

static void
check_rdata(const struct msg *m, const struct rr *rr)
{
	uint8_t name[DNS_NAME_MAX];

	switch (rr->type) {
	case DNS_TYPE_NS:
	case DNS_TYPE_CNAME:
	case DNS_TYPE_SOA:
	case DNS_TYPE_PTR:
		ck_assert_uint_gt(msg_rdata_name(m, rr, 0, name), 0);
		break;
	case DNS_TYPE_MX:
		ck_assert_uint_gt(msg_rdata_name(m, rr, 2, name), 0);
		break;
	default:
		break;
	}
}

void
message_sound(struct msg *m, const uint8_t *bytes, size_t len, size_t limit)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_uint_le(len, limit);
	ck_assert_int_eq(msg_parse(m, bytes, len), MSG_OK);
	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(m, (enum msg_section)s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			ck_assert_uint_gt(msg_owner(m, &rr, name), 0);
			check_rdata(m, &rr);
		}
	}
}

struct rr
message_record(const struct msg *m, enum msg_section s, unsigned i)
{
	struct msg_walk w = msg_walk(m, s);
	struct rr rr;

	do
		ck_assert(msg_walk_next(&w, &rr));
	while (i-- > 0);
	return rr;
}
