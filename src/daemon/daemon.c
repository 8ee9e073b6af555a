/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/daemon.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/logonce.h"
#include "base/rng.h"
#include "base/secret.h"
#include "cache/cache.h"
#include "config/complete.h"
#include "config/keywords.h"
#include "config/load.h"
#include "config/loglevel.h"
#include "config/options.h"
#include "config/resolvconf.h"
#include "control/control.h"
#include "daemon/background.h"
#include "daemon/cachefile.h"
#include "daemon/controlsock.h"
#include "daemon/cpus.h"
#include "daemon/descriptors.h"
#include "daemon/dnstap.h"
#include "daemon/listen_watch.h"
#include "daemon/notify.h"
#include "daemon/pidfile.h"
#include "daemon/precheck.h"
#include "daemon/privileges.h"
#include "daemon/querylog.h"
#include "daemon/report.h"
#include "daemon/sandbox.h"
#include "daemon/serve.h"
#include "daemon/syscalls.h"
#include "daemon/threads.h"
#include "daemon/websock.h"
#include "outbound/shared_health.h"
#include "policy/prefix_index.h"
#include "policy/prefix_states.h"
#include "policy/rate.h"

static const char ident[] = "dns64d";

/* The state of the whole daemon. */
struct daemon {
	struct options options;
	struct settings settings;
	struct privileges privileges;
	struct cpus_plan plan;
	struct background background;
	struct pidfile pidfile;
	struct sockpath control;
	struct websock web;
	struct listen_watch watch;
	struct threads threads;
	struct querylog querylog; /* from report on */
	struct dnstap dnstap;     /* likewise */
	bool stuck;               /* a thread of these is, and uses what the loops have */
	struct stats log_stats;   /* what these two count */
	struct sandbox sandbox;
	struct logonce *logonce;             /* owned; settings.conf.core.logonce borrows it */
	struct health_table *health_table;   /* likewise */
	struct rates *rates;                 /* likewise */
	struct prefix_index *prefix_index;   /* likewise */
	struct prefix_states *prefix_states; /* owned; settings.prefix_states borrows it */
	struct orders *orders;               /* owned; settings.orders borrows it */
	struct cache *cache;                 /* owned; settings.conf.core.cache borrows it */
	struct cachefile cachefile;          /* of that cache */
	int signal_fd;
	char path[PATH_MAX]; /* of the configuration; after a chroot, as seen from inside */
};

static void
print_version(void)
{
	printf("dns64d " PACKAGE_VERSION "\nlibevent %s\n", event_get_version());
#ifdef HAVE_SYSTEMD
	puts("systemd yes");
#else
	puts("systemd no");
#endif
	printf("seccomp %s\n", syscalls_known() ? "yes" : "no");
	printf("dnstap %s\n", dnstap_known() ? "yes" : "no");
	printf("configuration " SYSCONFDIR "/dns64d/dns64d.conf\npidfile %s\n", pidfile_usual());
}

/* Create and lock the pidfile, if there is to be one. Returns an exit code. */
static int
lock_pidfile(struct daemon *d)
{
	const char *path = pidfile_path(&d->settings, d->options.foreground);
	int rc = path == NULL ? 0 : pidfile_open(&d->pidfile, path);

	if (rc == 0)
		return DAEMON_OK;
	if (rc > 0)
		log_error(LOG_SERVER, "already running, process %d (%s)", rc, path);
	else if (rc == -EWOULDBLOCK)
		log_error(LOG_SERVER, "already running (%s is locked)", path);
	else
		log_error(LOG_SERVER, "pidfile %s: %s (\"pidfile\" names another place, or none)",
		    path, precheck_strerror(rc));
	return rc > 0 || rc == -EWOULDBLOCK ? DAEMON_RUNNING : DAEMON_RESOURCES;
}

/* Fork, unless in the foreground; block signals; lock the pidfile; open the control socket. Returns
 * an exit code. */
static int
detach(struct daemon *d)
{
	int rc = d->options.foreground ? 0 : background_fork(&d->background);

	if (rc != 0) {
		log_error(LOG_SERVER, "fork: %s", strerror(-rc));
		return DAEMON_RESOURCES;
	}
	if (!d->options.foreground) {
		(void)umask(022);
		if (chdir("/") != 0)
			return DAEMON_RESOURCES;
	}
	d->signal_fd = serve_signals();
	if (d->signal_fd < 0) {
		log_error(LOG_SERVER, "signals: %s", strerror(-d->signal_fd));
		return DAEMON_RESOURCES;
	}
	rc = lock_pidfile(d);
	if (rc == DAEMON_OK &&
	    (!controlsock_open(&d->settings, d->options.foreground, &d->privileges, &d->control) ||
		!websock_open(&d->web, &d->settings)))
		rc = DAEMON_RESOURCES;
	return rc;
}

/* Enter the chroot, if there is one. Returns an exit code. */
static int
lock_in(struct daemon *d)
{
	const char *root = d->settings.chroot;
	int rc;

	if (strcmp(root, "none") == 0)
		return DAEMON_OK;
	places_enter(d->path, root);
	rc = privileges_chroot(root);
	if (rc != 0) {
		log_error(LOG_SERVER, "chroot %s: %s", root, strerror(-rc));
		return DAEMON_RESOURCES;
	}
	places_move(&d->settings.places, root);
	return DAEMON_OK;
}

/* Enter the chroot and become the configured user. Returns an exit code. */
static int
drop_privileges(struct daemon *d)
{
	char error[PRIVILEGES_TEXT];
	int rc = lock_in(d);

	if (rc != DAEMON_OK)
		return rc;
	if (!privileges_drop(&d->privileges, error)) {
		log_error(LOG_SERVER, "%s", error);
		return DAEMON_RESOURCES;
	}
	return DAEMON_OK;
}

/*
 * Make the cache of all loops, if there is to be one. Its address space is reserved now, its memory
 * taken as it is used. Returns an exit code.
 */
static int
make_cache(struct daemon *d)
{
	struct settings *s = &d->settings;
	struct rng rng;

	if (s->cache_size == 0)
		return DAEMON_OK;
	rng_init(&rng);
	d->cache = cache_new((size_t)s->cache_size, s->conf.core.keep.stale_s, rng_u64(&rng));
	if (d->cache == NULL) {
		log_error(LOG_SERVER,
		    "cache-size: no memory for %" PRIu64 " bytes: %s (ulimit -v, "
		    "vm.overcommit_memory)",
		    s->cache_size, strerror(errno));
		return DAEMON_RESOURCES;
	}
	s->conf.core.cache = d->cache;
	return DAEMON_OK;
}

/* The path of the cache's file; NULL: it is not saved, or there is no cache. */
static const char *
cache_path(const struct daemon *d)
{
	const char *path = d->settings.cache_file;

	return d->cache == NULL || strcmp(path, "none") == 0 ? NULL : path;
}

/* Open the cache's file, which serve loads. Before loops and sandbox. */
static void
open_cache(struct daemon *d)
{
	d->cachefile.cache = d->cache;
	if (cache_path(d) != NULL)
		cachefile_open(&d->cachefile, cache_path(d), d->settings.conf.core.keep.stale_s);
}

/* From now on the process can do no more than serve needs. */
static void
enter_sandbox(struct daemon *d)
{
	const struct sandbox_paths paths = { .config = d->path,
		.resolv_conf = RESOLVCONF_PATH,
		.pidfile = pidfile_path(&d->settings, d->options.foreground),
		.control = d->control.fd >= 0 ? d->control.path : NULL };

	sandbox_start(&d->sandbox, &d->settings, &paths);
}

/* Open the sockets and start loops and threads. Returns an exit code. */
static int
start_loops(struct daemon *d)
{
	struct bind_sockets *sockets;
	struct settings *s = &d->settings;
	struct snapshot *snapshot;
	int rc = -ENOMEM;

	d->logonce =
	    logonce_new(); /* NULL without memory: loops do not coordinate their messages */
	s->conf.core.logonce = d->logonce;
	d->health_table =
	    health_table_new(); /* NULL without memory: each loop sends its own probes */
	s->conf.core.health_table = d->health_table;
	d->rates = rates_new();
	if (d->rates == NULL)
		log_warn(LOG_SERVER,
		    "no memory for rate-limit and max-amplification, which do not hold");
	s->conf.core.rates = d->rates;
	s->orders = d->orders = calloc(1, sizeof(*d->orders)); /* NULL: nobody can give orders */
	s->conf.core.prefix_index = d->prefix_index =
	    prefix_index_new(); /* NULL: all count together */
	prefix_index_give(d->prefix_index, s->conf.core.policies);
	/* NULL: prefix-check has no effect */
	s->prefix_states = d->prefix_states = prefix_states_new();
	if (!listen_watch_open(&d->watch, s, d->plan.n_loops, &sockets))
		return DAEMON_RESOURCES;
	policy_counters_give(&s->policy_counters, s->conf.core.policies);
	snapshot = snapshot_new(&s->conf);
	if (snapshot != NULL) {
		rc = threads_init(
		    &d->threads, d->plan.n_loops, snapshot, sockets, s->conf.io.n_listens);
		snapshot_unref(snapshot);
	}
	free(sockets);
	if (rc == 0 && privileges_settle() != 0)
		rc = -EPERM;
	if (rc == 0) {
		pidfile_settle(&d->pidfile);
		enter_sandbox(d);
		rc = threads_start(&d->threads, &d->plan, &d->sandbox);
	}
	if (rc == 0)
		return DAEMON_OK;
	log_error(LOG_SERVER, "loops: %s", strerror(-rc));
	return DAEMON_RESOURCES;
}

/* Log which user the daemon runs as, and which files that user cannot use. */
static void
report_user(const struct daemon *d)
{
	if (d->privileges.usual != NULL)
		log_notice(LOG_SERVER, "running as user %s, as the configuration names none",
		    d->privileges.usual);
	else if (d->privileges.stuck)
		log_warn(LOG_SERVER,
		    "running as root, which may not become another user here; without its "
		    "capabilities");
	else if (geteuid() == 0)
		log_warn(LOG_SERVER,
		    "running as root, if without its capabilities; name an account with \"user\"");
	if (access(d->path, R_OK) != 0)
		log_warn(LOG_SERVER, "a reload will fail: %s: %s", d->path, strerror(errno));
	precheck_tell_included(&d->settings.places);
	precheck_tell("cache-file", cache_path(d));
	precheck_tell("prefix-file", d->settings.prefix_file);
}

static bool
logs_to_stderr(const struct daemon *d)
{
	return d->settings.log == SETTINGS_LOG_STDERR ||
	    (d->settings.log == SETTINGS_LOG_AUTO && d->options.foreground);
}

/* Have threads write what the loops tell of, as configured. */
static void
start_spoolers(struct daemon *d)
{
	querylog_init(&d->querylog, &d->log_stats);
	dnstap_init(&d->dnstap, &d->log_stats);
	d->threads.log_stats = &d->log_stats;
	for (unsigned i = 0; i < d->threads.n; i++) {
		struct loop *l = d->threads.thread[i].loop;

		spooler_add(&d->querylog.spooler, loop_querylog_spool(l));
		spooler_add(&d->dnstap.spooler, loop_dnstap_spool(l));
	}
	querylog_use(&d->querylog, &d->settings);
	dnstap_use(&d->dnstap, &d->settings);
}

/* Open the configured log, and report the start there. */
static void
report(struct daemon *d)
{
	log_open(logs_to_stderr(d) ? LOG_SINK_STDERR : LOG_SINK_SYSLOG);
	start_spoolers(d);
	listen_watch_begin(&d->watch);
	report_start(&d->settings, &d->watch.waits, &d->plan);
	report_user(d);
	sandbox_report(&d->sandbox);
}

/* Whoever started us may go on. */
static void
let_go(void *arg)
{
	struct daemon *d = arg;

	background_ready(&d->background, logs_to_stderr(d));
}

/* Serve until a signal ends the daemon. Returns an exit code. */
static int
serve(struct daemon *d)
{
	struct serve s = { .options = &d->options,
		.path = d->path,
		.settings = &d->settings,
		.threads = &d->threads,
		.querylog = &d->querylog,
		.dnstap = &d->dnstap,
		.sandbox = &d->sandbox,
		.watch = &d->watch,
		.cachefile = &d->cachefile,
		.control_fd = d->control.fd,
		.web = &d->web,
		.ident = ident,
		.signal_fd = d->signal_fd,
		.watchdog_ms = notify_watchdog_ms(),
		.ready = let_go,
		.arg = d };

	report(d);
	bool well = serve_run(&s);
	d->stuck = !spooler_end(&d->dnstap.spooler);
	d->stuck = !spooler_end(&d->querylog.spooler) || d->stuck;
	if (!well)
		return DAEMON_RESOURCES; /* a loop may be anywhere */
	if (!d->stuck)
		threads_fini(&d->threads);
	log_notice(LOG_SERVER, "ended");
	return DAEMON_OK;
}

/* Start and serve under d->settings. Returns an exit code. */
static int
start(struct daemon *d)
{
	struct cpus cpus;
	int rc;

	log_connect(ident); /* before a chroot hides its socket */
	loglevel_use(&d->settings);
	cpus_get(&cpus, "");
	cpus_decide(&cpus, &d->settings, &d->plan);
	if (d->plan.notice != NULL)
		log_notice(
		    LOG_SERVER, "%s (%u loops, %u CPUs)", d->plan.notice, d->plan.n_loops, cpus.n);
	descriptors_raise(descriptors_needed(&d->settings, d->plan.n_loops));
	rc = detach(d);
	if (rc == DAEMON_OK)
		rc = drop_privileges(d);
	if (rc == DAEMON_OK)
		rc = make_cache(d);
	if (rc == DAEMON_OK) {
		open_cache(d);
		rc = start_loops(d);
	}
	if (rc == DAEMON_OK)
		return serve(d);
	if (!d->options.foreground) {
		/* At boot nobody may read standard error, so syslog gets a line, too. */
		log_open(LOG_SINK_SYSLOG);
		log_error(LOG_SERVER,
		    "not started; the reason is on standard error (\"dns64d -f\" shows it again)");
	}
	return rc;
}

/* -t: check the configuration and what a start needs. Returns an exit code. */
static int
check(struct daemon *d)
{
	const struct load_start start = { .user = precheck_user, .check = precheck_all };

	if (!load_settings(&d->options, d->path, NULL, diag_to_stderr, &start, &d->settings))
		return DAEMON_CONFIG;
	settings_fini(&d->settings);
	puts("configuration OK");
	return DAEMON_OK;
}

/* Read the configuration, start and serve. Returns an exit code. */
static int
run(struct daemon *d)
{
	const struct load_start loading = {
		.user = precheck_user, .check = precheck_start, .arg = &d->privileges
	};
	int rc;

	if (!load_settings(&d->options, d->path, NULL, diag_to_log, &loading, &d->settings))
		return DAEMON_CONFIG;
	secret_lock(
	    d->settings.conf.core.cookies.secrets, sizeof(d->settings.conf.core.cookies.secrets));
	complete_cookies(&d->settings, NULL);
	rc = start(d);
	sockpath_close(&d->control);
	websock_close(&d->web);
	listen_watch_fini(&d->watch);
	pidfile_close(&d->pidfile);
	settings_fini(&d->settings);
	return rc;
}

/* Check or run, as TASK says. Returns an exit code. */
static int
work(enum options_task task, struct options *o)
{
	struct daemon *d = aligned_alloc(_Alignof(struct daemon), sizeof(*d));
	int rc;

	if (d == NULL) {
		fprintf(stderr, "dns64d: no memory\n");
		return DAEMON_RESOURCES;
	}
	memset(d, 0, sizeof(*d));
	d->options = *o;
	d->background = (struct background){ .fd = -1, .null = -1 };
	d->pidfile.fd = -1;
	d->control.fd = -1;
	d->signal_fd = -1;
	listen_watch_init(&d->watch);
	places_absolute(d->options.path, d->path, sizeof(d->path));
	rc = task == OPTIONS_CHECK ? check(d) : run(d);
	if ((rc != DAEMON_OK || d->stuck) && d->threads.n > 0) {
		/* Threads may still run and use everything, so free nothing. */
		fflush(stdout);
		_exit(rc);
	}
	cachefile_close(&d->cachefile);
	cache_free(d->cache);
	logonce_free(d->logonce);
	health_table_free(d->health_table);
	rates_free(d->rates);
	prefix_index_free(d->prefix_index);
	prefix_states_free(d->prefix_states);
	free(d->orders);
	if (d->signal_fd >= 0)
		close(d->signal_fd);
	free(d);
	return rc;
}

int
daemon_main(int argc, char **argv)
{
	struct options o;
	enum options_task task = options_parse(argc, argv, &o);

	log_open(LOG_SINK_STDERR);
	log_set_level(LOG_LEVEL_NOTICE);
	switch (task) {
	case OPTIONS_HELP:
		options_help(stdout);
		break;
	case OPTIONS_VERSION:
		print_version();
		break;
	case OPTIONS_KEYWORDS:
		keywords_print(stdout);
		break;
	case OPTIONS_USAGE:
		return DAEMON_USAGE;
	case OPTIONS_RUN:
	case OPTIONS_CHECK:
		return work(task, &o);
	}
	return DAEMON_OK;
}
