/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/progress.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define LINE 79 /* columns of the line that is overwritten */
#define LINE_BYTES (BENCH_PROGRESS_TEXT + 32)

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
static void PRINTF_LIKE(4, 0) write_line(
    char line_of[static LINE_BYTES], int width, double left_s, const char *format, va_list ap)
{
	unsigned long left = left_s > 0 ? (unsigned long)(left_s + 0.5) : 0;
	char text[BENCH_PROGRESS_TEXT], time[32];
	int n = snprintf(
	    time, sizeof(time), ", %lu:%02lu:%02lu left", left / 3600, left / 60 % 60, left % 60);

	(void)vsnprintf(text, sizeof(text), format, ap);
	(void)snprintf(line_of, LINE_BYTES, "%.*s%s", width - n, text, time);
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
	char line_of[LINE_BYTES];
	va_list ap;

	if (!p->terminal)
		return;
	va_start(ap, format);
	write_line(line_of, LINE, left_s, format, ap);
	va_end(ap);
	(void)fprintf(p->out, "%-*s\r", LINE, line_of);
	(void)fflush(p->out);
	p->shown = true;
}

void
bench_progress_tell(struct bench_progress *p, double left_s, const char *format, ...)
{
	char line_of[LINE_BYTES];
	va_list ap;

	bench_progress_end(p);
	va_start(ap, format);
	write_line(line_of, LINE_BYTES - 1, left_s, format, ap);
	va_end(ap);
	(void)fprintf(p->out, "%s\n", line_of);
	(void)fflush(p->out);
}
