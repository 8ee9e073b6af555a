/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/cachekey.h"

#include <check.h>
#include <string.h>

#include "base/hash.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

struct question
cachekey_make(uint8_t *msg, const char *name, uint16_t qtype, uint64_t seed)
{
	uint8_t *qname = msg + DNS_HEADER_LEN;
	size_t len = name_from_text(name, qname);

	if (len == 0) /* in inner loops: as ck_assert, at the cost of a comparison */
		ck_abort_msg("%s", name);
	memset(msg, 0, DNS_HEADER_LEN);
	wire_set_u16(qname + len, qtype);
	wire_set_u16(qname + len + 2, DNS_CLASS_IN);
	return (struct question){ .qname = qname,
		.qname_len = len,
		.hash = hash_bytes(qname, len, seed),
		.qtype = qtype,
		.qclass = DNS_CLASS_IN };
}
