/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/stage.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine_parts.h"
#include "dns/name.h"
#include "scenario/keeping.h"
#include "support/plan.h"

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

void
stage_settings(struct run *r)
{
	const char *lines[STAGE_MAX_PLAN];

	for (unsigned i = 0; i < r->n_plan; i++)
		lines[i] = r->plan[i];
	r->conf.policies = plan_policies(lines, r->n_plan);
	r->active = r->conf;
}

void
stage_engine(struct run *r)
{
	const uint64_t seed = 42;

	if (r->e != NULL)
		return;
	keeping_open(r);
	stage_settings(r);
	r->e = engine_new(&r->active, &seed, r->now_ns);
	ck_assert_ptr_nonnull(r->e);
	stage_sockets(r);
}

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
		bool tcp = send.way == PACKET_CLIENT_TCP || send.way == PACKET_UPSTREAM_TCP;
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
		stage_replace(r, in->sock);
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

struct asked *
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
	r->now_ns = 1000000000000;
	r->conf.selection = CONF_IN_ORDER;
	r->conf.timeout_ms = 1000;
	r->conf.resend_attempts = 2;
	r->conf.max_upstream_questions = 24;
	r->conf.udp_size_client = 1232;
	r->conf.udp_size_upstream = 1232;
	r->conf.max_queries = 1024;
	r->conf.max_waiting_per_client = 1000;
	r->conf.max_same_question = 16;
	keeping_defaults(&r->conf.keep);
	r->conf.n_upstreams = 1;
	ck_assert(netaddr_parse("192.0.2.1", 53, &r->conf.upstreams[0]));
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
	if (engine_in_flight(r->e) != 0)
		stage_fail(r, "%u queries in flight at the end", engine_in_flight(r->e));
	if (something_is_left(r->e))
		stage_fail(r, "a part of a query is left at the end");
	engine_free(r->e);
	keeping_close(r);
	policies_unref(r->active.policies);
	for (unsigned i = 0; i < r->n_pending; i++)
		free(r->pending[i].bytes);
	free(r);
}
