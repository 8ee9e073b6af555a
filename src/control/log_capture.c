/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/log_capture.h"

#include <stddef.h>

#include "control/reply.h"

static void
hear(void *arg, enum log_level level, enum log_category category, const char *text)
{
	static const char *const levels[] = { [LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARN] = "warning",
		[LOG_LEVEL_NOTICE] = "notice",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug" };
	struct log_capture *h = arg;

	if (json_array_size(h->list) >= LOG_CAPTURE_MAX)
		return;
	(void)json_array_append_new(h->list,
	    json_pack("{s:s, s:s, s:o}", "level", levels[level], "about",
		log_category_name(category), "text", reply_text(text)));
}

void
log_capture_begin(struct log_capture *h)
{
	h->list = json_array();
	h->ear = (struct log_ear){ .hear = hear, .arg = h };
	h->before = log_listen(&h->ear);
}

json_t *
log_capture_end(struct log_capture *h)
{
	json_t *list = h->list;

	(void)log_listen(h->before);
	*h = (struct log_capture){ .list = NULL };
	return list;
}

void
log_capture_answer(struct log_capture *h, struct evhttp_request *r, bool ok, const char *error)
{
	reply_json(r, ok ? HTTP_OK : REPLY_UNPROCESSABLE,
	    json_pack("{s:b, s:o*, s:s*}", "done", ok, "messages", log_capture_end(h), "error",
		ok ? NULL : error));
}
