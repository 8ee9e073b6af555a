/* SPDX-License-Identifier: BSD-2-Clause */
/* One change to the prefixes in force: what it makes of them, what it refuses, and how it is
 * undone. */

#include "config/prefix_change.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/policies.h"
#include "config/prefix_file.h"
#include "support/said.h"
#include "support/tests.h"

#define NOW 1000

static const char conf[] = "nameserver 192.0.2.1\nlisten ::1\n"
			   "dns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:3::/96 drain\n"
			   "map 203.0.113.0/24 2001:db8:5::/96\n"
			   "client 10.0.0.0/8 172.16.0.0/12 {\ndns64-prefix 2001:db8:2::/96\n}\n"
			   "client 192.168.0.0/16 {\nhide-a yes\n}\n";

/* The same prefix in three policies, and by map lines in the other two. */
static const char everywhere[] =
    "nameserver 192.0.2.1\nlisten ::1\n"
    "dns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:2::/96\n"
    "map 203.0.113.0/24 2001:db8:5::/96\n"
    "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:3::/96\n}\n"
    "client 172.16.0.0/12 {\nhide-a yes\n}\n"
    "client 192.168.0.0/16 {\ndns64-prefix 2001:db8:5::/96\nmap 198.51.100.0/24 "
    "2001:db8:1::/96\n}\n";

static struct said said;
static struct settings settings;

static void
setup(void)
{
	ck_assert_ptr_nonnull(said_make(&said, conf, &settings));
	said_init(&said);
}

static void
teardown(void)
{
	settings_fini(&settings);
}

static void
expect_list(const struct array *list, const char *want)
{
	const struct policy_lines_prefix *p = list->items;
	char text[PREF64_TEXT], got[512] = "";

	for (size_t k = 0; k < list->n; k++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s %s%s",
		    k > 0 ? ", " : "", pref64_format(&p[k].prefix, text),
		    policy_state_word(p[k].state),
		    p[k].from == POLICY_LINES_TOLD        ? " told"
			: p[k].from == POLICY_LINES_SAVED ? " saved"
							  : "");
	ck_assert_str_eq(got, want);
}

/* The prefixes in force of block I. */
static void
expect(size_t i, const char *want)
{
	expect_list(&policy_lines_at(settings.policy_lines, i)->prefixes, want);
}

/* Likewise the states of those that only map lines name. */
static void
expect_vias(size_t i, const char *want)
{
	expect_list(&policy_lines_at(settings.policy_lines, i)->vias, want);
}

/* The state of PREFIX in the policies of all blocks, a letter each; "-": it is not there. */
static void
expect_states(const char *prefix, const char *want)
{
	struct policies *ps = policies_make(&settings, &said.diag);
	struct pref64 p;
	char got[16];

	ck_assert_ptr_nonnull(ps);
	ck_assert_int_eq(pref64_parse(prefix, &p), PREF64_OK);
	for (size_t i = 0; i < ps->n; i++)
		got[i] = "-aRD"[policy_state_of(&ps->table[i], &p) + 1];
	got[ps->n] = '\0';
	policies_unref(ps);
	ck_assert_str_eq(got, want);
}

static bool
make(enum prefix_change_what what, const char *prefix, const char *client, bool save,
    struct prefix_change_made *m)
{
	const struct prefix_change c = {
		.what = what, .prefix = prefix, .client = client, .save = save
	};

	said_init(&said);
	return prefix_change_make(&settings, &c, NOW, m, &said.diag);
}

static uint32_t
v4_of(const struct policy *p, const char *text)
{
	uint8_t addr[4];

	ck_assert_int_eq(inet_pton(AF_INET, text, addr), 1);
	return netmap_find4(p->synth.v4, addr, SYNTH_ANY);
}

static void
expect_same_policy(const struct policy *p, const struct policy *q)
{
	static const char *const v4[] = { "203.0.113.1", "198.51.100.1", "10.0.0.1", "192.0.2.1",
		"127.0.0.1" };
	size_t n = q->synth.n_prefixes;

	ck_assert_uint_eq(p->synth.n_prefixes, n);
	ck_assert_mem_eq(p->synth.prefixes, q->synth.prefixes, n * sizeof(p->synth.prefixes[0]));
	ck_assert_mem_eq(p->states, q->states, n * sizeof(p->states[0]));
	ck_assert_mem_eq(p->mapped_only, q->mapped_only, n * sizeof(p->mapped_only[0]));
	ck_assert_mem_eq(p->places, q->places, n * sizeof(p->places[0]));
	ck_assert_uint_eq(p->synth.active_bits, q->synth.active_bits);
	ck_assert_uint_eq(p->synth.n_general, q->synth.n_general);
	ck_assert_mem_eq(p->synth.general, q->synth.general, q->synth.n_general);
	for (size_t i = 0; i < sizeof(v4) / sizeof(v4[0]); i++)
		ck_assert_uint_eq(v4_of(p, v4[i]), v4_of(q, v4[i]));
	ck_assert_uint_eq(p->hide_a, q->hide_a);
	ck_assert_uint_eq(p->networks, q->networks);
	ck_assert_ptr_eq(p->zones == NULL ? NULL : "has", q->zones == NULL ? NULL : "has");
}

/* What is made of a change is what the lines would be made into anew; but for what stays as it is,
 * which it has in common with what was there. */
static void
use_changed(const struct prefix_change *c)
{
	struct policies *before = settings.conf.core.policies;
	struct policies *anew = policies_make(&settings, &said.diag);
	struct policies *next = prefix_change_policies(&settings, c, &said.diag);
	bool states = c->what != PREFIX_CHANGE_ADD && c->what != PREFIX_CHANGE_DEL;

	ck_assert_msg(anew != NULL && next != NULL, "%s", said.text);
	ck_assert_uint_eq(next->n, anew->n);
	for (size_t i = 0; i < anew->n; i++) {
		expect_same_policy(&next->table[i], &anew->table[i]);
		ck_assert_ptr_eq(next->table[i].zones, before->table[i].zones);
	}
	ck_assert_uint_eq(next->site.n, anew->site.n);
	ck_assert_uint_eq(next->site.n_used, anew->site.n_used);
	ck_assert_uint_eq(next->common.clients.n, anew->common.clients.n);
	ck_assert_ptr_eq(next->common.special, before->common.special);
	ck_assert_uint_eq(next->site.reverse == before->site.reverse, states);
	policies_unref(anew);
	policies_unref(before);
	settings.conf.core.policies = next;
}

/* Change it, if it can be. */
static bool
try_change(enum prefix_change_what what, const char *prefix, const char *client)
{
	const struct prefix_change c = { .what = what, .prefix = prefix, .client = client };
	struct prefix_change_made m;

	if (!make(what, prefix, client, false, &m))
		return false;
	use_changed(&c);
	prefix_change_keep(&settings, &m);
	return true;
}

static void
change(enum prefix_change_what what, const char *prefix, const char *client)
{
	ck_assert_msg(try_change(what, prefix, client), "%s", said.text);
}

START_TEST(each_word)
{
	change(PREFIX_CHANGE_ADD, "2001:db8:4::/96", NULL);
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain, 2001:db8:4::/96 active told");
	change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", NULL);
	change(PREFIX_CHANGE_DOWN, "2001:db8:4::/96", NULL);
	change(PREFIX_CHANGE_ACTIVE, "2001:db8:3::/96", NULL);
	expect(0,
	    "2001:db8:1::/96 drain told, 2001:db8:3::/96 active told, 2001:db8:4::/96 down told");
	change(PREFIX_CHANGE_DEL, "2001:db8:1::/96", NULL);
	change(PREFIX_CHANGE_DEL, "2001:db8:4::/96", NULL);
	expect(0, "2001:db8:3::/96 active told");
	/* That a map line names it does not keep it from being one for all. */
	change(PREFIX_CHANGE_ADD, "2001:db8:5::/96", NULL);
	expect(0, "2001:db8:3::/96 active told, 2001:db8:5::/96 active told");
	/* A state that it has already is no change. */
	change(PREFIX_CHANGE_ACTIVE, "2001:db8:2::/96", "10.0.0.0/8");
	expect(1, "2001:db8:2::/96 active");
}
END_TEST

START_TEST(a_block_of_its_own)
{
	change(PREFIX_CHANGE_ADD, "2001:db8:4::/96", "172.16.0.0/12");
	expect(1, "2001:db8:2::/96 active, 2001:db8:4::/96 active told");
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain");
	expect(2, "");
}
END_TEST

/* It has those from outside of blocks, with the change. */
START_TEST(a_block_without_prefixes)
{
	change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", "192.168.0.0/16");
	expect(2, "2001:db8:1::/96 down told, 2001:db8:3::/96 drain");
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain");
	change(PREFIX_CHANGE_DEL, "2001:db8:1::/96", NULL);
	expect(2, "2001:db8:3::/96 drain");
}
END_TEST

/* D15: what works no more works no more for anybody: each policy that has the prefix, also by map
 * lines only. */
START_TEST(wherever_it_is)
{
	ck_assert_ptr_nonnull(said_make(&said, everywhere, &settings));
	expect_states("2001:db8:1::/96", "aaaa");
	change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", NULL);
	expect_states("2001:db8:1::/96", "DDDD");
	expect(0, "2001:db8:1::/96 down told, 2001:db8:2::/96 active");
	expect(1, "2001:db8:1::/96 down told, 2001:db8:3::/96 active");
	expect(3, "2001:db8:5::/96 active");
	change(PREFIX_CHANGE_DRAIN, "2001:db8:5::/96", NULL);
	expect_states("2001:db8:5::/96", "RRRR");
	expect_vias(0, "2001:db8:5::/96 drain told");
	expect(3, "2001:db8:5::/96 drain told");
	change(PREFIX_CHANGE_ACTIVE, "2001:db8:5::/96", NULL);
	expect_states("2001:db8:5::/96", "aaaa");
	/* That of a block only. */
	change(PREFIX_CHANGE_DOWN, "2001:db8:3::/96", NULL);
	expect_states("2001:db8:3::/96", "-D--");
}
END_TEST

START_TEST(in_the_block_that_is_named)
{
	ck_assert_ptr_nonnull(said_make(&said, everywhere, &settings));
	change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", "10.0.0.0/8");
	expect_states("2001:db8:1::/96", "aDaa");
	change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", "192.168.0.0/16");
	expect_states("2001:db8:1::/96", "aDaR");
	expect_vias(3, "2001:db8:1::/96 drain told");
	/* Then all of them again. */
	change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", NULL);
	expect_states("2001:db8:1::/96", "DDDD");
	change(PREFIX_CHANGE_DOWN, "2001:db8:5::/96", "10.0.0.0/8");
	expect_states("2001:db8:5::/96", "aDaa");
	expect_vias(1, "2001:db8:5::/96 down told");
	expect_vias(0, "");
}
END_TEST

/* A map line keeps a prefix that is taken away, in its state; one that comes is for all. */
START_TEST(map_lines_keep_it)
{
	ck_assert_ptr_nonnull(said_make(&said, everywhere, &settings));
	change(PREFIX_CHANGE_DOWN, "2001:db8:5::/96", NULL);
	change(PREFIX_CHANGE_ADD, "2001:db8:5::/96", NULL);
	expect_states("2001:db8:5::/96", "aaaD");
	expect_vias(0, "");
	change(PREFIX_CHANGE_DRAIN, "2001:db8:5::/96", "172.16.0.0/12");
	change(PREFIX_CHANGE_DEL, "2001:db8:5::/96", "172.16.0.0/12");
	expect_states("2001:db8:5::/96", "aaRD");
	expect_vias(2, "2001:db8:5::/96 drain told");
	change(PREFIX_CHANGE_ADD, "2001:db8:6::/96", "192.168.0.0/16");
	change(PREFIX_CHANGE_DEL, "2001:db8:5::/96", NULL);
	expect_states("2001:db8:5::/96", "aaR-");
}
END_TEST

/* The default prefix stays beside one that is added. */
START_TEST(the_default_is_there)
{
	ck_assert_ptr_nonnull(said_make(&said, "nameserver 192.0.2.1\nlisten ::1\n", &settings));
	change(PREFIX_CHANGE_ADD, "2001:db8:4::/96", NULL);
	expect(0, "64:ff9b::/96 active, 2001:db8:4::/96 active told");
	change(PREFIX_CHANGE_DEL, "64:ff9b::/96", NULL);
	expect(0, "2001:db8:4::/96 active told");
}
END_TEST

static const struct {
	enum prefix_change_what what;
	const char *prefix;
	const char *client;
	const char *error;
} bad[] = {
	{ PREFIX_CHANGE_ADD, "2001:db8:4::1/96", NULL,
	    "dns64-prefix: '2001:db8:4::1/96' has bits set behind its length; the prefix of that "
	    "length is 2001:db8:4::/96" },
	{ PREFIX_CHANGE_ADD, "2001:db8:0:0:100::/96", NULL, "a correct prefix is 2001:db8::/96" },
	{ PREFIX_CHANGE_DRAIN, "2001:db8:4::96", NULL, "did you mean 2001:db8:4::/96?" },
	{ PREFIX_CHANGE_ADD, "", NULL, "'' is not an IPv6 prefix" },
	{ PREFIX_CHANGE_ADD, "2001:db8:3::/96", NULL, "'2001:db8:3::/96' is there already, drain" },
	{ PREFIX_CHANGE_DEL, "2001:db8:4::/96", NULL,
	    "'2001:db8:4::/96' is not there; there are 2001:db8:1::/96, 2001:db8:3::/96" },
	{ PREFIX_CHANGE_DEL, "2001:db8:5::/96", NULL,
	    "'2001:db8:5::/96' is not there; there are 2001:db8:1::/96, 2001:db8:3::/96, "
	    "2001:db8:2::/96\n" },
	{ PREFIX_CHANGE_DRAIN, "2001:db8:9::/96", NULL,
	    "'2001:db8:9::/96' is not there, nor on a map line; there are 2001:db8:1::/96" },
	{ PREFIX_CHANGE_DRAIN, "2001:db8:2::/96", "192.168.0.0/16",
	    "is not there, nor on a map line; there are 2001:db8:1::/96, 2001:db8:3::/96\n" },
	{ PREFIX_CHANGE_DEL, "2001:db8:2::/96", NULL,
	    "it is the last one of client 10.0.0.0/8, without which those from outside" },
	{ PREFIX_CHANGE_DRAIN, "2001:db8:1::/64", NULL, "'2001:db8:1::/64' is not there" },
	{ PREFIX_CHANGE_DEL, "2001:db8:2::/96", "10.0.0.0/8",
	    "it is the last one of client 10.0.0.0/8, without which those from outside of blocks "
	    "would hold" },
	{ PREFIX_CHANGE_ADD, "2001:db8:4::/96", "10.0.0.0/9",
	    "client: there is no client block with '10.0.0.0/9'; there are those with "
	    "10.0.0.0/8, 192.168.0.0/16" },
	{ PREFIX_CHANGE_ADD, "2001:db8:4::/96", "10.0.0.1/8",
	    "client: '10.0.0.1/8' has bits set behind its length; did you mean 10.0.0.0/8?" },
	{ PREFIX_CHANGE_ADD, "2001:db8:4::/96", "somebody",
	    "client: 'somebody' is not an IPv4 or IPv6 network" },
};

START_TEST(what_is_refused)
{
	struct prefix_change_made m;

	ck_assert(!make(bad[_i].what, bad[_i].prefix, bad[_i].client, true, &m));
	ck_assert_msg(strstr(said.text, bad[_i].error) != NULL, "%s", said.text);
	ck_assert_uint_eq(said.n_errors, 1);
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain");
	expect(1, "2001:db8:2::/96 active");
	expect(2, "");
}
END_TEST

/* Without any prefix 64:ff9b::/96 would hold, which nobody has asked for (RULES D14). */
START_TEST(the_last_one_stays)
{
	struct prefix_change_made m;

	change(PREFIX_CHANGE_DEL, "2001:db8:3::/96", NULL);
	ck_assert(!make(PREFIX_CHANGE_DEL, "2001:db8:1::/96", NULL, false, &m));
	ck_assert_ptr_nonnull(strstr(said.text, "without which 64:ff9b::/96 would hold"));
	expect(0, "2001:db8:1::/96 active");
}
END_TEST

START_TEST(it_can_be_undone)
{
	struct policy_lines *l = policy_lines_at(settings.policy_lines, 0);
	struct prefix_change_made m;

	ck_assert(make(PREFIX_CHANGE_ADD, "2001:db8:4::/96", NULL, true, &m));
	ck_assert_uint_eq(l->saved.n, 3);
	prefix_change_undo(&m);
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain");
	ck_assert_uint_eq(l->saved.n, 0);
	ck_assert_int_eq(l->told, 0);
	ck_assert(make(PREFIX_CHANGE_ADD, "2001:db8:4::/96", NULL, false, &m));
	ck_assert_int_eq(l->told, NOW);
	prefix_change_undo(&m);
	ck_assert_int_eq(l->told, 0);
	/* In all blocks; not even in those before the one where it fails. */
	change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL);
	ck_assert(!make(PREFIX_CHANGE_DEL, "2001:db8:2::/96", NULL, true, &m));
	expect(0, "2001:db8:1::/96 active, 2001:db8:3::/96 drain, 2001:db8:2::/96 active told");
	expect(1, "2001:db8:2::/96 active");
	ck_assert(make(PREFIX_CHANGE_DOWN, "2001:db8:5::/96", NULL, true, &m));
	expect_vias(0, "2001:db8:5::/96 down saved");
	prefix_change_undo(&m);
	expect_vias(0, "");
	ck_assert_uint_eq(l->saved_vias.n, 0);
}
END_TEST

/* All of the block that is in force is saved, and nothing of others. */
START_TEST(saving)
{
	struct policy_lines *l = policy_lines_at(settings.policy_lines, 0);
	struct prefix_change_made m;

	change(PREFIX_CHANGE_DOWN, "2001:db8:2::/96", "10.0.0.0/8");
	change(PREFIX_CHANGE_ADD, "2001:db8:4::/96", NULL);
	ck_assert(make(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", NULL, true, &m));
	prefix_change_keep(&settings, &m);
	expect(0,
	    "2001:db8:1::/96 drain saved, 2001:db8:3::/96 drain saved, "
	    "2001:db8:4::/96 active saved");
	ck_assert_uint_eq(l->saved.n, 3);
	ck_assert_int_eq(l->told, 0);
	ck_assert_uint_eq(((struct policy_lines_prefix *)l->prefixes.items)[2].line, 4);
	ck_assert_uint_eq(policy_lines_at(settings.policy_lines, 1)->saved.n, 0);
	/* What is not saved later leaves the file as it is. */
	change(PREFIX_CHANGE_DEL, "2001:db8:3::/96", NULL);
	ck_assert_uint_eq(l->saved.n, 3);
	ck_assert_int_eq(l->told, NOW);
	expect(0, "2001:db8:1::/96 drain saved, 2001:db8:4::/96 active saved");
}
END_TEST

/* All blocks that were changed are saved, states in map lines too. */
START_TEST(saving_all)
{
	struct prefix_change_made m;
	size_t len;
	char *text;

	ck_assert_ptr_nonnull(said_make(&said, everywhere, &settings));
	ck_assert(make(PREFIX_CHANGE_DOWN, "2001:db8:5::/96", NULL, true, &m));
	prefix_change_keep(&settings, &m);
	text = prefix_file_text(settings.policy_lines, &len);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(strchr(text, '\n') + 1,
	    "dns64-prefix 2001:db8:1::/96 active\ndns64-prefix 2001:db8:2::/96 active\n"
	    "dns64-prefix 2001:db8:5::/96 down map\n"
	    "client 192.168.0.0/16 {\n\tdns64-prefix 2001:db8:5::/96 down\n}\n");
	free(text);
	ck_assert_uint_eq(
	    ((struct policy_lines_prefix *)policy_lines_at(settings.policy_lines, 0)->vias.items)
		->line,
	    4);
}
END_TEST

/* As many as there may be, with those of map lines; and blocks that get them too. */
START_TEST(the_ceiling)
{
	struct prefix_change_made m;
	char text[PREF64_TEXT];

	for (unsigned i = 4; i <= 32; i++) {
		snprintf(text, sizeof(text), "2001:db8:1%02x::/96", i);
		change(PREFIX_CHANGE_ADD, text, NULL);
	}
	ck_assert(make(PREFIX_CHANGE_ADD, "2001:db8:200::/96", NULL, false, &m));
	ck_assert_ptr_null(policies_make(&settings, &said.diag));
	ck_assert_ptr_nonnull(strstr(said.text, "there can be 32 prefixes at most"));
	prefix_change_undo(&m);
}
END_TEST

/* All kinds of changes after another, in any order. */
START_TEST(as_made_anew)
{
	static const char all[] =
	    "nameserver 192.0.2.1\nlisten ::1\ndns64-suffix ::7\nnever-synthesize example\n"
	    "dns64-prefix 2001:db8:1::/64\ndns64-prefix 2001:db8:2::/64 drain\n"
	    "map 203.0.113.0/24 2001:db8:3::/64\n"
	    "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:1::/64\ndns64-prefix 2001:db8:3::/64\n"
	    "ignore-aaaa example.com\n}\n"
	    "client 172.16.0.0/12 {\nhide-a yes\ndns64-suffix ::8\n}\n"
	    "client 192.168.0.0/16 {\ndns64-prefix 2001:db8:4::/64\n"
	    "map 198.51.100.0/24 2001:db8:1::/64\nexclude-a 192.0.2.0/24\n}\n";
	static const char *const clients[] = { NULL, NULL, "10.0.0.0/8", "172.16.0.0/12",
		"192.168.0.0/16" };
	unsigned n[2] = { 0, 0 };
	uint32_t drawn = 1;
	char prefix[32];

	ck_assert_ptr_nonnull(said_make(&said, all, &settings));
	for (unsigned i = 0; i < 600; i++) {
		drawn = drawn * 1103515245 + 12345;
		snprintf(prefix, sizeof(prefix), "2001:db8:%u::/64", 1 + (drawn >> 16) % 6);
		n[try_change((enum prefix_change_what)((drawn >> 20) % 5), prefix,
		    clients[(drawn >> 24) % 5])]++;
	}
	ck_assert_uint_gt(n[0], 100);
	ck_assert_uint_gt(n[1], 200);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_word);
	tcase_add_test(tc, a_block_of_its_own);
	tcase_add_test(tc, a_block_without_prefixes);
	tcase_add_test(tc, wherever_it_is);
	tcase_add_test(tc, in_the_block_that_is_named);
	tcase_add_test(tc, map_lines_keep_it);
	tcase_add_test(tc, the_default_is_there);
	tcase_add_loop_test(tc, what_is_refused, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, the_last_one_stays);
	tcase_add_test(tc, it_can_be_undone);
	tcase_add_test(tc, saving);
	tcase_add_test(tc, saving_all);
	tcase_add_test(tc, the_ceiling);
	tcase_add_test(tc, as_made_anew);
}
