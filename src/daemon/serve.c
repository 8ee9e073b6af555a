/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/serve.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/control.h"
#include "daemon/cachefile.h"
#include "daemon/cookies.h"
#include "daemon/dnstap.h"
#include "daemon/listen_watch.h"
#include "daemon/notify.h"
#include "daemon/ordered.h"
#include "daemon/querylog.h"
#include "daemon/reload.h"
#include "daemon/report.h"
#include "daemon/websock.h"
#include "io/evbase.h"
#include "nat64/prefixcheck.h"
#include "nat64/prefixes.h"

#define PENDING_MS 10     /* how often to look whether all loops have taken an update */
#define BEGIN_MS 10000    /* how long a reload waits to begin: longer than LISTENER_LINGER_NS */
#define END_SPARE_MS 2000 /* time after stop-timeout for the loops to return */
#define STOP_MS 70000     /* what a stop may take after the lame duck: the unit's TimeoutStopSec */

static const int handled[] = { SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };

int
serve_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
		sigaddset(&set, handled[i]);
		/* A signal that is ignored, as by nohup(1), would not reach the signalfd. */
		(void)signal(handled[i], SIG_DFL);
	}
	(void)signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return -errno;
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : -errno;
}

/* Have health-name be SERVFAIL because of WHY, a constant text; NULL: NOERROR. */
static void
tell_health(const struct serve *s, const char *why)
{
	for (unsigned i = 0; i < s->threads->n; i++)
		loop_set_unready(s->threads->thread[i].loop, why);
}

/* Let the loops finish what is in flight, for at most GRACE_MS milliseconds. */
static void
end_loops(struct serve *s, uint32_t grace_ms)
{
	s->phase = SERVE_ENDS;
	s->end_ns = clock_now_ns() + (grace_ms + END_SPARE_MS) * NS_PER_MS;
	threads_stop(s->threads, grace_ms);
}

/* Does it only finish what it has? A lame duck does all as before. */
static bool
stops(const struct serve *s)
{
	return s->phase == SERVE_SAVES || s->phase == SERVE_ENDS;
}

/* Be a lame duck (ON), or no more. False: it is to end, and stays one. */
static bool
set_lameduck(void *arg, bool on)
{
	struct serve *s = arg;

	if (!on && s->phase != SERVE_ANSWERS)
		return false;
	if (!on)
		s->lame_ns = 0;
	else if (s->lame_ns == 0)
		s->lame_ns = clock_now_ns();
	for (unsigned i = 0; i < s->threads->n; i++)
		loop_lameduck(s->threads->thread[i].loop, on);
	return true;
}

/* Begin to save the cache, if there is one, and a file for it. */
static void
begin_save(struct serve *s)
{
	const struct settings *set = s->settings;

	if (set->conf.core.cache != NULL && strcmp(set->cache_file, "none") != 0)
		cachefile_save(s->cachefile, set->cache_file, set->conf.core.keep.stale_s);
}

/* Milliseconds, rounded up, that it is still to be a lame duck before it stops. */
static uint64_t
lame_left_ms(const struct serve *s, uint64_t now)
{
	return s->end_ns > now ? (s->end_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;
}

/*
 * Be a lame duck because of WHY, and stop at s->end_ns. The service manager is told by the way of
 * the verdict, which changes.
 */
static void
begin_lameduck(struct serve *s, const char *why, uint64_t now)
{
	uint64_t ms = lame_left_ms(s, now);

	log_notice(LOG_SERVER, "%s: a lame duck for %" PRIu64 ".%03" PRIu64 " s before the stop",
	    why, ms / 1000, ms % 1000);
	s->phase = SERVE_LAME;
	set_lameduck(s, true);
	control_lameduck(s->control, time(NULL) + (time_t)((ms + 999) / 1000));
}

/* Save the cache, and finish what is in flight, because of WHY. */
static void
stop(struct serve *s, const char *why)
{
	log_notice(LOG_SERVER, "%s: finishing what is in flight", why);
	s->phase = SERVE_SAVES;
	control_stops(s->control);
	tell_health(s, "stopping");
	notify_stopping("Finishing what is in flight", STOP_MS);
	begin_save(s);
}

/* Stop without any of that. */
static void
stop_at_once(struct serve *s, const char *why)
{
	log_notice(LOG_SERVER, "%s again: not waiting any longer", why);
	cachefile_give_up(s->cachefile);
	control_stops(s->control);
	notify_stopping("Ending at once", STOP_MS);
	end_loops(s, 0);
}

/* WHY is what it is told by. The time that it has been a lame duck already counts. */
static void
begin_stop(struct serve *s, const char *why)
{
	uint64_t now = clock_now_ns();

	if (s->phase != SERVE_ANSWERS) {
		stop_at_once(s, why);
		return;
	}
	s->end_ns = (s->lame_ns != 0 ? s->lame_ns : now) + s->settings->lameduck_ms * NS_PER_MS;
	if (s->end_ns > now)
		begin_lameduck(s, why, now);
	else
		stop(s, why);
}

/* Give systemd a sign of life if every loop has given one since the last time. */
static void
look_after_watchdog(struct serve *s, uint64_t now)
{
	if (s->watchdog_ms == 0 || now < s->beat_ns)
		return;
	if (s->beat_ns != 0 && threads_alive(s->threads))
		notify_watchdog();
	threads_ping(s->threads);
	s->beat_ns = now + s->watchdog_ms / 4 * NS_PER_MS;
}

/*
 * To a service manager: it serves, and how. It is not ready when it is to end: that would be a new
 * start.
 */
static void
tell_ready(const struct serve *s)
{
	char text[REPORT_STATUS];

	if (stops(s))
		return;
	(void)report_status(s->settings, &s->watch->waits, s->threads->n, &s->verdict, text);
	if (s->phase == SERVE_LAME)
		notify_stopping(text, lame_left_ms(s, clock_now_ns()) + STOP_MS);
	else
		notify_ready(text);
}

/* --- What control asks for -------------------------------------------------------------------- */

static void
want_reload(void *arg)
{
	struct serve *s = arg;

	if (s->wanted_ns == 0)
		s->wanted_ns = clock_now_ns();
}

static void
want_stop(void *arg)
{
	begin_stop(arg, "dns64ctl stop");
}

/* A large cache takes longer than the service manager waits for a sign of life. */
static void
live_on(void *arg)
{
	look_after_watchdog(arg, clock_now_ns());
}

static bool
save_cache(void *arg)
{
	struct serve *s = arg;

	begin_save(s);
	return cachefile_finish_save(s->cachefile, live_on, s);
}

static void
load_cache(void *arg)
{
	struct serve *s = arg;

	cachefile_finish_load(s->cachefile, live_on, s);
}

static bool
reopen_log(void *arg)
{
	const struct serve *s = arg;
	bool ok;

	/* Syslog's socket is not seen from inside a chroot. */
	if (strcmp(s->settings->chroot, "none") == 0)
		log_connect(s->ident);
	ok = querylog_reopen(s->querylog); /* what is wrong it says itself */
	log_notice(LOG_SERVER, "the log was opened again%s", ok ? "" : ", but not the query log");
	return ok;
}

static bool
is_changing(void *arg)
{
	const struct serve *s = arg;

	return threads_pending(s->threads) != 0;
}

static bool
change_cookies(void *arg, const struct host_cookies *c)
{
	struct serve *s = arg;

	return cookies_change(s->settings, s->threads, c);
}

static void
take_verdict(void *arg, const struct verdict *v)
{
	struct serve *s = arg;

	s->verdict = *v;
	tell_health(s, v->unready);
	if (s->reload != SERVE_POSTED && !stops(s))
		tell_ready(s);
}

static enum host_verdict
change_prefixes(void *arg, const struct prefix_change *c, char error[static HOST_ERROR])
{
	struct serve *s = arg;
	enum host_verdict verdict;

	if (stops(s)) {
		snprintf(error, HOST_ERROR, "the daemon is stopping");
		return HOST_UNABLE;
	}
	verdict = prefixes_change(&s->prefixes, c, error);
	if (verdict == HOST_DONE)
		prefixcheck_renew(s->check);
	return verdict;
}

static enum host_verdict
obey(void *arg, const struct order *w, char error[static HOST_ERROR])
{
	struct serve *s = arg;

	if (stops(s)) {
		snprintf(error, HOST_ERROR, "the daemon is stopping");
		return HOST_UNABLE;
	}
	if (w->what == ORDER_QUERYLOG && w->state != ORDERS_LOG_OFF &&
	    w->state != ORDERS_LOG_CONFIG && !querylog_writes(s->querylog)) {
		snprintf(error, HOST_ERROR, "query-log %s cannot be opened; the log says why",
		    s->settings->query_log);
		return HOST_UNABLE;
	}
	return ordered_change(s->settings, s->threads, w, error);
}

/* --- Signals ---------------------------------------------------------------------------------- */

static void
on_signal(struct serve *s, int number)
{
	switch (number) {
	case SIGHUP:
		want_reload(s);
		break;
	case SIGUSR1:
		report_stats(s->threads, s->settings->conf.core.cache);
		break;
	case SIGUSR2:
		(void)reopen_log(s);
		break;
	default:
		begin_stop(s,
		    number == SIGTERM      ? "SIGTERM"
			: number == SIGINT ? "SIGINT"
					   : "SIGQUIT");
		break;
	}
}

static void
read_signals(struct serve *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		on_signal(s, (int)info.ssi_signo);
}

/* Tell all who look what came of a reload. */
static void
end_result(struct serve *s, enum verdict_reload result)
{
	control_reload_ends(s->control, result);
	tell_ready(s);
}

/* A reload begins: control has what is logged from here on. */
static void
begin_result(struct serve *s)
{
	s->wanted_ns = 0;
	control_reload_begins(s->control);
	if (s->phase == SERVE_ANSWERS)
		notify_reloading();
}

/* The loops THOSE do not let a reload begin. */
static void
refuse_reload(struct serve *s, uint64_t those)
{
	char text[THREADS_TEXT];

	begin_result(s);
	log_error(LOG_CONFIG,
	    "reload: failed; %s has not taken the change before: it does not go round",
	    threads_text(those, text));
	end_result(s, VERDICT_REFUSED);
}

static void
begin_reload(struct serve *s)
{
	begin_result(s);
	log_notice(LOG_CONFIG, "reading %s", s->path);
	if (reload_settings(s->options, s->path, s->threads, s->watch, s->settings)) {
		querylog_use(s->querylog, s->settings);
		sandbox_tell(s->sandbox, s->settings);
		dnstap_use(s->dnstap, s->settings);
		prefixcheck_renew(s->check);
		s->reload = SERVE_POSTED;
		s->taken_ns = clock_now_ns() + THREADS_TAKE_MS * NS_PER_MS;
		return;
	}
	log_error(LOG_CONFIG,
	    "reload: failed; nothing was changed, the configuration before stays in force");
	end_result(s, VERDICT_REFUSED);
}

/* An address or an interface has changed; work looks which. */
static void
on_addresses(evutil_socket_t fd, short what, void *arg)
{
	const struct serve *s = arg;

	(void)fd;
	(void)what;
	listen_watch_rings(s->watch);
}

/* Hear when addresses come and go, if that matters. Without memory they are looked for. */
static void
watch_addresses(struct serve *s)
{
	if (s->addresses != NULL || s->watch->fd < 0)
		return;
	s->addresses = event_new(s->base, s->watch->fd, EV_READ | EV_PERSIST, on_addresses, s);
	if (s->addresses == NULL || event_add(s->addresses, NULL) != 0)
		log_error(LOG_SERVER, "no memory to hear of addresses that come or go");
}

/* All loops have taken the reload but those of LATE, which are waited for no longer. */
static void
end_reload(struct serve *s, uint64_t late)
{
	unsigned n = threads_unserved(s->threads);
	char text[THREADS_TEXT];

	s->reload = late == 0 ? SERVE_SETTLED : SERVE_OVERDUE;
	watch_addresses(s);
	report_lines(s->settings);
	report_service(s->settings, &s->watch->waits, LOG_CONFIG);
	if (late != 0)
		log_error(LOG_CONFIG,
		    "reload: %s has not taken it: it does not go round, and has the configuration "
		    "before",
		    threads_text(late, text));
	else if (n > 0)
		log_error(
		    LOG_CONFIG, "reload: done, but for %u sockets that cannot be served yet", n);
	else
		log_notice(LOG_CONFIG, "reload: done");
	end_result(s, late == 0 ? VERDICT_RELOADED : VERDICT_OVERDUE);
}

/* Go on with the reload that is posted. */
static void
follow_reload(struct serve *s, uint64_t now)
{
	uint64_t late = threads_pending(s->threads);

	if (s->reload == SERVE_POSTED && (late == 0 || now >= s->taken_ns)) {
		end_reload(s, late);
	} else if (s->reload == SERVE_OVERDUE && late == 0) {
		s->reload = SERVE_SETTLED;
		log_notice(LOG_CONFIG, "reload: all loops have taken it now");
		control_reload_taken(s->control);
	}
}

/* Is a reload wanted that has at most to wait for a change (is_changing)? */
static bool
may_reload(const struct serve *s)
{
	return s->wanted_ns != 0 && s->reload != SERVE_POSTED && !stops(s);
}

/* Are listen addresses to be looked for that have come or gone? */
static bool
may_look(const struct serve *s, uint64_t now)
{
	return now >= s->watch->look_ns && s->reload != SERVE_POSTED && !stops(s);
}

/* Look for them; the service manager is told. */
static void
look(struct serve *s)
{
	if (listen_watch_look(s->watch, s->settings, s->threads, s->path))
		tell_ready(s);
}

/* Is an order of the operator over? */
static bool
may_expire(const struct serve *s, uint64_t now)
{
	return now >= orders_due_ns(s->settings->orders) && s->reload != SERVE_POSTED && !stops(s);
}

/* Is there something reported of prefixes that loops do not work by? */
static bool
may_settle(const struct serve *s, uint64_t now)
{
	return prefixes_due(&s->prefixes, now) && s->reload != SERVE_POSTED && !stops(s);
}

/* The loops that have not taken the last change, or not closed what they gave up by it. */
static uint64_t
behind(const struct serve *s)
{
	return threads_pending(s->threads) | threads_leaving(s->threads);
}

/* Begin the reload that is wanted, unless loops are still behind; for BEGIN_MS at most. */
static void
try_reload(struct serve *s, uint64_t now)
{
	uint64_t those = behind(s);

	if (those == 0)
		begin_reload(s);
	else if (now >= s->wanted_ns + BEGIN_MS * NS_PER_MS)
		refuse_reload(s, those);
}

/*
 * Milliseconds until something is due; -1: only a signal can wake us. CACHE_MS: of mind_cache.
 */
static int
wait_ms(const struct serve *s, uint64_t now, int cache_ms)
{
	uint64_t due = UINT64_MAX, over_ns = orders_due_ns(s->settings->orders);

	if (cache_ms >= 0)
		due = now + (unsigned)cache_ms * NS_PER_MS;
	if (s->watchdog_ms > 0 && s->beat_ns < due)
		due = s->beat_ns;
	if ((s->phase == SERVE_ENDS || s->phase == SERVE_LAME) && s->end_ns < due)
		due = s->end_ns;
	if (s->watch->look_ns > now && s->watch->look_ns < due && !stops(s))
		due = s->watch->look_ns;
	if (over_ns > now && over_ns < due && !stops(s))
		due = over_ns;
	if ((s->reload != SERVE_SETTLED || may_reload(s) || may_look(s, now) ||
		may_expire(s, now) || may_settle(s, now)) &&
	    now + PENDING_MS * NS_PER_MS < due)
		due = now + PENDING_MS * NS_PER_MS;
	if (due == UINT64_MAX)
		return -1;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

/* Is the daemon to end? *WELL says whether as it should. */
static bool
is_over(const struct serve *s, uint64_t now, bool *well)
{
	uint64_t ended = threads_ended(s->threads);
	uint64_t running = threads_running(s->threads);
	char text[THREADS_TEXT];

	if (s->phase != SERVE_ENDS && ended != 0) {
		log_error(LOG_SERVER, "%s ended by itself", threads_text(ended, text));
		*well = false;
		return true;
	}
	if (s->phase == SERVE_ENDS && running == 0) {
		*well = true;
		return true;
	}
	if (s->phase == SERVE_ENDS && now >= s->end_ns) {
		log_error(LOG_SERVER, "%s did not end in time: it ends with the process",
		    threads_text(running, text));
		*well = false;
		return true;
	}
	return false;
}

/* --- The thread ------------------------------------------------------------------------------- */

static void
on_signals(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	read_signals(arg);
}

/* A loop has ended; is_over asks which. */
static void
on_ended(evutil_socket_t fd, short what, void *arg)
{
	uint64_t n;

	(void)what;
	(void)arg;
	while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR)
		continue;
}

/* Something is due, which is done after each turn. */
static void
on_due(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

/*
 * Do a piece of what is under way with the cache's file; if it was the last of a save, the loops
 * end. Returns milliseconds until the next piece; -1: there is none.
 */
static int
mind_cache(struct serve *s)
{
	int ms = cachefile_work(s->cachefile);

	if (ms < 0 && s->phase == SERVE_SAVES)
		end_loops(s, s->settings->stop_timeout_ms);
	return ms;
}

/* Wait until something happens, or is due in MS milliseconds (-1: never), and have it handled. */
static void
turn(struct serve *s, struct event *due, int ms)
{
	const struct timeval wait = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (ms >= 0)
		(void)event_add(due, &wait);
	(void)event_base_loop(s->base, EVLOOP_ONCE);
	(void)event_del(due);
}

static void
work(struct serve *s, struct event *due, bool *well)
{
	uint64_t now = clock_now_ns();

	do {
		look_after_watchdog(s, now);
		turn(s, due, wait_ms(s, now, mind_cache(s)));
		now = clock_now_ns();
		if (s->phase == SERVE_LAME && now >= s->end_ns)
			stop(s, "lame duck no longer");
		follow_reload(s, now);
		if (may_reload(s))
			try_reload(s, now);
		if (may_look(s, now) && behind(s) == 0)
			look(s);
		if (may_expire(s, now) &&
		    ordered_is_due(s->settings->orders, threads_pending(s->threads) != 0, now))
			ordered_expire(s->settings, s->threads, now);
		if (may_settle(s, now))
			prefixes_settle(&s->prefixes, now);
	} while (!is_over(s, now, well));
}

/* What libevent has to say belongs in the log, not on standard error. */
static void
on_libevent(int severity, const char *text)
{
	if (severity >= EVENT_LOG_WARN)
		log_seldom(LOG_LEVEL_WARN, LOG_SERVER, "libevent: %s", text);
	else
		log_debug(LOG_SERVER, "libevent: %s", text);
}

static struct control *
open_control(struct serve *s)
{
	static const struct host_ops ops = { .reload = want_reload,
		.stop = want_stop,
		.load = load_cache,
		.save = save_cache,
		.reopen = reopen_log,
		.lameduck = set_lameduck,
		.cookies = change_cookies,
		.change = change_prefixes,
		.order = obey,
		.judged = take_verdict,
		.is_changing = is_changing };
	struct host host = { .base = s->base,
		.path = s->path,
		.settings = s->settings,
		.n_loops = s->threads->n,
		.started = time(NULL),
		.memory_fd = s->web->has_memory ? s->web->memory_fd : -1,
		.fds_fd = s->web->has_fds ? s->web->fds_fd : -1,
		.log_stats = s->threads->log_stats,
		.waits = &s->watch->waits,
		.ops = &ops,
		.arg = s };

	for (unsigned i = 0; i < host.n_loops; i++)
		host.loops[i] = s->threads->thread[i].loop;
	return control_new(&host,
	    &(const struct control_sockets){
		.control = s->control_fd, .web = s->web->fd, .n_web = s->web->n });
}

/* Ask the targets of prefix-check, if there are any. */
static void
begin_checks(struct serve *s)
{
	s->check = prefixcheck_new(s->base, &s->prefixes);
	if (s->check == NULL)
		log_error(LOG_SERVER, "no memory for prefix-check: nothing is asked");
}

bool
serve_run(struct serve *s)
{
	struct event *signals, *ended, *due;
	bool well = false;

	event_set_log_callback(on_libevent);
	s->push.threads = s->threads;
	s->prefixes = (struct prefixes){
		.settings = s->settings, .path = s->path, .loops = conf_push_prefixes(&s->push)
	};
	s->base = evbase_new();
	if (s->base == NULL) {
		log_error(LOG_SERVER, "no memory");
		return false;
	}
	signals = event_new(s->base, s->signal_fd, EV_READ | EV_PERSIST, on_signals, s);
	ended = event_new(s->base, s->threads->ended_fd, EV_READ | EV_PERSIST, on_ended, NULL);
	due = evtimer_new(s->base, on_due, NULL);
	s->control = open_control(s);
	if (signals != NULL && ended != NULL && due != NULL && s->control != NULL &&
	    event_add(signals, NULL) == 0 && event_add(ended, NULL) == 0) {
		s->ready(s->arg);
		tell_ready(s);
		begin_checks(s);
		watch_addresses(s);
		work(s, due, &well);
		cachefile_give_up(s->cachefile);
	} else {
		log_error(LOG_SERVER, "no memory");
	}
	control_free(s->control);
	prefixcheck_free(s->check);
	struct event *const all[] = { signals, ended, due, s->addresses };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] != NULL)
			event_free(all[i]);
	event_base_free(s->base);
	return well;
}
