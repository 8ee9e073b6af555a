/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/scene.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"

static const struct {
	const char *text;
	uint16_t number;
} types[] = {
	{"A", DNS_TYPE_A}, {"NS", DNS_TYPE_NS}, {"CNAME", DNS_TYPE_CNAME}, {"SOA", DNS_TYPE_SOA},
	{"PTR", DNS_TYPE_PTR}, {"MX", DNS_TYPE_MX}, {"TXT", DNS_TYPE_TXT}, {"AAAA", DNS_TYPE_AAAA},
	{"DNAME", DNS_TYPE_DNAME}, {"RRSIG", DNS_TYPE_RRSIG}, {"NSEC", DNS_TYPE_NSEC},
	{"AXFR", DNS_TYPE_AXFR}, {"ANY", DNS_TYPE_ANY}, {"HTTPS", 65}, {"DS", 43},
}, rcodes[] = {
	{"NOERROR", DNS_NOERROR}, {"FORMERR", DNS_FORMERR}, {"SERVFAIL", DNS_SERVFAIL},
	{"NXDOMAIN", DNS_NXDOMAIN}, {"NOTIMP", DNS_NOTIMP}, {"REFUSED", DNS_REFUSED},
	{"BADVERS", DNS_BADVERS}, {"BADCOOKIE", DNS_BADCOOKIE},
};

int
scene_type(const char *text)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(text, types[i].text) == 0)
			return types[i].number;
	}
	return strncmp(text, "TYPE", 4) == 0 ? atoi(text + 4) : -1;
}

int
scene_rcode(const char *text)
{
	for (size_t i = 0; i < sizeof(rcodes) / sizeof(rcodes[0]); i++) {
		if (strcmp(text, rcodes[i].text) == 0)
			return rcodes[i].number;
	}
	return strncmp(text, "RCODE", 5) == 0 ? atoi(text + 5) : -1;
}

static size_t
put_name(uint8_t *out, const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	memcpy(out, name, len);
	return len;
}

static size_t
soa_rdata(uint8_t *out, const char *rdata)
{
	char mname[300];
	char rname[300];
	unsigned minimum;
	size_t len;

	if (sscanf(rdata, "%299s %299s %u", mname, rname, &minimum) != 3)
		return 0;
	len = put_name(out, mname);
	len += put_name(out + len, rname);
	wire_set_u32(out + len, 1);
	wire_set_u32(out + len + 4, 3600);
	wire_set_u32(out + len + 8, 1200);
	wire_set_u32(out + len + 12, 604800);
	wire_set_u32(out + len + 16, minimum);
	return len + 20;
}

static size_t
hex_rdata(uint8_t *out, size_t cap, const char *rdata)
{
	size_t len = 0;
	unsigned byte;

	while (len < cap && sscanf(rdata, " %2x", &byte) == 1) {
		out[len++] = (uint8_t)byte;
		rdata += strspn(rdata, " ") + 2;
	}
	return len;
}

/* "LENGTH HEX", the octets that are missing being zero. */
static size_t
generic_rdata(uint8_t *out, size_t cap, const char *rdata)
{
	size_t len = (size_t)atoi(rdata);

	if (len > cap)
		return 0;
	memset(out, 0, len);
	hex_rdata(out, len, rdata + strcspn(rdata, " "));
	return len;
}

static size_t
read_rdata(uint16_t type, const char *rdata, uint8_t *out, size_t cap)
{
	if (strncmp(rdata, "\\# ", 3) == 0)
		return generic_rdata(out, cap, rdata + 3);
	switch (type) {
	case DNS_TYPE_A:
		return inet_pton(AF_INET, rdata, out) == 1 ? 4 : 0;
	case DNS_TYPE_AAAA:
		return inet_pton(AF_INET6, rdata, out) == 1 ? 16 : 0;
	case DNS_TYPE_NS:
	case DNS_TYPE_CNAME:
	case DNS_TYPE_PTR:
	case DNS_TYPE_DNAME:
		return put_name(out, rdata);
	case DNS_TYPE_SOA:
		return soa_rdata(out, rdata);
	default:
		return hex_rdata(out, cap, rdata);
	}
}

bool
scene_put(struct build *b, const char *line)
{
	static const char *const sections[] = { "an", "au", "ad" };
	uint8_t owner[DNS_NAME_MAX];
	static uint8_t rdata[65535];
	char section[3];
	char name[300];
	char type[16];
	unsigned ttl;
	int at = 0;
	size_t len;
	unsigned s = 0;

	if (sscanf(line, " %2s %299s %u %15s %n", section, name, &ttl, type, &at) != 4)
		return false;
	while (s < MSG_SECTIONS && strcmp(section, sections[s]) != 0)
		s++;
	if (s == MSG_SECTIONS || scene_type(type) < 0 || name_from_text(name, owner) == 0)
		return false;
	len = read_rdata((uint16_t)scene_type(type), line + at, rdata, sizeof(rdata));
	return build_rr(b, (enum msg_section)s, owner, (uint16_t)scene_type(type), DNS_CLASS_IN,
	    ttl, rdata, (uint16_t)len);
}

static char *
print_name(const struct msg *m, const struct rr *rr, size_t off, char text[static NAME_TEXT])
{
	uint8_t name[DNS_NAME_MAX];

	if (msg_rdata_name(m, rr, off, name) == 0)
		return strcpy(text, "(malformed)");
	return name_to_text(name, text);
}

static void
print_soa(const struct msg *m, const struct rr *rr, char *text, size_t cap)
{
	uint8_t name[DNS_NAME_MAX];
	char mname[NAME_TEXT];
	char rname[NAME_TEXT] = "(malformed)";
	size_t end = 0;

	print_name(m, rr, 0, mname);
	if (name_expand(m->bytes, m->len, rr->rdata, name, &end) > 0)
		print_name(m, rr, end - rr->rdata, rname);
	snprintf(text, cap, "%s %s %u", mname, rname, wire_u32(m->bytes + rr->end - 4));
}

/* As generic_rdata reads it. */
static void
print_generic(const uint8_t *rdata, size_t rdlen, char *text, size_t cap)
{
	size_t len = (size_t)snprintf(text, cap, "\\# %zu", rdlen);

	while (rdlen > 0 && rdata[rdlen - 1] == 0)
		rdlen--;
	for (size_t i = 0; i < rdlen && len + 4 < cap; i++)
		len +=
		    (size_t)snprintf(text + len, cap - len, "%s%02x", i == 0 ? " " : "", rdata[i]);
}

static void
print_rdata(const struct msg *m, const struct rr *rr, char *text, size_t cap)
{
	const uint8_t *rdata = m->bytes + rr->rdata;

	text[0] = 0;
	if (rr->type == DNS_TYPE_A && rr->rdlen == 4)
		inet_ntop(AF_INET, rdata, text, (socklen_t)cap);
	else if (rr->type == DNS_TYPE_AAAA && rr->rdlen == 16)
		inet_ntop(AF_INET6, rdata, text, (socklen_t)cap);
	else if (rr->type == DNS_TYPE_NS || rr->type == DNS_TYPE_CNAME ||
	    rr->type == DNS_TYPE_PTR || rr->type == DNS_TYPE_DNAME)
		print_name(m, rr, 0, text);
	else if (rr->type == DNS_TYPE_SOA)
		print_soa(m, rr, text, cap);
	else if (rr->type == DNS_TYPE_A || rr->type == DNS_TYPE_AAAA || rr->rdlen > 400)
		print_generic(rdata, rr->rdlen, text, cap);
	else
		for (size_t i = 0; i < rr->rdlen && 2 * i + 3 < cap; i++)
			snprintf(text + 2 * i, 3, "%02x", rdata[i]);
}

void
scene_print(
    const struct msg *m, enum msg_section s, const struct rr *rr, char text[static SCENE_TEXT])
{
	static const char *const sections[] = { "an", "au", "ad" };
	uint8_t name[DNS_NAME_MAX];
	char owner[NAME_TEXT] = "(malformed)";
	char rdata[2 * NAME_TEXT + 32];
	char number[16];
	const char *type = number;

	if (msg_owner(m, rr, name) > 0)
		name_to_text(name, owner);
	snprintf(number, sizeof(number), "TYPE%u", rr->type);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].number == rr->type)
			type = types[i].text;
	}
	print_rdata(m, rr, rdata, sizeof(rdata));
	snprintf(text, SCENE_TEXT, "%s %s %u %s %s", sections[s], owner, rr->ttl, type, rdata);
}

void
scene_describe(const struct msg *m, char *text, size_t cap)
{
	char name[NAME_TEXT] = "";
	size_t len;

	if (m->qname_len > 0)
		name_to_text(msg_qname(m), name);
	len = (size_t)snprintf(
	    text, cap, "%s type %u rcode %u flags %04x\n", name, m->qtype, m->rcode, m->flags);
	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(m, (enum msg_section)s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			char line[SCENE_TEXT];

			scene_print(m, (enum msg_section)s, &rr, line);
			if (len < cap)
				len += (size_t)snprintf(text + len, cap - len, "\t%s\n", line);
		}
	}
}

bool
scene_count_up(const char *line, unsigned n, char text[static SCENE_TEXT])
{
	const char *last = strrchr(line, ' ');
	int family = last != NULL && strchr(last, ':') != NULL ? AF_INET6 : AF_INET;
	size_t at = family == AF_INET6 ? 14 : 2;
	uint8_t addr[16];

	snprintf(text, SCENE_TEXT, "%s", line);
	if (n == 0)
		return true;
	if (last == NULL || inet_pton(family, last + 1, addr) != 1)
		return false;
	wire_set_u16(addr + at, (uint16_t)(wire_u16(addr + at) + n));
	last = inet_ntop(family, addr, text + (last + 1 - line), INET6_ADDRSTRLEN);
	return last != NULL;
}
