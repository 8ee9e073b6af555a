/* SPDX-License-Identifier: BSD-2-Clause */
/* shell: when clients are read, and when not. */
#include "io/shell.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/rig.h"

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
	shell = calloc(1, sizeof *shell);
	ck_assert(base != NULL && engine != NULL && shell != NULL);
	ck_assert_int_eq(shell_init(shell, base, engine, &rig.conf.io, NS_PER_SEC), 0);
	forward_sync(shell);
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

/* N different questions that nobody will answer. */
static void
ask(unsigned n)
{
	while (n-- > 0) {
		char name[32];

		snprintf(name, sizeof name, "n%u.test", n_asked++);
		rig_question(&msg, 1, name, RIG_AAAA);
		shell->in[0] = (struct engine_in){ .msg = msg.bytes,
			.len = msg.len,
			.way = ENGINE_CLIENT_UDP,
			.gen = 99,
			.peer = rig.up };
		shell_input(shell, 1);
		shell_flush(shell);
	}
}

/* Let MS pass, in ticks. */
static void
pass(unsigned ms)
{
	for (unsigned i = 0; i < ms; i += 8) {
		shell->now_ns += ENGINE_TICK_NS;
		engine_tick(shell->engine, shell->now_ns);
		(void)shell_drain(shell);
		shell_flush(shell);
	}
}

/* Under a batch clients are not read; they are again when there is room for some. */
START_TEST(hysteresis)
{
	open_shell(300);
	ck_assert(shell_has_room(shell));
	ask(60);
	pass(3000);
	ask(300 - UDP_BATCH - 60);
	ck_assert_uint_eq(engine_room(shell->engine), UDP_BATCH);
	ck_assert(shell_has_room(shell));
	ask(1);
	ck_assert(!shell_has_room(shell));
	pass(2200); /* the first 60 have failed */
	ck_assert_uint_eq(engine_room(shell->engine), UDP_BATCH - 1 + 60);
	ck_assert(!shell_has_room(shell));
	pass(4000);
	ck_assert_uint_eq(engine_room(shell->engine), 300);
	ck_assert(shell_has_room(shell));
}
END_TEST

/* An engine smaller than a batch is read all the same. */
START_TEST(small)
{
	open_shell((uint32_t)_i);
	ck_assert(shell_has_room(shell));
	ask((unsigned)_i);
	ck_assert(!shell_has_room(shell));
	pass(6000);
	ck_assert(shell_has_room(shell));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("shell");
	TCase *t = tcase_create("shell");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 300);
	tcase_add_test(t, hysteresis);
	tcase_add_loop_test(t, small, 1, 6);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
