/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_scenarios: run tests/scenarios/x.scn on the engine, with no socket and a fake clock.
 *
 * Settings, before anything else or before a reload:
 *	prefix P ... allow NET		policies, as in support/plan.h; forget: none of them
 *	local-zones | version TEXT | server-id TEXT	of the engine as a whole
 *	trusted uN...			their AD is believed
 *	upstreams N [from=K]				192.0.2.K (1) and the N - 1 that follow
 *	selection random|round-robin|in-order
 *	case-randomization yes|no | upstream-cookies yes|no | client-cookies yes|no
 *	timeout MS | attempts N | size N | queries N
 * What happens:
 *	ask C udp|tcp NAME TYPE [do] [cd] [ad] [nord] [noedns] [class=N] [bufsize=N] [tsig] [sig0]
 *	    [version=N] [option=N] [twoopts] [from=ADDRESS] [cookie=HEX|back]
 *		client C asks; with a version, an empty option or a second OPT in EDNS; with a
 *		signature behind all else; with a cookie, or the one that came with the last answer
 *	reply Q RCODE [tc] [aa] [ad] [qr0] [opcode=N] [noopt] [noquestion] [ede=N] [bufsize=N]
 *	    [name=NAME] [type=T] [class=N] [id+1] [by=uN] [cut=N] [cookie=HEX] [notours] +
 *	    records
 *		upstream replies to Q; by another socket than it was asked by; without its last N
 *		octets; with the client's part of Q's cookie (notours: a changed one) and that as
 *		its own part
 *	malformed Q			upstream replies to Q with counts that lie
 *	lost uN established|refused	the TCP connection to upstream N ends, or was not to be had
 *	refused uN			ICMP says upstream N cannot be reached
 *	unplug uN | plug uN		upstream N has no UDP socket; it has one again
 *	pass MS				time passes
 *	reload				the settings above it apply from now
 * What is expected, in this order of appearance:
 *	question Q uN|u? udp|tcp NAME TYPE [do] [cd] [noedns] [class=N] [unlike=Q] [mixed]
 *	    [cookie=none|ours|HEX]
 *		the next thing sent is this question, from now on called Q; its ID is not that of
 *		the other; mixed: and its letters are not all in the case given
 *	question Q uN|u? udp|tcp asis C
 *		the same, but what is sent are client C's own octets but for the ID
 *	answer C RCODE [tc] [aa] [ad] [ede=N,N...|ede=none] [cookie=none|HEX] + records
 *		the next thing sent is this answer to C, no longer than C takes
 *	answer C asis		the next thing sent to C is the last reply but for the ID
 *	nothing			nothing is sent
 *	counter NAME N		a counter of core/stats.h
 * Upstreams are numbered as the engine numbers them, from 1. Records are indented lines (see
 * scene.h); "xN" behind one means N of them whose addresses count up. At the end nothing may be left over or in flight.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/expect.h"
#include "core/happen.h"

#define MAX_FILES 400

static char *files[MAX_FILES];
static int n_files;
static char dir[4096];

static void
do_line(struct run *r, char **w, unsigned n)
{
	if (!happen_setting(r, w, n) && !happen(r, w, n) && !expect(r, w, n))
		stage_fail(r, "cannot read this line");
}

static unsigned
split(char *line, char *words[static STAGE_WORDS])
{
	unsigned n = 0;

	for (char *p = strtok(line, " \t\n"); p != NULL && n < STAGE_WORDS; p = strtok(NULL, " \t\n"))
		words[n++] = p;
	return n;
}

static void
finish_command(struct run *r, char *command, unsigned line)
{
	char *words[STAGE_WORDS];
	unsigned n = split(command, words);
	unsigned here = r->line;

	if (n > 0) {
		r->line = line;
		do_line(r, words, n);
		r->line = here;
	}
	command[0] = 0;
	r->n_records = 0;
}

/* Keep a record; with "xN" behind it N of them, their addresses counting up from the first. */
static void
keep_record(struct run *r, char *line)
{
	char *times = strrchr(line, ' ');
	unsigned n = times != NULL && times[1] == 'x' ? (unsigned)atoi(times + 2) : 0;

	if (n > 0)
		*times = '\0';
	for (unsigned i = 0; i < (n > 0 ? n : 1); i++) {
		ck_assert_uint_lt(r->n_records, STAGE_MAX_RECORDS);
		if (!scene_count_up(line, i, r->records[r->n_records++]))
			stage_fail(r, "bad record %s", line);
	}
}

static void
run_file(struct run *r, FILE *f)
{
	char line[SCENE_TEXT];
	char command[SCENE_TEXT] = "";
	unsigned command_line = 0;

	while (fgets(line, sizeof(line), f) != NULL) {
		char *comment = strchr(line, ';');

		r->line++;
		if (comment != NULL)
			*comment = 0;
		line[strcspn(line, "\n")] = 0;
		if (line[strspn(line, " \t")] == 0)
			continue;
		if (line[0] == ' ' || line[0] == '\t') {
			keep_record(r, line + strspn(line, " \t"));
			continue;
		}
		finish_command(r, command, command_line);
		snprintf(command, sizeof(command), "%s", line);
		command_line = r->line;
	}
	finish_command(r, command, command_line);
}

START_TEST(scenario)
{
	struct run *r = stage_open(files[_i]);
	char path[8192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, files[_i]);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	run_file(r, f);
	fclose(f);
	stage_close(r);
}
END_TEST

static int
is_scenario(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 4 && strcmp(d->d_name + len - 4, ".scn") == 0;
}

int
main(void)
{
	const char *top = getenv("TEST_SRCDIR");
	struct dirent **entries;
	Suite *s = suite_create("scenarios");
	TCase *tc = tcase_create("scenarios");
	SRunner *sr;
	int failed;

	snprintf(dir, sizeof(dir), "%s/scenarios", top != NULL ? top : "tests");
	n_files = scandir(dir, &entries, is_scenario, alphasort);
	if (n_files <= 0 || n_files > MAX_FILES) {
		fprintf(stderr, "no scenarios in %s\n", dir);
		return 1;
	}
	for (int i = 0; i < n_files; i++)
		files[i] = entries[i]->d_name;
	tcase_add_loop_test(tc, scenario, 0, n_files);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	for (int i = 0; i < n_files; i++)
		free(entries[i]);
	free(entries);
	return failed == 0 ? 0 : 1;
}
