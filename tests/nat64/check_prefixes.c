/* SPDX-License-Identifier: BSD-2-Clause */
/* A change of prefixes, all of it or nothing; what is reported of them; and what a reload says of
 * it. That loops take it at once the system test shows. */

#include "nat64/prefixes.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/load.h"
#include "daemon/conf_push.h"
#include "daemon/newfile.h"
#include "daemon/reload.h"
#include "io/snapshot.h"
#include "policy/prefix_index.h"
#include "support/heard.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct listen_watch watch = { .fd = -1, .look_ns = UINT64_MAX };
static char dir[SCRATCH_PATH], conf[SCRATCH_PATH + 8], file[SCRATCH_PATH + 8];
static const struct options options = { .level = -1 };
static struct threads threads;
static struct settings settings;
static struct conf_push_prefixes push = { .threads = &threads };
static struct prefixes prefixes;
static char error[HOST_ERROR];

static void
configure(const char *more)
{
	FILE *f = fopen(conf, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f,
	    "nameserver 192.0.2.1\nlisten ::1\nprefix-file %s\n"
	    "dns64-prefix 2001:db8:1::/96\nclient 10.0.0.0/8 {\nhide-a yes\n}\n%s",
	    file, more);
	fclose(f);
}

static bool
load(void)
{
	return load_settings(&options, conf, NULL, diag_to_log, NULL, &settings);
}

static void
setup(void)
{
	scratch_dir(dir);
	snprintf(conf, sizeof(conf), "%s/c", dir);
	snprintf(file, sizeof(file), "%s/p", dir);
	configure("");
	heard_start(LOG_LEVEL_INFO);
	ck_assert(load());
	settings.conf.core.prefix_index = prefix_index_new();
	prefixes = (struct prefixes){
		.settings = &settings, .path = conf, .loops = conf_push_prefixes(&push)
	};
}

static void
teardown(void)
{
	heard_end();
	prefix_index_free(settings.conf.core.prefix_index);
	settings_fini(&settings);
	unlink(conf);
	unlink(file);
	rmdir(dir);
}

static enum host_verdict
change(enum prefix_change_what what, const char *prefix, const char *client, bool save)
{
	const struct prefix_change c = {
		.what = what, .prefix = prefix, .client = client, .save = save
	};

	return prefixes_change(&prefixes, &c, error);
}

/* The active prefixes of policy I. */
static unsigned
actives(size_t i)
{
	return (unsigned)__builtin_popcount(
	    settings.conf.core.policies->table[i].synth.active_bits);
}

START_TEST(it_holds)
{
	const struct policies *before = settings.conf.core.policies;

	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, false), HOST_DONE);
	ck_assert_ptr_ne(settings.conf.core.policies, before);
	ck_assert_uint_eq(actives(0), 2);
	ck_assert_uint_eq(actives(1), 2);
	ck_assert_uint_ne(settings.conf.core.policies->table[0].numbers[1], PREFIX_INDEX_OTHERS);
	ck_assert_uint_eq(heard("prefix add 2001:db8:2::/96: done, until the next reload; changed "
				"for 2 of 2 policies"),
	    1);
	ck_assert_int_eq(access(file, F_OK), -1);
}
END_TEST

/* A loop that is slow to take two changes has what it had, and frees it. */
START_TEST(a_slow_loop)
{
	struct snapshot *held = snapshot_new(&settings.conf);
	const struct policies *ps;

	ck_assert_ptr_nonnull(held);
	ps = held->conf.core.policies;
	ck_assert_int_eq(change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, false), HOST_DONE);
	ck_assert_ptr_eq(settings.conf.core.policies->common.special, ps->common.special);
	ck_assert_uint_eq(settings.conf.core.policies->table[1].synth.active_bits, 2);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_ptr_ne(settings.conf.core.policies->common.special, ps->common.special);
	for (size_t i = 0; i < ps->n; i++) {
		ck_assert_uint_eq(ps->table[i].synth.active_bits, 1);
		ck_assert_uint_eq(ps->table[i].synth.v4->n, ps->table[0].synth.v4->n);
	}
	ck_assert_uint_eq(ps->site.n, 2);
	snapshot_unref(held);
}
END_TEST

START_TEST(no_active_one_is_told)
{
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", "10.0.0.0/8", false), HOST_DONE);
	ck_assert_uint_eq(heard("no prefix is active: there is no DNS64 for client 10.0.0.0/8"), 1);
	ck_assert_int_eq(change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert_uint_eq(heard("there is no DNS64 outside of client blocks"), 1);
	ck_assert_uint_eq(actives(0), 0);
}
END_TEST

/* D15: of a block that has the prefix, too, and where map lines name it; a reload undoes it there
 * and says so, and what is saved survives. */
START_TEST(wherever_it_is)
{
	struct prefix_index *n = settings.conf.core.prefix_index;

	configure("dns64-prefix 2001:db8:2::/96\nclient 172.16.0.0/12 {\n"
		  "dns64-prefix 2001:db8:1::/96\nmap 192.0.2.0/24 2001:db8:2::/96\n}\n");
	settings_fini(&settings);
	ck_assert(load());
	settings.conf.core.prefix_index = n;
	ck_assert_int_eq(change(PREFIX_CHANGE_DOWN, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert_uint_eq(heard("changed for 3 of 3 policies"), 1);
	ck_assert_uint_eq(actives(2), 1);
	ck_assert_int_eq(change(PREFIX_CHANGE_DOWN, "2001:db8:2::/96", NULL, false), HOST_DONE);
	ck_assert_uint_eq(
	    heard("no prefix is active: there is no DNS64 for client 172.16.0.0/12"), 1);
	ck_assert_uint_eq(actives(0) + actives(1) + actives(2), 0);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes dns64ctl prefix: 2001:db8:1::/96 is active again"), 1);
	ck_assert_uint_eq(heard("undoes dns64ctl prefix: 2001:db8:1::/96 (client 172.16.0.0/12) is "
				"active again"),
	    1);
	ck_assert_uint_eq(actives(2), 2);
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_DRAIN, "2001:db8:2::/96", "172.16.0.0/12", false), HOST_DONE);
	(void)heard_all();
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes dns64ctl prefix: 2001:db8:2::/96 of map lines (client "
				"172.16.0.0/12) is active again"),
	    1);
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_DRAIN, "2001:db8:2::/96", "172.16.0.0/12", true), HOST_DONE);
	(void)heard_all();
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes"), 0);
	ck_assert_uint_eq(actives(2), 1);
}
END_TEST

START_TEST(what_is_saved_survives)
{
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, true), HOST_DONE);
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", "10.0.0.0/8", true), HOST_DONE);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes"), 0);
	ck_assert_uint_eq(actives(0), 2);
	ck_assert_uint_eq(actives(1), 1);
	struct prefix_index *n = settings.conf.core.prefix_index;
	settings_fini(&settings);
	ck_assert(load());
	settings.conf.core.prefix_index = n;
	ck_assert_uint_eq(actives(0), 2);
	ck_assert_uint_eq(actives(1), 1);
}
END_TEST

/* A reload says what it undoes, each change once, and only that. */
START_TEST(a_reload_undoes_the_rest)
{
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, false), HOST_DONE);
	ck_assert_int_eq(change(PREFIX_CHANGE_DEL, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_ADD, "2001:db8:1::/96", "10.0.0.0/8", false), HOST_DONE);
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", "10.0.0.0/8", false), HOST_DONE);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(
	    heard("undoes dns64ctl prefix: 2001:db8:2::/96 is not there any more"), 1);
	ck_assert_uint_eq(heard("undoes dns64ctl prefix: 2001:db8:1::/96 is there again"), 1);
	ck_assert_uint_eq(heard("undoes dns64ctl prefix: 2001:db8:2::/96 (client 10.0.0.0/8) is "
				"not there any more"),
	    1);
	ck_assert_uint_eq(
	    heard("undoes dns64ctl prefix: 2001:db8:1::/96 (client 10.0.0.0/8) is active again"),
	    1);
	ck_assert_uint_eq(heard("undoes"), 4);
	ck_assert_uint_eq(actives(0), 1);
	(void)heard_all();
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes"), 0);
}
END_TEST

/* The same as before: what a reload finds is what there is. */
START_TEST(what_was_taken_back_is_not_undone)
{
	ck_assert_int_eq(change(PREFIX_CHANGE_DRAIN, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert_int_eq(change(PREFIX_CHANGE_ACTIVE, "2001:db8:1::/96", NULL, false), HOST_DONE);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("undoes"), 0);
}
END_TEST

/* Nothing changes, neither in memory nor in the file. */
START_TEST(what_cannot_be_saved)
{
	const struct policies *before = settings.conf.core.policies;
	char new[SCRATCH_PATH + 16];

	snprintf(new, sizeof(new), "%s" NEWFILE_SUFFIX, file);
	ck_assert_int_eq(mkdir(new, 0700), 0); /* it cannot be replaced by a file */
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, true), HOST_UNABLE);
	ck_assert_ptr_nonnull(strstr(error, "cannot be written: "));
	ck_assert_ptr_nonnull(strstr(error, file));
	ck_assert_ptr_eq(settings.conf.core.policies, before);
	ck_assert_uint_eq(actives(0), 1);
	ck_assert_int_eq(access(file, F_OK), -1);
	ck_assert_int_eq(rmdir(new), 0);
	/* The same is possible afterwards. */
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, true), HOST_DONE);
	ck_assert_int_eq(access(file, F_OK), 0);
	ck_assert_int_eq(access(new, F_OK), -1);
	ck_assert_uint_eq(heard("add 2001:db8:2::/96: done, saved in "), 1);
}
END_TEST

START_TEST(without_a_file)
{
	const struct policies *before = settings.conf.core.policies;

	strcpy(settings.prefix_file, "none");
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, true), HOST_UNABLE);
	ck_assert_ptr_nonnull(strstr(error, "the keyword prefix-file names one"));
	ck_assert_ptr_eq(settings.conf.core.policies, before);
}
END_TEST

/* An error that is about a line of the file says which. */
START_TEST(what_is_refused)
{
	char want[256];

	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::1/96", NULL, false), HOST_WRONG);
	ck_assert_str_eq(error,
	    "dns64-prefix: '2001:db8:2::1/96' has bits set behind its length; the prefix of that "
	    "length is 2001:db8:2::/96");
	configure("dns64-suffix ::1\n");
	struct prefix_index *n = settings.conf.core.prefix_index;
	settings_fini(&settings);
	ck_assert(!load());
	configure("client 172.16.0.0/12 {\ndns64-prefix 2001:db8:8::/64\ndns64-suffix ::1\n}\n");
	ck_assert(load());
	settings.conf.core.prefix_index = n;
	ck_assert_int_eq(
	    change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", "172.16.0.0/12", false), HOST_WRONG);
	snprintf(want, sizeof(want), "%s:10: dns64-suffix: does not fit the prefix 2001:db8:2::/96",
	    conf);
	ck_assert_msg(strstr(error, want) == error, "%s", error);
	ck_assert_uint_eq(actives(2), 1);
}
END_TEST

/* A broken file is an error like any other: a reload keeps what there is. */
START_TEST(a_broken_file)
{
	const struct policies *before = settings.conf.core.policies;
	FILE *f = fopen(file, "w");

	ck_assert_ptr_nonnull(f);
	fputs("dns64-prefix 2001:db8:9::/96\nport 54\n", f);
	fclose(f);
	ck_assert(!reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(heard("/p:2: port: cannot stand in the prefix-file"), 1);
	ck_assert_ptr_eq(settings.conf.core.policies, before);
	f = fopen(file, "w");
	fputs("dns64-prefix 2001:db8:9::/96\n", f);
	fclose(f);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_ptr_ne(settings.conf.core.policies, before);
}
END_TEST

static bool is_pending;

static bool
pending(void *arg)
{
	(void)arg;
	return is_pending;
}

/* Prefix I of policy 0 is reported to be in STATE. */
static void
report(unsigned i, enum policy_state state)
{
	const struct prefix_report r = { .group = 7,
		.prefix = settings.conf.core.policies->table[0].synth.prefixes[i],
		.cause = POLICY_PROBE,
		.state = state };

	ck_assert(prefixes_report(&prefixes, &r, NS_PER_SEC));
}

/* D36: what is reported while a loop has a change to take is handed out together, afterwards; not
 * for ever for a loop that stands still; a change of dns64ctl has it, too. */
START_TEST(reports)
{
	const struct policies *before;

	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, false), HOST_DONE);
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:3::/96", NULL, false), HOST_DONE);
	policy_lines_at(settings.policy_lines, 0)->group = 7;
	settings.prefix_states = prefix_states_new();
	prefixes.loops.pending = pending;
	before = settings.conf.core.policies;
	is_pending = true;
	report(0, POLICY_DOWN);
	prefixes_settle(&prefixes, NS_PER_SEC);
	report(1, POLICY_DOWN);
	prefixes_settle(&prefixes, 2 * NS_PER_SEC);
	ck_assert(prefixes_due(&prefixes, 2 * NS_PER_SEC));
	ck_assert_ptr_eq(settings.conf.core.policies, before);
	is_pending = false;
	prefixes_settle(&prefixes, 2 * NS_PER_SEC);
	ck_assert(!prefixes_due(&prefixes, 2 * NS_PER_SEC));
	ck_assert_uint_eq(settings.conf.core.policies->table[0].synth.active_bits, 4);
	ck_assert_int_eq(settings.conf.core.policies->table[0].causes[1], POLICY_PROBE);
	is_pending = true;
	report(1, POLICY_ACTIVE);
	prefixes_settle(&prefixes, NS_PER_SEC + PREFIXES_TAKE_MS * NS_PER_MS);
	ck_assert_uint_eq(settings.conf.core.policies->table[0].synth.active_bits, 6);
	report(0, POLICY_ACTIVE);
	ck_assert_int_eq(change(PREFIX_CHANGE_DRAIN, "2001:db8:3::/96", NULL, false), HOST_DONE);
	ck_assert_uint_eq(settings.conf.core.policies->table[0].synth.active_bits, 3);
	ck_assert_int_eq(settings.conf.core.policies->table[0].causes[2], POLICY_OPERATOR);
	ck_assert(!prefixes_due(&prefixes, 2 * NS_PER_SEC));
	/* Two that fail: one stays, and the log has it. */
	report(0, POLICY_DOWN);
	report(1, POLICY_DOWN);
	is_pending = false;
	prefixes_settle(&prefixes, 2 * NS_PER_SEC);
	ck_assert_uint_eq(settings.conf.core.policies->table[0].synth.active_bits, 2);
	ck_assert_uint_eq(heard("no prefix passes prefix-check for 2 of 2 policies"), 1);
	prefix_states_free(settings.prefix_states);
}
END_TEST

static bool
no_pack(void *arg, struct settings *s)
{
	(void)arg;
	(void)s;
	return false;
}

START_TEST(reports_without_memory)
{
	ck_assert_int_eq(change(PREFIX_CHANGE_ADD, "2001:db8:2::/96", NULL, false), HOST_DONE);
	policy_lines_at(settings.policy_lines, 0)->group = 7;
	settings.prefix_states = prefix_states_new();
	prefixes.loops.pack = no_pack;
	report(0, POLICY_DOWN);
	prefixes_settle(&prefixes, NS_PER_SEC);
	ck_assert_uint_eq(actives(0), 2);
	ck_assert_uint_eq(heard("tried again each second"), 1);
	ck_assert(!prefixes_due(&prefixes, NS_PER_SEC + 1));
	ck_assert(prefixes_due(&prefixes, 2 * NS_PER_SEC));
	prefixes.loops = conf_push_prefixes(&push);
	prefixes_settle(&prefixes, 2 * NS_PER_SEC);
	ck_assert_uint_eq(actives(0), 1);
	prefix_states_free(settings.prefix_states);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, it_holds);
	tcase_add_test(tc, a_slow_loop);
	tcase_add_test(tc, no_active_one_is_told);
	tcase_add_test(tc, wherever_it_is);
	tcase_add_test(tc, what_is_saved_survives);
	tcase_add_test(tc, a_reload_undoes_the_rest);
	tcase_add_test(tc, what_was_taken_back_is_not_undone);
	tcase_add_test(tc, what_cannot_be_saved);
	tcase_add_test(tc, without_a_file);
	tcase_add_test(tc, what_is_refused);
	tcase_add_test(tc, a_broken_file);
	tcase_add_test(tc, reports);
	tcase_add_test(tc, reports_without_memory);
}
