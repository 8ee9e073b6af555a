/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a configuration includes: which, in what order, and what is told of those that cannot
 * be; with config/conffile, which reads them. */

#include "config/include.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/conffile.h"
#include "config/policy_lines.h"
#include "config/textfile.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

#define PATH (SCRATCH_PATH + 64)

static char dir[SCRATCH_PATH], conf[PATH];
static struct settings settings;
static struct said said;

static void
make(void)
{
	scratch_dir(dir);
	snprintf(conf, sizeof(conf), "%s/t.conf", dir);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void
unmake(void)
{
	settings_fini(&settings);
	ck_assert_int_eq(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static const char *
path_of(const char *name)
{
	static char path[PATH];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Write the file NAME, in which every @ is the directory. */
static void
put(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(f);
	for (; *text != '\0'; text++) {
		if (*text == '@')
			fputs(dir, f);
		else
			fputc(*text, f);
	}
	ck_assert_int_eq(fclose(f), 0);
}

static void
subdirectory(const char *name)
{
	ck_assert_int_eq(mkdir(path_of(name), 0755), 0);
}

static void
read_conf(const char *root)
{
	said_init(&said);
	said.diag.file = conf;
	settings_fini(&settings);
	conffile_read(conf, root, &settings, &said.diag);
}

/* Read TEXT; nothing, or WANT, of which every @ is the directory, is said of it. */
static void
check(const char *text, const char *want)
{
	char all[4096];
	size_t len = 0;

	put("t.conf", text);
	read_conf(NULL);
	for (; *want != '\0'; want++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%.*s",
		    *want == '@' ? (int)sizeof(dir) : 1, *want == '@' ? dir : want);
	all[len] = '\0';
	ck_assert_str_eq(said.text, all);
}

/* The server-id in force, which says who was read last. */
static const char *
id(void)
{
	return settings.conf.core.chaos.server_id;
}

/* What was read, in order: "keyword value file:line". */
static const char *
order(void)
{
	static char text[4096];
	size_t n, len = 0;
	const struct origin_line *l = origin_lines(&settings.origin, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		struct place at = places_at(&settings.places, l[i].line);

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s %s:%u\n",
		    l[i].keyword->name, l[i].value, at.file + strlen(dir) + 1, at.line);
	}
	return text;
}

/* Sorted, in the place of the include line, seen from the directory of the file that has it. */
START_TEST(files_are_read_in_order)
{
	subdirectory("conf.d");
	subdirectory("conf.d/more");
	put("conf.d/20.conf", "allow 20.0.0.0/8\ninclude more/[ab]\nallow 21.0.0.0/8\n");
	put("conf.d/10.conf", "\n\nallow 10.0.0.0/8");
	put("conf.d/10.conf~", "no such keyword\n");
	put("conf.d/.hidden.conf", "no such keyword\n");
	put("conf.d/30.conf", "");
	put("conf.d/more/a", "allow 1.0.0.0/8\n");
	put("conf.d/more/b", "# nothing\n");
	put("conf.d/more/c", "no such keyword\n");
	check(
	    "port 54\ninclude conf.d/*.conf\nallow 9.0.0.0/8\ninclude conf.d/more/b\nhide-a yes\n",
	    "");
	ck_assert_str_eq(order(),
	    "port 54 t.conf:1\ninclude conf.d/*.conf t.conf:2\n"
	    "allow 10.0.0.0/8 conf.d/10.conf:3\nallow 20.0.0.0/8 conf.d/20.conf:1\n"
	    "include more/[ab] conf.d/20.conf:2\nallow 1.0.0.0/8 conf.d/more/a:1\n"
	    "allow 21.0.0.0/8 conf.d/20.conf:3\nallow 9.0.0.0/8 t.conf:3\n"
	    "include conf.d/more/b t.conf:4\nhide-a yes t.conf:5\n");
}
END_TEST

/* A pattern that fits nothing, in a directory that may not be there; a file that must be. */
START_TEST(what_is_not_there)
{
	check("include none.d/*.conf\ninclude [x]\ninclude */*/?\nserver-id a\n", "");
	ck_assert_str_eq(id(), "a");
	check("\ninclude none.conf\nserver-id b\n",
	    "error @/t.conf:2: include: '@/none.conf' cannot be read: No such file or directory\n");
	check("include\ninclude a b\n",
	    "error @/t.conf:1: include: has no value; allowed is PATH\n"
	    "error @/t.conf:2: include: 'b' is too much; allowed is PATH\n");
}
END_TEST

START_TEST(what_is_no_file)
{
	subdirectory("d.conf");
	ck_assert_int_eq(mkfifo(path_of("p.conf"), 0644), 0);
	put("w.conf", "server-id x\n");
	ck_assert_int_eq(chmod(path_of("w.conf"), 0666), 0);
	ck_assert_int_eq(symlink("nowhere", path_of("l.conf")), 0);
	check("include d.conf\ninclude [p]*.conf\ninclude w.conf\ninclude l.conf\n",
	    "error @/t.conf:1: include: '@/d.conf' is a directory; its files are included by a "
	    "pattern as @/d.conf/*.conf\n"
	    "error @/t.conf:2: include: '@/p.conf' cannot be read: not a regular file\n"
	    "error @/t.conf:3: include: '@/w.conf' cannot be read: anybody can write it (chmod "
	    "o-w)\n"
	    "error @/t.conf:4: include: '@/l.conf' cannot be read: No such file or directory\n");
}
END_TEST

/* As clusters and packages hand out files. */
START_TEST(links_are_followed)
{
	put("real", "server-id by-link\n");
	ck_assert_int_eq(symlink("real", path_of("l.conf")), 0);
	check("include l.conf\n", "");
	ck_assert_str_eq(id(), "by-link");
}
END_TEST

START_TEST(others_cannot_read_what_they_may_not)
{
	bool was_root = geteuid() == 0;

	subdirectory("d");
	put("secret.conf", "server-id a\n");
	ck_assert_int_eq(chmod(path_of("secret.conf"), 0), 0);
	put("t.conf", "include secret.conf\ninclude d/*\n");
	ck_assert_int_eq(chmod(path_of("d"), 0), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	if (was_root)
		ck_assert_int_eq(seteuid(61234), 0);
	read_conf(NULL);
	if (was_root)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(path_of("d"), 0755), 0);
	ck_assert_ptr_nonnull(
	    strstr(said.text, "secret.conf' cannot be read: Permission denied\n"));
	ck_assert_ptr_nonnull(strstr(
	    said.text, "t.conf:2: include: 'd/*' cannot be looked for: Permission denied\n"));
}
END_TEST

/* Every message has the file and the line that it is about. */
START_TEST(messages_name_the_file)
{
	put("a.conf", "\nserver-id a\nprot 53\n");
	put("b.conf", "server-id b\n\xef\xbb\xbf\nclient 10.0.0.0/8 {\n}\nallow 192.0.2.0/24\n");
	put("c.conf", "\xef\xbb\xbfport 54\nclient 10.0.0.0/8 {\n}\n}\n");
	check("include a.conf\ninclude b.conf\ninclude c.conf\nport 55\n",
	    "error @/a.conf:3: prot: unknown keyword; did you mean port?\n"
	    "error @/b.conf:1: server-id: is at line 2 of @/a.conf already; it may be given once\n"
	    "error @/b.conf:2: \xef\xbb\xbf: unknown keyword; dns64d -h and dns64d.conf(5) list "
	    "those there are\n"
	    "error @/c.conf:4: there is no client block that this } could close\n"
	    "error @/t.conf:4: port: is at line 1 of @/c.conf already; it may be given once\n");
}
END_TEST

START_TEST(blocks_do_not_span_files)
{
	put("open.conf", "client 10.0.0.0/8 {\nhide-a yes\n");
	put("close.conf", "}\n");
	put("in.conf", "hide-a yes\n");
	check("include open.conf\ninclude close.conf\nclient 10.0.0.0/9 {\ninclude in.conf\n}\n",
	    "error @/open.conf:1: client: the block is not closed; a } alone on a line closes it, "
	    "in the same file\n"
	    "error @/close.conf:1: there is no client block that this } could close\n"
	    "error @/t.conf:4: include: cannot stand in the client block that begins at line 3, "
	    "only outside of any\n");
}
END_TEST

START_TEST(circles_are_told)
{
	put("a.conf", "\ninclude b.conf\n");
	put("b.conf", "include ./t.conf\n");
	check("# here\ninclude *.conf\n",
	    "error @/b.conf:1: include: '@/./t.conf' cannot include itself, as it would by its "
	    "line 2 of @/t.conf\n"
	    "error @/b.conf:1: include: '@/./t.conf' cannot include itself, as it would by its "
	    "line 2 of @/t.conf\n"
	    "error @/t.conf:2: include: '@/t.conf' cannot include itself\n");
	/* Twice is no circle. */
	put("twice", "allow 192.0.2.0/24\n");
	put("t.conf", "include twice\ninclude twice\n");
	read_conf(NULL);
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(settings.policy_lines->allow.n, 2);
}
END_TEST

START_TEST(depth_is_limited)
{
	char name[16], text[64];

	for (unsigned i = 1; i <= INCLUDE_DEPTH; i++) {
		snprintf(name, sizeof(name), "%u", i);
		snprintf(text, sizeof(text), "include %u\n", i + 1);
		put(name, i < INCLUDE_DEPTH ? text : "server-id deep\n");
	}
	check("include 1\n", "");
	ck_assert_str_eq(id(), "deep");
	snprintf(name, sizeof(name), "%d", INCLUDE_DEPTH);
	put(name, "include *\n");
	check("include 1\n",
	    "error @/10:1: include: files can include one another 10 deep, and this one is\n");
}
END_TEST

START_TEST(size_is_that_of_all_files)
{
	int fd;

	put("zero.conf", "");
	fd = open(path_of("zero.conf"), O_WRONLY);
	ck_assert_int_eq(ftruncate(fd, 10), 0);
	check("include zero.conf\n",
	    "error @/t.conf:1: include: '@/zero.conf' has zero bytes in it and is no "
	    "configuration\n");
	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX + 1), 0);
	check("include zero.conf\n",
	    "error @/t.conf:1: include: '@/zero.conf' cannot be read: larger than 64 MiB\n");
	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX), 0);
	check("include zero.conf\n",
	    "error @/t.conf:1: include: '@/zero.conf' and what was read before are larger than 64 "
	    "MiB\n");
	close(fd);
}
END_TEST

/* In a chroot a path may still have its name before. */
START_TEST(inside_of_a_chroot)
{
	char word[PATH], out[INCLUDE_PATH];

	ck_assert_int_eq(include_path("/etc/t.conf", "/jail/etc/x", "/jail", out), 0);
	ck_assert_str_eq(out, "/etc/x");
	ck_assert_int_eq(include_path("/etc/t.conf", "/etc/x", "/jail", out), 0);
	ck_assert_str_eq(out, "/etc/x");
	ck_assert_int_eq(include_path("/etc/t.conf", "/jail/etc/x", NULL, out), 0);
	ck_assert_str_eq(out, "/jail/etc/x");
	ck_assert_int_eq(include_path("/etc/t.conf", "d/*", "/jail", out), 0);
	ck_assert_str_eq(out, "/etc/d/*");
	ck_assert_int_eq(include_path("t.conf", "d/*", NULL, out), 0);
	ck_assert_str_eq(out, "d/*");
	snprintf(word, sizeof(word), "include /jail%s/x\n", dir);
	put("t.conf", word);
	put("x", "server-id inside\n");
	read_conf("/jail");
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(id(), "inside");
}
END_TEST

START_TEST(paths_have_an_end)
{
	static char from[INCLUDE_PATH + 10], out[INCLUDE_PATH];

	memset(from, 'f', sizeof(from) - 1);
	from[INCLUDE_PATH - 3] = '/';
	ck_assert_int_eq(include_path(from, "x", NULL, out), 0);
	ck_assert_int_lt(include_path(from, "xy", NULL, out), 0);
}
END_TEST

/* A text that is no file, and a prefix-file. */
START_TEST(where_it_is_not_followed)
{
	said_nothing(&said, "include /no/such/file\n", &settings);
	said_init(&said);
	settings_fini(&settings);
	conffile_parse_prefixes("include x\n", 10, &settings, &said.diag);
	ck_assert_str_eq(said.text,
	    "error t.conf:1: include: cannot stand in the prefix-file; allowed are dns64-prefix "
	    "and client blocks with it\n");
}
END_TEST

START_TEST(thousand_files)
{
	char name[24], text[64];
	struct timespec before, after;

	subdirectory("d");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "d/%04u.conf", i);
		snprintf(text, sizeof(text), "# %u\nclient 10.%u.%u.0/24 {\n\thide-a %s\n}\n", i,
		    i / 256, i % 256, i == 777 ? "maybe" : "yes");
		put(name, text);
	}
	clock_gettime(CLOCK_MONOTONIC, &before);
	check("include d/*.conf\nserver-id end\n",
	    "error @/d/0777.conf:3: hide-a: 'maybe' is not one of no|yes\n");
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_uint_eq(settings.policy_lines->all.n, 1001);
	ck_assert_str_eq(id(), "end");
	ck_assert_uint_eq(
	    places_at(&settings.places, policy_lines_at(settings.policy_lines, 1000)->line).line,
	    2);
	ck_assert_int_lt(after.tv_sec - before.tv_sec, 10);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, files_are_read_in_order);
	tcase_add_test(tc, what_is_not_there);
	tcase_add_test(tc, what_is_no_file);
	tcase_add_test(tc, links_are_followed);
	tcase_add_test(tc, messages_name_the_file);
	tcase_add_test(tc, blocks_do_not_span_files);
	tcase_add_test(tc, circles_are_told);
	tcase_add_test(tc, depth_is_limited);
	tcase_add_test(tc, size_is_that_of_all_files);
	tcase_add_test(tc, inside_of_a_chroot);
	tcase_add_test(tc, paths_have_an_end);
	tcase_add_test(tc, where_it_is_not_followed);
	tcase_add_test(tc, thousand_files);
	tcase_add_test(tc, others_cannot_read_what_they_may_not);
}
