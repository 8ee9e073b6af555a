/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/outlet.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"

/* Is standard error the stream that systemd named in the environment (sd-daemon(3))? */
static bool
is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t dev, ino;
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	size_t n = number_prefix(stream, strlen(stream), UINT64_MAX, &dev);
	if (n == 0 || stream[n] != ':')
		return false;
	stream += n + 1;
	return number_parse(stream, strlen(stream), UINT64_MAX, &ino) && dev == st.st_dev &&
	    ino == st.st_ino;
}

void
outlet_stderr(struct outlet *o)
{
	lock_take(&o->lock);
	o->syslog = false;
	o->journal = is_journal();
	lock_give(&o->lock);
}

/* Bytes of text, without the zero, in a buffer of CAP bytes for which snprintf returned N. */
static size_t
written(int n, size_t cap)
{
	if (n < 0)
		return 0;
	return (size_t)n < cap ? (size_t)n : cap - 1;
}

/* --- standard error --------------------------------------------------------------------------- */

/* Write a line to LINE, with its newline. Returns its length. */
static size_t
format_stderr(const struct outlet *o, char line[static OUTLET_LINE], int priority, const char *word,
    const char *text)
{
	size_t n = 0;

	if (o->journal)
		n = written(snprintf(line, OUTLET_LINE, "<%d>", priority), OUTLET_LINE);
	n += written(snprintf(line + n, OUTLET_LINE - n, "%s %s", word, text), OUTLET_LINE - n);
	line[n++] = '\n';
	return n;
}

/*
 * A pipe is writable while it has a page free, a socket while three quarters of its buffer are, so
 * the write does not wait. Its flags are not ours to change: others may use the same file.
 */
static bool
put_stderr(const struct outlet *o, int priority, const char *word, const char *text)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
	char line[OUTLET_LINE];
	size_t n = format_stderr(o, line, priority, word, text);

	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT))
		return false;
	/* One write, so lines of several threads do not mix. */
	return write(STDERR_FILENO, line, n) == (ssize_t)n;
}

/* --- syslog ----------------------------------------------------------------------------------- */

static void
hang_up(struct outlet *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

/* Connect to syslog by a socket of TYPE. Returns 0 or errno. */
static int
dial(struct outlet *o, int type)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int err;

	if (o->path == NULL || strlen(o->path) >= sizeof(a.sun_path))
		return ENOENT;
	memcpy(a.sun_path, o->path, strlen(o->path));
	o->fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (o->fd < 0)
		return errno;
	o->stream = type == SOCK_STREAM;
	if (connect(o->fd, (const struct sockaddr *)&a, sizeof(a)) == 0)
		return 0;
	err = errno;
	hang_up(o);
	return err;
}

static void
redial(struct outlet *o)
{
	hang_up(o);
	if (dial(o, SOCK_DGRAM) == EPROTOTYPE)
		(void)dial(o, SOCK_STREAM);
}

void
outlet_connect(struct outlet *o, const char *path, const char *ident)
{
	lock_take(&o->lock);
	o->path = path;
	o->ident = ident;
	tzset(); /* the file of the time zone may be out of reach later */
	redial(o);
	lock_give(&o->lock);
}

void
outlet_syslog(struct outlet *o)
{
	lock_take(&o->lock);
	o->syslog = true;
	lock_give(&o->lock);
}

/* As syslog(3) writes it: "<30>Oct  9 22:33:20 dns64d[123]: text". */
static size_t
format_syslog(const struct outlet *o, char line[static OUTLET_LINE], int priority, const char *text)
{
	time_t now = time(NULL);
	char stamp[32] = "";
	struct tm tm;

	if (localtime_r(&now, &tm) != NULL)
		(void)strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S", &tm);
	return written(snprintf(line, OUTLET_LINE, "<%d>%s %s[%ld]: %s", LOG_DAEMON | priority,
			   stamp, o->ident, (long)getpid(), text),
	    OUTLET_LINE);
}

/* syslogd may have been started anew meanwhile. */
static bool
put_syslog(struct outlet *o, int priority, const char *text)
{
	char line[OUTLET_LINE];
	size_t n = format_syslog(o, line, priority, text);

	for (unsigned i = 0; i < 2; i++) {
		size_t len = n + (o->stream ? 1 : 0); /* over a stream a zero ends it */

		if (o->fd >= 0 && send(o->fd, line, len, MSG_NOSIGNAL) == (ssize_t)len)
			return true;
		if (o->fd >= 0 && (errno == EAGAIN || errno == ENOBUFS))
			return false;
		if (i == 0)
			redial(o);
	}
	return false;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Returns whether the line was written. */
static bool
put(struct outlet *o, int priority, const char *word, const char *text)
{
	return o->syslog ? put_syslog(o, priority, text) : put_stderr(o, priority, word, text);
}

void
outlet_put(struct outlet *o, int priority, const char *word, const char *text)
{
	char lost[OUTLET_LINE];

	lock_take(&o->lock);
	if (o->n_lost > 0) {
		snprintf(lost, sizeof(lost),
		    "server: %" PRIu64 " lines of the log were lost, as nobody read them",
		    o->n_lost);
		if (put(o, LOG_WARNING, "warning", lost))
			o->n_lost = 0;
	}
	if (o->n_lost > 0 || !put(o, priority, word, text))
		o->n_lost++;
	lock_give(&o->lock);
}

uint64_t
outlet_lost(struct outlet *o)
{
	uint64_t n;

	lock_take(&o->lock);
	n = o->n_lost;
	lock_give(&o->lock);
	return n;
}
