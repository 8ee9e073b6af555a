/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/heard.h"

#include <stddef.h>

static void
hear(void *arg, enum log_level level, const char *subsystem, const char *text)
{
	static const char *const levels[] = { [LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARN] = "warning",
		[LOG_LEVEL_NOTICE] = "notice",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug" };
	struct heard *h = arg;

	if (json_array_size(h->lines) >= HEARD_MAX)
		return;
	/* What is no UTF-8 makes no JSON; the log has it. */
	(void)json_array_append_new(h->lines,
	    json_pack("{s:s, s:s, s:s}", "level", levels[level], "about", subsystem, "text", text));
}

void
heard_begin(struct heard *h)
{
	h->lines = json_array();
	h->ear = (struct log_ear){ .hear = hear, .arg = h };
	log_listen(&h->ear);
}

json_t *
heard_end(struct heard *h)
{
	json_t *lines = h->lines;

	log_listen(NULL);
	h->lines = NULL;
	return lines;
}
