/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/mnemonic.h"

#include <stddef.h>
#include <stdio.h>

#include "dns/proto.h"

struct mnemonic {
	uint16_t number;
	const char *text;
};

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const struct mnemonic classes[] = {
	{ DNS_CLASS_IN, "IN" },
	{ DNS_CLASS_CH, "CH" },
	{ 4, "HS" },
	{ 254, "NONE" },
	{ 255, "ANY" },
};

static const struct mnemonic rcodes[] = {
	{ DNS_NOERROR, "NOERROR" },
	{ DNS_FORMERR, "FORMERR" },
	{ DNS_SERVFAIL, "SERVFAIL" },
	{ DNS_NXDOMAIN, "NXDOMAIN" },
	{ DNS_NOTIMP, "NOTIMP" },
	{ DNS_REFUSED, "REFUSED" },
	{ 6, "YXDOMAIN" },
	{ 7, "YXRRSET" },
	{ 8, "NXRRSET" },
	{ 9, "NOTAUTH" },
	{ 10, "NOTZONE" },
	{ 11, "DSOTYPENI" },
	{ DNS_BADVERS, "BADVERS" },
	{ DNS_BADCOOKIE, "BADCOOKIE" },
};

static char *
write_text(const struct mnemonic *all, size_t n, uint16_t number, const char *other,
    char text[static MNEMONIC_TEXT])
{
	for (size_t i = 0; i < n; i++) {
		if (all[i].number == number) {
			snprintf(text, MNEMONIC_TEXT, "%s", all[i].text);
			return text;
		}
	}
	snprintf(text, MNEMONIC_TEXT, "%s%u", other, number);
	return text;
}

char *
mnemonic_class(uint16_t class, char text[static MNEMONIC_TEXT])
{
	return write_text(classes, N_OF(classes), class, "CLASS", text);
}

char *
mnemonic_rcode(uint16_t rcode, char text[static MNEMONIC_TEXT])
{
	return write_text(rcodes, N_OF(rcodes), rcode, "RCODE", text);
}
