/* SPDX-License-Identifier: BSD-2-Clause */
/* proxy: headers of the PROXY protocol, whole, cut, too long and wrong. */
#include "io/proxy.h"

#include <stdlib.h>
#include <string.h>

#include "support/proxied.h"
#include "support/tests.h"

static uint8_t bytes[PROXIED_MAX + 1];
static struct proxy_header h;

/* The verdict on the first LEN bytes; that none behind them is read is for AddressSanitizer. */
static enum proxy_verdict
verdict(size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);
	enum proxy_verdict v;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, len);
	h = (struct proxy_header){ .len = 0 };
	v = proxy_parse(copy, len, &h);
	free(copy);
	return v;
}

static struct netaddr
address(const char *text, uint16_t port)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, port, &a));
	return a;
}

static const char *const clients[] = { "192.0.2.1", "2001:db8::1", "127.0.0.1", "fe80::1" };

/* Cut at each byte it is partial, whatever follows it is whole; TLVs are skipped. */
START_TEST(a_client_is_named)
{
	for (size_t extra = 0; extra <= 40; extra += 20) {
		size_t len = proxied_header(clients[_i], extra, bytes);
		struct netaddr want = { .family = NETADDR_NONE };

		for (size_t i = 0; i < len; i++)
			ck_assert_int_eq(verdict(i), PROXY_PARTIAL);
		for (size_t i = 0; i < 2; i++) {
			ck_assert_int_eq(verdict(len + i), PROXY_CLIENT);
			ck_assert_uint_eq(h.len, len);
		}
		want.family = strchr(clients[_i], ':') != NULL ? NETADDR_IPV6 : NETADDR_IPV4;
		want.port = 4000;
		memcpy(want.addr, bytes + 16, want.family == NETADDR_IPV6 ? 16 : 4);
		ck_assert(netaddr_equal(&h.client, &want));
	}
}
END_TEST

/* What counts for an IPv4 address must count for it in the clothes of IPv6. */
START_TEST(mapped_client_is_an_ipv4_address)
{
	const struct netaddr want = address("192.0.2.1", 4000);

	ck_assert_int_eq(verdict(proxied_header("::ffff:192.0.2.1", 0, bytes)), PROXY_CLIENT);
	ck_assert(netaddr_equal(&h.client, &want));
	ck_assert_int_eq(verdict(proxied_header("::fffe:192.0.2.1", 0, bytes)), PROXY_CLIENT);
	ck_assert_int_eq(h.client.family, NETADDR_IPV6);
}
END_TEST

/*
 * Either protocol, stream or datagram, is right over UDP and TCP: it is that between client and
 * proxy. AF_UNIX is none, though this is long enough for it.
 */
START_TEST(only_known_families_fit)
{
	size_t len = proxied_header("2001:db8::1", 300, bytes);

	for (unsigned b = 1; b < 256; b++) {
		bool fits = b == 0x11 || b == 0x12 || b == 0x21 || b == 0x22;

		bytes[13] = (uint8_t)b;
		ck_assert_int_eq(verdict(len), fits ? PROXY_CLIENT : PROXY_MALFORMED);
	}
}
END_TEST

/* Addresses that need more bytes than the header has. */
START_TEST(length_fits_the_family)
{
	size_t len = proxied_header(clients[_i], 0, bytes);

	bytes[15]--;
	ck_assert_int_eq(verdict(len), PROXY_MALFORMED);
	ck_assert_int_eq(verdict(16), PROXY_MALFORMED);
	ck_assert_int_eq(verdict(15), PROXY_PARTIAL);
	bytes[15] = 0;
	ck_assert_int_eq(verdict(len), PROXY_MALFORMED);
}
END_TEST

START_TEST(sender_asks_for_itself)
{
	size_t len = proxied_local(bytes);

	for (size_t i = 0; i < len; i++)
		ck_assert_int_eq(verdict(i), PROXY_PARTIAL);
	ck_assert_int_eq(verdict(len), PROXY_SENDER);
	ck_assert_uint_eq(h.len, len);
	ck_assert_int_eq(h.client.family, NETADDR_NONE);
	bytes[13] = 0x3f; /* with LOCAL the family does not matter, nor what stands there */
	bytes[15] = 3;
	ck_assert_int_eq(verdict(len), PROXY_PARTIAL);
	ck_assert_int_eq(verdict(len + 3), PROXY_SENDER);
	ck_assert_uint_eq(h.len, len + 3);
	bytes[12] = 0x21;
	bytes[13] = 0; /* PROXY and UNSPEC */
	ck_assert_int_eq(verdict(len + 3), PROXY_SENDER);
	ck_assert_uint_eq(h.len, len + 3);
}
END_TEST

START_TEST(commands_and_versions)
{
	size_t len = proxied_header("192.0.2.1", 0, bytes);

	for (unsigned b = 0; b < 256; b++) {
		enum proxy_verdict want = PROXY_MALFORMED;

		bytes[12] = (uint8_t)b;
		if (b == 0x20)
			want = PROXY_SENDER;
		else if (b == 0x21)
			want = PROXY_CLIENT;
		ck_assert_int_eq(verdict(len), want);
	}
}
END_TEST

/* The longest one, and one byte more, which is found out with the first 16 bytes. */
START_TEST(over_long)
{
	size_t len = proxied_header("192.0.2.1", PROXY_MAX - 28, bytes);

	ck_assert_uint_eq(len, PROXY_MAX);
	ck_assert_int_eq(verdict(len - 1), PROXY_PARTIAL);
	ck_assert_int_eq(verdict(len), PROXY_CLIENT);
	len = proxied_header("192.0.2.1", PROXY_MAX - 27, bytes);
	ck_assert_int_eq(verdict(len), PROXY_MALFORMED);
	ck_assert_int_eq(verdict(16), PROXY_MALFORMED);
	len = proxied_local(bytes);
	memset(bytes + 14, 0xff, 2);
	ck_assert_int_eq(verdict(len), PROXY_MALFORMED);
}
END_TEST

/* Whatever byte of the signature is another one; version 1; a question. */
START_TEST(no_header)
{
	size_t len = proxied_header("192.0.2.1", 0, bytes);
	static const char one[] = "PROXY TCP4 192.0.2.1 192.0.2.2 4000 53\r\n";

	for (size_t i = 0; i < 12; i++) {
		bytes[i] ^= 1;
		for (size_t n = i + 1; n < len; n++)
			ck_assert_int_eq(verdict(n), PROXY_MISSING);
		ck_assert(!proxy_begins(bytes, len));
		bytes[i] ^= 1;
	}
	ck_assert(proxy_begins(bytes, 12));
	ck_assert(!proxy_begins(bytes, 11));
	memcpy(bytes, one, sizeof(one));
	ck_assert_int_eq(verdict(sizeof(one)), PROXY_MISSING);
	memset(bytes, 0, 12);
	ck_assert_int_eq(verdict(12), PROXY_MISSING);
}
END_TEST

static const char *const nobody[] = { "0.0.0.0", "::", "::ffff:0.0.0.0", "224.0.0.1",
	"239.255.255.255", "255.255.255.255", "ff02::1", "::ffff:224.0.0.1" };

START_TEST(nobody_has_such_an_address)
{
	ck_assert_int_eq(verdict(proxied_header(nobody[_i], 0, bytes)), PROXY_MALFORMED);
}
END_TEST

static const struct {
	struct net net;
	const char *in[2], *out[2];
} proxies[] = {
	{ { { 192, 0, 2 }, 24, NETADDR_IPV4 }, { "192.0.2.0", "192.0.2.255" },
	    { "192.0.3.0", "192.0.1.255" } },
	{ { { 192, 0, 2, 1 }, 32, NETADDR_IPV4 }, { "192.0.2.1", "192.0.2.1" },
	    { "192.0.2.0", "::ffff:192.0.2.1" } },
	{ { { 128 }, 1, NETADDR_IPV4 }, { "128.0.0.0", "255.1.1.1" }, { "127.1.1.1", "8000::" } },
	{ { { 0 }, 0, NETADDR_IPV4 }, { "0.0.0.1", "255.1.1.1" }, { "::", "::1" } },
	{ { { 0x20, 1, 0xd, 0xb8 }, 32, NETADDR_IPV6 }, { "2001:db8::1", "2001:db8:ffff::" },
	    { "2001:db9::", "2001:db7:ffff::" } },
	{ { { 0x20, 1, 0xd, 0xb8 }, 64, NETADDR_IPV6 }, { "2001:db8::", "2001:db8::ffff:0:0:0" },
	    { "2001:db8:0:1::", "2001:db7::" } },
	{ { { 0x20, 1, 0xd, 0xb8 }, 65, NETADDR_IPV6 }, { "2001:db8::", "2001:db8::7fff:0:0:0" },
	    { "2001:db8::8000:0:0:0", "2001:db9::" } },
	{ { { 0x20, 1, 0xd, 0xb8, [15] = 1 }, 128, NETADDR_IPV6 }, { "2001:db8::1", "2001:db8::1" },
	    { "2001:db8::", "2001:db8:0:1::1" } },
	{ { { 0 }, 0, NETADDR_IPV6 }, { "::1", "ffff::" }, { "0.0.0.1", "192.0.2.1" } },
};

/* By itself, and as the second of two networks. */
START_TEST(who_is_a_proxy)
{
	struct conf_io conf = { .n_proxies = 1, .proxies = { proxies[_i].net } };

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 2; k++) {
			const struct netaddr in = address(proxies[_i].in[k], 1),
					     out = address(proxies[_i].out[k], 1);

			ck_assert(proxy_is(&conf, &in));
			ck_assert(!proxy_is(&conf, &out));
		}
		conf.proxies[1] = conf.proxies[0];
		conf.proxies[0] = (struct net){ { 10, 1, 1, 1 }, 32, NETADDR_IPV4 };
		conf.n_proxies = 2;
	}
	conf.n_proxies = 0;
	ck_assert(!proxy_is(&conf, &(struct netaddr){ { 192, 0, 2, 1 }, .family = NETADDR_IPV4 }));
}
END_TEST

START_TEST(reasons)
{
	ck_assert_str_eq(proxy_reason(PROXY_CLIENT), "");
	ck_assert_str_eq(proxy_reason(PROXY_SENDER), "");
	for (int v = PROXY_PARTIAL; v <= PROXY_UNEXPECTED; v++)
		ck_assert_ptr_nonnull(strstr(proxy_reason((enum proxy_verdict)v), "PROXY header"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, a_client_is_named, 0, 4);
	tcase_add_test(tc, mapped_client_is_an_ipv4_address);
	tcase_add_test(tc, only_known_families_fit);
	tcase_add_loop_test(tc, length_fits_the_family, 0, 2);
	tcase_add_test(tc, sender_asks_for_itself);
	tcase_add_test(tc, commands_and_versions);
	tcase_add_test(tc, over_long);
	tcase_add_test(tc, no_header);
	tcase_add_loop_test(tc, nobody_has_such_an_address, 0, 8);
	tcase_add_loop_test(tc, who_is_a_proxy, 0, sizeof(proxies) / sizeof(proxies[0]));
	tcase_add_test(tc, reasons);
}
