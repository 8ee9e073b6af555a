/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmdline.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"

#define FALLBACK_MAX 64 /* bytes of one value of a default, with the zero */
#define OTHERS 256      /* bytes of the names of all methods, with the zero */
#define LEFT_MAX 48     /* bytes of an option and its value in the help, with the zero */

/* What getopt_long returns for a row without a letter: this and the row's index. */
#define NO_LETTER 256

/* --- The table -------------------------------------------------------------------------------- */

const struct cmdline_row *
cmdline_find(const struct cmdline_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		if (strcmp(t->rows[i].name, name) == 0)
			return &t->rows[i];
	}
	return NULL;
}

/* The row that getopt_long means by ID; NULL: none. */
static const struct cmdline_row *
row_of_id(const struct cmdline_table *t, int id)
{
	if (id >= NO_LETTER)
		return &t->rows[id - NO_LETTER];
	for (size_t i = 0; i < t->n_rows; i++) {
		if (id != 0 && t->rows[i].letter == id)
			return &t->rows[i];
	}
	return NULL;
}

const char *
cmdline_method_name(const struct cmdline_table *t, unsigned bit)
{
	for (size_t i = 0; i < t->n_methods; i++) {
		if (t->methods[i].bit == bit)
			return t->methods[i].name;
	}
	return "";
}

bool
cmdline_seen(const struct cmdline *c, const char *name)
{
	const struct cmdline_row *row = cmdline_find(c->table, name);

	assert(row != NULL);
	return c->seen[row - c->table->rows];
}

/* --- Faults ----------------------------------------------------------------------------------- */

void
cmdline_complain(struct cmdline *c, const char *option, const char *format, ...)
{
	va_list ap;

	(void)fprintf(c->errors, "%s: --%s: ", c->table->program, option);
	va_start(ap, format);
	(void)vfprintf(c->errors, format, ap);
	va_end(ap);
	(void)fputc('\n', c->errors);
	c->n_errors++;
}

/* Tell which options WORD, "--BEGINNING" or that with "=VALUE", may mean. False: it is none's
 * beginning. */
static bool
tell_meant(struct cmdline *c, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t len = strcspn(name, "=");
	unsigned n = 0;

	for (size_t i = 0; len > 0 && i < c->table->n_rows; i++) {
		if (strncmp(c->table->rows[i].name, name, len) == 0)
			(void)fprintf(c->errors, "%s --%s", n++ == 0 ? "which of" : ",",
			    c->table->rows[i].name);
	}
	return n > 0;
}

/* Tell that getopt_long could not use WORD. */
static void
refuse(struct cmdline *c, int id, const char *word)
{
	const struct cmdline_row *row = row_of_id(c->table, optopt);
	char letter[] = { '-', (char)optopt, '\0' };

	if (row != NULL) {
		cmdline_complain(c, row->name, id == ':' ? "needs a value" : "takes no value");
		return;
	}
	(void)fprintf(c->errors, "%s: %s: ", c->table->program, optopt != 0 ? letter : word);
	if (optopt != 0 || !tell_meant(c, word))
		(void)fprintf(c->errors, "unknown option");
	(void)fputc('\n', c->errors);
	c->n_errors++;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void
parse(struct cmdline *c, const struct cmdline_row *row, const char *text)
{
	row->parse(c, row, text, (char *)c->settings + row->offset);
}

/* Has METHOD the option? 0: any has. */
static bool
is_for(const struct cmdline_row *row, unsigned method)
{
	return method == 0 || row->methods == 0 || (row->methods & method) != 0;
}

/* The first word of a program with methods. */
static bool
read_method(struct cmdline *c, int argc, char **argv)
{
	const struct cmdline_table *t = c->table;

	for (size_t i = 0; argc > 1 && i < t->n_methods; i++) {
		if (strcmp(t->methods[i].name, argv[1]) == 0)
			c->method = t->methods[i].bit;
	}
	if (c->method != 0)
		return true;
	(void)fprintf(c->errors, "%s: ", t->program);
	if (argc > 1)
		(void)fprintf(c->errors, "\"%s\" is not a method; ", argv[1]);
	(void)fprintf(c->errors, "first comes one of");
	for (size_t i = 0; i < t->n_methods; i++)
		(void)fprintf(c->errors, " %s", t->methods[i].name);
	(void)fputc('\n', c->errors);
	c->n_errors++;
	return false;
}

/* ROW is none of this method's: whose it is. */
static void
complain_of_method(struct cmdline *c, const struct cmdline_row *row)
{
	const struct cmdline_table *t = c->table;
	char others[OTHERS] = "";
	size_t len = 0;

	for (size_t i = 0; i < t->n_methods && len < sizeof(others); i++) {
		if ((row->methods & t->methods[i].bit) != 0)
			len += (size_t)snprintf(others + len, sizeof(others) - len, "%s%s",
			    len > 0 ? ", " : "", t->methods[i].name);
	}
	cmdline_complain(c, row->name, "says nothing to %s, but to %s",
	    cmdline_method_name(t, c->method), others);
}

static void
take(struct cmdline *c, const struct cmdline_row *row, const char *text)
{
	c->seen[row - c->table->rows] = true;
	if (!is_for(row, c->method))
		complain_of_method(c, row);
	else
		parse(c, row, text);
}

/* The table for getopt_long. */
static void
list_options(
    const struct cmdline_table *t, struct option *longs, char letters[2 * CMDLINE_ROWS_MAX + 2])
{
	char *end = letters;

	*end++ = ':'; /* getopt_long then prints no messages of its own */
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cmdline_row *row = &t->rows[i];

		longs[i].name = row->name;
		longs[i].has_arg = row->value != NULL ? required_argument : no_argument;
		longs[i].val = row->letter != '\0' ? row->letter : NO_LETTER + (int)i;
		if (row->letter == '\0')
			continue;
		*end++ = row->letter;
		if (row->value != NULL)
			*end++ = ':';
	}
	*end = '\0';
}

static void
read_options(struct cmdline *c, int argc, char **argv)
{
	struct option longs[CMDLINE_ROWS_MAX + 1] = { { .name = NULL } };
	char letters[2 * CMDLINE_ROWS_MAX + 2];
	int id;

	list_options(c->table, longs, letters);
	optind = 0; /* from the beginning, also when called again */
	while ((id = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct cmdline_row *row = row_of_id(c->table, id);

		if (row != NULL)
			take(c, row, optarg);
		else
			refuse(c, id, argv[optind - 1]);
	}
	c->words = argv + optind;
	c->n_words = argc - optind;
	if (c->n_words == 0 || (c->table->with_words & c->method) != 0)
		return;
	(void)fprintf(
	    c->errors, "%s: \"%s\": there are options only\n", c->table->program, c->words[0]);
	c->n_errors++;
}

/* The default of ROW for METHOD; NULL: it has none. */
static const char *
fallback_of(const struct cmdline_row *row, unsigned method)
{
	const char *text = row->fallback;

	for (size_t k = 0; k < CMDLINE_SPECIALS; k++) {
		if ((row->special[k].methods & method) != 0)
			text = row->special[k].fallback;
	}
	return text;
}

static void
read_fallbacks(struct cmdline *c)
{
	for (size_t i = 0; i < c->table->n_rows; i++) {
		const struct cmdline_row *row = &c->table->rows[i];
		const char *text = fallback_of(row, c->method);
		char value[FALLBACK_MAX];

		while (!c->seen[i] && text != NULL) {
			size_t len = strcspn(text, "\n");

			(void)snprintf(value, sizeof(value), "%.*s", (int)len, text);
			parse(c, row, value);
			text = text[len] == '\n' ? text + len + 1 : NULL;
		}
	}
}

/* -h or -V alone, without a method. */
static enum cmdline_task
asks_for_itself(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0))
		return CMDLINE_HELP;
	if (argc == 2 && (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0))
		return CMDLINE_VERSION;
	return CMDLINE_RUN;
}

void
cmdline_read(struct cmdline *c, int argc, char **argv)
{
	bool has_methods = c->table->n_methods > 0;

	assert(c->table->n_rows <= CMDLINE_ROWS_MAX);
	if (has_methods)
		c->task = asks_for_itself(argc, argv);
	if (c->task != CMDLINE_RUN || (has_methods && !read_method(c, argc, argv)))
		return;
	/* The method takes the place of the program's name, which getopt_long passes over. */
	read_options(c, argc - has_methods, argv + has_methods);
	read_fallbacks(c);
}

enum cmdline_task
cmdline_end(const struct cmdline *c)
{
	return c->n_errors > 0 ? CMDLINE_WRONG : c->task;
}

/* --- Help ------------------------------------------------------------------------------------- */

/* "--port PORT" to LEFT; returns how many bytes that are. */
static int
put_left(char left[static LEFT_MAX], const struct cmdline_row *row)
{
	return snprintf(left, LEFT_MAX, "--%s%s%s", row->name, row->value != NULL ? " " : "",
	    row->value != NULL ? row->value : "");
}

/* " (default 60; soak: 3600)", or what it is for METHOD */
static void
print_fallback(
    const struct cmdline_table *t, const struct cmdline_row *row, unsigned method, FILE *out)
{
	if (row->fallback == NULL)
		return;
	(void)fprintf(out, " (default ");
	for (const char *at = fallback_of(row, method); *at != '\0'; at++) {
		if (*at == '\n')
			(void)fputs(", ", out);
		else
			(void)fputc(*at, out);
	}
	for (size_t i = 0; method == 0 && i < t->n_methods * CMDLINE_SPECIALS; i++) {
		const struct cmdline_method *m = &t->methods[i / CMDLINE_SPECIALS];
		const struct cmdline_special *s = &row->special[i % CMDLINE_SPECIALS];

		if ((s->methods & m->bit) != 0)
			(void)fprintf(out, "; %s: %s", m->name, s->fallback);
	}
	(void)fputc(')', out);
}

/* How the program, or METHOD of it, is used. */
static void
print_usage(const struct cmdline_table *t, unsigned method, FILE *out)
{
	if (method != 0) {
		(void)fprintf(
		    out, "Usage: %s %s [option ...]\n", t->program, cmdline_method_name(t, method));
	} else {
		(void)fprintf(out, "Usage: %s%s [option ...]\n%s\n\n", t->program,
		    t->n_methods > 0 ? " METHOD" : "", t->about);
	}
	for (size_t i = 0; i < t->n_methods; i++) {
		const struct cmdline_method *m = &t->methods[i];

		if (method == 0)
			(void)fprintf(out, "  %-8s %s\n", m->name, m->help);
		else if (m->bit == method)
			(void)fprintf(out, "%s: %s\n", m->name, m->help);
		if (m->example != NULL && (method == 0 || m->bit == method))
			(void)fprintf(out, "  %*s %s %s %s\n", method == 0 ? 8 : 0, "", t->program,
			    m->name, m->example);
	}
	if (t->n_methods > 0 && t->n_groups == 0)
		(void)fputc('\n', out);
}

static void
print_row(const struct cmdline_table *t, const struct cmdline_row *row, unsigned method, int width,
    FILE *out)
{
	char left[LEFT_MAX];

	(void)put_left(left, row);
	if (row->letter != '\0')
		(void)fprintf(out, "  -%c, ", row->letter);
	else
		(void)fprintf(out, "      ");
	(void)fprintf(out, "%-*s %s", width, left, row->help);
	print_fallback(t, row, method, out);
	(void)fputc('\n', out);
}

/* The rows of a group, if METHOD has any, below its heading. */
static void
print_group(const struct cmdline_table *t, unsigned group, unsigned method, int width, FILE *out)
{
	const char *heading = t->n_groups > 0 ? t->groups[group] : NULL;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cmdline_row *row = &t->rows[i];

		if (row->group != group || !is_for(row, method))
			continue;
		if (heading != NULL)
			(void)fprintf(out, "\n%s:\n", heading);
		heading = NULL;
		print_row(t, row, method, width, out);
	}
}

void
cmdline_print_help(const struct cmdline_table *t, unsigned method, FILE *out)
{
	char left[LEFT_MAX];
	int width = 0;

	print_usage(t, method, out);
	for (size_t i = 0; i < t->n_rows; i++) {
		int len = put_left(left, &t->rows[i]);

		width = len > width ? len : width;
	}
	for (unsigned group = 0; group == 0 || group < t->n_groups; group++)
		print_group(t, group, method, width, out);
}

/* --- Parsers ---------------------------------------------------------------------------------- */

void
cmdline_number(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	const uint64_t min = (uint64_t)row->min, max = (uint64_t)row->max;
	uint64_t v;

	if (!number_parse(text, strlen(text), max, &v) || v < min) {
		cmdline_complain(c, row->name,
		    "\"%s\" is not a number from %" PRIu64 " to %" PRIu64, text, min, max);
		return;
	}
	switch (row->size) {
	case sizeof(uint16_t):
		*(uint16_t *)field = (uint16_t)v;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)field = (uint32_t)v;
		break;
	default:
		assert(row->size == sizeof(uint64_t));
		*(uint64_t *)field = v;
	}
}

void
cmdline_value(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!row->read(text, field))
		cmdline_complain(c, row->name, "\"%s\" is %s", text, row->wants);
}

void
cmdline_text(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)c;
	(void)row;
	*(const char **)field = text;
}

void
cmdline_flag(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)c;
	(void)row;
	(void)text;
	*(bool *)field = true;
}

void
cmdline_help(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	(void)field;
	c->task = CMDLINE_HELP;
}

void
cmdline_version(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	(void)field;
	c->task = CMDLINE_VERSION;
}
