/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses: text and sockaddr forms, there and back. RFC 5952, RFC 4007 section 11. */

#include "base/netaddr.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

struct text_case {
	const char *text;
	uint16_t port;
	enum netaddr_family family;
	const char *formatted;
};

static const struct text_case good[] = {
	{ "192.0.2.1", 53, NETADDR_IPV4, "192.0.2.1#53" },
	{ "192.0.2.1", 0, NETADDR_IPV4, "192.0.2.1" },
	{ "255.255.255.255", 65535, NETADDR_IPV4, "255.255.255.255#65535" },
	{ "2001:db8::1", 53, NETADDR_IPV6, "2001:db8::1#53" },
	{ "2001:DB8:0:0::0001", 0, NETADDR_IPV6, "2001:db8::1" },
	{ "::", 1, NETADDR_IPV6, "::#1" },
	{ "::ffff:192.0.2.1", 53, NETADDR_IPV6, "::ffff:192.0.2.1#53" },
	{ "fe80::1", 53, NETADDR_IPV6, "fe80::1#53" },
	{ "fe80::1%lo", 53, NETADDR_IPV6, "fe80::1%lo#53" },
	{ "febf::1%lo", 0, NETADDR_IPV6, "febf::1%lo" },
	{ "1111:1111:1111:1111:1111:1111:1111:1111", 65535, NETADDR_IPV6,
	    "1111:1111:1111:1111:1111:1111:1111:1111#65535" },
	{ "1111:1111:1111:1111:1111:1111:255.255.255.255", 65535, NETADDR_IPV6,
	    "1111:1111:1111:1111:1111:1111:ffff:ffff#65535" },
};

START_TEST(parse_and_format)
{
	const struct text_case *c = &good[_i];
	char text[NETADDR_TEXT];
	struct netaddr a;

	ck_assert(netaddr_parse(c->text, c->port, &a));
	ck_assert_int_eq(a.family, c->family);
	ck_assert_uint_eq(a.port, c->port);
	ck_assert_uint_eq(a.zero, 0);
	ck_assert_ptr_eq(netaddr_format(&a, text), text);
	ck_assert_str_eq(text, c->formatted);
}
END_TEST

static const char *const bad[] = { "", " ", "192.0.2", "192.0.2.256", "192.0.2.1.1", "192.0.2.01",
	"0x7f.1", "localhost", "192.0.2.1 ", "192.0.2.1%lo", "192.0.2.1#53",
	"2001:db8::1::", ":::", "2001:db8::g", "[2001:db8::1]", "2001:db8::1%lo", "::1%lo",
	"fe80::1%", "fe80::1%nosuch0", "fe80::1%0", "fe80::1%4294967297", "fe80::1%1x",
	"fe80::1%-1", "%lo", "fec0::1%lo",
	"1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111" };

START_TEST(parse_refuses_what_is_no_address)
{
	struct netaddr a;
	struct netaddr before;

	memset(&a, 0x5a, sizeof(a));
	before = a;
	ck_assert(!netaddr_parse(bad[_i], 53, &a));
	ck_assert_mem_eq(&a, &before, sizeof(a));
}
END_TEST

START_TEST(scope_given_as_number_is_read)
{
	char text[NETADDR_TEXT];
	unsigned lo = if_nametoindex("lo");
	struct netaddr a;

	ck_assert_uint_gt(lo, 0);
	(void)snprintf(text, sizeof(text), "fe80::1%%%u", lo);
	ck_assert(netaddr_parse(text, 53, &a));
	ck_assert_uint_eq(a.scope, lo);
	ck_assert_str_eq(netaddr_format(&a, text), "fe80::1%lo#53");
	/* An interface that is gone still has its number; the longest text there is. */
	memset(a.addr + 1, 0xbf, 15);
	a.scope = UINT32_MAX;
	a.port = 65535;
	ck_assert_str_eq(
	    netaddr_format(&a, text), "febf:bfbf:bfbf:bfbf:bfbf:bfbf:bfbf:bfbf%4294967295#65535");
}
END_TEST

START_TEST(no_family_is_no_address)
{
	struct netaddr a = { .family = NETADDR_NONE };
	struct sockaddr_storage ss;
	char text[NETADDR_TEXT];

	ck_assert_str_eq(netaddr_format(&a, text), "none");
	ck_assert_uint_eq(netaddr_to_sockaddr(&a, &ss), 0);
	ck_assert(!netaddr_is_wildcard(&a));
	ck_assert(!netaddr_is_loopback(&a));
}
END_TEST

START_TEST(sockaddr_round_trip)
{
	const struct text_case *c = &good[_i];
	union {
		struct sockaddr_storage ss;
		struct sockaddr sa;
	} u;
	struct netaddr a;
	struct netaddr b;

	memset(&u, 0x5a, sizeof(u));
	memset(&b, 0x5a, sizeof(b));
	ck_assert(netaddr_parse(c->text, c->port, &a));
	ck_assert_uint_eq(netaddr_to_sockaddr(&a, &u.ss),
	    c->family == NETADDR_IPV4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
	ck_assert(netaddr_from_sockaddr(&u.sa, &b));
	ck_assert(netaddr_equal(&a, &b));
}
END_TEST

START_TEST(sockaddr_has_all_fields)
{
	struct netaddr a;
	union {
		struct sockaddr_storage ss;
		struct sockaddr sa;
		struct sockaddr_in sin;
		struct sockaddr_in6 sin6;
	} u;

	ck_assert(netaddr_parse("192.0.2.1", 53, &a));
	ck_assert_uint_eq(netaddr_to_sockaddr(&a, &u.ss), sizeof(u.sin));
	ck_assert_int_eq(u.sin.sin_family, AF_INET);
	ck_assert_uint_eq(u.sin.sin_port, htons(53));
	ck_assert_uint_eq(u.sin.sin_addr.s_addr, htonl(0xc0000201));
	ck_assert(netaddr_parse("fe80::1%lo", 5353, &a));
	ck_assert_uint_eq(netaddr_to_sockaddr(&a, &u.ss), sizeof(u.sin6));
	ck_assert_int_eq(u.sin6.sin6_family, AF_INET6);
	ck_assert_uint_eq(u.sin6.sin6_port, htons(5353));
	ck_assert_uint_eq(u.sin6.sin6_scope_id, if_nametoindex("lo"));
	ck_assert_uint_eq(u.sin6.sin6_flowinfo, 0);
	ck_assert_mem_eq(&u.sin6.sin6_addr, a.addr, 16);
	/* A scope on an address that has none must not make it another address. */
	u.sin6.sin6_addr = in6addr_loopback;
	ck_assert(netaddr_from_sockaddr(&u.sa, &a));
	ck_assert_uint_eq(a.scope, 0);
	u.sa.sa_family = AF_UNIX;
	ck_assert(!netaddr_from_sockaddr(&u.sa, &a));
}
END_TEST

START_TEST(equal_only_if_all_fields_are)
{
	struct netaddr a;
	struct netaddr b;

	ck_assert(netaddr_parse("fe80::1%lo", 53, &a));
	b = a;
	ck_assert(netaddr_equal(&a, &b));
	b.port = 54;
	ck_assert(!netaddr_equal(&a, &b));
	b = a;
	b.scope++;
	ck_assert(!netaddr_equal(&a, &b));
	b = a;
	b.addr[15]++;
	ck_assert(!netaddr_equal(&a, &b));
	ck_assert(netaddr_parse("0.0.0.0", 53, &a));
	ck_assert(netaddr_parse("::", 53, &b));
	ck_assert(!netaddr_equal(&a, &b));
}
END_TEST

START_TEST(in_a_list_of_its_length)
{
	struct netaddr list[2], other;

	ck_assert(netaddr_parse("192.0.2.1", 53, &list[0]));
	ck_assert(netaddr_parse("192.0.2.2", 53, &list[1]));
	ck_assert(netaddr_parse("192.0.2.2", 54, &other));
	ck_assert(netaddr_in_list(list, 2, &list[0]));
	ck_assert(netaddr_in_list(list, 2, &list[1]));
	ck_assert(!netaddr_in_list(list, 1, &list[1]));
	ck_assert(!netaddr_in_list(list, 2, &other));
	ck_assert(!netaddr_in_list(NULL, 0, &other));
}
END_TEST

struct kind_case {
	const char *text;
	bool wildcard;
	bool loopback;
};

static const struct kind_case kinds[] = {
	{ "0.0.0.0", true, false },
	{ "::", true, false },
	{ "127.0.0.1", false, true },
	{ "127.255.255.255", false, true },
	{ "::1", false, true },
	{ "128.0.0.1", false, false },
	{ "126.0.0.1", false, false },
	{ "0.0.0.1", false, false },
	{ "::2", false, false },
	{ "7f00::1", false, false },
	{ "1::1", false, false },
};

START_TEST(wildcard_and_loopback_are_told)
{
	struct netaddr a;

	ck_assert(netaddr_parse(kinds[_i].text, 53, &a));
	ck_assert_int_eq(netaddr_is_wildcard(&a), kinds[_i].wildcard);
	ck_assert_int_eq(netaddr_is_loopback(&a), kinds[_i].loopback);
}
END_TEST

struct odd_case {
	const char *text;
	bool lacks_scope;
	bool group;
};

static const struct odd_case odd[] = {
	{ "fe80::1", true, false },
	{ "febf::1", true, false },
	{ "fe80::1%lo", false, false },
	{ "fec0::1", false, false },
	{ "fe7f::1", false, false },
	{ "ff02::1", false, true },
	{ "ff00::", false, true },
	{ "feff::1", false, false },
	{ "254.128.0.1", false, false },
	{ "223.255.255.255", false, false },
	{ "224.0.0.0", false, true },
	{ "239.255.255.255", false, true },
	{ "240.0.0.1", false, false },
	{ "255.255.255.255", false, true },
	{ "255.255.255.254", false, false },
};

START_TEST(not_of_one_machine)
{
	struct netaddr a;

	ck_assert(netaddr_parse(odd[_i].text, 53, &a));
	ck_assert_int_eq(netaddr_lacks_scope(&a), odd[_i].lacks_scope);
	ck_assert_int_eq(netaddr_is_group(&a), odd[_i].group);
}
END_TEST

/* D30: which networks count as one client, and what each may have. */
static const struct {
	const char *addr;
	unsigned n;
	const char *first[NETADDR_LEVELS];
	unsigned bits[NETADDR_LEVELS], times[NETADDR_LEVELS];
} networks[] = {
	{ "2001:db8:1:2ff:4:5:6:7", 3,
	    { "2001:db8:1:2ff:4:5:6:7", "2001:db8:1:2ff::", "2001:db8:1:200::" }, { 128, 64, 56 },
	    { 1, 16, 64 } },
	{ "192.0.2.129", 2, { "192.0.2.129", "192.0.2.0" }, { 32, 24 }, { 1, 16 } },
	{ "fe80::1%lo", 3, { "fe80::1%lo", "fe80::%lo", "fe80::%lo" }, { 128, 64, 56 },
	    { 1, 16, 64 } },
};

START_TEST(d30_client_networks)
{
	const struct netaddr_level *level;
	struct netaddr a, first, want;
	unsigned n;

	ck_assert(netaddr_parse(networks[_i].addr, 53, &a));
	level = netaddr_levels(&a, &n);
	ck_assert_uint_eq(n, networks[_i].n);
	for (unsigned i = 0; i < n; i++) {
		ck_assert(netaddr_parse(networks[_i].first[i], 0, &want));
		first = netaddr_network(&a, level[i].bytes);
		ck_assert(netaddr_equal(&first, &want));
		ck_assert_uint_eq(level[i].bytes * 8U, networks[_i].bits[i]);
		ck_assert_uint_eq(1U << level[i].doublings, networks[_i].times[i]);
	}
}
END_TEST

START_TEST(parts_of_an_address_are_numbers)
{
	struct netaddr a, b;

	ck_assert(netaddr_parse("102:304:506:708:90a::f", 53, &a));
	ck_assert_uint_eq(netaddr_head(&a, 8), 0x0807060504030201);
	ck_assert_uint_eq(netaddr_head(&a, 7), 0x07060504030201);
	ck_assert_uint_eq(netaddr_tail(&a), 0x0f00000000000a09);
	ck_assert(netaddr_parse("1.2.3.4", 53, &b));
	ck_assert_uint_eq(netaddr_head(&b, 3), 0x030201);
	ck_assert_uint_eq(netaddr_tail(&b), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, parse_and_format, 0, N_OF(good));
	tcase_add_loop_test(tc, parse_refuses_what_is_no_address, 0, N_OF(bad));
	tcase_add_test(tc, scope_given_as_number_is_read);
	tcase_add_test(tc, no_family_is_no_address);
	tcase_add_loop_test(tc, sockaddr_round_trip, 0, N_OF(good));
	tcase_add_test(tc, sockaddr_has_all_fields);
	tcase_add_test(tc, equal_only_if_all_fields_are);
	tcase_add_test(tc, in_a_list_of_its_length);
	tcase_add_loop_test(tc, not_of_one_machine, 0, N_OF(odd));
	tcase_add_loop_test(tc, d30_client_networks, 0, sizeof(networks) / sizeof(networks[0]));
	tcase_add_test(tc, parts_of_an_address_are_numbers);
	tcase_add_loop_test(tc, wildcard_and_loopback_are_told, 0, N_OF(kinds));
}
