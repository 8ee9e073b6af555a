/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOG_H
#define DNS64D_BASE_LOG_H

/*
 * log: one line per event, to standard error or syslog.
 *
 * Each line is about one of a few things, its category, whose name it begins with; each category
 * has its own level.
 *
 * Thread-safe. Before log_open lines go to standard error, and all levels are LOG_LEVEL_INFO. A
 * line has at most 1,024 bytes; control characters become '?'. Nobody ever waits for who reads
 * the log: what there is no room for is lost, counted, and told (base/outlet).
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/* In the order of the words of the keyword log-level (config/keywords). */
enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_NOTICE,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* What lines are about; in the order of the words of the keyword log-level. */
enum log_category {
	LOG_CONFIG,   /* the configuration, and reloads of it */
	LOG_UPSTREAM, /* those that are asked */
	LOG_CLIENT,   /* those that ask, and what they get */
	LOG_CACHE,
	LOG_DNS64,   /* what is synthesized, and why not */
	LOG_CONTROL, /* dns64ctl, web-listen */
	LOG_STATS,   /* the statistics that SIGUSR1 asks for */
	LOG_SERVER,  /* the process: start, sockets, threads, end */
	LOG_CATEGORIES,
	LOG_ANY = LOG_CATEGORIES /* for log_enabled: one or another of them */
};

/* Where lines go. */
enum log_sink {
	LOG_SINK_NONE,   /* nowhere: for tests */
	LOG_SINK_STDERR, /* "level category: text", under journald with an sd-daemon(3) prefix */
	LOG_SINK_SYSLOG  /* facility daemon, with pid */
};

/*
 * log_connect: connect to syslog under the program's name IDENT, borrowed for the life of the
 * process; a connection that is there is made anew. A chroot may follow. syslog(3) is connected
 * likewise, for the query log. Nothing is written there before log_open.
 */
void log_connect(const char *ident);

/* log_open: write lines to SINK from now on; to LOG_SINK_SYSLOG after log_connect. */
void log_open(enum log_sink sink);

/* log_lost: how many lines were lost, as nobody read them, that no line has told of yet. */
MUST_USE uint64_t log_lost(void);

/* Who hears what a thread logs. */
struct log_ear {
	/* Called for each line; TEXT, what is behind the category, is borrowed. */
	void (*hear)(void *arg, enum log_level level, enum log_category category, const char *text);
	void *arg; /* borrowed */
};

/*
 * log_listen: from now on EAR, borrowed, hears every line of the levels error to info that the
 * calling thread logs, whether it is written or not. NULL: nobody does. Returns who did before.
 */
const struct log_ear *log_listen(const struct log_ear *ear);

/* log_category_name: the name of CATEGORY: "config", ... */
MUST_USE const char *log_category_name(enum log_category category);

/* log_level_name: the name of LEVEL in the configuration: "error", "warn", ... */
MUST_USE const char *log_level_name(enum log_level level);

/* log_set_level: drop lines about anything that are less important than LEVEL from now on. */
void log_set_level(enum log_level level);

/* log_set_category: drop lines about CATEGORY that are less important than LEVEL from now on. */
void log_set_category(enum log_category category, enum log_level level);

/* log_level_of: the level that was set for CATEGORY. */
MUST_USE enum log_level log_level_of(enum log_category category);

/* The least important level that is written, -1 if none is. For log_enabled only. */
extern _Atomic int log_threshold[LOG_CATEGORIES + 1];

/*
 * log_enabled: would a line about CATEGORY of LEVEL be written? It costs a load and a branch: use
 * it where lines are frequent or costly to make.
 */
MUST_USE static inline bool
log_enabled(enum log_category category, enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_threshold[category], memory_order_relaxed);
}

/* log_debugs: would a line about CATEGORY of level debug be written? Usually not. */
MUST_USE static inline bool
log_debugs(enum log_category category)
{
	return UNLIKELY(log_enabled(category, LOG_LEVEL_DEBUG));
}

/* log_error: write a line about CATEGORY of level error. FMT: the text, without a newline. */
PRINTF_LIKE(2, 3) void log_error(enum log_category category, const char *fmt, ...);

/* log_warn: the same, of level warning. */
PRINTF_LIKE(2, 3) void log_warn(enum log_category category, const char *fmt, ...);

/* log_notice: the same, of level notice. */
PRINTF_LIKE(2, 3) void log_notice(enum log_category category, const char *fmt, ...);

/*
 * log_seldom: write a line of LEVEL that others may cause as often as they like. In a minute at
 * most LOG_SELDOM of these are written for each category; the next one tells how many were held
 * back.
 */
PRINTF_LIKE(3, 4)
void log_seldom(enum log_level level, enum log_category category, const char *fmt, ...);

#define LOG_SELDOM 10

/* log_info: the same, of level info. */
PRINTF_LIKE(2, 3) void log_info(enum log_category category, const char *fmt, ...);

/* log_debug: the same, of level debug, the only one for messages about a single packet. */
PRINTF_LIKE(2, 3) void log_debug(enum log_category category, const char *fmt, ...);

#endif
