/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <syslog.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/outlet.h"

/* The word for a level in lines and in the configuration, and its priority in syslog. */
static const struct {
	const char *word;
	const char *name;
	int priority;
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", "error", LOG_ERR },
	[LOG_LEVEL_WARN] = { "warning", "warn", LOG_WARNING },
	[LOG_LEVEL_NOTICE] = { "notice", "notice", LOG_NOTICE },
	[LOG_LEVEL_INFO] = { "info", "info", LOG_INFO },
	[LOG_LEVEL_DEBUG] = { "debug", "debug", LOG_DEBUG },
};

static const char *const categories[LOG_CATEGORIES] = { [LOG_CONFIG] = "config",
	[LOG_UPSTREAM] = "upstream",
	[LOG_CLIENT] = "client",
	[LOG_CACHE] = "cache",
	[LOG_DNS64] = "dns64",
	[LOG_CONTROL] = "control",
	[LOG_STATS] = "stats",
	[LOG_SERVER] = "server" };

#define FOR_EACH(what) \
	{ \
		what, what, what, what, what, what, what, what, what \
	}
_Static_assert(LOG_CATEGORIES == 8, "FOR_EACH has a value for each category, and one for all");

/* The process has one log. */
static _Atomic int log_sink = LOG_SINK_STDERR;
static _Atomic int log_max[LOG_CATEGORIES + 1] = FOR_EACH(LOG_LEVEL_INFO);
_Atomic int log_threshold[LOG_CATEGORIES + 1] = FOR_EACH(LOG_LEVEL_INFO);
static struct {
	struct lock lock;
	uint64_t since_ns; /* when the minute began */
	uint64_t n;        /* lines since */
} log_seldoms[LOG_CATEGORIES];
static struct outlet log_outlet = OUTLET_INIT;
static _Thread_local const struct log_ear *log_ear; /* who hears what this thread logs */

static void
set_thresholds(void)
{
	bool none = atomic_load(&log_sink) == LOG_SINK_NONE;
	int most = -1;

	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		int max = none ? -1 : atomic_load(&log_max[i]);

		atomic_store(&log_threshold[i], max);
		most = max > most ? max : most;
	}
	atomic_store(&log_threshold[LOG_ANY], most);
}

void
log_connect(const char *ident)
{
	closelog();
	openlog(ident, LOG_PID | LOG_NDELAY, LOG_DAEMON);
	outlet_connect(&log_outlet, OUTLET_SYSLOG, ident);
}

void
log_open(enum log_sink sink)
{
	if (sink == LOG_SINK_SYSLOG)
		outlet_syslog(&log_outlet);
	else
		outlet_stderr(&log_outlet);
	atomic_store(&log_sink, (int)sink);
	set_thresholds();
}

uint64_t
log_lost(void)
{
	return outlet_lost(&log_outlet);
}

const struct log_ear *
log_listen(const struct log_ear *ear)
{
	const struct log_ear *before = log_ear;

	log_ear = ear;
	return before;
}

const char *
log_category_name(enum log_category category)
{
	return categories[category];
}

const char *
log_level_name(enum log_level level)
{
	return levels[level].name;
}

void
log_set_category(enum log_category category, enum log_level level)
{
	atomic_store(&log_max[category], (int)level);
	set_thresholds();
}

void
log_set_level(enum log_level level)
{
	for (unsigned i = 0; i < LOG_CATEGORIES; i++)
		log_set_category((enum log_category)i, level);
}

enum log_level
log_level_of(enum log_category category)
{
	return (enum log_level)atomic_load(&log_max[category]);
}

/* Replace control characters: a newline could fake a second line, an escape control a terminal. */
static void
replace_controls(char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

PRINTF_LIKE(3, 0)
static void
write_line(enum log_level level, enum log_category category, const char *fmt, va_list args)
{
	char text[OUTLET_LINE];
	bool heard = log_ear != NULL && level <= LOG_LEVEL_INFO;
	int n;

	if (!heard && !log_enabled(category, level))
		return;
	n = snprintf(text, sizeof(text), "%s: ", categories[category]);
	(void)vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
	replace_controls(text);
	if (heard)
		log_ear->hear(log_ear->arg, level, category, text + n);
	if (log_enabled(category, level))
		outlet_put(&log_outlet, levels[level].priority, levels[level].word, text);
}

void
log_error(enum log_category category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_ERROR, category, fmt, args);
	va_end(args);
}

void
log_warn(enum log_category category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_WARN, category, fmt, args);
	va_end(args);
}

void
log_notice(enum log_category category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_NOTICE, category, fmt, args);
	va_end(args);
}

void
log_info(enum log_category category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_INFO, category, fmt, args);
	va_end(args);
}

void
log_debug(enum log_category category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_DEBUG, category, fmt, args);
	va_end(args);
}

/* One more line about CATEGORY that is to be seldom. Returns whether to write it; *HELD: how many
 * were held back before. */
static bool
may_say(enum log_category category, uint64_t *held)
{
	uint64_t now_ns = clock_now_ns(), n;

	*held = 0;
	lock_take(&log_seldoms[category].lock);
	if (now_ns - log_seldoms[category].since_ns >= 60 * NS_PER_SEC) {
		if (log_seldoms[category].n > LOG_SELDOM)
			*held = log_seldoms[category].n - LOG_SELDOM;
		log_seldoms[category].since_ns = now_ns;
		log_seldoms[category].n = 0;
	}
	n = ++log_seldoms[category].n;
	lock_give(&log_seldoms[category].lock);
	return n <= LOG_SELDOM;
}

void
log_seldom(enum log_level level, enum log_category category, const char *fmt, ...)
{
	char text[OUTLET_LINE];
	uint64_t held;
	va_list args;

	if (!log_enabled(category, level) || !may_say(category, &held))
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (held > 0)
		log_warn(category, "%" PRIu64 " lines as this one were held back: %s", held, text);
	else if (level == LOG_LEVEL_ERROR)
		log_error(category, "%s", text);
	else
		log_warn(category, "%s", text);
}
