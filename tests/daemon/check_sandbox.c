/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sandbox takes from a configuration, and says of it; tests/system/sandbox.sh has what it
 * forbids in the daemon. Each test is a process of its own, as nothing takes it back. */

#include "daemon/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/listens.h"
#include "support/heard.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH], other[SCRATCH_PATH];
static struct said said;
static struct settings settings;

static void
setup(void)
{
	scratch_dir(dir);
	scratch_dir(other);
}

static void
teardown(void)
{
	(void)rmdir(dir);
	(void)rmdir(other);
}

/* Read TEXT, in which %s is OTHER. */
static void
read_settings(const char *text)
{
	char line[512];
	const char *at = strchr(text, '@');

	if (at == NULL)
		snprintf(line, sizeof(line), "%s", text);
	else
		snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - text), text, other, at + 1);
	said_init(&said);
	said_parse(&said, line, &settings);
	ck_assert_msg(said.n_errors == 0, "%s", said.text);
	listens_complete(&settings);
	/* What counts is what may come, not what is there. */
	settings.conf.io.n_listens = 0;
}

static void
begin(struct sandbox *sb, const char *text)
{
	char config[SCRATCH_PATH + 16];
	const struct sandbox_paths paths = { .config = config, .resolv_conf = "/etc/resolv.conf" };

	snprintf(config, sizeof(config), "%s/conf", dir);
	read_settings(text);
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	sandbox_start(sb, &settings, &paths);
}

START_TEST(off_is_nothing)
{
	struct sandbox sb;

	begin(&sb, "sandbox off\nnameserver 192.0.2.1\n");
	ck_assert(!sb.on);
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 1);
	ck_assert_int_eq(sandbox_loop(&sb), 0);
	ck_assert_int_eq(access(other, W_OK), 0);
	int fd = open(other, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	close(fd);
}
END_TEST

START_TEST(what_it_permits)
{
	struct sandbox sb;
	int fd;

	begin(&sb,
	    "sandbox on\nnameserver 192.0.2.1 port 5301\nnameserver 192.0.2.2\n"
	    "nameserver 192.0.2.3 port 5301\ndns64-prefix 2001:db8::/96\n"
	    "prefix-check tcp 192.0.2.4 port 5305\nclient 10.0.0.0/8 {\n"
	    "prefix-check tcp 192.0.2.4 port 5306\nprefix-check icmp 192.0.2.4\n}\nlisten ::1 port "
	    "5302\nlisten ::1 port 5303\n"
	    "listen 127.0.0.1 port 5302\nlisten nosuch0 port 5304\n");
	if (!sb.on)
		return; /* a build with sanitizers */
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
	ck_assert_uint_eq(sb.n_connects, 4);
	ck_assert(sb.connects[0] == 53 && sb.connects[1] == 5301);
	ck_assert(sb.connects[2] == 5305 && sb.connects[3] == 5306);
	ck_assert_uint_eq(sb.n_binds, 3);
	ck_assert(sb.binds[0] == 5302 && sb.binds[1] == 5303 && sb.binds[2] == 5304);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	close(fd);
	if (sb.landlock < 0)
		return; /* an old kernel */
	ck_assert_int_eq(open(other, O_RDONLY | O_DIRECTORY | O_CLOEXEC), -1);
	ck_assert_int_eq(errno, EACCES);
	ck_assert_int_eq(sandbox_loop(&sb), 0);
	ck_assert_int_eq(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), -1);
}
END_TEST

/* A query log that goes on is not told to be forbidden, though its directory may not be read;
 * another is. */
START_TEST(query_log_that_goes_on)
{
	struct sandbox sb;
	char path[SCRATCH_PATH + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/log", other);
	heard_start(LOG_LEVEL_WARN); /* it needs a file, too */
	begin(&sb, "nameserver 192.0.2.1\nquery-log @/log\n");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	sandbox_tell(&sb, &settings);
	ck_assert_int_eq(heard("query-log"), 0);
	snprintf(settings.query_log, sizeof(settings.query_log), "/tmp/no-such-log");
	sandbox_tell(&sb, &settings);
	ck_assert_int_eq(heard("query-log"), sb.on && sb.landlock >= 0 ? 1 : 0);
	heard_end();
	(void)unlink(path);
}
END_TEST

/* Why the kernel limits nothing is said in words, and as a warning with "strict". */
START_TEST(reasons_are_in_plain_words)
{
	static const struct {
		int rc;
		const char *text;
	} t[] = { { -ENOSYS, "Landlock: this kernel does not have it" },
		{ -EOPNOTSUPP, "Landlock: this kernel has it, but it is not switched on" },
		{ -EPERM, "Landlock: the system does not let this process use it" },
		{ -E2BIG, "Landlock: too many are around this process already" },
		{ -ENOMEM, "Landlock: no memory for it" }, { -EMFILE, "Landlock: no descriptor" },
		{ -EIO, "Landlock: Input/output error" } };

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct sandbox sb = { .on = true, .landlock = t[i].rc, .strict = i % 2 == 1 };

		heard_start(i % 2 == 1 ? LOG_LEVEL_WARN : LOG_LEVEL_NOTICE);
		sandbox_report(&sb);
		ck_assert_msg(heard(t[i].text) == 1, "%s", t[i].text);
		heard_end();
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tests_apart();
	tcase_add_unchecked_fixture(tc, setup, teardown);
	tcase_add_test(tc, off_is_nothing);
	tcase_add_test(tc, what_it_permits);
	tcase_add_test(tc, query_log_that_goes_on);
	tcase_add_test(tc, reasons_are_in_plain_words);
}
