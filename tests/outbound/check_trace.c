/* SPDX-License-Identifier: BSD-2-Clause */
/* trace: what a line about a question says, and that no name in it can pass for something else;
 * that the question which is explained has its steps, and no other. When lines are written:
 * tests/system/messages.sh. */

#include "outbound/trace.h"

#include <stdio.h>
#include <string.h>

#include "support/heard.h"
#include "support/tests.h"

#define MS UINT64_C(1000000)

static const uint8_t name[] = "\3WwW\7example";
/* a newline, a quote and a dot */
static const uint8_t odd[] = "\6a\n\"b.c\7example";
#define ODD "a\\010\\\"b\\.c.example."

static struct upstreams us;
static struct lookups ls = { .upstreams = &us };
static struct lookup l;
static struct trace trace;

static void
setup(void)
{
	upstreams_init(&us);
	ck_assert(netaddr_parse("192.0.2.1", 53, &us.table[0].conf.addr));
	ck_assert(netaddr_parse("192.0.2.2", 53, &us.table[1].conf.addr));
	us.order[1] = 1;
	us.n_order = 2;
	ls.traced.trace = NULL;
	trace = (struct trace){ .n = 0 };
	l = (struct lookup){ .key.qname = name,
		.key.qname_len = sizeof(name),
		.key.qtype = DNS_TYPE_AAAA,
		.progress = LOOKUP_ASKED_DATAGRAM,
		.n_sends = 1,
		.now = { .sent_ns = 5 * MS } };
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

static void
asks(const char *why)
{
	char text[256];

	snprintf(text, sizeof(text),
	    "debug upstream: 192.0.2.1#53: asked for WwW.example. AAAA over UDP, attempt %u: %s",
	    l.n_sends, why);
	trace_asks(&ls, &l, UPSTREAM_NONE);
	said(text);
}

START_TEST(asked_and_why)
{
	asks("among the cheapest, by chance");
	us.selection = CONF_IN_ORDER;
	asks("the first in order that is good");
	l.exploring = true;
	asks("to measure it again");
	us.table[0].down = us.table[1].down = true;
	asks("all are down");
	us.n_order = 1;
	asks("the only one");
	l.n_sends = 2;
	asks("another one");
	l.tried.best_rcode = DNS_SERVFAIL;
	asks("after an error");
	l.check = LOOKUP_CHECK_CD;
	asks("to find out whether SERVFAIL means that the data is bogus");
	l.probe.is = true;
	asks("a probe");
}
END_TEST

START_TEST(asked_the_same)
{
	trace_asks(&ls, &l, 0);
	said("attempt 1: it replied about this name before");
	l.n_sends = 2;
	trace_asks(&ls, &l, 0);
	said("attempt 2: the same once more");
}
END_TEST

START_TEST(replies)
{
	const struct msg m = { .rcode = DNS_NXDOMAIN, .flags = DNS_TC, .count = { 3 } };

	trace_reply(&ls, &l, &m, 7 * MS + MS / 2);
	said("debug upstream: 192.0.2.1#53: replies about WwW.example. AAAA over UDP in 2.500 ms: "
	     "NXDOMAIN, truncated, 3 answers");
	trace_silent(&ls, &l, &l.now, 405 * MS);
	said("debug upstream: 192.0.2.1#53: no reply about WwW.example. AAAA over UDP in 400.000 "
	     "ms");
}
END_TEST

START_TEST(cached)
{
	const struct question key = { .qname = odd, .qname_len = sizeof(odd), .qtype = 65280 };
	struct cache_entry e = { .kind = CACHE_NODATA, .age_s = 12, .ttl_s = 300 };

	trace_found(&key, &e);
	said("debug cache: hit " ODD " TYPE65280: no data, 12 s old, TTL 300");
	e.age_s = 300;
	e.due = true;
	trace_found(&key, &e);
	said("debug cache: stale " ODD " TYPE65280: no data, 300 s old, TTL 300, to be refreshed");
	trace_kept(&ls, &key, &e, 0);
	said("debug cache: kept " ODD " TYPE65280: no data, TTL 300");
	e.ttl_s = 0;
	trace_kept(&ls, &key, &e, 0);
	said("debug cache: not kept " ODD " TYPE65280: it has no time to live");
}
END_TEST

/* Somebody waits for NAME and TYPE and has it explained. */
static void
explain(uint16_t type)
{
	struct trace_step *s = trace_add(&trace, TRACE_QUESTION, 0);

	memcpy(s->name, name, sizeof(name));
	s->type = type;
	ls.traced.trace = &trace;
	heard_start(LOG_LEVEL_INFO);
}

/* The step I, of KIND, which took MS milliseconds and was noted AT_MS after the question. */
static const struct trace_step *
step(unsigned i, enum trace_kind kind, unsigned ms, unsigned at_ms)
{
	ck_assert_uint_lt(i, trace.n);
	ck_assert_uint_eq(trace.step[i].kind, kind);
	ck_assert_uint_eq(trace.step[i].took_ns, ms * MS);
	ck_assert_uint_eq(trace.step[i].us, at_ms * 1000);
	return &trace.step[i];
}

START_TEST(steps_of_what_is_explained)
{
	const struct msg m = { .rcode = DNS_NXDOMAIN, .count = { 3 } };
	const struct cache_entry e = { .kind = CACHE_NXDOMAIN, .ttl_s = 60 };

	explain(DNS_TYPE_AAAA);
	trace_asks(&ls, &l, UPSTREAM_NONE);
	ck_assert_str_eq(step(1, TRACE_SENT, 0, 5)->words, "among the cheapest, by chance");
	ck_assert(trace.step[1].attempt == 1 && trace.step[1].addr.port == 53);
	trace_silent(&ls, &l, &l.now, 45 * MS);
	ck_assert_uint_eq(step(2, TRACE_SILENT, 40, 45)->type, DNS_TYPE_AAAA);
	trace_reply(&ls, &l, &m, 50 * MS);
	ck_assert(step(3, TRACE_CAME, 45, 50)->taken && trace.step[3].rcode == DNS_NXDOMAIN);
	trace_kept(&ls, &l.key, &e, 50 * MS);
	ck_assert_uint_eq(step(4, TRACE_KEPT, 0, 50)->ttl_s, 60);
	ck_assert_str_eq(trace.step[4].words, "it does not exist");
	ck_assert_uint_eq(heard_all(), 0); /* nobody reads lines */
	l.key.qtype = DNS_TYPE_MX;
	trace_reply(&ls, &l, &m, 50 * MS);
	ck_assert_uint_eq(trace.n, 5);
	l.key.qtype = DNS_TYPE_A; /* beside AAAA, which is late */
	trace_reply(&ls, &l, &m, 50 * MS);
	ck_assert_uint_eq(trace.n, 6);
}
END_TEST

/* What came is one step, that of a reply if it is one. */
START_TEST(what_came_is_told_once)
{
	uint8_t bytes[] = "\0\1\x80\3\0\1\0\0\0\0\0\0\3wWw\7eXample\0\0\x1c\0\1";
	const struct msg m = { .rcode = DNS_SERVFAIL };
	const struct netaddr *from = &us.table[1].conf.addr;

	explain(DNS_TYPE_AAAA);
	trace_came(&trace, from, TRANSPORT_UDP, bytes, sizeof(bytes) - 1, 6 * MS);
	ck_assert(!step(1, TRACE_CAME, 0, 6)->taken && trace.step[1].rcode == DNS_NXDOMAIN);
	ck_assert_mem_eq(trace.step[1].name, "\3www\7example", sizeof(name));
	trace_reply(&ls, &l, &m, 7 * MS);
	ck_assert(step(1, TRACE_CAME, 2, 7)->taken && trace.step[1].rcode == DNS_SERVFAIL);
	trace_reply(&ls, &l, &m, 8 * MS);
	ck_assert_uint_eq(trace.n, 3);
	bytes[13] = 'v'; /* another name */
	trace_came(&trace, from, TRANSPORT_UDP, bytes, sizeof(bytes) - 1, 6 * MS);
	bytes[13] = 'w';
	trace_came(&trace, from, TRANSPORT_UDP, bytes, 20, 6 * MS); /* no message */
	ck_assert_uint_eq(trace.n, 3);
}
END_TEST

START_TEST(only_so_many_steps)
{
	const struct msg m = { .rcode = DNS_NOERROR };

	explain(DNS_TYPE_AAAA);
	while (trace.n < TRACE_STEPS)
		(void)trace_add(&trace, TRACE_CAME, 0);
	(void)trace_add(&trace, TRACE_CAME, 0);
	trace_reply(&ls, &l, &m, 7 * MS);
	ck_assert_uint_eq(trace.n, TRACE_STEPS);
	ck_assert_uint_eq(trace.n_left_out, 2);
	ck_assert(!trace.step[TRACE_STEPS - 1].taken);
}
END_TEST

/* The reply after it has no question, and so no step of trace_came. */
START_TEST(a_forged_message_keeps_its_step)
{
	uint8_t bytes[] = "\0\1\x80\3\0\1\0\0\0\0\0\0\3wWw\7eXample\0\0\x1c\0\1";
	uint8_t bare[] = "\0\1\x80\1\0\0\0\0\0\0\0\0";
	const struct msg m = { .rcode = DNS_FORMERR };
	const struct netaddr *from = &us.table[1].conf.addr;

	explain(DNS_TYPE_AAAA);
	trace_came(&trace, from, TRANSPORT_UDP, bytes, sizeof(bytes) - 1, 6 * MS);
	ck_assert_uint_eq(trace.n, 2);
	trace_came(&trace, &us.table[0].conf.addr, TRANSPORT_UDP, bare, 12, 7 * MS);
	ck_assert_uint_eq(trace.n, 2);
	trace_reply(&ls, &l, &m, 7 * MS);
	ck_assert_uint_eq(trace.n, 3);
}
END_TEST

/* One message is one step, also if there is no room for it. */
START_TEST(left_out_once)
{
	uint8_t bytes[] = "\0\1\x80\3\0\1\0\0\0\0\0\0\3wWw\7eXample\0\0\x1c\0\1";
	const struct msg m = { .rcode = DNS_NOERROR };

	explain(DNS_TYPE_AAAA);
	while (trace.n < TRACE_STEPS)
		(void)trace_add(&trace, TRACE_EVENT, 0);
	trace_came(&trace, &us.table[0].conf.addr, TRANSPORT_UDP, bytes, sizeof(bytes) - 1, 6 * MS);
	trace_reply(&ls, &l, &m, 6 * MS);
	ck_assert_uint_eq(trace.n_left_out, 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_forged_message_keeps_its_step);
	tcase_add_test(tc, left_out_once);
	tcase_add_test(tc, asked_and_why);
	tcase_add_test(tc, asked_the_same);
	tcase_add_test(tc, replies);
	tcase_add_test(tc, cached);
	tcase_add_test(tc, steps_of_what_is_explained);
	tcase_add_test(tc, what_came_is_told_once);
	tcase_add_test(tc, only_so_many_steps);
}
