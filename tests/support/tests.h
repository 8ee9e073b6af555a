/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tests: main() of a Check program. The program, tests/<room>/check_<file>.c, has its tests and
 * tests_add(), which names them.
 */
#pragma once

#include <check.h>

/*
 * tests_add: of the program: adds its tests to TC, an empty case, or to more of them. It is called
 * once, before any test runs, in the process that the tests are forked from.
 */
void tests_add(TCase *tc);

/*
 * tests_case: returns one more empty case, for tests with another fixture or time limit than those
 * of TC. Called by tests_add() only; the case is freed when all tests have run.
 */
TCase *tests_case(const char *name);

/*
 * tests_apart: each test of the program has a process of its own, even with CK_FORK=no: for those
 * that give up rights or change limits, which do not come back. Called by tests_add() only.
 */
void tests_apart(void);

/* tests_skip: ends the program as one that is skipped, for WHY. Called by tests_add() only. */
_Noreturn void tests_skip(const char *why);
