/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/number.h"

#define LINE_MAX_LEN 1024 /* bytes of a line with its newline */

/* The word for a level, and its priority in syslog. */
static const struct {
	const char *word;
	int priority;
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", LOG_ERR },
	[LOG_LEVEL_WARN] = { "warning", LOG_WARNING },
	[LOG_LEVEL_NOTICE] = { "notice", LOG_NOTICE },
	[LOG_LEVEL_INFO] = { "info", LOG_INFO },
	[LOG_LEVEL_DEBUG] = { "debug", LOG_DEBUG },
};

/* The process has one log. */
static _Atomic int log_sink = LOG_SINK_STDERR;
static _Atomic int log_max = LOG_LEVEL_INFO;
static atomic_bool log_journal; /* standard error leads to journald */
_Atomic int log_threshold = LOG_LEVEL_INFO;
static _Thread_local const struct log_ear *log_ear; /* who hears what this thread logs */

/* Is standard error the stream that systemd named in the environment (sd-daemon(3))? */
static bool
is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t dev, ino;
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	size_t n = number_prefix(stream, strlen(stream), UINT64_MAX, &dev);
	if (n == 0 || stream[n] != ':')
		return false;
	stream += n + 1;
	return number_parse(stream, strlen(stream), UINT64_MAX, &ino) && dev == st.st_dev &&
	    ino == st.st_ino;
}

static void
set_threshold(void)
{
	bool none = atomic_load(&log_sink) == LOG_SINK_NONE;

	atomic_store(&log_threshold, none ? -1 : atomic_load(&log_max));
}

void
log_open(enum log_sink sink, const char *ident)
{
	if (sink == LOG_SINK_SYSLOG)
		openlog(ident, LOG_PID | LOG_NDELAY, LOG_DAEMON);
	atomic_store(&log_journal, sink == LOG_SINK_STDERR && is_journal());
	atomic_store(&log_sink, (int)sink);
	set_threshold();
}

void
log_reopen(const char *ident)
{
	if (atomic_load(&log_sink) != LOG_SINK_SYSLOG)
		return;
	closelog();
	log_open(LOG_SINK_SYSLOG, ident);
}

const struct log_ear *
log_listen(const struct log_ear *ear)
{
	const struct log_ear *before = log_ear;

	log_ear = ear;
	return before;
}

void
log_set_level(enum log_level level)
{
	atomic_store(&log_max, (int)level);
	set_threshold();
}

/* Bytes of text, without the zero, in a buffer of CAP bytes for which snprintf returned N. */
static size_t
written(int n, size_t cap)
{
	if (n < 0)
		return 0;
	return (size_t)n < cap ? (size_t)n : cap - 1;
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

static void
write_stderr(enum log_level level, const char *text)
{
	char line[LINE_MAX_LEN];
	size_t n = 0;

	if (atomic_load(&log_journal))
		n = written(
		    snprintf(line, sizeof(line), "<%d>", levels[level].priority), sizeof(line));
	n += written(snprintf(line + n, sizeof(line) - n, "%s %s", levels[level].word, text),
	    sizeof(line) - n);
	line[n++] = '\n';
	/* One write, so lines of several threads do not mix. An error cannot be logged. */
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

PRINTF_LIKE(3, 0)
static void
write_line(enum log_level level, const char *subsystem, const char *fmt, va_list args)
{
	char text[LINE_MAX_LEN];
	bool heard = log_ear != NULL && level <= LOG_LEVEL_INFO;
	size_t n;

	if (!heard && !log_enabled(level))
		return;
	n = written(snprintf(text, sizeof(text), "%s: ", subsystem), sizeof(text));
	(void)vsnprintf(text + n, sizeof(text) - n, fmt, args);
	replace_controls(text);
	if (heard)
		log_ear->hear(log_ear->arg, level, subsystem, text + n);
	if (!log_enabled(level))
		return;
	if (atomic_load(&log_sink) == LOG_SINK_SYSLOG)
		syslog(levels[level].priority, "%s", text);
	else
		write_stderr(level, text);
}

void
log_error(const char *subsystem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_ERROR, subsystem, fmt, args);
	va_end(args);
}

void
log_warn(const char *subsystem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_WARN, subsystem, fmt, args);
	va_end(args);
}

void
log_notice(const char *subsystem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_NOTICE, subsystem, fmt, args);
	va_end(args);
}

void
log_info(const char *subsystem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_INFO, subsystem, fmt, args);
	va_end(args);
}

void
log_debug(const char *subsystem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(LOG_LEVEL_DEBUG, subsystem, fmt, args);
	va_end(args);
}
