/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/reloads.h"

#include <string.h>
#include <time.h>

#include "control/reply.h"

void
reloads_wait(struct reloads *rs, struct evhttp_request *r)
{
	if (rs->n_waiting < HTTP_CONNECTIONS)
		rs->waiting[rs->n_waiting++] = r;
	else
		reply_error(r, HTTP_SERVUNAVAIL, "too many wait for a reload already", NULL);
}

void
reloads_begin(struct reloads *rs)
{
	rs->n_begun = rs->n_waiting;
	lines_begin(&rs->lines);
}

/* The result, in the form that each who waits gets. */
static json_t *
result(bool ok, json_t *lines)
{
	json_t *j = json_pack(
	    "{s:b, s:I, s:o*}", "done", ok, "time", (json_int_t)time(NULL), "messages", lines);

	if (j != NULL && !ok)
		(void)json_object_set_new(
		    j, "error", json_string("refused; the configuration before stays in force"));
	return j;
}

void
reloads_end(struct reloads *rs, bool ok)
{
	size_t n = rs->n_begun;

	json_decref(rs->last);
	rs->last = result(ok, lines_end(&rs->lines));
	for (size_t i = 0; i < n; i++)
		reply_json(
		    rs->waiting[i], ok ? HTTP_OK : REPLY_UNPROCESSABLE, json_incref(rs->last));
	rs->n_waiting -= n;
	memmove(rs->waiting, rs->waiting + n, rs->n_waiting * sizeof(rs->waiting[0]));
	rs->n_begun = 0;
}

void
reloads_refuse(struct reloads *rs)
{
	for (size_t i = 0; i < rs->n_waiting; i++)
		reply_error(rs->waiting[i], HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
	rs->n_waiting = 0;
	rs->n_begun = 0;
}

void
reloads_fini(struct reloads *rs)
{
	if (lines_listens(&rs->lines))
		json_decref(lines_end(&rs->lines));
	json_decref(rs->last);
	*rs = (struct reloads){ .n_waiting = 0 };
}
