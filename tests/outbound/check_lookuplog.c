/* SPDX-License-Identifier: BSD-2-Clause */
/* lookuplog: what a line about a question says, and that no name in it can pass for something else.
 * When lines are written: tests/system/messages.sh. */

#include "outbound/lookuplog.h"

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

static void
setup(void)
{
	upstreams_init(&us);
	ck_assert(netaddr_parse("192.0.2.1", 53, &us.table[0].addr));
	ck_assert(netaddr_parse("192.0.2.2", 53, &us.table[1].addr));
	us.order[1] = 1;
	us.n_order = 2;
	l = (struct lookup){ .key.qname = name,
		.key.qtype = DNS_TYPE_AAAA,
		.progress = LOOKUP_ASKED_UDP,
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
	lookuplog_asks(&ls, &l, UPSTREAM_NONE);
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
	lookuplog_asks(&ls, &l, 0);
	said("attempt 1: it replied about this name before");
	l.n_sends = 2;
	lookuplog_asks(&ls, &l, 0);
	said("attempt 2: the same once more");
}
END_TEST

START_TEST(replies)
{
	const struct msg m = { .rcode = DNS_NXDOMAIN, .flags = DNS_TC, .count = { 3 } };

	lookuplog_reply(&ls, &l, &m, 7 * MS + MS / 2);
	said("debug upstream: 192.0.2.1#53: replies about WwW.example. AAAA over UDP in 2.500 ms: "
	     "NXDOMAIN, truncated, 3 answers");
	lookuplog_silent(&ls, &l, &l.now, 405 * MS);
	said("debug upstream: 192.0.2.1#53: no reply about WwW.example. AAAA over UDP in 400.000 "
	     "ms");
}
END_TEST

START_TEST(cached)
{
	const struct question key = { .qname = odd, .qtype = 65280 };
	struct cache_entry e = { .kind = CACHE_NODATA, .age_s = 12, .ttl_s = 300 };

	lookuplog_found(&key, &e);
	said("debug cache: hit " ODD " TYPE65280: no data, 12 s old, TTL 300");
	e.age_s = 300;
	e.due = true;
	lookuplog_found(&key, &e);
	said("debug cache: stale " ODD " TYPE65280: no data, 300 s old, TTL 300, to be refreshed");
	lookuplog_kept(&key, &e);
	said("debug cache: kept " ODD " TYPE65280: no data, TTL 300");
	e.ttl_s = 0;
	lookuplog_kept(&key, &e);
	said("debug cache: not kept " ODD " TYPE65280: it has no time to live");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, asked_and_why);
	tcase_add_test(tc, asked_the_same);
	tcase_add_test(tc, replies);
	tcase_add_test(tc, cached);
}
