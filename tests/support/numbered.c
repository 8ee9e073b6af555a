/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/numbered.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "dns/proto.h"
#include "dns/wire.h"
#include "support/cachekey.h"

void
numbered_make(struct numbered *o, const struct cache *c, unsigned n)
{
	char text[32];

	memset(o, 0, sizeof(*o));
	snprintf(text, sizeof(text), "n%u.example", n / 4);
	o->key = cachekey_make(o->msg, text, DNS_TYPE_A, cache_seed(c));
	o->key.do_bit = n % 2 == 1;
	o->key.cd = n % 4 >= 2;
	wire_set_u16(o->msg + 2, 0x8180);
	wire_set_u16(o->msg + 4, 1);
	o->len = DNS_HEADER_LEN + o->key.qname_len + 4;
}

void
numbered_put(struct cache *c, unsigned n, const struct cache_entry *e, uint32_t now_s)
{
	struct numbered o;

	numbered_make(&o, c, n);
	wire_set_u16(o.msg + 6, 1);
	memcpy(o.msg + o.len, "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4", 12);
	wire_set_u32(o.msg + o.len + 12, n);
	cache_put(c, &o.key, e, o.msg, o.len + 16, now_s);
}

bool
numbered_get(struct cache *c, unsigned n, const struct cache_want *want, struct cache_entry *e)
{
	uint8_t msg[NUMBERED_CAP];
	struct numbered o;

	numbered_make(&o, c, n);
	if (!cache_get(c, &o.key, want, msg, sizeof(msg), e))
		return false;
	ck_assert_uint_eq(wire_u32(msg + e->len - 4), n);
	return true;
}
