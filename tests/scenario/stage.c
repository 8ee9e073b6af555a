/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/stage.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "config/keywords.h"
#include "config/policies.h"
#include "daemon/reload.h"
#include "dns/name.h"
#include "engine/engine_parts.h"
#include "policy/rate.h"
#include "support/configured.h"
#include "support/said.h"

#define START_S 1000
#define SEED 0x5eed /* of the names' hashes: the same in every run */

void
stage_fail(const struct run *r, const char *fmt, ...)
{
	char text[8000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_abort_msg("%s:%u: %s", r->file, r->line, text);
}

/* --- the engine's surroundings ---------------------------------------------------------------- */

static void
open_socket(struct run *r, unsigned u)
{
	int slot = engine_socket_add(r->e, u, 0);

	ck_assert_int_ge(slot, 0);
	engine_socket_use(r->e, (unsigned)slot);
	r->upstream_of[slot] = u;
	r->socket_of[u] = slot;
}

/* Upstream questions leave by another socket than that of SLOT. */
static void
stage_replace(struct run *r, unsigned slot)
{
	unsigned u = r->upstream_of[slot];

	if (r->socket_of[u] != (int)slot)
		return;
	engine_socket_retire(r->e, slot);
	r->draining[slot] = true;
	open_socket(r, u);
}

void
stage_sockets(struct run *r)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		bool wanted = engine_upstream(r->e, u) != NULL && engine_upstream_active(r->e, u) &&
		    !r->unplugged[u];
		int slot = r->socket_of[u];

		if (wanted == (slot >= 0))
			continue;
		if (wanted) {
			open_socket(r, u);
			continue;
		}
		engine_socket_retire(r->e, (unsigned)slot);
		r->draining[slot] = true;
		r->socket_of[u] = -1;
	}
	for (unsigned slot = 0; slot < UPSTREAM_MAX_SOCKETS; slot++) {
		if (!r->draining[slot] || engine_socket_busy(r->e, slot))
			continue;
		engine_socket_del(r->e, slot);
		r->draining[slot] = false;
	}
}

/* --- the configuration ------------------------------------------------------------------------ */

static void
put_text(struct run *r, const char *text)
{
	size_t len = strlen(text);

	if (len >= STAGE_TEXT - r->text_len)
		stage_fail(r, "the configuration is too long");
	memcpy(r->text + r->text_len, text, len + 1);
	r->text_len += len;
}

void
stage_configure(struct run *r, char **w, unsigned n)
{
	/* A misspelled event is no configuration, and an indented line would be a record. */
	if (keywords_find(w[0]) == NULL && strcmp(w[0], "}") != 0)
		stage_fail(r, "neither an event nor a keyword of dns64d.conf: %s", w[0]);
	if (r->n_records > 0)
		stage_fail(r, "a configuration line is indented");
	/* Diagnostics have the line numbers of the scenario. */
	for (; r->text_line + 1 < r->line; r->text_line++)
		put_text(r, "\n");
	for (unsigned i = 0; i < n; i++) {
		put_text(r, w[i]);
		put_text(r, i + 1 < n ? " " : "\n");
	}
	r->text_line++;
}

/* What the lines since the last settings come to. */
static struct settings *
read_settings(struct run *r)
{
	struct settings *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	configured(r->file, r->text, s);
	if (r->max_queries > 0)
		s->conf.core.max_queries = r->max_queries;
	r->text[0] = '\0';
	r->text_len = 0;
	r->text_line = 0;
	return s;
}

/* What the daemon makes for its engines at its start. */
static void
make_shared(struct run *r)
{
	struct settings *s = r->settings;
	size_t size = s->cache_size > 0 ? (size_t)s->cache_size : r->cache_size;

	s->conf.core.rates = rates_new();
	ck_assert_ptr_nonnull(s->conf.core.rates);
	if (size == 0)
		return;
	s->conf.core.cache = cache_new(size, s->conf.core.keep.stale_s, SEED);
	ck_assert_ptr_nonnull(s->conf.core.cache);
}

void
stage_engine(struct run *r)
{
	const uint64_t seed = 42;

	if (r->e != NULL)
		return;
	r->settings = read_settings(r);
	r->settings->orders = &r->orders;
	make_shared(r);
	r->e = engine_new(&r->settings->conf.core, &seed, r->now_ns);
	ck_assert_ptr_nonnull(r->e);
	stage_sockets(r);
}

void
stage_reload(struct run *r)
{
	struct settings *now = r->settings, *next = read_settings(r);

	(void)reload_keep(now, next);
	next->orders = now->orders;
	orders_keep(next);
	orders_apply(next);
	next->conf.core.cache = now->conf.core.cache;
	next->conf.core.rates = now->conf.core.rates;
	engine_set_conf(r->e, &next->conf.core, r->now_ns);
	r->settings = next;
	settings_fini(now);
	free(now);
	stage_collect(r);
}

void
stage_order(struct run *r, const struct order *w)
{
	char error[ORDERS_ERROR];

	struct policies *before = r->settings->conf.core.policies;
	static struct said said;

	if (!orders_make(&r->orders, r->settings, w, (struct orders_now){ 0, 0 }, error))
		stage_fail(r, "%s", error);
	orders_apply(r->settings);
	said_init(&said);
	r->settings->conf.core.policies = policies_make(r->settings, &said.diag);
	ck_assert_ptr_nonnull(r->settings->conf.core.policies);
	engine_set_conf(r->e, &r->settings->conf.core, r->now_ns);
	policies_unref(before);
	stage_collect(r);
}

/* --- what the engine sends and gets ----------------------------------------------------------- */

/* Which reason was counted since the last call? REASON_N: none. */
static enum reason
counted(struct run *r)
{
	const struct stats *one[1] = { engine_stats(r->e) };
	struct stats_reason now[REASON_N];
	enum reason found = REASON_N;

	stats_sum_reasons(one, 1, now);
	for (unsigned i = 0; i < REASON_N; i++) {
		if (now[i].at_once + now[i].waited != r->reasons[i].at_once + r->reasons[i].waited)
			found = (enum reason)i;
	}
	memcpy(r->reasons, now, sizeof(now));
	return found;
}

static void
collect_turn(struct run *r)
{
	struct packet_out send;

	(void)counted(r); /* what was dropped has a reason, too */

	while (engine_next(r->e, r->udp, r->tcp, &send)) {
		bool tcp = send.to.transport == TRANSPORT_TCP;
		struct sent *s = &r->pending[r->n_pending++];

		ck_assert_uint_lt(r->n_pending, STAGE_MAX_PENDING);
		s->send = send;
		s->reason = counted(r);
		s->bytes = malloc(send.len);
		ck_assert_ptr_nonnull(s->bytes);
		memcpy(s->bytes, tcp ? r->tcp : r->udp, send.len);
	}
}

void
stage_collect(struct run *r)
{
	do
		collect_turn(r);
	while (engine_work(r->e, r->now_ns));
	stage_sockets(r);
}

void
stage_input(struct run *r, const struct packet_in *in)
{
	engine_prepare(r->e, in, 1);
	/* What the engine gives up is replaced before it says more. */
	if (engine_input(r->e, in, r->now_ns) == ENGINE_SPOILT)
		stage_replace(r, in->from.sock);
	stage_collect(r);
}

/* --- words ------------------------------------------------------------------------------------ */

bool
stage_has(char **words, unsigned n, const char *word)
{
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(words[i], word) == 0)
			return true;
	}
	return false;
}

const char *
stage_value(char **words, unsigned n, const char *key)
{
	size_t len = strlen(key);

	for (unsigned i = 0; i < n; i++) {
		if (strncmp(words[i], key, len) == 0 && words[i][len] == '=')
			return words[i] + len + 1;
	}
	return NULL;
}

size_t
stage_name(const struct run *r, const char *text, uint8_t out[static DNS_NAME_MAX])
{
	size_t len = name_from_text(text, out);

	if (len == 0)
		stage_fail(r, "bad name %s", text);
	return len;
}

uint16_t
stage_type(const struct run *r, const char *text)
{
	int type = scene_type(text);

	if (type < 0)
		stage_fail(r, "bad type %s", text);
	return (uint16_t)type;
}

struct stage_asked *
stage_asked(struct run *r, const char *label)
{
	for (unsigned i = r->n_questions; i-- > 0;) {
		if (strcmp(r->questions[i].label, label) == 0)
			return &r->questions[i];
	}
	stage_fail(r, "no question called %s", label);
}

unsigned
stage_upstream(const struct run *r, const char *text)
{
	unsigned u = (unsigned)atoi(text + 1);

	if (text[0] != 'u' || u < 1 || u > UPSTREAM_MAX)
		stage_fail(r, "bad upstream %s", text);
	return u - 1;
}

/* --- begin and end ---------------------------------------------------------------------------- */

struct run *
stage_open(const char *file)
{
	struct run *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	r->file = file;
	r->now_ns = START_S * NS_PER_SEC;
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		r->socket_of[u] = -1;
	return r;
}

/* Is something still in use that belonged to queries, or to lookups that have ended? */
static bool
something_is_left(const struct engine *e)
{
	const struct queries *qs = &e->queries;
	const struct lookups *ls = &e->lookups;

	return qs->partials.n_used + qs->data.n_used + qs->svcbs.n_used + qs->long_names.n_used >
	    0 ||
	    (ls->pool.n_used == 0 &&
		ls->long_names.n_used + ls->messages.n_used + ls->replies.n_used +
			ls->kept_replies.n_used + ls->attempts.n_used >
		    0);
}

void
stage_close(struct run *r)
{
	if (r->taken != r->n_pending)
		stage_fail(r, "%u messages left over at the end", r->n_pending - r->taken);
	ck_assert_ptr_nonnull(r->e);
	if (r->text_len > 0)
		stage_fail(r, "no reload follows the last lines of a configuration");
	if (engine_in_flight(r->e) != 0)
		stage_fail(r, "%u queries in flight at the end", engine_in_flight(r->e));
	if (something_is_left(r->e))
		stage_fail(r, "a part of a query is left at the end");
	engine_free(r->e);
	rates_free(r->settings->conf.core.rates);
	cache_free(r->settings->conf.core.cache);
	settings_fini(r->settings);
	free(r->settings);
	for (unsigned i = 0; i < r->n_pending; i++)
		free(r->pending[i].bytes);
	free(r);
}
