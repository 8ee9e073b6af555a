/* SPDX-License-Identifier: BSD-2-Clause */
/* shell: when clients are read, and when not. */
#include "io/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/rig.h"
#include "support/tests.h"

#define N_PORTS 8 /* rig_settings */

static struct rig rig;
static struct shell *shell;
static struct rig_msg msg;
static unsigned n_asked;

static void
setup(void)
{
	rig_init(&rig);
	n_asked = 0;
}

/* A shell without listeners whose engine takes N questions, at a time of our own. */
static void
open_shell(uint32_t n)
{
	struct event_base *base = event_base_new();
	struct engine *engine;

	rig.conf.core.max_queries = n;
	rig.conf.core.timeout_ms = 5000;
	engine = engine_new(&rig.conf.core, NULL, NS_PER_SEC);
	shell = calloc(1, sizeof(*shell));
	ck_assert(base != NULL && engine != NULL && shell != NULL);
	ck_assert_int_eq(shell_init(shell, base, engine, &rig.conf.io, NS_PER_SEC), 0);
	upstream_udp_sync(shell);
}

static void
teardown(void)
{
	struct event_base *base = shell->base;
	struct engine *engine = shell->engine;

	shell_fini(shell);
	engine_free(engine);
	event_base_free(base);
	free(shell);
	rig_end(&rig);
}

/* Kilobytes of this process that are locked; -1: unknown. */
static long
locked_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmLck:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb;
}

/* What ports are drawn from stays off the swap, where this user may lock it. */
START_TEST(random_bytes_are_locked)
{
	long locked;

	open_shell(256);
	locked = locked_kb();
	if (locked <= 0)
		return; /* not permitted here, or a build with sanitizers */
	ck_assert_int_eq(munlock(&shell->rng, sizeof(shell->rng)), 0);
	ck_assert_int_lt(locked_kb(), locked);
	ck_assert_int_eq(
	    munlock(shell->sessions.peers.fair.spread, sizeof(shell->sessions.peers.fair.spread)),
	    0);
}
END_TEST

static uint64_t
stat(const _Atomic uint64_t *counter)
{
	return atomic_load(counter);
}

static uint64_t
n_answers(void)
{
	const struct stats *one[1] = { shell->stats };
	struct stats_row rows[STATS_N];

	stats_sum(one, 1, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, "answers") == 0)
			return rows[i].value;
	}
	ck_abort_msg("no such counter");
}

/* A client asks for NAME over TRANSPORT; what that leads to is not sent yet. */
static void
ask_for(const char *name, enum transport transport)
{
	rig_question(&msg, 1, name, RIG_A);
	shell->in[0] = (struct packet_in){ .msg = msg.bytes,
		.len = msg.len,
		.from.side = PACKET_CLIENT,
		.from.transport = (uint8_t)transport,
		.from.gen = 99,
		.from.peer = rig.up };
	shell_input(shell, 1);
}

/* N different questions that nobody will answer. */
static void
ask(unsigned n)
{
	while (n-- > 0) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.test", n_asked++);
		ask_for(name, TRANSPORT_UDP);
		shell_flush(shell);
	}
}

/* Let MS pass, in ticks. */
static void
pass(unsigned ms)
{
	for (uint64_t end_ns = shell->now_ns + ms * NS_PER_MS; shell->now_ns < end_ns;) {
		shell->now_ns += WHEEL_TICK_NS;
		engine_tick(shell->engine, shell->now_ns);
		(void)shell_drain(shell);
		shell_flush(shell);
	}
}

static void
read_sockets(void)
{
	(void)event_base_loop(shell->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	upstream_udp_turn(shell);
	shell_flush(shell);
}

/* Answer the next N questions that the upstream got. */
static void
answer(unsigned n)
{
	while (n-- > 0) {
		ck_assert(rig_take(&rig, &msg));
		rig_reply(&msg, &msg, 1);
		rig_give(&rig, &msg);
	}
	read_sockets();
}

/*
 * D26: the table of queries is never full: those who have waited longest give way, and who asks is
 * answered.
 */
START_TEST(d26_more_than_there_is_room_for)
{
	open_shell(300);
	ask(400);
	ck_assert_uint_le(engine_in_flight(shell->engine), 300);
	ck_assert_uint_ge(stat(&shell->stats->queries_evicted), 100);
	ck_assert_uint_eq(stat(&shell->stats->client_dropped), 0);
	ck_assert_uint_eq(n_answers() + engine_in_flight(shell->engine), n_asked);
	pass(6000);
	ck_assert_uint_eq(engine_in_flight(shell->engine), 0);
}
END_TEST

/* An engine smaller than a batch is read all the same. */
START_TEST(engine_smaller_than_a_batch_is_read)
{
	open_shell((uint32_t)_i);
	ask((unsigned)_i);
	ck_assert_uint_eq(stat(&shell->stats->client_dropped), 0);
	pass(6000);
	ck_assert_uint_eq(n_answers(), (unsigned)_i);
}
END_TEST

/* The socket that leads to the test's upstream from PORT. */
static const struct upstream_sock *
socket_at(uint16_t port)
{
	for (size_t i = 0; i < UPSTREAM_MAX_SOCKETS; i++) {
		const struct upstream_sock *s = &shell->upstream_udp.socks.at[i];

		if (s->open && rig_local(s->out.fd).port == port)
			return s;
	}
	ck_abort_msg("no such socket");
	return NULL;
}

/* Rule 25: a question leaves by a port that is young enough, however long the pause before it. */
START_TEST(question_leaves_by_a_young_port)
{
	static const unsigned pauses_ms[] = { 0, 600, 1990, 2000, 2008, 3000, 504, 60000, 1800 };

	open_shell(300);
	for (size_t i = 0; i < sizeof(pauses_ms) / sizeof(pauses_ms[0]); i++) {
		shell->now_ns += pauses_ms[i] * NS_PER_MS;
		if (_i == 1) /* the timer came by while nobody asked */
			upstream_udp_expire(shell);
		ask(1);
		ck_assert(rig_take(&rig, &msg));
		ck_assert_uint_lt(
		    shell->now_ns - socket_at(msg.from.port)->opened_ns, UPSTREAM_SET_AGE_NS);
		rig_reply(&msg, &msg, 1);
		rig_give(&rig, &msg);
		read_sockets();
		pass(5000);
	}
}
END_TEST

/* A set that falls asleep between a question and the next draw is awake by that. */
START_TEST(sleeping_set_is_woken_by_a_draw)
{
	const struct upstream_set *set;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(1);
	ask_for("late.test", TRANSPORT_UDP);
	shell->now_ns += UPSTREAM_SET_AGE_NS;
	upstream_udp_expire(shell);
	ck_assert_uint_eq(set->n, 0);
	shell_flush(shell);
	ck_assert_uint_eq(set->n, 1);
	for (int i = 0; i < 20; i++) {
		shell->now_ns += UPSTREAM_SET_AGE_NS;
		ask(1);
		ck_assert_uint_le(set->n, N_PORTS);
	}
	ck_assert(!set->asleep);
	ck_assert_uint_eq(shell->upstream_udp.socks.n_active, set->n);
}
END_TEST

/* Our lack of a descriptor ends a question; the upstream is not to blame, and soon asked again. */
START_TEST(lack_of_a_descriptor_blames_no_upstream)
{
	struct rlimit before, none;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3;
	open_shell(300);
	ask(1);
	answer(1);
	pass(6000);
	shell->now_ns += 2 * UPSTREAM_SET_AGE_NS;
	upstream_udp_expire(shell);
	ck_assert(!upstream_udp_is_awake(shell));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (int i = 0; i < 5; i++) {
		const uint64_t down = stat(&shell->stats->upstream_down);
		const uint64_t silent = stat(&shell->stats->upstream_refused);

		ask(1);
		pass(16);
		ck_assert_uint_ge(stat(&shell->stats->sockets_exhausted), (unsigned)i + 1);
		pass(6000);
		ck_assert_uint_eq(engine_in_flight(shell->engine), 0);
		ck_assert_uint_eq(stat(&shell->stats->upstream_down), down);
		ck_assert_uint_eq(stat(&shell->stats->upstream_refused), silent);
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert(upstream_udp_needs_beat(shell));
	upstream_udp_beat(shell);
	ask(1);
	ck_assert(rig_take(&rig, &msg));
}
END_TEST

/* The only set's socket that questions leave by. */
static const struct upstream_sock *
in_use(void)
{
	return &shell->upstream_udp.socks.at[shell->upstream_udp.sets[0][0].in_use];
}

/*
 * Sockets that are too old but have open questions are kept up to a bound; beyond it the oldest is
 * closed. What was open on it waits on, and every question ends in its time.
 */
START_TEST(retired_sockets_are_bounded)
{
	const struct upstream_set *set;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	for (unsigned i = 0; i < 2 * UPSTREAM_SET_DRAINING; i++) {
		ask(1);
		shell->now_ns += UPSTREAM_SET_AGE_NS;
		upstream_udp_renew(shell);
		ck_assert_uint_eq(in_use()->opened_ns, shell->now_ns);
	}
	ck_assert_uint_eq(set->n_draining, UPSTREAM_SET_DRAINING);
	ck_assert_uint_eq(shell->upstream_udp.n_draining, UPSTREAM_SET_DRAINING);
	pass(6000);
	ck_assert_uint_eq(engine_in_flight(shell->engine), 0);
	upstream_udp_beat(shell);
	ck_assert_uint_le(set->n_draining, 2); /* with a probe open */
}
END_TEST

/* Hand in N different questions in one iteration, without a flush. */
static void
ask_at_once(unsigned n)
{
	static struct rig_msg many[UDP_BATCH];

	ck_assert_uint_le(n, UDP_BATCH);
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.test", n_asked++);
		rig_question(&many[i], 1, name, RIG_A);
		shell->in[i] = (struct packet_in){ .msg = many[i].bytes,
			.len = many[i].len,
			.from.side = PACKET_CLIENT,
			.from.transport = TRANSPORT_UDP,
			.from.gen = 99,
			.from.peer = rig.up };
	}
	shell_input(shell, n);
}

/* As many descriptors as this process may have; the daemon does so at its start. */
static void
allow_descriptors(void)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/*
 * Rule 25, D21: no socket gets more questions than it may, within an iteration neither: 64, or 512
 * in a loop that is busy, and where many old ones wait for their replies.
 */
START_TEST(used_socket_is_replaced_at_once)
{
	static const struct {
		unsigned outgoing_ports;
		bool busy;
		unsigned questions, most, ports;
	} cases[] = {
		{ 1, false, 1280, 64, 20 },
		{ 1, true, 1280, 512, 3 },
		{ 0, false, 1280, 1, 1280 },
		{ 1, false, 4096, 512, 33 + 4 },
	};
	static unsigned sent[65536];
	unsigned n_ports = 0;

	memset(sent, 0, sizeof(sent)); /* all cases may run in one process */
	allow_descriptors();
	rig.conf.io.outgoing_ports = (uint16_t)cases[_i].outgoing_ports;
	open_shell(5000);
	shell->upstream_udp.pace =
	    (struct upstream_pace){ .since_ns = shell->now_ns, .busy = cases[_i].busy };
	for (unsigned i = 0; i < cases[_i].questions / UDP_BATCH; i++) {
		ask_at_once(UDP_BATCH);
		shell_flush(shell);
		for (unsigned k = 0; k < UDP_BATCH; k++) {
			ck_assert(rig_take(&rig, &msg));
			n_ports += sent[msg.from.port]++ == 0;
			ck_assert_uint_le(sent[msg.from.port], cases[_i].most);
		}
	}
	ck_assert_uint_eq(n_ports, cases[_i].ports);
}
END_TEST

/*
 * D21: a connection that is refused was never made, also if the loop reads on before that is
 * handled (shell.h).
 */
START_TEST(d21_refused_connection_is_lost_once)
{
	open_shell(300);
	close(rig.up_tcp);
	rig.up_tcp = -1;
	ask_for("x.test", TRANSPORT_TCP);
	shell_flush(shell);
	for (unsigned i = 0; i < 1000 && !shell->upstream_tcp.c[0].lost; i++) {
		(void)event_base_loop(shell->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		upstream_tcp_turn(shell);
		usleep(1000);
	}
	ck_assert_int_eq(shell->upstream_tcp.c[0].err, ECONNREFUSED);
	for (unsigned i = 0; i < 3; i++) {
		(void)event_base_loop(shell->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		upstream_tcp_turn(shell);
	}
	ck_assert_uint_eq(atomic_load(&shell->stats->tcp_upstream_opened), 0);
	ck_assert_int_eq(shell->upstream_tcp.c[0].err, ECONNREFUSED);
	shell_flush(shell);
}
END_TEST

/*
 * D21: nor in turns of 256 questions, which leave by as many ports as that takes: of 10,000 in a
 * loop that is not busy by 150 at least, and by no port more than 64.
 */
START_TEST(d21_ports_of_large_turns)
{
	static const struct {
		bool busy;
		unsigned most, ports;
	} cases[] = { { false, 64, 150 }, { true, 512, 20 } };
	static unsigned sent[65536], last[65536]; /* by port; last: the turn of its last question */
	unsigned n_ports = 0, turn = 1;

	memset(sent, 0, sizeof(sent));
	memset(last, 0, sizeof(last));
	allow_descriptors();
	open_shell(5000);
	shell->upstream_udp.pace =
	    (struct upstream_pace){ .since_ns = shell->now_ns, .busy = cases[_i].busy };
	for (unsigned asked = 0; asked < 10240; asked += 4 * UDP_BATCH, turn++) {
		for (unsigned i = 0; i < 4; i++)
			ask_at_once(UDP_BATCH);
		shell_flush(shell);
		for (unsigned i = 0; i < 4 * UDP_BATCH; i++) {
			ck_assert(rig_take(&rig, &msg));
			n_ports += last[msg.from.port] == 0;
			/* A socket was closed, and another one has drawn the same port. */
			if (last[msg.from.port] + 1 < turn)
				sent[msg.from.port] = 0;
			last[msg.from.port] = turn;
			sent[msg.from.port]++;
			ck_assert_uint_le(sent[msg.from.port], cases[_i].most);
			rig_reply(&msg, &msg, 1);
			rig_give(&rig, &msg);
		}
		for (unsigned i = 0; i < 4; i++)
			read_sockets();
	}
	ck_assert_uint_eq(shell->stats->upstream_replies, 10240);
	ck_assert_uint_ge(n_ports, cases[_i].ports);
	ck_assert_uint_gt(shell->stats->send_segments, 5120);
}
END_TEST

/* D21: more than 20,000 questions a second, in a tenth of one at least. */
START_TEST(busy_is_who_asks_fast)
{
	const struct upstream_pace *pace;

	open_shell(5000);
	pace = &shell->upstream_udp.pace;
	for (unsigned round = 0; round < 2; round++) {
		/* As long as it takes to ask them at that speed, or 1 ns less. */
		uint64_t ns = 2048 * (NS_PER_SEC / UPSTREAM_UDP_BUSY) - round;

		ask_at_once(1);
		shell_flush(shell);
		shell->now_ns += NS_PER_SEC;
		ask_at_once(1);
		shell_flush(shell);
		ck_assert(!pace->busy);
		for (unsigned i = 0; i < 2048 / UDP_BATCH; i++) {
			ask_at_once(UDP_BATCH);
			if (i == 2048 / UDP_BATCH - 1)
				shell->now_ns += ns;
			shell_flush(shell);
		}
		ck_assert(pace->busy == (round == 1));
	}
}
END_TEST

/* Rule 25: the questions of two iterations do not leave by one port. */
START_TEST(no_port_twice_in_a_row)
{
	uint16_t last = 0;

	rig.conf.io.outgoing_ports = 3;
	open_shell(300);
	for (unsigned i = 0; i < 100; i++) {
		ask(1);
		ck_assert(rig_take(&rig, &msg));
		ck_assert_uint_ne(msg.from.port, last);
		last = msg.from.port;
	}
	ck_assert_uint_eq(shell->upstream_udp.sets[0][0].n, 3);
}
END_TEST

/* Fewer ports by a reload: the rest is retired, and questions leave by one that is left. */
START_TEST(fewer_ports_after_a_reload)
{
	const struct upstream_set *set;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(2 * N_PORTS);
	ck_assert_uint_eq(set->n, N_PORTS);
	rig.conf.io.outgoing_ports = 2;
	upstream_udp_sync(shell);
	ck_assert_uint_eq(set->n, 2);
	ck_assert_uint_eq(set->n_draining, N_PORTS - 2);
	ck_assert(set->in_use == set->slots[0] || set->in_use == set->slots[1]);
	ask(4);
	ck_assert_uint_eq(set->n, 2);
}
END_TEST

/* A retired socket closes with its last reply, not with the next beat. */
START_TEST(retired_socket_closes_with_its_last_reply)
{
	const struct upstream_set *set;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(1);
	shell->now_ns += UPSTREAM_SET_AGE_NS;
	upstream_udp_expire(shell);
	ck_assert_uint_eq(set->n_draining, 1);
	answer(1);
	ck_assert_uint_eq(set->n_draining, 0);
}
END_TEST

/*
 * RULES D21: after 32 IDs that were guessed the socket is given up: it is closed, its question goes
 * over TCP, and the next ones leave by another port. The 64 datagrams of one batch are no more.
 */
START_TEST(guessed_socket_is_replaced)
{
	const struct upstream_set *set;
	uint16_t port, id;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(1);
	ck_assert(rig_take(&rig, &msg));
	port = msg.from.port;
	id = rig_id(&msg);
	rig_reply(&msg, &msg, 1);
	for (unsigned i = 0; i < UDP_BATCH; i++) {
		/* the right one comes after 31 or after 32 */
		uint16_t guess = i == 31 + (unsigned)_i ? id : (uint16_t)(id + 1u + i);

		msg.bytes[0] = (uint8_t)(guess >> 8);
		msg.bytes[1] = (uint8_t)guess;
		rig_give(&rig, &msg);
	}
	read_sockets();
	ck_assert_uint_eq(shell->stats->upstream_guessed, 1);
	ck_assert_uint_eq(shell->stats->upstream_replies, _i == 0);
	ck_assert_uint_eq(shell->stats->upstream_tcp, _i == 1);
	ck_assert_uint_eq(shell->upstream_udp.n_draining, 0);
	for (unsigned i = 0; i < set->n; i++)
		ck_assert_uint_ne(
		    rig_local(shell->upstream_udp.socks.at[set->slots[i]].out.fd).port, port);
	rig.conf.core.case_randomization = false;
	ask(1); /* "n1.test" is weak */
	ck_assert_uint_eq(shell->stats->upstream_tcp, _i == 1 ? 2 : 1);
}
END_TEST

/* It is so too if no other socket can be had: then one of those that are left is used. */
START_TEST(guessed_socket_is_dropped_without_descriptors)
{
	struct rlimit before, none;
	struct upstream_set *set;
	unsigned slot;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3;
	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(2);
	ck_assert_uint_eq(set->n, 3);
	slot = set->in_use;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	upstream_udp_spoilt(shell, slot);
	upstream_udp_spoilt(shell, slot);
	ck_assert_uint_eq(set->n, 2);
	ck_assert_uint_ne(set->in_use, slot);
	for (unsigned i = 0; i < 2; i++)
		upstream_udp_spoilt(shell, set->slots[0]);
	ck_assert_uint_eq(set->n, 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	upstream_udp_beat(shell);
	shell->now_ns += UPSTREAM_SET_RETRY_NS;
	upstream_udp_beat(shell);
	ck_assert_uint_eq(set->n, 1);
}
END_TEST

/* Many upstreams share the slots: none takes what another needs. */
START_TEST(upstreams_share_the_slots)
{
	rig.conf.io.outgoing_ports = UPSTREAM_SET_PORTS;
	for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++) {
		rig.conf.core.upstreams[i] = conf_upstream_at(&rig.up);
		rig.conf.core.upstreams[i].addr.port = (uint16_t)(2000 + i);
	}
	rig.conf.core.n_upstreams = CONF_MAX_UPSTREAMS;
	open_shell(300);
	ck_assert_uint_eq(shell->upstream_udp.share, UPSTREAM_MAX_SOCKETS / CONF_MAX_UPSTREAMS);
	for (unsigned u = 0; u < CONF_MAX_UPSTREAMS; u++)
		ck_assert_uint_eq(shell->upstream_udp.sets[u][0].n, 1);
}
END_TEST

static unsigned
n_open(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		n += shell->upstream_udp.socks.at[i].open;
	return n;
}

/* Have SET's questions leave by SLOT, as if it had been drawn. */
static void
use(struct upstream_set *set, unsigned slot)
{
	set->in_use = (uint16_t)slot;
	engine_socket_use(shell->engine, slot);
}

/*
 * ICMP refused the socket in use: a fresh one is in its place when the engine is told, whether a
 * read or a send met the error. The engine hears it of one socket, once.
 */
START_TEST(refused_socket_is_replaced)
{
	struct upstream_set *set;
	unsigned slot;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	slot = set->in_use;
	close(rig.up_udp);
	rig.up_udp = -1;
	ask(1);
	use(set, slot);
	if (_i == 0)
		read_sockets();
	else
		ask(1);
	ck_assert_uint_eq(shell->stats->upstream_refused, 1);
	ck_assert_uint_eq(set->n_draining, 1);
	ck_assert_uint_ne(set->in_use, slot);
	for (unsigned i = 0; i < set->n; i++)
		ck_assert_uint_ne(set->slots[i], slot);
}
END_TEST

/* Another than the one in use is left where it is. */
START_TEST(refused_socket_not_in_use_stays)
{
	struct upstream_set *set;
	unsigned slot;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	slot = set->in_use;
	close(rig.up_udp);
	rig.up_udp = -1;
	ask(1);
	ck_assert_uint_ne(set->in_use, slot); /* a second one was opened and is used now */
	read_sockets();
	ck_assert_uint_eq(shell->stats->upstream_refused, 1);
	ck_assert_uint_eq(set->n_draining, 0);
}
END_TEST

/* However much is refused, few sockets are opened for it: one in UPSTREAM_SET_FRESH_NS. The next
 * question leaves by another port. */
START_TEST(refusals_open_few_sockets)
{
	struct upstream_set *set;

	open_shell(300);
	set = &shell->upstream_udp.sets[0][0];
	ask(2 * N_PORTS);
	ck_assert_uint_eq(n_open(), N_PORTS);
	for (unsigned i = 0; i < 1000; i++) {
		unsigned slot = set->in_use;

		list_push(&shell->tx.refused, &shell->upstream_udp.socks.at[slot].out.refused);
		ck_assert(upstream_udp_refused(shell));
		ck_assert_uint_ne(set->in_use, slot);
		shell->now_ns += NS_PER_MS;
	}
	ck_assert(!upstream_udp_refused(shell));
	ck_assert_uint_eq(n_open(), N_PORTS + 10);
}
END_TEST

/* A listener that has gone gets no answer, nor does the next one in its place. */
START_TEST(answer_for_a_gone_listener_goes_nowhere)
{
	struct netaddr addr = rig_addr("127.0.0.1", 0);
	struct packet_out send = { .to.side = PACKET_CLIENT,
		.to.transport = TRANSPORT_UDP,
		.to.peer = rig.up,
		.len = 20 };
	struct bind_sockets fds;

	open_shell(16);
	ck_assert_int_eq(bind_open(&addr, 0, &fds), 0);
	listener_add(shell, &fds);
	send.to.gen = shell->listeners.l[0].gen + 1;
	listener_answer(shell, &send);
	ck_assert_uint_eq(shell->tx.n, 0);
	send.to.gen--;
	memset(udp_tx_slot(&shell->tx), 0, send.len);
	listener_answer(shell, &send);
	ck_assert_uint_eq(shell->tx.n, 1);
	shell_flush(shell);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, random_bytes_are_locked);
	tcase_add_test(tc, d26_more_than_there_is_room_for);
	tcase_add_loop_test(tc, engine_smaller_than_a_batch_is_read, 1, 6);
	tcase_add_loop_test(tc, question_leaves_by_a_young_port, 0, 2);
	tcase_add_test(tc, sleeping_set_is_woken_by_a_draw);
	tcase_add_test(tc, retired_sockets_are_bounded);
	tcase_add_loop_test(tc, used_socket_is_replaced_at_once, 0, 4);
	tcase_add_test(tc, d21_refused_connection_is_lost_once);
	tcase_add_loop_test(tc, d21_ports_of_large_turns, 0, 2);
	tcase_add_test(tc, busy_is_who_asks_fast);
	tcase_add_test(tc, no_port_twice_in_a_row);
	tcase_add_test(tc, fewer_ports_after_a_reload);
	tcase_add_test(tc, retired_socket_closes_with_its_last_reply);
	tcase_add_loop_test(tc, guessed_socket_is_replaced, 0, 2);
	tcase_add_test(tc, guessed_socket_is_dropped_without_descriptors);
	tcase_add_test(tc, upstreams_share_the_slots);
	tcase_add_loop_test(tc, refused_socket_is_replaced, 0, 2);
	tcase_add_test(tc, refused_socket_not_in_use_stays);
	tcase_add_test(tc, refusals_open_few_sockets);
	tcase_add_test(tc, answer_for_a_gone_listener_goes_nowhere);
	tcase_add_test(tc, lack_of_a_descriptor_blames_no_upstream);
}
