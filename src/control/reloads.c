/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/reloads.h"

#include <time.h>

#include "control/reply.h"

const struct waiting_type reloads_type = { .size = sizeof(struct waiting_request),
	.max = WAITING_MAX,
	.full = "too many wait for a reload already" };

void
reloads_wait(struct reloads *rs, struct evhttp_request *r)
{
	(void)waiting_add(&rs->waiting, r);
}

void
reloads_begin(struct reloads *rs)
{
	rs->n_begun = rs->waiting.n;
	log_capture_begin(&rs->lines);
}

/* How those who wait are answered. */
struct form {
	int code;
	const char *error; /* NULL: none */
};

static const struct form forms[] = {
	[VERDICT_RELOADED] = { HTTP_OK, NULL },
	[VERDICT_REFUSED] = { REPLY_UNPROCESSABLE,
	    "refused; the configuration before stays in force" },
	[VERDICT_OVERDUE] = { HTTP_SERVUNAVAIL, "not all loops have taken it" },
};

static json_t *
describe(const struct form *f, json_t *lines)
{
	json_t *j = json_pack("{s:b, s:I, s:o*}", "done", f->error == NULL, "time",
	    (json_int_t)time(NULL), "messages", lines);

	if (j != NULL && f->error != NULL)
		(void)json_object_set_new(j, "error", json_string(f->error));
	return j;
}

void
reloads_end(struct reloads *rs, enum verdict_reload result)
{
	const struct form *f = &forms[result];

	json_decref(rs->last);
	rs->last = describe(f, log_capture_end(&rs->lines));
	for (; rs->n_begun > 0; rs->n_begun--)
		reply_json(waiting_take(&rs->waiting, 0), f->code, json_incref(rs->last));
}

void
reloads_taken(struct reloads *rs)
{
	(void)json_object_set_new(rs->last, "done", json_true());
	(void)json_object_del(rs->last, "error");
}

void
reloads_fini(struct reloads *rs)
{
	if (log_capture_listens(&rs->lines))
		json_decref(log_capture_end(&rs->lines));
	json_decref(rs->last);
}
