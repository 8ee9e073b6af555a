/* SPDX-License-Identifier: BSD-2-Clause */
/* resolv.conf(5): its nameserver lines and nothing else. */

#include "config/resolvconf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

#define LINE_ROOM 512 /* resolvconf.c's: a line and its end */

static size_t
parse(const char *text, struct netaddr *out, size_t cap)
{
	return resolvconf_parse(text, strlen(text), out, cap);
}

START_TEST(nameserver_lines_are_read)
{
	struct netaddr found[8];
	char text[NETADDR_TEXT];

	ck_assert_uint_eq(
	    parse("# by hand\nsearch example.com\nnameserver 192.0.2.1\n"
		  "nameserver\t2001:db8::1 # second\r\noptions ndots:1\nnameserver fe80::1%lo",
		found, 8),
	    3);
	ck_assert_str_eq(netaddr_format(&found[0], text), "192.0.2.1#53");
	ck_assert_str_eq(netaddr_format(&found[1], text), "2001:db8::1#53");
	ck_assert_str_eq(netaddr_format(&found[2], text), "fe80::1%lo#53");
}
END_TEST

static const char *const others[] = { "", "\n\n", "nameserver", "nameserver\n", "nameserver   \n",
	"nameservers 192.0.2.1\n", "#nameserver 192.0.2.1\n", ";nameserver 192.0.2.1\n",
	" nameserver 192.0.2.1\n", "nameserver example.com\n", "nameserver 192.0.2.1.1\n",
	"nameserver fe80::1%nosuch0\n", "domain nameserver 192.0.2.1\n" };

START_TEST(other_lines_are_passed_over)
{
	struct netaddr found[2];

	ck_assert_uint_eq(parse(others[_i], found, 2), 0);
}
END_TEST

START_TEST(no_more_than_fit)
{
	struct netaddr found[2];

	ck_assert_uint_eq(
	    parse("nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\n", found, 2),
	    2);
	ck_assert_uint_eq(found[1].addr[3], 2);
}
END_TEST

START_TEST(long_lines_are_passed_over)
{
	char text[1024];
	struct netaddr found[2];

	memset(text, 'x', sizeof(text));
	snprintf(text + 600, sizeof(text) - 600, "\nnameserver 192.0.2.1\n");
	ck_assert_uint_eq(parse(text, found, 2), 1);
}
END_TEST

/* Each length around the longest line that is read: with its end it fills the room, or it has none.
 */
START_TEST(line_of_the_rooms_size_is_passed_over)
{
	static const char line[] = "nameserver 192.0.2.1 ";
	char text[LINE_ROOM + 8];
	struct netaddr found[2];

	for (size_t len = LINE_ROOM - 2; len <= LINE_ROOM + 2; len++) {
		memset(text, '#', sizeof(text));
		memcpy(text, line, sizeof(line) - 1);
		ck_assert_uint_eq(resolvconf_parse(text, len, found, 2), len < LINE_ROOM);
		text[len] = '\n';
		ck_assert_uint_eq(resolvconf_parse(text, len + 1, found, 2), len < LINE_ROOM);
	}
}
END_TEST

START_TEST(unreadable_file_is_an_error)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	struct netaddr found[2];
	size_t n = 77;

	ck_assert_int_eq(resolvconf_read("/nonexistent/resolv.conf", found, 2, &n), -ENOENT);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(write(fd, "nameserver 192.0.2.1\n", 21), 21);
	ck_assert_int_eq(resolvconf_read(path, found, 2, &n), 0);
	ck_assert_uint_eq(n, 1);
	close(fd);
	unlink(path);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, nameserver_lines_are_read);
	tcase_add_loop_test(
	    tc, other_lines_are_passed_over, 0, (int)(sizeof(others) / sizeof(others[0])));
	tcase_add_test(tc, no_more_than_fit);
	tcase_add_test(tc, long_lines_are_passed_over);
	tcase_add_test(tc, line_of_the_rooms_size_is_passed_over);
	tcase_add_test(tc, unreadable_file_is_an_error);
}
