/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_LOGS_H
#define DNS64D_CONFIG_SET_LOGS_H

/* set_logs: parse values of the query log and of dnstap, as the functions of config/set.h do. */

#include "config/diag.h"
#include "config/keyword.h"
#include "config/settings.h"

#define SET_DNSTAP_PATH 107 /* characters of the longest path of a socket (unix(7)) */

/* set_dnstap_socket: none, or a path, which a build without dnstap does not take. */
keyword_parse set_dnstap_socket;

/* set_dnstap_messages: all, or one or several types of messages. */
keyword_parse set_dnstap_messages;

/* set_query_log_select: all, or one or several of synthesized, failed, denied and "slow MS". */
keyword_parse set_query_log_select;

/* set_query_log_mode: octal permissions: the owner reads and writes, nobody else writes but a
 * group. */
keyword_parse set_query_log_mode;

#endif
