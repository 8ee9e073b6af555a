/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Replace control characters, as texts repeat words of the file: they could control a terminal. */
static void
clean(char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

/* The position in a text after snprintf returned WRITTEN, never past its end. */
static size_t
advance(size_t at, int written)
{
	at += written > 0 ? (size_t)written : 0;
	return at < DIAG_TEXT ? at : DIAG_TEXT - 1;
}

/* Where LINE stands; 0: in no line of the file. */
static struct place
place_of(const struct diag *d, unsigned line)
{
	struct place place = { .line = line };

	if (line > 0)
		place = places_at(d->places, line);
	if (place.file == NULL)
		place.file = d->file;
	return place;
}

PRINTF_LIKE(5, 0)
static void
tell(struct diag *d, enum diag_kind kind, unsigned line, const char *keyword, const char *fmt,
    va_list args)
{
	struct place place = place_of(d, line);
	char text[DIAG_TEXT];
	size_t at = advance(0, snprintf(text, sizeof(text), "%s:", place.file));

	if (line > 0)
		at = advance(at, snprintf(text + at, sizeof(text) - at, "%u:", place.line));
	if (keyword != NULL)
		at = advance(at, snprintf(text + at, sizeof(text) - at, " %s:", keyword));
	at = advance(at, snprintf(text + at, sizeof(text) - at, " "));
	(void)vsnprintf(text + at, sizeof(text) - at, fmt, args);
	clean(text);
	d->sink(d->ctx, kind, text);
}

void
diag_error(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...)
{
	va_list args;

	d->n_errors++;
	if (d->n_errors > DIAG_MAX_ERRORS)
		return;
	va_start(args, fmt);
	tell(d, DIAG_ERROR, line, keyword, fmt, args);
	va_end(args);
	if (d->n_errors == DIAG_MAX_ERRORS)
		d->sink(d->ctx, DIAG_ERROR, "too many errors, the rest is not shown");
}

bool
diag_no_memory(struct diag *d, unsigned line, const char *keyword)
{
	diag_error(d, line, keyword, "there is no memory for it");
	return false;
}

void
diag_warning(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(d, DIAG_WARNING, line, keyword, fmt, args);
	va_end(args);
}

void
diag_notice(struct diag *d, unsigned line, const char *keyword, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(d, DIAG_NOTICE, line, keyword, fmt, args);
	va_end(args);
}

const char *
diag_line(const struct diag *d, unsigned line, unsigned here, char text[static DIAG_LINE])
{
	struct place place = place_of(d, line);

	if (strcmp(place.file, place_of(d, here).file) == 0)
		snprintf(text, DIAG_LINE, "line %u", place.line);
	else
		snprintf(text, DIAG_LINE, "line %u of %s", place.line, place.file);
	return text;
}

void
diag_to_stderr(void *ctx, enum diag_kind kind, const char *text)
{
	static const char *const before[] = {
		[DIAG_ERROR] = "", [DIAG_WARNING] = "warning: ", [DIAG_NOTICE] = "notice: "
	};

	(void)ctx;
	fprintf(stderr, "%s%s\n", before[kind], text);
}

void
diag_to_log(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	switch (kind) {
	case DIAG_ERROR:
		log_error(LOG_CONFIG, "%s", text);
		break;
	case DIAG_WARNING:
		log_warn(LOG_CONFIG, "%s", text);
		break;
	case DIAG_NOTICE:
		log_notice(LOG_CONFIG, "%s", text);
		break;
	}
}
