/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fakedns: what it means, and that faults are told. */

#include "fakedns/options.h"

#include <stdio.h>
#include <string.h>

#include "support/tests.h"
#include "support/text.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ARGS_MAX 48

/* LINE in words; what was told to ERRORS (1,024 bytes). */
static enum cmdline_task
read_line(const char *line, struct fake_options *o, char *errors)
{
	char copy[1024], *argv[ARGS_MAX];
	FILE *f = fmemopen(errors, 1024, "w");

	ck_assert_ptr_nonnull(f);
	(void)snprintf(copy, sizeof(copy), "fakedns %s", line);
	errors[0] = '\0';
	enum cmdline_task task = fake_options_read(text_words(copy, argv, ARGS_MAX), argv, o, f);
	(void)fclose(f);
	return task;
}

START_TEST(defaults_are_as_documented)
{
	struct fake_options o;
	char errors[1024], text[NETADDR_TEXT];

	ck_assert_int_eq(read_line("", &o, errors), CMDLINE_RUN);
	ck_assert_str_eq(errors, "");
	ck_assert(o.default_listen);
	ck_assert_uint_eq(o.settings.n_listen, 2);
	ck_assert_str_eq(netaddr_format(&o.settings.listen[0], text), "127.0.0.1#5300");
	ck_assert_str_eq(netaddr_format(&o.settings.listen[1], text), "::1#5300");
	ck_assert_uint_eq(o.settings.n_threads, 1);
	ck_assert_uint_eq(o.settings.policy.ttl, 300);
	ck_assert_uint_eq(o.settings.policy.negative_ttl, 60);
	ck_assert_uint_eq(o.settings.policy.zone.aaaa_percent, 0);
	ck_assert_uint_eq(o.settings.policy.zone.enum_percent, 100);
	ck_assert_mem_eq(o.settings.policy.zone.name, "\011dns64perf\004test", 16);
	ck_assert(!o.settings.policy.forced && !o.settings.policy.no_edns);
}
END_TEST

START_TEST(every_option_sets_its_field)
{
	struct fake_options o;
	char errors[1024], text[NETADDR_TEXT];

	ck_assert_int_eq(read_line("-l 192.0.2.1 --listen 2001:db8::1 -p 53 -t 4 -z Example.Net. "
				   "--aaaa 25 --delay 20 --jitter 5 --loss 3 --truncate 7 "
				   "--rcode servfail --rcode-type AAAA --ttl 1 --negative-ttl 2 "
				   "--enum-range 0100-0199 --enum-percent 50 --no-edns",
			     &o, errors),
	    CMDLINE_RUN);
	ck_assert_str_eq(errors, "");
	ck_assert(!o.default_listen);
	ck_assert_uint_eq(o.settings.n_listen, 2);
	ck_assert_str_eq(netaddr_format(&o.settings.listen[0], text), "192.0.2.1#53");
	ck_assert_str_eq(netaddr_format(&o.settings.listen[1], text), "2001:db8::1#53");
	ck_assert_uint_eq(o.settings.n_threads, 4);
	ck_assert_uint_eq(o.settings.pattern.delay_ms, 20);
	ck_assert_uint_eq(o.settings.pattern.jitter_ms, 5);
	ck_assert_uint_eq(o.settings.pattern.loss, 3000);
	ck_assert_uint_eq(o.settings.pattern.truncate_percent, 7);
	const struct fake_policy *p = &o.settings.policy;
	ck_assert(p->forced && p->no_edns);
	ck_assert_uint_eq(p->rcode, DNS_SERVFAIL);
	ck_assert_uint_eq(p->rcode_type, DNS_TYPE_AAAA);
	ck_assert_uint_eq(p->ttl, 1);
	ck_assert_uint_eq(p->negative_ttl, 2);
	ck_assert_uint_eq(p->zone.aaaa_percent, 25);
	ck_assert_uint_eq(p->zone.enum_percent, 50);
	ck_assert_uint_eq(p->zone.enum_first, 100);
	ck_assert_uint_eq(p->zone.enum_last, 199);
	ck_assert_uint_eq(p->zone.enum_digits, 4);
	ck_assert_uint_eq(p->zone.len, 13);
	ck_assert_mem_eq(p->zone.name, "\007example\003net", 13);
}
END_TEST

/* What befalls questions. */
START_TEST(every_pattern_sets_its_field)
{
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(
	    read_line("--broken 12 --broken-type A --damage 3 --forge 4 --delay 20 "
		      "--delay-every 2 --delay-tcp --delay-type AAAA --duplicate 13 --loss 1.25 "
		      "--loss-burst 4 --loss-type TXT --outage 1500-500 "
		      "--rcode SERVFAIL --rcode-percent 15 --reorder 16 "
		      "--reorder-delay 17 --outage-refuse --seed 18 --singles --slow-first 1200",
		&o, errors),
	    CMDLINE_RUN);
	ck_assert_str_eq(errors, "");
	const struct fake_policy *policy = &o.settings.policy;
	ck_assert_uint_eq(policy->zone.broken_percent, 12);
	ck_assert_uint_eq(policy->broken_type, DNS_TYPE_A);
	const struct fake_pattern *p = &o.settings.pattern;
	ck_assert_uint_eq(p->delay_every, 2);
	ck_assert(p->delay_tcp);
	ck_assert_uint_eq(p->delay_type, DNS_TYPE_AAAA);
	ck_assert_uint_eq(p->duplicate_percent, 13);
	ck_assert_uint_eq(p->damage_percent, 3);
	ck_assert_uint_eq(p->forge_percent, 4);
	ck_assert_uint_eq(p->loss, 1250);
	ck_assert_uint_eq(p->loss_burst, 4);
	ck_assert_uint_eq(p->loss_type, DNS_TYPE_TXT);
	ck_assert_uint_eq(p->up_ms, 1500);
	ck_assert_uint_eq(p->down_ms, 500);
	ck_assert(p->refuse);
	ck_assert_uint_eq(p->unforced_percent, 85);
	ck_assert_uint_eq(p->reorder_percent, 16);
	ck_assert_uint_eq(p->reorder_ms, 17);
	ck_assert_uint_eq(o.settings.seed, 18);
	ck_assert(o.settings.singles);
	ck_assert_uint_eq(p->slow_first_ms, 1200);
}
END_TEST

/* Without options nothing befalls them, which is as fast as before there were patterns. */
START_TEST(no_pattern_by_default)
{
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(read_line("", &o, errors), CMDLINE_RUN);
	ck_assert(fake_pattern_is_plain(&o.settings.pattern));
	ck_assert_uint_eq(o.settings.policy.zone.broken_percent, 0);
	ck_assert_int_eq(read_line("--rcode SERVFAIL", &o, errors), CMDLINE_RUN);
	ck_assert(fake_pattern_is_plain(&o.settings.pattern));
}
END_TEST

START_TEST(connections_end_as_told)
{
	static const struct {
		const char *line;
		bool ends, reset;
		unsigned answers;
	} of[] = { { "", false, false, 0 }, { "--tcp-close 0", true, false, 0 },
		{ "--tcp-close 7", true, false, 7 }, { "--tcp-reset 0", true, true, 0 },
		{ "--tcp-reset 7", true, true, 7 } };
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(read_line(of[_i].line, &o, errors), CMDLINE_RUN);
	ck_assert_int_eq(o.settings.tcp_ends, of[_i].ends);
	ck_assert_int_eq(o.settings.tcp_reset, of[_i].reset);
	ck_assert_uint_eq(o.settings.tcp_answers, of[_i].answers);
}
END_TEST

START_TEST(loss_may_be_a_fraction)
{
	static const struct {
		const char *line;
		unsigned loss;
	} of[] = { { "--loss 0", 0 }, { "--loss 100", 100000 }, { "--loss 100.000", 100000 },
		{ "--loss 0.1", 100 }, { "--loss 0.05", 50 }, { "--loss 12.345", 12345 } };
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(read_line(of[_i].line, &o, errors), CMDLINE_RUN);
	ck_assert_uint_eq(o.settings.pattern.loss, of[_i].loss);
}
END_TEST

/* A fault and words that the message must have: the option, the value. */
static const char *const faults[][3] = {
	{ "-l localhost", "--listen", "\"localhost\"" },
	{ "-l 192.0.2.1#53", "--listen", "\"192.0.2.1#53\"" }, { "-p 65536", "--port", "65535" },
	{ "-p -1", "--port", "\"-1\"" }, { "-t 0", "--threads", "from 1 to 256" },
	{ "--aaaa 101", "--aaaa", "from 0 to 100" }, { "--aaaa 5%", "--aaaa", "\"5%\"" },
	{ "--delay 15001", "--delay", "15000" }, { "--ttl 2147483648", "--ttl", "2147483647" },
	{ "--ttl 99999999999999999999999", "--ttl", "2147483647" },
	{ "--rcode NOSUCH", "--rcode", "SERVFAIL" }, { "--rcode 4096", "--rcode", "4095" },
	{ "--rcode NOERROR --rcode-type NOSUCH", "--rcode-type", "NAPTR" },
	{ "--rcode-type AAAA", "--rcode-type", "--rcode" }, { "--zone a..b", "--zone", "\"a..b\"" },
	{ "--enum-range 1-22", "--enum-range", "\"1-22\"" },
	{ "--enum-range 22", "--enum-range", "\"22\"" },
	{ "--enum-range 2-1", "--enum-range", "before" },
	{ "--enum-range 1-2-3", "--enum-range", "\"1-2-3\"" },
	{ "--enum-range 1000000000000000-1000000000000001", "--enum-range", "15" },
	{ "--loss 100.001", "--loss", "100" }, { "--loss 1.0000", "--loss", "three" },
	{ "--loss 1.", "--loss", "\"1.\"" }, { "--loss .5", "--loss", "\".5\"" },
	{ "--loss 1.5%", "--loss", "\"1.5%\"" }, { "--loss 1,5", "--loss", "\"1,5\"" },
	{ "--outage 5", "--outage", "\"5\"" }, { "--outage 5-0", "--outage", "not 0" },
	{ "--outage 5-x", "--outage", "\"5-x\"" }, { "--outage 3600001-1", "--outage", "3600000" },
	{ "--outage 1-3600001", "--outage", "3600000" },
	{ "--broken-type A", "--broken-type", "--broken" },
	{ "--delay-type A --jitter 1", "--delay-type", "--delay" },
	{ "--delay-every 2", "--delay-every", "--delay" },
	{ "--delay-tcp", "--delay-tcp", "--delay" }, { "--loss-burst 2", "--loss-burst", "--loss" },
	{ "--loss-type A", "--loss-type", "--loss" },
	{ "--rcode-percent 5", "--rcode-percent", "--rcode" },
	{ "--reorder-delay 5", "--reorder-delay", "--reorder" },
	{ "--outage-refuse", "--outage-refuse", "--outage" },
	{ "--tcp-close 1 --tcp-reset 1", "--tcp-reset", "--tcp-close" },
	{ "--seed 0", "--seed", "from 1" }, { "word", "\"word\"", "options" },
	{ "--aaaa 101 --loss 101", "--aaaa", "--loss" }, /* all at once */
};

START_TEST(faults_are_told)
{
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(read_line(faults[_i][0], &o, errors), CMDLINE_WRONG);
	ck_assert_msg(strstr(errors, faults[_i][1]) != NULL, "%s: %s", faults[_i][0], errors);
	ck_assert_msg(strstr(errors, faults[_i][2]) != NULL, "%s: %s", faults[_i][0], errors);
}
END_TEST

START_TEST(too_many_addresses_are_refused)
{
	struct fake_options o;
	char errors[1024], line[512] = "";

	for (unsigned i = 0; i < FAKE_LISTEN_MAX + 1; i++)
		(void)strcat(line, "-l 127.0.0.1 ");
	ck_assert_int_eq(read_line(line, &o, errors), CMDLINE_WRONG);
	ck_assert_ptr_nonnull(strstr(errors, "more than 16"));
}
END_TEST

START_TEST(help_and_version_are_tasks)
{
	struct fake_options o;
	char errors[1024];

	ck_assert_int_eq(read_line("-h", &o, errors), CMDLINE_HELP);
	ck_assert_int_eq(read_line("--version", &o, errors), CMDLINE_VERSION);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, defaults_are_as_documented);
	tcase_add_test(tc, every_option_sets_its_field);
	tcase_add_test(tc, every_pattern_sets_its_field);
	tcase_add_test(tc, no_pattern_by_default);
	tcase_add_loop_test(tc, connections_end_as_told, 0, 5);
	tcase_add_loop_test(tc, loss_may_be_a_fraction, 0, 6);
	tcase_add_loop_test(tc, faults_are_told, 0, N_OF(faults));
	tcase_add_test(tc, too_many_addresses_are_refused);
	tcase_add_test(tc, help_and_version_are_tasks);
}
