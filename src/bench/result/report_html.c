/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_report_head and others: the pieces that a page is made of. */

#include "bench/result/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
bench_report_text(FILE *out, const char *text)
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
bench_report_svg(FILE *out, FILE *svg, unsigned n)
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

/*
 * Pictures have a white ground on paper and none on the screen; by dark their lightness is turned
 * round, and hues stay.
 */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>dns64bench report</title>\n<style>\n"
    ":root { --ink: #222; --ground: #fff; --line: #bbb; --band: #f4f4f4; --faint: #666; "
    "--good: #006b4a; --bad: #b03a00 }\n"
    "@media screen and (prefers-color-scheme: dark) {\n"
    ":root { --ink: #ddd; --ground: #161616; --line: #555; --band: #222; --faint: #999; "
    "--good: #4fc3a1; --bad: #ff9a5c }\n"
    "svg { filter: invert(.88) hue-rotate(180deg) } a { color: #8ab4f8 }\n}\n"
    "body { font: 15px/1.45 sans-serif; color: var(--ink); background: var(--ground); "
    "max-width: 76em; margin: 2em auto; padding: 0 1em }\n"
    "h1 { font-size: 1.6em } h2 { font-size: 1.3em; border-top: 1px solid var(--line); "
    "padding-top: 1em; margin-top: 2em } h3 { font-size: 1.05em; margin-bottom: .3em }\n"
    ".wide { overflow-x: auto; max-width: 100% } .wide td { min-width: 10em }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
    "th, td { padding: .15em .7em; text-align: left; vertical-align: top }\n"
    "thead th { border-bottom: 1px solid var(--line); vertical-align: bottom }\n"
    ".data { font-size: .9em } .data td { min-width: 0 } .data th, .data td { text-align: right; "
    "white-space: nowrap } "
    ".data .word { text-align: left }\n"
    "tbody tr:nth-child(even) { background: var(--band) }\n"
    "th small, .note { font-weight: normal; color: var(--faint) }\n"
    "td ul { margin: 0; padding-left: 1.2em } td, code { overflow-wrap: anywhere } "
    ".data td { overflow-wrap: normal }\n"
    ".good { color: var(--good) } .bad { color: var(--bad); font-weight: bold }\n"
    ".charts, .beside { display: flex; flex-wrap: wrap; gap: 1em 2em; align-items: flex-start }\n"
    "figure { margin: 0; flex: 1 1 22em; max-width: 34em } .beside > div { max-width: 100% }\n"
    "svg { width: 100%; height: auto }\n"
    "details { margin: .5em 0 } summary { cursor: pointer }\n"
    "@media (max-width: 40em) { body { margin: 1em auto; padding: 0 .6em; font-size: 14px } "
    "th, td { padding: .15em .4em } figure { flex-basis: 100% } }\n"
    "@media print { body { margin: 0; max-width: none; font-size: 10pt } "
    "figure, tr { break-inside: avoid } h2, h3 { break-after: avoid } "
    ".wide { overflow: visible } .data { font-size: 7pt } figure { flex-basis: 40% } }\n"
    "</style>\n</head>\n<body>\n<h1>dns64bench report</h1>\n";

void
bench_report_head(FILE *out)
{
	(void)fputs(head, out);
}

void
bench_report_element(FILE *out, const char *tag, const char *text)
{
	(void)fprintf(out, "<%s>", tag);
	bench_report_text(out, text);
	(void)fprintf(out, "</%s>", tag);
}
