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

/* N numbers of 16 bits from the start of the RDATA, and a name behind them. */
static bool
put_numbers_and_name(struct text *t, const struct msg *m, const struct rr *rr, unsigned n)
{
	if (rr->rdlen < 2 * n)
		return false;
	for (unsigned i = 0; i < n; i++)
		put(t, " %u", wire_u16(m->bytes + rr->rdata + 2 * (size_t)i));
	return put_name(t, m, rr, 2 * (size_t)n) != 0;
}

static bool
put_soa(struct text *t, const struct msg *m, const struct rr *rr)
{
	size_t at = put_name(t, m, rr, 0);

	if (at > 0)
		at = put_name(t, m, rr, at);
	if (at == 0 || rr->rdlen - at != DNS_SOA_NUMBERS)
		return false;
	for (; at < rr->rdlen; at += 4)
		put(t, " %" PRIu32, wire_u32(m->bytes + rr->rdata + at));
	return true;
}

static bool
put_txt(struct text *t, const struct msg *m, const struct rr *rr)
{
	const uint8_t *data = m->bytes + rr->rdata;
	size_t at = 0;

	while (at < rr->rdlen) {
		size_t end = at + 1 + data[at];

		if (end > rr->rdlen)
			return false;
		put(t, " \"");
		for (at++; at < end; at++) {
			uint8_t c = data[at];

			if (c < 0x20 || c >= 0x7f)
				put(t, "\\%03u", c);
			else
				put(t, c == '"' || c == '\\' ? "\\%c" : "%c", c);
		}
		put(t, "\"");
	}
	return rr->rdlen > 0;
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
	switch (rr->type) {
	case DNS_TYPE_A:
	case DNS_TYPE_AAAA:
		return rr->class == DNS_CLASS_IN && put_address(t, m, rr);
	case DNS_TYPE_CNAME:
	case DNS_TYPE_DNAME:
	case DNS_TYPE_NS:
	case DNS_TYPE_PTR:
		return put_name(t, m, rr, 0) != 0;
	case DNS_TYPE_MX:
		return put_numbers_and_name(t, m, rr, 1);
	case DNS_TYPE_SRV:
		return put_numbers_and_name(t, m, rr, 3);
	case DNS_TYPE_SOA:
		return put_soa(t, m, rr);
	case DNS_TYPE_TXT:
		return put_txt(t, m, rr);
	default:
		return false;
	}
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
