/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_LOGLEVEL_H
#define DNS64D_CONFIG_LOGLEVEL_H

/*
 * loglevel: the keyword log-level: the level of the log, for all of it or for one category.
 */

#include "base/attr.h"
#include "base/log.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/settings.h"

/* The words of the keyword, in the order of the enums in base/log. */
#define LOGLEVEL_LEVELS "error|warn|notice|info|debug"
#define LOGLEVEL_CATEGORIES "config|upstream|client|cache|dns64|control|stats|server"

/* loglevel_set: parse a level, or a category and its level, as the functions of config/set.h do. */
keyword_parse loglevel_set;

/* loglevel_end: S has been read: without a level for all of the log, that is notice. */
void loglevel_end(struct settings *s);

/* loglevel_of: the level of CATEGORY by S. */
MUST_USE enum log_level loglevel_of(const struct settings *s, enum log_category category);

/*
 * loglevel_override: have the level ALL for all of the log (-1: that of S), and each level N steps
 * lower or higher, as the command line says. K is the keyword.
 */
void loglevel_override(struct settings *s, const struct keyword *k, int all, int n);

/* loglevel_use: log by the levels of S from now on. */
void loglevel_use(const struct settings *s);

/*
 * loglevel_change: log by the levels of NEXT from now on, and log which levels were not those of
 * NOW any more, as they were changed meanwhile.
 */
void loglevel_change(const struct settings *now, const struct settings *next);

#endif
