/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_SHOW_H
#define DNS64D_DNS64CTL_SHOW_H

/*
 * show: the daemon's answers as tables for people. What is not in an answer is left out: it may be
 * of another version. Texts come from the daemon, and of names that anybody may ask for: control
 * characters are not printed.
 */

#include <jansson.h>
#include <stdio.h>

/* show_ping: "pong". */
void show_ping(const json_t *j, FILE *out);

/* show_status: what runs, since when, and how it is. */
void show_status(const json_t *j, FILE *out);

/* show_secrets: a line for each secret of cookies, by fingerprint. */
void show_secrets(const json_t *j, FILE *out);

/* show_stop: when it stops, if it is a lame duck first. */
void show_stop(const json_t *j, FILE *out);

/* show_lameduck: "on", for how long, and when it stops, if it was told to; or "off". */
void show_lameduck(const json_t *j, FILE *out);

/* show_denied: a line for each network that is denied, or what was said of a change. */
void show_denied(const json_t *j, FILE *out);

/* show_inflight: a line for each question that waits for upstream. */
void show_inflight(const json_t *j, FILE *out);

/* show_querylog: what the query log has by order, or what was said of a change. */
void show_querylog(const json_t *j, FILE *out);

/* show_stats: the counters that are not zero, with what they count; the cache's. */
void show_stats(const json_t *j, FILE *out);

/*
 * show_rates: how much the counters of NOW are above those of BEFORE, in a second; those that stand
 * still are left out.
 */
void show_rates(const json_t *before, const json_t *now, FILE *out);

/* show_upstreams: each upstream in a few lines. */
void show_upstreams(const json_t *j, FILE *out);

/* show_clients: each policy in a line, and what its block changes. */
void show_clients(const json_t *j, FILE *out);

/*
 * show_config: the configuration that is in force, as a file that says the same, with comments
 * where each line stands.
 */
void show_config(const json_t *j, FILE *out);

/* show_prefixes: the prefixes of each block, a line each: state, answers, where it comes from. */
void show_prefixes(const json_t *j, FILE *out);

/* show_prefix_change: the same as show_messages, then policies that were changed, and that were
 * not. */
void show_prefix_change(const json_t *j, FILE *out);

/* show_messages: what the daemon logged while it did what it was told, a line each. */
void show_messages(const json_t *j, FILE *out);

/* show_cache: what the cache has and counts. */
void show_cache(const json_t *j, FILE *out);

/* show_entries: entries of the cache, a line each. */
void show_entries(const json_t *j, FILE *out);

/* show_flushed: how many entries are gone. */
void show_flushed(const json_t *j, FILE *out);

/* show_levels: the level of each category of the log, and what the configuration says instead. */
void show_levels(const json_t *j, FILE *out);

/* show_done: nothing, as there is nothing to say. */
void show_done(const json_t *j, FILE *out);

/* show_error: the error of an answer J that is one, and what is allowed instead. */
void show_error(const json_t *j, FILE *out);

#endif
