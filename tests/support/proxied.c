/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/proxied.h"

#include <arpa/inet.h>
#include <string.h>

#include "support/tests.h"

#define FIXED 16

size_t
proxied_local(uint8_t out[static PROXIED_MAX])
{
	memcpy(out, "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", FIXED);
	return FIXED;
}

size_t
proxied_header(const char *client, size_t extra, uint8_t out[static PROXIED_MAX])
{
	size_t len = proxied_local(out), addr = strchr(client, ':') != NULL ? 16 : 4;
	size_t all = 2 * addr + 4 + extra;

	ck_assert_uint_le(len + all, PROXIED_MAX);
	memset(out + len, 0, all);
	ck_assert_int_eq(inet_pton(addr == 4 ? AF_INET : AF_INET6, client, out + len), 1);
	out[12] = 0x21;
	out[13] = addr == 4 ? 0x12 : 0x22;
	out[14] = (uint8_t)(all >> 8);
	out[15] = (uint8_t)all;
	out[len + 2 * addr] = 4000 >> 8;
	out[len + 2 * addr + 1] = 4000 & 255;
	return len + all;
}
