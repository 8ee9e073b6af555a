/* SPDX-License-Identifier: BSD-2-Clause */
/* The query log's thread: every line once, also over a change of files; a full disk is told once.
 */

#include "daemon/querylog.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/textfile.h"
#include "dns/header.h"
#include "engine/querylog_tap.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/scratch.h"
#include "support/tests.h"

#define FULL_AT 4096 /* bytes that the file may have when the disk is full */

static struct stats stats;
static struct querylog_tap tap;
static struct querylog ql;
static struct settings settings;
static char dir[SCRATCH_PATH], path[SCRATCH_PATH + 16], moved[SCRATCH_PATH + 16];

static void
begin(void)
{
	querylog_init(&ql, &stats);
	spooler_add(&ql.spooler, &tap.spool);
}

static void
setup(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/log", dir);
	snprintf(moved, sizeof(moved), "%s/log.1", dir);
	snprintf(settings.query_log, sizeof(settings.query_log), "%s", path);
	settings.query_log_mode = 0640;
	memset(&stats, 0, sizeof(stats)); /* tests may share a process (CK_FORK) */
	ck_assert(querylog_tap_init(&tap, &stats));
	begin();
	heard_start(LOG_LEVEL_NOTICE);
}

static void
teardown(void)
{
	ck_assert(spooler_end(&ql.spooler));
	heard_end();
	querylog_tap_fini(&tap);
	(void)unlink(path);
	(void)unlink(moved);
	(void)rmdir(dir);
}

/* Tell of N answers. */
static void
tell(unsigned n)
{
	const struct conf_querylog c = { .select = CONF_QUERYLOG_ALL, .sample = 1 };
	uint8_t msg[512];
	size_t len = parts_question(msg, 7, "www.example", DNS_TYPE_AAAA);
	const struct querylog_tap_record r = { .len = (uint16_t)len, .reason = REASON_NATIVE };

	while (n-- > 0)
		querylog_tap_put(&tap, &c, &r, msg, len);
}

/* Wait until N lines were written, and lost. */
static void
wait_for(uint64_t n_written, uint64_t n_lost)
{
	for (unsigned i = 0; i < 1000; i++) {
		if (atomic_load(&stats.query_log_written) >= n_written &&
		    atomic_load(&stats.query_log_lost) >= n_lost)
			break;
		(void)poll(NULL, 0, 10);
	}
	ck_assert_uint_ge(atomic_load(&stats.query_log_written), n_written);
	ck_assert_uint_ge(atomic_load(&stats.query_log_lost), n_lost);
}

/* How many lines the file at NAME has, each of them whole. */
static unsigned
lines(const char *name)
{
	unsigned n = 0;
	size_t len;
	char *text;

	ck_assert_int_eq(textfile_read(name, &text, &len), 0);
	for (char *p = text, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		*end = '\0';
		ck_assert_msg(strstr(p, " www.example. IN AAAA NOERROR native ") != NULL, "%s", p);
		n++;
	}
	free(text);
	return n;
}

/* How many lines of the file are whole; of the others none has the beginning of a second one. */
static unsigned
whole_lines(void)
{
	ptrdiff_t begins = 0;
	unsigned n = 0;
	size_t len;
	char *text;

	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	for (char *p = text, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		char *name;

		*end = '\0';
		name = strstr(p, " udp ");
		ck_assert(name == NULL || strstr(name + 1, " udp ") == NULL);
		if (name == NULL || strstr(name, " native - - 0 0") == NULL)
			continue;
		begins = begins > 0 ? begins : name - p;
		n += name - p == begins; /* time and client are of the same length in all */
	}
	free(text);
	return n;
}

START_TEST(answers_become_lines)
{
	querylog_use(&ql, &settings);
	tell(1000);
	wait_for(1000, 0);
	tell(1); /* what is left at the end is written too */
	ck_assert(spooler_end(&ql.spooler));
	ck_assert_uint_eq(lines(path), 1001);
	ck_assert_uint_eq(heard_all(), 0);
	begin();
}
END_TEST

START_TEST(moved_file_is_opened_again)
{
	querylog_use(&ql, &settings);
	tell(10);
	wait_for(10, 0);
	ck_assert_int_eq(rename(path, moved), 0);
	tell(10); /* before it is told: still there */
	wait_for(20, 0);
	ck_assert(querylog_reopen(&ql));
	(void)poll(NULL, 0, 150);
	tell(10);
	wait_for(30, 0);
	ck_assert_uint_eq(lines(moved), 20);
	ck_assert_uint_eq(lines(path), 10);
}
END_TEST

static mode_t
mode_of(const char *file)
{
	struct stat st;

	ck_assert_int_eq(stat(file, &st), 0);
	return st.st_mode & 07777;
}

/* A file that is made has the mode of query-log-mode, whatever the umask; one that is there its
 * own. */
START_TEST(mode_of_the_file)
{
	mode_t mask = umask(077);

	querylog_use(&ql, &settings);
	ck_assert_uint_eq(mode_of(path), 0640);
	settings.query_log_mode = 0664;
	querylog_use(&ql, &settings);
	ck_assert(querylog_reopen(&ql));
	ck_assert_uint_eq(mode_of(path), 0640);
	ck_assert_int_eq(rename(path, moved), 0);
	ck_assert(querylog_reopen(&ql));
	ck_assert_uint_eq(mode_of(path), 0664);
	ck_assert_uint_eq(umask(mask), 077);
}
END_TEST

/* In a directory where others may write, a link must not lead the daemon to a file of its own. */
START_TEST(link_is_not_followed)
{
	FILE *f = fopen(moved, "w");

	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(symlink(moved, path), 0);
	querylog_use(&ql, &settings);
	ck_assert_uint_eq(heard("cannot be opened: a symbolic link, which is not followed"), 1);
	tell(10);
	wait_for(0, 10);
	ck_assert_uint_eq(lines(moved), 0);
}
END_TEST

/* Nothing is in the way of answers if there is no place for the log: it is told, and lost. */
START_TEST(file_that_cannot_be_opened_is_told)
{
	snprintf(settings.query_log, sizeof(settings.query_log), "%s/none/log", dir);
	querylog_use(&ql, &settings);
	ck_assert_uint_eq(heard("cannot be opened"), 1);
	tell(100);
	wait_for(0, 100);
	tell(100);
	wait_for(0, 200);
	ck_assert_uint_eq(heard("cannot be written"), 1);
	ck_assert(!querylog_reopen(&ql));
	/* A reload that names another file brings it back. */
	snprintf(settings.query_log, sizeof(settings.query_log), "%s", path);
	querylog_use(&ql, &settings);
	(void)poll(NULL, 0, 150);
	tell(5);
	wait_for(5, 200);
	ck_assert_uint_eq(heard("is written again; 200 lines are missing"), 1);
	ck_assert_uint_eq(lines(path), 5);
}
END_TEST

/* What was in the way is gone: the next reload opens the file, though no keyword has changed. */
START_TEST(reload_tries_again)
{
	char below[SCRATCH_PATH + 8], file[SCRATCH_PATH + 16];

	snprintf(below, sizeof(below), "%s/sub", dir);
	snprintf(file, sizeof(file), "%s/log", below);
	snprintf(settings.query_log, sizeof(settings.query_log), "%s", file);
	querylog_use(&ql, &settings);
	querylog_use(&ql, &settings);
	ck_assert_uint_eq(heard("cannot be opened"), 2);
	ck_assert_int_eq(mkdir(below, 0700), 0);
	querylog_use(&ql, &settings);
	(void)poll(NULL, 0, 150);
	tell(3);
	wait_for(3, 0);
	ck_assert_uint_eq(lines(file), 3);
	querylog_use(&ql, &settings); /* and goes on with it */
	ck_assert_uint_eq(heard("cannot be opened"), 2);
	(void)unlink(file);
	(void)rmdir(below);
}
END_TEST

/* A full disk: told once, counted; when there is room again lines are whole. */
START_TEST(full_disk_is_told_once)
{
	struct rlimit before, full = { .rlim_cur = FULL_AT };
	uint64_t written;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	full.rlim_max = before.rlim_max;
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	querylog_use(&ql, &settings);
	tell(200);
	wait_for(0, 100);
	tell(50);
	wait_for(0, 150);
	ck_assert_uint_eq(heard("cannot be written"), 1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)poll(NULL, 0, 150);
	written = atomic_load(&stats.query_log_written);
	tell(3);
	wait_for(written + 3, 150);
	ck_assert_uint_eq(heard("is written again"), 1);
	ck_assert_uint_eq(whole_lines(), atomic_load(&stats.query_log_written));
}
END_TEST

/* Whoever reads standard error has stopped: the daemon ends all the same. */
START_TEST(reader_that_stopped_does_not_hold_the_end)
{
	int ends[2], before = dup(STDERR_FILENO);

	(void)signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	snprintf(settings.query_log, sizeof(settings.query_log), "stderr");
	querylog_use(&ql, &settings);
	tell(2000); /* more than a pipe takes */
	ck_assert(!spooler_end(&ql.spooler));
	close(ends[0]);
	wait_for(0, 1);
	ck_assert(spooler_end(&ql.spooler));
	ck_assert_int_eq(dup2(before, STDERR_FILENO), STDERR_FILENO);
	close(before);
	begin();
}
END_TEST

START_TEST(off_is_no_thread)
{
	snprintf(settings.query_log, sizeof(settings.query_log), "none");
	querylog_use(&ql, &settings);
	ck_assert(!ql.spooler.running);
	ck_assert(querylog_reopen(&ql));
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_uint_eq(heard_all(), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, answers_become_lines);
	tcase_add_test(tc, moved_file_is_opened_again);
	tcase_add_test(tc, mode_of_the_file);
	tcase_add_test(tc, link_is_not_followed);
	tcase_add_test(tc, file_that_cannot_be_opened_is_told);
	tcase_add_test(tc, reload_tries_again);
	tcase_add_test(tc, full_disk_is_told_once);
	tcase_add_test(tc, reader_that_stopped_does_not_hold_the_end);
	tcase_add_test(tc, off_is_no_thread);
}
