/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/querylog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "daemon/precheck.h"
#include "daemon/privileges.h"
#include "daemon/queryline.h"

#define BUFFER ((size_t)64 << 10) /* bytes of lines that are written at a time */
#define BUSY_MS 5                 /* pause when there was something to write */
#define IDLE_MS 50                /* when there was nothing */
#define STUCK_MS 2000 /* at the end: without a line for so long it will not write any more */
#define END_STEPS 5   /* and it has so many times that in all */

/* What the thread works with. */
struct writer {
	struct querylog *q;
	enum querylog_to to;
	bool json;
	int fd;            /* owned if to is QUERYLOG_FILE; -1: none */
	bool failing;      /* the last write failed, which was told */
	bool torn;         /* and left a part of a line */
	uint64_t lost;     /* lines since it fails */
	uint64_t shift_ns; /* from the loops' clock to the time of day */
	unsigned n_lines;  /* in buffer */
	size_t len;        /* bytes in buffer */
	char *buffer;      /* owned: BUFFER */
};

/* --- The thread ------------------------------------------------------------------------------- */

/* The buffer cannot be written, or only DONE bytes of it, because of ERR. */
static void
tell_failure(struct writer *w, int err, size_t done)
{
	unsigned n_lost = w->n_lines;

	for (size_t i = 0; i < done; i++)
		n_lost -= w->buffer[i] == '\n';
	if (!w->failing)
		log_error(LOG_SERVER,
		    "query-log cannot be written: %s; lines are lost until it can", strerror(err));
	w->failing = true;
	w->lost += n_lost;
	stats_add(&w->q->stats->query_log_lost, n_lost);
	stats_add(&w->q->stats->query_log_written, w->n_lines - n_lost);
}

static void
tell_success(struct writer *w)
{
	if (w->failing)
		log_notice(LOG_SERVER, "query-log is written again; %llu lines are missing",
		    (unsigned long long)w->lost);
	w->failing = false;
	w->lost = 0;
	stats_add(&w->q->stats->query_log_written, w->n_lines);
}

/* Write LEN bytes. Returns 0 or errno; *DONE gets how many were written. */
static int
write_all(int fd, const char *bytes, size_t len, size_t *done)
{
	for (*done = 0; *done < len;) {
		ssize_t n = write(fd, bytes + *done, len - *done);

		if (n > 0)
			*done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return n == 0 ? ENOSPC : errno;
	}
	return 0;
}

/* Write the lines in the buffer. */
static void
flush(struct writer *w)
{
	int fd = w->to == QUERYLOG_STDERR ? STDERR_FILENO : w->fd;
	size_t done = 0, newline;
	int err = 0;

	if (w->n_lines == 0)
		return;
	if (fd < 0)
		err = EBADF;
	/* A part of a line that was left when the disk was full becomes a line of its own. */
	if (err == 0 && w->torn)
		err = write_all(fd, "\n", 1, &newline);
	if (err == 0) {
		w->torn = false;
		err = write_all(fd, w->buffer, w->len, &done);
		w->torn = err != 0 && done > 0 && w->buffer[done - 1] != '\n';
	}
	if (err != 0)
		tell_failure(w, err, done);
	else
		tell_success(w);
	w->len = 0;
	w->n_lines = 0;
}

static void
add_line(struct writer *w, const struct queryline *line)
{
	char *to = w->buffer + w->len;
	size_t len = w->json ? queryline_json(line, to) : queryline_text(line, to);

	if (w->to == QUERYLOG_SYSLOG) {
		syslog(LOG_INFO, "%.*s", (int)len - 1, to);
		stats_inc(&w->q->stats->query_log_written);
		return;
	}
	w->len += len;
	w->n_lines++;
	if (w->len + QUERYLINE_MAX > BUFFER)
		flush(w);
}

/* Write what TAP has now. Returns whether it had anything. */
static bool
empty(struct writer *w, struct querylog_tap *tap)
{
	size_t most = QUERYLOG_TAP_SPOOL /
	    sizeof(struct querylog_tap_record); /* it may fill as fast as we read */
	const struct querylog_tap_record *r;
	struct queryline line;
	bool any = false;

	while (most-- > 0 && (r = querylog_tap_next(tap, &line.msg, &line.len)) != NULL) {
		line.record = r;
		line.unix_us = (r->at_ns + w->shift_ns) / 1000;
		if (w->to != QUERYLOG_NOWHERE)
			add_line(w, &line);
		querylog_tap_drop(tap);
		any = true;
	}
	return any;
}

static bool
empty_all(struct writer *w)
{
	struct timespec now;
	bool any = false;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	w->shift_ns = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec - clock_now_ns();
	for (unsigned i = 0; i < w->q->n_taps; i++)
		any |= empty(w, w->q->taps[i]);
	flush(w);
	return any;
}

/* The time in MS milliseconds, for q->wake. */
static void
in_ms(unsigned ms, struct timespec *t)
{
	(void)clock_gettime(CLOCK_MONOTONIC, t);
	t->tv_sec += (time_t)(ms / 1000);
	t->tv_nsec += (long)(ms % 1000 * NS_PER_MS);
	t->tv_sec += t->tv_nsec / (long)NS_PER_SEC;
	t->tv_nsec %= (long)NS_PER_SEC;
}

/* Wait for MS milliseconds, or until there is something new to do. Returns whether to go on. */
static bool
wait_for_news(struct writer *w, unsigned ms)
{
	struct querylog *q = w->q;
	struct timespec until;
	bool ending;

	in_ms(ms, &until);
	pthread_mutex_lock(&q->lock);
	while (!q->changed && !q->ending &&
	    pthread_cond_timedwait(&q->wake, &q->lock, &until) != ETIMEDOUT)
		continue;
	if (q->changed) {
		if (w->fd >= 0)
			close(w->fd);
		w->to = q->to;
		w->json = q->json;
		w->fd = q->fd;
		w->torn = false;
		q->changed = false;
		q->fd = -1;
	}
	ending = q->ending;
	pthread_mutex_unlock(&q->lock);
	return !ending;
}

static void *
writer_main(void *arg)
{
	struct writer *w = arg;
	bool any = true;

	(void)pthread_setname_np(pthread_self(), "dns64d/log");
	if (privileges_thread() == 0) {
		while (wait_for_news(w, any ? BUSY_MS : IDLE_MS))
			any = empty_all(w);
		(void)empty_all(w);
	} else {
		log_error(
		    LOG_SERVER, "query-log: its thread could not drop capabilities, so it ends");
	}
	if (w->fd >= 0)
		close(w->fd);
	pthread_mutex_lock(&w->q->lock);
	w->q->ended = true;
	pthread_cond_signal(&w->q->wake);
	pthread_mutex_unlock(&w->q->lock);
	free(w->buffer);
	free(w);
	return NULL;
}

/* --- The main thread -------------------------------------------------------------------------- */

void
querylog_init(struct querylog *q, struct querylog_tap *const *taps, unsigned n, struct stats *stats)
{
	pthread_condattr_t attr;

	memset(q, 0, sizeof(*q));
	q->fd = -1;
	q->n_taps = n;
	q->stats = stats;
	for (unsigned i = 0; i < n; i++)
		q->taps[i] = taps[i];
	(void)pthread_mutex_init(&q->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&q->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
}

/* Start the thread, unless it runs. False: that failed, and is in the log. */
static bool
start(struct querylog *q)
{
	struct writer *w;
	int rc = ENOMEM;

	if (q->running)
		return true;
	w = calloc(1, sizeof(*w));
	if (w != NULL) {
		w->q = q;
		w->fd = -1;
		w->buffer = malloc(BUFFER);
		if (w->buffer != NULL)
			rc = pthread_create(&q->id, NULL, writer_main, w);
	}
	q->running = rc == 0;
	if (rc == 0)
		return true;
	log_error(LOG_SERVER, "query-log: no thread for it: %s", strerror(rc));
	if (w != NULL)
		free(w->buffer);
	free(w);
	return false;
}

/* Have the thread write to TO; FD is passed on. */
static void
hand_over(struct querylog *q, enum querylog_to to, bool json, int fd)
{
	pthread_mutex_lock(&q->lock);
	if (q->fd >= 0) /* the thread has not taken it yet */
		close(q->fd);
	q->to = to;
	q->json = json;
	q->fd = fd;
	q->changed = true;
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
}

/* Open the file. Returns a descriptor; -1 if that failed, which is in the log. */
static int
open_file(struct querylog *q)
{
	/* This is the only thread that makes files. */
	mode_t mask = umask(0);
	/* A link could have us write to what its owner may not. */
	int fd = open(q->path,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW,
	    q->mode);
	int err = errno;

	(void)umask(mask);
	q->opened = fd >= 0;
	if (!q->opened)
		log_error(LOG_SERVER, "query-log %s cannot be opened: %s", q->path,
		    precheck_strerror(-err));
	return fd;
}

static enum querylog_to
to_of(const char *word)
{
	if (strcmp(word, "none") == 0)
		return QUERYLOG_NOWHERE;
	if (strcmp(word, "syslog") == 0)
		return QUERYLOG_SYSLOG;
	return strcmp(word, "stderr") == 0 ? QUERYLOG_STDERR : QUERYLOG_FILE;
}

void
querylog_use(struct querylog *q, const struct settings *s)
{
	enum querylog_to to = to_of(s->query_log);
	bool json = s->query_log_format == SETTINGS_QUERY_LOG_JSON;

	q->mode = (mode_t)s->query_log_mode;
	if (to == QUERYLOG_NOWHERE && !q->running)
		return;
	if (!start(q))
		return;
	/* The same file goes on: a reload is no reason to lose lines. */
	if (to == QUERYLOG_FILE && q->to == to && q->opened && q->json == json &&
	    strcmp(q->path, s->query_log) == 0)
		return;
	memcpy(q->path, s->query_log, sizeof(q->path));
	hand_over(q, to, json, to == QUERYLOG_FILE ? open_file(q) : -1);
}

void
querylog_start(struct querylog *q, const struct threads *t, const struct settings *s)
{
	struct querylog_tap *taps[SETTINGS_LOOPS];

	threads_querylog_taps(t, taps);
	querylog_init(q, taps, t->n, t->log_stats);
	querylog_use(q, s);
}

bool
querylog_reopen(struct querylog *q)
{
	int fd;

	if (!q->running || q->to != QUERYLOG_FILE)
		return true;
	fd = open_file(q);
	if (fd < 0)
		return false;
	hand_over(q, QUERYLOG_FILE, q->json, fd);
	return true;
}

bool
querylog_writes(struct querylog *q)
{
	if (!q->running || q->to == QUERYLOG_NOWHERE)
		return q->to == QUERYLOG_NOWHERE; /* nothing is wrong, it only is not configured */
	return q->to != QUERYLOG_FILE || q->opened || querylog_reopen(q);
}

/* Tell the thread to end, and wait for it as long as it writes. False: it does not. */
static bool
end_thread(struct querylog *q)
{
	uint64_t before = UINT64_MAX;
	bool ended;

	pthread_mutex_lock(&q->lock);
	q->ending = true;
	pthread_cond_signal(&q->wake);
	for (unsigned i = 0; i < END_STEPS && !q->ended; i++) {
		uint64_t n = atomic_load(&q->stats->query_log_written) +
		    atomic_load(&q->stats->query_log_lost);
		struct timespec until;

		if (n == before)
			break;
		before = n;
		in_ms(STUCK_MS, &until);
		while (!q->ended && pthread_cond_timedwait(&q->wake, &q->lock, &until) != ETIMEDOUT)
			continue;
	}
	ended = q->ended;
	pthread_mutex_unlock(&q->lock);
	if (!ended)
		return false;
	pthread_join(q->id, NULL);
	q->running = false;
	return true;
}

bool
querylog_end(struct querylog *q)
{
	if (q->running && !end_thread(q)) {
		log_error(LOG_SERVER, "query-log: its last lines cannot be written; they are lost");
		return false;
	}
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
	pthread_cond_destroy(&q->wake);
	pthread_mutex_destroy(&q->lock);
	return true;
}
