/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/dnstap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#ifdef HAVE_DNSTAP

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/clock.h"
#include "daemon/dnstap_stream.h"
#include "daemon/privileges.h"

#define BATCH 128                         /* frames written at a time */
#define BUFFER (DNSTAP_FRAME_MAX + 65536) /* bytes of them */
#define BUSY_MS 5                         /* pause when there was something to write */
#define IDLE_MS 50                        /* when there was nothing */
#define RETRY_MS 1000                     /* between two tries to reach the reader */

#define STAYS_MS 10000 /* a reader that was there for so long stays */
#define PAUSE_MS 32000 /* longest pause before one that does not */

/* What the thread works with. */
struct writer {
	struct dnstap *d;
	struct dnstap_task task;
	struct dnstap_stream stream;
	uint64_t retry_ns;   /* when the reader is looked for next */
	uint64_t reached_ns; /* when it was connected to */
	uint64_t pause_ms;   /* before a reader that does not stay is looked for */
	uint64_t shift_ns;   /* from the loops' clock to the time of day */
	uint64_t lost;       /* messages since there is no reader */
	int told;            /* why there is none, as it was told: -errno; 0: nothing was */
	bool ending;
	int n;      /* frames in the buffer */
	size_t len; /* their bytes */
	struct iovec frames[BATCH];
	uint8_t *buffer; /* owned: BUFFER */
};

/* --- The reader ------------------------------------------------------------------------------- */

static const char *
words_for(int rc)
{
	switch (rc) {
	case -ENOTSOCK:
		return "this is no socket";
	case -ENOENT:
		return "there is no such socket";
	case -ECONNREFUSED:
		return "nobody listens there";
	case -EACCES:
		return "the user that dns64d runs as may not write there";
	case -EPROTO:
		return "who listens there does not take dnstap, or does not answer";
	case -EAGAIN:
		return "who listens there takes no connection";
	case -EPROTOTYPE:
		return "this is no stream socket";
	default:
		return strerror(-rc);
	}
}

static void
look_for_reader(struct writer *w)
{
	uint64_t now_ns = clock_now_ns();
	int rc;

	if (w->task.path[0] == '\0' || now_ns < w->retry_ns)
		return;
	rc = dnstap_stream_open(&w->stream, w->task.path);
	now_ns = clock_now_ns();
	w->retry_ns = now_ns + RETRY_MS * NS_PER_MS;
	if (rc == 0) {
		log_notice(LOG_SERVER,
		    "dnstap: %s: connected; %" PRIu64 " messages were lost before that",
		    w->task.path, w->lost);
		w->reached_ns = now_ns;
		w->lost = 0;
	} else if (rc != w->told) {
		log_warn(LOG_SERVER, "dnstap: %s: %s; messages are lost until it can be reached",
		    w->task.path, words_for(rc));
	}
	w->told = rc;
}

/* The reader has gone: look for it at once; later if it does not stay, which is told each time. */
static void
set_retry(struct writer *w)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - w->reached_ns >= STAYS_MS * NS_PER_MS) {
		w->pause_ms = RETRY_MS;
		w->retry_ns = now_ns;
		return;
	}
	w->retry_ns = now_ns + w->pause_ms * NS_PER_MS;
	w->pause_ms = w->pause_ms < PAUSE_MS ? 2 * w->pause_ms : PAUSE_MS;
}

/* Connect if the reader has gone, so that nothing is written to where nobody reads. */
static void
see_to_reader(struct writer *w)
{
	if (dnstap_stream_alive(&w->stream))
		return;
	if (w->stream.writer != NULL) {
		log_warn(LOG_SERVER, "dnstap: %s: the reader has gone", w->task.path);
		w->stream.broken = true;
		dnstap_stream_close(&w->stream);
		set_retry(w);
	}
	if (!w->ending)
		look_for_reader(w);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Write the frames in the buffer. */
static void
flush(struct writer *w)
{
	if (w->n == 0)
		return;
	if (dnstap_stream_write(&w->stream, w->frames, w->n)) {
		stats_add(&w->d->stats->dnstap_frames, (uint64_t)w->n);
	} else {
		stats_add(&w->d->stats->dnstap_lost, (uint64_t)w->n);
		w->lost += (uint64_t)w->n;
		w->stream.broken = true;
	}
	w->n = 0;
	w->len = 0;
}

static void
add_frame(struct writer *w, const struct dnstap_tap_record *r, const uint8_t *msg)
{
	uint8_t *to = w->buffer + w->len;
	size_t len = dnstap_frame(&w->task.about, r, msg, w->shift_ns, to);

	w->frames[w->n++] = (struct iovec){ .iov_base = to, .iov_len = len };
	w->len += len;
	if (w->n == BATCH || w->len + DNSTAP_FRAME_MAX > BUFFER)
		flush(w);
}

/* Pass on what C has now. Returns whether it had anything. */
static bool
empty(struct writer *w, struct dnstap_tap *c)
{
	size_t most =
	    DNSTAP_TAP_SPOOL / sizeof(struct dnstap_tap_record); /* it may fill as we read */
	const struct dnstap_tap_record *r;
	const uint8_t *msg;
	bool any = false;

	/* What is left when the connection breaks may be for the next one. */
	while (most-- > 0 && !w->stream.broken && (r = dnstap_tap_next(c, &msg)) != NULL) {
		if (w->stream.writer != NULL) {
			add_frame(w, r, msg);
		} else {
			stats_inc(&w->d->stats->dnstap_lost);
			w->lost++;
		}
		dnstap_tap_drop(c);
		any = true;
	}
	flush(w);
	return any || w->stream.broken;
}

static bool
empty_all(struct writer *w)
{
	struct timespec now;
	bool any = false;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	w->shift_ns = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec - clock_now_ns();
	see_to_reader(w);
	for (unsigned i = 0; i < w->d->n; i++)
		any |= empty(w, w->d->captures[i]);
	return any;
}

/* --- The thread ------------------------------------------------------------------------------- */

/* Do what is new, which was said by wake_fd. */
static void
take_news(struct writer *w)
{
	struct dnstap *d = w->d;
	struct dnstap_task task;
	uint64_t n;

	if (read(d->wake_fd, &n, sizeof(n)) < 0)
		return; /* nothing is new */
	pthread_mutex_lock(&d->lock);
	task = d->task;
	w->ending = d->ending;
	pthread_mutex_unlock(&d->lock);
	if (strcmp(w->task.path, task.path) != 0) {
		dnstap_stream_close(&w->stream);
		w->retry_ns = 0;
		w->pause_ms = RETRY_MS;
		w->told = 0;
	}
	w->task = task;
	if (w->ending)
		dnstap_stream_hurry(&w->stream);
	else
		dnstap_stream_patient(&w->stream);
}

static void *
writer_main(void *arg)
{
	struct writer *w = arg;
	struct pollfd p = { .fd = w->d->wake_fd, .events = POLLIN };
	bool any = false;

	(void)pthread_setname_np(pthread_self(), "dns64d/dnstap");
	if (privileges_thread() == 0) {
		for (take_news(w); !w->ending; take_news(w)) {
			any = empty_all(w);
			(void)poll(&p, 1, any ? BUSY_MS : IDLE_MS);
		}
		(void)empty_all(w);
	} else {
		log_error(LOG_SERVER, "dnstap: its thread could not drop capabilities, so it ends");
	}
	dnstap_stream_close(&w->stream);
	free(w->buffer);
	free(w);
	return NULL;
}

/* --- The main thread -------------------------------------------------------------------------- */

static void
wake(const struct dnstap *d)
{
	uint64_t one = 1;

	(void)!write(d->wake_fd, &one, sizeof(one)); /* cannot be full */
}

/* Start the thread, unless it runs. False: that failed, and is in the log. */
static bool
start(struct dnstap *d)
{
	struct writer *w;
	int rc = ENOMEM;

	if (d->running)
		return true;
	d->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	w = d->wake_fd < 0 ? NULL : calloc(1, sizeof(*w));
	if (w != NULL) {
		w->d = d;
		dnstap_stream_init(&w->stream, d->wake_fd);
		w->buffer = malloc(BUFFER);
		if (w->buffer != NULL)
			rc = pthread_create(&d->id, NULL, writer_main, w);
	}
	d->running = rc == 0;
	if (rc == 0)
		return true;
	log_error(LOG_SERVER, "dnstap: no thread for it: %s", strerror(rc));
	if (w != NULL)
		free(w->buffer);
	free(w);
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	d->wake_fd = -1;
	return false;
}

static void
make_task(const struct settings *s, struct dnstap_task *t)
{
	memset(t, 0, sizeof(*t));
	if (strcmp(s->dnstap_socket, "none") != 0)
		memcpy(t->path, s->dnstap_socket, sizeof(t->path));
	if (strcmp(s->dnstap_version, "auto") == 0)
		memcpy(t->about.version, PACKAGE_STRING, sizeof(PACKAGE_STRING));
	else
		memcpy(t->about.version, s->dnstap_version, sizeof(s->dnstap_version));
	if (strcmp(s->dnstap_identity, "hostname") == 0)
		(void)gethostname(t->about.identity, sizeof(t->about.identity) - 1);
	else
		memcpy(t->about.identity, s->dnstap_identity, sizeof(s->dnstap_identity));
}

void
dnstap_use(struct dnstap *d, const struct settings *s)
{
	struct dnstap_task t;

	make_task(s, &t);
	if ((t.path[0] == '\0' && !d->running) || !start(d))
		return;
	/* A reload that changes nothing is no reason to hurry a slow reader. */
	pthread_mutex_lock(&d->lock);
	if (memcmp(&t, &d->task, sizeof(t)) != 0) {
		d->task = t;
		wake(d);
	}
	pthread_mutex_unlock(&d->lock);
}

bool
dnstap_known(void)
{
	return true;
}

#else

bool
dnstap_known(void)
{
	return false;
}

void
dnstap_use(struct dnstap *d, const struct settings *s)
{
	(void)d;
	(void)s; /* dnstap-socket is none (config/set_logs) */
}

static void
wake(const struct dnstap *d)
{
	(void)d;
}

#endif

void
dnstap_init(struct dnstap *d, struct dnstap_tap *const *captures, unsigned n, struct stats *stats)
{
	memset(d, 0, sizeof(*d));
	d->wake_fd = -1;
	d->n = n;
	d->stats = stats;
	for (unsigned i = 0; i < n; i++)
		d->captures[i] = captures[i];
	(void)pthread_mutex_init(&d->lock, NULL);
}

void
dnstap_start(struct dnstap *d, const struct threads *t, const struct settings *s)
{
	struct dnstap_tap *captures[SETTINGS_LOOPS];

	threads_dnstap_taps(t, captures);
	dnstap_init(d, captures, t->n, t->log_stats);
	dnstap_use(d, s);
}

void
dnstap_end(struct dnstap *d)
{
	if (d->running) {
		pthread_mutex_lock(&d->lock);
		d->ending = true;
		wake(d);
		pthread_mutex_unlock(&d->lock);
		pthread_join(d->id, NULL);
		d->running = false;
	}
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	d->wake_fd = -1;
	(void)pthread_mutex_destroy(&d->lock);
}
