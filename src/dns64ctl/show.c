/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/show.h"

void
show_ping(const json_t *j, FILE *out)
{
	(void)j;
	fputs("pong\n", out);
}

void
show_error(const json_t *j, FILE *out)
{
	const char *error = json_string_value(json_object_get(j, "error"));
	const json_t *allowed = json_object_get(j, "allowed"), *word;
	size_t i;

	fprintf(out, "dns64ctl: %s", error != NULL ? error : "the daemon does not say why");
	json_array_foreach(allowed, i, word)
	    fprintf(out, "%s%s", i == 0 ? "; allowed: " : ", ", json_string_value(word));
	fputc('\n', out);
}
