/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/precheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/ownfile.h"
#include "config/checks.h"
#include "config/keywords.h"
#include "config/policy_lines.h"
#include "daemon/controlsock.h"
#include "daemon/pidfile.h"
#include "io/bind.h"
#include "nat64/probe.h"

struct precheck {
	const struct settings *s;
	const struct options *o;
	const struct privileges *p;
	struct diag *d;
	bool by_root; /* only root could start it so */
};

/* Report that the value of KEYWORD, from the file or the command line, is wrong. */
PRINTF_LIKE(4, 5)
static void
tell(const struct precheck *c, enum diag_kind kind, const char *keyword, const char *fmt, ...)
{
	bool given = options_give(c->o, keyword);
	unsigned line = given ? 0 : keywords_line(c->s, keyword);
	const char *file = c->d->file;
	char text[DIAG_TEXT];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (given)
		c->d->file = "command line";
	if (kind == DIAG_ERROR)
		diag_error(c->d, line, keyword, "%s", text);
	else
		diag_warning(c->d, line, keyword, "%s", text);
	c->d->file = file;
}

/* --- Accounts --------------------------------------------------------------------------------- */

/* "none" for an empty value, which has had an error of its own. */
static const char *
or_none(const char *value)
{
	return value[0] == '\0' ? "none" : value;
}

static void
check_accounts(const struct precheck *c, bool only_find, struct privileges *p)
{
	const char *user = or_none(c->s->user), *group = or_none(c->s->group);
	struct privileges_wrong wrong;
	bool ok = only_find ? privileges_find(user, group, p, &wrong)
			    : privileges_resolve(user, group, p, &wrong);

	if (!ok && wrong.user[0] != '\0')
		tell(c, DIAG_ERROR, "user", "%s", wrong.user);
	if (!ok && wrong.group[0] != '\0')
		tell(c, DIAG_ERROR, "group", "%s", wrong.group);
}

/* --- Files and directories -------------------------------------------------------------------- */

/* PATH; NULL if it is not a path but a word like "none". */
static const char *
place(const char *path)
{
	return path[0] == '/' ? path : NULL;
}

/* Test whether this process may create and remove files beside PATH. Returns 0 or -errno. */
static int
try_directory(const char *path)
{
	char dir[SETTINGS_PATH * 2];
	const char *slash = strrchr(path, '/');
	int n = slash == NULL || slash == path ? 1 : (int)(slash - path);

	snprintf(dir, sizeof(dir), "%.*s", n, path);
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

/* Test whether daemon/pidfile could open or make the file at PATH. Returns 0 or -errno. */
static int
try_pidfile(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? try_directory(path) : -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

int
precheck_file(const char *path)
{
	int fd = ownfile_open(path, geteuid());

	if (fd >= 0)
		close(fd);
	/* A save replaces the file, so the directory must be writable, not the file. */
	return fd < 0 && fd != -ENOENT ? fd : try_directory(path);
}

static int
try_replaced(const struct precheck *c, const char *path)
{
	(void)c;
	return precheck_file(path);
}

/* As daemon/querylog opens it: it may be a pipe, but no link. */
static int
try_querylog(const struct precheck *c, const char *path)
{
	struct stat st;

	(void)c;
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? try_directory(path) : -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

const char *
precheck_strerror(int rc)
{
	switch (-rc) {
	case ELOOP:
		return "a symbolic link, which is not followed";
	case EINVAL:
		return "not a regular file";
	default:
		return strerror(-rc);
	}
}

void
precheck_tell(const char *keyword, const char *path)
{
	int rc = path == NULL || path[0] != '/' ? 0 : precheck_file(path);

	if (rc != 0)
		log_warn(LOG_SERVER,
		    "%s %s: cannot be read and replaced by this user: %s (\"dns64d -t\" tells "
		    "more)",
		    keyword, path, ownfile_strerror(rc));
}

/* As a reload reads it. Returns 0 or -errno. */
static int
try_include(const char *path)
{
	size_t len = strlen(path);
	bool is_dir = len > 0 && path[len - 1] == '/';

	if (faccessat(AT_FDCWD, path, is_dir ? R_OK | X_OK : R_OK, AT_EACCESS) == 0)
		return 0;
	/* A directory that is not there has no files that fit. */
	return is_dir && errno == ENOENT ? 0 : -errno;
}

/* The first of the N at PATHS, as seen inside of ROOT, that cannot be read; N: all can. */
static size_t
first_unread(char *const *paths, size_t n, const char *root)
{
	size_t i = 0;

	while (i < n && try_include(places_inside(paths[i], root)) == 0)
		i++;
	return i;
}

void
precheck_tell_included(const struct places *p)
{
	size_t n, i;
	char *const *files = places_files(p, &n);
	char *const *looks;

	i = n > 0 ? 1 + first_unread(files + 1, n - 1, "") : 0;
	if (i < n) {
		log_warn(LOG_SERVER, "a reload will fail: %s: %s", files[i],
		    strerror(-try_include(files[i])));
		return;
	}
	looks = places_looks(p, &n);
	i = first_unread(looks, n, "");
	if (i < n)
		log_warn(LOG_SERVER, "a reload will fail: %s: %s", looks[i],
		    strerror(-try_include(looks[i])));
}

/* Tests whether this process can use the file at PATH. Returns 0 or -errno. */
typedef int try_path(const struct precheck *c, const char *path);

/* Call TRY in a child process that enters ROOT and becomes the daemon's user. */
static int
try_as_daemon(const struct precheck *c, try_path *try, const char *root, const char *path)
{
	char error[PRIVILEGES_TEXT];
	int status;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0) {
		if (root != NULL && privileges_chroot(root) != 0)
			_exit(0); /* check_chroot reports it */
		if (!privileges_drop(c->p, error))
			_exit(EPERM);
		_exit(-try(c, path));
	}
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* Call TRY for what the daemon will find at PATH. Returns 0 or -errno. */
static int
try_for_daemon(const struct precheck *c, try_path *try, const char *path)
{
	const char *root = place(c->s->chroot);
	char outside[SETTINGS_PATH * 2];
	int rc;

	if (geteuid() == 0)
		return try_as_daemon(c, try, root, path);
	/* This process cannot become another user. */
	snprintf(outside, sizeof(outside), "%s%s", root != NULL ? root : "", path);
	rc = try(c, outside);
	return c->by_root && (rc == -EACCES || rc == -EPERM) ? 0 : rc;
}

/* Can the daemon read and replace the FILE of KEYWORD, while it runs? */
static void
check_file(const struct precheck *c, const char *keyword, const char *file)
{
	const char *path = place(file);
	const char *user = c->p->usual != NULL ? c->p->usual : c->s->user;
	int rc;

	if (path == NULL)
		return;
	rc = try_for_daemon(c, try_replaced, path);
	if (rc == 0)
		return;
	if (c->p->change_uid)
		tell(c, DIAG_ERROR, keyword,
		    "'%s' cannot be read and replaced by user %s: %s; it must be a file of that "
		    "user, "
		    "or none yet, in a directory where that user may write",
		    path, user, ownfile_strerror(rc));
	else
		tell(c, DIAG_ERROR, keyword,
		    "'%s' cannot be read and replaced: %s; it must be a file, or none yet, in a "
		    "directory where this user may write",
		    path, ownfile_strerror(rc));
}

/* As a reload reads it. */
static int
try_read(const struct precheck *c, const char *path)
{
	(void)c;
	return try_include(path);
}

/* The same for all that the configuration is read from, as seen inside of ROOT. */
static int
try_all_read(const struct precheck *c, const char *root)
{
	size_t n, i;
	char *const *paths = places_files(&c->s->places, &n);

	i = first_unread(paths, n, root);
	if (i < n)
		return try_include(places_inside(paths[i], root));
	paths = places_looks(&c->s->places, &n);
	i = first_unread(paths, n, root);
	return i < n ? try_include(places_inside(paths[i], root)) : 0;
}

/* Warn of the first of the N at PATHS that the daemon cannot read. True: there is one. */
static bool
warn_unread(const struct precheck *c, char *const *paths, size_t n)
{
	const char *root = place(c->s->chroot);

	for (size_t i = 0; i < n; i++) {
		const char *inside = places_inside(paths[i], root != NULL ? root : "");
		int rc = try_as_daemon(c, try_read, root, inside);

		if (rc == 0)
			continue;
		diag_warning(c->d, 0, NULL,
		    "a reload will fail: %s cannot be read by the daemon's user%s: %s", paths[i],
		    root != NULL ? " inside of the chroot" : "", strerror(-rc));
		return true;
	}
	return false;
}

/*
 * Can the daemon read the configuration again? Who is not root has just read it, as the daemon
 * will.
 */
static void
check_reload(const struct precheck *c)
{
	size_t n_files, n_looks;
	char *const *files = places_files(&c->s->places, &n_files);
	char *const *looks = places_looks(&c->s->places, &n_looks);
	const char *root = place(c->s->chroot);

	if (geteuid() != 0 || n_files == 0 || files[0][0] != '/' ||
	    try_as_daemon(c, try_all_read, root, root != NULL ? root : "") == 0)
		return;
	if (!warn_unread(c, files, n_files))
		(void)warn_unread(c, looks, n_looks);
}

/* The daemon serves without it, but has no query log. */
static void
check_querylog(const struct precheck *c)
{
	const char *path = place(c->s->query_log);
	int rc = path == NULL ? 0 : try_for_daemon(c, try_querylog, path);

	if (rc != 0)
		tell(c, DIAG_WARNING, "query-log",
		    "'%s' cannot be written by the daemon's user: %s; lines will be lost", path,
		    precheck_strerror(rc));
}

/* As nat64/probe will. */
static int
try_ping(const struct precheck *c, const char *unused)
{
	(void)c;
	(void)unused;
	return probe_try_icmp();
}

/* The first line that asks by ICMP; NULL: there is none. */
static const struct policy_lines_check *
first_ping(const struct policy_lines_list *list)
{
	for (size_t i = 0; i < list->all.n; i++) {
		const struct array *checks = &policy_lines_at(list, i)->checks;
		const struct policy_lines_check *of = checks->items;

		for (size_t k = 0; k < checks->n; k++) {
			if (of[k].kind == POLICY_LINES_ICMP)
				return &of[k];
		}
	}
	return NULL;
}

/* May the daemon have ping sockets? Without them the targets of such lines do not answer. */
static void
check_ping(const struct precheck *c)
{
	const struct policy_lines_check *check = first_ping(c->s->policy_lines);
	int rc = check == NULL ? 0 : try_for_daemon(c, try_ping, "/");
	char text[CHECKS_TEXT];

	if (rc != 0)
		diag_warning(c->d, check->line, "prefix-check",
		    "'%s' cannot be asked by the daemon: %s; its group must be in "
		    "net.ipv4.ping_group_range",
		    checks_format(check, text), strerror(-rc));
}

/* The pidfile is opened before privileges are dropped, so this process judges it. */
static void
check_pidfile(const struct precheck *c)
{
	bool usual = strcmp(c->s->pidfile, "auto") == 0;
	const char *path = pidfile_path(c->s, c->o->foreground);
	int rc = path == NULL ? 0 : try_pidfile(path);
	bool forbidden = rc == -EACCES || rc == -EPERM;

	if (rc == 0 || (forbidden && c->by_root && geteuid() != 0))
		return;
	/* The default path is only a warning: the user who checks may not be the one who starts. */
	tell(c, forbidden && usual ? DIAG_WARNING : DIAG_ERROR, "pidfile",
	    "'%s' cannot be written: %s; allowed is a file in a directory where whoever starts the "
	    "daemon may write, or none",
	    path, precheck_strerror(rc));
}

/* The control socket is opened before privileges are dropped, too. */
static void
check_control(const struct precheck *c)
{
	const char *path = place(c->s->control_socket);
	struct sockpath_owner owner;
	int rc;

	if (!controlsock_owner(c->s, c->p, &owner)) {
		tell(c, DIAG_ERROR, "control-group",
		    "'%s' does not exist; create it or name another", c->s->control_group);
		return;
	}
	rc = path == NULL ? 0 : sockpath_try(path, &owner);
	if (rc == 0 || ((rc == -EACCES || rc == -EPERM) && c->by_root && geteuid() != 0))
		return;
	tell(c, DIAG_ERROR, "control-socket",
	    "'%s' cannot be made: %s; allowed is a path of at most %d characters, where nothing is "
	    "yet, in a directory where whoever starts the daemon may write, or none",
	    path, sockpath_strerror(rc), SOCKPATH_MAX);
}

static void
check_chroot(const struct precheck *c)
{
	const char *path = place(c->s->chroot);
	struct stat st;
	int rc;

	if (path == NULL)
		return;
	rc = stat(path, &st) != 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
	if (rc != 0 && (rc != -EACCES || geteuid() == 0))
		tell(c, DIAG_ERROR, "chroot",
		    "'%s' cannot be entered: %s; allowed is a directory that is there, or none",
		    path, strerror(-rc));
}

/* What is not there now may come, but may be a slip of the pen, too. */
static void
warn_absent(const struct precheck *c, struct netaddr a, unsigned line)
{
	char text[NETADDR_TEXT];

	a.port = 0;
	if (bind_usable(&a) == -EADDRNOTAVAIL)
		diag_warning(c->d, line, "listen",
		    "%s is no address of this machine now; it is served when it comes",
		    netaddr_format(&a, text));
}

static void
check_listens(const struct precheck *c)
{
	const struct settings_listens *l = &c->s->listens;

	for (size_t i = 0; i < l->n_fixed && !c->s->listens_by_default && !c->s->conf.io.freebind;
	     i++)
		warn_absent(c, l->fixed[i], c->s->listen_lines[i]);
	for (const struct settings_interface *of = l->of; of < &l->of[l->n_of]; of++) {
		struct netaddr a = of->addr;

		a.scope = if_nametoindex(of->name);
		if (a.scope == 0)
			diag_warning(c->d, of->line, "listen",
			    "there is no interface %s now; it is served when it comes", of->name);
		else if (a.family != NETADDR_NONE)
			warn_absent(c, a, of->line);
	}
}

static void
check_web(const struct precheck *c)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < c->s->web.n && !c->s->conf.io.freebind; i++) {
		struct netaddr a = c->s->web.addr[i];

		a.port = 0;
		if (bind_probe(&a) == -EADDRNOTAVAIL)
			tell(c, DIAG_WARNING, "web-listen",
			    "%s is no address of this machine now; a start fails without it",
			    netaddr_format(&a, text));
	}
}

/* --- All -------------------------------------------------------------------------------------- */

uid_t
precheck_user(const struct settings *s)
{
	struct privileges_wrong wrong;
	struct privileges p;

	/* An account that does not exist is an error of the check. */
	return privileges_find(or_none(s->user), "none", &p, &wrong) ? p.uid : geteuid();
}

void
precheck_start(const struct settings *s, const struct options *o, void *privileges, struct diag *d)
{
	struct privileges *p = privileges;
	const struct precheck c = { .s = s, .o = o, .p = p, .d = d };

	check_accounts(&c, false, p);
}

void
precheck_all(const struct settings *s, const struct options *o, void *unused, struct diag *d)
{
	struct privileges p;
	struct precheck c = { .s = s, .o = o, .p = &p, .d = d };

	(void)unused;
	check_accounts(&c, geteuid() != 0, &p);
	c.by_root = p.change_uid || p.change_gid || place(s->chroot) != NULL;
	check_listens(&c);
	check_web(&c);
	check_chroot(&c);
	check_pidfile(&c);
	check_control(&c);
	if (s->cache_size > 0)
		check_file(&c, "cache-file", s->cache_file);
	check_file(&c, "prefix-file", s->prefix_file);
	check_querylog(&c);
	check_ping(&c);
	check_reload(&c);
}
