/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_log.h"

#include <string.h>

#include "base/log.h"
#include "config/loglevel.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"

#define N_LEVELS (LOG_LEVEL_DEBUG + 1)

static json_t *
levels_json(const struct settings *s)
{
	json_t *j = json_object(), *configured = json_object();

	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		enum log_category c = (enum log_category)i;

		(void)json_object_set_new(
		    j, log_category_name(c), json_string(log_level_name(log_level_of(c))));
		(void)json_object_set_new(configured, log_category_name(c),
		    json_string(log_level_name(loglevel_of(s, c))));
	}
	return json_pack("{s:o*, s:o*, s:I}", "levels", j, "configured", configured, "lost",
	    (json_int_t)log_lost());
}

/* Find the level TEXT. False: it is none, and R was answered. */
static bool
find_level(struct evhttp_request *r, const char *text, enum log_level *level)
{
	const char *words[N_LEVELS + 1] = { NULL };

	for (unsigned i = 0; i < N_LEVELS; i++) {
		words[i] = log_level_name((enum log_level)i);
		*level = (enum log_level)i;
		if (text != NULL && strcmp(text, words[i]) == 0)
			return true;
	}
	reply_error(r, HTTP_BADREQUEST, "level is not a level of the log", words);
	return false;
}

/* Find the category TEXT. False: it is none, and R was answered. */
static bool
find_category(struct evhttp_request *r, const char *text, enum log_category *category)
{
	const char *words[LOG_CATEGORIES + 1] = { NULL };

	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		words[i] = log_category_name((enum log_category)i);
		*category = (enum log_category)i;
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	reply_error(r, HTTP_BADREQUEST, "category is not one of the log", words);
	return false;
}

/* Do what P says. False: it is wrong, and R was answered. */
static bool
set(struct evhttp_request *r, const json_t *p)
{
	const char *of = params_text(p, "category");
	enum log_category category = LOG_ANY;
	enum log_level level;

	if ((of != NULL && !find_category(r, of, &category)) ||
	    !find_level(r, params_text(p, "level"), &level))
		return false;
	log_notice(LOG_CONTROL, "log level %s%s%s, until the next reload", of != NULL ? of : "",
	    of != NULL ? " " : "", log_level_name(level));
	if (of != NULL)
		log_set_category(category, level);
	else
		log_set_level(level);
	return true;
}

void
api_log_level(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	json_t *p = params_read(r);
	bool ok = p != NULL && (!params_posted(r) || set(r, p));

	json_decref(p);
	if (ok)
		reply_json(r, HTTP_OK, levels_json(d->host.settings));
}
