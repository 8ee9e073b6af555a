/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/prefix_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ownfile.h"
#include "config/conffile.h"
#include "config/keywords.h"
#include "config/textfile.h"
#include "config/values.h"

static const char head[] =
    "# dns64ctl prefix ... --persist writes this file; see prefix-file in dns64d.conf(5).\n";

/* --- Reading ---------------------------------------------------------------------------------- */

/*
 * The block of S that block L of the file is about; NULL with a warning if there is none: the file
 * is ours, and the configuration may have changed since it was written.
 */
static struct policy_lines *
target(const struct settings *s, const struct policy_lines *l, struct diag *d)
{
	const struct policy_lines_net *n = l->nets.items;
	struct policy_lines *found = NULL;
	char text[VALUE_NET_TEXT];

	if (l->line == 0)
		return policy_lines_at(s->policy_lines, 0);
	for (size_t i = 0; i < l->nets.n; i++) {
		struct policy_lines *block = policy_lines_of(s->policy_lines, &n[i].net);

		if (block != NULL && (i == 0 || block == found)) {
			found = block;
			continue;
		}
		diag_warning(d, l->line, "client",
		    "the configuration has no client block with %s%s; these prefixes are skipped",
		    value_net_format(&n[i].net, text), i > 0 ? " beside the one before" : "");
		return NULL;
	}
	return found;
}

/*
 * Tell which prefixes of TO, of the configuration, SAVED has not, or in another state or with
 * another weight: who has just written them there would wonder.
 */
static void
tell_replaced(
    const struct settings *s, const struct array *to, const struct array *saved, struct diag *d)
{
	const struct policy_lines_prefix *p = to->items, *first = saved->items;
	const struct diag conf = { .file = "", .places = &s->places };
	char text[PREF64_TEXT], line[DIAG_LINE];
	char words[POLICY_LINES_WORDS], saved_words[POLICY_LINES_WORDS];

	for (size_t i = 0; i < to->n; i++) {
		const struct policy_lines_prefix *q = policy_lines_find(saved, &p[i].prefix);

		if (q != NULL && q->state == p[i].state && q->weight == p[i].weight)
			continue;
		/* The configuration itself needs no name here. */
		diag_line(&conf, p[i].line, 1, line);
		diag_notice(d, q != NULL ? q->line : first->line, "dns64-prefix",
		    "'%s %s' of the configuration, %s, does not hold: %s%s",
		    pref64_format(&p[i].prefix, text), policy_lines_words(&p[i], words),
		    p[i].line > 0 ? line : "command line",
		    q != NULL ? "it is here as " : "these are in its place",
		    q != NULL ? policy_lines_words(q, saved_words) : "");
	}
}

/* Let the states of prefixes of map lines in block FROM of the file replace those of TO. */
static bool
replace_vias(
    const struct settings *s, struct policy_lines *to, struct policy_lines *from, struct diag *d)
{
	struct policy_lines_prefix *p = from->vias.items;

	for (size_t i = 0; i < from->vias.n; i++) {
		struct policy_lines_prefix *at = policy_lines_find(&to->vias, &p[i].prefix);

		p[i].from = POLICY_LINES_SAVED;
		if (at != NULL && at->state != p[i].state)
			tell_replaced(s, &(struct array){ .items = at, .n = 1 }, &from->vias, d);
		if (at == NULL)
			at = array_add(&to->vias, sizeof(*at));
		if (at == NULL)
			return false;
		*at = p[i];
	}
	to->saved_vias = from->vias;
	from->vias = (struct array){ .n = 0 };
	return true;
}

/* Let the prefixes of block FROM of the file replace those of TO. Two blocks of the file may have
 * become one in the configuration: the first is used. */
static void
replace(
    const struct settings *s, struct policy_lines *to, struct policy_lines *from, struct diag *d)
{
	struct policy_lines_prefix *p = from->prefixes.items;
	const struct policy_lines_prefix *first =
	    to->saved.n > 0 ? to->saved.items : to->saved_vias.items;

	if (first != NULL) {
		diag_warning(d, from->line, "client",
		    "its block of the configuration has those of line %u; these prefixes are "
		    "skipped",
		    first->line);
		return;
	}
	for (size_t i = 0; i < from->prefixes.n; i++)
		p[i].from = POLICY_LINES_SAVED;
	if (!policy_lines_copy(&to->saved, &from->prefixes) || !replace_vias(s, to, from, d)) {
		diag_no_memory(d, 0, NULL);
		return;
	}
	if (from->prefixes.n == 0)
		return;
	tell_replaced(s, &to->prefixes, &to->saved, d);
	array_fini(&to->prefixes);
	to->prefixes = from->prefixes;
	from->prefixes = (struct array){ .n = 0 };
}

static void
replace_all(struct settings *s, const struct settings *file, struct diag *d)
{
	const struct keyword *k = keywords_find("dns64-prefix");
	size_t n;

	for (size_t i = 0; i < file->policy_lines->all.n; i++) {
		struct policy_lines *from = policy_lines_at(file->policy_lines, i), *to;

		if (from->prefixes.n == 0 && from->vias.n == 0)
			continue;
		to = target(s, from, d);
		if (to != NULL)
			replace(s, to, from, d);
	}
	s->digests[k - keywords(&n)] += file->digests[k - keywords(&n)];
}

void
prefix_file_read(const char *path, uid_t user, struct settings *s, struct diag *d)
{
	struct settings *file = calloc(1, sizeof(*file));
	const struct places *places = d->places;
	const char *conf = d->file;
	char *text = NULL;
	size_t len = 0;
	int rc = file == NULL ? -ENOMEM : textfile_read_own(path, user, &text, &len);

	d->file = path;
	d->places = NULL;
	if (rc == 0) {
		conffile_parse_prefixes(text, len, file, d);
		if (file->policy_lines != NULL)
			replace_all(s, file, d);
		settings_fini(file);
	} else if (rc != -ENOENT) {
		diag_error(d, 0, NULL, "cannot be read: %s",
		    rc == -EFBIG ? textfile_strerror(rc) : ownfile_strerror(rc));
	}
	d->file = conf;
	d->places = places;
	free(text);
	free(file);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Write the lines of LIST to OUT, each between BEFORE and BEHIND; NULL: set their numbers, from
 * LINE on. Returns the line after them. */
static unsigned
put_list(const struct array *list, const char *before, const char *behind, unsigned line, FILE *out)
{
	struct policy_lines_prefix *p = list->items;
	char prefix[PREF64_TEXT], words[POLICY_LINES_WORDS];

	for (size_t i = 0; i < list->n; i++, line++) {
		if (out == NULL)
			p[i].line = line;
		else
			fprintf(out, "%sdns64-prefix %s %s%s\n", before,
			    pref64_format(&p[i].prefix, prefix), policy_lines_words(&p[i], words),
			    behind);
	}
	return line;
}

/* Likewise all that is saved of block L. */
static unsigned
put_block(const struct policy_lines *l, bool in_block, unsigned line, FILE *out)
{
	const struct policy_lines_net *n = l->nets.items;
	const char *before = in_block ? "\t" : "";
	char net[VALUE_NET_TEXT];

	line += in_block ? 1 : 0;
	if (in_block && out != NULL)
		fprintf(out, "client %s {\n", value_net_format(&n[0].net, net));
	line = put_list(&l->saved, before, "", line, out);
	line = put_list(&l->saved_vias, before, " map", line, out);
	if (in_block && out != NULL)
		fputs("}\n", out);
	return line + (in_block ? 1 : 0);
}

static void
put(const struct policy_lines_list *list, FILE *out)
{
	unsigned line = 2; /* below the head */

	for (size_t i = 0; i < list->all.n; i++) {
		const struct policy_lines *l = policy_lines_at(list, i);

		if (l->saved.n > 0 || l->saved_vias.n > 0)
			line = put_block(l, i > 0, line, out);
	}
}

char *
prefix_file_text(const struct policy_lines_list *list, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (out == NULL)
		return NULL;
	fputs(head, out);
	put(list, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Give what is in force, of the file, the lines of what is SAVED. */
static void
number(struct array *in_force, const struct array *saved)
{
	struct policy_lines_prefix *p = in_force->items;

	for (size_t i = 0; i < in_force->n; i++) {
		const struct policy_lines_prefix *at = policy_lines_find(saved, &p[i].prefix);

		if (p[i].from == POLICY_LINES_SAVED && at != NULL)
			p[i].line = at->line;
	}
}

void
prefix_file_number(struct policy_lines_list *list)
{
	put(list, NULL);
	for (size_t i = 0; i < list->all.n; i++) {
		struct policy_lines *l = policy_lines_at(list, i);

		number(&l->prefixes, &l->saved);
		number(&l->vias, &l->saved_vias);
	}
}
