/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of explain, and its answer for people. */

#include "dns64ctl/explain.h"

#include <stdlib.h>
#include <string.h>

#include "dns64ctl/words.h"
#include "support/tests.h"

static char *text;

/* What is shown of the JSON J. */
static void
show(const char *j)
{
	json_error_t error;
	json_t *answer = json_loads(j, 0, &error);
	size_t len;
	FILE *f;

	ck_assert_msg(answer != NULL, "%s", error.text);
	free(text);
	f = open_memstream(&text, &len);
	explain_show(answer, f);
	fclose(f);
	json_decref(answer);
}

static void
free_text(void)
{
	free(text);
	text = NULL;
}

#define HAS(part) ck_assert_msg(strstr(text, part) != NULL, "%s", text)

#define WORDS(...) (char *[]){ __VA_ARGS__ }, sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *)

START_TEST(words)
{
	static char name[] = "a.test", mx[] = "MX", client[] = "client", one[] = "::2",
		    tcp[] = "tcp", do_[] = "do", cd[] = "cd";
	const char *args[EXPLAIN_KEYS];

	ck_assert(explain_words(WORDS(name), false, args));
	ck_assert_str_eq(args[0], "a.test");
	for (size_t i = 1; i < EXPLAIN_KEYS; i++)
		ck_assert_ptr_null(args[i]);
	ck_assert(explain_words(WORDS(name, mx, client, one, cd, tcp), true, args));
	ck_assert_str_eq(args[1], "MX");
	ck_assert_str_eq(args[2], "::2");
	ck_assert_str_eq(args[3], "0");
	ck_assert_str_eq(args[4], "1");
	ck_assert_ptr_null(args[5]);
	ck_assert_str_eq(args[6], "1");
	ck_assert(explain_words(WORDS(name, client, one, do_), false, args));
	ck_assert_ptr_null(args[1]);
	ck_assert_str_eq(args[5], "1");
	ck_assert(!explain_words(WORDS(name, mx, client), false, args));
	ck_assert(!explain_words(WORDS(name, mx, mx), false, args));
	ck_assert(!explain_words(WORDS(name, client, one, mx), false, args));
}
END_TEST

START_TEST(keys_are_those_of_the_command)
{
	static const char *const keys[] = { "name", "type", "client", "ask", "tcp", "do", "cd" };
	char *const line[] = { (char[]){ "explain" } };
	size_t used;
	const struct command *c = words_find(line, 1, &used);

	ck_assert_uint_eq(words_keys(c), sizeof(keys) / sizeof(keys[0]));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_str_eq(c->keys[i], keys[i]);
}
END_TEST

/* The conclusion is the first line, what decided the second. */
START_TEST(conclusion_first)
{
	show("{\"question\": {\"name\": \"a.test.\", \"type\": \"AAAA\", \"client\": \"::1\", "
	     "\"transport\": \"udp\", \"do\": true, \"cd\": false}, \"conclusion\": \"NOERROR, no "
	     "AAAA; because\", \"decided_by\": {\"keyword\": \"exclude-a\", \"value\": "
	     "\"10.0.0.0/8\", \"file\": \"/f\", \"line\": 12}, \"reason\": {\"name\": "
	     "\"a-excluded\", \"ede\": 0}}");
	ck_assert_ptr_eq(strstr(text,
			     "a.test. AAAA for ::1 over UDP, DO: NOERROR, no AAAA; because\n"
			     "decided by  /f:12: exclude-a 10.0.0.0/8\n"
			     "reason      a-excluded, extended error 0\n"),
	    text);
	/* Nothing that controls a terminal, also not U+009B. */
	show("{\"conclusion\": \"x\\u001b[2J\\u009b2J\"}");
	HAS("x?[2J?2J\n");
	show("{\"conclusion\": \"x\", \"decided_by\": {\"rule\": \"built in\"}}");
	HAS("\ndecided by  built in\n");
	show("{\"conclusion\": \"x\", \"decided_by\": {\"rule\": \"the default\", \"keyword\": "
	     "\"k\"}}");
	HAS("\ndecided by  the default of k\n");
	show("{\"conclusion\": \"x\", \"decided_by\": {\"keyword\": \"k\", \"value\": \"v\", "
	     "\"from\": \"command line\"}}");
	HAS("\ndecided by  command line: k v\n");
}
END_TEST

START_TEST(policy)
{
	show("{\"policy\": {\"number\": 1, \"block\": {\"keyword\": \"client\", \"value\": \"::/0 "
	     "{\", \"file\": \"/f\", \"line\": 7}, \"may_ask\": true, \"allowed_by\": {\"rule\": "
	     "\"r\"}, \"zone\": {\"name\": \"z.\", \"decided_by\": null}, \"prefixes\": "
	     "[{\"prefix\": \"64:ff9b::/96\", \"state\": \"active\"}, {\"prefix\": \"::/96\", "
	     "\"state\": \"down\"}], \"beyond_rate_limit\": 64}, \"reloaded\": true}");
	HAS("policy      /f:7: client ::/0 {\n");
	HAS("may ask     yes (r)\n");
	HAS("zone        z.\n");
	HAS("prefixes    64:ff9b::/96 active, ::/96 down\n");
	HAS("its network of 64 bits is beyond rate-limit now\n");
	HAS("the configuration changed meanwhile");
	show("{\"policy\": {\"prefixes\": [{\"prefix\": \"64:ff9b::/96\", \"state\": \"active\", "
	     "\"weight\": 300}, {\"prefix\": \"::/96\", \"state\": \"down\", \"weight\": 100}]}}");
	HAS("prefixes    64:ff9b::/96 active weight 300, ::/96 down weight 100\n");
	show("{\"policy\": {\"prefixes\": [{\"prefix\": \"64:ff9b::/96\", \"state\": \"active\", "
	     "\"weight\": 300}, {\"prefix\": \"::/96\", \"state\": \"down\", \"weight\": 300}]}}");
	HAS("prefixes    64:ff9b::/96 active, ::/96 down\n");
	show("{\"policy\": {\"number\": 0, \"may_ask\": false}}");
	HAS("policy      of clients in no client block\nmay ask     no\n");
}
END_TEST

START_TEST(steps)
{
	show("{\"steps_left_out\": 3, \"steps\": [{\"step\": \"begin\", \"us\": 0, \"state\": "
	     "\"aaaa\"},"
	     "{\"step\": \"event\", \"us\": 1, \"state\": \"aaaa\", \"outcome\": \"reply\", "
	     "\"cached\": "
	     "true, \"stale\": true, \"due\": true, \"age_s\": 9, \"ttl_s\": 5, \"rcode\": "
	     "\"NOERROR\", \"name\": "
	     "\"n.\", \"type\": \"A\"},"
	     "{\"step\": \"event\", \"us\": 1, \"outcome\": \"silent\", \"cached\": true},"
	     "{\"step\": \"question\", \"us\": 2, \"name\": \"n.\", \"type\": \"A\", \"joined\": "
	     "true},"
	     "{\"step\": \"sent\", \"us\": 1500, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", "
	     "\"transport\": \"tcp\"},"
	     "{\"step\": \"came\", \"us\": 1500, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", "
	     "\"transport\": \"udp\", \"rcode\": \"REFUSED\"},"
	     "{\"step\": \"event\", \"us\": 1, \"state\": \"a\", \"outcome\": \"silent\"},"
	     "{\"step\": \"sent\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", \"transport\": \"udp\", \"attempt\": 2, \"why\": \"another one\"},"
	     "{\"step\": \"came\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", \"transport\": \"udp\", \"rcode\": \"NOERROR\", \"taken\": false},"
	     "{\"step\": \"came\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", \"transport\": \"udp\", \"rcode\": \"NOERROR\", \"taken\": true, "
	     "\"answers\": 3, \"tc\": true, \"took_us\": 2500},"
	     "{\"step\": \"silent\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"upstream\": "
	     "\"u\", \"transport\": \"udp\", \"took_us\": 400000},"
	     "{\"step\": \"kept\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"entry\": "
	     "\"data\", \"ttl_s\": 60},"
	     "{\"step\": \"kept\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", \"entry\": "
	     "\"data\", \"ttl_s\": 0},"
	     "{\"step\": \"event\", \"us\": 1, \"state\": \"local\", \"outcome\": \"silent\"},"
	     "{\"step\": \"event\", \"us\": 1, \"state\": \"svcb\", \"outcome\": \"done\", "
	     "\"added\": 2},"
	     "{\"step\": \"event\", \"us\": 1, \"state\": \"svcb\", \"outcome\": \"late\", "
	     "\"added\": 0},"
	     "{\"step\": \"address\", \"us\": 1, \"address\": \"10.0.0.2\", \"verdict\": "
	     "\"hidden\"},"
	     "{\"step\": \"address\", \"us\": 1, \"address\": \"10.0.0.1\", \"verdict\": "
	     "\"private\", "
	     "\"decided_by\": {\"rule\": \"r\"}},"
	     "{\"step\": \"would-ask\", \"us\": 1, \"name\": \"n.\", \"type\": \"MX\", \"stale\": "
	     "true},"
	     "{\"step\": \"whom\", \"us\": 1, \"upstream\": \"u\"}],"
	     "\"answer\": {\"answer\": [\"r1\", \"r2\"], \"authority\": [\"s\\u001b\"]}}");
	HAS("    0.000 ms  begins as aaaa\n");
	HAS("cache: EXPIRED entry, 9 s old, TTL 5 s: n. A NOERROR, to be refreshed\n");
	HAS("cache: fresh entry, 0 s old, TTL 0 s: the question failed (silent)\n");
	HAS("needs n. A, which was asked already\n");
	HAS("    1.500 ms    to u over TCP: n. A\n");
	HAS("    1.500 ms    from u over UDP: n. A REFUSED\n");
	HAS("  a: silent\n");
	HAS("    to u over UDP: n. A, attempt 2: another one\n");
	HAS("    from u over UDP: n. A NOERROR, not taken: late, or no reply to what was asked "
	    "there\n");
	HAS("    from u over UDP: n. A NOERROR, truncated, 3 answers, after 2.500 ms\n");
	HAS("    no reply from u over UDP: n. A, after 400.000 ms\n");
	HAS("    cache: n. A kept, data, TTL 60 s\n");
	HAS("    cache: n. A not kept: it has no time to live\n");
	HAS("  answered here\n");
	HAS("  svcb: 2 addresses of targets added\n");
	HAS("  svcb: 0 addresses of targets added; others came too late\n");
	HAS("    10.0.0.2: left out: clients that have no IPv4 get none\n");
	HAS("    10.0.0.1: not mapped: 64:ff9b::/96 is for global addresses only (r)\n");
	HAS("would ask n. MX; if that fails, an expired entry is at hand\n");
	HAS("    of u\n");
	HAS("3 more steps\n");
	HAS("answer      r1\n            r2\nauthority   s?\n");
}
END_TEST

/* Whatever carried a message is told by its name, also if this version knows no such transport. */
START_TEST(transports)
{
	show("{\"question\": {\"name\": \"a.\", \"client\": \"::1\", \"transport\": \"tls\"}, "
	     "\"steps\": [{\"step\": \"sent\", \"us\": 1, \"name\": \"n.\", \"type\": \"A\", "
	     "\"upstream\": \"u\", \"transport\": \"tls\"}]}");
	HAS(" for ::1 over TLS: ");
	HAS("    to u over TLS: n. A\n");
}
END_TEST

/* Of another version: what is not there is left out. */
START_TEST(nothing)
{
	show("{}");
	HAS("for - over -");
	show("[]");
	show("{\"steps\": [{}, 7], \"policy\": 7, \"answer\": []}");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, free_text);
	tcase_add_test(tc, words);
	tcase_add_test(tc, keys_are_those_of_the_command);
	tcase_add_test(tc, conclusion_first);
	tcase_add_test(tc, policy);
	tcase_add_test(tc, steps);
	tcase_add_test(tc, transports);
	tcase_add_test(tc, nothing);
}
