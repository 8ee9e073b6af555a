/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/spoil.h"

#include "dns/proto.h"
#include "dns/wire.h"

size_t
fake_spoil_damage(uint8_t *msg, size_t len, uint64_t noise)
{
	size_t body = len - DNS_HEADER_LEN;
	unsigned kind = (unsigned)(noise % 3);

	noise /= 3;
	if (body == 0)
		return DNS_HEADER_LEN - 1;
	if (kind == 0)
		return len - 1 - noise % body;
	if (kind == 1) {
		msg[6] ^= 0x10; /* 4,096 more in the answer section */
		return len;
	}
	for (size_t i = DNS_HEADER_LEN; i < len; i++)
		msg[i] ^= (uint8_t)(1 + (noise >> i % 8 * 7) % 255);
	return len;
}

void
fake_spoil_forge(uint8_t *msg, size_t len, uint64_t noise)
{
	wire_set_u16(msg, (uint16_t)(wire_u16(msg) ^ (1 + noise % 65535)));
	/* Before the OPT, if there is one, an address or an SOA ends. */
	if (len >= DNS_HEADER_LEN + DNS_OPT_LEN && msg[len - DNS_OPT_LEN] == 0 &&
	    wire_u16(msg + len - DNS_OPT_LEN + 1) == DNS_TYPE_OPT)
		len -= DNS_OPT_LEN;
	if (len > DNS_HEADER_LEN)
		msg[len - 1] ^= 0xff;
}
