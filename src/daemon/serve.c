/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "daemon/cachecmd.h"
#include "daemon/notify.h"
#include "daemon/reload.h"
#include "daemon/report.h"

#define PENDING_MS 10     /* how often to look whether all loops have taken an update */
#define END_SPARE_MS 2000 /* time after stop-timeout for the loops to return */

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

static void
begin_stop(struct serve *s, const char *signal_name)
{
	uint32_t grace_ms = s->settings->stop_timeout_ms;

	s->stops++;
	if (s->stops > 1) {
		log_notice("stop", "%s again: not waiting any longer", signal_name);
		grace_ms = 0;
	} else {
		log_notice("stop", "%s: finishing what is in flight", signal_name);
		notify_stopping();
	}
	s->end_ns = clock_now_ns() + (grace_ms + END_SPARE_MS) * NS_PER_MS;
	threads_stop(s->threads, grace_ms);
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

/* --- Commands to the cache -------------------------------------------------------------------- */

static void
tell_stats(void *arg)
{
	struct serve *s = arg;

	report_stats(s->threads, s->settings->conf.core.cache);
}

/* Saving a large cache takes longer than the service manager waits for a sign of life. */
static void
live_on(void *arg)
{
	look_after_watchdog(arg, clock_now_ns());
}

/* PATH of the configuration; NULL for "none". */
static const char *
named(const char *path)
{
	return strcmp(path, "none") == 0 ? NULL : path;
}

static void
run_commands(struct serve *s)
{
	static const struct cachecmd flush = { .kind = CACHECMD_FLUSH };
	const struct settings *set = s->settings;
	const char *commands = named(set->cache_commands);
	const struct cachecmd_on on = { .cache = set->conf.core.cache,
		.file = named(set->cache_file),
		.stale_s = set->conf.core.keep.stale_s,
		.stats = tell_stats,
		.tick = live_on,
		.arg = s };

	if (commands != NULL)
		(void)cachecmd_file(commands, &on);
	else
		(void)cachecmd_do(&flush, &on);
}

/* --- Signals ---------------------------------------------------------------------------------- */

static void
on_signal(struct serve *s, int number)
{
	switch (number) {
	case SIGHUP:
		s->reload_wanted = true;
		break;
	case SIGUSR1:
		report_stats(s->threads, s->settings->conf.core.cache);
		break;
	case SIGUSR2:
		run_commands(s);
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

static void
tell_ready(const struct serve *s)
{
	char text[REPORT_STATUS];

	notify_ready(report_status(s->settings, s->threads->n, text));
}

static void
begin_reload(struct serve *s)
{
	s->reload_wanted = false;
	notify_reloading();
	log_notice("reload", "reading %s", s->path);
	if (reload_settings(s->options, s->path, s->threads, s->settings)) {
		sandbox_tell(s->sandbox, s->settings);
		s->reloading = true;
		return;
	}
	log_error("reload", "failed; nothing was changed, the configuration before stays in force");
	pidfile_tell(s->pidfile, false);
	tell_ready(s);
}

static void
end_reload(struct serve *s)
{
	unsigned n = threads_unserved(s->threads);

	s->reloading = false;
	report_service(s->settings, "reload");
	if (n > 0)
		log_error("reload", "done, but for %u sockets that cannot be served yet", n);
	else
		log_notice("reload", "done");
	pidfile_tell(s->pidfile, true);
	tell_ready(s);
}

/* Milliseconds until something is due; -1: only a signal can wake us. */
static int
wait_ms(const struct serve *s, uint64_t now)
{
	uint64_t due = UINT64_MAX;

	if (s->watchdog_ms > 0)
		due = s->beat_ns;
	if (s->stops > 0 && s->end_ns < due)
		due = s->end_ns;
	if (s->reloading && now + PENDING_MS * NS_PER_MS < due)
		due = now + PENDING_MS * NS_PER_MS;
	if (due == UINT64_MAX)
		return -1;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

/* Is the daemon to end? *WELL says whether as it should. */
static bool
is_over(const struct serve *s, uint64_t now, bool *well)
{
	unsigned ended = threads_ended(s->threads);

	if (s->stops == 0 && ended > 0) {
		log_error("serve", "%u of %u loops ended by themselves", ended, s->threads->n);
		*well = false;
		return true;
	}
	if (s->stops > 0 && ended == s->threads->n) {
		*well = true;
		return true;
	}
	if (s->stops > 0 && now >= s->end_ns) {
		log_error("stop", "%u of %u loops did not end in time", s->threads->n - ended,
		    s->threads->n);
		*well = false;
		return true;
	}
	return false;
}

bool
serve_run(struct serve *s)
{
	struct pollfd fds[] = { { .fd = s->signal_fd, .events = POLLIN },
		{ .fd = s->threads->ended_fd, .events = POLLIN } };
	uint64_t now = clock_now_ns();
	bool well = true, over = false;

	while (!over) {
		look_after_watchdog(s, now);
		/* Once a loop has ended ended_fd stays readable; wait without it for the others. */
		if (s->stops > 0 && threads_ended(s->threads) > 0)
			(void)poll(NULL, 0, 1);
		else
			(void)poll(fds, 2, wait_ms(s, now));
		now = clock_now_ns();
		read_signals(s);
		if (s->reloading && !threads_pending(s->threads))
			end_reload(s);
		if (s->reload_wanted && !s->reloading && s->stops == 0)
			begin_reload(s);
		over = is_over(s, now, &well);
	}
	return well;
}
