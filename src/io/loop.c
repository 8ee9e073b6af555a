/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <event2/event.h>

#include "base/clock.h"
#include "base/rng.h"
#include "core/wheel.h"
#include "engine/engine.h"
#include "io/evbase.h"
#include "io/fd_event.h"
#include "io/loop_parts.h"
#include "io/shell.h"

#define BEAT_NS (100 * NS_PER_MS) /* how often idle connections and the like are looked for */

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

/* One iteration, after libevent has marked what is ready. */
static void
loop_turn(struct loop *l)
{
	struct shell *sh = &l->sh;

	sh->now_ns = clock_now_ns();
	sh->again = false;
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
	shell_flush(sh);
	/* The flush has closed connections that ended, which makes room for new ones. */
	listener_admit(sh);
	loop_beat(l);
	loop_age(l);
	explain_slot_look(&l->explaining);
	sh->again |= engine_has_work(sh->engine);
	l->stopping.done = loop_is_done(l);
	loop_timers(l);
}

void
loop_run(struct loop *l)
{
	l->sh.now_ns = clock_now_ns();
	upstream_udp_sync(&l->sh);
	loop_timers(l);
	while (!l->stopping.done) {
		/* Always EVLOOP_ONCE: callbacks only mark what is ready, loop_turn handles it. */
		(void)event_base_loop(l->base, EVLOOP_ONCE | (l->sh.again ? EVLOOP_NONBLOCK : 0));
		loop_turn(l);
	}
}
