/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/querylog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/precheck.h"
#include "daemon/queryline.h"

#define BUFFER ((size_t)64 << 10) /* bytes of lines that are written at a time */

/* --- The thread ------------------------------------------------------------------------------- */

/* The buffer cannot be written, or only DONE bytes of it, because of ERR. */
static void
tell_failure(struct querylog *q, int err, size_t done)
{
	unsigned n_lost = q->n_lines;

	for (size_t i = 0; i < done; i++)
		n_lost -= q->buffer[i] == '\n';
	if (!q->failing)
		log_error(LOG_SERVER,
		    "query-log cannot be written: %s; lines are lost until it can", strerror(err));
	q->failing = true;
	q->lost += n_lost;
	stats_add(&q->stats->query_log_lost, n_lost);
	stats_add(&q->stats->query_log_written, q->n_lines - n_lost);
}

static void
tell_success(struct querylog *q)
{
	if (q->failing)
		log_notice(LOG_SERVER, "query-log is written again; %llu lines are missing",
		    (unsigned long long)q->lost);
	q->failing = false;
	q->lost = 0;
	stats_add(&q->stats->query_log_written, q->n_lines);
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
flush(void *arg)
{
	struct querylog *q = arg;
	int fd = q->now.to == QUERYLOG_STDERR ? STDERR_FILENO : q->now.fd;
	size_t done = 0, newline;
	int err = 0;

	if (q->n_lines == 0)
		return;
	if (fd < 0)
		err = EBADF;
	/* A part of a line that was left when the disk was full becomes a line of its own. */
	if (err == 0 && q->torn)
		err = write_all(fd, "\n", 1, &newline);
	if (err == 0) {
		q->torn = false;
		err = write_all(fd, q->buffer, q->len, &done);
		q->torn = err != 0 && done > 0 && q->buffer[done - 1] != '\n';
	}
	if (err != 0)
		tell_failure(q, err, done);
	else
		tell_success(q);
	q->len = 0;
	q->n_lines = 0;
}

static bool
put(void *arg, const void *record, size_t len)
{
	struct querylog *q = arg;
	const struct querylog_tap_record *r = record;
	const struct queryline line = { .record = r,
		.msg = (const uint8_t *)(r + 1),
		.len = len - sizeof(*r),
		.unix_us = (r->at_ns + q->spooler.shift_ns) / 1000 };
	char *to = q->buffer + q->len;

	if (q->now.to == QUERYLOG_NOWHERE)
		return true;
	len = q->now.json ? queryline_json(&line, to) : queryline_text(&line, to);
	if (q->now.to == QUERYLOG_SYSLOG) {
		syslog(LOG_INFO, "%.*s", (int)len - 1, to);
		stats_inc(&q->stats->query_log_written);
		return true;
	}
	q->len += len;
	q->n_lines++;
	if (q->len + QUERYLINE_MAX > BUFFER)
		flush(q);
	return true;
}

/* Close the file before. That may wait for a server that has gone, and use() must not. */
static void
close_old(void *arg, bool last)
{
	struct querylog *q = arg;

	(void)last;
	if (q->old_fd >= 0)
		close(q->old_fd);
	q->old_fd = -1;
}

/* The thread holds the lock: who waits for it must not wait for a disk. */
static void
use(void *arg)
{
	struct querylog *q = arg;

	q->old_fd = q->now.fd;
	q->now = q->next;
	q->next.fd = -1;
	q->torn = false;
}

/* --- The main thread -------------------------------------------------------------------------- */

static bool
open_buffer(void *arg)
{
	struct querylog *q = arg;

	q->buffer = malloc(BUFFER);
	return q->buffer != NULL;
}

static void
close_files(void *arg)
{
	struct querylog *q = arg;

	close_old(q, true);
	if (q->now.fd >= 0)
		close(q->now.fd);
	if (q->next.fd >= 0) /* the thread has not taken it */
		close(q->next.fd);
	q->now.fd = q->next.fd = -1;
	free(q->buffer);
}

static const struct spooler_output output = { .name = "query-log",
	.what = "lines",
	.thread = "dns64d/log",
	.open = open_buffer,
	.use = use,
	.begin = close_old,
	.put = put,
	.flush = flush,
	.close = close_files };

void
querylog_init(struct querylog *q, struct stats *stats)
{
	memset(q, 0, sizeof(*q));
	q->now.fd = q->next.fd = q->old_fd = -1;
	q->stats = stats;
	spooler_init(&q->spooler);
}

/* Have the thread write to TO; FD is passed on. */
static void
hand_over(struct querylog *q, enum querylog_to to, bool json, int fd)
{
	spooler_change(&q->spooler);
	if (q->next.fd >= 0) /* the thread has not taken it yet */
		close(q->next.fd);
	q->next = (struct querylog_task){ .to = to, .json = json, .fd = fd };
	spooler_changed(&q->spooler);
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
	if (to == QUERYLOG_NOWHERE && !q->spooler.running)
		return;
	if (!spooler_start(&q->spooler, &output, q))
		return;
	/* The same file goes on: a reload is no reason to lose lines. */
	if (to == QUERYLOG_FILE && q->next.to == to && q->opened && q->next.json == json &&
	    strcmp(q->path, s->query_log) == 0)
		return;
	memcpy(q->path, s->query_log, sizeof(q->path));
	hand_over(q, to, json, to == QUERYLOG_FILE ? open_file(q) : -1);
}

bool
querylog_reopen(struct querylog *q)
{
	int fd;

	if (!q->spooler.running || q->next.to != QUERYLOG_FILE)
		return true;
	fd = open_file(q);
	if (fd < 0)
		return false;
	hand_over(q, QUERYLOG_FILE, q->next.json, fd);
	return true;
}

bool
querylog_writes(struct querylog *q)
{
	if (!q->spooler.running || q->next.to == QUERYLOG_NOWHERE)
		return q->next.to ==
		    QUERYLOG_NOWHERE; /* nothing is wrong, it only is not configured */
	return q->next.to != QUERYLOG_FILE || q->opened || querylog_reopen(q);
}
