/* SPDX-License-Identifier: BSD-2-Clause */
/* D13, D23: which block a client is in, and whether it may ask. */

#include "config/access.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/netaddr.h"
#include "config/hostaddr.h"
#include "config/policy_lines.h"
#include "config/values.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

/* The block of a client, counted from 1, 0 without; negative, and one less, if it may not ask. */
static int
find(const struct policies *ps, const char *client)
{
	struct netaddr a;
	bool may_ask;
	unsigned block;

	ck_assert(netaddr_parse(client, 53, &a));
	block = policies_find(ps, &a, &may_ask);
	return may_ask ? (int)block : -(int)block - 1;
}

static const struct policies *
make(const char *text)
{
	const struct policies *ps = said_make(&said, text, &settings);

	ck_assert_str_eq(said.text, "");
	ck_assert_ptr_nonnull(ps);
	return ps;
}

/* Networks do not merge: the longest is the policy. */
START_TEST(longest_network_is_the_policy)
{
	const struct policies *ps = make("allow any\n"
					 "client 10.0.0.0/8 2001:db8::/32 {\n}\n"
					 "client 10.1.0.0/16 2001:db8:1::/48 {\n}\n"
					 "client 10.1.1.1 2001:db8:1::1 {\n}\n"
					 "client 192.0.2.0/24 {\n}\n");

	ck_assert_int_eq(find(ps, "10.2.0.1"), 1);
	ck_assert_int_eq(find(ps, "10.1.2.1"), 2);
	ck_assert_int_eq(find(ps, "10.1.1.1"), 3);
	ck_assert_int_eq(find(ps, "2001:db8:2::1"), 1);
	ck_assert_int_eq(find(ps, "2001:db8:1::2"), 2);
	ck_assert_int_eq(find(ps, "2001:db8:1::1"), 3);
	ck_assert_int_eq(find(ps, "192.0.2.255"), 4);
	ck_assert_int_eq(find(ps, "192.0.3.0"), 0);
	ck_assert_int_eq(find(ps, "::1"), 0);
}
END_TEST

/* Each kind of network inside the other, and beside it. */
START_TEST(blocks_and_access)
{
	const struct policies *ps = make("allow 10.1.0.0/16 192.0.2.0/24\n"
					 "allow 2001:db8:1::/48 198.51.100.0/24\n"
					 "client 10.0.0.0/8 {\n}\n"
					 "client 10.1.128.0/17 {\n}\n"
					 "client 2001:db8::/32 {\n}\n"
					 "client 198.51.100.0/24 {\n}\n"
					 "client 127.0.0.2 {\n}\n");

	ck_assert_int_eq(find(ps, "10.0.0.1"), -2);    /* in a block, not allowed */
	ck_assert_int_eq(find(ps, "10.1.0.1"), 1);     /* allowed inside a block */
	ck_assert_int_eq(find(ps, "10.1.128.1"), 2);   /* a block inside what is allowed */
	ck_assert_int_eq(find(ps, "192.0.2.1"), 0);    /* allowed, in no block */
	ck_assert_int_eq(find(ps, "198.51.100.1"), 4); /* the same network */
	ck_assert_int_eq(find(ps, "203.0.113.1"), -1); /* neither */
	ck_assert_int_eq(find(ps, "2001:db8:1::1"), 3);
	ck_assert_int_eq(find(ps, "2001:db8:2::1"), -4);
	ck_assert_int_eq(find(ps, "2001:db9::1"), -1);
	/* The machine itself may always ask. */
	ck_assert_int_eq(find(ps, "127.0.0.1"), 0);
	ck_assert_int_eq(find(ps, "127.0.0.2"), 5);
	ck_assert_int_eq(find(ps, "::1"), 0);
	/* What is not said is not there: allow replaces all else. */
	ck_assert_int_eq(find(ps, "fe80::1"), -1);
	ck_assert_int_eq(find(ps, "169.254.0.1"), -1);
}
END_TEST

START_TEST(loopback_in_a_block)
{
	const struct policies *ps = make("allow 192.0.2.0/24\nclient ::/0 0.0.0.0/0 {\n}\n");

	ck_assert_int_eq(find(ps, "::1"), 1);
	ck_assert_int_eq(find(ps, "127.0.0.1"), 1);
	ck_assert_int_eq(find(ps, "192.0.2.1"), 1);
	ck_assert_int_eq(find(ps, "192.0.3.1"), -2);
	ck_assert_int_eq(find(ps, "2001:db8::1"), -2);
}
END_TEST

START_TEST(exempt_networks_are_in_the_policies)
{
	const struct policies *ps =
	    make("allow any\nrate-limit-exempt 192.0.2.0/24 192.0.2.0/24 2001:db8::/32\n");
	struct netaddr a;

	ck_assert(netaddr_parse("192.0.2.7", 0, &a));
	ck_assert_uint_eq(netmap_find(&ps->common.exempt, &a, 0), 1);
	ck_assert(netaddr_parse("2001:db8::7", 0, &a));
	ck_assert_uint_eq(netmap_find(&ps->common.exempt, &a, 0), 1);
	ck_assert(netaddr_parse("192.0.3.7", 0, &a));
	ck_assert_uint_eq(netmap_find(&ps->common.exempt, &a, 0), 0);
}
END_TEST

/* The line that decides whether CLIENT may ask; 0: none does. */
static unsigned
line_of(const struct policies *ps, const char *client)
{
	struct netaddr a;

	ck_assert(netaddr_parse(client, 53, &a));
	return policies_client(ps, &a)->line;
}

START_TEST(allow_any_lets_all_ask)
{
	const struct policies *ps =
	    make("allow any\nallow 192.0.2.0/24\nclient 192.0.2.0/25 10.0.0.0/8 {\n}\n");

	ck_assert_int_eq(find(ps, "203.0.113.1"), 0);
	ck_assert_int_eq(find(ps, "192.0.2.1"), 1);
	ck_assert_int_eq(find(ps, "192.0.2.129"), 0);
	ck_assert_int_eq(find(ps, "10.0.0.1"), 1);
	ck_assert_uint_eq(line_of(ps, "203.0.113.1"), 1);
	ck_assert_uint_eq(line_of(ps, "192.0.2.1"), 2);
	ck_assert_uint_eq(line_of(ps, "10.0.0.1"), 1);
}
END_TEST

static enum policy_access
becomes(const struct policies *ps, const char *client)
{
	struct netaddr a;

	ck_assert(netaddr_parse(client, 53, &a));
	return policies_access(ps, &a);
}

/* D23: of allow and deny the longest network decides, in whatever order they stand. */
START_TEST(d23_longest_of_allow_and_deny_decides)
{
	const struct policies *ps = make("deny 10.1.2.3 2001:db8:1:2::/64\n"
					 "allow 10.1.2.0/24 2001:db8:1::/48\n"
					 "deny 10.1.0.0/16 2001:db8::/32 refuse\n"
					 "allow 10.0.0.0/8 2000::/4\n"
					 "deny 10.1.2.128/25 10.2.0.0/16 drop\n"
					 "client 10.1.0.0/17 {\n}\n");

	ck_assert_int_eq(becomes(ps, "10.0.0.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "10.1.0.1"), POLICY_DENIED);
	ck_assert_int_eq(becomes(ps, "10.1.2.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "10.1.2.3"), POLICY_DENIED);
	ck_assert_int_eq(becomes(ps, "10.1.2.200"), POLICY_IGNORED);
	ck_assert_int_eq(becomes(ps, "10.2.255.255"), POLICY_IGNORED);
	ck_assert_int_eq(becomes(ps, "192.0.2.1"), POLICY_STRANGER);
	ck_assert_int_eq(becomes(ps, "2001:db9::1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "2001:db8:2::1"), POLICY_DENIED);
	ck_assert_int_eq(becomes(ps, "2001:db8:1::1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "2001:db8:1:2::1"), POLICY_DENIED);
	ck_assert_uint_eq(line_of(ps, "10.0.0.1"), 4);
	ck_assert_uint_eq(line_of(ps, "10.1.0.1"), 3);
	ck_assert_uint_eq(line_of(ps, "10.1.2.1"), 2);
	ck_assert_uint_eq(line_of(ps, "10.1.2.3"), 1);
	ck_assert_uint_eq(line_of(ps, "10.2.0.1"), 5);
	ck_assert_uint_eq(line_of(ps, "192.0.2.1"), 0);
	ck_assert_uint_eq(line_of(ps, "127.0.0.1"), 0);
	/* The block holds for who may ask inside of it, and for nobody else. */
	ck_assert_int_eq(find(ps, "10.1.2.1"), 1);
	ck_assert_int_eq(find(ps, "10.1.2.3"), -2);
	ck_assert_int_eq(find(ps, "10.0.0.1"), 0);
	ck_assert(ps->common.ignores);
}
END_TEST

START_TEST(d23_deny_without_allow)
{
	const struct policies *ps = make("deny 169.254.7.0/24\ndeny fe80::/10 126.0.0.0/7 drop\n");

	ck_assert_int_eq(becomes(ps, "169.254.1.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "169.254.7.1"), POLICY_DENIED);
	/* Goes before the usual network of the same length. */
	ck_assert_int_eq(becomes(ps, "fe80::1"), POLICY_IGNORED);
	/* The machine itself may always ask. */
	ck_assert_int_eq(becomes(ps, "126.0.0.1"), POLICY_IGNORED);
	ck_assert_int_eq(becomes(ps, "127.0.0.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "::1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "203.0.113.1"), POLICY_STRANGER);
}
END_TEST

/* Those whom no line names are refused, unless they are denied otherwise. */
START_TEST(d23_deny_any)
{
	const struct policies *ps = make("allow 10.0.0.0/8\ndeny any drop\n");

	ck_assert_int_eq(becomes(ps, "10.0.0.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "203.0.113.1"), POLICY_IGNORED);
	ck_assert_int_eq(becomes(ps, "2001:db8::1"), POLICY_IGNORED);
	ck_assert_uint_eq(line_of(ps, "10.0.0.1"), 1);
	ck_assert_uint_eq(line_of(ps, "203.0.113.1"), 2);
	ck_assert_int_eq(becomes(ps, "::1"), POLICY_SERVED);
	ck_assert(ps->common.ignores);
	ps = make("allow 10.0.0.0/8\ndeny any\n");
	ck_assert_int_eq(becomes(ps, "203.0.113.1"), POLICY_DENIED);
	ck_assert(!ps->common.ignores);
	ps = make("allow any\ndeny 10.0.0.0/8\n");
	ck_assert_int_eq(becomes(ps, "203.0.113.1"), POLICY_SERVED);
	ck_assert_int_eq(becomes(ps, "10.0.0.1"), POLICY_DENIED);
}
END_TEST

static const struct {
	const char *conf;
	const char *told;
} wrong_denials[] = {
	{ "deny drop\n",
	    "error t.conf:1: deny: names no network; allowed is "
	    "NETWORK[/LENGTH]... | any [refuse|drop]\n" },
	{ "deny 10.0.0.0/8 ignore\n",
	    "error t.conf:1: deny: 'ignore' is not an IPv4 or IPv6 network; allowed is "
	    "NETWORK[/LENGTH]... | any [refuse|drop]\n" },
	{ "deny 10.0.0.1/8\n",
	    "error t.conf:1: deny: '10.0.0.1/8' has bits set behind its length; "
	    "did you mean 10.0.0.0/8?\n" },
	{ "deny ::ffff:10.0.0.0/104 drop\n",
	    "error t.conf:1: deny: '::ffff:10.0.0.0/104' is an IPv4 network in IPv6 clothes; write "
	    "it as 10.0.0.0/8\n" },
	{ "deny 127.0.0.1\ndeny ::1 drop\n",
	    "error t.conf:1: deny: '127.0.0.1' is this machine itself, which may always ask\n"
	    "error t.conf:2: deny: '::1' is this machine itself, which may always ask\n" },
	{ "allow any\ndeny any\n",
	    "error t.conf:2: deny: 'any' is said of allow at line 1; all others can only be "
	    "allowed or denied\n" },
	{ "deny any drop\nallow any\n",
	    "error t.conf:2: allow: 'any' is said of deny at line 1; all others can only be "
	    "allowed or denied\n" },
	{ "allow 10.0.0.0/8\ndeny 10.0.0.0/8\n",
	    "error t.conf:1: allow: '10.0.0.0/8' is said of deny at line 2 already\n" },
	{ "deny 10.0.0.0/8\ndeny 10.0.0.0/8 drop\n",
	    "error t.conf:2: deny: '10.0.0.0/8' is at line 1 already\n" },
};

START_TEST(d23_wrong_denials_are_told)
{
	(void)said_make(&said, wrong_denials[_i].conf, &settings);
	ck_assert_uint_ge(said.n_errors, 1);
	ck_assert_str_eq(said.text, wrong_denials[_i].told);
}
END_TEST

static const struct {
	const char *conf;
	int line; /* of the warning; 0: there is none */
} openings[] = {
	{ "listen ::\nallow any\n", 2 },
	{ "allow any\nlisten 0.0.0.0\n", 1 },
	{ "listen 203.0.113.1\nallow 10.0.0.0/8 0.0.0.0/0\n", 2 },
	{ "listen 2001:db8::1\nallow 10.0.0.0/8\nallow 2000::/3\n", 3 },
	{ "listen ::\nallow 10.0.0.0/8\n", 0 },
	{ "listen ::\ndeny any\n", 0 },
	{ "listen ::1\nlisten 10.0.0.1\nlisten fd00::1\nlisten 100.64.0.1\nallow any\n", 0 },
	{ "listen ::\nallow any\nrate-limit 50\n", 0 },
	{ "listen 0.0.0.0\nallow ::/0\n", 0 },
	{ "listen 0.0.0.0\nlisten ::\nallow 10.0.0.0/8\nallow ::/0\n", 4 },
	{ "listen ::\nallow any\nrate-limit 50\nrate-limit-dry-run yes\n", 2 },
};

START_TEST(open_resolver_is_warned_of)
{
	char begin[64];

	ck_assert_ptr_nonnull(said_make(&said, openings[_i].conf, &settings));
	access_warn_open(&settings, &said.diag);
	ck_assert_uint_eq(said.n_warnings, openings[_i].line > 0);
	snprintf(begin, sizeof(begin), "warning t.conf:%d: allow: this is an open resolver at ",
	    openings[_i].line);
	if (openings[_i].line > 0)
		ck_assert_ptr_nonnull(strstr(said.text, begin));
}
END_TEST

START_TEST(network_given_twice_is_refused)
{
	ck_assert_ptr_null(
	    said_make(&said, "allow 192.0.2.0/24\n\nallow 10.0.0.0/8 192.0.2.0/24\n", &settings));
	ck_assert_str_eq(said.text, "error t.conf:3: allow: '192.0.2.0/24' is at line 1 already\n");
}
END_TEST

/* Add ADDR/LEN of the interface INDEX to ALL. */
static void
face(struct array *all, uint32_t index, const char *addr, uint8_t len)
{
	struct hostaddr *h = array_add(all, sizeof(*h));

	ck_assert_ptr_nonnull(h);
	*h = (struct hostaddr){ .index = index, .prefix_len = len };
	ck_assert(netaddr_parse(addr, 0, &h->addr));
}

static bool
in_usual(const struct array *usual, const char *text)
{
	const struct policy_lines_net *n = usual->items;
	char found[VALUE_NET_TEXT];

	for (size_t i = 0; i < usual->n; i++) {
		if (strcmp(value_net_format(&n[i].net, found), text) == 0)
			return true;
	}
	return false;
}

/* D23: private by RFC 1918 or ULA, or named by listen: all networks on that link; no others. */
START_TEST(usual_networks_are_private_or_on_link)
{
	struct array all = { .n = 0 }, usual = { .n = 0 };
	struct netaddr listens[2];

	face(&all, 1, "127.0.0.1", 8);
	face(&all, 2, "192.168.7.1", 24);
	face(&all, 2, "2001:db8:7::1", 64);
	face(&all, 3, "203.0.113.9", 25);
	face(&all, 3, "2001:db8:9::1", 64);
	face(&all, 4, "198.51.100.17", 28);
	face(&all, 5, "fd12:3456::1", 48);
	face(&all, 6, "10.0.0.1", 0);
	/* A label of its own is as an interface of its own. */
	face(&all, 3, "172.16.0.1", 24);
	(void)strcpy(((struct hostaddr *)all.items)[all.n - 1].label, "wan0:1");
	/* Its port does not matter, and a wildcard names no address. */
	ck_assert(netaddr_parse("198.51.100.17", 5353, &listens[0]));
	ck_assert(netaddr_parse("0.0.0.0", 53, &listens[1]));
	ck_assert(access_usual(&all, listens, 2, &usual));
	ck_assert(in_usual(&usual, "127.0.0.0/8") && in_usual(&usual, "::1/128"));
	ck_assert(in_usual(&usual, "fe80::/10") && in_usual(&usual, "169.254.0.0/16"));
	ck_assert(in_usual(&usual, "192.168.7.0/24") && in_usual(&usual, "2001:db8:7::/64"));
	ck_assert(in_usual(&usual, "198.51.100.16/28") && in_usual(&usual, "fd12:3456::/48"));
	/* Not the provider's, and not everybody. */
	ck_assert(in_usual(&usual, "172.16.0.0/24"));
	ck_assert_uint_eq(usual.n, 9);
	array_fini(&usual);
	/* Without interfaces. */
	all.n = 0;
	ck_assert(access_usual(&all, NULL, 0, &usual));
	ck_assert_uint_eq(usual.n, 4);
	array_fini(&usual);
	array_fini(&all);
}
END_TEST

/* D23: the first and the last private addresses, and those beside them. */
static const struct {
	const char *addr;
	bool private;
} privates[] = {
	{ "9.255.255.254", false },
	{ "10.0.0.1", true },
	{ "10.255.255.254", true },
	{ "11.0.0.1", false },
	{ "172.15.255.254", false },
	{ "172.16.0.1", true },
	{ "172.31.255.254", true },
	{ "172.32.0.1", false },
	{ "192.167.255.254", false },
	{ "192.168.0.1", true },
	{ "192.168.255.254", true },
	{ "192.169.0.1", false },
	{ "fbff::1", false },
	{ "fc00::1", true },
	{ "fdff::1", true },
	{ "fe00::1", false },
};

START_TEST(private_networks_have_exact_ends)
{
	const char *addr = privates[_i].addr;
	struct array all = { .n = 0 }, usual = { .n = 0 };

	face(&all, 1, addr, strchr(addr, ':') != NULL ? 48 : 24);
	ck_assert(access_usual(&all, NULL, 0, &usual));
	ck_assert_uint_eq(usual.n, privates[_i].private ? 5 : 4);
	array_fini(&usual);
	array_fini(&all);
}
END_TEST

/* No client is searched for in the map if there is nothing to find. */
START_TEST(nothing_is_searched_if_all_may_ask)
{
	const struct policies *ps = make("allow any\n");

	ck_assert_uint_eq(ps->common.clients.n, 0);
	ck_assert_int_eq(find(ps, "::1"), 0);
	ck_assert_int_eq(find(ps, "127.0.0.1"), 0);
	ck_assert_int_eq(find(ps, "2001:db8::1"), 0);
	ps = make("allow any\ndeny 2001:db8::/32\n");
	ck_assert_int_eq(find(ps, "::1"), 0);
	ck_assert_int_eq(find(ps, "127.0.0.1"), 0);
	ck_assert_int_eq(find(ps, "2001:db8::1"), -1);
}
END_TEST

/* Beyond this machine one notice tells who may ask; on loopback there is nothing to tell. */
START_TEST(notice_tells_who_may_ask)
{
	static const char start[] = "notice t.conf: allow: no such line, so these may ask, and no "
				    "others: ::1/128, fe80::/10, 127.0.0.0/8, 169.254.0.0/16";
	const struct policies *ps = said_make(&said, "listen ::\n", &settings);

	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(said.n_notices, 1);
	ck_assert_msg(strncmp(said.text, start, sizeof(start) - 1) == 0, "%s", said.text);
	ck_assert_int_eq(find(ps, "127.0.0.1"), 0);
	ck_assert_int_eq(find(ps, "fe80::1"), 0);
	ck_assert_int_eq(find(ps, "255.255.255.254"), -1);
	(void)make("listen 127.0.0.1\n");
	(void)make("listen ::\nallow any\n");
	(void)make("");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, longest_network_is_the_policy);
	tcase_add_test(tc, blocks_and_access);
	tcase_add_test(tc, loopback_in_a_block);
	tcase_add_test(tc, allow_any_lets_all_ask);
	tcase_add_test(tc, nothing_is_searched_if_all_may_ask);
	tcase_add_test(tc, exempt_networks_are_in_the_policies);
	tcase_add_test(tc, network_given_twice_is_refused);
	tcase_add_test(tc, d23_longest_of_allow_and_deny_decides);
	tcase_add_test(tc, d23_deny_without_allow);
	tcase_add_test(tc, d23_deny_any);
	tcase_add_loop_test(
	    tc, d23_wrong_denials_are_told, 0, sizeof(wrong_denials) / sizeof(wrong_denials[0]));
	tcase_add_loop_test(
	    tc, open_resolver_is_warned_of, 0, sizeof(openings) / sizeof(openings[0]));
	tcase_add_test(tc, usual_networks_are_private_or_on_link);
	tcase_add_loop_test(
	    tc, private_networks_have_exact_ends, 0, (int)(sizeof(privates) / sizeof(privates[0])));
	tcase_add_test(tc, notice_tells_who_may_ask);
}
