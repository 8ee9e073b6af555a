/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/configured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/complete.h"
#include "config/conffile.h"
#include "config/policies.h"

/* Does a line of TEXT begin with the LEN characters at KEYWORD, which end with a blank? */
static bool
has_keyword(const char *text, const char *keyword, size_t len)
{
	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t ");
		if (strncmp(line, keyword, len) == 0)
			return true;
	}
	return false;
}

/* TEXT with the usual lines that it does not have behind it, for the caller to free. */
static char *
with_usual(const char *text)
{
	static const char usual[] = CONFIGURED_USUAL;
	size_t len = strlen(text);
	char *whole = malloc(len + 1 + sizeof(usual));

	if (whole == NULL)
		abort();
	memcpy(whole, text, len);
	whole[len++] = '\n';
	for (const char *line = usual; *line != '\0';) {
		size_t size = strcspn(line, "\n") + 1;

		if (!has_keyword(text, line, strcspn(line, " ") + 1)) {
			memcpy(whole + len, line, size);
			len += size;
		}
		line += size;
	}
	whole[len] = '\0';
	return whole;
}

/* A sink: errors only. What is unwise is what many tests are about. */
static void
tell(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	if (kind == DIAG_ERROR)
		fprintf(stderr, "%s\n", text);
}

void
configured(const char *file, const char *text, struct settings *s)
{
	struct diag d = { .file = file, .sink = tell };
	char *whole = with_usual(text);

	conffile_parse(whole, strlen(whole), s, &d);
	complete_settings(s, "/dev/null", &d);
	s->conf.core.policies = policies_make(s, &d);
	if (d.n_errors > 0)
		abort();
	free(whole);
}

struct policies *
configured_policies(const char *text)
{
	struct settings *s = malloc(sizeof(*s)); /* it is large */
	struct policies *ps;

	if (s == NULL)
		abort();
	configured("configuration", text, s);
	ps = policies_ref(s->conf.core.policies);
	settings_fini(s);
	free(s);
	return ps;
}
