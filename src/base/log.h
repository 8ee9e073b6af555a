/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOG_H
#define DNS64D_BASE_LOG_H

/*
 * log: one line per event, to standard error or syslog.
 *
 * Thread-safe. Before log_open lines go to standard error, and the level is LOG_LEVEL_INFO. A line
 * is written with one write(2) or syslog(3), at most 1,024 bytes; control characters become '?'.
 */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"

/* In the order of the words of the keyword log-level (config/keywords). */
enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_NOTICE,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* Where lines go. */
enum log_sink {
	LOG_SINK_NONE,   /* nowhere: for tests */
	LOG_SINK_STDERR, /* "level subsystem: text", under journald with an sd-daemon(3) prefix */
	LOG_SINK_SYSLOG  /* facility daemon, with pid */
};

/*
 * log_open: write lines to SINK from now on. IDENT, the program's name in syslog, is borrowed for
 * the life of the process. Syslog is connected at once, so a chroot may follow.
 */
void log_open(enum log_sink sink, const char *ident);

/*
 * log_reopen: connect to syslog again, under the name IDENT as with log_open. Does nothing with
 * another sink.
 */
void log_reopen(const char *ident);

/* Who hears what a thread logs. */
struct log_ear {
	/* Called for each line; SUBSYSTEM and TEXT, what is behind it, are borrowed. */
	void (*hear)(void *arg, enum log_level level, const char *subsystem, const char *text);
	void *arg; /* borrowed */
};

/*
 * log_listen: from now on EAR, borrowed, hears every line of the levels error to info that the
 * calling thread logs, whether it is written or not. NULL: nobody does. Returns who did
 * before.
 */
const struct log_ear *log_listen(const struct log_ear *ear);

/* log_set_level: drop lines less important than LEVEL from now on. */
void log_set_level(enum log_level level);

/* The least important level that is written, -1 if none is. For log_enabled only. */
extern _Atomic int log_threshold;

/*
 * log_enabled: would a line of LEVEL be written? It costs a load and a branch: use it where lines
 * are frequent or costly to make.
 */
MUST_USE static inline bool
log_enabled(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_threshold, memory_order_relaxed);
}

/*
 * log_error: write a line of level error. SUBSYSTEM: the word that it begins with ("config",
 * "upstream", ...). FMT: the text, without a newline.
 */
PRINTF_LIKE(2, 3) void log_error(const char *subsystem, const char *fmt, ...);

/* log_warn: the same, of level warning. */
PRINTF_LIKE(2, 3) void log_warn(const char *subsystem, const char *fmt, ...);

/* log_notice: the same, of level notice. */
PRINTF_LIKE(2, 3) void log_notice(const char *subsystem, const char *fmt, ...);

/* log_info: the same, of level info. */
PRINTF_LIKE(2, 3) void log_info(const char *subsystem, const char *fmt, ...);

/* log_debug: the same, of level debug, the only one for messages about a single packet. */
PRINTF_LIKE(2, 3) void log_debug(const char *subsystem, const char *fmt, ...);

#endif
