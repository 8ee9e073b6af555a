/* SPDX-License-Identifier: BSD-2-Clause */
/* loop: the whole of one core, from a client's question to its answer, and its life. */
#include "io/loop.h"
#include "io/upstream_set.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/listener.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"
#include "support/testsend.h"

static struct rig rig;
static struct rig_msg msg;
static int client;

static void
setup(void)
{
	rig_init(&rig);
	rig_start(&rig);
	client = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

static void
teardown(void)
{
	close(client);
	rig_end(&rig);
	testclock_reset();
	testsend_reset();
}

static void
expect_synthesized(const struct rig_msg *m, uint16_t id)
{
	static const uint8_t v6[16] = { 0, 0x64, 0xff, 0x9b, [12] = 192, 0, 2, 1 };

	ck_assert_uint_eq(rig_id(m), id);
	ck_assert_uint_eq(rig_rcode(m), 0);
	ck_assert_uint_eq(rig_answers(m), 1);
	ck_assert_uint_ge(m->len, 16);
	ck_assert_ptr_nonnull(memmem(m->bytes, m->len, v6, sizeof(v6)));
}

/* A question to ADDR over UDP gets a synthesized answer. */
static void
expect_served(const struct netaddr *addr)
{
	int fd = rig_connect(SOCK_DGRAM, addr);

	rig_question(&msg, 77, "a.test", RIG_AAAA);
	rig_send(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	expect_synthesized(&msg, 77);
	close(fd);
}

/* RFC 6147 section 5.1: AAAA, nothing; A, something; synthesized. Over UDP, both families. */
START_TEST(synthesis_over_udp)
{
	expect_served(&rig.at[_i]);
}
END_TEST

START_TEST(synthesis_over_tcp)
{
	int fd = rig_connect(SOCK_STREAM, &rig.at[_i]);

	rig_question(&msg, 78, "a.test", RIG_AAAA);
	rig_put(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_get(fd, &msg));
	expect_synthesized(&msg, 78);
	close(fd);
}
END_TEST

/* Wait until the loop has explained A. */
static bool
is_explained(struct explain_job *a)
{
	for (int i = 0; i < RIG_WAIT_MS && !explain_done(&a->explanation); i++)
		rig_pause(1);
	return explain_done(&a->explanation);
}

/* D33: a question for explain goes the same way, and its answer to nobody else; one at a time. */
START_TEST(explained_question_is_answered)
{
	struct explain_job *a = explain_job_new(), *other = explain_job_new();

	rig_question(&msg, 79, "a.test", RIG_AAAA);
	a->client = other->client = rig.up;
	a->len = other->len = msg.len;
	memcpy(a->msg, msg.bytes, msg.len);
	memcpy(other->msg, msg.bytes, msg.len);
	ck_assert(loop_explain(rig.loop, a));
	rig_serve(&rig, 2);
	ck_assert(is_explained(a) && !a->refused);
	ck_assert_uint_eq(a->explanation.reason, REASON_SYNTH_NO_AAAA);
	ck_assert_uint_ge(a->explanation.trace.n, 9);
	memcpy(msg.bytes, a->explanation.answer, a->explanation.len);
	msg.len = a->explanation.len;
	expect_synthesized(&msg, 79);
	ck_assert(loop_explain(rig.loop, other));
	ck_assert(rig_until(&rig, "upstream_udp", 3));
	testclock_pass(5 * NS_PER_SEC); /* nobody answers it */
	ck_assert(is_explained(other));
	/* Nobody asked: nothing was counted but what went upstream. */
	ck_assert_uint_eq(atomic_load(&loop_stats(rig.loop)->asked[TYPE_KIND_AAAA]), 0);
	explain_job_unref(a);
	explain_job_unref(other);
}
END_TEST

/* D33: after some idle seconds, too, its question for upstream leaves in the same turn. */
START_TEST(explained_question_wakes_the_sockets)
{
	struct explain_job *a = explain_job_new();
	unsigned sent = 0, open;
	int fd = rig_connect(SOCK_DGRAM, &rig.at[0]);

	rig_question(&msg, 81, "before.test", RIG_AAAA);
	rig_send(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	close(fd);
	open = rig_descriptors();
	testclock_pass(2 * UPSTREAM_SET_AGE_NS);
	ck_assert(rig_until_descriptors(open - 1)); /* the sockets sleep */
	rig_question(&msg, 82, "after.test", RIG_AAAA);
	a->client = rig.up;
	a->len = msg.len;
	memcpy(a->msg, msg.bytes, msg.len);
	ck_assert(loop_explain(rig.loop, a));
	rig_serve(&rig, 2);
	ck_assert(is_explained(a));
	while (sent < a->explanation.trace.n && a->explanation.trace.step[sent].kind != TRACE_SENT)
		sent++;
	ck_assert_uint_lt(sent, a->explanation.trace.n);
	ck_assert_uint_eq(a->explanation.trace.step[sent].us, 0);
	explain_job_unref(a);
}
END_TEST

/*
 * Who asked is gone before the loop has an end, which then frees it; so does a loop that ends
 * first. AddressSanitizer and valgrind tell what is lost.
 */
START_TEST(explained_question_of_who_is_gone)
{
	struct explain_job *a = explain_job_new(), *late = explain_job_new();

	rig_question(&msg, 80, "gone.test", RIG_AAAA);
	a->client = late->client = rig.up;
	a->len = late->len = msg.len;
	memcpy(a->msg, msg.bytes, msg.len);
	memcpy(late->msg, msg.bytes, msg.len);
	ck_assert(loop_explain(rig.loop, a));
	explain_job_unref(a);
	for (unsigned i = 0; i < 500 && !loop_explain(rig.loop, late); i++)
		(void)poll(NULL, 0, 10);
	/* The loop works on the first, whose upstream is silent, and does not take another. */
	for (unsigned i = 0; i < 500 && !explain_done(&late->explanation); i++)
		(void)poll(NULL, 0, 10);
	ck_assert(explain_done(&late->explanation) && late->refused);
	explain_job_unref(late);
}
END_TEST

/* More than a batch at once; every question gets its answer. */
START_TEST(more_than_a_batch_are_all_answered)
{
	static bool seen[150];
	char name[32];

	memset(seen, 0, sizeof(seen));
	for (uint16_t i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "n%u.test", i);
		rig_question(&msg, i, name, RIG_AAAA);
		rig_send(client, &msg);
	}
	rig_serve(&rig, 300);
	for (int i = 0; i < 150; i++) {
		ck_assert(rig_recv(client, &msg));
		ck_assert_uint_lt(rig_id(&msg), 150);
		ck_assert(!seen[rig_id(&msg)]);
		expect_synthesized(&msg, rig_id(&msg));
		seen[rig_id(&msg)] = true;
	}
}
END_TEST

/* D26: the number of queries is a ceiling, not a point where the loop stops: all are answered. */
START_TEST(d26_more_questions_than_room_are_answered)
{
	rig_end(&rig);
	rig_init(&rig);
	rig.conf.core.max_queries = 10;
	rig_start(&rig);
	close(client);
	client = rig_connect(SOCK_DGRAM, &rig.at[0]);
	for (uint16_t i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.test", i);
		rig_question(&msg, i, name, RIG_AAAA);
		rig_send(client, &msg);
	}
	for (int i = 0; i < 100; i++) {
		while (!rig_ready(client, 1))
			rig_serve_now(&rig);
		ck_assert(rig_recv(client, &msg));
	}
	ck_assert_uint_eq(rig_stat(&rig, "client_dropped"), 0);
}
END_TEST

static struct loop_update *
update(const struct conf *conf)
{
	struct loop_update *u = calloc(1, sizeof(*u));

	ck_assert_ptr_nonnull(u);
	u->snapshot = snapshot_new(conf);
	ck_assert_ptr_nonnull(u->snapshot);
	return u;
}

static void
post(struct loop_update *u)
{
	ck_assert(!loop_pending(rig.loop));
	loop_post(rig.loop, u);
	for (int i = 0; loop_pending(rig.loop); i++) {
		ck_assert_int_lt(i, RIG_WAIT_MS);
		rig_pause(1);
	}
}

/* Keep the loop looking into its mailbox. */
static void *
ping_on(void *arg)
{
	atomic_bool *over = arg;

	while (!atomic_load(over))
		loop_ping(rig.loop);
	return NULL;
}

/* Settings that are not pending any more hold, also if the loop looked as they were posted. */
START_TEST(settings_hold_once_not_pending)
{
	struct loop_update *u = update(&rig.conf);
	struct snapshot *before, *now = snapshot_ref(u->snapshot);
	atomic_bool over = false;
	pthread_t pinger;

	post(u);
	ck_assert_int_eq(pthread_create(&pinger, NULL, ping_on, &over), 0);
	for (unsigned i = 0; i < 20000; i++) {
		before = now;
		u = update(&rig.conf);
		now = snapshot_ref(u->snapshot);
		loop_post(rig.loop, u);
		while (loop_pending(rig.loop))
			continue;
		ck_assert_uint_eq(atomic_load(&before->refs), 1);
		snapshot_unref(before);
	}
	atomic_store(&over, true);
	pthread_join(pinger, NULL);
	snapshot_unref(now);
}
END_TEST

/* A reload adds a listener, and it serves; the old ones go on. */
START_TEST(reload_adds_a_listener)
{
	struct netaddr any = rig_addr("127.0.0.2", 0);
	struct conf conf = rig.conf;
	struct loop_update *u = update(&conf);
	int fd;

	ck_assert_int_eq(bind_open(&any, 0, &u->added[0]), 0);
	u->n_added = 1;
	u->snapshot->conf.io.listens[conf.io.n_listens] = u->added[0].addr;
	u->snapshot->conf.io.n_listens++;
	any = u->added[0].addr;
	post(u);
	fd = rig_connect(SOCK_DGRAM, &any);
	rig_question(&msg, 5, "a.test", RIG_AAAA);
	rig_send(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	expect_synthesized(&msg, 5);
	close(fd);
	rig_question(&msg, 6, "b.test", RIG_AAAA);
	rig_send(client, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(client, &msg));
}
END_TEST

/*
 * A reload whose new listener cannot be watched: the loop says so, goes on, and tries again until
 * it can. A file cannot be watched, what takes its place can.
 */
START_TEST(reload_tries_again_to_serve)
{
	struct netaddr any = rig_addr("127.0.0.2", 0);
	struct conf conf = rig.conf;
	struct loop_update *u = update(&conf);
	int udp, none = open("/dev/null", O_RDWR | O_CLOEXEC);

	ck_assert_int_eq(bind_open(&any, 0, &u->added[0]), 0);
	any = u->added[0].addr;
	udp = dup(u->added[0].udp);
	ck_assert_int_eq(dup2(none, u->added[0].udp), u->added[0].udp);
	close(none);
	none = u->added[0].udp;
	u->n_added = 1;
	u->snapshot->conf.io.listens[conf.io.n_listens] = any;
	u->snapshot->conf.io.n_listens++;
	post(u);
	ck_assert_uint_eq(loop_unserved(rig.loop), 1);
	ck_assert_uint_eq(rig_stat(&rig, "listen_failed"), 1);
	rig_pause(LISTENER_PAUSE_NS / 1000000 * 3);
	ck_assert_uint_eq(loop_unserved(rig.loop), 1);
	ck_assert_int_eq(dup2(udp, none), none);
	close(udp);
	for (int i = 0; loop_unserved(rig.loop) > 0; i++) {
		ck_assert_int_lt(i, RIG_WAIT_MS);
		rig_pause(1);
	}
	expect_served(&any);
	u = update(&rig.conf);
	post(u);
	ck_assert_uint_eq(rig_stat(&rig, "listen_failed"), 1);
}
END_TEST

/* Reload with as many addresses as there can be, in 127.0.NET.0/24. Returns the last one. */
static struct netaddr
replace_all(const struct conf *conf, int net)
{
	struct loop_update *u = update(conf);
	struct netaddr any = rig_addr("127.0.0.2", 0);

	for (; u->n_added < CONF_MAX_LISTENS; u->n_added++) {
		struct bind_sockets *s = &u->added[u->n_added];
		struct netaddr at;
		char text[32];
		int fd;

		snprintf(text, sizeof(text), "127.0.%d.%zu", net, u->n_added + 1);
		at = rig_addr(text, 0);
		ck_assert_int_eq(bind_open(&at, 0, s), 0);
		u->snapshot->conf.io.listens[u->n_added] = any = s->addr;
		fd = rig_connect(SOCK_DGRAM, &any); /* one that stays for a while */
		rig_question(&msg, 5, "a.test", RIG_AAAA);
		rig_send(fd, &msg);
		close(fd);
	}
	u->snapshot->conf.io.n_listens = CONF_MAX_LISTENS;
	post(u);
	return any;
}

/* Reloads that change all addresses faster than listeners leave: each new one is served. */
START_TEST(listeners_that_leave_make_room)
{
	for (int round = 0; round < 4; round++) {
		struct netaddr any = replace_all(&rig.conf, round + 1);
		int fd = rig_connect(SOCK_DGRAM, &any);

		rig_question(&msg, 7, "ipv4only.arpa", RIG_A);
		rig_send(fd, &msg);
		ck_assert(rig_recv(fd, &msg));
		close(fd);
	}
}
END_TEST

/* D27: one that makes room is closed with the answers that it keeps: they are lost, and counted. */
START_TEST(d27_listener_that_makes_room_loses_its_answers)
{
	testsend_refuse(false, 0, 1000000, EAGAIN);
	testclock_hold();
	rig_question(&msg, 1, "b.test", RIG_AAAA);
	rig_send(client, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_until(&rig, "send_again", 1));
	for (int round = 0; round < 3; round++)
		(void)replace_all(&rig.conf, round + 1);
	ck_assert(rig_until(&rig, "send_failed", 1));
	testclock_release();
}
END_TEST

/* A reload removes a listener: what was asked through it is answered by it, then it is gone. */
START_TEST(reload_removes_a_listener_after_its_answers)
{
	struct conf conf = rig.conf;
	struct rig_msg *question = malloc(sizeof(*question));
	int tcp = rig_connect(SOCK_STREAM, &rig.at[0]);

	ck_assert_ptr_nonnull(question);
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_send(client, &msg);
	ck_assert(rig_take(&rig, question));
	rig_question(&msg, 2, "b.test", RIG_AAAA);
	rig_put(tcp, &msg);
	ck_assert(rig_until(&rig, "client_tcp", 1));
	conf.io.n_listens = 1;
	conf.io.listens[0] = rig_addr("127.0.0.3", 9);
	post(update(&conf));
	ck_assert_uint_ge(loop_leaving(rig.loop), 1);
	rig_reply(question, question, 0);
	rig_give(&rig, question);
	rig_serve(&rig, 3);
	ck_assert(rig_recv(client, &msg));
	expect_synthesized(&msg, 1);
	/* Its connections go on until they are done. */
	ck_assert(rig_get(tcp, &msg));
	expect_synthesized(&msg, 2);
	rig_question(&msg, 3, "c.test", RIG_AAAA);
	rig_put(tcp, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_get(tcp, &msg));
	/* And it is gone in the end. */
	for (int i = 0; i < RIG_WAIT_MS && bind_probe(&rig.at[1]) != 0; i++)
		rig_pause(1);
	ck_assert_int_eq(bind_probe(&rig.at[1]), 0);
	for (int i = 0; i < RIG_WAIT_MS && loop_leaving(rig.loop) > 0; i++)
		rig_pause(1);
	ck_assert_uint_eq(loop_leaving(rig.loop), 0);
	close(tcp);
	free(question);
}
END_TEST

/* A reload to another upstream: a question in flight at the old one still ends there. */
START_TEST(reload_of_upstream_keeps_open_questions)
{
	struct conf conf = rig.conf;
	struct rig other;

	rig_init(&other);
	rig_question(&msg, 1, "a.test", RIG_A);
	rig_send(client, &msg);
	ck_assert(rig_take(&rig, &msg));
	conf.core.upstreams[0].addr = other.up;
	post(update(&conf));
	rig_reply(&msg, &msg, 1);
	rig_give(&rig, &msg);
	ck_assert(rig_recv(client, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
	rig_question(&msg, 2, "b.test", RIG_AAAA);
	rig_send(client, &msg);
	rig_serve(&other, 2);
	ck_assert(rig_recv(client, &msg));
	expect_synthesized(&msg, 2);
	rig_end(&other);
}
END_TEST

/* Settings that nobody took are freed with the loop (ASan looks). */
START_TEST(untaken_settings_are_freed)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	struct snapshot *s = snapshot_new(&rig.conf);
	struct loop_update *u = update(&rig.conf);
	struct loop *l;

	ck_assert_ptr_nonnull(s);
	l = loop_new(s, NULL, 0);
	ck_assert_ptr_nonnull(l);
	snapshot_unref(s);
	ck_assert_int_eq(bind_open(&any, 0, &u->added[0]), 0);
	u->n_added = 1;
	loop_post(l, u);
	ck_assert(loop_pending(l));
	loop_free(l);
}
END_TEST

static void *
run(void *arg)
{
	loop_run(arg);
	return NULL;
}

/* What is posted over settings that nobody took brings their sockets too. */
START_TEST(untaken_sockets_are_served)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	struct conf conf = rig.conf;
	struct snapshot *s = snapshot_new(&conf);
	struct loop_update *u = update(&conf);
	pthread_t thread;
	struct loop *l;

	ck_assert_ptr_nonnull(s);
	l = loop_new(s, NULL, 0);
	ck_assert_ptr_nonnull(l);
	snapshot_unref(s);
	ck_assert_int_eq(bind_open(&any, 0, &u->added[0]), 0);
	u->n_added = 1;
	any = u->added[0].addr;
	conf.io.listens[0] = any;
	conf.io.n_listens = 1;
	u->snapshot->conf.io = conf.io;
	loop_post(l, u);
	loop_post(l, update(&conf));
	ck_assert(loop_pending(l));
	ck_assert_int_eq(pthread_create(&thread, NULL, run, l), 0);
	for (int i = 0; loop_pending(l); i++) {
		ck_assert_int_lt(i, RIG_WAIT_MS);
		rig_pause(1);
	}
	expect_served(&any);
	loop_stop(l, 0);
	pthread_join(thread, NULL);
	loop_free(l);
}
END_TEST

START_TEST(loop_that_runs_is_alive)
{
	ck_assert(loop_alive(rig.loop));
	loop_ping(rig.loop);
	for (int i = 0; !loop_alive(rig.loop); i++) {
		ck_assert_int_lt(i, RIG_WAIT_MS);
		rig_pause(1);
	}
}
END_TEST

/* What the loop knows of its upstreams, as it is when asked. */
START_TEST(loop_tells_its_upstreams)
{
	const struct upstream_status *v;
	size_t n = 0;

	for (unsigned asked = 0; asked < 2; asked++) {
		loop_ask_status(rig.loop);
		for (int i = 0; (v = loop_upstreams(rig.loop, &n)) == NULL; i++) {
			ck_assert_int_lt(i, RIG_WAIT_MS);
			rig_pause(1);
		}
		ck_assert_uint_eq(n, 1);
		ck_assert(netaddr_equal(&v->addr, &rig.up));
		ck_assert_uint_eq(v->tally.sends, 2 * asked);
		ck_assert_uint_eq(v->tally.replies, 2 * asked);
		ck_assert_uint_eq(v->rtt[UPSTREAM_PRIMARY].weight, 2 * asked);
		if (asked > 0)
			break;
		rig_question(&msg, 1, "a.test", RIG_AAAA);
		rig_send(client, &msg);
		rig_serve(&rig, 2);
		ck_assert(rig_recv(client, &msg));
	}
}
END_TEST

/* Nothing in flight: the end is at once. */
START_TEST(idle_loop_stops_at_once)
{
	int tcp = rig_connect(SOCK_STREAM, &rig.at[0]);
	uint64_t begin_ms;

	ck_assert(rig_until(&rig, "tcp_accepted", 1));
	begin_ms = rig_now_ms();
	rig_stop(&rig, 100000);
	ck_assert_uint_lt(rig_now_ms() - begin_ms, 50000);
	ck_assert(rig_closed(tcp, RIG_WAIT_MS));
	close(tcp);
}
END_TEST

/* Questions in flight, and one still in the socket's queue, are answered before the end. */
START_TEST(stop_answers_what_is_in_flight)
{
	int tcp = rig_connect(SOCK_STREAM, &rig.at[0]);

	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_put(tcp, &msg);
	ck_assert(rig_until(&rig, "client_tcp", 1));
	rig_question(&msg, 2, "b.test", RIG_AAAA);
	rig_send(client, &msg);
	loop_stop(rig.loop, 100000);
	rig_serve(&rig, 4);
	ck_assert(rig_get(tcp, &msg));
	expect_synthesized(&msg, 1);
	ck_assert(rig_recv(client, &msg));
	expect_synthesized(&msg, 2);
	rig_join(&rig);
	close(tcp);
}
END_TEST

/* The grace is a bound, and a second call with 0 ends it at once: the question had 5 s. */
START_TEST(stop_is_bounded_by_its_grace)
{
	uint64_t begin_ms, took_ms;

	rig_question(&msg, 1, "a.test", RIG_AAAA);
	begin_ms = rig_now_ms();
	rig_send(client, &msg);
	ck_assert(rig_take(&rig, &msg));
	if (_i == 0) {
		rig_stop(&rig, 300);
	} else {
		loop_stop(rig.loop, 100000);
		rig_stop(&rig, 0);
	}
	took_ms = rig_now_ms() - begin_ms;
	ck_assert_uint_lt(took_ms, 4000);
	ck_assert_uint_ge(took_ms, _i == 0 ? 290 : 0);
}
END_TEST

/* The shortest time (ms) that the loop took for another attempt to send what waits. */
static uint64_t
shortest_pause(void)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t begin_ms = rig_now_ms(), took_ms;
		long before = testsend_refused();

		testclock_pass(UDP_AGAIN_NS);
		while (testsend_refused() == before)
			rig_pause(1);
		took_ms = rig_now_ms() - begin_ms;
		shortest = took_ms < shortest ? took_ms : shortest;
	}
	return shortest;
}

/*
 * D27: an answer for which the kernel has no room waits: while the loop serves, ends, or has given
 * up the address that was asked; and so does the loop. But not for ever.
 */
enum meanwhile { SERVES, ENDS, GIVES_UP, TOO_LONG, MEANWHILE_N };

START_TEST(d27_answer_waits_for_room)
{
	struct conf conf = rig.conf;

	testsend_refuse(false, 0, 1000000, ENOBUFS);
	testclock_hold();
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_send(client, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_until(&rig, "send_again", 1));
	if (_i == ENDS || _i == TOO_LONG)
		loop_stop(rig.loop, 100000);
	if (_i == GIVES_UP) {
		conf.io.n_listens = 1;
		conf.io.listens[0] = rig_addr("127.0.0.3", 9);
		post(update(&conf));
		testclock_pass(LISTENER_LINGER_NS / 2);
		loop_lameduck(rig.loop, true);
		ck_assert(rig_until(&rig, "send_failed", 1)); /* its client waits no longer */
		testclock_pass(LISTENER_LINGER_NS / 2);
		testclock_release();
		for (int i = 0; i < RIG_WAIT_MS && loop_leaving(rig.loop) > 0; i++)
			rig_pause(1);
		ck_assert_uint_eq(loop_leaving(rig.loop), 0);
		return;
	}
	if (_i == TOO_LONG) {
		testclock_pass(UDP_PATIENCE_NS);
		rig_join(&rig);
		ck_assert_uint_eq(rig_stat(&rig, "send_failed"), 1);
		return;
	}
	ck_assert(!rig_ready(client, RIG_QUIET_MS));
	/* It is tried at each tick, of 4 ms, not only when there are other things to do. */
	ck_assert_uint_lt(shortest_pause(), 50);
	testsend_reset();
	testclock_pass(UDP_AGAIN_NS);
	ck_assert(rig_recv(client, &msg));
	expect_synthesized(&msg, 1);
	if (_i == ENDS)
		rig_join(&rig);
	ck_assert_uint_eq(rig_stat(&rig, "send_failed"), 0);
}
END_TEST

/* D27: the address that was asked is given up: its socket is there until the answer has left. */
START_TEST(d27_listener_leaves_after_its_answers)
{
	struct conf conf = rig.conf;

	testsend_refuse(false, 0, 1000000, EAGAIN);
	testclock_hold();
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_send(client, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_until(&rig, "send_again", 1));
	conf.io.n_listens = 1;
	conf.io.listens[0] = rig_addr("127.0.0.3", 9);
	post(update(&conf));
	testclock_pass(UDP_PATIENCE_NS / 2); /* more than a beat */
	rig_pause(300);
	ck_assert_uint_ge(loop_leaving(rig.loop), 1);
	testsend_reset();
	testclock_pass(UDP_AGAIN_NS);
	ck_assert(rig_recv(client, &msg));
	expect_synthesized(&msg, 1);
	testclock_release();
	for (int i = 0; i < RIG_WAIT_MS && loop_leaving(rig.loop) > 0; i++)
		rig_pause(1);
	ck_assert_uint_eq(loop_leaving(rig.loop), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, synthesis_over_udp, 0, 2);
	tcase_add_loop_test(tc, synthesis_over_tcp, 0, 2);
	tcase_add_test(tc, explained_question_is_answered);
	tcase_add_test(tc, explained_question_wakes_the_sockets);
	tcase_add_test(tc, explained_question_of_who_is_gone);
	tcase_add_test(tc, more_than_a_batch_are_all_answered);
	tcase_add_test(tc, d26_more_questions_than_room_are_answered);
	tcase_add_test(tc, reload_adds_a_listener);
	tcase_add_test(tc, reload_tries_again_to_serve);
	tcase_add_test(tc, listeners_that_leave_make_room);
	tcase_add_test(tc, d27_listener_that_makes_room_loses_its_answers);
	tcase_add_test(tc, reload_removes_a_listener_after_its_answers);
	tcase_add_test(tc, reload_of_upstream_keeps_open_questions);
	tcase_add_test(tc, untaken_settings_are_freed);
	tcase_add_test(tc, untaken_sockets_are_served);
	tcase_add_test(tc, settings_hold_once_not_pending);
	tcase_add_test(tc, loop_that_runs_is_alive);
	tcase_add_test(tc, loop_tells_its_upstreams);
	tcase_add_test(tc, idle_loop_stops_at_once);
	tcase_add_test(tc, stop_answers_what_is_in_flight);
	tcase_add_loop_test(tc, stop_is_bounded_by_its_grace, 0, 2);
	tcase_add_loop_test(tc, d27_answer_waits_for_room, 0, MEANWHILE_N);
	tcase_add_test(tc, d27_listener_leaves_after_its_answers);
}
