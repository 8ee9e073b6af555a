/* SPDX-License-Identifier: BSD-2-Clause */
/* clientlog: what a line about a client says, and that no name in it can pass for something else.
 * When lines are written: tests/system/messages.sh. */

#include "engine/clientlog.h"

#include <string.h>

#include "dns/build.h"
#include "support/heard.h"
#include "support/tests.h"

#define MS UINT64_C(1000000)

static const uint8_t name[] = "\3WwW\7example";
/* a newline, a quote and a dot */
static const uint8_t odd[] = "\6a\n\"b.c\7example";
#define ODD "a\\010\\\"b\\.c.example."

static struct query q;

static void
setup(void)
{
	q = (struct query){
		.req.qname = name, .req.qname_len = sizeof(name), .req.qtype = DNS_TYPE_AAAA
	};
	ck_assert(netaddr_parse("2001:db8::c", 4000, &q.from.peer));
	heard_start(LOG_LEVEL_DEBUG);
}

static void
teardown(void)
{
	heard_end();
}

/* The only line is TEXT. */
static void
said(const char *text)
{
	ck_assert_msg(heard(text) == 1, "not said: %s", text);
	ck_assert_uint_eq(heard_all(), 1);
}

/* Write the question for NAME and AAAA, with an answer of TO or none, to BUF. Returns its length.
 */
static size_t
write_answer(uint8_t *buf, const uint8_t *qname, const uint8_t *to)
{
	const struct build_question question = {
		.flags = DNS_QR, .qname = qname, .qtype = DNS_TYPE_AAAA, .qclass = DNS_CLASS_IN
	};
	const struct build_opt none = { .present = false, .ede = DNS_EDE_NONE };
	size_t len = build_query(buf, 512, &question, &none);

	buf[2] |= 0x80;
	if (to == NULL)
		return len;
	buf[7] = 1;
	memcpy(buf + len, "\xc0\x0c\0\x1c\0\1\0\0\0\x3c\0\x10", 12);
	memcpy(buf + len + 12, to, 16);
	return len + 28;
}

START_TEST(client_and_its_answer)
{
	uint8_t buf[512];
	size_t len = write_answer(buf, odd, NULL);

	q.req.qname = odd;
	q.req.qname_len = sizeof(odd);
	clientlog_question(&(struct packet_in){ .msg = buf,
	    .len = len,
	    .from.peer = q.from.peer,
	    .from.side = PACKET_CLIENT,
	    .from.transport = TRANSPORT_UDP });
	said("debug client: 2001:db8::c#4000 asks for " ODD " AAAA over UDP");
	q.reason = REASON_NO_A;
	clientlog_repeated(&q.from.peer, buf, len, REASON_NO_A);
	said("debug client: 2001:db8::c#4000 gets for " ODD
	     " AAAA: NOERROR, 0 answers, after 0.000 ms: no-a (it has no AAAA and no A)");
	clientlog_answer(&q, buf, len, query_came_ns(&q) + 3 * MS);
	said("0 answers, after 3.000 ms: no-a (");
}
END_TEST

START_TEST(prefix_and_why)
{
	static const uint8_t to[16] = { 0x20, 1, 0xd, 0xb8, 0, 0x64, [12] = 192, 0, 2, 1 };
	struct synth_policy p = { .n_prefixes = 2 };
	uint8_t buf[512];
	size_t len = write_answer(buf, name, to);

	ck_assert_int_eq(pref64_parse("64:ff9b::/96", &p.prefixes[0]), PREF64_OK);
	ck_assert_int_eq(pref64_parse("2001:db8:64::/96", &p.prefixes[1]), PREF64_OK);
	q.reason = REASON_SYNTH_NO_AAAA;
	clientlog_dns64(&q, &p, buf, len);
	said(
	    "debug dns64: WwW.example. for 2001:db8::c: synthesized under 2001:db8:64::/96: it has "
	    "no AAAA");
	q.reason = REASON_NO_A;
	clientlog_dns64(&q, &p, buf, write_answer(buf, name, NULL));
	said("debug dns64: WwW.example. for 2001:db8::c: nothing synthesized: it has no AAAA and "
	     "no A");
	q.req.qtype = DNS_TYPE_MX;
	clientlog_dns64(&q, &p, buf, len);
	ck_assert_uint_eq(heard_all(), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, client_and_its_answer);
	tcase_add_test(tc, prefix_and_why);
}
