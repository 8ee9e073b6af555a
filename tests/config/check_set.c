/* SPDX-License-Identifier: BSD-2-Clause */
/* Each keyword's own rules: what it makes of good values, and the whole text about bad ones. */

#include "config/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/listens.h"
#include "config/loglevel.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct said_bad bad[] = {
	{ "nameserver 192.0.2.256",
	    "nameserver: '192.0.2.256' is not an IPv4 or IPv6 address (a "
	    "link-local one ends in %INTERFACE, which must exist); allowed "
	    "is ADDRESS [port N] [trusted] | defaults" },
	{ "nameserver fe80::1",
	    "nameserver: 'fe80::1' is link-local and needs its interface; write it as "
	    "fe80::1%INTERFACE" },
	{ "listen febf::5 port 5353",
	    "listen: 'febf::5' is link-local and needs its interface; write it as "
	    "febf::5%INTERFACE" },
	{ "nameserver ff02::fb",
	    "nameserver: 'ff02::fb' is not the address of one machine; allowed is ADDRESS [port N] "
	    "[trusted] | defaults" },
	{ "listen 224.0.0.251",
	    "listen: '224.0.0.251' is not the address of one machine; allowed is "
	    "ADDRESS|INTERFACE [port N]" },
	{ "listen 255.255.255.255",
	    "listen: '255.255.255.255' is not the address of one machine; allowed is "
	    "ADDRESS|INTERFACE [port N]" },
	{ "nameserver fe80::1%nosuch0",
	    "nameserver: 'fe80::1%nosuch0' is not an IPv4 or IPv6 address (a "
	    "link-local one ends in %INTERFACE, which must exist); allowed is ADDRESS [port N] "
	    "[trusted] | "
	    "defaults" },
	{ "nameserver ::ffff:192.0.2.1",
	    "nameserver: '::ffff:192.0.2.1' is an IPv4 address in "
	    "IPv6 clothes; write it as 192.0.2.1" },
	{ "nameserver 192.0.2.1 port 0", "nameserver: port '0' is not a number from 1 to 65535" },
	{ "nameserver 192.0.2.1 port 65536",
	    "nameserver: port '65536' is not a number from 1 to 65535" },
	{ "nameserver 192.0.2.1 prt 53",
	    "nameserver: 'prt' is not understood; allowed is ADDRESS [port N] [trusted] "
	    "| defaults" },
	{ "nameserver 192.0.2.1 port",
	    "nameserver: 'port' is not understood; allowed is ADDRESS [port N] [trusted] "
	    "| defaults" },
	{ "nameserver ::", "nameserver: '::' stands for any address and cannot be asked" },
	{ "nameserver 0.0.0.0",
	    "nameserver: '0.0.0.0' stands for any address and cannot be asked" },
	{ "web-listen 127.0.0.1 port 0", "web-listen: port '0' is not a number from 1 to 65535" },
	{ "listen www.example.com.",
	    "listen: 'www.example.com.' is not an IPv4 or IPv6 address (a link-local one "
	    "ends in %INTERFACE, which must exist); allowed is ADDRESS|INTERFACE [port N]" },
	{ "listen 192.0.2.300",
	    "listen: '192.0.2.300' is not an IPv4 or IPv6 address (a link-local one "
	    "ends in %INTERFACE, which must exist); allowed is ADDRESS|INTERFACE [port N]" },
	{ "listen 2001:db8::1%lo",
	    "listen: '2001:db8::1%lo' is not an IPv4 or IPv6 address (a link-local one "
	    "ends in %INTERFACE, which must exist); allowed is ADDRESS|INTERFACE [port N]" },
	{ "listen fe80::1%99999",
	    "listen: 'fe80::1%99999' is not an IPv4 or IPv6 address (a link-local one "
	    "ends in %INTERFACE, which must exist); allowed is ADDRESS|INTERFACE [port N]" },
	{ "listen *",
	    "listen: '*' is not understood; all addresses of this machine are two lines, "
	    "listen :: and listen 0.0.0.0" },
	{ "listen any port 53",
	    "listen: 'any' is not understood; all addresses of this machine are two lines, "
	    "listen :: and listen 0.0.0.0" },
	{ "listen eth0 prt 53",
	    "listen: 'prt' is not understood; allowed is ADDRESS|INTERFACE [port N]" },
	{ "listen eth0 port 65536", "listen: port '65536' is not a number from 1 to 65535" },
	{ "listen ::ffff:0.0.0.0",
	    "listen: '::ffff:0.0.0.0' is an IPv4 address in IPv6 clothes; write it "
	    "as 0.0.0.0" },
	{ "selection-mode best",
	    "selection-mode: 'best' is not one of random|round-robin|in-order|fastest" },
	{ "hedge maybe", "hedge: 'maybe' is not one of no|yes" },
	{ "selection-mode rand",
	    "selection-mode: 'rand' is not one of random|round-robin|in-order|fastest" },
	{ "debugging maybe", "debugging: 'maybe' is not one of no|yes" },
	{ "upstream-timeout 0.05", "upstream-timeout: '0.05' is not a time from 0.1 to 5 seconds" },
	{ "upstream-timeout 32767",
	    "upstream-timeout: '32767' is not a time from 0.1 to 5 seconds" },
	{ "upstream-tries 4", "upstream-tries: '4' is not a number from 1 to 3" },
	{ "resend-attempts 11", "resend-attempts: '11' is not a number from 0 to 10" },
	{ "udp-size-upstream 511", "udp-size-upstream: '511' is not a number from 512 to 4096" },
	{ "response-maxlength 4097",
	    "response-maxlength: '4097' is not a number from 512 to 4096" },
	{ "batch-delay soon",
	    "batch-delay: 'soon' is not auto, off or a number of microseconds from 10 to 1000" },
	{ "batch-delay 9",
	    "batch-delay: '9' is not auto, off or a number of microseconds from 10 to 1000" },
	{ "batch-delay 1001",
	    "batch-delay: '1001' is not auto, off or a number of microseconds from 10 to 1000" },
	{ "socket-buffer 4g", "socket-buffer: '4g' is not a number of bytes from 0 to 1g" },
	{ "cache-size 4k",
	    "cache-size: '4k' is too little: a cache has 1m at least, and 0 is none" },
	{ "cache-size 1048575",
	    "cache-size: '1048575' is too little: a cache has 1m at least, and 0 is none" },
	{ "cache-size 65g", "cache-size: '65g' is not a number of bytes from 0 to 64g" },
	{ "cache-size 1.5g", "cache-size: '1.5g' is not a number of bytes from 0 to 64g" },
	{ "cache-size -1", "cache-size: '-1' is not a number of bytes from 0 to 64g" },
	{ "cache-min-ttl 61", "cache-min-ttl: '61' is not a number from 0 to 60" },
	{ "cache-max-ttl 604801", "cache-max-ttl: '604801' is not a number from 1 to 604800" },
	{ "cache-failure-ttl 0", "cache-failure-ttl: '0' is not a number from 1 to 300" },
	{ "serve-stale 1d", "serve-stale: '1d' is not a number from 0 to 259200" },
	{ "nxdomain-cut yes", "nxdomain-cut: 'yes' is not one of off|secure|all" },
	{ "rrset-order random", "rrset-order: 'random' is not one of fixed|rotate" },
	{ "num-threads 65", "num-threads: '65' is not auto or a number from 1 to 64" },
	{ "num-threads 0", "num-threads: '0' is not auto or a number from 1 to 64" },
	{ "outgoing-ports 0", "outgoing-ports: '0' is not each or a number from 1 to 64" },
	{ "outgoing-ports 65", "outgoing-ports: '65' is not each or a number from 1 to 64" },
	{ "outgoing-ports eac", "outgoing-ports: 'eac' is not each or a number from 1 to 64" },
	{ "cpu-affinity 3-1", "cpu-affinity: '3-1' is not auto or a list of CPU numbers as 0-3,8" },
	{ "avoid-port 0", "avoid-port: '0' is not a port or a range of ports from 1 to 65535" },
	{ "avoid-port 20-10",
	    "avoid-port: '20-10' is not a port or a range of ports from 1 to 65535" },
	{ "avoid-port 5000-5064", "avoid-port: there can be 64 ports at most in all" },
	{ "chroot var/empty",
	    "chroot: 'var/empty' does not begin with a slash; allowed is none|DIRECTORY" },
	{ "pidfile x", "pidfile: 'x' does not begin with a slash; allowed is auto|none|FILE" },
	{ "user a-name-that-is-much-longer-than-any-account-may-have-on-any-system-at-all",
	    "user: is longer than 63 characters" },
	{ "local-zones maybe", "local-zones: 'maybe' is not one of no|yes" },
	{ "version a-word-of-31-characters-is-this and-another-of-32-characters-it-is",
	    "version: is longer than 63 characters" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

static void
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
}

/* Fields of 64 and of 32 bits, an enum and a bool; D22 leaves all of it to the administrator. */
START_TEST(cache_keywords_set_their_fields)
{
	const struct conf_cache *c = &settings.conf.core.keep;

	parse_silently("cache-size 0\n");
	ck_assert_uint_eq(settings.cache_size, 0);
	parse_silently("cache-size 1m\n");
	ck_assert_uint_eq(settings.cache_size, 1 << 20);
	parse_silently("cache-size 1048577\n");
	ck_assert_uint_eq(settings.cache_size, (1 << 20) + 1);
	parse_silently("cache-size 5G\n");
	ck_assert_uint_eq(settings.cache_size, UINT64_C(5) << 30);
	parse_silently("cache-min-ttl 30\ncache-max-ttl 30\ncache-max-negative 60\n"
		       "cache-failure-ttl 1\nserve-stale 259200\nnxdomain-cut all\n"
		       "prefetch no\nrrset-order rotate\n");
	ck_assert_uint_eq(c->min_ttl_s, 30);
	ck_assert_uint_eq(c->max_ttl_s, 30);
	ck_assert_uint_eq(c->max_negative_s, 60);
	ck_assert_uint_eq(c->failure_s, 1);
	ck_assert_uint_eq(c->stale_s, 259200);
	ck_assert_int_eq(c->cut, CONF_CUT_ALL);
	ck_assert(!c->prefetch && c->rotate);
	parse_silently("nxdomain-cut off\n");
	ck_assert_int_eq(c->cut, CONF_CUT_OFF);
	ck_assert(c->prefetch && !c->rotate);
}
END_TEST

/* RULES D9: an administrator says whose AD may be believed. */
START_TEST(d9_trusted_nameservers)
{
	parse_silently("nameserver 192.0.2.1\nnameserver 192.0.2.2 trusted\n"
		       "nameserver 192.0.2.3 port 5353 trusted\nnameserver 192.0.2.4 port 53\n");
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(settings.conf.core.upstreams[i].trusted, i == 1 || i == 2);
	ck_assert_uint_eq(settings.conf.core.upstreams[2].addr.port, 5353);
}
END_TEST

/* Rule 35: the secret of cookies, configured or drawn later. The log never has it. */
START_TEST(rule35_cookie_secret)
{
	const struct conf_core *c = &settings.conf.core;

	parse_silently(
	    "cookie-secret 00112233445566778899aabbccddeeff E5E973E5A6B2A43F48E7DC849E37BFCF\n");
	ck_assert_uint_eq(c->cookies.n_secrets, 2);
	ck_assert_uint_eq(c->cookies.secrets[0][15], 0xff);
	ck_assert_uint_eq(c->cookies.secrets[1][0], 0xe5);
	ck_assert_uint_eq(c->cookies.secrets[1][15], 0xcf);
	parse_silently("cookie-secret auto\n");
	ck_assert_uint_eq(c->cookies.n_secrets, 0);
	said_parse(&said, "cookie-secret 00112233445566778899aabbccddee\n", &settings);
	ck_assert_str_eq(
	    said.text, "error t.conf:1: cookie-secret: value 1 is not auto or 32 hex digits\n");
	said_parse(&said, "cookie-secret 00112233445566778899aabbccddeeff auto\n", &settings);
	ck_assert_str_eq(
	    said.text, "error t.conf:1: cookie-secret: value 2 is not auto or 32 hex digits\n");
}
END_TEST

START_TEST(nameservers_are_kept_in_order)
{
	const struct conf_core *c = &settings.conf.core;
	char text[NETADDR_TEXT];

	parse_silently(
	    "nameserver 192.0.2.1\nnameserver 2001:db8::1 port 5353\nnameserver fe80::1%lo\n");
	ck_assert_uint_eq(c->n_upstreams, 3);
	ck_assert_str_eq(netaddr_format(&c->upstreams[0].addr, text), "192.0.2.1#53");
	ck_assert_str_eq(netaddr_format(&c->upstreams[1].addr, text), "2001:db8::1#5353");
	ck_assert_uint_eq(c->upstreams[1].transport[0], TRANSPORT_UDP);
	ck_assert_uint_eq(c->upstreams[1].transport[1], TRANSPORT_TCP);
	ck_assert_str_eq(netaddr_format(&c->upstreams[2].addr, text), "fe80::1%lo#53");
	ck_assert(!settings.nameserver_defaults);
	/* mtd64-ng took both spellings. */
	parse_silently("nameserver defaults\n");
	ck_assert(settings.nameserver_defaults);
	parse_silently("nameserver default\n");
	ck_assert(settings.nameserver_defaults);
}
END_TEST

START_TEST(nameserver_given_twice_is_refused)
{
	said_parse(&said, "nameserver 192.0.2.1\n\nnameserver 192.0.2.1 port 53\n", &settings);
	ck_assert_str_eq(
	    said.text, "error t.conf:3: nameserver: '192.0.2.1' is at line 1 already\n");
}
END_TEST

START_TEST(listens_are_kept_in_order)
{
	const struct conf_io *c = &settings.conf.io;
	char text[NETADDR_TEXT];

	parse_silently("listen ::\nport 5300\nlisten 192.0.2.1 port 53\n");
	ck_assert_uint_eq(c->n_listens, 2);
	/* The port for all is filled in when the file is complete. */
	ck_assert_str_eq(netaddr_format(&c->listens[0], text), "::");
	ck_assert_str_eq(netaddr_format(&c->listens[1], text), "192.0.2.1#53");
	ck_assert_uint_eq(settings.port, 5300);
	ck_assert(!settings.listens_by_default);
}
END_TEST

/* A name stands for an interface, which may come later; so may that of a link-local address. */
START_TEST(listens_by_interface)
{
	const struct settings_listens *l = &settings.listens;
	char text[NETADDR_TEXT];

	parse_silently("listen nosuch0.100\nlisten fe80::1%nosuch0 port 5353\nlisten ::1\n"
		       "listen fe80::2%1\n");
	ck_assert_uint_eq(settings.conf.io.n_listens, 1);
	ck_assert_uint_eq(l->n_of, 3);
	ck_assert_str_eq(listens_text(&l->of[0], text), "nosuch0.100#0");
	ck_assert_uint_eq(l->of[1].line, 2);
	ck_assert_str_eq(listens_text(&l->of[1], text), "fe80::1%nosuch0#5353");
	ck_assert_str_eq(listens_text(&l->of[2], text), "fe80::2%lo#0");
}
END_TEST

START_TEST(web_listens_have_a_port)
{
	said_parse(&said,
	    "nameserver 192.0.2.1\nport 5353\nweb-listen 127.0.0.1\nweb-listen ::1 port 80\n",
	    &settings);
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(settings.web.n, 2);
	ck_assert_uint_eq(settings.web.addr[0].port, 6464);
	ck_assert_uint_eq(settings.web.addr[1].port, 80);
	said_parse(
	    &said, "nameserver 192.0.2.1\nweb-listen ::1\nweb-listen ::1 port 6464\n", &settings);
	ck_assert_uint_eq(said.n_errors, 1);
}
END_TEST

START_TEST(short_texts_are_kept)
{
	const struct conf_core *c = &settings.conf.core;

	parse_silently("");
	ck_assert_str_eq(c->chaos.version, "");
	ck_assert_str_eq(c->chaos.server_id, "");
	ck_assert(!c->local_zones);
	parse_silently("version dns64d  1 # not this\nserver-id none of them\nlocal-zones yes\n");
	ck_assert_str_eq(c->chaos.version, "dns64d 1");
	ck_assert_str_eq(c->chaos.server_id, "none of them");
	ck_assert(c->local_zones);
	parse_silently("version a-word-of-32-characters-is-this and-one-more-31-characters-long\n"
		       "server-id none\n");
	ck_assert_uint_eq(strlen(c->chaos.version), CONF_TEXT - 1);
	ck_assert_str_eq(c->chaos.server_id, "");
}
END_TEST

/* N lines of FORMAT with numbers from 1 (hexadecimal). */
static void
parse_many(const char *format, unsigned n)
{
	static char text[65536];
	size_t len = 0;

	for (unsigned i = 1; i <= n; i++) {
		char line[64], number[16];

		snprintf(number, sizeof(number), "%x", i);
		snprintf(line, sizeof(line), "%s%s\n", format, number);
		memcpy(text + len, line, strlen(line) + 1);
		len += strlen(line);
	}
	said_parse(&said, text, &settings);
}

struct many {
	const char *format;
	unsigned n;
	const char *text;
};

/* The arrays of conf.h are full: said, not cut off. */
static const struct many manies[] = {
	{ "nameserver 2001:db8::", CONF_MAX_UPSTREAMS, "nameserver: there can be 32 at most" },
	{ "listen eth", SETTINGS_INTERFACES, "listen: there can be 16 interfaces at most" },
	{ "listen 2001:db8::", CONF_MAX_LISTENS, "listen: there can be 64 at most" },
	{ "web-listen 2001:db8::", SETTINGS_WEB_LISTENS, "web-listen: there can be 16 at most" },
};

START_TEST(lists_are_taken_up_to_their_limits)
{
	const struct many *m = &manies[_i];
	char expected[128];

	parse_many(m->format, m->n);
	ck_assert_str_eq(said.text, "");
	parse_many(m->format, m->n + 1);
	snprintf(expected, sizeof(expected), "error t.conf:%u: %s\n", m->n + 1, m->text);
	ck_assert_str_eq(said.text, expected);
}
END_TEST

/* D12: the name of mtd64-ng sets the same; under 1232 there is a notice. */
START_TEST(udp_sizes_are_taken_with_a_notice)
{
	parse_silently("response-maxlength 4096\n");
	ck_assert_uint_eq(settings.conf.core.udp_size_client, 4096);
	ck_assert_uint_eq(settings.conf.core.udp_size_upstream, 1232);
	parse_silently("udp-size-client 1232\nudp-size-upstream 1400\n");
	ck_assert_uint_eq(settings.conf.core.udp_size_client, 1232);
	ck_assert_uint_eq(settings.conf.core.udp_size_upstream, 1400);
	said_parse(&said, "response-maxlength 512\n", &settings);
	ck_assert_uint_eq(settings.conf.core.udp_size_client, 512);
	ck_assert_str_eq(said.text,
	    "notice t.conf:1: response-maxlength: 512 is less than the usual 1232: "
	    "more answers will need TCP\n");
	said_parse(&said, "udp-size-client 1231\n", &settings);
	ck_assert_uint_eq(said.n_notices, 1);
}
END_TEST

START_TEST(outgoing_ports_are_a_number_or_one_for_each)
{
	parse_silently("outgoing-ports 64\n");
	ck_assert_uint_eq(settings.conf.io.outgoing_ports, 64);
	parse_silently("outgoing-ports each\n");
	ck_assert_uint_eq(settings.conf.io.outgoing_ports, 0);
}
END_TEST

START_TEST(avoided_ports_are_taken_as_ranges)
{
	parse_silently("avoid-port 5353\navoid-port 10000-10062\n");
	ck_assert_uint_eq(settings.conf.io.n_avoid_ports, 64);
	ck_assert_uint_eq(settings.conf.io.avoid_ports[0], 5353);
	ck_assert_uint_eq(settings.conf.io.avoid_ports[1], 10000);
	ck_assert_uint_eq(settings.conf.io.avoid_ports[63], 10062);
	said_parse(&said, "avoid-port 10000-10063\navoid-port 1\n", &settings);
	ck_assert_str_eq(
	    said.text, "error t.conf:2: avoid-port: there can be 64 ports at most in all\n");
}
END_TEST

START_TEST(health_name_is_kept_as_it_is)
{
	parse_silently("health-name Health.invalid\n");
	ck_assert_uint_eq(settings.conf.core.health.len, 16);
	ck_assert_mem_eq(settings.conf.core.health.name, "\6Health\7invalid", 16);
	parse_silently("health-name none\n");
	ck_assert_uint_eq(settings.conf.core.health.len, 0);
}
END_TEST

START_TEST(plain_keywords_set_their_fields)
{
	parse_silently("num-threads 3\ncpu-affinity 0,2\nuser u\ngroup g\nchroot /c\npidfile none\n"
		       "log syslog\nlog-level debug\nselection-mode in-order\nsocket-buffer 64k\n"
		       "stop-timeout 0.5\nlameduck 1.5\ntcp-idle-timeout 2\nmax-queries "
		       "256\nmax-tcp-clients 7\n"
		       "max-waiting-per-client 5\nmax-same-question 0\n"
		       "max-waiting-per-upstream 6\n"
		       "max-tcp-per-client 3\nupstream-tries 1\nupstream-timeout 2.5\n");
	ck_assert_uint_eq(settings.num_threads, 3);
	ck_assert(settings.affinity.given && CPU_COUNT(&settings.affinity.set) == 2);
	ck_assert_str_eq(settings.user, "u");
	ck_assert_str_eq(settings.group, "g");
	ck_assert_str_eq(settings.chroot, "/c");
	ck_assert_str_eq(settings.pidfile, "none");
	ck_assert_int_eq(settings.log, SETTINGS_LOG_SYSLOG);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_DEBUG);
	ck_assert_int_eq(settings.conf.core.selection, CONF_IN_ORDER);
	ck_assert_uint_eq(settings.conf.io.socket_buffer, 65536);
	ck_assert_uint_eq(settings.stop_timeout_ms, 500);
	ck_assert_uint_eq(settings.lameduck_ms, 1500);
	ck_assert_uint_eq(settings.conf.io.tcp_idle_ms, 2000);
	ck_assert_uint_eq(settings.conf.core.max_queries, 256);
	ck_assert_uint_eq(settings.conf.core.max_waiting_per_client, 5);
	ck_assert_uint_eq(settings.conf.core.max_same_question, 0);
	ck_assert_uint_eq(settings.conf.core.max_waiting_per_upstream, 6);
	ck_assert_uint_eq(settings.conf.io.max_tcp_clients, 7);
	ck_assert_uint_eq(settings.conf.io.max_tcp_per_client, 3);
	ck_assert_uint_eq(settings.conf.core.upstream_tries, 1);
	ck_assert_uint_eq(settings.conf.core.timeout_ms, 2500);
}
END_TEST

START_TEST(batch_delay)
{
	parse_silently("batch-delay off\n");
	ck_assert_uint_eq(settings.conf.io.batch_delay, 0);
	parse_silently("batch-delay 10\n");
	ck_assert_uint_eq(settings.conf.io.batch_delay, 10);
	parse_silently("batch-delay 1000\n");
	ck_assert_uint_eq(settings.conf.io.batch_delay, 1000);
	parse_silently("batch-delay auto\n");
	ck_assert_uint_eq(settings.conf.io.batch_delay, CONF_BATCH_AUTO);
}
END_TEST

START_TEST(choices_are_in_the_order_of_their_enums)
{
	parse_silently("selection-mode random\nlog auto\nlog-level error\n");
	ck_assert_int_eq(settings.conf.core.selection, CONF_RANDOM);
	ck_assert_int_eq(settings.log, SETTINGS_LOG_AUTO);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_ERROR);
	parse_silently("selection-mode round-robin\nlog stderr\nlog-level warn\n");
	ck_assert_int_eq(settings.conf.core.selection, CONF_ROUND_ROBIN);
	ck_assert_int_eq(settings.log, SETTINGS_LOG_STDERR);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_WARN);
	parse_silently("log-level info\n");
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_INFO);
	parse_silently("selection-mode fastest\nhedge yes\n");
	ck_assert_int_eq(settings.conf.core.selection, CONF_FASTEST);
	ck_assert(settings.conf.core.hedge);
}
END_TEST

#define N_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, bad_values_are_told, 0, N_OF(bad));
	tcase_add_test(tc, rule35_cookie_secret);
	tcase_add_test(tc, cache_keywords_set_their_fields);
	tcase_add_test(tc, d9_trusted_nameservers);
	tcase_add_test(tc, nameservers_are_kept_in_order);
	tcase_add_test(tc, nameserver_given_twice_is_refused);
	tcase_add_test(tc, listens_are_kept_in_order);
	tcase_add_test(tc, listens_by_interface);
	tcase_add_test(tc, web_listens_have_a_port);
	tcase_add_test(tc, short_texts_are_kept);
	tcase_add_loop_test(tc, lists_are_taken_up_to_their_limits, 0, N_OF(manies));
	tcase_add_test(tc, udp_sizes_are_taken_with_a_notice);
	tcase_add_test(tc, outgoing_ports_are_a_number_or_one_for_each);
	tcase_add_test(tc, avoided_ports_are_taken_as_ranges);
	tcase_add_test(tc, health_name_is_kept_as_it_is);
	tcase_add_test(tc, plain_keywords_set_their_fields);
	tcase_add_test(tc, batch_delay);
	tcase_add_test(tc, choices_are_in_the_order_of_their_enums);
}
