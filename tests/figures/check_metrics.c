/* SPDX-License-Identifier: BSD-2-Clause */
/* Every counter is among the metrics, and the text is what Prometheus understands. */

#include "figures/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/policy_lines.h"
#include "figures/figures.h"
#include "policy/prefix_states.h"
#include "support/known.h"
#include "support/tests.h"

static char text[1 << 20];

static void
setup(void)
{
	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96\n"
		   "dns64-prefix 2001:db8::/96 drain\n");
}

/* Write the metrics to TEXT. */
static void
write_metrics(bool open)
{
	struct evbuffer *out = evbuffer_new();
	ev_ssize_t n;

	ck_assert_ptr_nonnull(out);
	metrics_write(out, &known.facts, open);
	n = evbuffer_copyout(out, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	ck_assert_uint_lt((size_t)n, sizeof(text) - 1);
	text[n] = '\0';
	evbuffer_free(out);
}

static void
has(const char *line)
{
	char whole[256];

	(void)snprintf(whole, sizeof(whole), "\n%s\n", line);
	ck_assert_msg(strstr(text, whole) != NULL, "no line: %s", line);
}

/* How often LINE begins a line. */
static unsigned
count(const char *line)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
		n += at == text || at[-1] == '\n';
	return n;
}

/* Is the counter at PLACE the sum of what another source has? */
static bool
is_sum(enum stats_place place)
{
	if (place == STATS_answers)
		return true;
	for (size_t i = 0; i < figures_n; i++) {
		for (size_t p = 0; p < figures[i].n_places; p++) {
			if (figures[i].places[p] == place && figures[i].source < FIGURE_OF_GROUP)
				return true;
		}
	}
	return false;
}

/* unbound_exporter: a counter that a pattern did not match was missing, and nobody noticed. */
START_TEST(every_counter_is_there_once)
{
	char value[32];

	for (unsigned i = 0; i < STATS_N; i++)
		known.facts.rows[i].value = 7000001 + 1000 * i;
	write_metrics(false);
	for (unsigned i = 0; i < STATS_N; i++) {
		unsigned n = 0;

		(void)snprintf(value, sizeof(value), " %u\n", 7000001 + 1000 * i);
		for (const char *at = text; (at = strstr(at, value)) != NULL; at++)
			n++;
		/* These are sums of what is told by reason, by transport and family, by upstream.
		 */
		if (is_sum((enum stats_place)i))
			ck_assert_uint_eq(n, 0);
		else
			ck_assert_msg(n == 1, "%s: %u times", known.facts.rows[i].name, n);
	}
}
END_TEST

START_TEST(every_reason_is_there)
{
	char line[256];

	write_metrics(false);
	for (unsigned r = 0; r < REASON_N; r++) {
		const struct reason_row *row = reason_row((enum reason)r);

		if (row->kind == REASON_DROPPING)
			(void)snprintf(
			    line, sizeof(line), "dns64d_dropped_total{reason=\"%s\"} ", row->name);
		else
			(void)snprintf(line, sizeof(line),
			    "dns64d_answers_total{outcome=\"%s\",reason=\"%s\",source=\"%s\"} ",
			    reason_kind_name((enum reason_kind)row->kind), row->name,
			    reason_source_name(reason_source((enum reason)r, false)));
		ck_assert_msg(count(line) == 1, "%s", line);
	}
	has("dns64d_answers_total{outcome=\"native\",reason=\"native\",source=\"cache\"} 4");
	has("dns64d_dropped_total{reason=\"drop-short\"} 9");
}
END_TEST

/* Answers about localhost and class CH were told as from the cache, which there was none of. */
START_TEST(what_is_known_here_is_not_from_the_cache)
{
	known.facts.reasons[REASON_LOCALHOST].at_once = 11;
	known.facts.reasons[REASON_REFUSED_CHAOS].at_once = 12;
	known.facts.reasons[REASON_NO_ROOM].at_once = 13;
	known.facts.reasons[REASON_OUTAGE].at_once = 14;
	write_metrics(false);
	has("dns64d_answers_total{outcome=\"local\",reason=\"localhost\",source=\"local\"} 11");
	has("dns64d_answers_total{outcome=\"refused\",reason=\"refused-chaos\",source=\"local\"} "
	    "12");
	has("dns64d_answers_total{outcome=\"failed\",reason=\"no-room\",source=\"local\"} 13");
	has("dns64d_answers_total{outcome=\"failed\",reason=\"outage\",source=\"cache\"} 14");
	ck_assert_uint_eq(
	    count("dns64d_answers_total{outcome=\"local\",reason=\"localhost\",source=\"cache\"}"),
	    0);
	has("dns64d_response_duration_seconds_count{source=\"local\"} 36");
	has("dns64d_response_duration_seconds_count{source=\"cache\"} 18");
	has("dns64d_response_duration_seconds_count{source=\"upstream\"} 1");
}
END_TEST

START_TEST(totals_are_sums_of_their_parts)
{
	known.facts.asked[stats_asked(true, true, DNS_TYPE_AAAA)] = 40;
	known.facts.asked[stats_asked(true, true, DNS_TYPE_A)] = 2;
	known.facts.asked[stats_asked(false, false, DNS_TYPE_A)] = 1;
	known.facts.rcodes[DNS_NXDOMAIN] = 6;
	known.facts.rcodes[9] = 1;
	known.facts.rcodes[15] = 2;
	write_metrics(false);
	has("dns64d_client_queries_total{transport=\"tcp\",family=\"ipv6\"} 42");
	has("dns64d_client_queries_total{transport=\"udp\",family=\"ipv4\"} 1");
	has("dns64d_client_queries_total{transport=\"udp\",family=\"ipv6\"} 0");
	has("dns64d_listen_addresses{state=\"served\"} 1");
	has("dns64d_listen_addresses{state=\"waiting\"} 1");
	has("dns64d_client_queries_by_type_total{type=\"A\"} 3");
	has("dns64d_client_queries_by_type_total{type=\"AAAA\"} 40");
	has("dns64d_responses_total{rcode=\"NXDOMAIN\"} 6");
	has("dns64d_responses_total{rcode=\"other\"} 3");
}
END_TEST

/* Blocks with the prefixes of all others add nothing; of the rest not too many are told. */
START_TEST(client_blocks_are_bounded)
{
	size_t len;
	char *conf;
	FILE *f = open_memstream(&conf, &len);

	fputs("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96\n", f);
	fputs("client 192.0.2.1 {\nhide-a yes\n}\n", f);
	fputs("client 192.0.2.2 {\ndns64-prefix 64:ff9b::/96 down\n}\n", f);
	for (unsigned i = 0; i < 1000; i++)
		fprintf(f, "client 10.0.%u.%u {\ndns64-prefix 2001:db8:%x::/96\n}\n", i / 250,
		    i % 250, i);
	fclose(f);
	known_open(conf);
	free(conf);
	write_metrics(false);
	ck_assert_uint_eq(count("dns64d_prefix_state{"), 3 * 256);
	ck_assert_uint_eq(count("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"0\""), 3);
	ck_assert_uint_eq(count("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"1\""), 0);
	has("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"2\",state=\"down\"} 1");
	has("dns64d_prefix_state{prefix=\"2001:db8::/96\",block=\"3\",state=\"active\"} 1");
}
END_TEST

/* Blocks that differ in a weight alone are told, too; map lines have no weights. */
START_TEST(weights)
{
	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96 weight 300\n"
		   "dns64-prefix 2001:db8::/96\nmap 10.0.0.0/8 2001:db8:9::/96\n"
		   "client 192.0.2.1 {\nhide-a yes\n}\n"
		   "client 192.0.2.2 {\ndns64-prefix 64:ff9b::/96\n"
		   "dns64-prefix 2001:db8::/96\n}\n");
	write_metrics(false);
	has("dns64d_prefix_weight{prefix=\"64:ff9b::/96\",block=\"0\"} 300");
	has("dns64d_prefix_weight{prefix=\"2001:db8::/96\",block=\"0\"} 100");
	has("dns64d_prefix_weight{prefix=\"64:ff9b::/96\",block=\"2\"} 100");
	ck_assert_uint_eq(count("dns64d_prefix_weight{"), 4);
}
END_TEST

/* D36: where prefix-check asks, what it has found. */
START_TEST(prefixes_that_are_checked)
{
	struct settings *s = &known.settings;
	struct prefix_report r = { .group = 7, .cause = POLICY_PROBE, .since = 1000 };

	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96\ndns64-prefix 2001:db8::/96 "
		   "drain\n");
	r.prefix = s->conf.core.policies->table[0].synth.prefixes[0];
	r.state = POLICY_DOWN;
	policy_lines_at(s->policy_lines, 0)->group = r.group;
	s->prefix_states = prefix_states_new();
	ck_assert(prefix_states_put(s->prefix_states, &r));
	write_metrics(false);
	has("dns64d_prefix_check_up{prefix=\"64:ff9b::/96\",block=\"0\"} 0");
	has("dns64d_prefix_check_since_seconds{prefix=\"64:ff9b::/96\",block=\"0\"} 1000");
	ck_assert_uint_eq(count("dns64d_prefix_check_up{"), 1);
	has("dns64d_prefix_cause{prefix=\"2001:db8::/96\",block=\"0\",cause=\"configured\"} 1");
	prefix_states_free(s->prefix_states);
	s->prefix_states = NULL;
}
END_TEST

/* D31: as the verdict has it, a policy that makes no addresses wants no prefix. */
START_TEST(prefixes_are_lacking_where_they_are_wanted)
{
	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96 down\nsynthesize never\n"
		   "client 192.0.2.1 {\nsynthesize normal\n}\n"
		   "client 192.0.2.2 {\nhide-a yes\n}\n"
		   "client 192.0.2.3 {\ndns64-prefix 2001:db8::/96 drain\n}\n"
		   "client 192.0.2.4 {\nsynthesize normal\ndns64-prefix 2001:db8::/96\n}\n");
	write_metrics(false);
	has("dns64d_prefix_lacking{block=\"0\"} 0");
	has("dns64d_prefix_lacking{block=\"1\"} 1");
	has("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"1\",state=\"down\"} 1");
	ck_assert_uint_eq(count("dns64d_prefix_lacking{block=\"2\"}"), 0);
	has("dns64d_prefix_lacking{block=\"3\"} 0");
	has("dns64d_prefix_lacking{block=\"4\"} 0");
	has("dns64d_degraded 1");
	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96 down\n");
	write_metrics(false);
	has("dns64d_prefix_lacking{block=\"0\"} 1");
	has("dns64d_ready 0");
}
END_TEST

START_TEST(states)
{
	write_metrics(false);
	has("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"0\",state=\"active\"} 1");
	has("dns64d_prefix_state{prefix=\"64:ff9b::/96\",block=\"0\",state=\"drain\"} 0");
	has("dns64d_prefix_state{prefix=\"2001:db8::/96\",block=\"0\",state=\"drain\"} 1");
	has("dns64d_queries_in_flight{loop=\"1\"} 5");
	has("dns64d_cache_entries 12");
	has("dns64d_query_log_lost_total 3");
	has("dns64d_dnstap_frames_total 0");
	has("dns64d_dnstap_lost_total 21");
	has("dns64d_ready 1");
	has("dns64d_lameduck 0");
	has("dns64d_loops_silent 0");
	has("process_open_fds 12");
	has("process_max_fds 1024");
	has("dns64d_stopping 0");
	has("dns64d_config_last_reload_successful 1");
	has("dns64d_config_last_reload_success_timestamp_seconds 1000");
	known.facts.lameduck = 1000;
	known.facts.stopping = true;
	known.facts.taken = 2000;
	known.facts.reload = VERDICT_REFUSED;
	write_metrics(false);
	has("dns64d_ready 0");
	has("dns64d_lameduck 1");
	has("dns64d_stopping 1");
	has("dns64d_config_last_reload_successful 0");
	has("dns64d_config_last_reload_success_timestamp_seconds 2000");
	known.facts.reload = VERDICT_OVERDUE;
	write_metrics(false);
	has("dns64d_config_last_reload_successful 0");
}
END_TEST

START_TEST(upstreams)
{
	write_metrics(false);
	has("dns64d_upstream_up{upstream=\"192.0.2.1#53\"} 1");
	has("dns64d_upstream_up{upstream=\"2001:db8::1#53\"} 0");
	has("dns64d_upstream_sends_total{upstream=\"192.0.2.1#53\",transport=\"udp\"} 97");
	has("dns64d_upstream_sends_total{upstream=\"192.0.2.1#53\",transport=\"tcp\"} 3");
	has("dns64d_upstream_replies_total{upstream=\"192.0.2.1#53\",rcode=\"NOERROR\"} 93");
	has("dns64d_upstream_replies_total{upstream=\"192.0.2.1#53\",rcode=\"NXDOMAIN\"} 7");
	has("dns64d_upstream_lost_total{upstream=\"2001:db8::1#53\",cause=\"timeout\"} 5");
	has("dns64d_upstream_lost_total{upstream=\"2001:db8::1#53\",cause=\"unreachable\"} 2");
	has("dns64d_upstream_lost_total{upstream=\"2001:db8::1#53\",cause=\"disconnected\"} 0");
	has("dns64d_upstream_rtt_seconds_bucket{upstream=\"192.0.2.1#53\",le=\"0.002\"} 0");
	has("dns64d_upstream_rtt_seconds_bucket{upstream=\"192.0.2.1#53\",le=\"0.005\"} 1");
	has("dns64d_upstream_rtt_seconds_bucket{upstream=\"192.0.2.1#53\",le=\"+Inf\"} 1");
	has("dns64d_upstream_rtt_seconds_sum{upstream=\"192.0.2.1#53\"} 0.003");
}
END_TEST

/* A total that is less for a moment would look like a restart: rather none. */
START_TEST(a_silent_loop_leaves_out_what_it_knows)
{
	known.upstreams.n_missing = 1;
	known.facts.loops[1].told = false;
	write_metrics(false);
	has("dns64d_loops_silent 1");
	has("dns64d_queries_in_flight{loop=\"0\"} 0");
	ck_assert_uint_eq(count("dns64d_queries_in_flight{loop=\"1\"}"), 0);
	ck_assert_uint_eq(count("dns64d_connections{"), 0);
	ck_assert_uint_eq(count("dns64d_upstream_sends_total{"), 0);
	ck_assert_uint_eq(count("dns64d_response_duration_seconds_bucket{"), 0);
	ck_assert_uint_gt(count("dns64d_answers_total{"), 0);
}
END_TEST

START_TEST(without_a_cache)
{
	known.facts.has_cache = false;
	write_metrics(false);
	ck_assert_uint_eq(count("dns64d_cache_entries "), 0);
	ck_assert_uint_eq(count("dns64d_cache_requests_total{"), 2); /* it was asked, in vain */
}
END_TEST

/* dns-collector-12: each family has one head, before its samples. */
START_TEST(heads)
{
	bool open = _i == 1;
	char line[256], type[160], name[128];
	const char *at = text;
	unsigned n = 0;

	write_metrics(open);
	while (sscanf(at, "%255[^\n]", line) == 1) {
		if (sscanf(line, "# TYPE %127s %159s", name, type) == 2) {
			(void)snprintf(type, sizeof(type), "# TYPE %s ", name);
			ck_assert_msg(count(type) == 1, "%s", name);
			(void)snprintf(type, sizeof(type), "# HELP %s ", name);
			ck_assert_msg(count(type) == 1, "%s", name);
			n++;
		} else if (line[0] != '#') {
			ck_assert_msg(
			    strncmp(line, name, strlen(name)) == 0, "%s in %s", line, name);
		}
		at += strlen(line) + 1;
	}
	ck_assert_uint_gt(n, 100);
	ck_assert_int_eq(strcmp(text + strlen(text) - 6, "# EOF\n") == 0, open);
	ck_assert_uint_eq(count("# UNIT "), open ? 10 : 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, known_close);
	tcase_add_test(tc, every_counter_is_there_once);
	tcase_add_test(tc, every_reason_is_there);
	tcase_add_test(tc, what_is_known_here_is_not_from_the_cache);
	tcase_add_test(tc, totals_are_sums_of_their_parts);
	tcase_add_test(tc, states);
	tcase_add_test(tc, weights);
	tcase_add_test(tc, prefixes_that_are_checked);
	tcase_add_test(tc, prefixes_are_lacking_where_they_are_wanted);
	tcase_add_test(tc, client_blocks_are_bounded);
	tcase_add_test(tc, upstreams);
	tcase_add_test(tc, a_silent_loop_leaves_out_what_it_knows);
	tcase_add_test(tc, without_a_cache);
	tcase_add_loop_test(tc, heads, 0, 2);
}
