/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of a question that a loop explains; those who wait for a loop; those who are not
 * understood, or gone. */

#include "control/api_explain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/policies.h"
#include "control/explain_queue.h"
#include "core/stats.h"
#include "support/operator.h"
#include "support/rig.h"
#include "support/said.h"
#include "support/testclock.h"
#include "support/tests.h"

static struct operator op;
static struct rig rig;

static void
setup(void)
{
	operator_open(&op,
	    "nameserver 192.0.2.1\nlisten ::1\ndns64-prefix 2001:db8::/96\nallow 10.0.0.0/8\n"
	    "never-synthesize never.test\nexclude-a 192.0.2.0/24\n"
	    "client 10.0.0.0/8 {\nsynthesize never\n}\n");
	rig_init(&rig);
	/* The loop goes by the policies whose lines are known. */
	policies_unref(rig.conf.core.policies);
	rig.conf.core.policies = policies_ref(op.settings.conf.core.policies);
	rig.conf.core.local_zones = true;
	rig_start(&rig);
	op.host.loops[0] = rig.loop;
	op.host.n_loops = 1;
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
	rig_end(&rig);
	testclock_reset();
}

/* The value at KEY of the object at PATH of the answer; both may be of several keys with dots. */
static const json_t *
at(const char *path)
{
	const json_t *j = op.caller.json;
	char key[64];

	for (size_t len; *path != '\0'; path += len + (path[len] == '.' ? 1 : 0)) {
		len = strcspn(path, ".");
		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		j = json_is_array(j) ? json_array_get(j, (size_t)atoi(key))
				     : json_object_get(j, key);
	}
	return j;
}

static const char *
text_at(const char *path)
{
	const char *text = json_string_value(at(path));

	return text != NULL ? text : "-";
}

/* Ask for PATH; the upstream answers N questions meanwhile. */
static void
explain(const char *path, unsigned n)
{
	char raw[512];
	int fd = caller_connect(&op.caller);
	int len = snprintf(raw, sizeof(raw), "GET %s HTTP/1.1\r\nHost: d\r\n\r\n", path);

	ck_assert_int_eq(write(fd, raw, (size_t)len), len);
	caller_turn(&op.caller, 50);
	if (n > 0)
		rig_serve(&rig, n);
	ck_assert_int_eq(caller_wait(&op.caller, fd), 200);
}

/* D33: what the client gets, why, and what decided; the addresses, and the steps on the way. */
START_TEST(all_is_told)
{
	explain("/explain?name=A.test", 2);
	ck_assert_str_eq(text_at("question.name"), "a.test.");
	ck_assert_str_eq(text_at("question.type"), "AAAA");
	ck_assert_str_eq(text_at("question.client"), "::1");
	ck_assert_str_eq(text_at("question.transport"), "udp");
	ck_assert(json_is_true(at("question.ask")));
	ck_assert_str_eq(text_at("reason.name"), "a-excluded");
	ck_assert_str_eq(text_at("reason.kind"), "not-synthesized");
	ck_assert_int_eq(json_integer_value(at("reason.ede")), 0);
	ck_assert_str_eq(text_at("decided_by.keyword"), "exclude-a");
	ck_assert_str_eq(text_at("decided_by.value"), "192.0.2.0/24");
	ck_assert_str_eq(text_at("decided_by.file"), "/etc/t.conf");
	ck_assert_int_eq(json_integer_value(at("decided_by.line")), 6);
	ck_assert_str_eq(text_at("answer.rcode"), "NOERROR");
	ck_assert_uint_eq(json_array_size(at("answer.answer")), 0);
	ck_assert_ptr_nonnull(strstr(text_at("conclusion"), "NOERROR, no AAAA; not-synthesized: "));
	ck_assert_int_eq(json_integer_value(at("policy.number")), 0);
	ck_assert(json_is_null(at("policy.block")));
	ck_assert(json_is_true(at("policy.may_ask")) && json_is_false(at("reloaded")));
	ck_assert_str_eq(text_at("steps.0.step"), "begin");
	ck_assert_str_eq(text_at("steps.0.state"), "aaaa");
	ck_assert_str_eq(text_at("steps.1.step"), "question");
	ck_assert_str_eq(text_at("steps.2.step"), "sent");
	ck_assert_str_eq(text_at("steps.3.step"), "came");
	ck_assert_str_eq(text_at("steps.3.rcode"), "NOERROR");
	ck_assert_int_eq(json_integer_value(at("steps.2.attempt")), 1);
	ck_assert_str_eq(text_at("steps.2.why"), "the only one");
	ck_assert(json_is_false(at("steps.3.tc")) && json_is_integer(at("steps.3.answers")));
	ck_assert(json_is_true(at("steps.3.taken")) && json_is_integer(at("steps.3.took_us")));
	ck_assert_str_eq(text_at("steps.9.step"), "address");
	ck_assert_str_eq(text_at("steps.9.verdict"), "excluded");
	ck_assert_int_eq(json_integer_value(at("steps.9.decided_by.line")), 6);
	ck_assert_int_eq(json_integer_value(at("steps_left_out")), 0);
}
END_TEST

START_TEST(clients_and_zones)
{
	explain("/explain?name=b.test&client=10.0.0.7", 1);
	ck_assert_str_eq(text_at("reason.name"), "client-never");
	ck_assert_int_eq(json_integer_value(at("decided_by.line")), 8);
	ck_assert_int_eq(json_integer_value(at("policy.block.line")), 7);
	ck_assert_int_eq(json_integer_value(at("policy.allowed_by.line")), 4);
	explain("/explain?name=c.never.test", 1);
	ck_assert_str_eq(text_at("reason.name"), "never-synthesize");
	ck_assert_int_eq(json_integer_value(at("decided_by.line")), 5);
	ck_assert_str_eq(text_at("policy.zone.name"), "never.test.");
	explain("/explain?name=d.test&client=192.0.2.7", 0);
	ck_assert_str_eq(text_at("reason.name"), "denied");
	ck_assert_str_eq(text_at("answer.rcode"), "REFUSED");
	ck_assert_str_eq(text_at("decided_by.rule"), "no allow line has this client");
	explain("/explain?name=1.0.0.10.in-addr.arpa&type=PTR", 0);
	ck_assert_str_eq(text_at("reason.name"), "local-zone");
	ck_assert_str_eq(text_at("decided_by.rule"), "the default");
	ck_assert_str_eq(text_at("decided_by.keyword"), "local-zones");
	explain("/explain?name=e.test&do=1&cd=1&type=A&tcp=0", 1);
	ck_assert(json_is_true(at("question.do")) && json_is_true(at("question.cd")));
	ck_assert_str_eq(text_at("answer.answer.0"), "e.test. 300 IN A 192.0.2.1");
}
END_TEST

START_TEST(dry)
{
	explain("/explain?name=f.test&ask=0", 0);
	ck_assert(json_is_false(at("question.ask")));
	ck_assert_str_eq(text_at("conclusion"), "not known without asking: would ask f.test. AAAA");
	ck_assert(json_is_null(at("reason")) && json_is_null(at("answer")));
	ck_assert_str_eq(text_at("steps.1.step"), "would-ask");
	ck_assert_str_eq(text_at("steps.2.step"), "whom");
	ck_assert_uint_eq(json_array_size(at("steps")), 3);
}
END_TEST

/* Ask for PATH over a new connection; do not wait for the answer. */
static int
begin(const char *path)
{
	char raw[512];
	int fd = caller_connect(&op.caller);
	int len = snprintf(raw, sizeof(raw), "GET %s HTTP/1.1\r\nHost: d\r\n\r\n", path);

	ck_assert_int_eq(write(fd, raw, (size_t)len), len);
	caller_turn(&op.caller, 50);
	return fd;
}

/* A loop has one at a time, others wait for it; who hangs up holds up nobody for longer than the
 * question takes. */
START_TEST(others_wait)
{
	int gone = begin("/explain?name=silent.test"), fds[3];

	testclock_hold();
	close(gone);
	fds[0] = begin("/explain?name=g.test&ask=0");
	fds[1] = begin("/explain?name=h.test&ask=0");
	for (unsigned i = 0; i < 7; i++) {
		testclock_pass(NS_PER_SEC);
		caller_turn(&op.caller, 100);
	}
	ck_assert_int_eq(caller_wait(&op.caller, fds[0]), 200);
	ck_assert_str_eq(text_at("question.name"), "g.test.");
	ck_assert_int_eq(caller_wait(&op.caller, fds[1]), 200);
	ck_assert_str_eq(text_at("question.name"), "h.test.");
}
END_TEST

/* Not for ever, and not as many as like: the others have their answers. */
START_TEST(not_too_many)
{
	int fds[EXPLAIN_QUEUE_MAX];

	testclock_hold();
	for (unsigned i = 0; i < EXPLAIN_QUEUE_MAX; i++)
		fds[i] = begin("/explain?name=silent.test");
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/explain?name=g.test&ask=0", NULL), 503);
	ck_assert_ptr_nonnull(strstr(text_at("error"), "too many questions wait"));
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/ping", NULL), 200);
	for (unsigned i = 0; i < 18; i++) {
		testclock_pass(NS_PER_SEC);
		caller_turn(&op.caller, 50);
	}
	ck_assert_int_eq(caller_wait(&op.caller, fds[EXPLAIN_QUEUE_MAX - 1]), 503);
	ck_assert_ptr_nonnull(strstr(text_at("error"), "no loop was free in time"));
	ck_assert_int_eq(caller_wait(&op.caller, fds[0]), 200);
	for (unsigned i = 1; i + 1 < EXPLAIN_QUEUE_MAX; i++)
		close(fds[i]);
}
END_TEST

/* The configuration is another one by the time of the answer: its lines would be wrong. */
START_TEST(reload_meanwhile)
{
	struct policies *own = op.settings.conf.core.policies;
	static struct said said;
	struct policies *others;

	said_init(&said);
	others = policies_make(&op.settings, &said.diag);
	ck_assert_ptr_nonnull(others);
	op.settings.conf.core.policies = others;
	explain("/explain?name=h.never.test", 1);
	op.settings.conf.core.policies = own;
	policies_unref(others);
	ck_assert(json_is_true(at("reloaded")));
	ck_assert(json_is_null(at("decided_by")));
	ck_assert_str_eq(text_at("reason.name"), "never-synthesize");
}
END_TEST

/* A loop that does nothing, whether it took the question or not: who asked is told in time. */
START_TEST(stuck_loop)
{
	int fd, other;

	rig_stop(&rig, 0);
	testclock_hold();
	fd = begin("/explain?name=i.test");
	other = begin("/explain?name=i.test");
	testclock_pass(EXPLAIN_QUEUE_MS * NS_PER_MS);
	ck_assert_int_eq(caller_wait(&op.caller, fd), 503);
	ck_assert_ptr_nonnull(strstr(text_at("error"), "did not answer in time"));
	testclock_pass((EXPLAIN_QUEUE_WAIT_MS - EXPLAIN_QUEUE_MS) * NS_PER_MS);
	ck_assert_int_eq(caller_wait(&op.caller, other), 503);
	ck_assert_ptr_nonnull(strstr(text_at("error"), "no loop was free in time"));
}
END_TEST

static const struct {
	const char *path, *error;
} wrong[] = {
	{ "/explain", "name is missing" },
	{ "/explain?name=a..b", "63 characters" },
	{ "/explain?name=a.test&type=nonsense", "TYPE and a number" },
	{ "/explain?name=a.test&type=TKEY", "can be asked for" },
	{ "/explain?name=a.test&type=OPT", "can be asked for" },
	{ "/explain?name=a.test&client=10.1", "an IPv4 or IPv6 address" },
	{ "/explain?name=a.test&ask=yes", "\"1\"" },
	{ "/explain?name=a.test&tcp=", "\"1\"" },
	{ "/explain?name=a.test&colour=red", "\"client\"" },
};

START_TEST(what_is_not_understood)
{
	ck_assert_int_eq(caller_ask(&op.caller, "GET", wrong[_i].path, NULL), 400);
	ck_assert_msg(strstr(op.caller.text, wrong[_i].error) != NULL, "%s", op.caller.text);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, all_is_told);
	tcase_add_test(tc, clients_and_zones);
	tcase_add_test(tc, dry);
	tcase_add_test(tc, others_wait);
	tcase_add_test(tc, not_too_many);
	tcase_add_test(tc, reload_meanwhile);
	tcase_add_test(tc, stuck_loop);
	tcase_add_loop_test(tc, what_is_not_understood, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
}
