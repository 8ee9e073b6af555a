/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/values.h"

#define LARGEST_ID (UINT32_MAX - 1) /* -1 means "no change" to the kernel */

/* Look up a user by name or number. A number without an account has no supplementary groups. */
static bool
find_user(const char *name, struct privileges *p)
{
	const struct passwd *pw = getpwnam(name);
	uint32_t number;

	if (pw == NULL && value_number(name, 0, LARGEST_ID, &number)) {
		pw = getpwuid(number);
		p->uid = number;
		p->gid = number;
		p->n_groups = 0;
		if (pw == NULL)
			return true;
	}
	if (pw == NULL)
		return false;
	p->uid = pw->pw_uid;
	p->gid = pw->pw_gid;
	p->shared = strcmp(pw->pw_name, "nobody") == 0;
	p->n_groups = PRIVILEGES_GROUPS;
	if (getgrouplist(pw->pw_name, pw->pw_gid, p->groups, &p->n_groups) < 0)
		p->n_groups = PRIVILEGES_GROUPS;
	return true;
}

bool
privileges_group(const char *name, gid_t *gid)
{
	const struct group *gr = getgrnam(name);
	uint32_t number;

	if (gr != NULL)
		*gid = gr->gr_gid;
	else if (value_number(name, 0, LARGEST_ID, &number))
		*gid = number;
	else
		return false;
	return true;
}

/* May this root become another user? In containers it may lack the capabilities. */
static bool
may_change(void)
{
	char word[8] = "";
	FILE *f = fopen("/proc/self/setgroups", "re");

	/* user_namespaces(7): "deny" where setgroups(2) is forbidden. */
	if (f != NULL) {
		if (fgets(word, sizeof(word), f) == NULL)
			word[0] = '\0';
		fclose(f);
	}
	(void)capng_get_caps_process();
	return strncmp(word, "deny", 4) != 0 &&
	    capng_have_capability(CAPNG_EFFECTIVE, CAP_SETUID) == 1 &&
	    capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID) == 1;
}

/* Look up the account for "auto". False if there is none. */
static bool
find_usual(struct privileges *p)
{
	static const char *const usual[] = { "_dns64d", "dns64d", "nobody" };

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		if (getpwnam(usual[i]) == NULL)
			continue;
		p->usual = usual[i];
		return find_user(usual[i], p);
	}
	return false;
}

static void
resolve_user(const char *user, struct privileges *p, char wrong[static PRIVILEGES_TEXT])
{
	if (strcmp(user, "none") == 0 || (strcmp(user, "auto") == 0 && geteuid() != 0))
		return;
	if (strcmp(user, "auto") != 0) {
		if (!find_user(user, p))
			snprintf(wrong, PRIVILEGES_TEXT,
			    "'%s' does not exist; create it or name another", user);
	} else if (!may_change()) {
		p->stuck = true;
	} else if (!find_usual(p)) {
		snprintf(wrong, PRIVILEGES_TEXT,
		    "there is no account _dns64d, dns64d or nobody; create one, or name another, "
		    "or "
		    "none to go on as root");
	}
}

/* Write an error to WRONG if a change is wanted and this process is not root. */
static void
only_root(const char *name, bool change, char wrong[static PRIVILEGES_TEXT])
{
	if (geteuid() != 0 && change && wrong[0] == '\0')
		snprintf(wrong, PRIVILEGES_TEXT, "only root can become '%s'", name);
}

bool
privileges_find(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong)
{
	*p = (struct privileges){ .uid = geteuid(), .gid = getegid() };
	*wrong = (struct privileges_wrong){ .user = "" };
	resolve_user(user, p, wrong->user);
	if (strcmp(group, "none") != 0 && !privileges_group(group, &p->gid))
		snprintf(wrong->group, PRIVILEGES_TEXT,
		    "'%s' does not exist; create it or name another", group);
	p->change_uid = p->uid != geteuid();
	p->change_gid = p->gid != getegid();
	return wrong->user[0] == '\0' && wrong->group[0] == '\0';
}

bool
privileges_resolve(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong)
{
	bool found = privileges_find(user, group, p, wrong);
	bool own_group = strcmp(group, "none") == 0;

	only_root(user, p->change_uid || (p->change_gid && own_group), wrong->user);
	only_root(group, p->change_gid && !own_group, wrong->group);
	return found && wrong->user[0] == '\0' && wrong->group[0] == '\0';
}

int
privileges_chroot(const char *dir)
{
	if (chroot(dir) != 0 || chdir("/") != 0)
		return -errno;
	return 0;
}

/* Prepare to keep CAPABILITY if the process HAD it. */
static void
keep(unsigned capability, bool had)
{
	if (!had)
		return;
	(void)capng_update(CAPNG_ADD, CAPNG_PERMITTED, capability);
	(void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, capability);
}

/* Is there no capability but, at most, CAP_NET_BIND_SERVICE? */
static bool
has_little(void)
{
	(void)capng_get_caps_process();
	for (unsigned c = 0; c <= CAP_LAST_CAP; c++) {
		if (c != CAP_NET_BIND_SERVICE && capng_have_capability(CAPNG_PERMITTED, c) == 1)
			return false;
	}
	return true;
}

/*
 * Apply the prepared capabilities. The bounding set stays as it is, as it matters only to programs
 * that the daemon would start. Where a filter of system calls forbids to change capabilities, as
 * systemd's @privileged does, it is right all the same if there are hardly any. Returns 0 or
 * -EPERM.
 */
static int
apply(void)
{
	return capng_apply(CAPNG_SELECT_CAPS) == 0 || has_little() ? 0 : -EPERM;
}

/* Change user and groups; capabilities stay permitted. Returns what failed; NULL if nothing. */
static const char *
change_ids(const struct privileges *p)
{
	if (geteuid() == 0 && (p->change_uid || p->change_gid) &&
	    setgroups((size_t)p->n_groups, p->groups) != 0)
		return "setgroups";
	if (p->change_gid && setresgid(p->gid, p->gid, p->gid) != 0)
		return "setresgid";
	if (!p->change_uid)
		return NULL;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
		return "PR_SET_KEEPCAPS";
	if (setresuid(p->uid, p->uid, p->uid) != 0)
		return "setresuid";
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0)
		return "PR_SET_KEEPCAPS";
	return NULL;
}

bool
privileges_drop(const struct privileges *p, char error[static PRIVILEGES_TEXT])
{
	const char *failed;
	bool bind, admin;

	(void)capng_get_caps_process();
	bind = capng_have_capability(CAPNG_PERMITTED, CAP_NET_BIND_SERVICE) == 1;
	admin = capng_have_capability(CAPNG_PERMITTED, CAP_NET_ADMIN) == 1;
	failed = change_ids(p);
	if (failed != NULL) {
		snprintf(error, PRIVILEGES_TEXT, "%s: %s", failed, strerror(errno));
		return false;
	}
	capng_clear(CAPNG_SELECT_CAPS);
	keep(CAP_NET_BIND_SERVICE, bind);
	keep(CAP_NET_ADMIN, admin);
	if (apply() != 0) {
		snprintf(error, PRIVILEGES_TEXT, "capabilities cannot be given up");
		return false;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		snprintf(error, PRIVILEGES_TEXT, "PR_SET_NO_NEW_PRIVS: %s", strerror(errno));
		return false;
	}
	return true;
}

int
privileges_settle(void)
{
	bool bind;

	(void)capng_get_caps_process();
	bind = capng_have_capability(CAPNG_PERMITTED, CAP_NET_BIND_SERVICE) == 1;
	capng_clear(CAPNG_SELECT_CAPS);
	keep(CAP_NET_BIND_SERVICE, bind);
	return apply();
}

int
privileges_thread(void)
{
	(void)capng_get_caps_process(); /* libcap-ng keeps its state per thread */
	capng_clear(CAPNG_SELECT_CAPS);
	return apply();
}
