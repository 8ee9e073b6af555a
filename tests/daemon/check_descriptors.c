/* SPDX-License-Identifier: BSD-2-Clause */
/* descriptors: how many a busy daemon needs, and the limit that is raised to them. */
#include "daemon/descriptors.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outbound/upstream.h"
#include "support/heard.h"
#include "support/tests.h"

static struct settings settings;

START_TEST(need_follows_the_limits)
{
	rlim_t base, more;

	settings.conf.io.max_tcp_clients = 100;
	settings.conf.io.n_listens = 2;
	settings.conf.io.outgoing_ports = 8;
	settings.conf.core.n_upstreams = 1;
	base = descriptors_needed(&settings, 1);
	ck_assert_uint_gt(base, 100 + 2 * 2);
	settings.conf.io.max_tcp_clients = 150;
	ck_assert_uint_eq(descriptors_needed(&settings, 1) - base, 50);
	settings.conf.io.n_listens = 3; /* UDP and TCP */
	ck_assert_uint_eq(descriptors_needed(&settings, 1) - base, 52);
	more = descriptors_needed(&settings, 2);
	ck_assert_uint_gt(more, 2 * (base - 100));
	/* To one upstream: in each of 4 ID spaces 8 sockets in use and 128 retired, and TCP. */
	base = descriptors_needed(&settings, 1);
	settings.conf.core.n_upstreams = 2;
	ck_assert_uint_eq(descriptors_needed(&settings, 1) - base, 544 + TCP_POOL_SIZE);
	/* There are no more sockets for UDP than a loop can have in all. */
	settings.conf.core.n_upstreams = CONF_MAX_UPSTREAMS;
	ck_assert_uint_eq(descriptors_needed(&settings, 1) - base,
	    UPSTREAM_MAX_SOCKETS - 544 + (CONF_MAX_UPSTREAMS - 1) * TCP_POOL_SIZE);
}
END_TEST

static rlim_t
soft_limit(void)
{
	struct rlimit l = { .rlim_cur = 0 };

	return getrlimit(RLIMIT_NOFILE, &l) == 0 ? l.rlim_cur : 0;
}

static bool
soft_limit_follows(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		return false;
	l.rlim_cur = 64;
	if (setrlimit(RLIMIT_NOFILE, &l) != 0)
		return false;
	heard_start(LOG_LEVEL_WARN);
	descriptors_raise(100);
	if (soft_limit() != 100)
		return false;
	descriptors_raise(80);
	return soft_limit() == 100 && heard_all() == 0;
}

static bool
all_there_is_and_a_warning(void)
{
	struct rlimit l;
	char said[80];

	if (getrlimit(RLIMIT_NOFILE, &l) != 0 || (geteuid() == 0 && seteuid(65534) != 0))
		return false;
	(void)snprintf(said, sizeof(said), "warning server: only %llu of the %llu descriptors",
	    (unsigned long long)l.rlim_max, (unsigned long long)l.rlim_max + 1);
	heard_start(LOG_LEVEL_WARN);
	descriptors_raise(l.rlim_max + 1);
	return soft_limit() == l.rlim_max && heard(said) == 1;
}

/* Does HOLDS hold in a process of its own? Limits and user stay changed. */
static bool
in_a_child(bool (*holds)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(holds() ? EXIT_SUCCESS : EXIT_FAILURE);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* The soft limit follows, and stays when it is high enough. */
START_TEST(soft_limit_is_raised)
{
	ck_assert(in_a_child(soft_limit_follows));
}
END_TEST

/* Beyond the hard limit only root may go; others get all that there is, and a warning. */
START_TEST(hard_limit_holds)
{
	ck_assert(in_a_child(all_there_is_and_a_warning));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, need_follows_the_limits);
	tcase_add_test(tc, soft_limit_is_raised);
	tcase_add_test(tc, hard_limit_holds);
}
