/* SPDX-License-Identifier: BSD-2-Clause */
/* The state file: cut anywhere it is read as far as it goes; damage and other settings are told. */

#include "bench/journal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

#define RECORDS 3

static char path[SCRATCH_PATH];
static char error[BENCH_JOURNAL_ERROR];
static json_t *settings;

static void
set_up(void)
{
	(void)close(scratch_file(path));
	settings = json_pack("{ss,si,sf,sn}", "server", "::1#53", "low", 1000, "resolution",
	    0.123456789012345678, "restart");
	error[0] = '\0';
}

static void
tear_down(void)
{
	json_decref(settings);
	(void)unlink(path);
}

static struct bench_journal *
open_it(void)
{
	struct bench_journal *j = bench_journal_open(path, settings, error);

	ck_assert_msg(j != NULL, "%s", error);
	return j;
}

/* A file with the settings and N records: { "rate": 0 } and so on. */
static void
fill(int n)
{
	struct bench_journal *j = open_it();

	for (int i = 0; i < n; i++) {
		json_t *record = json_pack("{si}", "rate", i);

		ck_assert_int_eq(bench_journal_add(j, record), 0);
		json_decref(record);
	}
	bench_journal_close(j);
}

static void
write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

static size_t
read_file(char text[static 4096])
{
	FILE *f = fopen(path, "re");

	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, 4095, f);
	(void)fclose(f);
	text[n] = '\0';
	return n;
}

/* The file must not be taken, and the message must say WHY. */
static void
refuse(const char *why)
{
	struct bench_journal *j = bench_journal_open(path, settings, error);

	ck_assert_ptr_null(j);
	ck_assert_msg(strstr(error, why) != NULL, "%s", error);
	ck_assert_ptr_nonnull(strstr(error, path));
}

START_TEST(records_are_there_after_reopening)
{
	fill(RECORDS);
	struct bench_journal *j = open_it();
	ck_assert_uint_eq(bench_journal_count(j), RECORDS);
	for (int i = 0; i < RECORDS; i++)
		ck_assert_int_eq(
		    json_integer_value(json_object_get(bench_journal_get(j, (size_t)i), "rate")),
		    i);
	ck_assert_ptr_null(bench_journal_get(j, RECORDS));
	bench_journal_close(j);
}
END_TEST

/* Whatever a crash leaves of the file, there are as many records as there are whole lines. */
START_TEST(is_cut_at_every_octet)
{
	char text[4096], now[4096];

	fill(RECORDS);
	size_t len = read_file(text);
	for (size_t cut = 0; cut <= len; cut++) {
		size_t lines = 0;

		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		write_file(text, cut);
		struct bench_journal *j = open_it();
		ck_assert_uint_eq(bench_journal_count(j), lines > 0 ? lines - 1 : 0);
		/* What was lost is written anew: the file is again what it was. */
		for (size_t i = bench_journal_count(j); i < RECORDS; i++) {
			json_t *record = json_pack("{si}", "rate", (int)i);

			ck_assert_int_eq(bench_journal_add(j, record), 0);
			json_decref(record);
		}
		bench_journal_close(j);
		ck_assert_uint_eq(read_file(now), len);
		ck_assert_str_eq(now, text);
	}
}
END_TEST

START_TEST(damaged_record_is_told_by_its_line)
{
	char text[4096], line[SCRATCH_PATH + 4];

	fill(RECORDS);
	size_t len = read_file(text);
	strstr(text, "\"rate\":1")[0] = '?';
	write_file(text, len);
	(void)snprintf(line, sizeof(line), "%s:3:", path);
	refuse(line);
	ck_assert_ptr_nonnull(strstr(error, "damaged"));
}
END_TEST

START_TEST(tells_octets_of_zero)
{
	char text[4096];

	fill(RECORDS);
	size_t len = read_file(text);
	memset(strstr(text, "\"rate\":1"), 0, 4);
	write_file(text, len);
	refuse("octet 0");
}
END_TEST

START_TEST(tells_other_settings)
{
	fill(1);
	(void)json_object_set_new(settings, "low", json_integer(2000));
	refuse("low was 1000 and is 2000 now");
	(void)json_object_set_new(settings, "low", json_integer(1000));
	(void)json_object_set_new(settings, "restart", json_string("true"));
	refuse("restart was null and is \"true\" now");
	(void)json_object_set_new(settings, "restart", json_null());
	(void)json_object_set_new(settings, "more", json_true());
	refuse("more was nothing and is true now");
	(void)json_object_del(settings, "more");
	(void)json_object_del(settings, "low");
	refuse("low was 1000 and is nothing now");
}
END_TEST

/* A file of something else is left as it is, with and without an end of its line. */
START_TEST(leaves_other_files)
{
	static const char *const texts[] = { "my notes\n", "my notes", "[1]\n",
		"{\"server\":\"x\"}\n", "{", "\n" };
	char now[4096];

	write_file(texts[_i], strlen(texts[_i]));
	if (_i == 4) { /* the beginning of what would be written */
		bench_journal_close(open_it());
		return;
	}
	refuse("");
	(void)read_file(now);
	ck_assert_str_eq(now, texts[_i]);
}
END_TEST

START_TEST(is_used_by_one)
{
	struct bench_journal *j = open_it();

	refuse("another run");
	bench_journal_close(j);
	bench_journal_close(open_it());
}
END_TEST

START_TEST(tells_what_the_system_says)
{
	(void)unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	refuse(strerror(EISDIR));
	ck_assert_int_eq(rmdir(path), 0);
	struct bench_journal *j = bench_journal_open("/nowhere/at/all", settings, error);
	ck_assert_ptr_null(j);
	ck_assert_ptr_nonnull(strstr(error, strerror(ENOENT)));
}
END_TEST

/* A disk that is full is not a trial that was kept. */
START_TEST(tells_a_full_disk)
{
	struct bench_journal *j = bench_journal_open("/dev/full", settings, error);

	ck_assert_ptr_null(j);
	ck_assert_msg(strstr(error, strerror(ENOSPC)) != NULL, "%s", error);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, records_are_there_after_reopening);
	tcase_add_test(tc, is_cut_at_every_octet);
	tcase_add_test(tc, damaged_record_is_told_by_its_line);
	tcase_add_test(tc, tells_octets_of_zero);
	tcase_add_test(tc, tells_other_settings);
	tcase_add_loop_test(tc, leaves_other_files, 0, 6);
	tcase_add_test(tc, is_used_by_one);
	tcase_add_test(tc, tells_what_the_system_says);
	tcase_add_test(tc, tells_a_full_disk);
}
