/* SPDX-License-Identifier: BSD-2-Clause */
/* The page without a script: its numbers, and that nothing in it is HTML that should be text. */

#include "control/page.h"

#include <string.h>

#include "config/orders.h"
#include "control/page_files.h"
#include "support/known.h"
#include "support/tests.h"

static char text[65536];

static const char *
written(void)
{
	struct evbuffer *out = evbuffer_new();
	ev_ssize_t n;

	ck_assert_ptr_nonnull(out);
	page_write(out, &known.facts);
	n = evbuffer_remove(out, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	ck_assert_uint_eq(evbuffer_get_length(out), 0);
	text[n] = '\0';
	evbuffer_free(out);
	return text;
}

static void
has(const char *part)
{
	ck_assert_msg(strstr(written(), part) != NULL, "no %s in %s", part, text);
}

START_TEST(numbers)
{
	known.facts.rows[STATS_client_udp].value = 1234567;
	has("<b id=\"questions\">1 234 567</b>");
	has("<b id=\"inflight\">5</b>");
	has("<span class=\"state warn\" id=\"state\">degraded: 1 of 2 upstreams do not answer; 1 "
	    "of 2 listen addresses are not there</span>");
	has("<tr><td class=\"\">native</td><td class=\"n\">4</td><td class=\"n\">0</td><td "
	    "class=\"n\">0</td>");
	has("<tr><td class=\"\">::1#53</td><td class=\"good\">served</td></tr>");
	has("<tr><td class=\"\">&lt;eth0&gt;#53</td><td class=\"warn\">there is no such "
	    "interface</td></tr>");
	has("<tr><td class=\"\">64:ff9b::/96</td><td class=\"good\">active</td><td "
	    "class=\"n\">100</td><td class=\"\"></td></tr>");
	has("<td class=\"\">192.0.2.1#53</td><td class=\"good\">good</td><td class=\"n\">3 "
	    "ms</td>");
	has("<td class=\"\">2001:db8::1#53</td><td class=\"bad\">down</td><td class=\"n\">-</td>");
	has("<td class=\"\">messages of clients that got no answer</td><td class=\"n\">9</td>");
	has("<td class=\"\">entries in the cache</td><td class=\"n\">12</td>");
	has("1 answers waited, 30 ms on average");
	has("<th class=\"n\">round trip</th><th class=\"n\">sends</th><th class=\"n\">replies</th>"
	    "<th class=\"n\">lost</th><th class=\"n\">share</th>");
}
END_TEST

START_TEST(troubles)
{
	known.upstreams.at[0].state = UPSTREAM_STATUS_DOWN;
	known.upstreams.at[0].unanswering_ns = known.facts.now_ns;
	known.upstreams.n_missing = 1;
	known.facts.has_cache = false;
	memset(&known.facts.waited, 0, sizeof(known.facts.waited));
	has("<span class=\"state bad\" id=\"state\">not ready: no upstream answers; 1 of 2 listen "
	    "addresses are not there</span>");
	has("1 loops do not answer");
	has("<td>no cache</td>");
	has("none so far");
}
END_TEST

/* What the operator has ordered: the state that was before says nothing of it. */
START_TEST(orders_are_shown)
{
	static struct orders orders;

	has("<td class=\"\">networks that the operator denies for now (dns64ctl deny)</td><td "
	    "class=\"n\">0</td>");
	orders.n_denials = 2;
	known.settings.orders = &orders;
	known.upstreams.at[0].ordered = CONF_DRAIN;
	known.upstreams.at[1].ordered = CONF_DOWN;
	has("<td class=\"\">192.0.2.1#53</td><td class=\"warn\">drain by operator</td>");
	has("<td class=\"\">2001:db8::1#53</td><td class=\"warn\">down by operator</td>");
	has("<td class=\"\">networks that the operator denies for now (dns64ctl deny)</td><td "
	    "class=\"n\">2</td>");
}
END_TEST

/* No value is missing: a mark is left of a name that page.c does not know, or of one @ too many. */
START_TEST(every_mark_has_a_value)
{
	ck_assert_ptr_null(strchr(written(), '@'));
	ck_assert_uint_gt(strlen(text), page_files_html_len);
}
END_TEST

/* What Content-Security-Policy would refuse, or what comes from elsewhere. */
START_TEST(nothing_but_its_own)
{
	static const char *const never[] = { "http:", "https:", "style=", "onclick", "onload",
		"javascript:", "data:", "<script>" };

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		ck_assert_msg(strstr(written(), never[i]) == NULL, "%s", never[i]);
}
END_TEST

/* An interface may have such a name. */
START_TEST(text_is_no_html)
{
	known.upstreams.at[0].addr = (struct netaddr){ .family = NETADDR_NONE };
	has("<td class=\"\">none</td>");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, known_setup, known_close);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, troubles);
	tcase_add_test(tc, orders_are_shown);
	tcase_add_test(tc, every_mark_has_a_value);
	tcase_add_test(tc, nothing_but_its_own);
	tcase_add_test(tc, text_is_no_html);
}
