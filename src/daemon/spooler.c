/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/spooler.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/stats.h"
#include "daemon/privileges.h"

#define BUSY_MS 5  /* pause when there was something to write */
#define IDLE_MS 50 /* when there was nothing */

static void
notify(int fd)
{
	uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one)); /* cannot be full */
}

/* --- The thread ------------------------------------------------------------------------------- */

/* Take what is new. Returns whether the thread is to end. */
static bool
take_news(struct spooler *s)
{
	uint64_t n;
	bool ending;

	pthread_mutex_lock(&s->lock);
	ending = s->ending;
	if (s->changed) {
		s->changed = false;
		s->output->use(s->arg);
		/* At the end it stays readable: whoever waits for a reader is not to wait long. */
		if (!ending)
			(void)!read(s->wake_fd, &n, sizeof(n));
	}
	pthread_mutex_unlock(&s->lock);
	return ending;
}

/*
 * Write what SPOOL has now, and no more, as it may fill as fast as it is read. Sets *ANY if it has
 * anything. False: the output takes no more in this round.
 */
static bool
empty(struct spooler *s, struct spool *spool, bool *any)
{
	const void *record;
	bool takes = true;
	size_t len;

	for (size_t done = 0;
	     takes && done < spool->cap && (record = spool_next(spool, &len)) != NULL;
	     done += len) {
		takes = s->output->put(s->arg, record, len);
		spool_drop(spool);
		stats_inc(&s->n_emptied);
		*any = true;
	}
	return takes;
}

/* Empty all spools. Returns whether they had anything. */
static bool
empty_all(struct spooler *s, bool last)
{
	struct timespec now;
	bool any = false;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	s->shift_ns = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec - clock_now_ns();
	if (s->output->begin != NULL)
		s->output->begin(s->arg, last);
	for (unsigned i = 0; i < s->n_spools && empty(s, s->spools[i], &any); i++)
		continue;
	s->output->flush(s->arg);
	return any;
}

static void *
spooler_main(void *arg)
{
	struct spooler *s = arg;
	struct pollfd p = { .fd = s->wake_fd, .events = POLLIN };

	(void)pthread_setname_np(pthread_self(), s->output->thread);
	if (privileges_thread() == 0) {
		while (!take_news(s))
			(void)poll(&p, 1, empty_all(s, false) ? BUSY_MS : IDLE_MS);
		(void)empty_all(s, true);
		s->output->close(s->arg);
	} else {
		log_error(LOG_SERVER, "%s: its thread could not drop capabilities, so it ends",
		    s->output->name);
		/* The main thread may change the settings yet; nothing was written that may wait.
		 */
		pthread_mutex_lock(&s->lock);
		s->output->close(s->arg);
		pthread_mutex_unlock(&s->lock);
	}
	notify(s->ended_fd);
	return NULL;
}

/* --- The main thread -------------------------------------------------------------------------- */

void
spooler_init(struct spooler *s)
{
	memset(s, 0, sizeof(*s));
	s->wake_fd = s->ended_fd = -1;
	(void)pthread_mutex_init(&s->lock, NULL);
}

void
spooler_add(struct spooler *s, struct spool *spool)
{
	s->spools[s->n_spools++] = spool;
}

/* There is no thread, or no more. */
static void
close_events(struct spooler *s)
{
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	if (s->ended_fd >= 0)
		close(s->ended_fd);
	s->wake_fd = s->ended_fd = -1;
	s->running = false;
}

bool
spooler_start(struct spooler *s, const struct spooler_output *output, void *arg)
{
	int rc = 0;

	if (s->running)
		return true;
	s->output = output;
	s->arg = arg;
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->ended_fd = s->wake_fd < 0 ? -1 : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (s->ended_fd < 0)
		rc = errno;
	if (!output->open(arg))
		rc = ENOMEM;
	if (rc == 0)
		rc = pthread_create(&s->id, NULL, spooler_main, s);
	s->running = rc == 0;
	if (rc == 0)
		return true;
	log_error(LOG_SERVER, "%s: no thread for it: %s", output->name, strerror(rc));
	output->close(arg);
	close_events(s);
	return false;
}

void
spooler_change(struct spooler *s)
{
	pthread_mutex_lock(&s->lock);
}

void
spooler_changed(struct spooler *s)
{
	s->changed = true;
	notify(s->wake_fd);
	pthread_mutex_unlock(&s->lock);
}

/* Wait for the end of the thread as long as it empties spools. False: it is stuck. */
static bool
wait_for_end(const struct spooler *s)
{
	struct pollfd p = { .fd = s->ended_fd, .events = POLLIN };
	uint64_t n, before = UINT64_MAX;

	for (unsigned i = 0; i < SPOOLER_END_STEPS; i++, before = n) {
		n = atomic_load(&s->n_emptied);
		if (n == before)
			return false;
		if (poll(&p, 1, SPOOLER_STUCK_MS) > 0)
			return true;
	}
	return false;
}

bool
spooler_end(struct spooler *s)
{
	if (s->running) {
		pthread_mutex_lock(&s->lock);
		s->ending = true;
		notify(s->wake_fd);
		pthread_mutex_unlock(&s->lock);
		if (!wait_for_end(s)) {
			log_error(LOG_SERVER, "%s: its last %s cannot be written; they are lost",
			    s->output->name, s->output->what);
			return false;
		}
		pthread_join(s->id, NULL);
		close_events(s);
	}
	(void)pthread_mutex_destroy(&s->lock);
	return true;
}
