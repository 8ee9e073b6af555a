/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/prefixes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "config/prefix_file.h"
#include "config/values.h"
#include "daemon/conf_push.h"
#include "daemon/newfile.h"

/* --- A change --------------------------------------------------------------------------------- */

#define NONE_TOLD 8 /* policies without an active prefix that are named */

/* A change that is being made. */
struct work {
	struct settings *s;
	const struct prefix_change *c;
	char *error;      /* HOST_ERROR bytes */
	const char *file; /* that errors begin with */
};

/* Keep the first error. Where it names a line of the file, that stays. */
static void
keep(void *ctx, enum diag_kind kind, const char *text)
{
	const struct work *w = ctx;
	size_t len = strlen(w->file);

	if (kind != DIAG_ERROR || w->error[0] != '\0')
		return;
	if (strncmp(text, w->file, len) == 0 && strncmp(text + len, ": ", 2) == 0)
		text += len + 2;
	snprintf(w->error, HOST_ERROR, "%s", text);
}

/* Write prefix-file, if that is wanted. */
static bool
write_file(const struct work *w)
{
	const char *path = w->s->prefix_file;
	size_t len;
	char *text;
	int rc;

	if (!w->c->save)
		return true;
	text = prefix_file_text(w->s->policy_lines, &len);
	rc = text == NULL ? -ENOMEM : newfile_create(path, 0644);
	if (rc >= 0)
		rc = newfile_end(path, rc, newfile_write(rc, text, len));
	free(text);
	if (rc != 0)
		snprintf(w->error, HOST_ERROR, "prefix-file %s cannot be written: %s", path,
		    strerror(-rc));
	return rc == 0;
}

/* Have the loops work by NEXT. False: nothing is changed, and NEXT is still the caller's. */
static bool
use(const struct work *w, struct threads *t, struct policies *next)
{
	struct policies *before = w->s->conf.core.policies;
	struct conf_push p = { .n_added = 0 };
	bool ok;

	w->s->conf.core.policies = next;
	ok = conf_push_pack(&p, t->n, &w->s->conf.io, w->s);
	/* The last that can fail. */
	if (ok && !write_file(w)) {
		conf_push_free(&p, t->n);
		ok = false;
	}
	if (ok)
		conf_push_post(&p, t);
	else
		w->s->conf.core.policies = before;
	policies_unref(ok ? before : NULL);
	return ok;
}

/* How many policies of S have PREFIX in another state than in BEFORE, or no more, or only now. */
static size_t
n_changed(const struct settings *s, const struct policies *before, const char *prefix)
{
	const struct policies *now = s->conf.core.policies;
	struct pref64 p;
	size_t n = 0;

	if (pref64_parse(prefix, &p) != PREF64_OK)
		return 0;
	for (size_t i = 0; i < now->n; i++)
		n += policy_state_of(&now->table[i], &p) != policy_state_of(&before->table[i], &p);
	return n;
}

static void
tell(const struct settings *s, const struct policies *before, const struct prefix_change *c)
{
	log_notice(LOG_CONFIG, "prefix %s %s%s%s: done, %s%s; changed for %zu of %zu policies",
	    prefix_change_word(c->what), c->prefix, c->client != NULL ? " client " : "",
	    c->client != NULL ? c->client : "", c->save ? "saved in " : "until the next reload",
	    c->save ? s->prefix_file : "", n_changed(s, before, c->prefix),
	    s->conf.core.policies->n);
}

/* Warn of policies that had an active prefix BEFORE, and have none any more. */
static void
warn_none(const struct settings *s, const struct policies *before)
{
	const struct policies *now = s->conf.core.policies;
	unsigned n = 0;

	for (size_t i = 0; i < now->n; i++) {
		const struct policy_lines_net *net =
		    policy_lines_at(s->policy_lines, i)->nets.items;
		char text[VALUE_NET_TEXT];

		if (now->table[i].synth.active_bits != 0 ||
		    before->table[i].synth.active_bits == 0 || ++n > NONE_TOLD)
			continue;
		log_warn(LOG_CONFIG, "no prefix is active: there is no DNS64 %s%s",
		    i == 0 ? "outside of client blocks" : "for client ",
		    i == 0 ? "" : value_net_format(&net[0].net, text));
	}
	if (n > NONE_TOLD)
		log_warn(LOG_CONFIG, "no prefix is active: there is no DNS64 in %u more blocks",
		    n - NONE_TOLD);
}

enum host_verdict
prefixes_change(struct settings *s, struct threads *t, const char *path,
    const struct prefix_change *c, char error[static HOST_ERROR])
{
	struct work w = { .s = s, .c = c, .error = error, .file = path };
	struct diag d = { .file = w.file, .places = &s->places, .sink = keep, .ctx = &w };
	struct prefix_change_made made;
	struct policies *next, *before;

	error[0] = '\0';
	if (c->save && s->prefix_file[0] != '/') {
		snprintf(error, HOST_ERROR,
		    "there is no file to save it in; the keyword prefix-file names one, and takes "
		    "a restart");
		return HOST_UNABLE;
	}
	if (!prefix_change_make(s, c, time(NULL), &made, &d))
		return HOST_WRONG;
	next = prefix_change_policies(s, c, &d);
	before = policies_ref(s->conf.core.policies);
	if (next != NULL && use(&w, t, next)) {
		prefix_change_keep(s, &made);
		tell(s, before, c);
		warn_none(s, before);
		policies_unref(before);
		return HOST_DONE;
	}
	policies_unref(before);
	prefix_change_undo(&made);
	policies_unref(next);
	if (error[0] == '\0')
		snprintf(error, HOST_ERROR, "there is no memory for it");
	return next == NULL ? HOST_WRONG : HOST_UNABLE;
}

/* --- A reload --------------------------------------------------------------------------------- */

/* The block of NEXT for block L of the settings before; NULL: there is none any more. */
static const struct policy_lines *
same_block(const struct settings *next, const struct policy_lines *l)
{
	const struct policy_lines_net *n = l->nets.items;

	return l->line == 0 ? policy_lines_at(next->policy_lines, 0)
			    : policy_lines_of(next->policy_lines, &n[0].net);
}

/* Log the prefixes of BEFORE that AFTER does not have, or has in another state. */
static void
tell_gone(const struct array *before, const struct array *after, const char *where)
{
	const struct policy_lines_prefix *p = before->items;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < before->n; i++) {
		const struct policy_lines_prefix *q = policy_lines_find(after, &p[i].prefix);

		if (q == NULL)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is not there any more",
			    pref64_format(&p[i].prefix, text), where);
		else if (q->state != p[i].state)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is %s again",
			    pref64_format(&p[i].prefix, text), where, policy_state_word(q->state));
	}
}

/* Log the prefixes of AFTER that BEFORE does not have. */
static void
tell_back(const struct array *before, const struct array *after, const char *where)
{
	const struct policy_lines_prefix *p = after->items;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < after->n; i++) {
		if (policy_lines_find(before, &p[i].prefix) == NULL)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is there again",
			    pref64_format(&p[i].prefix, text), where);
	}
}

/* Log the states of prefixes in map lines of block L of NOW that NEXT, of which TO is that block,
 * has not. */
static void
tell_vias(const struct settings *next, const struct policy_lines *l, const struct policy_lines *to,
    const char *where)
{
	const struct policy_lines_prefix *p = l->vias.items, *q;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < l->vias.n; i++) {
		enum policy_state state;

		q = policy_lines_via(next->policy_lines, to, &p[i].prefix);
		state = q != NULL ? q->state : POLICY_ACTIVE;
		if (state != p[i].state)
			log_notice(LOG_CONFIG,
			    "undoes dns64ctl prefix: %s of map lines%s is %s again",
			    pref64_format(&p[i].prefix, text), where, policy_state_word(state));
	}
}

void
prefixes_tell_undone(const struct settings *now, const struct settings *next)
{
	for (size_t i = 0; i < now->policy_lines->all.n; i++) {
		const struct policy_lines *l = policy_lines_at(now->policy_lines, i), *to;
		const struct policy_lines_net *n = l->nets.items;
		const struct array *before, *after;
		char where[VALUE_NET_TEXT + 16] = "", net[VALUE_NET_TEXT];

		if (l->told == 0)
			continue;
		to = same_block(next, l);
		if (to == NULL)
			continue; /* its clients are others' */
		if (i > 0)
			snprintf(
			    where, sizeof(where), " (client %s)", value_net_format(&n[0].net, net));
		before = policy_lines_in_force(now->policy_lines, l);
		after = policy_lines_in_force(next->policy_lines, to);
		tell_gone(before, after, where);
		tell_back(before, after, where);
		tell_vias(next, l, to, where);
	}
}
