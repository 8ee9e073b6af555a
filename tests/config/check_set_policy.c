/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients, zones and words: what good lines become, and the whole text about bad ones. */

#include "config/set_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/policy_lines.h"
#include "dns/name.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct said_bad bad[] = {
	{ "synthesize sometimes", "synthesize: 'sometimes' is not one of never|normal|always" },
	{ "synthesize-on nodata nxdomain",
	    "synthesize-on: 'nxdomain' is not one of nodata|error|timeout" },
	{ "hide-a 1", "hide-a: '1' is not one of no|yes" },
	{ "dns64-for ipv5", "dns64-for: 'ipv5' is not one of both|ipv6|ipv4" },
	{ "prefix-selection random",
	    "prefix-selection: 'random' is not one of all|round-robin|client-hash" },
	{ "no-prefix nxdomain", "no-prefix: 'nxdomain' is not one of nodata|servfail" },
	{ "max-synthesized 1001", "max-synthesized: '1001' is not a number from 0 to 1000" },
	{ "synthesized-max-ttl 604801",
	    "synthesized-max-ttl: '604801' is not auto or a number of seconds from 0 to 604800" },
	{ "synthesized-max-ttl 5m",
	    "synthesized-max-ttl: '5m' is not auto or a number of seconds from 0 to 604800" },
	{ "svcb-additional on", "svcb-additional: 'on' is not one of cached|resolve|off" },
	{ "any hinfo", "any: 'hinfo' is not one of relay|minimal" },
	{ "ede some", "ede: 'some' is not one of all|none|relay|synthesized|upstream|policy..." },
	{ "ede relay none", "ede: 'none' is not one of relay|synthesized|upstream|policy" },
	{ "reverse name", "reverse: 'name' is not understood; allowed is cname | local NAME" },
	{ "reverse local", "reverse: 'local' is not understood; allowed is cname | local NAME" },
	{ "reverse cname a.test",
	    "reverse: 'a.test' is not understood; allowed is cname | local NAME" },
	{ "reverse local a..test",
	    "reverse: 'a..test' is not a domain name; allowed are labels of 1 to 63 characters "
	    "with a "
	    "dot between them, 253 in all" },
	{ "ignore-aaaa .test",
	    "ignore-aaaa: '.test' is not a domain name; allowed are labels of 1 to "
	    "63 characters with a dot between them, 253 in all" },
	{ "never-synthesize *.example.com",
	    "never-synthesize: '*.example.com': a zone is itself and "
	    "all below it; write example.com" },
	{ "never-synthesize b\303\274cher.example",
	    "never-synthesize: 'b\303\274cher.example' has letters beyond ASCII; write the form "
	    "that "
	    "is asked for, in xn-- labels" },
	{ "allow 192.0.2.1/24",
	    "allow: '192.0.2.1/24' has bits set behind its length; did you mean 192.0.2.0/24?" },
	{ "web-name a..b",
	    "web-name: 'a..b' is not a domain name; allowed are labels of 1 to 63 characters with "
	    "a dot between them, 253 in all" },
	{ "web-name a b c d e f g h i j k l m n o p q", "web-name: there can be 16 at most" },
	{ "web-allow 192.0.2.1/24",
	    "web-allow: '192.0.2.1/24' has bits set behind its length; did you mean "
	    "192.0.2.0/24?" },
	{ "proxy-protocol 192.0.2.1/24",
	    "proxy-protocol: '192.0.2.1/24' has bits set behind its length; did you mean "
	    "192.0.2.0/24?" },
	{ "proxy-protocol any",
	    "proxy-protocol: 'any' is not an IPv4 or IPv6 network; allowed is "
	    "NETWORK[/LENGTH]..." },
	{ "allow all",
	    "allow: 'all' is not an IPv4 or IPv6 network; allowed is NETWORK[/LENGTH]... | any" },
	{ "allow ::ffff:192.0.2.0/120",
	    "allow: '::ffff:192.0.2.0/120' is an IPv4 network in IPv6 clothes; write it as "
	    "192.0.2.0/24" },
	{ "client 2001:db8::1/64 {\n}",
	    "client: '2001:db8::1/64' has bits set behind its length; did you mean "
	    "2001:db8::/64?" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

static const struct policy_lines *
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
	return policy_lines_at(settings.policy_lines, settings.policy_lines->all.n - 1);
}

START_TEST(policy_keywords_set_their_fields)
{
	const struct policy *p = &parse_silently(
	    "synthesize always\nsynthesize-on timeout nodata\nmax-synthesized 1000\nhide-a yes\n"
	    "dns64-for ipv4\nprefix-selection client-hash\nno-prefix servfail\n"
	    "svcb-additional off\nany minimal\nede policy relay\nreverse local nat64.example.com\n"
	    "synthesized-max-ttl 300\n")
				      ->values;

	ck_assert_uint_eq(p->synthesize, POLICY_ALWAYS);
	ck_assert_uint_eq(p->triggers, POLICY_ON_NODATA | POLICY_ON_TIMEOUT);
	ck_assert_uint_eq(p->synth.max, 1000);
	ck_assert_uint_eq(p->max_ttl, 300);
	ck_assert(p->hide_a && p->servfail_without_prefix && p->any_minimal);
	ck_assert_uint_eq(p->family, POLICY_IPV4);
	ck_assert_uint_eq(p->selection, POLICY_CLIENT_HASH);
	ck_assert_uint_eq(p->svcb, POLICY_SVCB_OFF);
	ck_assert_uint_eq(p->ede, POLICY_EDE_POLICY | POLICY_EDE_RELAY);
	ck_assert_uint_eq(p->reverse, POLICY_REVERSE_LOCAL);
	p = &parse_silently("synthesize never\nsynthesize-on error\ndns64-for ipv6\n"
			    "prefix-selection round-robin\nsvcb-additional resolve\n"
			    "ede synthesized upstream\n")
		 ->values;
	ck_assert_uint_eq(p->max_ttl, POLICY_TTL_AUTO);
	ck_assert_uint_eq(p->synthesize, POLICY_NEVER);
	ck_assert_uint_eq(p->triggers, POLICY_ON_ERROR);
	ck_assert_uint_eq(p->family, POLICY_IPV6);
	ck_assert_uint_eq(p->selection, POLICY_ROUND_ROBIN);
	ck_assert_uint_eq(p->svcb, POLICY_SVCB_RESOLVE);
	ck_assert_uint_eq(p->ede, POLICY_EDE_SYNTHESIZED | POLICY_EDE_UPSTREAM);
	ck_assert_uint_eq(parse_silently("ede none\n")->values.ede, 0);
	ck_assert_uint_eq(parse_silently("ede all\n")->values.ede, POLICY_EDE_ALL);
}
END_TEST

START_TEST(zone_lists_are_kept)
{
	const struct policy_lines *lines =
	    parse_silently("never-synthesize example.com EXAMPLE.net.\nignore-aaaa .\n");
	const struct policy_lines_zone *z = lines->zones.items;
	char text[NAME_TEXT];

	ck_assert_uint_eq(lines->n_zones[POLICY_ZONE_NEVER], 2);
	ck_assert_uint_eq(lines->n_zones[POLICY_ZONE_IGNORE_AAAA], 1);
	ck_assert_str_eq(name_to_text(z[0].name, text), "example.com.");
	ck_assert_str_eq(name_to_text(z[1].name, text), "EXAMPLE.net.");
	ck_assert_str_eq(name_to_text(z[2].name, text), ".");
	ck_assert_uint_eq(z[2].line, 2);
}
END_TEST

/* A query keeps the number of its block in 16 bits. */
START_TEST(blocks_are_taken_up_to_the_limit)
{
	static const char line[] = "client 10.0.0.1 {\n}\n";
	size_t len = sizeof(line) - 1;
	char *text = malloc(65536 * len + 1);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < 65536; i++)
		memcpy(text + i * len, line, len + 1);
	said_parse(&said, text, &settings);
	ck_assert_str_eq(
	    said.text, "error t.conf:131071: client: there can be 65535 blocks at most\n");
	free(text);
	settings_fini(&settings);
}
END_TEST

START_TEST(networks_of_blocks_are_kept)
{
	const struct policy_lines *lines =
	    parse_silently("client 192.0.2.0/24 2001:db8::1 {\n}\nallow 10.0.0.0/8 fd00::/8\n");
	const struct policy_lines_net *n = lines->nets.items;

	ck_assert_uint_eq(lines->nets.n, 2);
	ck_assert(n[0].net.family == NETADDR_IPV4 && n[0].net.len == 24);
	ck_assert(n[1].net.family == NETADDR_IPV6 && n[1].net.len == 128);
	ck_assert_uint_eq(settings.policy_lines->allow.n, 2);
	ck_assert(!settings.policy_lines->allow_any);
	(void)parse_silently("allow any\n");
	ck_assert(settings.policy_lines->allow_any);
}
END_TEST

START_TEST(exempt_networks_are_kept)
{
	const struct policy_lines_net *n;

	(void)parse_silently(
	    "rate-limit-exempt 192.0.2.0/24 2001:db8::1\nrate-limit-exempt 10.0.0.1\n"
	    "rate-limit-factor 3\n");
	n = settings.policy_lines->exempt.items;
	ck_assert_uint_eq(settings.policy_lines->exempt.n, 3);
	ck_assert(n[0].net.family == NETADDR_IPV4 && n[0].net.len == 24);
	ck_assert(n[1].net.family == NETADDR_IPV6 && n[1].net.len == 128);
	ck_assert_uint_eq(n[2].line, 2);
	ck_assert_uint_eq(policy_lines_at(settings.policy_lines, 0)->values.rate_factor, 3);
}
END_TEST

START_TEST(proxies_are_kept)
{
	const struct net *n = settings.conf.io.proxies;

	(void)parse_silently("proxy-protocol 192.0.2.0/24 2001:db8::1\nproxy-protocol 10.0.0.1\n");
	ck_assert_uint_eq(settings.conf.io.n_proxies, 3);
	ck_assert(n[0].family == NETADDR_IPV4 && n[0].len == 24 && n[0].addr[0] == 192);
	ck_assert(n[1].family == NETADDR_IPV6 && n[1].len == 128);
	ck_assert(n[2].family == NETADDR_IPV4 && n[2].len == 32);
}
END_TEST

START_TEST(proxies_have_a_limit)
{
	static char text[8192];
	int len = 0;

	for (unsigned i = 0; i < CONF_MAX_PROXIES; i++)
		len += snprintf(
		    text + len, sizeof(text) - (size_t)len, "proxy-protocol 2001:db8::%x\n", i);
	said_nothing(&said, text, &settings);
	ck_assert_uint_eq(settings.conf.io.n_proxies, CONF_MAX_PROXIES);
	snprintf(text + len, sizeof(text) - (size_t)len, "proxy-protocol 192.0.2.1\n");
	said_parse(&said, text, &settings);
	ck_assert_str_eq(said.text, "error t.conf:65: proxy-protocol: there can be 64 at most\n");
}
END_TEST

static const char *const all_hosts[] = { "::/0", "0.0.0.0/0" };

/* Whoever asks can pass for any client then: permitted, but not without a word. */
START_TEST(all_hosts_as_proxies_are_a_warning)
{
	char text[256];

	snprintf(text, sizeof(text), "proxy-protocol 192.0.2.1 %s\n", all_hosts[_i]);
	said_parse(&said, text, &settings);
	snprintf(text, sizeof(text),
	    "warning t.conf:1: proxy-protocol: with %s whoever reaches this daemon can pass for "
	    "any client; name the addresses of the balancers only\n",
	    all_hosts[_i]);
	ck_assert_str_eq(said.text, text);
	ck_assert_uint_eq(settings.conf.io.n_proxies, 2);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, bad_values_are_told, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, policy_keywords_set_their_fields);
	tcase_add_test(tc, zone_lists_are_kept);
	tcase_add_test(tc, blocks_are_taken_up_to_the_limit);
	tcase_add_test(tc, networks_of_blocks_are_kept);
	tcase_add_test(tc, exempt_networks_are_kept);
	tcase_add_test(tc, proxies_are_kept);
	tcase_add_test(tc, proxies_have_a_limit);
	tcase_add_loop_test(tc, all_hosts_as_proxies_are_a_warning, 0, 2);
}
