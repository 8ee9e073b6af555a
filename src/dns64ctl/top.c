/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/top.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "dns64ctl/show_parts.h"

/* A column: the sum of counters, in a second; with PARTS, as the part of theirs. */
struct column {
	const char *name;
	const char *counters[2]; /* the second may be NULL */
	const char *whole[2];    /* percent of these; NULL: in a second */
};

static const struct column columns[] = {
	{ "questions", { "client_udp", "client_tcp" }, { NULL } },
	{ "answers", { "answers" }, { NULL } },
	{ "synthesized", { "synthesized" }, { NULL } },
	{ "native", { "aaaa_native" }, { NULL } },
	{ "servfail", { "answers_servfail" }, { NULL } },
	{ "refused", { "client_refused" }, { NULL } },
	{ "limited", { "rate_limited" }, { NULL } },
	{ "hits %", { "cache_hits" }, { "cache_hits", "cache_misses" } },
	{ "upstream", { "upstream_udp", "upstream_tcp" }, { NULL } },
	{ "timeouts", { "upstream_timeouts" }, { NULL } },
};

#define WIDTH 12

void
top_heading(FILE *out)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(out, "%*s", WIDTH, columns[i].name);
	fprintf(out, "%*s\n", WIDTH, "in flight");
}

/* How much the counters of NAMES grew from BEFORE to NOW. */
static double
grown(const json_t *before, const json_t *now, const char *const names[static 2])
{
	const json_t *old = json_object_get(before, "counters");
	const json_t *new = json_object_get(now, "counters");
	double sum = 0;

	for (size_t i = 0; i < 2 && names[i] != NULL; i++)
		sum += json_number_value(json_object_get(new, names[i])) -
		    json_number_value(json_object_get(old, names[i]));
	/* Negative: it is another daemon meanwhile. */
	return sum > 0 ? sum : 0;
}

void
top_line(const json_t *before, const json_t *now, FILE *out)
{
	double s = json_number_value(json_object_get(now, "time")) -
	    json_number_value(json_object_get(before, "time"));

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const struct column *c = &columns[i];
		double n = grown(before, now, c->counters);
		double whole = c->whole[0] == NULL ? s : grown(before, now, c->whole) / 100;

		if (whole > 0)
			fprintf(out, "%*.0f", WIDTH, n / whole);
		else
			fprintf(out, "%*s", WIDTH, "-");
	}
	fprintf(out, "%*.0f\n", WIDTH, json_number_value(json_object_get(now, "in_flight")));
	fflush(out);
}

/* Signals that end or stop a program that knows nothing of them. */
static void
ending(sigset_t *set)
{
	static const int all[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sigaddset(set, all[i]);
}

bool
top_wait(void)
{
	struct pollfd in[2] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .events = POLLIN } };
	struct termios usual, raw;
	bool typed = false;
	sigset_t set, before;
	char c = 'q';

	if (tcgetattr(STDIN_FILENO, &usual) != 0) {
		(void)sleep(1);
		return false;
	}
	/*
	 * A letter counts without the return key, and is not shown. A signal, as of ^C, ends the
	 * wait, but has its effect only when the terminal is as before.
	 */
	ending(&set);
	(void)sigprocmask(SIG_BLOCK, &set, &before);
	in[1].fd = signalfd(-1, &set, SFD_CLOEXEC);
	raw = usual;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	if (poll(in, 2, 1000) > 0 && in[0].revents != 0)
		typed = read(STDIN_FILENO, &c, 1) <= 0 || c == 'q' || c == 'Q';
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &usual);
	if (in[1].fd >= 0)
		close(in[1].fd);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return typed;
}

/* --- what occurs most ------------------------------------------------------------------------- */

/* A line for each of LIST: how often at most, how much less it may be, the part of ALL, KEYS. */
static void
put_counts(const json_t *list, double all, const char *const keys[static 3], FILE *out)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		double count = json_number_value(json_object_get(item, "count"));

		fprintf(out, "%*.0f %*.0f %5.1f%% ", WIDTH, count, WIDTH,
		    json_number_value(json_object_get(item, "error")),
		    all > 0 ? 100 * count / all : 0.0);
		for (size_t k = 0; k < 3 && keys[k] != NULL; k++) {
			if (json_object_get(item, keys[k]) == NULL)
				continue;
			fputc(' ', out);
			show_put(show_text(item, keys[k]), out);
		}
		fputc('\n', out);
	}
}

void
top_show(const json_t *j, FILE *out)
{
	static const char *const name[] = { "name", "rcode", "reason" },
				 *const client[] = { "client", NULL, NULL },
				 *const network[] = { "network", NULL, NULL };
	const json_t *networks = json_object_get(j, "networks");
	double all = json_number_value(json_object_get(j, "answers"));

	fprintf(out, "%.0f answers counted in %.1f s; each that is not listed: %.0f at most\n", all,
	    json_number_value(json_object_get(j, "counted_s")),
	    json_number_value(json_object_get(j, "others_most")));
	if (show_number(j, "loops_silent") > 0)
		fprintf(out, "%.0f loops did not answer in time\n",
		    (double)show_number(j, "loops_silent"));
	fprintf(out, "%*s %*s %6s\n", WIDTH, "at most", WIDTH, "or less by", "part");
	put_counts(json_object_get(j, "top"), all, networks != NULL ? client : name, out);
	if (json_array_size(networks) > 0)
		fputs("much of it from:\n", out);
	put_counts(networks, all, network, out);
}
