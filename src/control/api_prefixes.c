/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_prefixes.h"

#include <string.h>

#include "config/keywords.h"
#include "config/policy_lines.h"
#include "control/conf_location.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "policy/prefix_states.h"

/* --- What there is ---------------------------------------------------------------------------- */

/* What is told of, collected once. */
struct telling {
	const struct host *host;
	const char *unsaid; /* where prefixes come from that stand at no line */
	uint64_t answers[STATS_PREFIXES];
};

const char *
api_prefixes_unsaid(const struct settings *s)
{
	return origin_default(&s->origin, keywords_find("dns64-prefix")) != NULL ? "default"
										 : "command line";
}

void
api_prefixes_add_origin(
    json_t *j, const struct host *host, const char *unsaid, const struct policy_lines_prefix *at)
{
	const char *from = "file";

	if (at == NULL) {
		from = "map";
	} else if (at->from == POLICY_LINES_TOLD) {
		from = "dns64ctl";
		(void)json_object_set_new(j, "since", json_integer((json_int_t)at->since));
	} else if (at->line == 0) {
		from = unsaid;
	} else {
		bool saved = at->from == POLICY_LINES_SAVED;

		(void)json_object_set_new(
		    j, "file", reply_text(saved ? host->settings->prefix_file : host->path));
		if (saved) {
			from = "prefix-file";
			(void)json_object_set_new(j, "line", json_integer(at->line));
		} else {
			conf_location_put(j, host->settings, at->line);
		}
	}
	(void)json_object_set_new(j, "from", json_string(from));
}

/* What prefix-check has found of prefix I of P, the policy NUMBER of S; null: nothing. */
static json_t *
check_json(const struct settings *s, size_t number, const struct policy *p, size_t i)
{
	uint64_t group =
	    policy_lines_group(s->policy_lines, policy_lines_at(s->policy_lines, number));
	const struct prefix_report *r = group == 0 || p->mapped_only[i]
	    ? NULL
	    : prefix_states_find(s->prefix_states, POLICY_PROBE, group, &p->synth.prefixes[i]);

	if (r == NULL)
		return json_null();
	return json_pack("{s:s, s:I, s:o*}", "state", policy_state_word(r->state), "since",
	    (json_int_t)r->since, "error", r->why[0] != '\0' ? reply_text(r->why) : json_null());
}

void
api_prefixes_add_state(
    json_t *j, const struct settings *s, size_t number, const struct policy *p, size_t i)
{
	(void)json_object_set_new(
	    j, "state", json_string(policy_state_word((enum policy_state)p->states[i])));
	(void)json_object_set_new(
	    j, "cause", json_string(policy_cause_word((enum policy_cause)p->causes[i])));
	(void)json_object_set_new(j, "weight", json_integer((json_int_t)p->choice.weights[i]));
	(void)json_object_set_new(j, "held", json_boolean(p->held == i));
	(void)json_object_set_new(
	    j, "check", s != NULL ? check_json(s, number, p, i) : json_null());
}

/* The prefixes of block L, the N-th. */
static json_t *
prefixes_json(const struct telling *t, const struct policy_lines *l, size_t n)
{
	const struct policy *p = &t->host->settings->conf.core.policies->table[n];
	json_t *list = json_array(), *j;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		const struct pref64 *prefix = &p->synth.prefixes[i];

		j = json_pack("{s:s, s:b, s:I}", "prefix", pref64_format(prefix, text), "map_only",
		    p->mapped_only[i], "answers", (json_int_t)t->answers[p->numbers[i]]);
		api_prefixes_add_state(j, t->host->settings, n, p, i);
		api_prefixes_add_origin(j, t->host, t->unsaid,
		    policy_lines_state(
			t->host->settings->policy_lines, l, prefix, p->mapped_only[i]));
		(void)json_array_append_new(list, j);
	}
	return list;
}

static json_t *
block_json(const struct telling *t, size_t i)
{
	const struct settings *s = t->host->settings;
	const struct policy_lines *l = policy_lines_at(s->policy_lines, i);
	bool own = l->prefixes.n > 0 || l->checks.n > 0 || l->checks_none;
	json_t *j;

	j = json_pack("{s:o*, s:b, s:o*}", "networks", conf_location_networks(l), "own", own,
	    "prefixes", prefixes_json(t, l, i));
	conf_location_put(j, s, l->line);
	return j;
}

void
api_prefixes(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	const struct settings *s = d->host.settings;
	const struct stats *all[SETTINGS_LOOPS];
	struct telling t = { .host = &d->host, .unsaid = api_prefixes_unsaid(s) };
	json_t *list = json_array();

	for (unsigned i = 0; i < d->host.n_loops; i++)
		all[i] = loop_stats(d->host.loops[i]);
	stats_sum_prefixes(all, d->host.n_loops, t.answers);
	for (size_t i = 0; i < s->policy_lines->all.n; i++)
		(void)json_array_append_new(list, block_json(&t, i));
	reply_json(r, HTTP_OK, json_pack("{s:o*}", "blocks", list));
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void
change(struct evhttp_request *r, struct control_ctx *d, enum prefix_change_what what)
{
	static const char *const yes_or_no[] = { "yes", "no", NULL };
	struct prefix_change c = { .what = what };
	json_t *p = params_read(r);
	const char *persist;

	if (p == NULL)
		return;
	c.prefix = params_text(p, "prefix");
	c.client = params_text(p, "client");
	persist = params_text(p, "persist");
	c.save = persist != NULL && strcmp(persist, "yes") == 0;
	if (c.prefix == NULL) {
		params_missing(r, p, "prefix");
	} else if (persist == NULL || c.save || strcmp(persist, "no") == 0) {
		changes_wait(&d->changes, r, &c, p);
	} else {
		json_decref(p);
		reply_error(r, HTTP_BADREQUEST, "persist is neither yes nor no", yes_or_no);
	}
}

#define CHANGE(name, what) \
	void api_prefix_##name(struct evhttp_request *r, void *arg) \
	{ \
		change(r, arg, PREFIX_CHANGE_##what); \
	}

CHANGE(add, ADD)
CHANGE(del, DEL)
CHANGE(active, ACTIVE)
CHANGE(drain, DRAIN)
CHANGE(down, DOWN)
