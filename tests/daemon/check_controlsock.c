/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether there is to be a control socket, and whose it is. */

#include "daemon/controlsock.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/control.h"
#include "support/heard.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH];
static struct said said;
static struct settings settings;
static struct privileges me;

static void
setup(void)
{
	scratch_dir(dir);
	me = (struct privileges){ .uid = geteuid(), .gid = getegid() };
}

static void
teardown(void)
{
	ck_assert_int_eq(rmdir(dir), 0);
}

/* Settings with FORMAT, in which %s is the directory. */
static void
read_settings(const char *format)
{
	char text[512];
	const char *at = strstr(format, "%s");

	if (at == NULL)
		snprintf(text, sizeof(text), "%s", format);
	else
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - format), format, dir, at + 2);
	said_nothing(&said, text, &settings);
}

START_TEST(none_and_usual)
{
	struct sockpath s = { .fd = 7 };

	read_settings("control-socket none\n");
	ck_assert_ptr_null(control_path(&settings));
	ck_assert(controlsock_open(&settings, true, &me, &s));
	ck_assert_int_eq(s.fd, -1);
	read_settings("");
	ck_assert_str_eq(control_path(&settings), sockpath_usual());
}
END_TEST

START_TEST(at_its_path)
{
	struct sockpath s, second;
	struct stat st;

	read_settings("control-socket %s/s\n");
	ck_assert(controlsock_open(&settings, true, &me, &s));
	ck_assert_int_ge(s.fd, 0);
	ck_assert_str_eq(s.path, settings.control_socket);
	ck_assert_int_eq(lstat(s.path, &st), 0);
	ck_assert_uint_eq(st.st_gid, getegid());
	/* Another daemon with the same path is told so, and the first goes on. */
	heard_start(LOG_LEVEL_ERROR);
	ck_assert(!controlsock_open(&settings, true, &me, &second));
	ck_assert_uint_eq(heard("somebody answers there already"), 1);
	heard_end();
	ck_assert_int_eq(lstat(s.path, &st), 0);
	sockpath_close(&s);
}
END_TEST

START_TEST(group_of_its_own)
{
	struct sockpath_owner owner;
	struct sockpath s;
	struct stat st;

	read_settings("control-socket %s/s\ncontrol-group 12345\n");
	ck_assert(controlsock_owner(&settings, &me, &owner));
	ck_assert_uint_eq(owner.gid, 12345);
	ck_assert_uint_eq(owner.uid, geteuid());
	if (geteuid() == 0) {
		ck_assert(controlsock_open(&settings, true, &me, &s));
		ck_assert_int_eq(lstat(s.path, &st), 0);
		ck_assert_uint_eq(st.st_gid, 12345);
		sockpath_close(&s);
	}
	read_settings("control-socket %s/s\ncontrol-group no-such-group\n");
	heard_start(LOG_LEVEL_ERROR);
	ck_assert(!controlsock_open(&settings, true, &me, &s));
	ck_assert_uint_eq(heard("control-group: 'no-such-group' does not exist"), 1);
	heard_end();
}
END_TEST

START_TEST(where_it_cannot_be)
{
	struct sockpath s;

	read_settings("control-socket /nonexistent/s\n");
	heard_start(LOG_LEVEL_ERROR);
	ck_assert(!controlsock_open(&settings, false, &me, &s));
	ck_assert_uint_eq(heard("control-socket /nonexistent/s: No such file"), 1);
	heard_end();
}
END_TEST

/* Who shares the account nobody with the daemon may not tell it anything. */
START_TEST(account_that_others_share)
{
	struct sockpath_owner o;
	struct privileges p;
	struct privileges_wrong wrong;

	if (geteuid() != 0 || getpwnam("nobody") == NULL)
		return;
	read_settings("");
	ck_assert(privileges_find("nobody", "none", &p, &wrong));
	ck_assert_uint_ne(p.uid, 0);
	ck_assert(controlsock_owner(&settings, &p, &o));
	ck_assert(o.uid == 0 && o.gid == 0);
	read_settings("control-group 61235\n");
	ck_assert(controlsock_owner(&settings, &p, &o));
	ck_assert(o.uid == 0 && o.gid == 61235);
	/* An account of its own is the owner. */
	read_settings("");
	ck_assert(privileges_find("61234", "61235", &p, &wrong));
	ck_assert(controlsock_owner(&settings, &p, &o));
	ck_assert(o.uid == 61234 && o.gid == 61235);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, none_and_usual);
	tcase_add_test(tc, at_its_path);
	tcase_add_test(tc, group_of_its_own);
	tcase_add_test(tc, where_it_cannot_be);
	tcase_add_test(tc, account_that_others_share);
}
