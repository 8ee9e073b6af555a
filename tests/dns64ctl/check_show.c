/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers as people see them, also those of a daemon of another version. */

#include "dns64ctl/show.h"

#include <stdlib.h>
#include <string.h>

#include "dns64ctl/words.h"
#include "support/tests.h"

static char *text;

static void
free_text(void)
{
	free(text);
	text = NULL;
}

/* What SHOW makes of the JSON J. */
static const char *
shown(command_show *show, const char *j)
{
	json_t *answer = json_loads(j, 0, NULL);
	size_t len;
	FILE *f;

	ck_assert_ptr_nonnull(answer);
	free_text();
	f = open_memstream(&text, &len);
	show(answer, f);
	fclose(f);
	json_decref(answer);
	return text;
}

#define HAS(part) ck_assert_msg(strstr(text, part) != NULL, "%s", text)

START_TEST(short_ones)
{
	ck_assert_str_eq(shown(show_ping, "{\"pong\": true}"), "pong\n");
	ck_assert_str_eq(shown(show_done, "{\"done\": true}"), "");
	ck_assert_str_eq(shown(show_flushed, "{\"entries\": 7}"), "7 entries\n");
	ck_assert_str_eq(shown(show_error, "{\"error\": \"no\", \"allowed\": [\"a\", \"b\"]}"),
	    "dns64ctl: no; allowed: a, b\n");
	ck_assert_str_eq(shown(show_error, "{}"), "dns64ctl: the daemon does not say why\n");
	ck_assert_str_eq(shown(show_messages,
			     "{\"messages\": [{\"level\": \"error\", \"about\": \"config\", "
			     "\"text\": \"t.conf:3: x\"}]}"),
	    "error config: t.conf:3: x\n");
}
END_TEST

START_TEST(counters)
{
	shown(show_stats,
	    "{\"in_flight\": 2, \"counters\": {\"answers\": 7, \"bogus\": 0}, \"cache\": null, "
	    "\"help\": {\"answers\": \"answers given\"}}");
	HAS("answers                             7  answers given\n");
	HAS("in_flight");
	HAS("none\n");
	ck_assert_ptr_null(strstr(text, "bogus"));
}
END_TEST

START_TEST(rates)
{
	json_t *before =
	    json_loads("{\"time\": 10.0, \"counters\": {\"a\": 5, \"b\": 1}}", 0, NULL);
	json_t *now =
	    json_loads("{\"time\": 12.0, \"counters\": {\"a\": 8, \"b\": 1, \"c\": 4}}", 0, NULL);
	size_t len;
	FILE *f = open_memstream(&text, &len);

	show_rates(before, now, f);
	/* Of a daemon that was started in between. */
	show_rates(now, before, f);
	fclose(f);
	HAS("a                                 1.5/s");
	HAS("c                                 2.0/s");
	ck_assert_ptr_null(strstr(text, "b "));
	ck_assert_ptr_null(strstr(strstr(text, "c  "), "a "));
	json_decref(before);
	json_decref(now);
}
END_TEST

START_TEST(status)
{
	shown(show_status,
	    "{\"version\": \"1.2\", \"pid\": 7, \"uptime_s\": 90061, \"configuration\": \"/c\", "
	    "\"loops\": 2, \"loops_silent\": 1, \"listening\": [\"::1#53\", \"127.0.0.1#53\"], "
	    "\"waiting\": [{\"listen\": \"eth0#53\", \"why\": \"no such\"}, "
	    "{\"listen\": \"::9#53\", \"why\": \"du\\u001bp\"}], "
	    "\"prefixes\": [{\"prefix\": \"64:ff9b::/96\", \"state\": \"drain\"}], \"upstreams\": "
	    "[{\"address\": \"::2#53\", \"state\": \"good\"}], \"cache\": null, \"in_flight\": 3, "
	    "\"reload\": {\"done\": false, \"error\": \"refused; it is as before\"}}");
	HAS("1.2, process 7, for 1d 1h");
	HAS("2, 1 of them silent");
	HAS("::1#53, 127.0.0.1#53\nwaiting for eth0#53, no such\n            ::9#53, du?p\n");
	HAS("64:ff9b::/96 drain");
	HAS("3 questions");
	HAS("reload      refused; it is as before\n");
	ck_assert_ptr_null(strstr(text, "verdict"));
	shown(show_status, "{\"verdict\": \"ready\", \"reason\": null, \"lameduck\": null}");
	HAS("verdict     ready\n");
	ck_assert_ptr_null(strstr(text, "lameduck"));
	shown(show_status,
	    "{\"verdict\": \"not ready\", \"reason\": \"lameduck\", \"lameduck\": 1000}");
	HAS("verdict     not ready: lameduck\n");
	HAS("lameduck    on, for ");
}
END_TEST

/* D36: what prefix-check has found. */
START_TEST(prefixes)
{
	shown(show_prefixes,
	    "{\"blocks\": [{\"networks\": [], \"line\": 0, \"prefixes\": ["
	    "{\"prefix\": \"64:ff9b::/96\", \"state\": \"active\", \"answers\": 7, \"from\": "
	    "\"default\", \"check\": null},"
	    "{\"prefix\": \"2001:db8::/96\", \"state\": \"active\", \"answers\": 8, \"from\": "
	    "\"map\", \"held\": true, \"check\": {\"state\": \"down\", \"since\": 1000, "
	    "\"error\": \"icmp: si\\tlent\"}}]}]}");
	HAS("64:ff9b::/96                   active               7  default\n");
	HAS("8  map; down by prefix-check since 19");
	HAS(", but active as the last one left, last error: icmp: si?lent\n");
	shown(show_status,
	    "{\"prefixes\": [{\"prefix\": \"64:ff9b::/96\", \"state\": \"down\", \"cause\": "
	    "\"probe\"}]}");
	HAS("64:ff9b::/96 down by prefix-check\n");
}
END_TEST

START_TEST(clients)
{
	shown(show_clients,
	    "{\"clients\": [{\"networks\": [], \"line\": 0, \"answers\": 7, \"sets\": []}, "
	    "{\"networks\": [\"10.0.0.0/8\", \"::/0\"], \"line\": 12, \"prefixes\": 2, "
	    "\"zones\": 3, \"answers\": 9, \"shared\": true, \"sets\": [\"hide-a yes\"]}]}");
	HAS("     0        0        0              7  all others\n");
	HAS("    12        2        3              9* 10.0.0.0/8 ::/0\n    hide-a yes\n");
}
END_TEST

START_TEST(weights_of_prefixes)
{
	shown(show_prefixes,
	    "{\"blocks\": [{\"networks\": [], \"line\": 0, \"own\": true, \"prefixes\": "
	    "[{\"prefix\": \"64:ff9b::/96\", \"state\": \"active\", \"weight\": 300, "
	    "\"answers\": 7, \"from\": \"file\", \"file\": \"/f\", \"line\": 3}, "
	    "{\"prefix\": \"2001:db8::/96\", \"state\": \"drain\", \"map_only\": true, "
	    "\"weight\": 100, \"from\": \"map\"}, "
	    "{\"prefix\": \"2001:db8:1::/96\", \"state\": \"down\", \"from\": \"default\"}]}]}");
	HAS("clients in no block\n");
	HAS("  64:ff9b::/96                   active  weight 300               7  /f:3\n");
	HAS("  2001:db8::/96                  drain   map                      0  map\n");
	HAS("  2001:db8:1::/96                down                 0  default\n");
}
END_TEST

START_TEST(secrets)
{
	shown(show_secrets,
	    "{\"from\": \"dns64ctl\", \"client_cookies\": false, \"secrets\": [{\"state\": "
	    "\"active\", \"fingerprint\": \"0011aabb\"}, {\"state\": \"accepted\", "
	    "\"fingerprint\": \"2233ccdd\"}]}");
	HAS("active    0011aabb  dns64ctl\n");
	HAS("accepted  2233ccdd  dns64ctl\n");
	HAS("clients get no cookies");
	ck_assert_str_eq(
	    shown(show_secrets, "{\"secrets\": []}"), "drawn at the start, a new one each day\n");
}
END_TEST

START_TEST(lameduck)
{
	ck_assert_str_eq(shown(show_lameduck, "{\"lameduck\": null}"), "off\n");
	shown(show_lameduck, "{\"lameduck\": 1000}");
	HAS("on, for ");
	/* The daemon's clock may be ahead. */
	ck_assert_str_eq(shown(show_lameduck, "{\"lameduck\": 99999999999}"), "on, for 0m 0s\n");
	ck_assert_str_eq(shown(show_lameduck, "{\"lameduck\": 99999999999, \"stops\": 1000}"),
	    "on, for 0m 0s; it stops in 0m 0s\n");
	shown(show_lameduck, "{\"lameduck\": 1000, \"stops\": 99999999999}");
	HAS("; it stops in ");
	ck_assert_ptr_null(strstr(text, "in 0m 0s"));
}
END_TEST

START_TEST(stop)
{
	ck_assert_str_eq(shown(show_stop, "{\"stopping\": true, \"stops\": null}"), "");
	ck_assert_str_eq(shown(show_stop, "{\"stopping\": true, \"stops\": 1000}"),
	    "a lame duck first; it stops in 0m 0s\n");
}
END_TEST

START_TEST(upstreams_and_entries)
{
	shown(show_upstreams,
	    "{\"upstreams\": [{\"address\": \"::2#53\", \"state\": \"in doubt\", \"udp\": {\"ms\": "
	    "1.5}, "
	    "\"tcp\": null, \"sends\": 12, \"share_percent\": 50.0, \"sockets\": 3, "
	    "\"replies_by_rcode\": {\"NOERROR\": 0, \"SERVFAIL\": 9}, \"lost_by_cause\": "
	    "{\"timeout\": 2, \"unreachable\": 1, \"disconnected\": 0}, \"guards\": "
	    "{\"0x20\": {\"state\": \"off\", \"off_s\": 61.0}, \"cookie\": {\"state\": \"on\", "
	    "\"off_s\": null}}}]}");
	HAS("    0 in flight, 0 waiting, 3 sockets, 0 connections, 0 overdue, 0 hedges\n");
	HAS("    replies: SERVFAIL 9\n    lost: timeout 2, unreachable 1\n");
	HAS("    0x20 off for 1m 1s, cookie on\n");
	HAS("in doubt");
	HAS("1.500");
	HAS("50.0%");
	shown(show_entries,
	    "{\"name\": \"a.\", \"entries\": [{\"type\": \"AAAA\", \"kind\": \"nodata\", "
	    "\"left_s\": "
	    "-3, \"do\": true, \"cd\": false, \"trusted\": true}]}");
	HAS("AAAA       nodata");
	HAS("stale DO trusted\n");
	ck_assert_str_eq(
	    shown(show_entries, "{\"name\": \"a.\", \"entries\": []}"), "a. is not in the cache\n");
}
END_TEST

/* An answer without what is expected, and texts that would control a terminal. */
START_TEST(strange_answers)
{
	size_t n;
	const struct command *all = commands(&n);

	for (size_t i = 0; i < n; i++) {
		(void)shown(words_show(&all[i]), "{}");
		(void)shown(words_show(&all[i]), "[1]");
	}
	shown(show_messages, "{\"messages\": [{\"text\": \"a\\u001b[2Jb\\n\\u007f\"}, 3]}");
	HAS("a?[2Jb??");
	/* Controls beyond ASCII too, but not what is no control. */
	shown(show_messages, "{\"messages\": [{\"text\": \"a\\u009b2Jb \\u00a0\\u00e9\\u2713\"}]}");
	HAS("a?2Jb \xc2\xa0\xc3\xa9\xe2\x9c\x93\n");
}
END_TEST

START_TEST(in_flight)
{
	shown(show_inflight,
	    "{\"in_flight\": 9, \"loops_silent\": 0, \"questions\": [{\"age_ms\": 12.3, "
	    "\"client\": "
	    "\"::1\", \"transport\": \"udp\", \"name\": \"a.test.\", \"type\": \"AAAA\", "
	    "\"state\": \"a\", \"sends\": 1, \"tried\": [{\"upstream\": \"192.0.2.1#53\", "
	    "\"reply\": \"waiting\"}, {\"upstream\": \"192.0.2.2#53\", \"reply\": \"silent\"}], "
	    "\"tried_more\": 3}, {\"name\": \"b.test.\", \"sends\": 0, \"tried\": []}]}");
	HAS("9 in flight");
	HAS("12 ms  ::1  udp  a.test. AAAA  a, 1 sends: 192.0.2.1#53 waiting, 192.0.2.2#53 silent "
	    "and 3 more\n");
	HAS(", 0 sends\n");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, free_text);
	tcase_add_test(tc, short_ones);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, rates);
	tcase_add_test(tc, status);
	tcase_add_test(tc, prefixes);
	tcase_add_test(tc, clients);
	tcase_add_test(tc, weights_of_prefixes);
	tcase_add_test(tc, secrets);
	tcase_add_test(tc, lameduck);
	tcase_add_test(tc, stop);
	tcase_add_test(tc, upstreams_and_entries);
	tcase_add_test(tc, strange_answers);
	tcase_add_test(tc, in_flight);
}
