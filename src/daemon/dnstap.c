/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/dnstap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#ifdef HAVE_DNSTAP

#include "base/clock.h"

#define BUFFER (DNSTAP_FRAME_MAX + 65536) /* bytes of frames written at a time */
#define RETRY_MS 1000                     /* between two tries to reach the reader */
#define STAYS_MS 10000                    /* a reader that was there for so long stays */
#define PAUSE_MS 32000                    /* longest pause before one that does not */

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
look_for_reader(struct dnstap *d)
{
	uint64_t now_ns = clock_now_ns();
	int rc;

	if (d->now.path[0] == '\0' || now_ns < d->retry_ns)
		return;
	rc = dnstap_stream_open(&d->stream, d->now.path);
	now_ns = clock_now_ns();
	d->retry_ns = now_ns + RETRY_MS * NS_PER_MS;
	if (rc == 0) {
		log_notice(LOG_SERVER,
		    "dnstap: %s: connected; %" PRIu64 " messages were lost before that",
		    d->now.path, d->lost);
		d->reached_ns = now_ns;
		d->lost = 0;
	} else if (rc != d->told) {
		log_warn(LOG_SERVER, "dnstap: %s: %s; messages are lost until it can be reached",
		    d->now.path, words_for(rc));
	}
	d->told = rc;
}

/* The reader has gone: look for it at once; later if it does not stay, which is told each time. */
static void
set_retry(struct dnstap *d)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - d->reached_ns >= STAYS_MS * NS_PER_MS) {
		d->pause_ms = RETRY_MS;
		d->retry_ns = now_ns;
		return;
	}
	d->retry_ns = now_ns + d->pause_ms * NS_PER_MS;
	d->pause_ms = d->pause_ms < PAUSE_MS ? 2 * d->pause_ms : PAUSE_MS;
}

/* Connect if the reader has gone, so that nothing is written to where nobody reads. */
static void
see_to_reader(void *arg, bool last)
{
	struct dnstap *d = arg;

	d->last = last;
	if (d->moved) {
		dnstap_stream_close(&d->stream);
		d->retry_ns = 0;
		d->pause_ms = RETRY_MS;
		d->told = 0;
		d->moved = false;
	}
	if (dnstap_stream_alive(&d->stream))
		return;
	if (d->stream.writer != NULL) {
		log_warn(LOG_SERVER, "dnstap: %s: the reader has gone", d->now.path);
		d->stream.broken = true;
		dnstap_stream_close(&d->stream);
		set_retry(d);
	}
	if (!last)
		look_for_reader(d);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Write the frames in the buffer. */
static void
flush(void *arg)
{
	struct dnstap *d = arg;

	if (d->n == 0)
		return;
	if (dnstap_stream_write(&d->stream, d->frames, d->n)) {
		stats_add(&d->stats->dnstap_frames, (uint64_t)d->n);
	} else {
		stats_add(&d->stats->dnstap_lost, (uint64_t)d->n);
		d->lost += (uint64_t)d->n;
		d->stream.broken = true;
	}
	d->n = 0;
	d->len = 0;
}

static bool
put(void *arg, const void *record, size_t len)
{
	struct dnstap *d = arg;
	const struct dnstap_tap_record *r = record;
	uint8_t *to = d->buffer + d->len;

	if (d->stream.writer == NULL || (d->last && d->stream.broken)) {
		stats_inc(&d->stats->dnstap_lost);
		d->lost++;
		return true;
	}
	len = dnstap_frame(&d->now.about, r, (const uint8_t *)(r + 1), d->spooler.shift_ns, to);
	d->frames[d->n++] = (struct iovec){ .iov_base = to, .iov_len = len };
	d->len += len;
	if (d->n == DNSTAP_BATCH || d->len + DNSTAP_FRAME_MAX > BUFFER)
		flush(d);
	/* What is left when the connection breaks is for the next one, if there will be one. */
	return d->last || !d->stream.broken;
}

/* The thread holds the lock: who waits for it must not wait for a reader. */
static void
use(void *arg)
{
	struct dnstap *d = arg;

	d->moved = strcmp(d->now.path, d->next.path) != 0;
	d->now = d->next;
	dnstap_stream_patient(&d->stream);
}

/* --- The main thread -------------------------------------------------------------------------- */

static bool
open_stream(void *arg)
{
	struct dnstap *d = arg;

	dnstap_stream_init(&d->stream, d->spooler.wake_fd);
	d->buffer = malloc(BUFFER);
	return d->buffer != NULL;
}

static void
close_stream(void *arg)
{
	struct dnstap *d = arg;

	if (d->lost > 0)
		log_warn(LOG_SERVER, "dnstap: %s: the last %" PRIu64 " messages were lost",
		    d->now.path, d->lost);
	dnstap_stream_close(&d->stream);
	free(d->buffer);
}

static const struct spooler_output output = { .name = "dnstap",
	.what = "messages",
	.thread = "dns64d/dnstap",
	.open = open_stream,
	.use = use,
	.begin = see_to_reader,
	.put = put,
	.flush = flush,
	.close = close_stream };

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
	if ((t.path[0] == '\0' && !d->spooler.running) || !spooler_start(&d->spooler, &output, d))
		return;
	/* A reload that changes nothing is no reason to hurry a slow reader. */
	if (memcmp(&t, &d->next, sizeof(t)) == 0)
		return;
	spooler_change(&d->spooler);
	d->next = t;
	spooler_changed(&d->spooler);
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

#endif

void
dnstap_init(struct dnstap *d, struct stats *stats)
{
	memset(d, 0, sizeof(*d));
	d->stats = stats;
	spooler_init(&d->spooler);
}
