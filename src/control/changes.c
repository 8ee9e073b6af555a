/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/changes.h"

#include <string.h>

#include "base/clock.h"
#include "config/policy_lines.h"
#include "config/prefix_file.h"
#include "control/conf_location.h"
#include "control/host_ops.h"
#include "control/log_capture.h"
#include "control/reply.h"

/* Take the first away, who is to be answered. */
static struct evhttp_request *
take_first(struct changes *cs)
{
	struct evhttp_request *r = cs->waiting[0].r;

	json_decref(cs->waiting[0].params);
	cs->n_waiting--;
	memmove(cs->waiting, cs->waiting + 1, cs->n_waiting * sizeof(cs->waiting[0]));
	return r;
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
	return state < 0 ? json_null() : json_string(prefix_file_state((enum policy_state)state));
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

/* The answer to W, made since BEFORE was in force; SAID is passed on. */
static json_t *
answer_of(const struct host *host, const struct policies *before, const struct changes_waiter *w,
    json_t *said)
{
	json_t *changed, *others;

	if (w->is_order)
		return json_pack("{s:b, s:o*}", "done", 1, "messages", said);
	changed = json_array();
	others = json_array();
	compare(host->settings, before, &w->change, changed, others);
	return json_pack("{s:b, s:o*, s:o*, s:o*}", "done", 1, "messages", said, "changed", changed,
	    "unchanged", others);
}

/* What the daemon makes of what W wants. */
static enum host_verdict
try(const struct host *host, const struct changes_waiter *w, char error[static HOST_ERROR])
{
	return w->is_order ? host->ops->order(host->arg, &w->order, error)
			   : host->ops->change(host->arg, &w->change, error);
}

/* Make the change of the first, who is answered if that fails. */
static void
make_first(struct changes *cs)
{
	char error[HOST_ERROR];
	enum host_verdict verdict;
	struct policies *before = policies_ref(cs->host->settings->conf.core.policies);
	struct log_capture lines;
	json_t *said;

	log_capture_begin(&lines);
	verdict = try(cs->host, &cs->waiting[0], error);
	said = log_capture_end(&lines);
	if (verdict == HOST_DONE)
		cs->answer = answer_of(cs->host, before, &cs->waiting[0], said);
	policies_unref(before);
	if (verdict == HOST_DONE)
		return;
	json_decref(said);
	reply_error(take_first(cs), verdict == HOST_WRONG ? HTTP_BADREQUEST : REPLY_UNPROCESSABLE,
	    error, NULL);
}

static void
wait_anew(struct changes *cs)
{
	cs->end_ns = clock_now_ns() + CHANGES_MS * NS_PER_MS;
}

/* A loop takes too long: nobody waits any longer. */
static void
give_up(struct changes *cs)
{
	const char *error = cs->answer != NULL
	    ? "made, but not all loops have taken it; dns64ctl status tells how they are"
	    : "not made: a loop has not taken the change before; dns64ctl status tells how it is";

	json_decref(cs->answer);
	cs->answer = NULL;
	reply_error(take_first(cs), HTTP_SERVUNAVAIL, error, NULL);
}

/* Go on for as long as no loop is waited for. */
static void
go_on(struct changes *cs)
{
	while (cs->n_waiting > 0) {
		json_t *answer = cs->answer;

		if (cs->host->ops->is_changing(cs->host->arg)) {
			if (clock_now_ns() < cs->end_ns)
				return;
			give_up(cs);
			continue;
		}
		wait_anew(cs);
		if (answer == NULL) {
			make_first(cs);
			continue;
		}
		cs->answer = NULL;
		reply_json(take_first(cs), HTTP_OK, answer);
	}
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval soon = { .tv_usec = 1000 };
	struct changes *cs = arg;

	(void)fd;
	(void)what;
	go_on(cs);
	if (cs->n_waiting > 0)
		(void)event_add(cs->timer, &soon);
}

bool
changes_init(struct changes *cs, const struct host *host)
{
	*cs = (struct changes){ .host = host };
	cs->timer = evtimer_new(host->base, on_timer, cs);
	return cs->timer != NULL;
}

static void
wait_for(struct changes *cs, const struct changes_waiter *w)
{
	if (cs->n_waiting == HTTP_CONNECTIONS) {
		json_decref(w->params);
		reply_error(w->r, HTTP_SERVUNAVAIL, "too many wait for a change already", NULL);
		return;
	}
	if (cs->n_waiting == 0)
		wait_anew(cs);
	cs->waiting[cs->n_waiting++] = *w;
	event_active(cs->timer, EV_TIMEOUT, 1);
}

void
changes_wait(
    struct changes *cs, struct evhttp_request *r, const struct prefix_change *c, json_t *params)
{
	wait_for(cs, &(struct changes_waiter){ .r = r, .params = params, .change = *c });
}

void
changes_order(struct changes *cs, struct evhttp_request *r, const struct order *w, json_t *params)
{
	wait_for(cs,
	    &(struct changes_waiter){ .r = r, .params = params, .is_order = true, .order = *w });
}

void
changes_refuse(struct changes *cs)
{
	while (cs->n_waiting > 0)
		reply_error(take_first(cs), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
}

void
changes_fini(struct changes *cs)
{
	for (size_t i = 0; i < cs->n_waiting; i++)
		json_decref(cs->waiting[i].params);
	json_decref(cs->answer);
	if (cs->timer != NULL)
		event_free(cs->timer);
	*cs = (struct changes){ .timer = NULL };
}
