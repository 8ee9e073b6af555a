/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/conf_location.h"

#include "config/values.h"
#include "control/reply.h"

static json_t *
line_of(const struct settings *s, unsigned line)
{
	return json_integer(line > 0 ? places_at(&s->places, line).line : 0);
}

void
conf_location_put(json_t *j, const struct settings *s, unsigned line)
{
	const char *file = line > 0 ? places_other(&s->places, line) : NULL;

	if (file != NULL)
		(void)json_object_set_new(j, "file", reply_text(file));
	(void)json_object_set_new(j, "line", line_of(s, line));
}

void
conf_location_block(json_t *j, const struct settings *s, unsigned line)
{
	if (line > 0)
		(void)json_object_set_new(j, "block", line_of(s, line));
}

json_t *
conf_location_networks(const struct policy_lines *l)
{
	const struct policy_lines_net *n = l->nets.items;
	json_t *list = json_array();
	char text[VALUE_NET_TEXT];

	for (size_t i = 0; i < l->nets.n; i++)
		(void)json_array_append_new(list, json_string(value_net_format(&n[i].net, text)));
	return list;
}
