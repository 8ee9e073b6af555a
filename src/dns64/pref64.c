/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/pref64.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define U_OCTET 8 /* bits 64-71, reserved, always zero (RFC 6052 section 2.2) */

static const struct pref64 well_known = { { 0x00, 0x64, 0xff, 0x9b }, 96, true };

static bool
is_length(int len)
{
	return len == 32 || len == 40 || len == 48 || len == 56 || len == 64 || len == 96;
}

/* Read a prefix length. -1: TEXT is no decimal number. One over 999 is read as 999. */
static int
parse_length(const char *text)
{
	int v = 0;

	if (*text == '\0')
		return -1;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		v = v > 99 ? 999 : v * 10 + (*text - '0');
	}
	return v;
}

/* Clear the bits behind the prefix length, a multiple of 8. Returns whether any was set. */
static bool
clear_host_bits(struct pref64 *p)
{
	bool found = false;

	for (size_t i = p->len / 8; i < sizeof(p->addr); i++) {
		found = found || p->addr[i] != 0;
		p->addr[i] = 0;
	}
	return found;
}

enum pref64_verdict
pref64_parse(const char *text, struct pref64 *p)
{
	const char *slash = strchr(text, '/');
	char addr[INET6_ADDRSTRLEN];
	struct pref64 found = { .len = 0 };

	if (slash == NULL || (size_t)(slash - text) >= sizeof(addr))
		return PREF64_NOT_A_PREFIX;
	memcpy(addr, text, (size_t)(slash - text));
	addr[slash - text] = '\0';
	if (inet_pton(AF_INET6, addr, found.addr) != 1)
		return PREF64_NOT_A_PREFIX;
	int len = parse_length(slash + 1);
	if (!is_length(len))
		return len < 0 ? PREF64_NOT_A_PREFIX : PREF64_BAD_LEN;
	found.len = (uint8_t)len;

	bool bad_u = len > 64 && found.addr[U_OCTET] != 0;
	found.addr[U_OCTET] = len > 64 ? 0 : found.addr[U_OCTET];
	bool host_bits = clear_host_bits(&found);
	found.well_known = pref64_same(&found, &well_known);
	*p = found;
	if (bad_u)
		return PREF64_BAD_U;
	return host_bits ? PREF64_HOST_BITS : PREF64_OK;
}

enum pref64_verdict
pref64_of(const uint8_t addr[static 16], uint8_t len, struct pref64 *p)
{
	struct pref64 found = { .len = len };

	if (!is_length(len))
		return PREF64_BAD_LEN;
	memcpy(found.addr, addr, len / 8);
	if (len > 64 && found.addr[U_OCTET] != 0)
		return PREF64_BAD_U;
	found.well_known = pref64_same(&found, &well_known);
	*p = found;
	return PREF64_OK;
}

struct pref64
pref64_well_known(void)
{
	return well_known;
}

char *
pref64_format(const struct pref64 *p, char text[static PREF64_TEXT])
{
	char addr[INET6_ADDRSTRLEN];
	uint8_t network[16] = { 0 };

	memcpy(network, p->addr, p->len / 8);
	if (inet_ntop(AF_INET6, network, addr, sizeof(addr)) == NULL)
		addr[0] = '\0'; /* the buffer is large enough: never */
	(void)snprintf(text, PREF64_TEXT, "%s/%u", addr, (unsigned)p->len);
	return text;
}

/* Return the place of byte I of the IPv4 address in an IPv6 address: behind the prefix, without the
 * u octet. */
static size_t
place_of(const struct pref64 *p, size_t i)
{
	size_t at = p->len / 8 + i;

	return p->len <= 64 && at >= U_OCTET ? at + 1 : at;
}

void
pref64_embed(const struct pref64 *p, const uint8_t v4[static 4], uint8_t v6[static 16])
{
	memcpy(v6, p->addr, sizeof(p->addr)); /* its tail is zero: u octet and suffix */
	if (p->len == 96) {                   /* as most are: the last bytes */
		memcpy(v6 + 12, v4, 4);
		return;
	}
	for (size_t i = 0; i < 4; i++)
		v6[place_of(p, i)] = v4[i];
}

bool
pref64_covers(const struct pref64 *p, const uint8_t v6[static 16])
{
	return memcmp(p->addr, v6, p->len / 8) == 0;
}

bool
pref64_same(const struct pref64 *a, const struct pref64 *b)
{
	return a->len == b->len && pref64_covers(a, b->addr);
}

bool
pref64_extract(const struct pref64 *p, const uint8_t v6[static 16], uint8_t v4[static 4])
{
	if (!pref64_covers(p, v6) || v6[U_OCTET] != 0)
		return false;
	for (size_t i = 0; i < 4; i++)
		v4[i] = v6[place_of(p, i)];
	return true;
}

bool
pref64_set_suffix(struct pref64 *p, const uint8_t suffix[static 16])
{
	size_t from = place_of(p, 3) + 1;

	for (size_t i = 0; i < sizeof(p->addr); i++) {
		if (suffix[i] != 0 && (i < from || i == U_OCTET))
			return false;
	}
	memcpy(p->addr + from, suffix + from, sizeof(p->addr) - from);
	return true;
}
