/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_config.h"

#include <string.h>

#include "config/keywords.h"
#include "config/policy_lines.h"
#include "control/api_prefixes.h"
#include "control/conf_location.h"
#include "control/control_ctx.h"
#include "control/reply.h"

static json_t *
line_json(const struct settings *s, const struct origin_line *l)
{
	json_t *value = l->keyword->secret ? json_null() : reply_text(l->value);
	json_t *j = json_pack("{s:s, s:o, s:s}", "keyword", l->keyword->name, "value", value,
	    "from", l->line > 0 ? "file" : "command line");

	if (l->line > 0)
		conf_location_put(j, s, l->line);
	conf_location_block(j, s, l->block);
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

/* Do the prefixes of L in force stand elsewhere than in the configuration? */
static bool
are_elsewhere(const struct policy_lines *l)
{
	return l->saved.n > 0 || l->saved_vias.n > 0 || l->told > 0;
}

/* Append PREFIXES of block L, with BEHIND behind each, to LIST. */
static void
add_some(json_t *list, const struct host *host, const struct policy_lines *l,
    const struct array *prefixes, const char *behind)
{
	const struct policy_lines_prefix *p = prefixes->items;
	const char *unsaid = api_prefixes_unsaid(host->settings);
	char prefix[PREF64_TEXT], words[POLICY_LINES_WORDS];

	for (size_t i = 0; i < prefixes->n; i++) {
		json_t *j = json_pack("{s:s, s:s+++}", "keyword", "dns64-prefix", "value",
		    pref64_format(&p[i].prefix, prefix), " ", policy_lines_words(&p[i], words),
		    behind);

		conf_location_block(j, host->settings, l->line);
		api_prefixes_add_origin(j, host, unsaid, &p[i]);
		(void)json_array_append_new(list, j);
	}
}

/* Append the prefixes in force of block L to LIST. */
static void
add_prefixes(json_t *list, const struct host *host, const struct policy_lines *l)
{
	add_some(list, host, l, &l->prefixes, "");
	add_some(list, host, l, &l->vias, " map");
}

/* Append what was read to LIST, but for prefixes those in force. */
static void
add_lines(json_t *list, const struct host *host)
{
	const struct policy_lines_list *blocks = host->settings->policy_lines;
	const struct policy_lines *first = policy_lines_at(blocks, 0), *block = first;
	size_t n, n_blocks = 0;
	const struct origin_line *l = origin_lines(&host->settings->origin, &n);

	if (are_elsewhere(first))
		add_prefixes(list, host, first);
	for (size_t i = 0; i < n; i++) {
		bool opens = strcmp(l[i].keyword->name, "client") == 0;

		/* Blocks are there in the order of their heads. */
		if (opens)
			block = policy_lines_at(blocks, ++n_blocks);
		if (strcmp(l[i].keyword->name, "dns64-prefix") != 0 ||
		    !are_elsewhere(l[i].block > 0 ? block : first))
			(void)json_array_append_new(list, line_json(host->settings, &l[i]));
		if (opens && are_elsewhere(block))
			add_prefixes(list, host, block);
	}
}

void
api_config(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	const struct settings *s = d->host.settings;
	json_t *list = json_array();
	size_t n;
	const struct keyword *table = keywords(&n);

	add_lines(list, &d->host);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i].name, "dns64-prefix") != 0 ||
		    !are_elsewhere(policy_lines_at(s->policy_lines, 0)))
			add_default(list, &table[i], origin_default(&s->origin, &table[i]));
	}
	reply_json(
	    r, HTTP_OK, json_pack("{s:o, s:o*}", "file", reply_text(d->host.path), "lines", list));
}
