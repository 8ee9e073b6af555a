/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/said.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/conffile.h"
#include "config/policies.h"

static void
keep(void *ctx, enum diag_kind kind, const char *text)
{
	static const char *const words[] = {
		[DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTICE] = "notice"
	};
	struct said *said = ctx;
	int n = snprintf(
	    said->text + said->len, sizeof(said->text) - said->len, "%s %s\n", words[kind], text);

	if (n < 0 || (size_t)n >= sizeof(said->text) - said->len)
		abort();
	said->len += (size_t)n;
	said->n_errors += kind == DIAG_ERROR ? 1 : 0;
	said->n_warnings += kind == DIAG_WARNING ? 1 : 0;
	said->n_notices += kind == DIAG_NOTICE ? 1 : 0;
}

void
said_init(struct said *said)
{
	said->diag = (struct diag){ .file = "t.conf", .sink = keep, .ctx = said };
	said->n_errors = 0;
	said->n_warnings = 0;
	said->n_notices = 0;
	said->len = 0;
	said->text[0] = '\0';
}

void
said_parse(struct said *said, const char *text, struct settings *s)
{
	said_init(said);
	settings_fini(s);
	conffile_parse(text, strlen(text), s, &said->diag);
}

void
said_nothing(struct said *said, const char *text, struct settings *s)
{
	said_parse(said, text, s);
	ck_assert_str_eq(said->text, "");
}

void
said_bad(struct said *said, const struct said_bad *bad, struct settings *s)
{
	char expected[DIAG_TEXT + 32];

	said_parse(said, bad->line, s);
	snprintf(expected, sizeof(expected), "error t.conf:1: %s\n", bad->text);
	ck_assert_str_eq(said->text, expected);
}

const struct policies *
said_make(struct said *said, const char *text, struct settings *s)
{
	said_parse(said, text, s);
	s->conf.core.policies = policies_make(s, &said->diag);
	return s->conf.core.policies;
}
