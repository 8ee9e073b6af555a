/* SPDX-License-Identifier: BSD-2-Clause */
/* What a start would stumble over, seen before it, and nothing touched. */

#include "daemon/precheck.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/listens.h"
#include "control/sockpath.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH];
static struct said said;
static struct settings settings;
static struct options options;

static void
make(void)
{
	scratch_dir(dir);
	options = (struct options){ .level = -1, .foreground = true };
}

static void
unmake(void)
{
	settings_fini(&settings);
	(void)chmod(dir, 0700);
	/* Only an empty one can be removed: a check leaves nothing. */
	ck_assert_int_eq(rmdir(dir), 0);
}

/* Check a file of these lines, in which every @ is the scratch directory. */
static void
look(const char *lines)
{
	char text[1024];
	size_t len = 0;

	for (; *lines != '\0'; lines++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%.*s",
		    *lines == '@' ? (int)sizeof(dir) : 1, *lines == '@' ? dir : lines);
	settings_fini(&settings);
	said_parse(&said, text, &settings);
	ck_assert_uint_eq(said.n_errors, 0);
	listens_complete(&settings);
	precheck_all(&settings, &options, NULL, &said.diag);
}

static bool
told(const char *text)
{
	return strstr(said.text, text) != NULL;
}

/* Become somebody who owns nothing here. */
static void
leave_root(void)
{
	if (geteuid() == 0)
		ck_assert_int_eq(setresuid(61234, 61234, 61234), 0);
}

static void
touch(const char *name, mode_t mode)
{
	char path[SCRATCH_PATH + 16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(chmod(path, mode), 0);
}

static void
drop(const char *name)
{
	char path[SCRATCH_PATH + 16];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(unlink(path), 0);
}

START_TEST(sound_configuration_has_nothing_to_tell)
{
	look("user none\npidfile @/pid\ncache-file @/cache\n");
	ck_assert_str_eq(said.text, "");
	touch("pid", 0644);
	touch("cache", 0600);
	look("user none\npidfile @/pid\ncache-file @/cache\n");
	ck_assert_str_eq(said.text, "");
	drop("pid");
	drop("cache");
}
END_TEST

/* All at once, each with its line. */
START_TEST(missing_files_are_all_told)
{
	char path[SCRATCH_PATH + 8];

	look("user no-such-user\ngroup no-such-group\nchroot @/x\npidfile @/x/pid\n"
	     "cache-file @/x/cache\n");
	ck_assert(told("error t.conf:1: user: 'no-such-user' does not exist; create it or name "
		       "another\n"));
	ck_assert(told("error t.conf:2: group: 'no-such-group' does not exist; create it or name "
		       "another\n"));
	ck_assert(told("error t.conf:3: chroot: '/"));
	ck_assert(
	    told("/x' cannot be entered: No such file or directory; allowed is a directory that "
		 "is there, or none\n"));
	ck_assert(told("error t.conf:4: pidfile: '/"));
	ck_assert(told("/x/pid' cannot be written: No such file or directory; allowed is "));
	look("user none\ncache-file @/x/cache\n");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert(told("error t.conf:2: cache-file: '/"));
	ck_assert(
	    told("/x/cache' cannot be read and replaced: No such file or directory; it must "));
	look("user none\nquery-log @/x/log\n");
	ck_assert(
	    told("/x/log' cannot be written by the daemon's user: No such file or directory; "));
	look("user none\nquery-log @/log\n");
	ck_assert(!told("query-log"));
	look("user none\nquery-log @\n");
	ck_assert(told("' cannot be written by the daemon's user: Is a directory; "));
	snprintf(path, sizeof(path), "%s/link", dir);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	look("user none\nquery-log @/link\n");
	ck_assert(told("cannot be written by the daemon's user: a symbolic link, which is not"));
	ck_assert_int_eq(unlink(path), 0);
	look("user none\nquery-log /dev/null\n");
	ck_assert(!told("query-log"));
	/* Without a cache nobody looks for its file. */
	look("user none\ncache-size 0\ncache-file @/x/cache\n");
	ck_assert_uint_eq(said.n_errors, 0);
}
END_TEST

/* An option is not blamed on a line of the file. */
START_TEST(from_the_command_line)
{
	options.n_overrides = 1;
	options.overrides[0] = (struct options_override){ "user", "no-such-user" };
	look("user no-such-user\n");
	ck_assert_str_eq(said.text,
	    "error command line: user: 'no-such-user' does not exist; create "
	    "it or name another\n");
}
END_TEST

START_TEST(of_the_wrong_kind)
{
	char path[SCRATCH_PATH + 16];

	snprintf(path, sizeof(path), "%s/pid", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	look("user none\npidfile @/pid\nchroot @/pid\n");
	ck_assert(told("pidfile: '/") && told("/pid' cannot be written: not a regular file; "));
	ck_assert(told("chroot: '/") && told("/pid' cannot be entered: Not a directory; "));
	look("user none\ncache-file @/pid\n");
	ck_assert(told("/pid' cannot be read and replaced: not a regular file; "));
	drop("pid");
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	look("user none\npidfile @/pid\ncache-file @/pid\n");
	ck_assert(told("/pid' cannot be written: a symbolic link, which is not followed; "));
	ck_assert(
	    told("/pid' cannot be read and replaced: a symbolic link, which is not followed; "));
	look("user none\npidfile @\n");
	ck_assert(told("' cannot be written: Is a directory; "));
	drop("pid");
}
END_TEST

START_TEST(control_socket)
{
	char sock[SCRATCH_PATH + 8];
	struct sockpath s;

	look("user none\npidfile none\ncontrol-socket @/s\n");
	ck_assert_str_eq(said.text, "");
	look("user none\npidfile none\ncontrol-socket @\n");
	ck_assert(told("control-socket: '/") && told("that is no socket, or that of another user"));
	look("user none\npidfile none\ncontrol-socket /nonexistent/s\n");
	ck_assert(told("'/nonexistent/s' cannot be made: No such file or directory; "));
	look("user none\npidfile none\ncontrol-group no-such-group\n");
	ck_assert(told("control-group: 'no-such-group' does not exist"));
	/* The daemon that runs may be the one that this is checked for. */
	snprintf(sock, sizeof(sock), "%s/s", dir);
	ck_assert_int_eq(
	    sockpath_open(&s, sock, &(struct sockpath_owner){ geteuid(), getegid() }), 0);
	look("user none\npidfile none\ncontrol-socket @/s\n");
	ck_assert_str_eq(said.text, "");
	sockpath_close(&s);
}
END_TEST

/*
 * Root sees with the eyes of the user that it would become; of itself too, less its capabilities.
 */
START_TEST(root_looks_as_the_user_it_becomes)
{
	if (geteuid() != 0 || getpwnam("nobody") == NULL)
		return;
	look("user nobody\npidfile @/pid\ncache-file @/cache\n");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert(told("error t.conf:3: cache-file: '/"));
	ck_assert(told("/cache' cannot be read and replaced by user nobody: Permission denied; "));
	ck_assert_int_eq(chown(dir, getpwnam("nobody")->pw_uid, 0), 0);
	look("user nobody\ncache-file @/cache\n");
	ck_assert_str_eq(said.text, "");
	look("user none\ncache-file @/cache\n");
	ck_assert_uint_eq(said.n_errors, 1);
	touch("cache", 0600);
	look("user nobody\ncache-file @/cache\n");
	ck_assert_uint_eq(said.n_errors, 1);
	drop("cache");
	ck_assert_int_eq(chown(dir, 0, 0), 0);
	/* From inside the chroot. */
	look("user nobody\nchroot @\nquery-log /log\n");
	ck_assert_uint_eq(said.n_errors, 0); /* but it would serve */
	ck_assert(
	    told("warning t.conf:3: query-log: '/log' cannot be written by the daemon's user: "
		 "Permission denied; lines will be lost"));
	ck_assert_int_eq(chmod(dir, 0777), 0);
	look("user nobody\nchroot @\nquery-log /log\n");
	ck_assert_str_eq(said.text, "");
	look("user nobody\nchroot @\ncache-file /cache\n");
	ck_assert_str_eq(said.text, "");
	look("user nobody\nchroot @\ncache-file @/cache\n");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_int_eq(chmod(dir, 0700), 0);
}
END_TEST

/* What a reload could not read any more, as another user or from inside of the chroot. */
START_TEST(root_looks_whether_a_reload_can_read)
{
	char path[SCRATCH_PATH + 16];

	if (geteuid() != 0 || getpwnam("nobody") == NULL)
		return;
	snprintf(path, sizeof(path), "%s/b.conf", dir);
	touch("b.conf", 0600);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	look("user nobody\n");
	/* As if conffile_read had read them. */
	places_fini(&settings.places);
	ck_assert_uint_eq(places_add(&settings.places, "/dev/null"), 0);
	ck_assert_uint_eq(places_add(&settings.places, path), 1);
	said_init(&said);
	precheck_all(&settings, &options, NULL, &said.diag);
	ck_assert_uint_eq(said.n_warnings, 1);
	ck_assert(told("warning t.conf: a reload will fail: /"));
	ck_assert(told("/b.conf cannot be read by the daemon's user: Permission denied\n"));
	ck_assert_int_eq(chmod(path, 0644), 0);
	said_init(&said);
	precheck_all(&settings, &options, NULL, &said.diag);
	ck_assert_str_eq(said.text, "");
	/* Looked for in a directory that others may not list; in one that is not there nothing is.
	 */
	places_look(&settings.places, "/no-such-directory/*");
	places_look(&settings.places, path);
	ck_assert_int_eq(chmod(dir, 0711), 0);
	precheck_all(&settings, &options, NULL, &said.diag);
	ck_assert(told("/ cannot be read by the daemon's user: Permission denied\n"));
	ck_assert_int_eq(chmod(dir, 0755), 0);
	/* /dev/null is not in there. */
	snprintf(settings.chroot, sizeof(settings.chroot), "%s", dir);
	said_init(&said);
	precheck_all(&settings, &options, NULL, &said.diag);
	ck_assert(told("warning t.conf: a reload will fail: /dev/null cannot be read by the "
		       "daemon's user inside of the chroot: No such file or directory\n"));
	drop("b.conf");
}
END_TEST

/* Others judge for themselves; and where only root could start it, not what root may. */
START_TEST(others_than_root_are_told_what_they_cannot)
{
	bool was_root = geteuid() == 0;

	leave_root();
	if (!was_root)
		ck_assert_int_eq(chmod(dir, 0500), 0);
	look("pidfile @/pid\ncache-file @/cache\n");
	ck_assert_uint_eq(said.n_errors, 2);
	ck_assert(told("/pid' cannot be written: Permission denied; "));
	ck_assert(told("/cache' cannot be read and replaced: Permission denied; "));
	look("user root\npidfile @/pid\ncache-file @/cache\n");
	ck_assert_str_eq(said.text, "");
	look("chroot @\npidfile @/pid\n");
	ck_assert_str_eq(said.text, "");
	look("user root\npidfile /nonexistent/pid\ncache-file /nonexistent/cache\n");
	ck_assert_uint_eq(said.n_errors, 2);
	look("user no-such-user\n");
	ck_assert_uint_eq(said.n_errors, 1);
}
END_TEST

/* Before a start whom to become is an error, and is known afterwards. */
START_TEST(start_without_the_user_is_an_error)
{
	struct privileges p;

	settings_fini(&settings);
	said_parse(&said, "user none\n", &settings);
	precheck_start(&settings, &options, &p, &said.diag);
	ck_assert_str_eq(said.text, "");
	ck_assert(!p.change_uid && p.uid == geteuid());
	leave_root();
	settings_fini(&settings);
	said_parse(&said, "user root\ngroup no-such-group\n", &settings);
	precheck_start(&settings, &options, &p, &said.diag);
	ck_assert_str_eq(said.text,
	    "error t.conf:1: user: only root can become 'root'\n"
	    "error t.conf:2: group: 'no-such-group' does not exist; create it "
	    "or name another\n");
}
END_TEST

/* An address or an interface may come later, or be a slip of the pen: a warning. */
START_TEST(missing_address_is_a_warning)
{
	look("user none\nlisten 127.0.0.1\nlisten ::\nlisten 192.0.2.77\n");
	ck_assert_uint_eq(said.n_errors, 0);
	ck_assert_uint_eq(said.n_warnings, 1);
	ck_assert(told("warning t.conf:4: listen: 192.0.2.77 is no address of this machine now; "));
	look("user none\nlisten nosuch0\nlisten lo\nlisten fe80::1%nosuch1\n");
	ck_assert_uint_eq(said.n_warnings, 2);
	ck_assert(told("warning t.conf:2: listen: there is no interface nosuch0 now; "));
	ck_assert(told("warning t.conf:4: listen: there is no interface nosuch1 now; "));
	look("user none\nlisten fe80::77%lo\n");
	ck_assert(
	    told("warning t.conf:2: listen: fe80::77%lo is no address of this machine now; "));
	look("user none\nlisten 192.0.2.77\nfreebind yes\n");
	ck_assert_str_eq(said.text, "");
	/* Nobody named these. */
	look("user none\n");
	ck_assert_str_eq(said.text, "");
}
END_TEST

void
tests_add(TCase *tc)
{
	TCase *other = tests_case("as somebody else");

	/* Tests change who the process is; each must have its own. */
	tests_apart();
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, sound_configuration_has_nothing_to_tell);
	tcase_add_test(tc, missing_files_are_all_told);
	tcase_add_test(tc, from_the_command_line);
	tcase_add_test(tc, of_the_wrong_kind);
	tcase_add_test(tc, control_socket);
	tcase_add_test(tc, missing_address_is_a_warning);
	tcase_add_test(tc, root_looks_as_the_user_it_becomes);
	tcase_add_test(tc, root_looks_whether_a_reload_can_read);
	/* The directory is root's: it is made and removed by the process that stays root. */
	tcase_add_unchecked_fixture(other, make, unmake);
	tcase_add_test(other, others_than_root_are_told_what_they_cannot);
	tcase_add_test(other, start_without_the_user_is_an_error);
}
