/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set_logs.h"

#include <stdlib.h>
#include <string.h>

#include "config/set.h"
#include "config/values.h"

#define SLOW_MAX 60000 /* ms */

/* Permissions that the file has at least, and at most. */
#define MODE_LEAST 0600U
#define MODE_MOST 0664U

void
set_query_log_select(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_querylog *t = &s->conf.core.querylog;
	unsigned select = 0;

	for (size_t i = 1; i < w->n; i++) {
		/* in the order of enum conf_querylog_select */
		int place = set_place("synthesized|failed|denied|slow|all", w->word[i]);

		if (place < 0) {
			diag_error(d, w->line, k->name, "'%s' is not one of %s", w->word[i],
			    "all|synthesized|failed|denied|slow");
			return;
		}
		select |= 1U << place;
		if (1U << place != CONF_QUERYLOG_SLOW)
			continue;
		i++;
		if (i == w->n || !value_number(w->word[i], 0, SLOW_MAX, &t->slow_ms)) {
			diag_error(d, w->line, k->name,
			    "slow takes a number of milliseconds from 0 to %d", SLOW_MAX);
			return;
		}
	}
	t->select = (uint8_t)select;
}

void
set_query_log_mode(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	const char *text = w->word[1];
	size_t len = strlen(text);
	unsigned mode = 0;

	if (len >= 3 && len <= 4 && strspn(text, "01234567") == len)
		mode = (unsigned)strtoul(text, NULL, 8);
	if ((mode & MODE_LEAST) != MODE_LEAST || (mode & ~MODE_MOST) != 0)
		diag_error(d, w->line, k->name,
		    "'%s' is not a mode from 0600 to 0664, octal, by which its owner reads and "
		    "writes it, a group may, and others may read it",
		    text);
	else
		s->query_log_mode = mode;
}

#ifdef HAVE_DNSTAP
static const bool built = true;
#else
static const bool built = false;
#endif

void
set_dnstap_socket(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	const char *path = w->word[1];

	if (strlen(path) > SET_DNSTAP_PATH)
		diag_error(d, w->line, k->name,
		    "the path is longer than %d characters, which is the most for a socket",
		    SET_DNSTAP_PATH);
	else if (path[0] == '/' && !built)
		diag_error(d, w->line, k->name,
		    "this dns64d was built without dnstap (./configure --with-dnstap); only none "
		    "is possible");
	else
		set_path(s, k, w, d);
}

void
set_dnstap_messages(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	static const char words[] =
	    "client-query|client-response|forwarder-query|forwarder-response";
	unsigned types = 0;

	for (size_t i = 1; i < w->n; i++) {
		/* in the order of enum conf_dnstap_type */
		int place = set_place(words, w->word[i]);

		if (place < 0 && strcmp(w->word[i], "all") != 0) {
			diag_error(
			    d, w->line, k->name, "'%s' is not one of all|%s", w->word[i], words);
			return;
		}
		types |= place < 0 ? CONF_DNSTAP_ALL : 1U << place;
	}
	s->conf.core.dnstap.types = (uint8_t)types;
}
