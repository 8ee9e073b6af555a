/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "config/checks.h"
#include "config/policy_lines.h"
#include "daemon/landlock.h"
#include "daemon/syscalls.h"

#define DNS_PORT 53

#ifdef INSTRUMENTED
static const bool instrumented = true;
#else
static const bool instrumented = false;
#endif

/* --- Paths ------------------------------------------------------------------------------------ */

/* Write the directory of the file at PATH to OUT; it has room for PATH_MAX bytes. */
static const char *
directory(const char *path, char out[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int n = slash == path ? 1 : slash == NULL ? 0 : (int)(slash - path);

	snprintf(out, PATH_MAX, "%.*s", slash == NULL ? 1 : n, slash == NULL ? "." : path);
	return out;
}

/*
 * Permit WHAT with the directory of the file at PATH. What is not there, or not for us, needs no
 * rule.
 */
static void
allow_beside(struct landlock *l, const char *path, unsigned what)
{
	char dir[PATH_MAX];

	if (path != NULL && path[0] == '/')
		(void)landlock_allow_dir(l, directory(path, dir), what);
}

/* Permit to read beside what PATH leads to, if it is a link. */
static void
allow_linked(struct landlock *l, const char *path)
{
	char *real = realpath(path, NULL);

	if (real != NULL && strcmp(real, path) != 0)
		allow_beside(l, real, LANDLOCK_READ);
	free(real);
}

/* Files that the configuration includes, and directories in which it looks for such. */
static void
allow_included(struct landlock *l, const struct places *p)
{
	size_t n;
	char *const *path = places_looks(p, &n);

	for (size_t i = 0; i < n; i++)
		allow_beside(l, path[i], LANDLOCK_READ);
	path = places_files(p, &n);
	/* Beside their names they are read already. */
	for (size_t i = 1; i < n; i++)
		allow_linked(l, path[i]);
}

static void
allow_files(struct landlock *l, const struct settings *s, const struct sandbox_paths *paths)
{
	/* Directories, as editors and tools replace files. */
	allow_beside(l, paths->config, LANDLOCK_READ);
	allow_linked(l, paths->config);
	allow_included(l, &s->places);
	allow_beside(l, paths->resolv_conf, LANDLOCK_READ);
	allow_linked(l, paths->resolv_conf);
	allow_beside(l, s->query_log, LANDLOCK_WRITE);
	allow_beside(l, s->cache_file, LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_REMOVE);
	allow_beside(l, s->prefix_file, LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_REMOVE);
	allow_beside(l, paths->pidfile, LANDLOCK_REMOVE);
	allow_beside(l, paths->control, LANDLOCK_REMOVE);
}

/* --- Ports ------------------------------------------------------------------------------------ */

static bool
has_port(const uint16_t *ports, size_t n, uint16_t port)
{
	for (size_t i = 0; i < n; i++) {
		if (ports[i] == port)
			return true;
	}
	return false;
}

static void
add_port(uint16_t *ports, size_t *n, uint16_t port)
{
	if (!has_port(ports, *n, port))
		ports[(*n)++] = port;
}

/* Call ONE with ARG for each TCP target of prefix-check in S. */
static void
each_check(const struct settings *s, void (*one)(void *arg, const struct policy_lines_check *check),
    void *arg)
{
	for (size_t i = 0; i < s->policy_lines->all.n; i++) {
		const struct array *checks = &policy_lines_at(s->policy_lines, i)->checks;
		const struct policy_lines_check *of = checks->items;

		for (size_t k = 0; k < checks->n; k++) {
			if (of[k].kind == POLICY_LINES_TCP)
				one(arg, &of[k]);
		}
	}
}

/* Permit connections to the port of CHECK, if there is room; else sandbox_tell warns. */
static void
permit_check(void *arg, const struct policy_lines_check *check)
{
	struct sandbox *sb = arg;

	if (sb->n_connects < SANDBOX_PORTS)
		add_port(sb->connects, &sb->n_connects, check->port);
}

static void
warn_check(void *arg, const struct policy_lines_check *check)
{
	const struct sandbox *sb = arg;
	char text[CHECKS_TEXT];

	if (!has_port(sb->connects, sb->n_connects, check->port))
		log_warn(LOG_CONFIG,
		    "prefix-check %s: the sandbox forbids TCP to this port until a restart, as the "
		    "start did not know it",
		    checks_format(check, text));
}

static void
find_ports(struct sandbox *sb, const struct settings *s)
{
	const struct conf *c = &s->conf;

	sb->connects[sb->n_connects++] = DNS_PORT;
	for (size_t i = 0; i < c->core.n_upstreams; i++)
		add_port(sb->connects, &sb->n_connects, c->core.upstreams[i].addr.port);
	each_check(s, permit_check, sb);
	/* Of addresses that may come later, too. */
	for (size_t i = 0; i < s->listens.n_fixed; i++)
		add_port(sb->binds, &sb->n_binds, s->listens.fixed[i].port);
	for (size_t i = 0; i < s->listens.n_of; i++)
		add_port(sb->binds, &sb->n_binds, s->listens.of[i].addr.port);
}

static int
allow_ports(struct landlock *l, const struct sandbox *sb)
{
	int rc = 0;

	for (size_t i = 0; i < sb->n_connects && rc == 0; i++)
		rc = landlock_allow_port(l, sb->connects[i], LANDLOCK_CONNECT);
	for (size_t i = 0; i < sb->n_binds && rc == 0; i++)
		rc = landlock_allow_port(l, sb->binds[i], LANDLOCK_BIND);
	return rc;
}

/* --- Start ------------------------------------------------------------------------------------ */

/* Returns the version of the ABI that is in force, or -errno. */
static int
limit_files(const struct sandbox *sb, const struct settings *s, const struct sandbox_paths *paths)
{
	int abi = landlock_abi();
	struct landlock l;
	int rc;

	if (abi < 0)
		return abi;
	rc = landlock_begin(&l, abi, LANDLOCK_CONNECT | (sb->strict ? LANDLOCK_BIND : 0));
	if (rc != 0)
		return rc;
	allow_files(&l, s, paths);
	int ports = allow_ports(&l, sb);
	rc = landlock_enforce(&l, ports == 0);
	if (ports != 0)
		return ports;
	return rc != 0 ? rc : abi;
}

void
sandbox_start(struct sandbox *sb, const struct settings *s, const struct sandbox_paths *paths)
{
	*sb = (struct sandbox){ .on = s->sandbox != SETTINGS_SANDBOX_OFF && !instrumented,
		.strict = s->sandbox == SETTINGS_SANDBOX_STRICT,
		.landlock = -ECANCELED };
	if (!sb->on)
		return;
	/* The log's times of day need a file of the system. */
	tzset();
	find_ports(sb, s);
	/* Cannot fail. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sb->landlock = limit_files(sb, s, paths);
	sb->syscalls = syscalls_limit(sb->strict);
}

int
sandbox_loop(const struct sandbox *sb)
{
	struct landlock l;
	int rc;

	if (!sb->on || sb->landlock < 0)
		return 0;
	rc = landlock_begin(&l, sb->landlock, LANDLOCK_BIND);
	return rc != 0 ? rc : landlock_enforce(&l, true);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Says why there is no Landlock or no seccomp. */
static const char *
reason(int rc)
{
	switch (-rc) {
	case ENOSYS:
	case EINVAL:
		return "this kernel does not have it";
	case EOPNOTSUPP:
		return "this kernel has it, but it is not switched on (lsm=landlock at its start)";
	case EPERM:
	case EACCES:
	case ECANCELED:
		return "the system does not let this process use it, as in some containers";
	case E2BIG:
		return "too many are around this process already";
	case ENOMEM:
		return "no memory for it";
	case EMFILE:
	case ENFILE:
		return "no descriptor for it";
	default:
		return strerror(-rc);
	}
}

void
sandbox_report(const struct sandbox *sb)
{
	void (*lacking)(enum log_category about, const char *fmt, ...) =
	    sb->strict ? log_warn : log_notice;

	if (!sb->on) {
		log_notice(LOG_SERVER, "sandbox: none%s",
		    instrumented ? ", as this build has sanitizers or measures coverage" : "");
		return;
	}
	if (sb->landlock > 0)
		log_notice(LOG_SERVER, "sandbox: files%s limited (Landlock %d)",
		    sb->landlock >= LANDLOCK_ABI_NET ? " and TCP ports" : "", sb->landlock);
	else
		lacking(LOG_SERVER, "sandbox: files and TCP ports not limited by Landlock: %s",
		    reason(sb->landlock));
	if (sb->syscalls == 0)
		log_notice(LOG_SERVER, "sandbox: system calls limited (%s)",
		    sb->strict ? "strict" : "a list of forbidden ones");
	else
		lacking(LOG_SERVER, "sandbox: system calls not limited by seccomp: %s",
		    syscalls_known() ? reason(sb->syscalls) : "built without libseccomp");
}

/* Is the directory of the file at PATH, which we may read otherwise, beyond the sandbox? */
static bool
is_beyond(const char *path)
{
	char dir[PATH_MAX];
	int fd;

	if (path[0] != '/' || access(directory(path, dir), R_OK) != 0)
		return false;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EACCES;
}

/*
 * Likewise of a file that is only written, whose directory we need not read: if we may write there,
 * it is there by now.
 */
static bool
is_beyond_writing(const char *path)
{
	char dir[PATH_MAX];
	int fd;

	if (path[0] != '/' || access(directory(path, dir), W_OK | X_OK) != 0)
		return false;
	fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == ENOENT || (errno == EACCES && access(path, W_OK) == 0));
}

static void
tell_file(const char *keyword, const char *path, bool beyond)
{
	if (beyond)
		log_warn(LOG_CONFIG,
		    "%s %s: the sandbox forbids it until a restart, as the start did not know "
		    "its directory",
		    keyword, path);
}

void
sandbox_tell(const struct sandbox *sb, const struct settings *s)
{
	const struct conf_core *c = &s->conf.core;

	if (!sb->on || sb->landlock < 0)
		return;
	tell_file("cache-file", s->cache_file, is_beyond(s->cache_file));
	tell_file("query-log", s->query_log, is_beyond_writing(s->query_log));
	for (size_t i = 0; i < c->n_upstreams && sb->landlock >= LANDLOCK_ABI_NET; i++) {
		char text[NETADDR_TEXT];

		if (!has_port(sb->connects, sb->n_connects, c->upstreams[i].addr.port))
			log_warn(LOG_CONFIG,
			    "nameserver %s: the sandbox forbids TCP to this port until a restart, "
			    "as the start did not know it",
			    netaddr_format(&c->upstreams[i].addr, text));
	}
	if (sb->landlock >= LANDLOCK_ABI_NET)
		each_check(s, warn_check, (void *)(uintptr_t)sb);
}
