/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/netaddr.h"
#include "dns/mnemonic.h"
#include "dns/type.h"

/* A text that grows. */
struct text {
	char *bytes;
	size_t len;
	bool full;
};

PRINTF_LIKE(2, 3)
static void
put(struct text *t, const char *format, ...)
{
	size_t room = PRINT_TEXT - sizeof("...") - t->len;
	va_list args;
	int n;

	if (t->full)
		return;
	va_start(args, format);
	n = vsnprintf(t->bytes + t->len, room, format, args);
	va_end(args);
	t->full = n < 0 || (size_t)n >= room;
	t->len = t->full ? strlen(t->bytes) : t->len + (size_t)n;
	if (t->full)
		strcpy(t->bytes + t->len, "...");
}

/* The name OFF bytes behind the start of the RDATA. Returns the offset behind it; 0: there is none.
 */
static size_t
put_name(struct text *t, const struct msg *m, const struct rr *rr, size_t off)
{
	uint8_t name[DNS_NAME_MAX];
	char text[NAME_TEXT];
	size_t end;

	if (off > rr->rdlen || msg_rdata_name(m, rr, off, name) == 0)
		return 0;
	end = name_skip(m->bytes, rr->end, rr->rdata + off);
	put(t, " %s", name_to_text(name, text));
	return end > rr->rdata ? end - rr->rdata : 0;
}

/* The character-string at AT, in quotes. Returns the offset behind it; 0: there is none. */
static size_t
put_string(struct text *t, const struct msg *m, const struct rr *rr, size_t at)
{
	const uint8_t *data = m->bytes + rr->rdata;
	size_t end = at < rr->rdlen ? at + 1 + data[at] : SIZE_MAX;

	if (end > rr->rdlen)
		return 0;
	put(t, " \"");
	for (at++; at < end; at++) {
		uint8_t c = data[at];

		if (c < 0x20 || c >= 0x7f)
			put(t, "\\%03u", c);
		else
			put(t, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	put(t, "\"");
	return end;
}

static bool
put_strings(struct text *t, const struct msg *m, const struct rr *rr)
{
	size_t at = 0;

	do
		at = put_string(t, m, rr, at);
	while (at > 0 && at < rr->rdlen);
	return at > 0;
}

/*
 * Numbers of 16 bits, strings, names and numbers of 32 bits: what the types with names have. False:
 * the RDATA does not have PARTS.
 */
static bool
put_parts(struct text *t, const struct msg *m, const struct rr *rr, const struct type_parts *parts)
{
	size_t at = 0;
	bool sound = rr->rdlen > parts->before && parts->after != TYPE_REST;

	for (; sound && at < parts->before; at += 2)
		put(t, " %u", wire_u16(m->bytes + rr->rdata + at));
	for (unsigned i = 0; sound && i < parts->strings + parts->names; i++) {
		at = i < parts->strings ? put_string(t, m, rr, at) : put_name(t, m, rr, at);
		sound = at > 0;
	}
	if (!sound || rr->rdlen - at != parts->after)
		return false;
	for (; at < rr->rdlen; at += 4)
		put(t, " %" PRIu32, wire_u32(m->bytes + rr->rdata + at));
	return true;
}

static bool
put_address(struct text *t, const struct msg *m, const struct rr *rr)
{
	struct netaddr a = { .family = rr->type == DNS_TYPE_A ? NETADDR_IPV4 : NETADDR_IPV6 };
	char text[NETADDR_TEXT];

	if (rr->rdlen != (rr->type == DNS_TYPE_A ? DNS_A_LEN : DNS_AAAA_LEN))
		return false;
	memcpy(a.addr, m->bytes + rr->rdata, rr->rdlen);
	put(t, " %s", netaddr_format(&a, text));
	return true;
}

static bool
put_rdata(struct text *t, const struct msg *m, const struct rr *rr)
{
	const struct type_row *row = type_row(rr->type);

	if (row->form == TYPE_FORM_ADDRESS)
		return rr->class == DNS_CLASS_IN && put_address(t, m, rr);
	if (row->form == TYPE_FORM_STRINGS)
		return put_strings(t, m, rr);
	return row->check != TYPE_CHECK_NEVER && put_parts(t, m, rr, &row->parts);
}

char *
print_record(const struct msg *m, const struct rr *rr, char text[static PRINT_TEXT])
{
	char name[NAME_TEXT], class[MNEMONIC_TEXT], type[TYPE_TEXT];
	struct text t = { .bytes = text };
	uint8_t owner[DNS_NAME_MAX];
	size_t rdata;

	put(&t, "%s %" PRIu32 " %s %s",
	    msg_owner(m, rr, owner) > 0 ? name_to_text(owner, name) : "?", rr->ttl,
	    mnemonic_class(rr->class, class), type_to_text(rr->type, type));
	rdata = t.len;
	if (put_rdata(&t, m, rr))
		return text;
	t = (struct text){ .bytes = text, .len = rdata };
	put(&t, " \\# %u ", rr->rdlen);
	for (size_t i = 0; i < rr->rdlen; i++)
		put(&t, "%02x", m->bytes[rr->rdata + i]);
	return text;
}
