/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/metric_stats.h"

#include <ctype.h>
#include <stdio.h>

#define PARTS_MAX 8
#define NAME_TEXT 64
#define HELP_TEXT 128

/* A sample: the value of the family's label, and the counter. */
struct part {
	const char *value;
	enum stats_place place;
};

/* A family of counters of which each event increments one. */
struct family {
	struct metric metric;
	const char *label; /* NULL: it has one sample, without a label */
	struct part parts[PARTS_MAX];
	size_t n;
};

#define PARTS(...) \
	{ __VA_ARGS__ }, sizeof((const struct part[]){ __VA_ARGS__ }) / sizeof(struct part)
#define FAMILY(name, help, label, ...) \
	{ \
		{ "dns64d_" name, METRIC_COUNTER, NULL, help }, label, PARTS(__VA_ARGS__) \
	}

static const struct family families[] = {
	FAMILY("cache_requests", "Questions to the cache, some answers need several", "result",
	    { "hit", STATS_cache_hits }, { "miss", STATS_cache_misses }),
	FAMILY("cache_hits", "Questions to the cache that it could answer", "type",
	    { "A", STATS_cache_hits_a }, { "AAAA", STATS_cache_hits_aaaa },
	    { "HTTPS", STATS_cache_hits_https }, { "PTR", STATS_cache_hits_ptr },
	    { "other", STATS_cache_hits_other }),
	FAMILY("cache_stale_answers", "Questions answered from an entry after its end", NULL,
	    { NULL, STATS_cache_stale }),
	FAMILY("rate_limit_exceeded", "Questions beyond rate-limit", NULL,
	    { NULL, STATS_rate_limited }),
	FAMILY("rate_limited", "What was done with questions beyond rate-limit", "action",
	    { "answered", STATS_rate_cookies }, { "slipped", STATS_rate_slipped },
	    { "dropped", STATS_rate_dropped }),
	FAMILY(
	    "connections_accepted", "Connections of clients", NULL, { NULL, STATS_tcp_accepted }),
	FAMILY("connections_closed", "Connections of clients that we closed", "cause",
	    { "refused", STATS_tcp_refused }, { "gave-way", STATS_tcp_gave_way },
	    { "idle", STATS_tcp_idle }, { "slow", STATS_tcp_slow },
	    { "stalled", STATS_tcp_stalled }),
	FAMILY("upstream_sent", "Questions sent to all upstreams", "transport",
	    { "udp", STATS_upstream_udp }, { "tcp", STATS_upstream_tcp }),
	FAMILY("upstream_accepted", "Replies accepted, of all upstreams there were", NULL,
	    { NULL, STATS_upstream_replies }),
	FAMILY("upstream_silences", "Questions without a reply in time, to all upstreams", NULL,
	    { NULL, STATS_upstream_timeouts }),
	FAMILY("near_misses", "Replies with the ID but not all that was expected", "kind",
	    { "case", STATS_upstream_case }, { "cookie", STATS_upstream_cookie },
	    { "edns", STATS_upstream_edns }, { "question", STATS_upstream_question }),
};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

static void
write_family(struct metric_text *t, const struct family *f, const struct stats_row *rows)
{
	metric_text_family(t, &f->metric);
	for (size_t i = 0; i < f->n; i++) {
		const struct metric_label label[METRIC_LABELS] = { { f->label,
		    f->parts[i].value } };

		metric_text_count(t, label, rows[f->parts[i].place].value);
	}
}

void
metric_stats_one(struct metric_text *t, const struct stats_row *row)
{
	char name[NAME_TEXT], help[HELP_TEXT];
	const struct metric metric = { name, METRIC_COUNTER, NULL, help };

	(void)snprintf(name, sizeof(name), "dns64d_%s", row->name);
	(void)snprintf(help, sizeof(help), "%s", row->help);
	help[0] = (char)toupper((unsigned char)help[0]);
	metric_text_family(t, &metric);
	metric_text_count(t, NULL, row->value);
}

void
metric_stats_write(struct metric_text *t, const struct stats_row rows[static STATS_N])
{
	/* Answers are told by reason, questions by transport and more. */
	bool told[STATS_N] = {
		[STATS_answers] = true, [STATS_client_udp] = true, [STATS_client_tcp] = true
	};

	for (size_t f = 0; f < N_FAMILIES; f++) {
		write_family(t, &families[f], rows);
		for (size_t i = 0; i < families[f].n; i++)
			told[families[f].parts[i].place] = true;
	}
	for (size_t i = 0; i < STATS_N; i++) {
		if (!told[i])
			metric_stats_one(t, &rows[i]);
	}
}
