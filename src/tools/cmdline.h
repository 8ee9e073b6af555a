/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TOOLS_CMDLINE_H
#define DNS64D_TOOLS_CMDLINE_H

/*
 * cmdline: the command line of a tool, read and listed by a table of its options.
 *
 * A row of the table is all there is to an option: what it is called, which methods have it, how
 * its value is parsed, which field that becomes, what is allowed, the default and a line of help. A
 * tool with methods (as dns64bench) takes one of them as its first word.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

#define CMDLINE_ROWS_MAX 64 /* of one table */
#define CMDLINE_SPECIALS 2  /* of one row */

enum cmdline_task {
	CMDLINE_RUN,
	CMDLINE_HELP,
	CMDLINE_VERSION,
	CMDLINE_WRONG /* every fault was told */
};

struct cmdline;
struct cmdline_row;

/*
 * A parser: the value TEXT becomes *field, which is ROW's in the settings; or cmdline_complain
 * tells what is wrong with it, and the field has any value. TEXT is NULL where ROW has no value. It
 * lives as long as the command line; that of a default only while the parser runs.
 */
typedef void cmdline_parse(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field);

struct cmdline_row {
	const char *name;  /* the long one, without "--" */
	char letter;       /* the short one; 0: none */
	unsigned methods;  /* bits of those that have the option; 0: all */
	const char *value; /* what -h calls its value; NULL: it has none */
	cmdline_parse *parse;
	size_t offset; /* of the field in the settings */
	size_t size;   /* of the field, in bytes */
	double min;    /* of a number; whole numbers up to 2^53 are exact */
	double max;    /* the same */
	/* of cmdline_value: TEXT becomes *field; false: it is no such value, but what WANTS says */
	bool (*read)(const char *text, void *field);
	const char *wants;    /* "not a domain name" */
	const char *fallback; /* the default as it would be written, one value a line; NULL: none */
	/* other defaults for some methods; 0, NULL: none */
	struct cmdline_special {
		unsigned methods;
		const char *fallback;
	} special[CMDLINE_SPECIALS];
	const char *help; /* a line, to which the default is added */
	unsigned group;   /* of the table's groups, under whose heading -h has it */
};

struct cmdline_method {
	unsigned bit;
	const char *name;
	const char *help;
	const char *example; /* words behind the method; NULL: none */
};

struct cmdline_table {
	const char *program;
	const char *about;                    /* a line for -h: what the program does */
	const struct cmdline_method *methods; /* NULL: there are none */
	size_t n_methods;
	unsigned with_words; /* bits of the methods that take words behind the options */
	const struct cmdline_row *rows;
	size_t n_rows;             /* at most CMDLINE_ROWS_MAX */
	const char *const *groups; /* headings; NULL: -h has the rows in one list */
	unsigned n_groups;
};

/* What is read, and how far that is. The caller sets the first three; all are borrowed. */
struct cmdline {
	const struct cmdline_table *table;
	void
	    *settings; /* where the fields are; those of options without default stay as they are */
	FILE *errors;  /* faults are told here, a line each */
	unsigned method; /* the bit of the one that was named; 0: none */
	enum cmdline_task task;
	unsigned n_errors;
	bool seen[CMDLINE_ROWS_MAX]; /* which options were given, by row */
	char *const *words;          /* what is behind the options */
	int n_words;
};

/*
 * cmdline_read: the ARGC words of ARGV, the program's name first, become settings; options that are
 * not given get their default. Changes the order of ARGV (getopt_long(3)). Not for two threads at
 * once.
 */
void cmdline_read(struct cmdline *c, int argc, char **argv);

/* cmdline_end: what the program is to do, when the caller has nothing more to complain of. */
MUST_USE enum cmdline_task cmdline_end(const struct cmdline *c);

/* cmdline_complain: tell a fault, "PROGRAM: --OPTION: ..." in one line, and count it. */
void cmdline_complain(struct cmdline *c, const char *option, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* cmdline_seen: was the option NAME given? There must be a row of that name. */
MUST_USE bool cmdline_seen(const struct cmdline *c, const char *name);

/* cmdline_find: the row of the option NAME; NULL if there is none. */
MUST_USE const struct cmdline_row *cmdline_find(const struct cmdline_table *t, const char *name);

/* cmdline_method_name: the name of the method BIT; "" if there is none. */
MUST_USE const char *cmdline_method_name(const struct cmdline_table *t, unsigned bit);

/*
 * cmdline_print_help: what -h prints: the methods, with their examples, and options, a line each,
 * by groups; those of METHOD, unless that is 0.
 */
void cmdline_print_help(const struct cmdline_table *t, unsigned method, FILE *out);

/* --- Parsers ---------------------------------------------------------------------------------- */

/* cmdline_number: decimal digits, from the row's min to max; the field is unsigned. */
cmdline_parse cmdline_number;

/* cmdline_value: what the row's READ takes; of anything else it tells that it is what WANTS says.
 */
cmdline_parse cmdline_value;

/* cmdline_text: any text; the field is a const char * that borrows it. Not for rows with a default.
 */
cmdline_parse cmdline_text;

/* cmdline_flag: an option without value; the field is a bool that becomes true. */
cmdline_parse cmdline_flag;

/* cmdline_help, cmdline_version: the task becomes CMDLINE_HELP or CMDLINE_VERSION; no field. */
cmdline_parse cmdline_help;
cmdline_parse cmdline_version;

#endif
