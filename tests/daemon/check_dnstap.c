/* SPDX-License-Identifier: BSD-2-Clause */
/* dnstap's thread: every message is written or counted as lost, over changes of reader and
 * settings; the end takes no longer than it may. */

#include "daemon/dnstap.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/scratch.h"
#include "support/tapreader.h"
#include "support/tests.h"

#define END_MS 2000

static struct stats stats[2], counts;
static struct dnstap_tap captures[2];
static struct dnstap dnstap;
static struct settings settings;
static char dir[SCRATCH_PATH], path[SCRATCH_PATH + 16];

static void
begin(void)
{
	dnstap_init(&dnstap, &counts);
	for (unsigned i = 0; i < 2; i++)
		spooler_add(&dnstap.spooler, &captures[i].spool);
}

static void
setup(void)
{
	memset(&settings, 0, sizeof(settings));
	memset(stats, 0, sizeof(stats));
	memset(&counts, 0, sizeof(counts));
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(settings.dnstap_socket, sizeof(settings.dnstap_socket), "%s", path);
	snprintf(settings.dnstap_identity, sizeof(settings.dnstap_identity), "me");
	for (unsigned i = 0; i < 2; i++)
		ck_assert(dnstap_tap_init(&captures[i], &stats[i], 1));
	begin();
	heard_start(LOG_LEVEL_NOTICE);
}

static void
teardown(void)
{
	ck_assert(spooler_end(&dnstap.spooler));
	heard_end();
	for (unsigned i = 0; i < 2; i++)
		dnstap_tap_fini(&captures[i]);
	(void)unlink(path);
	(void)rmdir(dir);
}

#ifdef HAVE_DNSTAP

static struct tapreader reader;

/* Have each capture tell of N messages; what has no room is left out. */
static void
tell(unsigned n)
{
	const struct conf_dnstap c = { .types = CONF_DNSTAP_ALL, .sample = 1 };
	struct dnstap_tap_record r = { .type = CONF_CLIENT_RESPONSE, .reason = REASON_NATIVE };
	uint8_t msg[512];

	r.len = (uint16_t)parts_question(msg, 7, "www.example", DNS_TYPE_AAAA);
	ck_assert(netaddr_parse("2001:db8::1", 1, &r.peer));
	while (n-- > 0) {
		dnstap_tap_put(&captures[0], &c, &r, msg);
		dnstap_tap_put(&captures[1], &c, &r, msg);
	}
}

static void
wait_for(const _Atomic uint64_t *counter, uint64_t n)
{
	for (unsigned i = 0; i < 1000 && atomic_load(counter) < n; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(atomic_load(counter), n);
}

static void
wait_for_reader(unsigned n_begun)
{
	for (unsigned i = 0; i < 1000 && atomic_load(&reader.n_begun) < n_begun; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(atomic_load(&reader.n_begun), n_begun);
	(void)poll(NULL, 0, 100); /* what was copied before that is lost by now */
}

/* End, and return how many ms that took. */
static uint64_t
end(void)
{
	uint64_t then_ns = clock_now_ns();

	ck_assert(spooler_end(&dnstap.spooler));
	return (clock_now_ns() - then_ns) / NS_PER_MS;
}

/* D34: every message once, those that are left at the end too, and a goodbye. */
START_TEST(messages_become_frames)
{
	const uint8_t *frame;
	size_t len;

	tapreader_start(&reader, path, TAPREADER_READS);
	dnstap_use(&dnstap, &settings);
	wait_for_reader(1);
	tell(1000);
	wait_for(&counts.dnstap_frames, 2000);
	tell(1);
	ck_assert_uint_lt(end(), END_MS);
	ck_assert_uint_eq(counts.dnstap_frames, 2002);
	ck_assert_uint_eq(counts.dnstap_lost, 0);
	for (unsigned i = 0; i < 1000 && atomic_load(&reader.n_ended) == 0; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(atomic_load(&reader.n), 2002);
	frame = tapreader_frame(&reader, 2001, &len);
	ck_assert_ptr_nonnull(memmem(frame, len, "\x0a\x02me", 4));
	ck_assert_ptr_nonnull(memmem(frame, len, "reason=native", 13));
	tapreader_end(&reader);
	begin();
}
END_TEST

/* D34: no reader, then there is one, then another one: what nobody reads is counted, and told once.
 */
START_TEST(readers_come_and_go)
{
	dnstap_use(&dnstap, &settings);
	tell(50);
	wait_for(&counts.dnstap_lost, 100);
	(void)poll(NULL, 0, 1500); /* it looks again, and says nothing more */
	ck_assert_uint_eq(heard("there is no such socket; messages are lost"), 1);
	tapreader_start(&reader, path, TAPREADER_READS);
	wait_for_reader(1);
	ck_assert_uint_eq(heard("connected; 100 messages were lost before that"), 1);
	tell(30);
	wait_for(&counts.dnstap_frames, 60);
	ck_assert_uint_eq(counts.dnstap_lost, 100);
	tapreader_end(&reader);
	(void)poll(NULL, 0, 200);
	ck_assert_uint_eq(heard("the reader has gone"), 1);
	tell(5);
	wait_for(&counts.dnstap_lost, 110);
	tapreader_start(&reader, path, TAPREADER_READS);
	wait_for_reader(1);
	tell(5);
	wait_for(&counts.dnstap_frames, 70);
	ck_assert_uint_eq(counts.dnstap_lost, 110);
	ck_assert_uint_lt(end(), END_MS);
	tapreader_end(&reader);
	begin();
}
END_TEST

/* D34: a reader that is stuck: the taps fill, what has no room is counted, the end is soon. */
START_TEST(stuck_reader_holds_up_nobody)
{
	uint64_t told, dropped;

	tapreader_start(&reader, path, _i == 0 ? TAPREADER_STUCK : TAPREADER_DUMB);
	dnstap_use(&dnstap, &settings);
	wait_for_reader(1);
	tell(100000);
	told = atomic_load(&stats[0].dnstap) + atomic_load(&stats[1].dnstap);
	dropped = atomic_load(&stats[0].dnstap_dropped) + atomic_load(&stats[1].dnstap_dropped);
	ck_assert_uint_eq(told + dropped, 200000);
	ck_assert_uint_gt(dropped, 50000);
	ck_assert_uint_lt(end(), END_MS);
	ck_assert_uint_eq(counts.dnstap_frames + counts.dnstap_lost, told);
	tapreader_end(&reader);
	begin();
}
END_TEST

/* Settings of a reload take effect at once, also while a reader is stuck. */
START_TEST(settings_change)
{
	char other[SCRATCH_PATH + 16];
	struct tapreader stuck;
	uint64_t told;
	size_t len;

	tapreader_start(&stuck, path, TAPREADER_STUCK);
	dnstap_use(&dnstap, &settings);
	for (unsigned i = 0; i < 1000 && atomic_load(&stuck.n_begun) == 0; i++)
		(void)poll(NULL, 0, 10);
	(void)poll(NULL, 0, 100);
	tell(100000);
	snprintf(other, sizeof(other), "%s/other", dir);
	tapreader_start(&reader, other, TAPREADER_READS);
	snprintf(settings.dnstap_socket, sizeof(settings.dnstap_socket), "%s", other);
	snprintf(settings.dnstap_identity, sizeof(settings.dnstap_identity), "hostname");
	snprintf(settings.dnstap_version, sizeof(settings.dnstap_version), "auto");
	dnstap_use(&dnstap, &settings);
	dnstap_use(&dnstap, &settings); /* changes nothing */
	wait_for_reader(1);
	for (unsigned i = 0; i < 1000 && atomic_load(&reader.n) == 0; i++)
		(void)poll(NULL, 0, 10);
	told = atomic_load(&stats[0].dnstap) + atomic_load(&stats[1].dnstap);
	for (unsigned i = 0; i < 1000 && counts.dnstap_frames + counts.dnstap_lost < told; i++)
		(void)poll(NULL, 0, 10);
	/* What the stuck one had no room for is for the other. */
	ck_assert_uint_gt(atomic_load(&reader.n), 10000);
	ck_assert_ptr_nonnull(
	    memmem(tapreader_frame(&reader, 0, &len), 100, PACKAGE_STRING, strlen(PACKAGE_STRING)));
	snprintf(settings.dnstap_socket, sizeof(settings.dnstap_socket), "none");
	dnstap_use(&dnstap, &settings);
	for (unsigned i = 0; i < 1000 && atomic_load(&reader.n_ended) == 0; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(atomic_load(&reader.n_ended), 1);
	tapreader_end(&reader);
	tapreader_end(&stuck);
	(void)unlink(other);
}
END_TEST

#endif

START_TEST(off_is_no_thread)
{
	snprintf(settings.dnstap_socket, sizeof(settings.dnstap_socket), "none");
	dnstap_use(&dnstap, &settings);
	ck_assert(!dnstap.spooler.running);
	ck_assert_uint_eq(heard_all(), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
#ifdef HAVE_DNSTAP
	tcase_add_test(tc, messages_become_frames);
	tcase_add_test(tc, readers_come_and_go);
	tcase_add_loop_test(tc, stuck_reader_holds_up_nobody, 0, 2);
	tcase_add_test(tc, settings_change);
#endif
	tcase_add_test(tc, off_is_no_thread);
}
