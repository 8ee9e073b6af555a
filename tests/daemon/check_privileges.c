/* SPDX-License-Identifier: BSD-2-Clause */
/* Who to become, and what power is left afterwards. What needs root is passed over without. */

#include "daemon/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/tests.h"

START_TEST(user_none_changes_nothing)
{
	struct privileges p;
	struct privileges_wrong wrong;

	ck_assert(privileges_resolve("none", "none", &p, &wrong));
	ck_assert_ptr_null(p.usual);
	ck_assert(!p.change_uid && !p.change_gid);
	ck_assert_uint_eq(p.uid, geteuid());
}
END_TEST

/* Each is told. */
START_TEST(unknown_user_and_group_are_told)
{
	struct privileges p;
	struct privileges_wrong wrong;

	ck_assert(!privileges_resolve("no-such-user", "none", &p, &wrong));
	ck_assert_str_eq(wrong.user, "'no-such-user' does not exist; create it or name another");
	ck_assert_str_eq(wrong.group, "");
	ck_assert(!privileges_resolve("none", "no-such-group", &p, &wrong));
	ck_assert_str_eq(wrong.user, "");
	ck_assert_str_eq(wrong.group, "'no-such-group' does not exist; create it or name another");
	ck_assert(!privileges_resolve("no-such-user", "no-such-group", &p, &wrong));
	ck_assert(wrong.user[0] != '\0' && wrong.group[0] != '\0');
}
END_TEST

/* Root becomes a usual account, others stay who they are. */
START_TEST(root_becomes_the_usual_account)
{
	const char *name = getpwnam("_dns64d") != NULL ? "_dns64d"
	    : getpwnam("dns64d") != NULL               ? "dns64d"
						       : "nobody";
	struct privileges p;
	struct privileges_wrong wrong;

	if (geteuid() != 0) {
		ck_assert(privileges_resolve("auto", "none", &p, &wrong));
		ck_assert(!p.change_uid && p.usual == NULL);
		return;
	}
	ck_assert(privileges_resolve("auto", "none", &p, &wrong));
	ck_assert_str_eq(p.usual, name);
	ck_assert(p.change_uid && p.change_gid && !p.stuck);
	ck_assert_uint_eq(p.uid, getpwnam(name)->pw_uid);
	ck_assert(privileges_resolve("auto", "root", &p, &wrong));
	ck_assert(p.change_uid && p.gid == 0);
	ck_assert_int_eq(setresuid(61234, 61234, 61234), 0);
	ck_assert(privileges_resolve("auto", "none", &p, &wrong));
	ck_assert(!p.change_uid && p.usual == NULL && p.uid == 61234);
}
END_TEST

/* In a container root may be unable to become anybody. */
START_TEST(root_without_capabilities_stays)
{
	struct privileges p;
	struct privileges_wrong wrong;

	if (geteuid() != 0)
		return;
	(void)capng_get_caps_process();
	(void)capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, CAP_SETGID);
	(void)capng_update(CAPNG_DROP, CAPNG_PERMITTED, CAP_SETGID);
	ck_assert_int_eq(capng_apply(CAPNG_SELECT_CAPS), 0);
	ck_assert(privileges_resolve("auto", "none", &p, &wrong));
	ck_assert(!p.change_uid && p.usual == NULL && p.stuck);
}
END_TEST

START_TEST(names_and_numbers)
{
	const struct passwd *pw = getpwnam("nobody");
	struct privileges p;
	struct privileges_wrong wrong;

	if (geteuid() != 0 || pw == NULL)
		return;
	uid_t uid = pw->pw_uid;
	gid_t gid = pw->pw_gid;
	ck_assert(privileges_resolve("nobody", "none", &p, &wrong));
	ck_assert(p.change_uid && p.change_gid && p.uid == uid && p.gid == gid);
	ck_assert(privileges_resolve("nobody", "root", &p, &wrong));
	ck_assert(p.change_uid && !p.change_gid && p.gid == 0);
	ck_assert(privileges_resolve("61234", "none", &p, &wrong));
	ck_assert(p.uid == 61234 && p.gid == 61234 && p.n_groups == 0);
	ck_assert(!privileges_resolve("4294967295", "none", &p, &wrong));
}
END_TEST

START_TEST(others_than_root_become_nobody_else)
{
	struct privileges p;
	struct privileges_wrong wrong;

	if (geteuid() == 0)
		ck_assert_int_eq(setresuid(61234, 61234, 61234), 0);
	ck_assert(!privileges_resolve("61235", "none", &p, &wrong));
	ck_assert_str_eq(wrong.user, "only root can become '61235'");
	ck_assert_str_eq(wrong.group, "");
	ck_assert(!privileges_resolve("none", "61235", &p, &wrong));
	ck_assert_str_eq(wrong.group, "only root can become '61235'");
}
END_TEST

static bool
has(unsigned capability)
{
	(void)capng_get_caps_process();
	return capng_have_capability(CAPNG_PERMITTED, capability) == 1 ||
	    capng_have_capability(CAPNG_EFFECTIVE, capability) == 1;
}

static void *
thread_without(void *arg)
{
	bool *ok = arg;

	*ok = privileges_thread() == 0 && !has(CAP_NET_BIND_SERVICE);
	return NULL;
}

START_TEST(dropped_capabilities_are_gone)
{
	struct privileges p;
	struct privileges_wrong wrong;
	char error[PRIVILEGES_TEXT];
	pthread_t thread;
	bool ok = false, bind = has(CAP_NET_BIND_SERVICE), admin = has(CAP_NET_ADMIN);

	if (geteuid() != 0)
		return;
	ck_assert(privileges_resolve("61234", "61235", &p, &wrong));
	ck_assert_msg(privileges_drop(&p, error), "%s", error);
	ck_assert(getuid() == 61234 && geteuid() == 61234 && getgid() == 61235);
	ck_assert_int_eq(getgroups(0, NULL), 0);
	ck_assert_int_eq(setresuid(0, 0, 0), -1);
	ck_assert(!has(CAP_SETUID) && !has(CAP_SYS_ADMIN) && !has(CAP_DAC_OVERRIDE));
	ck_assert(has(CAP_NET_BIND_SERVICE) == bind && has(CAP_NET_ADMIN) == admin);
	ck_assert_int_eq(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
	ck_assert_int_eq(privileges_settle(), 0);
	ck_assert(!has(CAP_NET_ADMIN));
	/* A thread gives up its own; the main thread's stay, for a reload. */
	ck_assert_int_eq(pthread_create(&thread, NULL, thread_without, &ok), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert(ok);
	ck_assert(has(CAP_NET_BIND_SERVICE) == bind);
}
END_TEST

/* Forbid to change capabilities, as the unit's SystemCallFilter does. */
static void
forbid_capset(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					  offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_capset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* It is fine where there is nothing to give up, and an error where there is. */
START_TEST(forbidden_to_give_up)
{
	struct privileges p;
	struct privileges_wrong wrong;
	char error[PRIVILEGES_TEXT];
	bool rich = has(CAP_SETUID);

	if (_i == 1 && rich) {
		capng_clear(CAPNG_SELECT_CAPS);
		(void)capng_update(CAPNG_ADD, CAPNG_PERMITTED, CAP_NET_BIND_SERVICE);
		(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, CAP_NET_BIND_SERVICE);
		ck_assert_int_eq(capng_apply(CAPNG_SELECT_CAPS), 0);
		rich = false;
	}
	ck_assert(privileges_resolve("none", "none", &p, &wrong));
	forbid_capset();
	ck_assert(privileges_drop(&p, error) == !rich);
	ck_assert_int_eq(privileges_settle(), rich ? -EPERM : 0);
	ck_assert_int_eq(privileges_thread(), rich ? -EPERM : 0);
}
END_TEST

START_TEST(chroot_to_nowhere_is_an_error)
{
	ck_assert_int_eq(privileges_chroot("/nonexistent"), -ENOENT);
}
END_TEST

void
tests_add(TCase *tc)
{
	/* The tests change what the process is; each must have its own. */
	tests_apart();
	tcase_add_test(tc, user_none_changes_nothing);
	tcase_add_test(tc, unknown_user_and_group_are_told);
	tcase_add_test(tc, root_becomes_the_usual_account);
	tcase_add_test(tc, root_without_capabilities_stays);
	tcase_add_test(tc, names_and_numbers);
	tcase_add_test(tc, others_than_root_become_nobody_else);
	tcase_add_test(tc, dropped_capabilities_are_gone);
	tcase_add_loop_test(tc, forbidden_to_give_up, 0, 2);
	tcase_add_test(tc, chroot_to_nowhere_is_an_error);
}
