/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/progress.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define LINE 79 /* columns of the line that is overwritten */

void
bench_progress_init(struct bench_progress *p, FILE *out, double usual_s)
{
	memset(p, 0, sizeof(*p));
	p->out = out;
	p->terminal = isatty(fileno(out)) == 1;
	p->usual_s = usual_s;
}

void
bench_progress_count(struct bench_progress *p, double seconds)
{
	p->seconds += seconds;
	p->trials++;
}

double
bench_progress_left(const struct bench_progress *p, unsigned n)
{
	return n * (p->trials > 0 ? p->seconds / p->trials : p->usual_s);
}

/* "TEXT, 1:02:03 left" to LINE_OF, in WIDTH columns: TEXT is cut if need be. */
static void
write_line(
    char line_of[static BENCH_PROGRESS_TEXT + 32], int width, const char *text, double left_s)
{
	unsigned long left = left_s > 0 ? (unsigned long)(left_s + 0.5) : 0;
	char time[32];
	int n = snprintf(
	    time, sizeof(time), ", %lu:%02lu:%02lu left", left / 3600, left / 60 % 60, left % 60);

	(void)snprintf(line_of, BENCH_PROGRESS_TEXT + 32, "%.*s%s", width - n, text, time);
}

void
bench_progress_end(struct bench_progress *p)
{
	if (!p->shown)
		return;
	p->shown = false;
	(void)fprintf(p->out, "%*s\r", LINE, "");
	(void)fflush(p->out);
}

void
bench_progress_begin(struct bench_progress *p, double left_s, const char *format, ...)
{
	char text[BENCH_PROGRESS_TEXT], line_of[BENCH_PROGRESS_TEXT + 32];
	va_list ap;

	if (!p->terminal)
		return;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	write_line(line_of, LINE, text, left_s);
	(void)fprintf(p->out, "%-*s\r", LINE, line_of);
	(void)fflush(p->out);
	p->shown = true;
}

void
bench_progress_tell(struct bench_progress *p, double left_s, const char *format, ...)
{
	char text[BENCH_PROGRESS_TEXT], line_of[BENCH_PROGRESS_TEXT + 32];
	va_list ap;

	bench_progress_end(p);
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	write_line(line_of, (int)sizeof(line_of) - 1, text, left_s);
	(void)fprintf(p->out, "%s\n", line_of);
	(void)fflush(p->out);
}
