/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set_dnstap.h"

#include <string.h>

#include "config/set.h"

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
		/* in the order of enum conf_capture_type */
		int place = set_place(words, w->word[i]);

		if (place < 0 && strcmp(w->word[i], "all") != 0) {
			diag_error(
			    d, w->line, k->name, "'%s' is not one of all|%s", w->word[i], words);
			return;
		}
		types |= place < 0 ? CONF_CAPTURE_ALL : 1U << place;
	}
	s->conf.core.capture.types = (uint8_t)types;
}
