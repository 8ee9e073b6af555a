/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/html.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
bench_html_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&':
			(void)fputs("&amp;", out);
			break;
		case '<':
			(void)fputs("&lt;", out);
			break;
		case '>':
			(void)fputs("&gt;", out);
			break;
		case '"':
			(void)fputs("&quot;", out);
			break;
		case '\'':
			(void)fputs("&#39;", out);
			break;
		default:
			/* Of the control characters HTML allows white space only. */
			(void)fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
		}
	}
}

/* Does TEXT begin with START? */
static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* If TEXT begins with something that an identifier follows, as id=", its length; else 0. */
static size_t
before_name(const char *text)
{
	static const char *const starts[] = { " id='", " id=\"", "href='#", "href=\"#", "url(#" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (begins(text, starts[i]))
			return strlen(starts[i]);
	}
	return 0;
}

/* Print a line of the picture: identifiers get p<N>- before them; <title>, a tooltip, is left out.
 */
static void
svg_line(FILE *out, const char *text, unsigned n)
{
	static const char title[] = "<title>", title_end[] = "</title>";

	while (*text != '\0') {
		const char *end = begins(text, title) ? strstr(text, title_end) : NULL;
		size_t name = before_name(text);

		if (end != NULL) {
			text = end + sizeof(title_end) - 1;
			continue;
		}
		if (name > 0) {
			(void)fprintf(out, "%.*sp%u-", (int)name, text, n);
			text += name;
			continue;
		}
		(void)fputc(*text++, out);
	}
}

void
bench_html_svg(FILE *out, FILE *svg, unsigned n)
{
	char *line = NULL;
	size_t size = 0;
	bool begun = false;

	while (getline(&line, &size, svg) > 0) {
		begun = begun || begins(line, "<svg");
		if (begun)
			svg_line(out, line, n);
	}
	free(line);
}
