/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_QUERYLOG_H
#define DNS64D_CONFIG_SET_QUERYLOG_H

/* set_querylog: parse values of the query log, as the functions of config/set.h do. */

#include "config/diag.h"
#include "config/keyword.h"
#include "config/settings.h"

/* set_query_log_select: all, or one or several of synthesized, failed, denied and "slow MS". */
keyword_parse set_query_log_select;

/* set_query_log_mode: octal permissions: the owner reads and writes, nobody else writes but a
 * group. */
keyword_parse set_query_log_mode;

#endif
