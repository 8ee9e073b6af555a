/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_config.h"

#include <string.h>

#include "config/keywords.h"
#include "control/desk.h"
#include "control/reply.h"

static json_t *
line_json(const struct origin_line *l)
{
	json_t *value = l->keyword->secret ? json_null() : reply_text(l->value);
	json_t *j = json_pack("{s:s, s:o, s:s}", "keyword", l->keyword->name, "value", value,
	    "from", l->line > 0 ? "file" : "command line");

	if (l->line > 0)
		(void)json_object_set_new(j, "line", json_integer(l->line));
	if (l->block > 0)
		(void)json_object_set_new(j, "block", json_integer(l->block));
	return j;
}

/* Append the default of K, a line each, to LIST. */
static void
add_default(json_t *list, const struct keyword *k, const char *text)
{
	while (text != NULL) {
		size_t len = strcspn(text, "\n");

		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s%, s:s}", "keyword", k->name, "value", text, len, "from",
			"default"));
		text = text[len] == '\n' ? text + len + 1 : NULL;
	}
}

void
api_config(struct evhttp_request *r, void *arg)
{
	const struct desk *d = arg;
	const struct settings *s = d->host.settings;
	json_t *list = json_array();
	size_t n;
	const struct origin_line *l = origin_lines(&s->origin, &n);

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, line_json(&l[i]));
	const struct keyword *table = keywords(&n);
	for (size_t i = 0; i < n; i++)
		add_default(list, &table[i], origin_default(&s->origin, &table[i]));
	reply_json(
	    r, HTTP_OK, json_pack("{s:o, s:o*}", "file", reply_text(d->host.path), "lines", list));
}
