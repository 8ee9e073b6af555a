/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/queryline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dns/header.h"
#include "dns/mnemonic.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/type.h"

#define TIME_TEXT 96 /* bytes of "2026-11-23T01:02:03.456789Z", if all were as long as an int */

/* A line that is being written; what has no room is left out, and the end always has some. */
struct out {
	char *text;
	size_t len;
};

static __attribute__((format(printf, 2, 3))) void
put(struct out *o, const char *format, ...)
{
	size_t room = QUERYLINE_MAX - o->len;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(o->text + o->len, room, format, args);
	va_end(args);
	if (n > 0)
		o->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void
put_char(struct out *o, char c)
{
	if (o->len + 1 < QUERYLINE_MAX)
		o->text[o->len++] = c;
}

/* What an answer says, as text. */
struct said {
	char time[TIME_TEXT];
	char client[NETADDR_TEXT];
	char upstream[NETADDR_TEXT];
	char name[NAME_TEXT];
	char type[TYPE_TEXT];
	char class[MNEMONIC_TEXT];
	char rcode[MNEMONIC_TEXT];
	const char *transport;
	const struct reason_row *reason;
	bool asked; /* name, type and class are there */
};

static void
say_time(uint64_t unix_us, char text[static TIME_TEXT])
{
	time_t s = (time_t)(unix_us / 1000000);
	struct tm tm;

	(void)gmtime_r(&s, &tm);
	snprintf(text, TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%06uZ", tm.tm_year + 1900,
	    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
	    (unsigned)(unix_us % 1000000));
}

static void
say(const struct queryline *q, const struct msg *m, bool sound, struct said *s)
{
	const struct querylog_tap_record *r = q->record;
	struct netaddr client = r->client;

	client.port = 0;
	say_time(q->unix_us, s->time);
	netaddr_format(&client, s->client);
	netaddr_format(&r->upstream, s->upstream);
	mnemonic_rcode(sound ? m->rcode : header_flags(q->msg) & DNS_RCODE, s->rcode);
	s->transport = transport_traits[r->transport].name;
	s->reason = reason_row((enum reason)r->reason);
	s->asked = sound && m->qname_len > 0;
	if (!s->asked)
		return;
	name_to_text(msg_qname(m), s->name);
	type_to_text(m->qtype, s->type);
	mnemonic_class(m->qclass, s->class);
}

/* Write the first addresses in the answer section, with QUOTE around each and "," between them.
 * Returns how many are left out. */
static unsigned
put_addresses(struct out *o, const struct msg *m, const char *quote)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	unsigned n = 0;
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		struct netaddr a = { .family = NETADDR_IPV4 };
		char text[NETADDR_TEXT];

		if (rr.type == DNS_TYPE_AAAA && rr.rdlen == DNS_AAAA_LEN)
			a.family = NETADDR_IPV6;
		else if (rr.type != DNS_TYPE_A || rr.rdlen != DNS_A_LEN)
			continue;
		if (n++ >= QUERYLINE_ADDRESSES)
			continue;
		memcpy(a.addr, m->bytes + rr.rdata, rr.rdlen);
		put(o, "%s%s%s%s", n > 1 ? "," : "", quote, netaddr_format(&a, text), quote);
	}
	return n > QUERYLINE_ADDRESSES ? n - QUERYLINE_ADDRESSES : 0;
}

static bool
parse(const struct queryline *q, struct msg *m)
{
	return msg_parse(m, q->msg, q->len) == MSG_OK;
}

size_t
queryline_text(const struct queryline *q, char line[static QUERYLINE_MAX])
{
	const struct querylog_tap_record *r = q->record;
	struct out o = { .text = line };
	struct said s;
	struct msg m;
	bool sound = parse(q, &m);
	size_t before;

	say(q, &m, sound, &s);
	put(&o, "%s %s#%u %s %s %s %s %s %s ", s.time, s.client, r->client.port, s.transport,
	    s.asked ? s.name : "-", s.asked ? s.class : "-", s.asked ? s.type : "-", s.rcode,
	    s.reason->name);
	before = o.len;
	if (sound && put_addresses(&o, &m, "") > 0)
		put(&o, ",+");
	put(&o, "%s %s ", o.len == before ? "-" : "",
	    r->upstream.family == NETADDR_NONE ? "-" : s.upstream);
	if (r->age_s == QUERYLOG_TAP_NO_AGE)
		put(&o, "- %" PRIu32 "\n", r->us);
	else
		put(&o, "%" PRIu32 " %" PRIu32 "\n", r->age_s, r->us);
	o.text[o.len - 1] = '\n'; /* whatever had no room */
	return o.len;
}

/* Write TEXT, or null. Of what is written only names have characters that need a backslash. */
static void
put_string(struct out *o, const char *member, const char *text)
{
	put(o, ",\"%s\":", member);
	if (text == NULL) {
		put(o, "null");
		return;
	}
	put_char(o, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			put_char(o, '\\');
		put_char(o, *text);
	}
	put_char(o, '"');
}

size_t
queryline_json(const struct queryline *q, char line[static QUERYLINE_MAX])
{
	const struct querylog_tap_record *r = q->record;
	struct out o = { .text = line };
	struct said s;
	struct msg m;
	bool sound = parse(q, &m);
	unsigned more = 0;

	say(q, &m, sound, &s);
	put(&o, "{\"time\":\"%s\"", s.time);
	put_string(&o, "client", s.client);
	put(&o, ",\"port\":%u", r->client.port);
	put_string(&o, "transport", s.transport);
	put_string(&o, "name", s.asked ? s.name : NULL);
	put_string(&o, "class", s.asked ? s.class : NULL);
	put_string(&o, "type", s.asked ? s.type : NULL);
	put_string(&o, "rcode", s.rcode);
	put_string(&o, "reason", s.reason->name);
	put_string(&o, "kind", reason_kind_name((enum reason_kind)s.reason->kind));
	put(&o, ",\"addresses\":[");
	if (sound)
		more = put_addresses(&o, &m, "\"");
	put(&o, "],\"more_addresses\":%u", more);
	put_string(&o, "upstream", r->upstream.family == NETADDR_NONE ? NULL : s.upstream);
	if (r->age_s == QUERYLOG_TAP_NO_AGE)
		put(&o, ",\"age\":null");
	else
		put(&o, ",\"age\":%" PRIu32, r->age_s);
	put(&o, ",\"us\":%" PRIu32 ",\"bytes\":%u}\n", r->us, r->len);
	return o.len;
}
