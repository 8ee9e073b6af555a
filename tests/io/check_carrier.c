/* SPDX-License-Identifier: BSD-2-Clause */
/* carrier: streams begin, carry bytes, fail and end by what their transport has for that. */
#include "io/carrier.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rig.h"
#include "support/tests.h"

static int listener;
static struct conf_upstream at;
static struct carrier_link ours, theirs;

static void
setup(void)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);

	listener = rig_bound(SOCK_STREAM, &any);
	ck_assert_int_eq(listen(listener, 1), 0);
	at.addr = rig_local(listener);
	ours = theirs = CARRIER_NONE;
}

static void
teardown(void)
{
	carrier_end(&ours);
	carrier_end(&theirs);
	close(listener);
}

static void
await(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	ck_assert_int_eq(poll(&p, 1, RIG_WAIT_MS), 1);
}

static void
connect_both(void)
{
	ck_assert_int_eq(carrier_begin(&ours, TRANSPORT_TCP, &at), 0);
	ck_assert_uint_eq(ours.transport, TRANSPORT_TCP);
	await(ours.fd, POLLOUT);
	ck_assert_int_eq(carrier_feed(&ours), CARRIER_UP);
	ck_assert_ptr_null(ours.state);
	await(listener, POLLIN);
	carrier_accept(&theirs, TRANSPORT_TCP, accept(listener, NULL, NULL));
	ck_assert_int_ge(theirs.fd, 0);
}

START_TEST(bytes_go_both_ways)
{
	char one[] = "one", two[] = "and two";
	struct iovec pieces[2] = { { one, 3 }, { two, 7 } };
	uint8_t got[32];

	connect_both();
	ck_assert_int_eq(carrier_read(&ours, got, sizeof(got)), -EAGAIN);
	ck_assert_int_eq(carrier_write(&ours, pieces, 2), 10);
	await(theirs.fd, POLLIN);
	ck_assert_int_eq(carrier_read(&theirs, got, 4), 4);
	ck_assert(!theirs.more); /* the descriptor has the rest */
	ck_assert_int_eq(carrier_read(&theirs, got + 4, sizeof(got) - 4), 6);
	ck_assert_mem_eq(got, "oneand two", 10);
	ck_assert_int_eq(carrier_write(&theirs, pieces, 1), 3);
	await(ours.fd, POLLIN);
	ck_assert_int_eq(carrier_read(&ours, got, sizeof(got)), 3);
}
END_TEST

/* The other end is gone: reading ends, and writing fails without a signal. */
START_TEST(end_is_seen)
{
	char one[] = "one";
	struct iovec piece = { one, 3 };
	uint8_t got[4];
	ssize_t n;

	connect_both();
	carrier_end(&theirs);
	ck_assert_int_eq(theirs.fd, -1);
	carrier_end(&theirs); /* there is nothing to be ended */
	await(ours.fd, POLLIN);
	ck_assert_int_eq(carrier_read(&ours, got, sizeof(got)), 0);
	do
		n = carrier_write(&ours, &piece, 1);
	while (n > 0);
	ck_assert(n == -EPIPE || n == -ECONNRESET);
}
END_TEST

START_TEST(full_is_no_failure)
{
	static char much[1 << 20];
	struct iovec piece = { much, sizeof(much) };
	ssize_t n;

	connect_both();
	do
		n = carrier_write(&ours, &piece, 1);
	while (n > 0);
	ck_assert_int_eq(n, -EAGAIN);
}
END_TEST

START_TEST(nobody_listens)
{
	int r;

	close(listener);
	r = carrier_begin(&ours, TRANSPORT_TCP, &at);
	if (r == 0) {
		await(ours.fd, POLLOUT);
		r = carrier_feed(&ours);
	}
	ck_assert_int_eq(r, -ECONNREFUSED);
	listener = dup(0);
}
END_TEST

START_TEST(address_without_a_way)
{
	struct conf_upstream broadcast = { .addr = rig_addr("255.255.255.255", 53) };

	ck_assert_int_lt(carrier_begin(&ours, TRANSPORT_TCP, &broadcast), 0);
	ck_assert_int_eq(ours.fd, -1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, bytes_go_both_ways);
	tcase_add_test(tc, end_is_seen);
	tcase_add_test(tc, full_is_no_failure);
	tcase_add_test(tc, nobody_listens);
	tcase_add_test(tc, address_without_a_way);
}
