/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's list of addresses, as it came once, whole, cut and changed; and this machine's. */

#include "config/hostaddr.h"

#include <linux/netlink.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/hex.h"
#include "support/tests.h"

#define N_ALL 7      /* addresses in captured */
#define FIRST_LEN 76 /* bytes of its first message, about 127.0.0.1 */
#define LABEL_AT 40  /* where the label's attribute is, "lo" */
#define FLAGS_AT 52  /* where the lowest byte of that one's flags is */
#define LAST_AT 56   /* and where its last attribute is */

/*
 * As Linux answered RTM_GETADDR on a machine whose low bytes are first: 127.0.0.1; 192.0.2.1, whose
 * peer is 192.0.2.2; ::1; fe80:: of interface 2, tentative; 2001:db8::53, tentative; 2001:db8::1,
 * whose peer is 2001:db8::2; fe80:: of interface 3, tentative; the end.
 */
static const char dump[] =
    "4c0000001400020001000000ee0b0000 020880fe01000000"
    "080001007f000001 080002007f000001 070003006c6f0000 0800080080000000"
    "14000600ffffffffffffffffa6a15900a6a15900"
    "4c0000001400020001000000ee0b0000 0220800003000000"
    "08000100c0000202 08000200c0000201 0700030064300000 0800080080000000"
    "14000600ffffffffffffffffa8a15900a8a15900"
    "500000001400020001000000ee0b0000 0a8080fe01000000"
    "1400010000000000000000000000000000000001"
    "14000600ffffffffffffffffa6a15900a6a15900 0800080080000000 05000b0001000000"
    "500000001400020001000000ee0b0000 0a40c0fd02000000"
    "14000100fe80000000000000a88dcdfffefeb021"
    "14000600ffffffffffffffffa7a15900a7a15900 08000800c0000000 05000b0003000000"
    "480000001400020001000000ee0b0000 0a40c00003000000"
    "1400010020010db8000000000000000000000053"
    "14000600ffffffffffffffffa8a15900a8a15900 08000800c0000000"
    "5c0000001400020001000000ee0b0000 0a80820003000000"
    "1400020020010db8000000000000000000000001"
    "1400010020010db8000000000000000000000002"
    "14000600ffffffffffffffffa8a15900a8a15900 0800080082000000"
    "500000001400020001000000ee0b0000 0a40c0fd03000000"
    "14000100fe80000000000000685a24fffe216d96"
    "14000600ffffffffffffffffa7a15900a7a15900 08000800c0000000 05000b0003000000"
    "140000000300020001000000ee0b0000 00000000";
static alignas(struct nlmsghdr) uint8_t captured[576];
static const uint16_t one = 1;
#define LITTLE (*(const uint8_t *)&one == 1)

static struct array list;

static void
setup(void)
{
	ck_assert_uint_eq(hex_read(dump, captured, sizeof(captured)), sizeof(captured));
	list = (struct array){ .n = 0 };
}

static void
teardown(void)
{
	array_fini(&list);
}

static const struct hostaddr *
find(const char *text)
{
	const struct hostaddr *all = list.items;

	for (size_t i = 0; i < list.n; i++) {
		char own[NETADDR_TEXT];
		struct netaddr a = all[i].addr;

		a.scope = 0;
		if (strcmp(netaddr_format(&a, own), text) == 0)
			return &all[i];
	}
	return NULL;
}

START_TEST(all_of_a_list)
{
	enum hostaddr_more more;
	bool changed = false;

	if (!LITTLE)
		return;
	ck_assert(hostaddr_parse(captured, sizeof(captured), &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_END);
	ck_assert_uint_eq(list.n, N_ALL);
	ck_assert(!changed);
	ck_assert_int_eq(find("127.0.0.1")->state, HOSTADDR_USABLE);
	ck_assert_uint_eq(find("127.0.0.1")->index, 1);
	ck_assert_uint_eq(find("127.0.0.1")->prefix_len, 8);
	ck_assert_str_eq(find("127.0.0.1")->label, ""); /* the interface's name is none */
	ck_assert_uint_eq(find("2001:db8::53")->prefix_len, 64);
	/* Its own address, not the peer's. */
	ck_assert_int_eq(find("192.0.2.1")->state, HOSTADDR_USABLE);
	ck_assert_int_eq(find("2001:db8::1")->state, HOSTADDR_USABLE);
	ck_assert_ptr_null(find("192.0.2.2"));
	ck_assert_ptr_null(find("2001:db8::2"));
	ck_assert_int_eq(find("2001:db8::53")->state, HOSTADDR_TENTATIVE);
	ck_assert_uint_eq(find("2001:db8::53")->addr.scope, 0);
	ck_assert_uint_eq(((const struct hostaddr *)list.items)[3].addr.scope, 2);
}
END_TEST

/* A copy of its own size, so that a sanitizer or valgrind sees what reads beyond the end. */
static uint8_t *
copy_of(size_t len)
{
	uint8_t *copy = malloc(len + (len == 0));

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, captured, len);
	return copy;
}

START_TEST(cut_anywhere)
{
	enum hostaddr_more more;
	bool changed = false;

	for (size_t len = 0; len <= sizeof(captured); len++) {
		uint8_t *copy = copy_of(len);

		list.n = 0;
		ck_assert(hostaddr_parse(copy, len, &list, &changed, &more));
		ck_assert_uint_le(list.n, N_ALL);
		if (LITTLE)
			ck_assert((more == HOSTADDR_END) == (len == sizeof(captured)));
		free(copy);
	}
}
END_TEST

START_TEST(any_byte_changed)
{
	enum hostaddr_more more;
	bool changed = false;
	uint8_t *copy = copy_of(sizeof(captured));

	for (size_t at = 0; at < sizeof(captured); at++) {
		for (unsigned v = 0; v < 256; v++) {
			copy[at] = (uint8_t)v;
			list.n = 0;
			ck_assert(hostaddr_parse(copy, sizeof(captured), &list, &changed, &more));
			ck_assert_uint_le(list.n, N_ALL);
		}
		copy[at] = captured[at];
	}
	free(copy);
}
END_TEST

/* A list that changed while it was read is read to its end all the same; an error is an error. */
START_TEST(interrupted)
{
	enum hostaddr_more more;
	bool changed = false;
	alignas(struct nlmsghdr) uint8_t copy[sizeof(captured)];

	if (!LITTLE)
		return;
	memcpy(copy, captured, sizeof(captured));
	copy[6] |= 0x10; /* NLM_F_DUMP_INTR */
	ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_END);
	ck_assert(changed);
	ck_assert_uint_eq(list.n, N_ALL);
	list.n = 0;
	/* It stays so for the parts that follow. */
	ck_assert(hostaddr_parse(captured, sizeof(captured), &list, &changed, &more));
	ck_assert(changed);
	list.n = 0;
	changed = false;
	memcpy(copy, captured, sizeof(captured));
	copy[4] = 2; /* NLMSG_ERROR */
	ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_ERROR);
	ck_assert_uint_eq(list.n, 0);
	/* The last attribute of the first message is longer than what is left of that. */
	memcpy(copy, captured, sizeof(captured));
	ck_assert_uint_eq(copy[LAST_AT], FIRST_LEN - LAST_AT);
	copy[LAST_AT] = FIRST_LEN - LAST_AT + 4;
	ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_ERROR);
	ck_assert_uint_eq(list.n, 0);
	/* One that is skipped is 4 GB long. */
	memcpy(copy, captured, sizeof(captured));
	memset(copy, 0xff, sizeof(uint32_t));
	copy[0] = 0xf0;
	copy[4] = 1; /* NLMSG_NOOP */
	ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_ERROR);
	/* A part: the end is still to come. */
	ck_assert(hostaddr_parse(captured, FIRST_LEN, &list, &changed, &more));
	ck_assert_int_eq(more, HOSTADDR_MORE);
	ck_assert_uint_eq(list.n, 1);
}
END_TEST

START_TEST(flags)
{
	static const struct {
		uint8_t flags;
		enum hostaddr_state state;
	} rows[] = { { 0x80, HOSTADDR_USABLE }, { 0x40, HOSTADDR_TENTATIVE },
		{ 0x44, HOSTADDR_USABLE }, /* optimistic */
		{ 0x48, HOSTADDR_DUPLICATE }, { 0x08, HOSTADDR_DUPLICATE } };
	alignas(struct nlmsghdr) uint8_t copy[FIRST_LEN];
	enum hostaddr_more more;
	bool changed = false;

	if (!LITTLE)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(copy, captured, sizeof(copy));
		ck_assert_uint_eq(copy[FLAGS_AT], 0x80); /* permanent */
		copy[FLAGS_AT] = rows[i].flags;
		list.n = 0;
		ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
		ck_assert_int_eq(find("127.0.0.1")->state, rows[i].state);
	}
}
END_TEST

/* A label that is not the interface's name; without the NUL at its end it is none. */
START_TEST(labels)
{
	static const struct {
		char text[3];
		const char *label;
	} rows[] = { { "l:", "l:" }, { { 'l', ':', '1' }, "" } };
	alignas(struct nlmsghdr) uint8_t copy[FIRST_LEN];
	enum hostaddr_more more;
	bool changed = false;

	if (!LITTLE)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(copy, captured, sizeof(copy));
		ck_assert_uint_eq(copy[LABEL_AT], 4 + sizeof(rows[i].text));
		memcpy(&copy[LABEL_AT + 4], rows[i].text, sizeof(rows[i].text));
		list.n = 0;
		ck_assert(hostaddr_parse(copy, sizeof(copy), &list, &changed, &more));
		ck_assert_str_eq(find("127.0.0.1")->label, rows[i].label);
	}
}
END_TEST

START_TEST(of_this_machine)
{
	size_t n;

	ck_assert_int_eq(hostaddr_list(&list), 0);
	n = list.n;
	ck_assert_int_eq(hostaddr_list(&list), 0); /* behind what is there */
	ck_assert_uint_eq(list.n, 2 * n);
}
END_TEST

START_TEST(watch_is_quiet)
{
	int fd = hostaddr_watch();

	ck_assert_int_ge(fd, 0);
	hostaddr_drain(fd); /* does not wait */
	close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, all_of_a_list);
	tcase_add_test(tc, cut_anywhere);
	tcase_add_test(tc, any_byte_changed);
	tcase_add_test(tc, interrupted);
	tcase_add_test(tc, flags);
	tcase_add_test(tc, labels);
	tcase_add_test(tc, of_this_machine);
	tcase_add_test(tc, watch_is_quiet);
}
