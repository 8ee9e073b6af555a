/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/server.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "fakedns/tcp.h"
#include "fakedns/udp.h"
#include "fakedns/worker.h"

#define EVENTS 64     /* taken from epoll at once */
#define REOPEN_MS 10  /* until the next try to open addresses that others took */
#define PORT_TRIES 16 /* ports that the kernel may choose */

struct fake_server {
	struct fake_settings s;
	pthread_t threads[FAKE_THREADS_MAX];
	unsigned n_running;
	struct fake_worker *workers[FAKE_THREADS_MAX];
};

static void
answer_late(struct fake_worker *w)
{
	uint64_t now_ms = clock_now_ns() / NS_PER_MS;
	struct fake_delayed *d;

	while ((d = fake_ring_due(w->ring, now_ms)) != NULL) {
		if (d->connection == 0)
			fake_udp_late(w, d);
		else
			fake_tcp_late(w, d, now_ms);
	}
	fake_udp_flush(w);
}

/* False: the thread is to end. */
static bool
handle(struct fake_worker *w, uint64_t what)
{
	uint32_t index = (uint32_t)(what & UINT32_MAX);

	switch ((enum fake_event)(what >> 32)) {
	case FAKE_EVENT_WAKE:
		return false;
	case FAKE_EVENT_UDP:
		fake_udp_read(w, index);
		break;
	case FAKE_EVENT_LISTENER:
		fake_tcp_accept(w, w->tcp_fd[index]);
		break;
	case FAKE_EVENT_CONNECTION:
		fake_tcp_run(w, index);
		break;
	}
	return true;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

static void
close_addresses(struct fake_worker *w)
{
	for (size_t i = 0; i < FAKE_LISTEN_MAX; i++) {
		close_fd(w->udp_fd[i]);
		close_fd(w->tcp_fd[i]);
		w->udp_fd[i] = w->tcp_fd[i] = -1;
	}
}

static int
open_udp(struct fake_worker *w, uint32_t i)
{
	int fd = fake_udp_open(&w->s->listen[i], w->s, true);

	if (fd < 0)
		return fd;
	w->udp_fd[i] = fd;
	return fake_worker_watch(w, fd, EPOLLIN, FAKE_EVENT_UDP, i);
}

static int
open_tcp(struct fake_worker *w, uint32_t i)
{
	int fd = fake_tcp_open(&w->s->listen[i]);

	if (fd < 0)
		return fd;
	w->tcp_fd[i] = fd;
	return fake_worker_watch(w, fd, EPOLLIN, FAKE_EVENT_LISTENER, i);
}

/* All of them after an outage, or none. */
static bool
reopen_addresses(struct fake_worker *w)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < w->s->n_listen; i++) {
		err = open_udp(w, i);
		if (err == 0)
			err = open_tcp(w, i);
	}
	if (err != 0)
		close_addresses(w);
	return err == 0;
}

/* The sockets are closed for the time of an outage, so that the kernel refuses. */
static void
follow_outage(struct fake_worker *w)
{
	uint64_t left_ns;
	bool down = fake_pattern_is_down(&w->s->pattern, &w->past, clock_now_ns(), &left_ns);

	if (down && !w->closed) {
		fake_tcp_close_all(w, true);
		close_addresses(w);
		w->closed = true;
	} else if (!down && w->closed) {
		w->closed = !reopen_addresses(w);
	}
}

/* How long to wait for events, for epoll_wait(2). */
static int
patience_ms(const struct fake_worker *w)
{
	const struct fake_pattern *p = &w->s->pattern;
	uint64_t left_ns = 0;

	if (w->ring != NULL && w->ring->n > 0)
		return 1;
	if (!p->refuse)
		return -1;
	if (!fake_pattern_is_down(p, &w->past, clock_now_ns(), &left_ns) && w->closed)
		return REOPEN_MS;
	return (int)(left_ns / NS_PER_MS) + 1;
}

static void *
run(void *arg)
{
	struct fake_worker *w = arg;
	struct epoll_event events[EVENTS];

	for (;;) {
		if (w->s->pattern.refuse)
			follow_outage(w);
		bool waiting = w->ring != NULL && w->ring->n > 0;
		int n = epoll_wait(w->epoll_fd, events, EVENTS, patience_ms(w));

		for (int i = 0; i < n; i++) {
			if (!handle(w, events[i].data.u64))
				return NULL;
		}
		if (waiting)
			answer_late(w);
	}
}

static void
worker_free(struct fake_worker *w)
{
	if (w == NULL)
		return;
	if (w->connections != NULL)
		fake_tcp_close_all(w, false);
	close_addresses(w);
	close_fd(w->wake_fd);
	close_fd(w->epoll_fd);
	fake_ring_free(w->ring);
	fake_past_drop(&w->past);
	free(w->connections);
	free(w->batch);
	free(w);
}

/* A worker without sockets; what could not be allocated is NULL or -1. */
static struct fake_worker *
worker_alloc(const struct fake_settings *s)
{
	struct fake_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->s = s;
	for (size_t i = 0; i < FAKE_LISTEN_MAX; i++)
		w->udp_fd[i] = w->tcp_fd[i] = -1;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->batch = fake_udp_batch_new();
	w->connections = calloc(FAKE_CONNECTIONS, sizeof(struct fake_connection *));
	if (fake_pattern_delays(&s->pattern))
		w->ring = fake_ring_new(FAKE_DELAYED_MAX);
	w->plain = fake_pattern_is_plain(&s->pattern);
	return w;
}

static int
worker_new(const struct fake_settings *s, unsigned index, struct fake_worker **out)
{
	struct fake_worker *w = worker_alloc(s);

	if (w == NULL)
		return -ENOMEM;
	int err = w->epoll_fd < 0 || w->wake_fd < 0 ? -EMFILE : 0;
	bool ring = w->ring != NULL || !fake_pattern_delays(&s->pattern);
	/* Each thread has chances of its own, also from a seed. */
	bool past = fake_past_init(&w->past, &s->pattern, s->seed == 0 ? 0 : s->seed + index);
	if (w->batch == NULL || w->connections == NULL || !ring || !past)
		err = -ENOMEM;
	if (err == 0)
		err = fake_worker_watch(w, w->wake_fd, EPOLLIN, FAKE_EVENT_WAKE, 0);
	if (err != 0)
		worker_free(w);
	else
		*out = w;
	return err;
}

/* The port that the kernel chose for the first address becomes that of all with port 0. */
static int
fill_in_ports(struct fake_settings *s, int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr bound;

	if (getsockname(fd, (struct sockaddr *)&ss, &len) != 0)
		return -errno;
	if (!netaddr_from_sockaddr((struct sockaddr *)&ss, &bound))
		return -EAFNOSUPPORT;
	for (size_t i = 0; i < s->n_listen; i++)
		s->listen[i].port = s->listen[i].port == 0 ? bound.port : s->listen[i].port;
	return 0;
}

static int
open_address(struct fake_server *f, struct fake_worker *w, uint32_t i)
{
	int err = open_udp(w, i);

	if (err == 0)
		err = fill_in_ports(&f->s, w->udp_fd[i]);
	return err == 0 ? open_tcp(w, i) : err;
}

/* With another fakedns on an address each would get a part of the questions: all must be free. */
static int
probe(const struct fake_settings *s, struct netaddr *failed)
{
	for (size_t i = 0; i < s->n_listen; i++) {
		int fd = fake_udp_open(&s->listen[i], s, false);

		*failed = s->listen[i];
		if (fd < 0)
			return fd;
		(void)close(fd);
	}
	return 0;
}

static int
open_all(struct fake_server *f, struct netaddr *failed)
{
	for (unsigned t = 0; t < f->s.n_threads; t++) {
		*failed = (struct netaddr){ .family = NETADDR_NONE };
		int err = worker_new(&f->s, t, &f->workers[t]);
		for (uint32_t i = 0; err == 0 && i < f->s.n_listen; i++) {
			*failed = f->s.listen[i];
			err = open_address(f, f->workers[t], i);
		}
		if (err != 0)
			return err;
	}
	return 0;
}

static int
try_new(const struct fake_settings *s, struct fake_server **out, struct netaddr *failed)
{
	int err = probe(s, failed);

	if (err != 0)
		return err;
	*failed = (struct netaddr){ .family = NETADDR_NONE };
	struct fake_server *f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	f->s = *s;
	err = open_all(f, failed);
	if (err != 0)
		fake_server_free(f);
	else
		*out = f;
	return err;
}

/* The kernel chooses a port that is free for UDP; TCP may have it in use: then try another. */
int
fake_server_new(const struct fake_settings *s, struct fake_server **out, struct netaddr *failed)
{
	bool any_port = false;

	for (size_t i = 0; i < s->n_listen; i++)
		any_port |= s->listen[i].port == 0;
	for (unsigned tries = any_port ? PORT_TRIES : 1; tries > 0; tries--) {
		int err = try_new(s, out, failed);
		if (err != -EADDRINUSE)
			return err;
	}
	return -EADDRINUSE;
}

const struct fake_settings *
fake_server_settings(const struct fake_server *f)
{
	return &f->s;
}

/* The threads block all signals, which are the main thread's. */
int
fake_server_start(struct fake_server *f)
{
	uint64_t now_ns = clock_now_ns(); /* outages come to all threads at once */
	struct fake_counters none;
	sigset_t all, before;
	int err = 0;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < f->s.n_threads; i++)
		f->workers[i]->past.start_ns = now_ns;
	while (err == 0 && f->n_running < f->s.n_threads) {
		struct fake_worker *w = f->workers[f->n_running];

		err = pthread_create(&f->threads[f->n_running], NULL, run, w);
		f->n_running += err == 0;
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err != 0)
		fake_server_stop(f, &none);
	return -err;
}

void
fake_server_stop(struct fake_server *f, struct fake_counters *sum)
{
	*sum = (struct fake_counters){ .questions = 0 };
	for (unsigned i = 0; i < f->n_running; i++)
		(void)eventfd_write(f->workers[i]->wake_fd, 1);
	for (unsigned i = 0; i < f->n_running; i++) {
		const struct fake_counters *c = &f->workers[i]->counters;

		(void)pthread_join(f->threads[i], NULL);
		sum->questions += c->questions;
		sum->answers += c->answers;
		sum->lost += c->lost;
		sum->outage += c->outage;
		sum->held += c->held;
		sum->ended += c->ended;
		sum->twice += c->twice;
		sum->damaged += c->damaged;
		sum->forged += c->forged;
		sum->mute += c->mute;
		sum->malformed += c->malformed;
		sum->unsent += c->unsent;
		if (f->workers[i]->ring != NULL) /* questions that were not due yet */
			sum->unsent += f->workers[i]->ring->n;
	}
	f->n_running = 0;
}

void
fake_server_free(struct fake_server *f)
{
	for (unsigned i = 0; i < f->s.n_threads; i++)
		worker_free(f->workers[i]);
	free(f);
}
