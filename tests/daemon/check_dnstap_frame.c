/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of dnstap, read back by the rules of protobuf's encoding alone. */

#include "daemon/dnstap_frame.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "core/reason.h"
#include "support/tests.h"

#ifdef HAVE_DNSTAP

#define SHIFT_NS (1700000000 * NS_PER_SEC)
#define FIELDS 16

/* A message of protobuf: by field number what it has, each once. */
struct fields {
	bool has[FIELDS];
	uint64_t number[FIELDS];
	const uint8_t *bytes[FIELDS]; /* borrowed, of number octets */
};

static uint8_t frame[DNSTAP_FRAME_MAX];
static struct fields outer, inner;

static uint64_t
varint(const uint8_t **at)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**at & 127) << (7 * shift++);
	while (*(*at)++ & 128);
	return v;
}

static void
read_fields(struct fields *f, const uint8_t *at, size_t len)
{
	const uint8_t *end = at + len;

	memset(f, 0, sizeof(*f));
	while (at < end) {
		uint64_t key = varint(&at);
		unsigned n = (unsigned)(key >> 3);

		ck_assert_uint_lt(n, FIELDS);
		ck_assert(!f->has[n]);
		f->has[n] = true;
		switch (key & 7) {
		case 0:
			f->number[n] = varint(&at);
			break;
		case 2:
			f->number[n] = varint(&at);
			f->bytes[n] = at;
			at += f->number[n];
			break;
		case 5: /* little endian */
			for (unsigned i = 0; i < 4; i++)
				f->number[n] |= (uint64_t)*at++ << (8 * i);
			break;
		default:
			ck_abort_msg("wire type %u", (unsigned)(key & 7));
		}
	}
	ck_assert_ptr_eq(at, end);
}

/* Make the frame of R, whose message is MSG, and read it to outer and inner. */
static void
make(const struct dnstap_about *about, const struct dnstap_tap_record *r, const uint8_t *msg)
{
	size_t len = dnstap_frame(about, r, msg, SHIFT_NS, frame);

	ck_assert_uint_le(len, sizeof(frame));
	read_fields(&outer, frame, len);
	ck_assert_uint_eq(outer.number[15], 1); /* a MESSAGE */
	ck_assert(outer.has[14]);
	read_fields(&inner, outer.bytes[14], outer.number[14]);
}

static void
is_text(const struct fields *f, unsigned n, const char *text)
{
	ck_assert(f->has[n]);
	ck_assert_uint_eq(f->number[n], strlen(text));
	ck_assert_mem_eq(f->bytes[n], text, strlen(text));
}

/* The fields of inner are those in LIST, ended by 0, and no others. */
static void
has_only(const unsigned *list)
{
	for (unsigned i = 1; i < FIELDS; i++) {
		bool wanted = false;

		for (const unsigned *n = list; *n != 0; n++)
			wanted = wanted || *n == i;
		ck_assert_msg(inner.has[i] == wanted, "field %u", i);
	}
}

static const struct {
	enum conf_dnstap_type type;
	bool tcp;
	const char *peer, *local;
	uint64_t number;         /* dnstap's */
	unsigned fields[FIELDS]; /* in the message, ended by 0 */
} types[] = {
	{ CONF_CLIENT_QUERY, false, "2001:db8::1", "2001:db8::53", 5,
	    { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 } },
	{ CONF_CLIENT_QUERY, true, "192.0.2.1", NULL, 5, { 1, 2, 3, 4, 6, 8, 9, 10, 0 } },
	{ CONF_CLIENT_RESPONSE, true, "2001:db8::1", "2001:db8::53", 6,
	    { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 0 } },
	{ CONF_CLIENT_RESPONSE, false, "192.0.2.1", NULL, 6,
	    { 1, 2, 3, 4, 6, 8, 9, 12, 13, 14, 0 } },
	{ CONF_FORWARDER_QUERY, false, "192.0.2.1", NULL, 7, { 1, 2, 3, 5, 7, 8, 9, 10, 0 } },
	{ CONF_FORWARDER_RESPONSE, true, "2001:db8::1", NULL, 8,
	    { 1, 2, 3, 5, 7, 8, 9, 12, 13, 14, 0 } },
};

/* D34: each type has what belongs to it, and nothing else. */
START_TEST(each_type_has_its_fields)
{
	const struct dnstap_about about = { .identity = "here", .version = "dns64d 7" };
	struct dnstap_tap_record r = { .at_ns = 5 * NS_PER_SEC + 999999999,
		.asked_ns = 4 * NS_PER_SEC + 3,
		.len = 4,
		.type = (uint8_t)types[_i].type,
		.reason = REASON_SYNTH_NO_AAAA,
		.transport = types[_i].tcp ? TRANSPORT_TCP : TRANSPORT_UDP };
	bool v4 = strchr(types[_i].peer, ':') == NULL, response = types[_i].number % 2 == 0;
	bool client = types[_i].number < 7;
	unsigned address = client ? 4 : 5;

	ck_assert(netaddr_parse(types[_i].peer, 1025, &r.peer));
	if (types[_i].local != NULL)
		ck_assert(netaddr_parse(types[_i].local, 53, &r.local));
	make(&about, &r, (const uint8_t *)"wire");
	has_only(types[_i].fields);
	ck_assert_uint_eq(inner.number[1], types[_i].number);
	ck_assert_uint_eq(inner.number[2], v4 ? 1 : 2);
	ck_assert_uint_eq(inner.number[3], types[_i].tcp ? 2 : 1);
	ck_assert_uint_eq(inner.number[address], v4 ? 4 : 16);
	ck_assert_mem_eq(inner.bytes[address], r.peer.addr, v4 ? 4 : 16);
	ck_assert_uint_eq(inner.number[client ? 6 : 7], 1025);
	if (types[_i].local != NULL) {
		ck_assert_mem_eq(inner.bytes[5], r.local.addr, 16);
		ck_assert_uint_eq(inner.number[7], 53);
	}
	ck_assert_uint_eq(inner.number[8], 1700000000 + (response ? 4 : 5));
	ck_assert_uint_eq(inner.number[9], response ? 3 : 999999999);
	if (response) {
		ck_assert_uint_eq(inner.number[12], 1700000005);
		ck_assert_uint_eq(inner.number[13], 999999999);
	}
	is_text(&inner, response ? 14 : 10, "wire");
	is_text(&outer, 1, "here");
	is_text(&outer, 2, "dns64d 7");
	if (types[_i].type == CONF_CLIENT_RESPONSE)
		is_text(&outer, 3, "reason=synth-no-aaaa");
	else
		ck_assert(!outer.has[3]);
}
END_TEST

START_TEST(what_is_not_known_is_left_out)
{
	const struct dnstap_about about = { .identity = "" };
	struct dnstap_tap_record r = { .len = 1, .type = CONF_CLIENT_QUERY };

	ck_assert(netaddr_parse("2001:db8::1", 1, &r.peer));
	ck_assert(netaddr_parse("2001:db8::2", 0, &r.local)); /* where a datagram was sent to */
	make(&about, &r, (const uint8_t *)"x");
	ck_assert(!outer.has[1] && !outer.has[2]);
	ck_assert(inner.has[5] && !inner.has[7]);
	/* The address that a proxy asked for a client of the other family (D35). */
	ck_assert(netaddr_parse("192.0.2.2", 0, &r.local));
	make(&about, &r, (const uint8_t *)"x");
	ck_assert(inner.has[4] && !inner.has[5] && !inner.has[7]);
}
END_TEST

START_TEST(largest_message_has_room)
{
	static uint8_t msg[65535];
	struct dnstap_about about;
	struct dnstap_tap_record r = { .at_ns = UINT64_MAX / 2,
		.asked_ns = UINT64_MAX / 2,
		.len = 65535,
		.type = CONF_CLIENT_RESPONSE,
		.transport = TRANSPORT_TCP };

	memset(&about, 'a', sizeof(about));
	about.identity[DNSTAP_FRAME_NAME - 1] = about.version[DNSTAP_FRAME_NAME - 1] = '\0';
	msg[65534] = 9;
	ck_assert(netaddr_parse("2001:db8::1", 65535, &r.peer));
	r.local = r.peer;
	make(&about, &r, msg);
	ck_assert_uint_eq(inner.number[14], 65535);
	ck_assert_mem_eq(inner.bytes[14], msg, 65535);
	/* The name of every reason has room, too. */
	for (unsigned i = 0; i < REASON_N; i++) {
		char text[128];

		r.reason = (uint8_t)i;
		r.len = 12;
		make(&about, &r, msg);
		(void)snprintf(text, sizeof(text), "reason=%s", reason_row((enum reason)i)->name);
		is_text(&outer, 3, text);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, each_type_has_its_fields, 0, sizeof(types) / sizeof(types[0]));
	tcase_add_test(tc, what_is_not_known_is_left_out);
	tcase_add_test(tc, largest_message_has_room);
}

#else

void
tests_add(TCase *tc)
{
	(void)tc;
	tests_skip("built without dnstap");
}

#endif
