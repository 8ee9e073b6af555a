/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/type.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dns/proto.h"

static const struct {
	const char *name;
	uint16_t type;
} types[] = {
	{ "A", DNS_TYPE_A },
	{ "AAAA", DNS_TYPE_AAAA },
	{ "HTTPS", DNS_TYPE_HTTPS },
	{ "SVCB", DNS_TYPE_SVCB },
	{ "CNAME", DNS_TYPE_CNAME },
	{ "DNAME", DNS_TYPE_DNAME },
	{ "PTR", DNS_TYPE_PTR },
	{ "MX", DNS_TYPE_MX },
	{ "TXT", DNS_TYPE_TXT },
	{ "NS", DNS_TYPE_NS },
	{ "SOA", DNS_TYPE_SOA },
	{ "SRV", DNS_TYPE_SRV },
	{ "NAPTR", DNS_TYPE_NAPTR },
	{ "DS", DNS_TYPE_DS },
	{ "DNSKEY", 48 },
	{ "RRSIG", DNS_TYPE_RRSIG },
	{ "NSEC", DNS_TYPE_NSEC },
	{ "NSEC3", DNS_TYPE_NSEC3 },
	{ "TLSA", 52 },
	{ "SSHFP", 44 },
	{ "CAA", 257 },
	{ "HINFO", 13 },
	{ "OPT", DNS_TYPE_OPT },
	{ "NSEC3PARAM", 51 },
	{ "CDS", 59 },
	{ "CDNSKEY", 60 },
	{ "OPENPGPKEY", 61 },
	{ "TKEY", DNS_TYPE_TKEY },
	{ "TSIG", DNS_TYPE_TSIG },
	{ "IXFR", DNS_TYPE_IXFR },
	{ "AXFR", DNS_TYPE_AXFR },
	{ "URI", 256 },
	{ "ANY", DNS_TYPE_ANY },
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

/* Read TYPE and a number (RFC 3597). */
static bool
from_number(const char *text, uint16_t *type)
{
	unsigned n = 0;

	if (strncasecmp(text, "TYPE", 4) != 0 || text[4] == '\0')
		return false;
	for (text += 4; *text >= '0' && *text <= '9' && n <= UINT16_MAX; text++)
		n = n * 10 + (unsigned)(*text - '0');
	*type = (uint16_t)n;
	return *text == '\0' && n > 0 && n <= UINT16_MAX;
}

bool
type_from_text(const char *text, uint16_t *type)
{
	for (size_t i = 0; i < N_TYPES; i++) {
		if (strcasecmp(types[i].name, text) != 0)
			continue;
		*type = types[i].type;
		return true;
	}
	return from_number(text, type);
}

char *
type_to_text(uint16_t type, char text[static TYPE_TEXT])
{
	snprintf(text, TYPE_TEXT, "TYPE%u", type);
	for (size_t i = 0; i < N_TYPES; i++) {
		if (types[i].type == type)
			snprintf(text, TYPE_TEXT, "%s", types[i].name);
	}
	return text;
}
