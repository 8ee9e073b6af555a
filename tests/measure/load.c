/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure/load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/attr.h"
#include "dns/build.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "support/configured.h"

#define TEXT 80

/* --- Clients, names and rules ----------------------------------------------------------------- */

static PRINTF_LIKE(2, 3) void put(char text[static TEXT], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, TEXT, format, args) >= TEXT)
		abort();
	va_end(args);
}

/* The network of the I-th block: of four one is a /64, one a /48, and two are /24. */
static void
block_net(char text[static TEXT], unsigned i)
{
	unsigned n = i / 4;

	if (i % 4 == 0)
		put(text, "2001:db8:ffff:%x::/64", n + 0x1000);
	else if (i % 4 == 1)
		put(text, "2001:db8:%x::/48", n + 0x1000);
	else
		put(text, "10.%u.%u.0/24", i % 4 + n / 256 * 4, n % 256);
}

/* The client that asks the I-th question: in a /64, a /48, a /24 or none. */
static void
client_addr(char text[static TEXT], unsigned i)
{
	unsigned n = i / 4 * 37 % 250;

	if (i % 4 == 0)
		put(text, "2001:db8:ffff:%x:5054:ff:fe12:3456", n + 0x1000);
	else if (i % 4 == 1)
		put(text, "2001:db8:%x:17:5054:ff:fe12:3456", n + 0x1000);
	else if (i % 4 == 2)
		put(text, "10.2.%u.53", n);
	else
		put(text, "2001:db8:fffe:%x:5054:ff:fe12:3456", n);
}

/* The zone of the I-th rule: half of them are two labels deep, half three. */
static void
rule_zone(char text[static TEXT], unsigned i)
{
	static const char *const tops[] = { "com", "net", "org", "de", "example" };

	put(text, "%s%u.%s", i % 2 == 0 ? "example" : "ads.site-", i, tops[i / 2 % 5]);
}

/* The name of the I-th question: of three to five labels. */
static void
question_name(char text[static TEXT], const struct load *l, unsigned i)
{
	static const char *const tops[] = { "com", "net", "com", "org" };
	static const char *const hosts[] = { "www", "www", "api.eu-west", "a.static.images" };
	char zone[TEXT];

	if (l->matching) {
		rule_zone(zone, i * 7 % 10000);
		put(text, "h%u.%s", i, zone);
	} else if (i % 16 == 5) {
		put(text, "w%u.site-%u.com", i, (i * 10 + 1) % 10000); /* beside a zone */
	} else {
		put(text, "%s.domain-%u.%s", hosts[i / 4 % 4], i, tops[i % 4]);
	}
}

struct policies *
load_policies(const struct load *l)
{
	struct policies *ps;
	char *text, value[TEXT];
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (lines == NULL)
		abort();
	fputs("dns64-prefix 2001:db8:64::/96\n", lines);
	fprintf(lines, "synthesize %s\n", l->always ? "always" : "normal");
	for (unsigned i = 0; i < l->rules; i++) {
		bool ignore = l->always || i % 4 < 2;

		rule_zone(value, i);
		fprintf(lines, "%s %s\n", ignore ? "ignore-aaaa" : "never-synthesize", value);
	}
	for (unsigned i = 0; i < l->blocks; i++) {
		block_net(value, i);
		fprintf(lines, "client %s {\ndns64-prefix 2001:db8:64:%x::/96\n}\n", value, i);
	}
	if (fclose(lines) != 0)
		abort();
	ps = configured_policies(text);
	free(text);
	return ps;
}

struct packet_in
load_question(const struct load *l, unsigned i, uint8_t bytes[static LOAD_CAP])
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	struct packet_in in = {
		.msg = bytes, .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP
	};
	uint8_t name[DNS_NAME_MAX];
	char text[TEXT];

	question_name(text, l, i);
	if (name_from_text(text, name) == 0)
		abort();
	client_addr(text, i);
	if (!netaddr_parse(text, 5353, &in.from.peer))
		abort();
	in.len = build_query(bytes, LOAD_CAP,
	    &(struct build_question){ .id = (uint16_t)i,
		.qname = name,
		.qtype = l->relay ? DNS_TYPE_A : DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN },
	    &opt);
	return in;
}

/* --- Upstream --------------------------------------------------------------------------------- */

size_t
load_reply(uint8_t out[static LOAD_CAP], const uint8_t *question, size_t len)
{
	static const uint8_t soa[22] = { [11] = 1, [15] = 1, [21] = 60 };
	static const uint8_t v4[4] = { 10, 0, 0, 1 };
	const struct build_opt none = { .present = false };
	struct build b;
	struct msg m;
	bool ok;

	if (msg_parse(&m, question, len) != MSG_OK)
		abort();
	build_start(&b, out, LOAD_CAP,
	    &(struct build_question){ .id = m.id,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = msg_qname(&m),
		.qtype = m.qtype,
		.qclass = DNS_CLASS_IN });
	if (m.qtype == DNS_TYPE_A)
		ok = build_rr(&b, MSG_ANSWER, msg_qname(&m), DNS_TYPE_A, DNS_CLASS_IN, 300, v4, 4);
	else
		ok = build_rr(&b, MSG_AUTHORITY, msg_qname(&m), DNS_TYPE_SOA, DNS_CLASS_IN, 60, soa,
		    sizeof(soa));
	if (!ok)
		abort();
	return build_finish(&b, DNS_UDP_MIN, &none);
}
