/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/progress.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

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

static void
show(const struct bench_progress *p)
{
	char line_of[BENCH_PROGRESS_TEXT + 32];
	uint64_t now_ns = clock_now_ns();

	write_line(line_of, LINE, p->text,
	    now_ns < p->end_ns ? (double)(p->end_ns - now_ns) / (double)NS_PER_SEC : 0);
	(void)fprintf(p->out, "%-*s\r", LINE, line_of);
	(void)fflush(p->out);
}

/* Print the line anew each second. */
static void *
tick(void *arg)
{
	struct bench_progress *p = arg;
	struct timespec then;

	(void)pthread_mutex_lock(&p->lock);
	while (!p->over) {
		(void)clock_gettime(CLOCK_REALTIME, &then);
		then.tv_sec++;
		(void)pthread_cond_timedwait(&p->wake, &p->lock, &then);
		if (!p->over)
			show(p);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

void
bench_progress_end(struct bench_progress *p)
{
	if (!p->ticking)
		return;
	(void)pthread_mutex_lock(&p->lock);
	p->over = true;
	(void)pthread_cond_signal(&p->wake);
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_join(p->ticker, NULL);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->wake);
	p->ticking = false;
	(void)fprintf(p->out, "%*s\r", LINE, "");
	(void)fflush(p->out);
}

void
bench_progress_begin(struct bench_progress *p, double left_s, const char *format, ...)
{
	va_list ap;

	bench_progress_end(p);
	if (!p->terminal)
		return;
	va_start(ap, format);
	(void)vsnprintf(p->text, sizeof(p->text), format, ap);
	va_end(ap);
	p->end_ns = clock_now_ns() + (uint64_t)(left_s > 0 ? left_s * (double)NS_PER_SEC : 0);
	p->over = false;
	show(p);
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->wake, NULL);
	p->ticking = pthread_create(&p->ticker, NULL, tick, p) == 0;
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
