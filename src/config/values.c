/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/values.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* The number of 32 bits that TEXT begins with; *END points behind it. False without one. */
static bool
digits(const char *text, uint32_t *n, const char **end)
{
	uint64_t v;
	size_t len = number_prefix(text, strlen(text), UINT32_MAX, &v);

	if (len == 0)
		return false;
	*n = (uint32_t)v;
	*end = text + len;
	return true;
}

bool
value_number(const char *text, uint32_t min, uint32_t max, uint32_t *n)
{
	uint64_t v;

	if (!number_parse(text, strlen(text), max, &v) || v < min)
		return false;
	*n = (uint32_t)v;
	return true;
}

/* Read at most six digits behind the decimal point, as millionths. */
static bool
fraction(const char *text, uint32_t *millionths)
{
	size_t len = strlen(text);
	uint64_t v;

	if (len > 6 || !number_parse(text, len, 999999, &v))
		return false;
	for (; len < 6; len++)
		v *= 10;
	*millionths = (uint32_t)v;
	return true;
}

bool
value_seconds(const char *text, uint32_t min_ms, uint32_t max_ms, uint32_t *ms)
{
	const char *end;
	uint32_t whole, millionths = 0;

	if (!digits(text, &whole, &end))
		return false;
	if (*end != '\0' && (*end != '.' || !fraction(end + 1, &millionths)))
		return false;
	uint64_t us = (uint64_t)whole * 1000000 + millionths;
	if (us < (uint64_t)min_ms * 1000 || us > (uint64_t)max_ms * 1000)
		return false;
	*ms = (uint32_t)(us / 1000);
	return true;
}

/* How many bits a number is shifted by the unit C; 0 if C is none. */
static unsigned
unit_bits(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

bool
value_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes)
{
	uint64_t v;
	size_t len = number_prefix(text, strlen(text), max, &v);

	if (len == 0)
		return false;
	unsigned bits = unit_bits(text[len]);
	if (text[len + (bits > 0)] != '\0' || v > max >> bits || v << bits < min)
		return false;
	*bytes = v << bits;
	return true;
}

/* Read one "N" or "N-M" at TEXT; *END points behind it. */
static bool
range(const char *text, uint32_t r[static 2], const char **end)
{
	uint32_t first, last;

	if (!digits(text, &first, end))
		return false;
	last = first;
	if (**end == '-' && !digits(*end + 1, &last, end))
		return false;
	r[0] = first;
	r[1] = last;
	return first <= last;
}

bool
value_range(const char *text, uint32_t min, uint32_t max, uint32_t r[static 2])
{
	const char *end;
	uint32_t v[2];

	if (!range(text, v, &end) || *end != '\0' || v[0] < min || v[1] > max)
		return false;
	memcpy(r, v, sizeof(v));
	return true;
}

bool
value_cpus(const char *text, cpu_set_t *cpus)
{
	const char *end = text;
	cpu_set_t set;
	uint32_t r[2];

	CPU_ZERO(&set);
	do {
		if (!range(text, r, &end) || r[1] >= CPU_SETSIZE)
			return false;
		for (size_t cpu = r[0]; cpu <= r[1]; cpu++)
			CPU_SET(cpu, &set);
		text = end + 1;
	} while (*end == ',');
	if (*end != '\0')
		return false;
	*cpus = set;
	return true;
}

/* Clear the bits behind the length. True if any was set. */
static bool
clear_host_bits(struct net *net)
{
	unsigned end = net->family == NETADDR_IPV4 ? 32 : 128;
	bool found = false;

	for (unsigned bit = net->len; bit < end; bit++) {
		uint8_t mask = (uint8_t)(0x80 >> (bit % 8));

		found = found || (net->addr[bit / 8] & mask) != 0;
		net->addr[bit / 8] &= (uint8_t)~mask;
	}
	return found;
}

enum value_net_verdict
value_net(const char *text, struct net *net)
{
	size_t len = strcspn(text, "/");
	struct net found = { .family = strchr(text, ':') != NULL ? NETADDR_IPV6 : NETADDR_IPV4 };
	uint32_t most = found.family == NETADDR_IPV4 ? 32 : 128, bits = most;
	char addr[INET6_ADDRSTRLEN];

	if (len >= sizeof(addr))
		return VALUE_NET_BAD;
	memcpy(addr, text, len);
	addr[len] = '\0';
	if (inet_pton(most == 32 ? AF_INET : AF_INET6, addr, found.addr) != 1)
		return VALUE_NET_BAD;
	if (text[len] == '/' && !value_number(text + len + 1, 0, most, &bits))
		return VALUE_NET_BAD;
	found.len = (uint8_t)bits;
	bool host_bits = clear_host_bits(&found);
	*net = found;
	return host_bits ? VALUE_NET_HOST_BITS : VALUE_NET_OK;
}

char *
value_net_format(const struct net *net, char text[static VALUE_NET_TEXT])
{
	char addr[INET6_ADDRSTRLEN];

	(void)inet_ntop(
	    net->family == NETADDR_IPV4 ? AF_INET : AF_INET6, net->addr, addr, sizeof(addr));
	snprintf(text, VALUE_NET_TEXT, "%s/%" PRIu8, addr, net->len);
	return text;
}

bool
value_hex(const char *text, uint8_t *out, size_t len)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";

	if (strlen(text) != 2 * len || strspn(text, digits) != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++) {
		size_t high = (size_t)(strchr(digits, text[2 * i]) - digits) % 16;
		size_t low = (size_t)(strchr(digits, text[2 * i + 1]) - digits) % 16;

		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
