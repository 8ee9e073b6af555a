/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_KEYWORD_LOGS_H
#define DNS64D_CONFIG_KEYWORD_LOGS_H

/*
 * keyword_logs: the rows of the table of keywords about what others are told: the log, the query
 * log, dnstap. Only config/keywords.c includes this file.
 */

#include "config/keyword_row.h"
#include "config/loglevel.h"
#include "config/set.h"
#include "config/set_dnstap.h"
#include "config/set_querylog.h"

/* clang-format off */
#define KEYWORD_LOG_ROWS \
	{ .name = "log", \
	    CHOICE("auto|syslog|stderr"), \
	    AT_START(log), \
	    .fallback = "auto", \
	    .help = "where messages go; auto: stderr in the foreground, else syslog" }, \
	{ .name = "log-level", \
	    .args = "[" LOGLEVEL_CATEGORIES "] " LOGLEVEL_LEVELS, \
	    .parse = loglevel_set, \
	    FIELD_WORDS(log_levels, 2), \
	    .repeatable = true, \
	    .fallback = "notice", \
	    .help = "least important messages that are written, in all or about one thing" }, \
	{ .name = "query-log", \
	    PATH("none|syslog|stderr|FILE", "none"), \
	    FIELD(query_log), \
	    .help = "where a line for each answer goes" }, \
	{ .name = "query-log-format", \
	    CHOICE("text|json"), \
	    FIELD(query_log_format), \
	    .fallback = "text", \
	    .help = "words for people, or a JSON object" }, \
	{ .name = "query-log-mode", \
	    .args = "MODE", \
	    .parse = set_query_log_mode, \
	    FIELD(query_log_mode), \
	    .fallback = "0640", \
	    .help = "permissions of the file, octal, when it is made" }, \
	{ .name = "query-log-select", \
	    .args = "all|synthesized|failed|denied|slow MS...", \
	    .parse = set_query_log_select, \
	    FIELD_WORDS(conf.core.tap.select, 5), \
	    .fallback = "all", \
	    .help = "for which answers; slow: those that took so many milliseconds" }, \
	{ .name = "query-log-sample", \
	    NUMBER(1, 1000000), \
	    FIELD(conf.core.tap.sample), \
	    .fallback = "1", \
	    .help = "for one in N of these" }, \
	{ .name = "dnstap-socket", \
	    .args = "none|PATH", \
	    .parse = set_dnstap_socket, \
	    FIELD(dnstap_socket), \
	    .fallback = "none", \
	    .help = "who reads copies of messages, by dnstap" }, \
	{ .name = "dnstap-messages", \
	    .args = "all|client-query|client-response|forwarder-query|forwarder-response...", \
	    .parse = set_dnstap_messages, \
	    FIELD_WORDS(conf.core.capture.types, 4), \
	    .fallback = "all", \
	    .help = "which messages: to and from clients, to and from upstreams" }, \
	{ .name = "dnstap-sample", \
	    NUMBER(1, 1000000), \
	    FIELD(conf.core.capture.sample), \
	    .fallback = "1", \
	    .help = "one in N questions, each with its response" }, \
	{ .name = "dnstap-identity", \
	    .args = "hostname|none|TEXT...", \
	    .parse = set_short_text, \
	    FIELD_WORDS(dnstap_identity, KEYWORD_ANY), \
	    .fallback = "hostname", \
	    .help = "the server's name there" }, \
	{ .name = "dnstap-version", \
	    .args = "auto|none|TEXT...", \
	    .parse = set_short_text, \
	    FIELD_WORDS(dnstap_version, KEYWORD_ANY), \
	    .fallback = "auto", \
	    .help = "its version there; auto: dns64d and its number" }
/* clang-format on */

#endif
