/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "base/clock.h"
#include "base/rng.h"
#include "core/wheel.h"
#include "engine/engine.h"
#include "engine/querylog_tap.h"
#include "io/evbase.h"
#include "io/fd_event.h"
#include "io/shell.h"

#define BEAT_NS (100 * NS_PER_MS) /* how often idle connections and the like are looked for */
#define READS 4 /* batches of a UDP socket that is full, before what they lead to is sent */

/* The end of a loop. */
struct loop_stopping {
	bool begun; /* no new work is taken */
	bool done;
	uint64_t seen;   /* value of stop that was last acted on */
	uint64_t end_ns; /* when stopping: end of the grace */
};

/* Deadlines of the engine. */
struct loop_ticks {
	struct event event; /* runs only while the engine waits for a deadline, or an answer to be
			      sent again */
	bool on;
	bool more;       /* the last tick was not enough: another one in the next iteration */
	uint64_t due_ns; /* when the next tick is due */
};

/* What the main thread asks a loop, and the answer: the loop's while it is wanted, else its own. */
struct loop_status {
	atomic_bool wanted;
	uint64_t asked_ns; /* when wanted was set; the main thread's */
	struct upstream_status upstreams[CONF_MAX_UPSTREAMS];
	size_t n_upstreams;
	struct loop_open open;
};

struct loop {
	/* The main thread writes to these; they have a cache line of their own. */
	_Alignas(64) _Atomic(struct loop_update *) mail;
	atomic_uint n_posted;
	atomic_uint n_taken;
	atomic_bool alive;
	atomic_bool lameduck;
	_Atomic(const char *) unready; /* why; NULL: it is ready */
	struct explain_slot explaining;
	struct survey_box survey;
	_Atomic uint64_t stop; /* grace in ms in the low 32 bits, calls above */

	/* Only the loop's thread uses these. */
	_Alignas(64) int wake_fd; /* eventfd */
	struct event_base *base;
	struct snapshot *snapshot; /* one reference */
	struct engine *engine;
	struct fd_event wake;
	struct list woken;
	struct loop_ticks ticks;
	struct event beat; /* runs only while something needs it */
	struct event age;  /* runs only while sockets towards upstreams can become too old */
	bool beating;
	bool aging;
	struct loop_stopping stopping;
	unsigned n_reads;                 /* iterations that have read since the last flush */
	uint64_t beat_ns;                 /* when the next beat is due */
	uint64_t age_ns;                  /* when the next search for old sockets is due */
	struct querylog_tap querylog_tap; /* read by the query log's thread */
	struct dnstap_tap dnstap_tap;     /* read by dnstap's thread */
	struct loop_status status;        /* the main thread's, too */
	struct shell sh;
};

/* --- Life ------------------------------------------------------------------------------------- */

/* Free U, which no loop has taken, with all it brings. U may be NULL. */
static void
loop_update_free(struct loop_update *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n_added; i++)
		bind_close(&u->added[i]);
	snapshot_unref(u->snapshot);
	free(u);
}

/* A timer only ends the wait of libevent; loop_turn reads the clock and does the work. */
static void
timer_cb(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

/* Set up everything that can fail except the listeners. Returns 0 or -errno. */
static int
loop_init(struct loop *l, struct snapshot *snapshot)
{
	uint64_t now_ns = clock_now_ns();
	struct rng rng;

	l->snapshot = snapshot_ref(snapshot);
	l->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (l->wake_fd < 0)
		return -errno;
	l->base = evbase_new();
	if (l->base == NULL)
		return -ENOMEM;
	l->sh.logonce = snapshot->conf.core.logonce;
	l->engine = engine_new(&snapshot->conf.core, NULL, now_ns);
	if (l->engine == NULL)
		return -errno;
	if (!querylog_tap_init(&l->querylog_tap, engine_stats(l->engine)))
		return -ENOMEM;
	rng_init(&rng);
	if (!dnstap_tap_init(&l->dnstap_tap, engine_stats(l->engine), rng_u64(&rng)))
		return -ENOMEM;
	engine_set_taps(l->engine, &l->querylog_tap, &l->dnstap_tap);
	list_init(&l->woken);
	fd_event_open(&l->wake, l->base, l->wake_fd, EV_READ, &l->woken);
	(void)event_assign(&l->ticks.event, l->base, -1, EV_PERSIST, timer_cb, NULL);
	(void)event_assign(&l->beat, l->base, -1, EV_PERSIST, timer_cb, NULL);
	(void)event_assign(&l->age, l->base, -1, EV_PERSIST, timer_cb, NULL);
	if (fd_event_on(&l->wake) < 0)
		return -ENOMEM;
	return shell_init(&l->sh, l->base, l->engine, &snapshot->conf.io, now_ns);
}

struct loop *
loop_new(struct snapshot *snapshot, const struct bind_sockets *listens, size_t n)
{
	struct loop *l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64);
	int r = -ENOMEM;
	size_t i = 0;

	if (l != NULL) {
		memset(l, 0, sizeof(*l));
		l->wake_fd = -1;
		atomic_init(&l->alive, true);
		r = loop_init(l, snapshot);
	}
	while (r == 0 && i < n) {
		if (!listener_add(&l->sh, &listens[i++]))
			r = -ENOMEM;
	}
	if (r == 0)
		return l;
	for (; i < n; i++) {
		struct bind_sockets unserved = listens[i];

		bind_close(&unserved);
	}
	loop_free(l);
	errno = -r;
	return NULL;
}

void
loop_free(struct loop *l)
{
	if (l == NULL)
		return;
	loop_update_free(atomic_exchange(&l->mail, NULL));
	fd_event_close(&l->wake);
	if (l->ticks.on)
		(void)event_del(&l->ticks.event);
	if (l->beating)
		(void)event_del(&l->beat);
	if (l->aging)
		(void)event_del(&l->age);
	shell_fini(&l->sh);
	engine_free(l->engine);
	explain_slot_fini(&l->explaining);
	survey_fini(&l->survey);
	querylog_tap_fini(&l->querylog_tap);
	dnstap_tap_fini(&l->dnstap_tap);
	if (l->base != NULL)
		event_base_free(l->base);
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	snapshot_unref(l->snapshot);
	free(l);
}

/* --- The main thread -------------------------------------------------------------------------- */

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

void
loop_set_unready(struct loop *l, const char *why)
{
	atomic_store_explicit(&l->unready, why, memory_order_relaxed);
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
loop_ask_status(struct loop *l)
{
	/* Who asks again before there is an answer does not make the loop any younger. */
	if (!atomic_exchange(&l->status.wanted, true))
		l->status.asked_ns = clock_now_ns();
	loop_wake(l);
}

uint64_t
loop_silent_ns(const struct loop *l, uint64_t now_ns)
{
	return atomic_load(&l->status.wanted) && now_ns > l->status.asked_ns
	    ? now_ns - l->status.asked_ns
	    : 0;
}

const struct upstream_status *
loop_upstreams(const struct loop *l, size_t *n)
{
	if (atomic_load(&l->status.wanted))
		return NULL;
	*n = l->status.n_upstreams;
	return l->status.upstreams;
}

const struct loop_open *
loop_open(const struct loop *l)
{
	return atomic_load(&l->status.wanted) ? NULL : &l->status.open;
}

/* --- The mailbox ------------------------------------------------------------------------------ */

/* Copy what the main thread wants to know. */
static void
loop_tell(struct loop *l)
{
	const struct shell *sh = &l->sh;

	l->status.n_upstreams = engine_upstreams(sh->engine, l->status.upstreams);
	for (size_t i = 0; i < l->status.n_upstreams; i++)
		l->status.upstreams[i].connections =
		    upstream_tcp_to(sh, &l->status.upstreams[i].addr);
	l->status.open = (struct loop_open){ .queries = engine_in_flight(sh->engine),
		.clients = sh->sessions.n,
		.upstreams = sh->upstream_tcp.n_open,
		.waited = *engine_latency(sh->engine) };
	atomic_store(&l->status.wanted, false);
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
	if (l->snapshot->conf.core.policies->ignores)
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

/*
 * Read the mailbox: an update, a ping, a question for the status of upstreams or to be explained, a
 * survey, whether it is a lame duck, an order to stop.
 */
static void
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
	if (atomic_load(&l->status.wanted))
		loop_tell(l);
	explain_slot_take(&l->explaining, &l->sh, l->stopping.begun);
	if (survey_work(&l->survey, l->engine, l->sh.now_ns))
		loop_wake(l); /* another slice in the next turn */
	stop = atomic_load(&l->stop);
	if (stop != l->stopping.seen)
		loop_begin_stop(l, stop);
}

/* --- An iteration ----------------------------------------------------------------------------- */

/* Does the loop stop, and has it finished or run out of time? */
static bool
loop_is_done(const struct loop *l)
{
	const struct shell *sh = &l->sh;

	if (!l->stopping.begun)
		return false;
	if (sh->now_ns >= l->stopping.end_ns)
		return true;
	return listener_stopped(sh) && sh->sessions.n == 0 && engine_in_flight(sh->engine) == 0 &&
	    !udp_tx_waits(&sh->tx);
}

/* Tell the engine the time, once per WHEEL_TICK_NS, or in each iteration while it is behind. */
static void
loop_tick(struct loop *l)
{
	struct shell *sh = &l->sh;

	if (!l->ticks.more && sh->now_ns < l->ticks.due_ns)
		return;
	l->ticks.more = engine_tick(sh->engine, sh->now_ns);
	(void)shell_drain(sh);
	l->ticks.due_ns = sh->now_ns + WHEEL_TICK_NS;
	sh->again |= l->ticks.more;
}

static void
loop_beat(struct loop *l)
{
	struct shell *sh = &l->sh;

	if (!l->beating || sh->now_ns < l->beat_ns)
		return;
	l->beat_ns = sh->now_ns + BEAT_NS;
	if (session_beat(sh)) {
		l->beat_ns = sh->now_ns; /* the rest in the next iteration */
		sh->again = true;
	}
	listener_beat(sh);
	upstream_udp_beat(sh);
	upstream_tcp_beat(sh);
}

static void
loop_age(struct loop *l)
{
	struct shell *sh = &l->sh;

	if (!l->aging || sh->now_ns < l->age_ns)
		return;
	l->age_ns = sh->now_ns + UPSTREAM_UDP_EXPIRE_NS;
	upstream_udp_expire(sh);
}

/* Start or stop TIMER as WANT says. Returns whether it runs now. */
static bool
timer_set(struct event *timer, uint64_t every_ns, bool is_on, bool want)
{
	struct timeval tv = { .tv_sec = (time_t)(every_ns / NS_PER_SEC),
		.tv_usec = (suseconds_t)(every_ns % NS_PER_SEC / 1000) };

	if (want == is_on)
		return is_on;
	if (!want) {
		(void)event_del(timer);
		return false;
	}
	return event_add(timer, &tv) == 0;
}

static bool
needs_beat(const struct loop *l)
{
	const struct shell *sh = &l->sh;

	return l->stopping.begun || sh->sessions.n > 0 || sh->upstream_tcp.n_open > 0 ||
	    listener_needs_beat(sh) || upstream_udp_needs_beat(sh);
}

/* Start the timers that are needed and stop the others. */
static void
loop_timers(struct loop *l)
{
	struct shell *sh = &l->sh;
	bool beating = l->beating, aging = l->aging;

	l->ticks.on = timer_set(&l->ticks.event, WHEEL_TICK_NS, l->ticks.on,
	    engine_busy(sh->engine) || udp_tx_waits(&sh->tx));
	l->beating = timer_set(&l->beat, BEAT_NS, l->beating, needs_beat(l));
	l->aging = timer_set(&l->age, UPSTREAM_UDP_EXPIRE_NS, l->aging, upstream_udp_is_awake(sh));
	if (l->beating && !beating)
		l->beat_ns = sh->now_ns + BEAT_NS;
	if (l->aging && !aging)
		l->age_ns = sh->now_ns + UPSTREAM_UDP_EXPIRE_NS;
}

/*
 * What is ready is read and handed to the engine. Returns whether this turn reads more: a socket
 * has more than one batch, and the more datagrams leave at once, the less does each of them cost.
 */
static bool
loop_read(struct loop *l)
{
	struct shell *sh = &l->sh;

	sh->now_ns = clock_now_ns();
	sh->again = false;
	sh->full = false;
	/* Each of the following may repeat open questions, which need young sockets; shell_input
	 * sees to that for new questions. */
	if (UNLIKELY(sh->now_ns >= sh->upstream_udp.renew_ns) && engine_busy(sh->engine))
		upstream_udp_renew(sh);
	if (engine_work(sh->engine, sh->now_ns))
		(void)shell_drain(sh);
	upstream_udp_turn(sh);
	upstream_tcp_turn(sh);
	loop_tick(l);
	loop_mail(l);
	session_turn(sh);
	listener_turn(sh);
	l->n_reads = sh->full ? (l->n_reads + 1) % READS : 0;
	return l->n_reads > 0;
}

/* One iteration, after libevent has marked what is ready. */
static void
loop_turn(struct loop *l)
{
	struct shell *sh = &l->sh;

	/* No mail: nobody but the next question wants to know. */
	engine_set_unready(l->engine, atomic_load_explicit(&l->unready, memory_order_relaxed));
	if (loop_read(l)) {
		sh->again = true;
		return;
	}
	shell_flush(sh);
	/* The flush has closed connections that ended, which makes room for new ones. */
	listener_admit(sh);
	loop_beat(l);
	loop_age(l);
	explain_slot_look(&l->explaining);
	sh->again |= engine_has_work(sh->engine);
	l->stopping.done = loop_is_done(l);
	loop_timers(l);
	if (UNLIKELY(gather_is_due(&sh->gather, sh->now_ns)))
		gather_look(
		    &sh->gather, sh->now_ns, sh->conf->batch_delay, engine_fastest_ns(sh->engine));
}

/*
 * Under load sleep until the next turn is due (io/gather). Whatever else the loop has to do, be it
 * mail or a deadline, waits for no longer than that: a millisecond at most.
 */
static void
loop_gather(struct loop *l)
{
	struct shell *sh = &l->sh;
	uint64_t until_ns = gather_until(&sh->gather, sh->now_ns, engine_in_flight(sh->engine));
	struct timespec t = { .tv_sec = 0 };
	uint64_t now_ns;

	if (until_ns == sh->now_ns || sh->again)
		return;
	now_ns = clock_now_ns();
	if (now_ns >= until_ns)
		return;
	t.tv_nsec = (long)(until_ns - now_ns);
	(void)nanosleep(&t, NULL);
	stats_inc(&sh->stats->gathered_turns);
}

void
loop_run(struct loop *l)
{
	l->sh.now_ns = clock_now_ns();
	upstream_udp_sync(&l->sh);
	loop_timers(l);
	while (!l->stopping.done) {
		loop_gather(l);
		/* Always EVLOOP_ONCE: callbacks only mark what is ready, loop_turn handles it. */
		(void)event_base_loop(l->base, EVLOOP_ONCE | (l->sh.again ? EVLOOP_NONBLOCK : 0));
		loop_turn(l);
	}
}
