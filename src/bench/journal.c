/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL_DIGITS 15

struct bench_journal {
	int fd;
	json_t *records; /* owned */
};

/* --- Writing ---------------------------------------------------------------------------------- */

/* VALUE as a line, the caller's; NULL without memory. */
static char *
line_of(const json_t *value, size_t *len)
{
	size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS);
	size_t n = json_dumpb(value, NULL, 0, flags);
	char *line = n > 0 ? malloc(n + 1) : NULL;

	if (line == NULL || json_dumpb(value, line, n, flags) != n) {
		free(line);
		return NULL;
	}
	line[n] = '\n';
	*len = n + 1;
	return line;
}

static int
write_all(int fd, const char *line, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, line + at, len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	/* A file that is not on a disk, as a pipe, cannot be synchronized (EINVAL). */
	return fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}

int
bench_journal_add(struct bench_journal *s, const json_t *record)
{
	size_t len;
	char *line = line_of(record, &len);
	int err = line != NULL ? write_all(s->fd, line, len) : -ENOMEM;

	free(line);
	return err;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The position in the file, for messages. */
struct reader {
	const char *path;
	char *error;
	size_t line; /* from 1 */
};

static bool
complain(const struct reader *r, const char *why)
{
	(void)snprintf(r->error, BENCH_JOURNAL_ERROR, "%s: %s", r->path, why);
	return false;
}

static bool
complain_line(const struct reader *r, const char *why)
{
	(void)snprintf(r->error, BENCH_JOURNAL_ERROR, "%s:%zu: %s", r->path, r->line, why);
	return false;
}

/* A setting as JSON, for a message. */
static const char *
show(const json_t *value, char text[static 64])
{
	size_t n = value != NULL ? json_dumpb(value, text, 63, JSON_ENCODE_ANY) : 0;

	if (n == 0 || n > 63)
		return n == 0 ? "nothing" : "another";
	text[n] = '\0';
	return text;
}

static bool
differ(const struct reader *r, const char *key, const json_t *there, const json_t *here)
{
	char was[64], is[64];

	(void)snprintf(r->error, BENCH_JOURNAL_ERROR,
	    "%s is of a run with other settings: %s was %s and is %s now", r->path, key,
	    show(there, was), show(here, is));
	return false;
}

static bool
same_settings(const struct reader *r, json_t *there, json_t *here)
{
	const char *key;
	json_t *value;

	json_object_foreach(here, key, value)
	{
		if (!json_equal(json_object_get(there, key), value))
			return differ(r, key, json_object_get(there, key), value);
	}
	json_object_foreach(there, key, value)
	{
		if (json_object_get(here, key) == NULL)
			return differ(r, key, value, NULL);
	}
	return true;
}

/* Compare the settings as they would be read back, so that both have the same rounding. */
static bool
take_settings(const struct reader *r, json_t *there, const char *first, size_t len)
{
	json_t *here = json_loadb(first, len, 0, NULL);
	bool good = same_settings(r, there, here);

	json_decref(here);
	return good;
}

/* LINE of the file, LEN bytes with its end: the settings, or a record. */
static bool
take_line(struct bench_journal *s, const struct reader *r, const char *line, size_t len,
    const char *first, size_t first_len)
{
	json_t *value = json_loadb(line, len - 1, JSON_REJECT_DUPLICATES, NULL);
	bool good = json_is_object(value);

	if (memchr(line, '\0', len) != NULL)
		good = complain_line(r, "damaged: there is an octet 0 in it");
	else if (!good)
		good = complain_line(r,
		    r->line == 1 ? "this is no state file of dns64bench"
				 : "damaged: this is no JSON object");
	else if (r->line == 1)
		good = take_settings(r, value, first, first_len);
	else
		(void)json_array_append(s->records, value);
	json_decref(value);
	return good;
}

/*
 * A crash leaves a line without its end, from AT on: its trial is done again. If it is the only
 * one, it must be the beginning of the line that would be written now: another file is not
 * overwritten.
 */
static bool
cut(const struct bench_journal *s, const struct reader *r, off_t at, const char *line, size_t len,
    const char *first)
{
	if (at == 0 && strncmp(line, first, len) != 0)
		return complain(r, "this is no state file of dns64bench for these settings");
	return ftruncate(s->fd, at) == 0 || complain(r, strerror(errno));
}

/* Read what is in the file F; write the settings if it has no whole line. */
static bool
load(struct bench_journal *s, struct reader *r, FILE *f, const char *first, size_t first_len)
{
	char *line = NULL;
	size_t cap = 0;
	off_t at = 0;
	struct stat st;
	bool good = fstat(s->fd, &st) == 0 || complain(r, strerror(errno));

	while (good && at < st.st_size) { /* a device may never end */
		ssize_t len = getline(&line, &cap, f);

		r->line++;
		if (len <= 0) {
			good = complain(r, strerror(errno));
		} else if (line[len - 1] != '\n') {
			good = cut(s, r, at, line, (size_t)len, first);
			break;
		} else {
			good = take_line(s, r, line, (size_t)len, first, first_len);
			at += len;
		}
	}
	free(line);
	int err = good && at == 0 ? write_all(s->fd, first, first_len) : 0;
	return err != 0 ? complain(r, strerror(-err)) : good;
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Only one run at a time may add to it. */
static bool
take_file(struct bench_journal *s, struct reader *r, const json_t *settings)
{
	s->fd = open(r->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (s->fd < 0)
		return complain(r, strerror(errno));
	if (flock(s->fd, LOCK_EX | LOCK_NB) != 0)
		return complain(r, errno == EWOULDBLOCK ? "another run uses it" : strerror(errno));
	size_t len;
	char *first = line_of(settings, &len);
	FILE *f = first != NULL ? fdopen(fcntl(s->fd, F_DUPFD_CLOEXEC, 0), "r") : NULL;
	bool good = f != NULL ? load(s, r, f, first, len) : complain(r, strerror(ENOMEM));
	if (f != NULL)
		(void)fclose(f);
	free(first);
	return good;
}

struct bench_journal *
bench_journal_open(const char *path, const json_t *settings, char error[static BENCH_JOURNAL_ERROR])
{
	struct reader r = { .path = path, .error = error };
	struct bench_journal *s = calloc(1, sizeof(*s));
	json_t *records = json_array();

	if (s == NULL || records == NULL) {
		(void)complain(&r, strerror(ENOMEM));
		json_decref(records);
		free(s);
		return NULL;
	}
	s->fd = -1;
	s->records = records;
	if (take_file(s, &r, settings))
		return s;
	bench_journal_close(s);
	return NULL;
}

json_t *
bench_journal_settings(const char *path)
{
	/* Opening a pipe could block. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	json_t *first = fd >= 0 ? json_loadfd(fd, JSON_DISABLE_EOF_CHECK, NULL) : NULL;

	if (fd >= 0)
		(void)close(fd);
	if (json_is_object(first))
		return first;
	json_decref(first);
	return NULL;
}

void
bench_journal_close(struct bench_journal *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		(void)close(s->fd);
	json_decref(s->records);
	free(s);
}

size_t
bench_journal_count(const struct bench_journal *s)
{
	return json_array_size(s->records);
}

json_t *
bench_journal_get(const struct bench_journal *s, size_t i)
{
	return json_array_get(s->records, i);
}
