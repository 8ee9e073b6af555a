/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dnstap (https://dnstap.info): frames (https://farsightsec.github.io/fstrm/) of protocol buffers,
 * of which a few fields are read, by their numbers in the public schema.
 */
#include "bench/load/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"

#define CONTENT "protobuf:dnstap.Dnstap"

/* Frame Streams: a length of 0 escapes a control frame. */
#define CONTROL_START 2
#define CONTROL_STOP 3
#define FIELD_CONTENT_TYPE 1
#define CONTROL_MAX 512 /* bytes of a control frame */

/* Fields of Dnstap and Message, and the type of message that we take. */
#define DNSTAP_MESSAGE 14
#define MESSAGE_TYPE 1
#define MESSAGE_QUERY_SEC 8
#define MESSAGE_QUERY_NSEC 9
#define MESSAGE_QUERY 10
#define CLIENT_QUERY 5

/* --- Protocol buffers ------------------------------------------------------------------------- */

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct field {
	uint64_t number;
	enum wire_type type;
	uint64_t value;       /* of a number */
	const uint8_t *bytes; /* borrowed, value of them */
};

/* Seven bits a byte, the lowest first. */
static uint64_t
get_varint(struct wire_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = wire_get_u8(r);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return v;
	}
	r->bad = true;
	return 0;
}

/* N bytes, the lowest first. */
static uint64_t
get_fixed(struct wire_reader *r, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)wire_get_u8(r) << 8 * i;
	return v;
}

/* The next field. False: there is none, or it is malformed; then R is bad. */
static bool
next_field(struct wire_reader *r, struct field *f)
{
	if (r->bad || r->pos == r->len)
		return false;
	uint64_t key = get_varint(r);
	*f = (struct field){ .number = key >> 3, .type = (enum wire_type)(key & 7) };
	switch (f->type) {
	case VARINT:
		f->value = get_varint(r);
		break;
	case FIXED64:
		f->value = get_fixed(r, 8);
		break;
	case FIXED32:
		f->value = get_fixed(r, 4);
		break;
	case BYTES:
		f->value = get_varint(r);
		f->bytes = r->buf + r->pos;
		wire_skip(r, f->value);
		break;
	default:
		r->bad = true;
	}
	return !r->bad;
}

/* --- Messages --------------------------------------------------------------------------------- */

struct message {
	uint64_t type;
	uint64_t seconds, ns;
	const uint8_t *query; /* borrowed; NULL: none */
	size_t query_len;
};

/* False: the bytes are no message. */
static bool
read_message(const uint8_t *bytes, size_t len, struct message *m)
{
	struct wire_reader r = { .buf = bytes, .len = len };
	struct field f;

	*m = (struct message){ .type = 0 };
	while (next_field(&r, &f)) {
		if (f.number == MESSAGE_TYPE && f.type == VARINT)
			m->type = f.value;
		if (f.number == MESSAGE_QUERY_SEC && f.type == VARINT)
			m->seconds = f.value;
		if (f.number == MESSAGE_QUERY_NSEC && f.type == FIXED32)
			m->ns = f.value;
		if (f.number == MESSAGE_QUERY && f.type == BYTES) {
			m->query = f.bytes;
			m->query_len = f.value;
		}
	}
	return !r.bad && m->seconds <= BENCH_SECONDS_MAX && m->ns < NS_PER_SEC;
}

static bool
take_frame(struct bench_input *in, const char *at, const uint8_t *bytes, size_t len)
{
	struct wire_reader r = { .buf = bytes, .len = len };
	struct message m = { .type = 0 };
	struct field f;

	while (next_field(&r, &f)) {
		if (f.number == DNSTAP_MESSAGE && f.type == BYTES &&
		    !read_message(f.bytes, f.value, &m))
			return bench_input_fail(in, "%s: no dnstap message", at);
	}
	if (r.bad)
		return bench_input_fail(in, "%s: no dnstap frame", at);
	if (m.type == CLIENT_QUERY && m.query != NULL)
		return bench_input_message(
		    in, at, m.seconds * NS_PER_SEC + m.ns, m.query, m.query_len);
	in->to->n_left_out++;
	return true;
}

/* --- Frames ----------------------------------------------------------------------------------- */

bool
bench_input_is_dnstap(const struct bench_input *in)
{
	struct wire_reader r = { .buf = in->bytes, .len = in->len };
	uint32_t escape = wire_get_u32(&r), len = wire_get_u32(&r), type = wire_get_u32(&r);

	return !r.bad && escape == 0 && len >= 4 && len <= CONTROL_MAX && type == CONTROL_START;
}

/* The contents that START announces, if any, must be dnstap. */
static bool
check_start(struct bench_input *in, struct wire_reader r)
{
	while (r.pos < r.len && !r.bad) {
		uint32_t type = wire_get_u32(&r), len = wire_get_u32(&r);

		wire_skip(&r, len);
		if (!r.bad && type == FIELD_CONTENT_TYPE &&
		    (len != strlen(CONTENT) || memcmp(r.buf + r.pos - len, CONTENT, len) != 0))
			return bench_input_fail(in, "the frames are not of %s", CONTENT);
	}
	return !r.bad || bench_input_fail(in, "offset 0: the frame that begins it is malformed");
}

/* A control frame behind its escape; *stop: it ends the file. */
static bool
take_control(struct bench_input *in, const char *at, struct wire_reader *r, bool *stop)
{
	uint32_t len = wire_get_u32(r);
	struct wire_reader frame = { .buf = r->buf + r->pos, .len = len };

	if (len < 4 || len > CONTROL_MAX || !wire_can_read(r, len))
		return bench_input_fail(in, "%s: no control frame", at);
	wire_skip(r, len);
	uint32_t type = wire_get_u32(&frame);
	*stop = type == CONTROL_STOP;
	return type != CONTROL_START || check_start(in, frame);
}

/* A file that was not closed has no STOP. */
bool
bench_input_dnstap(struct bench_input *in)
{
	struct wire_reader r = { .buf = in->bytes, .len = in->len };
	bool stop = false;

	in->to->format = "dnstap";
	while (r.pos < r.len && !stop) {
		char at[32];

		(void)snprintf(at, sizeof(at), "offset %zu", r.pos);
		uint32_t len = wire_get_u32(&r);
		if (len == 0 && !r.bad) {
			if (!take_control(in, at, &r, &stop))
				return false;
			continue;
		}
		const uint8_t *frame = r.buf + r.pos;
		wire_skip(&r, len);
		if (r.bad)
			return bench_input_fail(in, "%s: the frame is cut off", at);
		if (!take_frame(in, at, frame, len))
			return false;
	}
	return true;
}
