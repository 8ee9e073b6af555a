/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOG_H
#define DNS64D_BASE_LOG_H

/*
 * log: one line per event, to standard error or syslog.
 *
 * The first argument is the subsystem's word ("config", "upstream", ...). Never
 * called for a packet above LOG_DEBUG. Every function may be called from any
 * thread at any time. Before log_open lines go to standard error; the level is
 * then LOG_LEVEL_INFO. A line is one write, at most 1,024 bytes, and control characters in
 * it become '?'.
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

enum log_sink {
	LOG_SINK_NONE,   /* drop all: for tests */
	LOG_SINK_STDERR, /* "level subsystem: text", under journald with an sd-daemon(3) prefix */
	LOG_SINK_SYSLOG  /* facility daemon, with pid */
};

/*
 * log_open: where lines go from now on. IDENT, syslog's name for us, is borrowed for the life of
 * the process. Syslog is connected at once, so that a later chroot does not matter.
 */
void log_open(enum log_sink sink, const char *ident);

/* log_set_level: drop lines less important than LEVEL. */
void log_set_level(enum log_level level);

/* The least important level that is written, -1 if none is. For log_enabled only. */
extern _Atomic int log_threshold;

/*
 * log_enabled: would a line of LEVEL be written? Costs a load and a branch: for what happens often.
 */
MUST_USE static inline bool
log_enabled(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_threshold, memory_order_relaxed);
}

PRINTF_LIKE(2, 3) void log_error(const char *subsystem, const char *fmt, ...);
PRINTF_LIKE(2, 3) void log_warn(const char *subsystem, const char *fmt, ...);
PRINTF_LIKE(2, 3) void log_notice(const char *subsystem, const char *fmt, ...);
PRINTF_LIKE(2, 3) void log_info(const char *subsystem, const char *fmt, ...);
PRINTF_LIKE(2, 3) void log_debug(const char *subsystem, const char *fmt, ...);

#endif
