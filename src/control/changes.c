/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/changes.h"

#include "base/clock.h"
#include "base/list.h"
#include "config/policy_lines.h"
#include "control/conf_location.h"
#include "control/host_ops.h"
#include "control/log_capture.h"
#include "control/reply.h"

struct changes_request {
	struct waiting_request base;
	json_t *params; /* owned: the texts of what follows */
	bool is_order;
	struct prefix_change change; /* if it is none */
	struct order order;          /* if it is one */
	json_t *answer;              /* owned: it was made; NULL: not yet */
};

static void
release(void *request)
{
	const struct changes_request *own = request;

	json_decref(own->params);
	json_decref(own->answer);
}

/* The state that C wants; -1: gone. */
static int
wanted(const struct prefix_change *c)
{
	static const int states[] = { [PREFIX_CHANGE_ADD] = POLICY_ACTIVE,
		[PREFIX_CHANGE_DEL] = -1,
		[PREFIX_CHANGE_ACTIVE] = POLICY_ACTIVE,
		[PREFIX_CHANGE_DRAIN] = POLICY_DRAIN,
		[PREFIX_CHANGE_DOWN] = POLICY_DOWN };

	return states[c->what];
}

static json_t *
state_json(int state)
{
	return state < 0 ? json_null() : json_string(policy_state_word((enum policy_state)state));
}

/*
 * Append to CHANGED the policies of S that have the prefix of C otherwise than in BEFORE, and to
 * OTHERS those that have it otherwise than C says nevertheless.
 */
static void
compare(const struct settings *s, const struct policies *before, const struct prefix_change *c,
    json_t *changed, json_t *others)
{
	const struct policies *now = s->conf.core.policies;
	bool adds = c->what == PREFIX_CHANGE_ADD;
	struct pref64 p;

	if (pref64_parse(c->prefix, &p) != PREF64_OK)
		return;
	for (size_t i = 0; i < now->n; i++) {
		const struct policy_lines *l = policy_lines_at(s->policy_lines, i);
		int was = policy_state_of(&before->table[i], &p);
		int is = policy_state_of(&now->table[i], &p);
		json_t *j;

		if (was == is && (is == wanted(c) || (is < 0 && !adds)))
			continue;
		j = json_pack(
		    "{s:o*, s:o}", "networks", conf_location_networks(l), "state", state_json(is));
		conf_location_put(j, s, l->line);
		if (was != is)
			(void)json_object_set_new(j, "before", state_json(was));
		(void)json_array_append_new(was != is ? changed : others, j);
	}
}

/* The answer to FIRST, made since BEFORE was in force; SAID is passed on. */
static json_t *
answer_of(const struct host *host, const struct policies *before,
    const struct changes_request *first, json_t *said)
{
	json_t *changed, *others;

	if (first->is_order)
		return json_pack("{s:b, s:o*}", "done", 1, "messages", said);
	changed = json_array();
	others = json_array();
	compare(host->settings, before, &first->change, changed, others);
	return json_pack("{s:b, s:o*, s:o*, s:o*}", "done", 1, "messages", said, "changed", changed,
	    "unchanged", others);
}

/* Make what FIRST wants, which is answered if that fails. */
static void
make(struct changes *cs, struct changes_request *first)
{
	const struct host *host = cs->waiting.host;
	char error[HOST_ERROR];
	enum host_verdict verdict;
	struct policies *before = policies_ref(host->settings->conf.core.policies);
	struct log_capture lines;
	json_t *said;

	log_capture_begin(&lines);
	verdict = first->is_order ? host->ops->order(host->arg, &first->order, error)
				  : host->ops->change(host->arg, &first->change, error);
	said = log_capture_end(&lines);
	if (verdict == HOST_DONE)
		first->answer = answer_of(host, before, first, said);
	policies_unref(before);
	if (verdict == HOST_DONE)
		return;
	json_decref(said);
	reply_error(waiting_take(&cs->waiting, 0),
	    verdict == HOST_WRONG ? HTTP_BADREQUEST : REPLY_UNPROCESSABLE, error, NULL);
}

static void
wait_anew(struct changes *cs)
{
	cs->end_ns = clock_now_ns() + CHANGES_MS * NS_PER_MS;
}

/* A loop takes too long: nobody waits any longer. */
static void
give_up(struct changes *cs, const struct changes_request *first)
{
	const char *error = first->answer != NULL
	    ? "made, but not all loops have taken it; dns64ctl status tells how they are"
	    : "not made: a loop has not taken the change before; dns64ctl status tells how it is";

	reply_error(waiting_take(&cs->waiting, 0), HTTP_SERVUNAVAIL, error, NULL);
}

/* Go on for as long as no loop is waited for. */
static uint32_t
poll_loops(struct waiting *w)
{
	struct changes *cs = LIST_OBJECT(w, struct changes, waiting);
	struct changes_request *first;
	json_t *answer;

	while ((first = w->of[0]) != NULL) {
		if (w->host->ops->is_changing(w->host->arg)) {
			if (clock_now_ns() < cs->end_ns)
				return WAITING_POLL_US;
			give_up(cs, first);
			continue;
		}
		wait_anew(cs);
		answer = json_incref(first->answer);
		if (answer == NULL)
			make(cs, first);
		else
			reply_json(waiting_take(w, 0), HTTP_OK, answer);
	}
	return 0;
}

const struct waiting_type changes_type = { .size = sizeof(struct changes_request),
	.max = WAITING_MAX,
	.full = "too many wait for a change already",
	.poll = poll_loops,
	.release = release };

static void
append(struct changes *cs, const struct changes_request *wanted)
{
	struct changes_request *request;

	if (cs->waiting.n == 0)
		wait_anew(cs);
	request = waiting_add(&cs->waiting, wanted->base.r);
	if (request != NULL)
		*request = *wanted;
	else
		json_decref(wanted->params);
}

void
changes_wait(
    struct changes *cs, struct evhttp_request *r, const struct prefix_change *c, json_t *params)
{
	append(cs, &(struct changes_request){ .base = { r }, .params = params, .change = *c });
}

void
changes_order(struct changes *cs, struct evhttp_request *r, const struct order *w, json_t *params)
{
	append(cs,
	    &(struct changes_request){
		.base = { r }, .params = params, .is_order = true, .order = *w });
}
