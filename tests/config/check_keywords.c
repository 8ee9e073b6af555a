/* SPDX-License-Identifier: BSD-2-Clause */
/* The table: every row is whole, its default parses, its bounds are kept, and documents agree with
 * it. */

#include "config/keywords.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/field.h"
#include "config/loglevel.h"
#include "config/textfile.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct keyword *
row(int i)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	ck_assert_uint_lt((size_t)i, n);
	return &table[i];
}

static int
n_rows(void)
{
	size_t n;

	(void)keywords(&n);
	return (int)n;
}

START_TEST(rows_of_the_table_are_complete)
{
	const struct keyword *k = row(_i);

	ck_assert(k->name != NULL && k->args != NULL && k->help != NULL && k->parse != NULL);
	ck_assert_uint_ge(k->max_words, 1);
	ck_assert_uint_le(k->max_words, KEYWORD_ANY);
	ck_assert_uint_le(
	    k->offset + k->size, k->in_block ? sizeof(struct policy) : sizeof(struct settings));
	ck_assert_uint_lt(strlen(k->name), 32);
	ck_assert_uint_lt(strlen(k->help), 90);
	ck_assert(k->fallback == NULL || strlen(k->fallback) < 64);
	/* A reload compares the fields of those that need a restart. */
	ck_assert(!k->restart || k->size > 0);
	for (int j = 0; j < _i; j++)
		ck_assert_str_ne(row(j)->name, k->name);
	ck_assert_ptr_eq(keywords_find(k->name), k);
}
END_TEST

START_TEST(defaults_parse_as_values)
{
	ck_assert(settings_init(&settings));
	said_init(&said);
	field_fallback(&settings, row(_i), &said.diag);
	ck_assert_str_eq(said.text, "");
	settings_fini(&settings);
}
END_TEST

/* One line with NAME and a number of the row's kind; does it pass? */
static bool
passes(const struct keyword *k, uint64_t value)
{
	char text[128];
	const char *beside = "";

	if (strcmp(k->name, "timeout-time-usec") == 0)
		beside = "timeout-time-sec 1\n";
	if (k->unit == KEYWORD_SECONDS)
		snprintf(text, sizeof(text), "%s %" PRIu64 ".%03" PRIu64 "\n", k->name,
		    value / 1000, value % 1000);
	else
		snprintf(text, sizeof(text), "%s%s %" PRIu64 "\n", beside, k->name, value);
	said_parse(&said, text, &settings);
	return said.n_errors == 0;
}

START_TEST(bounds_are_kept)
{
	const struct keyword *k = row(_i);
	char bounds[FIELD_BOUNDS];

	field_bounds(k, bounds);
	ck_assert_int_eq(k->unit == KEYWORD_PLAIN, bounds[0] == '\0');
	if (k->unit == KEYWORD_PLAIN)
		return;
	ck_assert_uint_lt(k->min, k->max);
	ck_assert(k->unit == KEYWORD_BYTES || k->max < UINT32_MAX);
	/* All in all MTD64's two parts must make the time that the one may be. */
	if (strcmp(k->name, "timeout-time-sec") != 0)
		ck_assert_msg(passes(k, k->min), "%s at its least", k->name);
	ck_assert_msg(passes(k, k->max), "%s at its most", k->name);
	ck_assert_msg(!passes(k, k->max + 1), "%s above its most", k->name);
	ck_assert_ptr_nonnull(strstr(said.text, bounds));
	if (k->min > 0) {
		ck_assert_msg(!passes(k, k->min - 1), "%s below its least", k->name);
		ck_assert_ptr_nonnull(strstr(said.text, bounds));
	}
}
END_TEST

START_TEST(no_value_and_too_many)
{
	const struct keyword *k = row(_i);
	char text[128], expected[256];

	said_parse(&said, k->name, &settings);
	snprintf(expected, sizeof(expected), "error t.conf:1: %s: has no value; allowed is %s\n",
	    k->name, k->args);
	ck_assert_ptr_nonnull(strstr(said.text, expected));
	if (k->max_words == KEYWORD_ANY)
		return;
	snprintf(text, sizeof(text), "%s 1 2 3 4 5 6 7 8 9", k->name);
	said_parse(&said, text, &settings);
	snprintf(expected, sizeof(expected),
	    "error t.conf:1: %s: '%zu' is too much; allowed is %s\n", k->name, k->max_words + 1,
	    k->args);
	ck_assert_ptr_nonnull(strstr(said.text, expected));
}
END_TEST

/* What an empty file means. A change here is a change for every operator. */
START_TEST(defaults_are_these)
{
	const struct conf *c = &settings.conf;
	char text[NETADDR_TEXT];

	ck_assert_ptr_nonnull(said_make(&said, "", &settings));
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(c->core.n_upstreams, 0);
	ck_assert_int_eq(c->core.selection, CONF_RANDOM); /* as mtd64-ng */
	ck_assert(!c->core.hedge);
	ck_assert_uint_eq(c->core.timeout_ms, 2000);
	ck_assert_uint_eq(c->core.upstream_tries, 3);
	ck_assert_uint_eq(c->core.udp_size_client, 1232); /* D12 */
	ck_assert_uint_eq(c->core.udp_size_upstream, 1232);
	ck_assert_uint_eq(c->core.max_queries, 262144);
	ck_assert_uint_eq(c->core.max_waiting_per_client, 1000); /* D26 */
	ck_assert_uint_eq(c->core.max_same_question, 16);
	ck_assert_uint_eq(c->core.max_waiting_per_upstream, 0);
	/* D23 */
	ck_assert_uint_eq(c->io.n_listens, 2);
	ck_assert_str_eq(netaddr_format(&c->io.listens[0], text), "::1");
	ck_assert_str_eq(netaddr_format(&c->io.listens[1], text), "127.0.0.1");
	ck_assert(settings.listens_by_default);
	ck_assert_uint_eq(settings.port, 53);
	ck_assert_uint_eq(c->io.tcp_idle_ms, 10000);
	ck_assert_uint_eq(c->io.max_tcp_clients, 1024);
	ck_assert_uint_eq(c->io.max_tcp_per_client, 128);
	ck_assert_uint_eq(c->io.socket_buffer, 4 * 1024 * 1024);
	ck_assert_uint_eq(c->io.n_avoid_ports, 0);
	ck_assert_uint_eq(c->io.outgoing_ports, 8);
	ck_assert_uint_eq(c->io.batch_delay, CONF_BATCH_AUTO);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_NOTICE);
	ck_assert_int_eq(settings.log, SETTINGS_LOG_AUTO);
	ck_assert_uint_eq(settings.num_threads, 0);
	ck_assert(!settings.affinity.given);
	ck_assert_str_eq(settings.user, "auto");
	ck_assert_str_eq(settings.group, "none");
	ck_assert_str_eq(settings.chroot, "none");
	ck_assert_str_eq(settings.pidfile, "auto");
	ck_assert_uint_eq(settings.lameduck_ms, 0);
	ck_assert_uint_eq(settings.stop_timeout_ms, 5000);
	/* D22 */
	ck_assert_uint_eq(settings.cache_size, 64 * 1024 * 1024);
	ck_assert_ptr_null(c->core.cache);
	ck_assert_uint_eq(c->core.keep.min_ttl_s, 0);
	ck_assert_uint_eq(c->core.keep.max_ttl_s, 604800);
	ck_assert_uint_eq(c->core.keep.max_negative_s, 3600);
	ck_assert_uint_eq(c->core.keep.failure_s, 5);
	ck_assert_uint_eq(c->core.keep.stale_s, 86400);
	ck_assert_int_eq(c->core.keep.cut, CONF_CUT_SECURE);
	ck_assert(c->core.keep.prefetch && !c->core.keep.rotate);
	ck_assert(!c->core.local_zones);
	ck_assert(c->core.chaos.version[0] == '\0' && c->core.chaos.server_id[0] == '\0');
}
END_TEST

/* The same for clients; and the engine has them too for who fills in nothing. */
START_TEST(policy_defaults_are_these)
{
	const struct policies *ps = said_make(&said, "", &settings);
	struct policies *plain = policies_new(1);
	const struct policy *p, *q;

	ck_assert_ptr_nonnull(ps);
	ck_assert_ptr_nonnull(plain);
	p = &ps->table[0];
	q = &plain->table[0];
	ck_assert_uint_eq(ps->n, 1);
	/* RFC 6147 section 5.2: the Well-Known Prefix if none is configured. */
	ck_assert(
	    p->synth.n_prefixes == 1 && p->synth.prefixes[0].well_known && p->synth.n_general == 1);
	ck_assert_uint_eq(p->synthesize, POLICY_NORMAL);
	/* D3 */
	ck_assert_uint_eq(p->triggers, POLICY_ON_NODATA | POLICY_ON_ERROR | POLICY_ON_TIMEOUT);
	ck_assert_uint_eq(p->selection, POLICY_ALL);
	ck_assert_uint_eq(p->family, POLICY_BOTH);
	ck_assert_uint_eq(p->reverse, POLICY_REVERSE_CNAME);
	ck_assert_uint_eq(p->svcb, POLICY_SVCB_CACHED); /* D18 */
	ck_assert_uint_eq(p->ede, POLICY_EDE_ALL);
	ck_assert(!p->hide_a && !p->any_minimal && !p->servfail_without_prefix);
	ck_assert_uint_eq(p->synth.max, 0);
	ck_assert(p->zones == NULL && p->reverse_name == NULL);
	ck_assert_uint_eq(p->synth.excluded->n, 1); /* D7 */
	ck_assert(p->synthesize == q->synthesize && p->triggers == q->triggers &&
	    p->selection == q->selection && p->family == q->family && p->reverse == q->reverse &&
	    p->svcb == q->svcb && p->ede == q->ede && p->hide_a == q->hide_a &&
	    p->any_minimal == q->any_minimal &&
	    p->servfail_without_prefix == q->servfail_without_prefix &&
	    p->synth.max == q->synth.max);
	policies_unref(plain);
}
END_TEST

/* A document of the tree, zero-terminated. */
static char *
document(const char *name)
{
	const char *top = getenv("TOP_SRCDIR");
	char path[1024], *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", top != NULL ? top : ".", name);
	ck_assert_msg(textfile_read(path, &text, &len) == 0, "%s cannot be read", path);
	return text;
}

/*
 * The manual's entry: from its .It lines to the next one's, with line ends as blanks; the caller's.
 */
static char *
manual_entry(const char *manual, const char *name)
{
	char start[64];

	snprintf(start, sizeof(start), "\n.It Ic %s ", name);
	const char *from = strstr(manual, start);
	ck_assert_msg(from != NULL, "dns64d.conf.5 does not have %s", name);
	const char *to = strstr(from + 1, "\n.It Ic ");
	while (to != NULL && strncmp(to, start, strlen(start)) == 0)
		to = strstr(to + 1, "\n.It Ic ");
	char *entry = to == NULL ? strdup(from) : strndup(from, (size_t)(to - from));
	ck_assert_ptr_nonnull(entry);
	for (char *c = entry; *c != '\0'; c++)
		*c = *c == '\n' ? ' ' : *c;
	return entry;
}

/* The manual tells bounds, default, and whether a reload applies, as the table has them. */
START_TEST(manual_agrees_with_the_table)
{
	const struct keyword *k = row(_i);
	char *manual = document("man/dns64d.conf.5.in");
	char *entry = manual_entry(manual, k->name);
	char bounds[FIELD_BOUNDS], text[64];

	ck_assert_msg(
	    strstr(entry, field_bounds(k, bounds)) != NULL, "%s: no \"%s\"", k->name, bounds);
	snprintf(text, sizeof(text), "%s", k->fallback != NULL ? k->fallback : "");
	for (char *at = text, *value; (value = strsep(&at, "\n")) != NULL;)
		ck_assert_msg(strstr(entry, value) != NULL, "%s: no default %s", k->name, value);
	ck_assert_msg(
	    (strstr(entry, "Needs a restart") != NULL) == k->restart, "%s: restart", k->name);
	ck_assert_msg(
	    (strstr(entry, "May be repeated") != NULL) == k->repeatable, "%s: repeated", k->name);
	free(entry);
	free(manual);
}
END_TEST

/* The sample has every keyword, commented out, at its default where it has one. */
START_TEST(sample_agrees_with_the_table)
{
	const struct keyword *k = row(_i);
	char *sample = document("etc/dns64d.conf");
	char text[64], line[160];

	snprintf(text, sizeof(text), "%s", k->fallback != NULL ? k->fallback : "");
	for (char *at = text, *value; (value = strsep(&at, "\n")) != NULL;) {
		snprintf(line, sizeof(line), "\n#%s %s%s", k->name, value,
		    k->fallback != NULL ? "\n" : "");
		ck_assert_msg(
		    strstr(sample, line) != NULL, "etc/dns64d.conf does not have%s", line);
	}
	free(sample);
}
END_TEST

/* As it is shipped the sample says nothing wrong; it lacks only a nameserver. */
START_TEST(sample_lacks_only_a_nameserver)
{
	char *sample = document("etc/dns64d.conf");

	said_nothing(&said, sample, &settings);
	free(sample);
}
END_TEST

/* The manual has what may stand in a client block in a section of its own. */
START_TEST(manual_tells_blocks)
{
	const struct keyword *k = row(_i);
	char *manual = document("man/dns64d.conf.5.in"), start[64];
	char *from = strstr(manual, "\n.Ss Answers, for all clients or some\n"), *to, *entry;

	ck_assert_ptr_nonnull(from);
	to = strstr(from + 1, "\n.Ss ");
	ck_assert_ptr_nonnull(to);
	snprintf(start, sizeof(start), "\n.It Ic %s ", k->name);
	entry = strstr(manual, start);
	ck_assert_ptr_nonnull(entry);
	ck_assert_msg((entry > from && entry < to) == k->in_block, "%s: section", k->name);
	free(manual);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, rows_of_the_table_are_complete, 0, n_rows());
	tcase_add_loop_test(tc, defaults_parse_as_values, 0, n_rows());
	tcase_add_loop_test(tc, bounds_are_kept, 0, n_rows());
	tcase_add_loop_test(tc, no_value_and_too_many, 0, n_rows());
	tcase_add_test(tc, defaults_are_these);
	tcase_add_test(tc, policy_defaults_are_these);
	tcase_add_loop_test(tc, manual_agrees_with_the_table, 0, n_rows());
	tcase_add_loop_test(tc, sample_agrees_with_the_table, 0, n_rows());
	tcase_add_loop_test(tc, manual_tells_blocks, 0, n_rows());
	tcase_add_test(tc, sample_lacks_only_a_nameserver);
}
