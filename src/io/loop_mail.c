/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "io/loop_parts.h"

/* --- The main thread -------------------------------------------------------------------------- */

void
loop_update_free(struct loop_update *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n_added; i++)
		bind_close(&u->added[i]);
	snapshot_unref(u->snapshot);
	free(u);
}

static void
loop_wake(const struct loop *l)
{
	uint64_t one = 1;

	/* Fails only when the counter is at its end, and then the loop wakes anyway. */
	while (write(l->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
}

void
loop_post(struct loop *l, struct loop_update *update)
{
	struct loop_update *before = atomic_exchange(&l->mail, NULL);

	/* What it brings is still to be served, by addresses that UPDATE has too. */
	for (; before != NULL && before->n_added > 0 && update->n_added < CONF_MAX_LISTENS;
	     before->n_added--)
		update->added[update->n_added++] = before->added[before->n_added - 1];
	loop_update_free(before);
	/* In this order: a loop that looks meanwhile must not count as taken what is not there yet.
	 */
	atomic_store(&l->mail, update);
	atomic_fetch_add(&l->n_posted, 1);
	loop_wake(l);
}

bool
loop_pending(const struct loop *l)
{
	return atomic_load(&l->n_posted) != atomic_load(&l->n_taken);
}

unsigned
loop_unserved(const struct loop *l)
{
	return listener_unserved(&l->sh);
}

unsigned
loop_leaving(const struct loop *l)
{
	return listener_leaving(&l->sh);
}

void
loop_ping(struct loop *l)
{
	atomic_store(&l->alive, false);
	loop_wake(l);
}

bool
loop_alive(const struct loop *l)
{
	return atomic_load(&l->alive);
}

void
loop_stop(struct loop *l, uint32_t grace_ms)
{
	uint64_t old = atomic_load(&l->stop);
	uint64_t calls;

	do
		calls = (old >> 33) + 1;
	while (!atomic_compare_exchange_weak(&l->stop, &old, calls << 33 | grace_ms));
	loop_wake(l);
}

void
loop_lameduck(struct loop *l, bool on)
{
	atomic_store(&l->lameduck, on);
	loop_wake(l);
}

bool
loop_explain(struct loop *l, struct explain_job *a)
{
	if (!explain_slot_post(&l->explaining, a))
		return false;
	loop_wake(l);
	return true;
}

void
loop_survey(struct loop *l, struct survey *s)
{
	survey_post(&l->survey, s);
	loop_wake(l);
}

struct spool *
loop_querylog_spool(struct loop *l)
{
	return &l->querylog_tap.spool;
}

struct spool *
loop_dnstap_spool(struct loop *l)
{
	return &l->dnstap_tap.spool;
}

const struct stats *
loop_stats(const struct loop *l)
{
	return l->sh.stats;
}

void
loop_ask_views(struct loop *l)
{
	/* Who asks again before there is an answer does not make the loop any younger. */
	if (!atomic_exchange(&l->views_wanted, true))
		l->asked_ns = clock_now_ns();
	loop_wake(l);
}

uint64_t
loop_silent_ns(const struct loop *l, uint64_t now_ns)
{
	return atomic_load(&l->views_wanted) && now_ns > l->asked_ns ? now_ns - l->asked_ns : 0;
}

const struct upstream_status *
loop_views(const struct loop *l, size_t *n)
{
	if (atomic_load(&l->views_wanted))
		return NULL;
	*n = l->n_views;
	return l->views;
}

const struct loop_open *
loop_open(const struct loop *l)
{
	return atomic_load(&l->views_wanted) ? NULL : &l->open;
}

/* --- The loop ------------------------------------------------------------------------------- */

/* Copy what the main thread wants to know. */
static void
loop_tell(struct loop *l)
{
	const struct shell *sh = &l->sh;

	l->n_views = engine_views(sh->engine, l->views);
	for (size_t i = 0; i < l->n_views; i++)
		l->views[i].connections = upstream_tcp_to(sh, &l->views[i].addr);
	l->open = (struct loop_open){ .queries = engine_in_flight(sh->engine),
		.clients = sh->sessions.n,
		.upstreams = sh->upstream_tcp.n_open,
		.waited = *engine_latency(sh->engine) };
	atomic_store(&l->views_wanted, false);
}

/* Continue under the snapshot of U. */
static void
loop_take(struct loop *l, struct loop_update *u)
{
	struct shell *sh = &l->sh;
	struct snapshot *old = l->snapshot;

	l->snapshot = u->snapshot;
	u->snapshot = NULL;
	sh->conf = &l->snapshot->conf.io;
	engine_set_conf(sh->engine, &l->snapshot->conf.core, sh->now_ns);
	snapshot_unref(old);
	(void)shell_drain(sh);
	if (l->snapshot->conf.core.policies->common.ignores)
		session_shed(sh);
	for (size_t i = 0; i < u->n_added; i++)
		(void)listener_add(sh, &u->added[i]); /* else it tries again */
	u->n_added = 0;
	listener_keep(sh);
	upstream_udp_sync(sh);
	loop_update_free(u);
}

static void
loop_begin_stop(struct loop *l, uint64_t stop)
{
	l->stopping.seen = stop;
	l->stopping.end_ns = l->sh.now_ns + (stop & UINT32_MAX) * NS_PER_MS;
	if (l->stopping.begun)
		return;
	l->stopping.begun = true;
	listener_stop(&l->sh);
	session_stop(&l->sh);
}

void
loop_mail(struct loop *l)
{
	struct loop_update *u;
	uint64_t n, stop;
	unsigned n_posted;

	if (fd_event_take(&l->woken) == NULL)
		return;
	while (read(l->wake_fd, &n, sizeof(n)) < 0 && errno == EINTR)
		continue;
	atomic_store(&l->alive, true);
	n_posted = atomic_load(&l->n_posted);
	u = atomic_exchange(&l->mail, NULL);
	if (u != NULL && !l->stopping.begun)
		loop_take(l, u);
	else
		loop_update_free(u);
	atomic_store(&l->n_taken, n_posted);
	session_lameduck(&l->sh, atomic_load(&l->lameduck));
	if (atomic_load(&l->views_wanted))
		loop_tell(l);
	explain_slot_take(&l->explaining, &l->sh, l->stopping.begun);
	if (survey_work(&l->survey, l->engine, l->sh.now_ns))
		loop_wake(l); /* another slice in the next turn */
	stop = atomic_load(&l->stop);
	if (stop != l->stopping.seen)
		loop_begin_stop(l, stop);
}
