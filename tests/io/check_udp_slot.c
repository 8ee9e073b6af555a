/* SPDX-License-Identifier: BSD-2-Clause */
/* udp_slot: which datagrams leave as a run, and in which order. */
#include "io/udp_slot.h"

#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "support/tests.h"

#define SLOTS 512

static struct udp_slot slots[SLOTS];
static struct udp_slot *at[SLOTS], *spare[SLOTS];

static void
setup(void)
{
	memset(slots, 0, sizeof(slots));
	for (uint16_t i = 0; i < SLOTS; i++) {
		slots[i].iov = (struct iovec){ .iov_base = &slots[i], .iov_len = 50 };
		at[i] = &slots[i];
	}
}

/* The N slots from the first on have LENS. */
static void
lengths(const size_t *lens, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		slots[i].iov.iov_len = lens[i];
}

/* SLOT goes from LOCAL (NULL: the socket's own address) to PEER. */
static void
direct(struct udp_slot *slot, const char *peer, uint16_t port, const char *local)
{
	struct netaddr to = rig_addr(peer, port), from = { .family = NETADDR_NONE };

	if (local != NULL)
		from = rig_addr(local, 0);
	memset(&slot->control, 0xee, sizeof(slot->control)); /* of what it had before */
	slot->name_len = netaddr_to_sockaddr(&to, &slot->name);
	udp_slot_from(slot, &from);
}

static const struct {
	size_t lens[6];
	unsigned n, run;
} runs[] = {
	{ { 50 }, 1, 1 },
	{ { 50, 50, 50 }, 3, 3 },
	{ { 50, 50, 49, 49 }, 4, 3 }, /* the last may be shorter */
	{ { 50, 49, 50 }, 3, 2 },
	{ { 50, 51, 51 }, 3, 1 },
	{ { 50, 50, 51 }, 3, 2 },
	{ { 50, 0, 50 }, 3, 1 }, /* an empty one would be none */
	{ { UDP_RUN_PIECE, UDP_RUN_PIECE, 1 }, 3, 3 },
	{ { UDP_RUN_PIECE + 1, UDP_RUN_PIECE + 1 }, 2, 1 },
	{ { UDP_RUN_PIECE + 1, 50 }, 2, 1 },
};

START_TEST(run_is_of_one_length)
{
	lengths(runs[_i].lens, runs[_i].n);
	if (runs[_i].run > 1)
		ck_assert(!udp_slot_alone(&slots[0], &slots[1]));
	ck_assert_uint_eq(udp_slot_run(at, runs[_i].n), runs[_i].run);
}
END_TEST

/* No more than the kernel takes: in datagrams, and in bytes. */
START_TEST(run_has_an_end)
{
	ck_assert_uint_eq(udp_slot_run(at, SLOTS), UDP_RUN_MOST);
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].iov.iov_len = UDP_RUN_PIECE;
	ck_assert_uint_eq(udp_slot_run(at, SLOTS), UDP_RUN_BYTES / UDP_RUN_PIECE);
	/* What is left takes a shorter one. */
	slots[UDP_RUN_BYTES / UDP_RUN_PIECE].iov.iov_len = UDP_RUN_BYTES % UDP_RUN_PIECE;
	ck_assert_uint_eq(udp_slot_run(at, SLOTS), UDP_RUN_BYTES / UDP_RUN_PIECE + 1);
	slots[UDP_RUN_BYTES / UDP_RUN_PIECE].iov.iov_len++;
	ck_assert_uint_eq(udp_slot_run(at, SLOTS), UDP_RUN_BYTES / UDP_RUN_PIECE);
}
END_TEST

static const struct {
	const char *peer;
	uint16_t port;
	const char *local;
	bool same;
} ways[] = {
	{ "192.0.2.1", 1000, "192.0.2.9", true },
	{ "192.0.2.1", 1001, "192.0.2.9", false },
	{ "192.0.2.2", 1000, "192.0.2.9", false },
	{ "192.0.2.1", 1000, "192.0.2.8", false },
	{ "192.0.2.1", 1000, NULL, false },
	{ "::ffff:192.0.2.1", 1000, "192.0.2.9", false },
	{ "192.0.2.1", 1000, "2001:db8::9", false },
};

START_TEST(run_goes_one_way)
{
	bool same = ways[_i].same;

	direct(&slots[0], "192.0.2.1", 1000, "192.0.2.9");
	direct(&slots[1], ways[_i].peer, ways[_i].port, ways[_i].local);
	direct(&slots[2], "192.0.2.1", 1000, "192.0.2.9");
	ck_assert_uint_eq(udp_slot_run(at, 3), same ? 3 : 1);
	ck_assert(!(same && udp_slot_alone(&slots[0], &slots[1])));
	/* Not by what is behind an address. */
	direct(&slots[0], "2001:db8::1", 1000, "2001:db8::9");
	memset((uint8_t *)&slots[0].name + slots[0].name_len, 7, 9);
	direct(&slots[1], "2001:db8::1", 1000, "2001:db8::9");
	direct(&slots[2], "2001:db8::1", 1000, "2001:db8::8");
	ck_assert_uint_eq(udp_slot_run(at, 3), 2);
}
END_TEST

/* The longest first, and nobody is lost, of any N lengths. */
START_TEST(sort_keeps_all)
{
	srandom((unsigned)_i);
	for (unsigned round = 0; round < 200; round++) {
		unsigned n = 1 + (unsigned)random() % SLOTS;
		size_t range = 1 + (size_t)random() % (round % 2 == 0 ? 40 : 2000);
		bool seen[SLOTS] = { false };

		for (unsigned i = 0; i < n; i++) {
			slots[i].iov.iov_len = 12 + (size_t)random() % range;
			at[i] = &slots[n - 1 - i];
		}
		udp_slot_sort(at, n, spare);
		for (unsigned i = 0; i < n; i++) {
			ck_assert_int_lt(at[i] - slots, n);
			ck_assert(!seen[at[i] - slots]);
			seen[at[i] - slots] = true;
			if (i == 0)
				continue;
			size_t before = at[i - 1]->iov.iov_len, len = at[i]->iov.iov_len;

			/* In their order: those of one length, and those too long for runs. */
			if (len == before || (len > UDP_RUN_PIECE && before > UDP_RUN_PIECE))
				ck_assert(at[i] < at[i - 1]);
			else
				ck_assert_uint_lt(len, before);
		}
	}
}
END_TEST

/* The control message of H behind C; NULL: the first one. There must be one. */
static struct cmsghdr *
control(struct msghdr *h, struct cmsghdr *c)
{
	c = c == NULL ? CMSG_FIRSTHDR(h) : CMSG_NXTHDR(h, c);
	if (c == NULL)
		ck_abort_msg("no control message");
	return c;
}

/* The message of a run has the length of its pieces, behind the address that it leaves from. */
START_TEST(message_of_a_run)
{
	static const char *const from[] = { NULL, "192.0.2.9", "::1" };
	struct msghdr h = { .msg_flags = 0 };
	struct cmsghdr *c = NULL;
	struct iovec iov[3];
	uint16_t piece;

	direct(&slots[0], "192.0.2.1", 1000, from[_i]);
	udp_slot_message(at, 1, iov, &h);
	ck_assert_ptr_eq(h.msg_name, &slots[0].name);
	ck_assert((h.msg_control == NULL) == (_i == 0));
	ck_assert_uint_eq(h.msg_controllen, slots[0].control_len);
	ck_assert_ptr_eq(h.msg_iov->iov_base, slots[0].iov.iov_base);
	udp_slot_message(at, 3, iov, &h);
	ck_assert_ptr_eq(h.msg_iov, iov);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_eq(iov[i].iov_base, slots[i].iov.iov_base);
	ck_assert_uint_eq(h.msg_iovlen, 3);
	ck_assert_uint_le(h.msg_controllen, sizeof(slots[0].control));
	if (_i > 0) {
		c = control(&h, NULL);
		ck_assert_int_eq(c->cmsg_level, _i == 1 ? IPPROTO_IP : IPPROTO_IPV6);
	}
	c = control(&h, c);
	ck_assert_int_eq(c->cmsg_level, IPPROTO_UDP);
	ck_assert_int_eq(c->cmsg_type, UDP_SEGMENT);
	memcpy(&piece, CMSG_DATA(c), sizeof(piece));
	ck_assert_uint_eq(piece, 50);
	ck_assert_ptr_null(CMSG_NXTHDR(&h, c));
	/* And singly it has none. */
	udp_slot_message(at, 1, iov, &h);
	ck_assert_uint_eq(h.msg_controllen, slots[0].control_len);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, run_is_of_one_length, 0, (int)(sizeof(runs) / sizeof(runs[0])));
	tcase_add_test(tc, run_has_an_end);
	tcase_add_loop_test(tc, run_goes_one_way, 0, (int)(sizeof(ways) / sizeof(ways[0])));
	tcase_add_loop_test(tc, sort_keeps_all, 0, 5);
	tcase_add_loop_test(tc, message_of_a_run, 0, 3);
}
