/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LOOP_H
#define DNS64D_IO_LOOP_H

/*
 * loop: the event loop of one thread, one for each core: a libevent base, an engine, the sockets
 * towards clients and upstreams, and the batches between them.
 *
 * In one iteration libevent marks what is ready, and loop_turn then handles upstream replies,
 * timeouts, the mailbox, clients (one batch per listener at most) and sends. The clock is read once
 * per iteration.
 *
 * The main thread calls loop_new, loop_explain, loop_survey, loop_post, loop_pending, loop_ping,
 * loop_alive, loop_lameduck, loop_stop, loop_stats, loop_querylog_spool, loop_dnstap_spool,
 * loop_ask_status, loop_upstreams, loop_silent_ns, loop_open and loop_free; the loop's own thread
 * calls loop_run. The two share only the mailbox, the snapshot and the counters.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/conf.h"
#include "core/latency.h"
#include "core/stats.h"
#include "engine/explain.h"
#include "io/bind.h"
#include "io/explain_job.h"
#include "io/snapshot.h"
#include "io/survey.h"
#include "outbound/upstream_status.h"

/* What a reload brings to one loop. */
struct loop_update {
	struct snapshot *snapshot; /* one reference, passed on */
	size_t n_added;
	struct bind_sockets added[CONF_MAX_LISTENS]; /* for new addresses, passed on */
};

/* What a loop has open. */
struct loop_open {
	uint32_t queries;      /* questions of clients that have no answer yet */
	uint32_t clients;      /* TCP connections of clients */
	uint32_t upstreams;    /* TCP connections to upstreams */
	struct latency waited; /* of the answers that waited for upstream */
};

struct loop;

/*
 * loop_new: create a loop that serves under SNAPSHOT, of which it takes a reference of its own, by
 * the N sockets at LISTENS, which are passed on: on failure they are closed. Returns NULL with
 * errno set if it cannot serve all of them.
 */
MUST_USE struct loop *loop_new(
    struct snapshot *snapshot, const struct bind_sockets *listens, size_t n);

/* loop_run: serve until loop_stop ends it. Called once, in the loop's own thread. */
void loop_run(struct loop *l);

/*
 * loop_post: hand UPDATE, which is from malloc and passed on, to the loop. In its next iteration
 * the loop adds the new sockets, lets listeners leave whose address is no longer configured (see
 * io/listener.h), and continues under the new settings; no question is lost. While loop_pending
 * only an UPDATE may be posted that listens on the same addresses: it takes the place of the one
 * before, and brings the sockets of that too.
 */
void loop_post(struct loop *l, struct loop_update *update);

/* loop_pending: is there an update from loop_post that the loop has not yet taken? */
MUST_USE bool loop_pending(const struct loop *l);

/* loop_unserved: how many addresses the loop cannot serve yet (io/listener). Any thread. */
MUST_USE unsigned loop_unserved(const struct loop *l);

/* loop_leaving: how many addresses that it gave up the loop still has open. Any thread. */
MUST_USE unsigned loop_leaving(const struct loop *l);

/* loop_ping: ask the loop for a sign of life, for the watchdog; loop_alive tells of it. */
void loop_ping(struct loop *l);

/* loop_alive: has the loop begun an iteration since the last loop_ping? True before the first. */
MUST_USE bool loop_alive(const struct loop *l);

/*
 * loop_stop: let the loop take no more questions, finish those in flight for at most GRACE_MS
 * (milliseconds), and return from loop_run. A further call sets a new limit; 0 ends the loop at
 * once. Any thread.
 */
void loop_stop(struct loop *l, uint32_t grace_ms);

/*
 * loop_lameduck: serve on, but have clients end their TCP connections (ON; io/session), or no more.
 * Any thread.
 */
void loop_lameduck(struct loop *l, bool on);

/*
 * loop_set_unready: have health-name get SERVFAIL for this reason, a constant text; NULL: the
 * daemon is ready. The loop reads it in each turn, and is not woken for it. Any thread.
 */
void loop_set_unready(struct loop *l, const char *why);

/*
 * loop_explain: have the loop work on A, of which it has a reference until
 * explain_done(&a->explanation), which is so within some seconds while the loop runs. False: there
 * is one that it has not begun with.
 */
MUST_USE bool loop_explain(struct loop *l, struct explain_job *a);

/*
 * loop_survey: have the loop fill S, of which it has a reference until survey_done; one that it has
 * not begun with is never done.
 */
void loop_survey(struct loop *l, struct survey *s);

/* loop_querylog_spool: the loop's querylog_tap_records, until loop_free; for one thread to read. */
struct spool *loop_querylog_spool(struct loop *l);

/* loop_dnstap_spool: the loop's dnstap_tap_records, likewise. */
struct spool *loop_dnstap_spool(struct loop *l);

/* loop_stats: the loop's counters, borrowed; any thread may read them until loop_free. */
const struct stats *loop_stats(const struct loop *l);

/* loop_ask_status: ask the loop what it knows of its upstreams; loop_upstreams has it later. */
void loop_ask_status(struct loop *l);

/*
 * loop_silent_ns: for how long, at NOW_NS, the loop has not answered loop_ask_status, which each of
 * its turns does; 0: it has.
 */
MUST_USE uint64_t loop_silent_ns(const struct loop *l, uint64_t now_ns);

/* loop_open: what the loop had open when it answered the last loop_ask_status; as loop_upstreams.
 */
MUST_USE const struct loop_open *loop_open(const struct loop *l);

/*
 * loop_upstreams: the answer to the last loop_ask_status: *N of them, borrowed until the next one.
 * NULL: the loop has not answered yet.
 */
MUST_USE const struct upstream_status *loop_upstreams(const struct loop *l, size_t *n);

/*
 * loop_free: close every socket and free the loop, after loop_run has returned or if it was never
 * called. L may be NULL.
 */
void loop_free(struct loop *l);

#endif
