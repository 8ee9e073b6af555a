/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/joins.h"

#include <inttypes.h>

#include "base/log.h"
#include "config/keywords.h"

/* NAME, if it is given, sets what OTHER sets: that both are there is an error. */
static bool
sets_alone(const struct settings *s, const char *name, const char *other, struct diag *d)
{
	unsigned here = keywords_line(s, name), there = keywords_line(s, other);
	char line[DIAG_LINE];

	if (here == 0 || there == 0)
		return true;
	diag_error(d, here, name, "sets the same as %s at %s; only one of them may be given", other,
	    diag_line(d, there, here, line));
	return false;
}

/* MTD64 writes upstream-timeout as seconds and microseconds. */
static void
join_timeout(struct settings *s, struct diag *d)
{
	const struct keyword *whole = keywords_find("upstream-timeout");
	unsigned sec = keywords_line(s, "timeout-time-sec");
	unsigned usec = keywords_line(s, "timeout-time-usec");
	uint32_t ms = s->timeout_sec * 1000 + s->timeout_usec / 1000;

	if (sec == 0 && usec == 0)
		return;
	if (sets_alone(s, sec > 0 ? "timeout-time-sec" : "timeout-time-usec", whole->name, d)) {
		if (sec == 0)
			diag_error(
			    d, usec, "timeout-time-usec", "needs a timeout-time-sec beside it");
		else if (ms < whole->min || ms > whole->max)
			diag_error(d, sec, "timeout-time-sec",
			    "makes %u.%03u s in all; allowed is a time from 0.1 to 5 seconds",
			    ms / 1000, ms % 1000);
	}
	s->conf.core.timeout_ms = ms;
}

/* mtd64-ng counts the attempts after the first one. */
static void
join_tries(struct settings *s, struct diag *d)
{
	if (keywords_line(s, "resend-attempts") == 0)
		return;
	(void)sets_alone(s, "resend-attempts", "upstream-tries", d);
	s->conf.core.upstream_tries =
	    (uint8_t)(s->resend_attempts < CONF_MOST_TRIES - 1 ? s->resend_attempts + 1
							       : CONF_MOST_TRIES);
}

/* The keyword debugging of mtd64-ng sets the log level. */
static void
join_log_level(struct settings *s, struct diag *d)
{
	if (!s->debugging)
		return;
	(void)sets_alone(s, "debugging", "log-level", d);
	s->log_levels.all = LOG_LEVEL_DEBUG + 1;
}

/* Find keywords about a cache that is off, and bounds that contradict each other. */
static void
check_cache(const struct settings *s, struct diag *d)
{
	static const char *const words[] = { "cache-min-ttl", "cache-max-ttl", "cache-max-negative",
		"cache-failure-ttl", "serve-stale", "nxdomain-cut", "prefetch", "rrset-order",
		"cache-file" };
	const struct conf_cache *c = &s->conf.core.keep;
	unsigned least = keywords_line(s, "cache-min-ttl"),
		 most = keywords_line(s, "cache-max-ttl");

	if (c->min_ttl_s > c->max_ttl_s)
		diag_error(d, least > most ? least : most,
		    least > most ? "cache-min-ttl" : "cache-max-ttl",
		    "cache-min-ttl %" PRIu32 " is more than cache-max-ttl %" PRIu32, c->min_ttl_s,
		    c->max_ttl_s);
	/* cache_size is 0 also if its line was wrong. */
	if (s->cache_size > 0 || d->n_errors > 0)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		unsigned line = keywords_line(s, words[i]);

		if (line > 0)
			diag_notice(d, line, words[i], "has no effect with cache-size 0");
	}
}

void
joins_check(struct settings *s, struct diag *d)
{
	join_timeout(s, d);
	join_tries(s, d);
	join_log_level(s, d);
	check_cache(s, d);
}
