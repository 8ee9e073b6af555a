/* SPDX-License-Identifier: BSD-2-Clause */
/* proxied: questions that a proxy asks for others, over UDP (listener) and TCP (session). */
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "io/proxy.h"
#include "support/configured.h"
#include "support/crowd.h"
#include "support/heard.h"
#include "support/proxied.h"
#include "support/tests.h"

#define BALANCER "198.51.100.1" /* over TCP; over UDP it is this machine */
#define SIGNATURE_LEN 12
#define RUN 8 /* datagrams */

static struct crowd crowd;
static struct rig rig;
static struct rig_msg msg, question;
static uint8_t header[PROXIED_MAX];

/* A client of its own prefix, and one that gets no answer. */
static const char policies[] = "dns64-prefix 64:ff9b::/96\n"
			       "deny 203.0.113.0/24 drop\n"
			       "client 192.0.2.0/24 {\n"
			       "dns64-prefix 2001:db8:64::/96\n"
			       "}\n";

static void
configure(struct conf *c, struct net proxy)
{
	policies_unref(c->core.policies);
	c->core.policies = configured_policies(policies);
	c->io.proxies[0] = proxy;
	c->io.n_proxies = 1;
}

/* --- over UDP --------------------------------------------------------------------------------- */

static void
setup_udp(void)
{
	rig_init(&rig);
	configure(&rig.conf, (struct net){ { 127, 0, 0, 1 }, 32, NETADDR_IPV4 });
	rig_start(&rig);
}

static void
teardown_udp(void)
{
	rig_end(&rig);
}

/* Send M with the LEN bytes of header before it. */
static void
send_behind(int fd, size_t len, const struct rig_msg *m)
{
	static struct rig_msg whole;

	memcpy(whole.bytes, header, len);
	memcpy(whole.bytes + len, m->bytes, m->len);
	whole.len = len + m->len;
	rig_send(fd, &whole);
}

/* Ask FD for NAME with the LEN bytes of header, and take the answer, which is synthesized. */
static void
ask_behind(int fd, size_t len, const char *name)
{
	rig_question(&question, 7, name, RIG_AAAA);
	send_behind(fd, len, &question);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(rig_id(&msg), 7);
	ck_assert_uint_eq(rig_answers(&msg), 1);
}

/* Is the address of the answer under PREFIX, of 4 bytes? It is the last thing of the message. */
static bool
is_under(const struct rig_msg *m, uint32_t prefix)
{
	return wire_u32(m->bytes + m->len - 16) == prefix;
}

/* The policy is the client's, the answer goes to the proxy (D35). */
START_TEST(named_client_decides)
{
	int fd = rig_connect(SOCK_DGRAM, &rig.at[0]);

	ask_behind(fd, proxied_header("192.0.2.1", 0, header), "a.test");
	ck_assert(is_under(&msg, 0x20010db8));
	ask_behind(fd, proxied_header("::ffff:192.0.2.1", 0, header), "b.test");
	ck_assert(is_under(&msg, 0x20010db8));
	ask_behind(fd, proxied_header("2001:db8::1", 500, header), "c.test");
	ck_assert(is_under(&msg, 0x0064ff9b));
	ck_assert_uint_eq(rig_stat(&rig, "proxy_clients"), 3);
	ask_behind(fd, proxied_local(header), "d.test");
	ck_assert(is_under(&msg, 0x0064ff9b));
	ck_assert_uint_eq(rig_stat(&rig, "proxy_clients"), 3);
	ck_assert_uint_eq(rig_stat(&rig, "proxy_refused"), 0);
	close(fd);
}
END_TEST

/* An answer that waits for upstream finds its way back, whatever the others do. */
START_TEST(answers_find_their_proxy)
{
	static struct rig_msg up[4];
	int fd[4];

	for (size_t i = 0; i < 4; i++) {
		fd[i] = rig_connect(SOCK_DGRAM, &rig.at[0]);
		rig_question(&question, (uint16_t)i, (char[]){ (char)('a' + i), 0 }, RIG_A);
		send_behind(fd[i], proxied_header("192.0.2.1", 0, header), &question);
		ck_assert(rig_take(&rig, &up[i]));
	}
	for (size_t i = 4; i-- > 0;) {
		rig_reply(&msg, &up[i], 1);
		rig_give(&rig, &msg);
		ck_assert(rig_recv(fd[i], &msg));
		ck_assert_uint_eq(rig_id(&msg), i);
	}
	for (size_t i = 0; i < 4; i++)
		close(fd[i]);
}
END_TEST

/* RUN questions for NAME from FIRST on, for two clients by turns, as one message (UDP_SEGMENT). */
static void
send_run(int fd, uint16_t first, const char *name)
{
	static struct rig_msg run;
	int piece = 0;

	run.len = 0;
	for (uint16_t i = 0; i < RUN; i++) {
		size_t len = proxied_header(i % 2 == 0 ? "192.0.2.1" : "198.18.0.1", 0, header);

		rig_question(&question, (uint16_t)(first + i), name, RIG_AAAA);
		memcpy(run.bytes + run.len, header, len);
		memcpy(run.bytes + run.len + len, question.bytes, question.len);
		piece = (int)(len + question.len);
		run.len += (size_t)piece;
	}
	ck_assert_int_eq(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &piece, sizeof(piece)), 0);
	rig_send(fd, &run);
}

/* Each datagram of a run has its header, and of answers that are alike each proxy gets its own. */
START_TEST(runs_have_a_header_each)
{
	int fd[2];

	for (uint16_t k = 0; k < 2; k++) {
		fd[k] = rig_connect(SOCK_DGRAM, &rig.at[0]);
		send_run(fd[k], (uint16_t)(k * RUN), "a.test");
	}
	ck_assert(rig_until(&rig, "proxy_clients", 2 * RUN)); /* so they wait for one lookup */
	rig_serve(&rig, 2);
	for (uint16_t k = 0; k < 2; k++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < RUN; i++) {
			ck_assert(rig_recv(fd[k], &msg));
			ck_assert_uint_eq(rig_id(&msg) / RUN, k);
			ck_assert(is_under(&msg, rig_id(&msg) % 2 == 0 ? 0x20010db8 : 0x0064ff9b));
			seen |= 1U << rig_id(&msg) % RUN;
		}
		ck_assert_uint_eq(seen, (1U << RUN) - 1);
		close(fd[k]);
	}
}
END_TEST

/* Write header I of those that are violations. Returns its length; 0: there are no more. */
static size_t
violation(unsigned i)
{
	size_t len = proxied_header("192.0.2.1", 0, header);

	if (i == 0)
		return SIGNATURE_LEN; /* what follows is no command */
	if (i == 1)
		header[0] = 'P';
	else if (i == 2)
		header[12] = 0x11;
	else if (i == 3)
		header[12] = 0x22;
	else if (i == 4)
		header[13] = 0x31;
	else if (i == 5)
		len = proxied_header("224.0.0.1", 0, header);
	else if (i == 6)
		len = proxied_header("192.0.2.1", PROXY_MAX - 27, header);
	else if (i == 7) /* twice */
		len += proxied_header("192.0.2.1", 0, header + len);
	else if (i == 8)
		len = proxied_local(header) + proxied_local(header + proxied_local(header));
	return i < 9 ? len : 0;
}

/* Each is dropped and counted, the first is logged, and the next question is served (D35). */
START_TEST(violations_are_dropped)
{
	int fd = rig_connect(SOCK_DGRAM, &rig.at[0]);
	unsigned n = 1;
	size_t len;

	heard_start(LOG_LEVEL_NOTICE);
	rig_question(&question, 1, "a.test", RIG_AAAA);
	rig_send(fd, &question);
	for (unsigned i = 0; (len = violation(i)) > 0; i++, n++)
		send_behind(fd, len, &question);
	ck_assert(rig_until(&rig, "proxy_refused", n));
	ask_behind(fd, proxied_local(header), "b.test");
	ck_assert_uint_eq(rig_stat(&rig, "proxy_refused"), n);
	ck_assert_uint_eq(loop_stats(rig.loop)->reasons[REASON_DROP_PROXY][0][0], n);
	ck_assert_uint_eq(heard("(proxy-protocol): it has no PROXY header of version 2"), 1);
	ck_assert_uint_eq(heard("(proxy-protocol)"), 1);
	heard_end();
	close(fd);
}
END_TEST

/* Cut at each byte, and alone. */
START_TEST(cut_headers_are_dropped)
{
	int fd = rig_connect(SOCK_DGRAM, &rig.at[0]);
	size_t len = proxied_header("192.0.2.1", 20, header);

	memcpy(msg.bytes, header, len);
	for (msg.len = 0; msg.len < len; msg.len++)
		rig_send(fd, &msg);
	ck_assert(rig_until(&rig, "proxy_refused", len));
	rig_send(fd, &msg);
	ck_assert(rig_until(&rig, "client_short", 1));
	ask_behind(fd, len, "a.test");
	ck_assert_uint_eq(rig_stat(&rig, "proxy_refused"), len);
	close(fd);
}
END_TEST

/* Who is no proxy may not send it, and is served without (D35). */
START_TEST(others_may_not)
{
	int fd;

	if (rig.at[1].family != NETADDR_IPV6)
		return;
	fd = rig_connect(SOCK_DGRAM, &rig.at[1]);
	rig_question(&question, 1, "a.test", RIG_AAAA);
	send_behind(fd, proxied_header("192.0.2.1", 0, header), &question);
	ck_assert(rig_until(&rig, "proxy_refused", 1));
	ask_behind(fd, 0, "b.test");
	ck_assert(is_under(&msg, 0x0064ff9b));
	ck_assert_uint_eq(rig_stat(&rig, "proxy_clients"), 0);
	close(fd);
}
END_TEST

/* Of what gets no answer nothing is left: more of them than routes do not cost one that waits. */
START_TEST(dropped_questions_leave_no_route)
{
	static struct rig_msg up;
	int fd = rig_connect(SOCK_DGRAM, &rig.at[0]);
	unsigned n = rig.conf.core.max_queries + 200;
	size_t len;

	rig_question(&question, 7, "a.test", RIG_A);
	send_behind(fd, proxied_header("192.0.2.1", 0, header), &question);
	ck_assert(rig_take(&rig, &up));
	len = proxied_header("203.0.113.1", 0, header);
	for (unsigned i = 1; i <= n; i++) {
		send_behind(fd, len, &question);
		if (i % 50 == 0)
			ck_assert(rig_until(&rig, "client_ignored", i));
	}
	rig_reply(&msg, &up, 1);
	rig_give(&rig, &msg);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(rig_id(&msg), 7);
	close(fd);
}
END_TEST

/* --- over TCP --------------------------------------------------------------------------------- */

static void
setup_tcp(void)
{
	crowd_init(&crowd);
	configure(&crowd.rig.conf, (struct net){ { 198, 51, 100, 1 }, 32, NETADDR_IPV4 });
}

static void
start_tcp(uint32_t max, uint32_t max_client)
{
	crowd.rig.conf.io.max_tcp_clients = max;
	crowd.rig.conf.io.max_tcp_per_client = max_client;
	crowd_start(&crowd);
}

static void
teardown_tcp(void)
{
	crowd_end(&crowd);
}

static void
put(int fd, const uint8_t *bytes, size_t len)
{
	ck_assert_int_eq(send(fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static bool
answers(int fd)
{
	(void)crowd_settle(&crowd);
	return crowd_read(fd, 1000) > 0;
}

/* A connection of the balancer that names CLIENT, and asks. */
static int
join_for(const char *client)
{
	int fd = crowd_join(&crowd, BALANCER);

	put(fd, header, proxied_header(client, 0, header));
	crowd_ask(fd, CROWD_LOCAL, 1);
	return fd;
}

/* However many bytes come at a time. */
START_TEST(header_comes_in_pieces)
{
	size_t len = proxied_header("192.0.2.1", 100, header), piece = (size_t)_i;
	int fd;

	start_tcp(10, 10);
	fd = crowd_join(&crowd, BALANCER);
	for (size_t at = 0; at < len; at += piece) {
		put(fd, header + at, len - at < piece ? len - at : piece);
		(void)crowd_settle(&crowd);
		ck_assert(crowd_is_open(fd));
	}
	for (unsigned i = 0; i < 2; i++) {
		crowd_ask(fd, CROWD_LOCAL, 1);
		ck_assert(answers(fd));
	}
	ck_assert_uint_eq(crowd_stat(&crowd, "proxy_clients"), 1);
	close(fd);
}
END_TEST

START_TEST(header_and_questions_come_at_once)
{
	uint8_t all[PROXIED_MAX + 200];
	size_t len = proxied_header("2001:db8::1", 0, header);
	int fd;

	start_tcp(10, 10);
	fd = crowd_join(&crowd, BALANCER);
	memcpy(all, header, len);
	rig_question(&question, 1, CROWD_LOCAL, RIG_A);
	for (unsigned i = 0; i < 3; i++) {
		wire_set_u16(all + len, (uint16_t)question.len);
		memcpy(all + len + 2, question.bytes, question.len);
		len += 2 + question.len;
	}
	put(fd, all, len);
	(void)crowd_settle(&crowd);
	ck_assert_uint_eq(crowd_stat(&crowd, "client_tcp"), 3);
	ck_assert(answers(fd));
	close(fd);
}
END_TEST

/* LOCAL, and a proxy that is no client: its own limits hold for it, and its own policy. */
START_TEST(local_asks_for_itself)
{
	int fd[3];

	start_tcp(10, 2);
	for (unsigned i = 0; i < 3; i++) {
		fd[i] = crowd_join(&crowd, BALANCER);
		put(fd[i], header, proxied_local(header));
		(void)crowd_settle(&crowd);
	}
	ck_assert(!crowd_is_open(fd[0]));
	ck_assert_uint_eq(crowd_stat(&crowd, "proxy_clients"), 0);
	ck_assert_uint_eq(crowd_stat(&crowd, "tcp_evicted"), 1);
	crowd_ask(fd[2], CROWD_LOCAL, 1);
	ck_assert(answers(fd[2]));
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]);
}
END_TEST

/* It has as long as a first question, whether a byte comes each second or none. */
START_TEST(slow_header_has_3_s)
{
	size_t len = proxied_header("192.0.2.1", 0, header);
	unsigned n = 0;
	int fd;

	start_tcp(10, 10);
	fd = crowd_join(&crowd, BALANCER);
	while (crowd_is_open(fd) && n < len) {
		if (_i == 1)
			put(fd, header + n, 1);
		crowd_pass(&crowd, 1000);
		n++;
	}
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(crowd_stat(&crowd, "tcp_idle"), 1);
	close(fd);
}
END_TEST

START_TEST(violations_end_the_connection)
{
	unsigned n = 0;
	size_t len;

	heard_start(LOG_LEVEL_NOTICE);
	start_tcp(10, 10);
	for (; (len = violation(n)) > 0; n++) {
		int fd = crowd_join(&crowd, BALANCER);

		put(fd, header, len);
		crowd_ask(fd, CROWD_LOCAL, 1);
		(void)crowd_settle(&crowd);
		ck_assert(!crowd_is_open(fd));
		ck_assert_uint_eq(crowd_stat(&crowd, "proxy_refused"), n + 1);
		close(fd);
	}
	ck_assert_uint_eq(crowd_stat(&crowd, "client_tcp"), 0);
	ck_assert_uint_eq(crowd.sh->sessions.n, 0);
	ck_assert_uint_eq(heard("a connection of " BALANCER "#1 was closed (proxy-protocol)"), 1);
	heard_end();
}
END_TEST

/* The length alone is enough: the rest of 64 KiB is not waited for. */
START_TEST(over_long_header_ends_at_once)
{
	int fd;

	start_tcp(10, 10);
	fd = crowd_join(&crowd, BALANCER);
	(void)proxied_header("192.0.2.1", 0, header);
	memset(header + 14, 0xff, 2);
	put(fd, header, 16);
	(void)crowd_settle(&crowd);
	ck_assert(!crowd_is_open(fd));
	close(fd);
}
END_TEST

/* A header that ends with the connection is one; a connection that only looks in is none. */
START_TEST(cut_header_is_a_violation)
{
	size_t len = proxied_header("192.0.2.1", 0, header);

	start_tcp(10, 10);
	for (size_t i = 0; i <= len; i++) {
		int fd = crowd_join(&crowd, BALANCER);

		if (i > 0)
			put(fd, header, i);
		(void)crowd_settle(&crowd);
		ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
		(void)crowd_settle(&crowd);
		ck_assert(!crowd_is_open(fd));
		close(fd);
	}
	ck_assert_uint_eq(crowd_stat(&crowd, "proxy_refused"), len - 1);
	ck_assert_uint_eq(crowd.sh->sessions.n, 0);
}
END_TEST

/* In the second message, alone or at once with the first one, whole or with a question behind. */
START_TEST(second_header_ends_the_connection)
{
	size_t len = proxied_header("192.0.2.1", 0, header);
	int fd;

	start_tcp(10, 10);
	fd = join_for("192.0.2.1");
	if ((_i & 1) != 0)
		ck_assert(answers(fd));
	put(fd, header, _i < 2 ? len : SIGNATURE_LEN);
	if (_i >= 2)
		crowd_ask(fd, CROWD_LOCAL, 200);
	(void)crowd_settle(&crowd);
	ck_assert(!crowd_is_open(fd));
	ck_assert_uint_eq(crowd_stat(&crowd, "proxy_refused"), 1);
	close(fd);
}
END_TEST

START_TEST(others_may_not_over_tcp)
{
	int fd, other;

	start_tcp(10, 10);
	fd = crowd_join(&crowd, "198.51.100.2");
	put(fd, header, proxied_header("192.0.2.1", 0, header));
	crowd_ask(fd, CROWD_LOCAL, 1);
	other = crowd_join(&crowd, "198.51.100.2");
	crowd_ask(other, CROWD_LOCAL, 1);
	ck_assert(answers(other));
	ck_assert(!crowd_is_open(fd));
	ck_assert_uint_eq(crowd_stat(&crowd, "proxy_refused"), 1);
	close(fd);
	close(other);
}
END_TEST

/* max-tcp-per-client is by client: the proxy may have more, and a client's own idle one yields. */
START_TEST(limits_are_the_clients)
{
	int fd[5];

	start_tcp(10, 1);
	for (unsigned i = 0; i < 4; i++) {
		fd[i] = join_for(
		    (const char *[]){ "192.0.2.1", "192.0.3.1", "2001:db8::1", "2001:db9::1" }[i]);
		ck_assert(answers(fd[i]));
	}
	ck_assert_uint_eq(crowd_stat(&crowd, "tcp_evicted"), 0);
	fd[4] = join_for("192.0.3.1");
	ck_assert(answers(fd[4]));
	for (unsigned i = 0; i < 5; i++) {
		ck_assert(crowd_is_open(fd[i]) == (i != 1));
		close(fd[i]);
	}
	ck_assert_uint_eq(crowd_stat(&crowd, "tcp_evicted"), 1);
}
END_TEST

/* At its ceiling with a question open, a client is refused; the seat of who is refused is free. */
START_TEST(busy_client_is_refused)
{
	int fd = -1, refused;

	start_tcp(10, 1);
	fd = crowd_join(&crowd, BALANCER);
	put(fd, header, proxied_header("192.0.2.1", 0, header));
	crowd_ask_new(fd);
	(void)crowd_settle(&crowd);
	refused = join_for("192.0.2.1");
	ck_assert(!answers(refused));
	ck_assert(!crowd_is_open(refused));
	ck_assert(crowd_is_open(fd));
	ck_assert_uint_eq(crowd_stat(&crowd, "tcp_refused"), 1);
	ck_assert_uint_eq(crowd.sh->sessions.n, 1);
	close(refused);
	close(fd);
}
END_TEST

/* All places are taken by those that have named nobody: one of them gives way, or the new one. */
START_TEST(places_are_bounded)
{
	int fd[4];

	start_tcp(3, 1);
	for (unsigned i = 0; i < 4; i++) {
		fd[i] = crowd_join(&crowd, BALANCER);
		(void)crowd_settle(&crowd);
		ck_assert_uint_le(crowd.sh->sessions.n, 3);
	}
	put(fd[3], header, proxied_header("192.0.2.1", 0, header));
	crowd_ask(fd[3], CROWD_LOCAL, 1);
	ck_assert(answers(fd[3]));
	for (unsigned i = 0; i < 4; i++)
		close(fd[i]);
}
END_TEST

START_TEST(ignored_client_gets_no_connection)
{
	int fd;

	start_tcp(10, 10);
	fd = join_for("203.0.113.1");
	ck_assert(!answers(fd));
	ck_assert(!crowd_is_open(fd));
	ck_assert_uint_eq(crowd_stat(&crowd, "client_ignored"), 1);
	close(fd);
}
END_TEST

/* Whom deny lines drop is the client: a proxy in such a network may ask for others. */
START_TEST(proxy_itself_is_not_judged)
{
	int fd;

	crowd.rig.conf.io.proxies[0] = (struct net){ { 203, 0, 113, 1 }, 32, NETADDR_IPV4 };
	start_tcp(10, 10);
	fd = crowd_join(&crowd, "203.0.113.1");
	session_shed(crowd.sh);
	put(fd, header, proxied_header("192.0.2.1", 0, header));
	crowd_ask(fd, CROWD_LOCAL, 1);
	ck_assert(answers(fd));
	session_shed(crowd.sh);
	ck_assert(crowd_is_open(fd));
	close(fd);
	fd = crowd_join(&crowd, "203.0.113.1");
	put(fd, header, proxied_local(header));
	(void)crowd_settle(&crowd);
	ck_assert(!crowd_is_open(fd));
	close(fd);
}
END_TEST

/* What a reload changes holds for connections that come later. */
START_TEST(reload_leaves_connections_as_they_are)
{
	int before, waiting, after;

	start_tcp(10, 10);
	before = join_for("192.0.2.1");
	ck_assert(answers(before));
	waiting = crowd_join(&crowd, BALANCER);
	crowd.rig.conf.io.n_proxies = 0;
	put(waiting, header, proxied_header("192.0.2.1", 0, header));
	crowd_ask(waiting, CROWD_LOCAL, 1);
	ck_assert(answers(waiting));
	crowd_ask(before, CROWD_LOCAL, 1);
	ck_assert(answers(before));
	after = crowd_join(&crowd, BALANCER);
	crowd_ask(after, CROWD_LOCAL, 1);
	ck_assert(answers(after));
	close(before);
	close(waiting);
	close(after);
}
END_TEST

void
tests_add(TCase *tc)
{
	TCase *tcp = tests_case("tcp");

	tcase_add_checked_fixture(tc, setup_udp, teardown_udp);
	tcase_add_test(tc, named_client_decides);
	tcase_add_test(tc, answers_find_their_proxy);
	tcase_add_test(tc, runs_have_a_header_each);
	tcase_add_test(tc, violations_are_dropped);
	tcase_add_test(tc, cut_headers_are_dropped);
	tcase_add_test(tc, others_may_not);
	tcase_add_test(tc, dropped_questions_leave_no_route);
	tcase_add_checked_fixture(tcp, setup_tcp, teardown_tcp);
	tcase_add_loop_test(tcp, header_comes_in_pieces, 1, 8);
	tcase_add_test(tcp, header_and_questions_come_at_once);
	tcase_add_test(tcp, local_asks_for_itself);
	tcase_add_loop_test(tcp, slow_header_has_3_s, 0, 2);
	tcase_add_test(tcp, violations_end_the_connection);
	tcase_add_test(tcp, over_long_header_ends_at_once);
	tcase_add_test(tcp, cut_header_is_a_violation);
	tcase_add_loop_test(tcp, second_header_ends_the_connection, 0, 4);
	tcase_add_test(tcp, others_may_not_over_tcp);
	tcase_add_test(tcp, limits_are_the_clients);
	tcase_add_test(tcp, busy_client_is_refused);
	tcase_add_test(tcp, places_are_bounded);
	tcase_add_test(tcp, ignored_client_gets_no_connection);
	tcase_add_test(tcp, proxy_itself_is_not_judged);
	tcase_add_test(tcp, reload_leaves_connections_as_they_are);
}
