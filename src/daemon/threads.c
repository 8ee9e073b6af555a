/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/threads.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/settings.h"
#include "daemon/privileges.h"

static void
free_loops(struct threads *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		loop_free(t->thread[i].loop);
	free(t->thread);
}

static int
new_loops(
    struct threads *t, struct snapshot *snapshot, struct bind_sockets *sockets, size_t per_loop)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct loop *l = loop_new(snapshot, &sockets[i * per_loop], per_loop);

		if (l == NULL) {
			int rc = errno != 0 ? -errno : -ENOMEM;

			for (size_t j = (i + 1) * per_loop; j < t->n * per_loop; j++)
				bind_close(&sockets[j]);
			free_loops(t, i);
			return rc;
		}
		t->thread[i] = (struct thread){ .all = t, .loop = l, .number = i };
	}
	return 0;
}

int
threads_init(struct threads *t, unsigned n, struct snapshot *snapshot, struct bind_sockets *sockets,
    size_t per_loop)
{
	int rc;

	*t = (struct threads){ .n = n, .ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	t->thread = calloc(n, sizeof(*t->thread));
	if (t->ended_fd < 0 || t->thread == NULL || sem_init(&t->started, 0, 0) != 0) {
		rc = -errno;
		for (size_t i = 0; i < n * per_loop; i++)
			bind_close(&sockets[i]);
		free(t->thread);
	} else {
		rc = new_loops(t, snapshot, sockets, per_loop);
	}
	if (rc != 0 && t->ended_fd >= 0)
		close(t->ended_fd);
	return rc;
}

/* Tell the main thread that a loop has ended, for whatever reason. */
static void
ended(struct thread *self)
{
	uint64_t one = 1;

	atomic_store(&self->ended, true);
	/* Fails only when the counter is at its end, and then it is readable anyway. */
	if (write(self->all->ended_fd, &one, sizeof(one)) < 0)
		return;
}

/* Set name, CPU, capabilities and limits of the calling thread. Returns 0 or -errno. */
static int
prepare(const struct thread *self)
{
	char name[16];
	cpu_set_t set;
	int rc;

	snprintf(name, sizeof(name), "dns64d/%u", self->number);
	(void)pthread_setname_np(pthread_self(), name);
	if (self->pinned) {
		CPU_ZERO(&set);
		CPU_SET(self->cpu, &set);
		rc = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
		if (rc != 0)
			return -rc;
	}
	rc = privileges_thread();
	return rc != 0 ? rc : sandbox_loop(self->all->sandbox);
}

static void *
thread_main(void *arg)
{
	struct thread *self = arg;
	struct threads *t = self->all;

	self->rc = prepare(self);
	bool ok = self->rc == 0;
	sem_post(&t->started);
	if (ok)
		loop_run(self->loop);
	ended(self);
	return NULL;
}

int
threads_start(struct threads *t, const struct cpus_plan *plan, const struct sandbox *sb)
{
	int rc = 0;
	unsigned n = 0;

	t->sandbox = sb;
	for (; n < t->n && rc == 0; n++) {
		struct thread *th = &t->thread[n];

		th->pinned = plan->pinned;
		th->cpu = plan->pinned ? cpus_of_loop(plan, n) : 0;
		rc = -pthread_create(&th->id, NULL, thread_main, th);
		th->running = rc == 0;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!t->thread[i].running)
			continue;
		while (sem_wait(&t->started) != 0 && errno == EINTR)
			continue;
	}
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = t->thread[i].rc;
	return rc;
}

void
threads_stop(struct threads *t, uint32_t grace_ms)
{
	for (unsigned i = 0; i < t->n; i++)
		loop_stop(t->thread[i].loop, grace_ms);
}

const char *
threads_text(uint64_t set, char text[static THREADS_TEXT])
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < SETTINGS_LOOPS; i++) {
		if (set >> i & 1 && len < THREADS_TEXT)
			len += (size_t)snprintf(
			    text + len, THREADS_TEXT - len, "%sdns64d/%u", len > 0 ? ", " : "", i);
	}
	return text;
}

/* The loops of T for which IS is true. */
static uint64_t
those(const struct threads *t, bool (*is)(const struct thread *th))
{
	uint64_t set = 0;

	_Static_assert(SETTINGS_LOOPS <= 64, "they are in a set");
	for (unsigned i = 0; i < t->n; i++)
		set |= (uint64_t)is(&t->thread[i]) << i;
	return set;
}

static bool
has_ended(const struct thread *th)
{
	return atomic_load(&th->ended);
}

static bool
is_running(const struct thread *th)
{
	return !has_ended(th);
}

static bool
is_pending(const struct thread *th)
{
	return loop_pending(th->loop);
}

static bool
is_leaving(const struct thread *th)
{
	return loop_leaving(th->loop) > 0;
}

uint64_t
threads_ended(const struct threads *t)
{
	return those(t, has_ended);
}

uint64_t
threads_running(const struct threads *t)
{
	return those(t, is_running);
}

uint64_t
threads_pending(const struct threads *t)
{
	return those(t, is_pending);
}

unsigned
threads_unserved(const struct threads *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n; i++)
		n += loop_unserved(t->thread[i].loop);
	return n;
}

uint64_t
threads_leaving(const struct threads *t)
{
	return those(t, is_leaving);
}

void
threads_ping(struct threads *t)
{
	for (unsigned i = 0; i < t->n; i++)
		loop_ping(t->thread[i].loop);
}

bool
threads_alive(const struct threads *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (!loop_alive(t->thread[i].loop))
			return false;
	}
	return true;
}

void
threads_stats(const struct threads *t, struct stats_row rows[static STATS_N])
{
	const struct stats *all[SETTINGS_LOOPS + 1];

	for (unsigned i = 0; i < t->n; i++)
		all[i] = loop_stats(t->thread[i].loop);
	all[t->n] = t->log_stats;
	stats_sum(all, t->n + (t->log_stats != NULL), rows);
}

void
threads_reasons(const struct threads *t, struct stats_reason rows[static REASON_N])
{
	const struct stats *all[SETTINGS_LOOPS];

	for (unsigned i = 0; i < t->n; i++)
		all[i] = loop_stats(t->thread[i].loop);
	stats_sum_reasons(all, t->n, rows);
}

/* How many loops have not told yet what they were asked for. */
static unsigned
n_without_status(const struct threads *t)
{
	unsigned n_missing = 0;
	size_t n;

	for (unsigned i = 0; i < t->n; i++)
		n_missing += loop_upstreams(t->thread[i].loop, &n) == NULL;
	return n_missing;
}

size_t
threads_upstreams(struct threads *t, struct upstream_status out[static UPSTREAM_MAX],
    unsigned wait_ms, unsigned *n_missing)
{
	uint64_t end_ns = clock_now_ns() + wait_ms * NS_PER_MS;
	size_t n_all = 0;

	for (unsigned i = 0; i < t->n; i++)
		loop_ask_status(t->thread[i].loop);
	while (n_without_status(t) > 0 && clock_now_ns() < end_ns)
		(void)poll(NULL, 0, 1);
	*n_missing = 0;
	for (unsigned i = 0; i < t->n; i++) {
		size_t n;
		const struct upstream_status *v = loop_upstreams(t->thread[i].loop, &n);

		if (v != NULL)
			upstream_status_merge(out, &n_all, v, n);
		else
			(*n_missing)++;
	}
	return n_all;
}

void
threads_fini(struct threads *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (t->thread[i].running)
			pthread_join(t->thread[i].id, NULL);
	}
	free_loops(t, t->n);
	sem_destroy(&t->started);
	close(t->ended_fd);
}
