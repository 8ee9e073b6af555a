/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/options.h"

#define FIELD(member) \
	.offset = offsetof(struct options, member), .size = sizeof(((struct options *)NULL)->member)
#define WITH_WORDS 1

static const struct cmdline_row rows[] = {
	{ .name = "socket",
	    .letter = 's',
	    .value = "PATH",
	    .parse = cmdline_text,
	    FIELD(socket),
	    .help = "the daemon's control-socket" },
	{ .name = "json",
	    .letter = 'j',
	    .parse = cmdline_flag,
	    FIELD(json),
	    .help = "print the daemon's answer as it is" },
	{ .name = "rates",
	    .letter = 'r',
	    .parse = cmdline_flag,
	    FIELD(rates),
	    .help = "with stats: how much each counter grows in a second" },
	{ .name = "ask",
	    .parse = cmdline_flag,
	    FIELD(ask),
	    .help = "with explain: as for a client, and ask upstream (the default)" },
	{ .name = "dry",
	    .parse = cmdline_flag,
	    FIELD(dry),
	    .help = "with explain: use what is known, and ask nobody" },
	{ .name = "persist",
	    .letter = 'p',
	    .parse = cmdline_flag,
	    FIELD(persist),
	    .help = "with prefix ...: save it in prefix-file" },
	{ .name = "print-commands",
	    .parse = cmdline_flag,
	    FIELD(commands),
	    .help = "print the table of commands for programs" },
	{ .name = "version", .letter = 'V', .parse = cmdline_version, .help = "print the version" },
	{ .name = "help", .letter = 'h', .parse = cmdline_help, .help = "print this" },
};

static const struct cmdline_table table = { .program = "dns64ctl",
	.about = "queries and controls a running dns64d",
	.with_words = WITH_WORDS,
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]) };

const struct cmdline_table *
options_table(void)
{
	return &table;
}

enum cmdline_task
options_read(int argc, char **argv, struct options *o, FILE *errors)
{
	struct cmdline c = {
		.table = &table, .settings = o, .errors = errors, .method = WITH_WORDS
	};

	*o = (struct options){ .socket = NULL };
	cmdline_read(&c, argc, argv);
	o->words = c.words;
	o->n_words = (size_t)c.n_words;
	return cmdline_end(&c);
}
