/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/commands.h"

#include <string.h>

#include "dns64ctl/explain.h"
#include "dns64ctl/show.h"
#include "dns64ctl/top.h"

#define GET .method = "GET"
#define POST .method = "POST"

/* Where the help begins, behind words and arguments or below longer ones. */
#define HELP_COLUMN 32

/* The arguments of a change of prefixes. */
#define PREFIX \
	.args = "PREFIX [client NETWORK]", .keys = { "prefix", "=client", "client" }, \
	.n_needed = 1, .saves = true, .show = show_prefix_change

static const struct command table[] = {
	{ .words = "status",
	    .args = "",
	    GET,
	    .path = "/status",
	    .show = show_status,
	    .help = "what runs, since when, and how it is" },
	{ .words = "ping",
	    .args = "",
	    GET,
	    .path = "/ping",
	    .show = show_ping,
	    .help = "does the daemon answer?" },
	{ .words = "stats",
	    .args = "",
	    GET,
	    .path = "/stats",
	    .show = show_stats,
	    .help = "the counters; with --rates, how they grow" },
	{ .words = "top clients",
	    .args = "[LINES]",
	    GET,
	    .path = "/top/clients",
	    .keys = { "lines" },
	    .show = top_show,
	    .help = "who gets most answers; counted while it is read" },
	{ .words = "top names",
	    .args = "[LINES]",
	    GET,
	    .path = "/top/names",
	    .keys = { "lines" },
	    .show = top_show,
	    .help = "the names asked for most; likewise" },
	{ .words = "top failures",
	    .args = "[LINES]",
	    GET,
	    .path = "/top/failures",
	    .keys = { "lines" },
	    .show = top_show,
	    .help = "the names whose answers failed most; likewise" },
	{ .words = "top",
	    .args = "[LINES]",
	    GET,
	    .path = "/stats",
	    .keys = { "lines" },
	    .show = show_stats,
	    .help = "what is done, a line a second; q ends it" },
	{ .words = "upstreams",
	    .args = "",
	    GET,
	    .path = "/upstreams",
	    .show = show_upstreams,
	    .help = "state, times and losses of each upstream" },
	{ .words = "upstream",
	    .args = "ADDRESS up|drain|down",
	    POST,
	    .path = "/upstream",
	    .keys = { "address", "state" },
	    .n_needed = 2,
	    .show = show_messages,
	    .help = "ask it, or no more, until changed or a restart" },
	{ .words = "inflight",
	    .args = "",
	    GET,
	    .path = "/inflight",
	    .show = show_inflight,
	    .help = "the questions that wait for upstream, the oldest first" },
	{ .words = "deny",
	    .args = "[NETWORK [drop] [for SECONDS]]",
	    POST,
	    .path = "/deny",
	    .keys = { "network", "?drop", "=for", "for" },
	    .tells = true,
	    .show = show_denied,
	    .help = "refuse a client network, or drop what it asks; or list them" },
	{ .words = "undeny",
	    .args = "NETWORK",
	    POST,
	    .path = "/undeny",
	    .keys = { "network" },
	    .n_needed = 1,
	    .show = show_messages,
	    .help = "deny it no more" },
	{ .words = "querylog",
	    .args = "[config|on|off|failures [for SECONDS]]",
	    POST,
	    .path = "/querylog",
	    .keys = { "state", "=for", "for" },
	    .tells = true,
	    .show = show_querylog,
	    .help = "what the query log has, or has from now on" },
	{ .words = "clients",
	    .args = "",
	    GET,
	    .path = "/clients",
	    .show = show_clients,
	    .help = "policies of clients, and how often each was used" },
	{ .words = "explain",
	    .args = "NAME [TYPE] [client ADDRESS] [tcp] [do] [cd]",
	    GET,
	    .path = "/explain",
	    .keys = { "name", "type", "client", "ask", "tcp", "do", "cd" },
	    .n_needed = 1,
	    .show = explain_show,
	    .help = "what a client gets, and why; with --dry, without asking" },
	{ .words = "prefixes",
	    .args = "",
	    GET,
	    .path = "/prefixes",
	    .show = show_prefixes,
	    .help = "NAT64 prefixes, where they come from, how often used" },
	{ .words = "prefix add",
	    PREFIX,
	    POST,
	    .path = "/prefix/add",
	    .help = "synthesize under this prefix, too" },
	{ .words = "prefix del",
	    PREFIX,
	    POST,
	    .path = "/prefix/del",
	    .help = "take the prefix away" },
	{ .words = "prefix active",
	    PREFIX,
	    POST,
	    .path = "/prefix/active",
	    .help = "synthesize under it again" },
	{ .words = "prefix drain",
	    PREFIX,
	    POST,
	    .path = "/prefix/drain",
	    .help = "synthesize under it no more" },
	{ .words = "prefix down",
	    PREFIX,
	    POST,
	    .path = "/prefix/down",
	    .help = "synthesize under it no more, as it is out of order" },
	{ .words = "config",
	    .args = "",
	    GET,
	    .path = "/config",
	    .show = show_config,
	    .help = "what is in force, and where it stands" },
	{ .words = "reload",
	    .args = "",
	    POST,
	    .path = "/reload",
	    .show = show_messages,
	    .help = "read the configuration again, and tell the result" },
	{ .words = "check-config",
	    .args = "[FILE]",
	    .keys = { "file" },
	    .show = show_done,
	    .help = "would dns64d take this configuration? (dns64d -t)" },
	{ .words = "stop",
	    .args = "",
	    POST,
	    .path = "/stop",
	    .show = show_done,
	    .help = "finish what is in flight, and end" },
	{ .words = "lameduck on",
	    .args = "",
	    POST,
	    .path = "/lameduck",
	    .body = "{\"state\": \"on\"}",
	    .show = show_lameduck,
	    .help = "serve on, but be not ready: before a stop" },
	{ .words = "lameduck off",
	    .args = "",
	    POST,
	    .path = "/lameduck",
	    .body = "{\"state\": \"off\"}",
	    .show = show_lameduck,
	    .help = "be ready again" },
	{ .words = "lameduck",
	    .args = "",
	    GET,
	    .path = "/lameduck",
	    .show = show_lameduck,
	    .help = "is it a lame duck?" },
	{ .words = "cookie-secret add",
	    .args = "FILE|-",
	    POST,
	    .path = "/cookie-secret/add",
	    .from_file = true,
	    .keys = { "secret" },
	    .n_needed = 1,
	    .show = show_secrets,
	    .help = "take cookies of a further secret, until the next reload" },
	{ .words = "cookie-secret activate",
	    .args = "",
	    POST,
	    .path = "/cookie-secret/activate",
	    .show = show_secrets,
	    .help = "make cookies with the further secret" },
	{ .words = "cookie-secret drop",
	    .args = "",
	    POST,
	    .path = "/cookie-secret/drop",
	    .show = show_secrets,
	    .help = "take no more cookies of the secret that is not active" },
	{ .words = "cookie-secret",
	    .args = "",
	    GET,
	    .path = "/cookie-secret",
	    .show = show_secrets,
	    .help = "the secrets of cookies, by fingerprint" },
	{ .words = "flush all",
	    .args = "",
	    POST,
	    .path = "/flush/all",
	    .show = show_flushed,
	    .help = "empty the cache" },
	{ .words = "flush name",
	    .args = "NAME",
	    POST,
	    .path = "/flush/name",
	    .keys = { "name" },
	    .n_needed = 1,
	    .show = show_flushed,
	    .help = "remove the entries of a name" },
	{ .words = "flush below",
	    .args = "NAME",
	    POST,
	    .path = "/flush/below",
	    .keys = { "name" },
	    .n_needed = 1,
	    .show = show_flushed,
	    .help = "remove those of a name and of all names below it" },
	{ .words = "flush type",
	    .args = "NAME TYPE",
	    POST,
	    .path = "/flush/type",
	    .keys = { "name", "type" },
	    .n_needed = 2,
	    .show = show_flushed,
	    .help = "remove those of a name and type" },
	{ .words = "cache stats",
	    .args = "",
	    GET,
	    .path = "/cache",
	    .show = show_cache,
	    .help = "what the cache has and counts" },
	{ .words = "cache lookup",
	    .args = "NAME [TYPE]",
	    GET,
	    .path = "/cache/lookup",
	    .keys = { "name", "type" },
	    .n_needed = 1,
	    .show = show_entries,
	    .help = "what the cache has of a name" },
	{ .words = "cache save",
	    .args = "",
	    POST,
	    .path = "/cache/save",
	    .show = show_messages,
	    .help = "write cache-file" },
	{ .words = "log level",
	    .args = "[config|upstream|client|cache|dns64|control|stats|server] "
		    "error|warn|notice|info|debug",
	    POST,
	    .path = "/log/level",
	    .keys = { "category", "level" },
	    .tells = true,
	    .show = show_levels,
	    .help = "what is logged, or is from now on until the next reload" },
	{ .words = "log reopen",
	    .args = "",
	    POST,
	    .path = "/log/reopen",
	    .show = show_messages,
	    .help = "open the log and the query log again" },
};

const struct command *
commands(size_t *n)
{
	*n = sizeof(table) / sizeof(table[0]);
	return table;
}

/* How many of the N words at WORDS are those of C; 0: they are others. */
static size_t
match(const struct command *c, char *const *words, size_t n)
{
	const char *second = strchr(c->words, ' ');
	size_t len = second == NULL ? strlen(c->words) : (size_t)(second - c->words);

	if (n == 0 || strlen(words[0]) != len || strncmp(words[0], c->words, len) != 0)
		return 0;
	if (second == NULL)
		return 1;
	return n > 1 && strcmp(words[1], second + 1) == 0 ? 2 : 0;
}

const struct command *
commands_find(char *const *words, size_t n, size_t *used)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*used = match(&table[i], words, n);
		if (*used > 0)
			return &table[i];
	}
	return NULL;
}

size_t
commands_keys(const struct command *c)
{
	size_t n = 0;

	while (n < COMMANDS_ARGS && c->keys[n] != NULL)
		n++;
	return n;
}

/* Is KEY that of a word, which stands by itself or with an argument behind it? */
static bool
is_word(const char *key)
{
	return key[0] == '=' || key[0] == '?';
}

/* The key of the first argument: of those that fill from the end, if N is less than there are. */
static size_t
first_key(const struct command *c, size_t n)
{
	size_t n_keys = commands_keys(c);

	for (size_t k = 0; k < n_keys; k++) {
		if (is_word(c->keys[k]))
			return 0;
	}
	return c->tells && n < n_keys ? n_keys - n : 0;
}

bool
commands_bind(
    const struct command *c, char *const *args, size_t n, const char *bound[static COMMANDS_ARGS])
{
	size_t n_keys = commands_keys(c), i = 0;

	for (size_t k = 0; k < COMMANDS_ARGS; k++)
		bound[k] = NULL;
	for (size_t k = first_key(c, n); k < n_keys && i < n; k++) {
		const char *key = c->keys[k];
		bool said = is_word(key) && strcmp(key + 1, args[i]) == 0;

		if (key[0] == '?') {
			bound[k] = said ? "yes" : NULL;
			i += said;
		} else if (key[0] == '=') {
			if (said && i + 1 == n)
				return false;
			k++; /* the argument */
			bound[k] = said ? args[i + 1] : NULL;
			i += said ? 2 : 0;
		} else {
			bound[k] = args[i++];
		}
	}
	return i == n && n >= c->n_needed;
}

bool
commands_fit(const struct command *c, char *const *args, size_t n)
{
	const char *bound[COMMANDS_ARGS];

	return commands_bind(c, args, n, bound);
}

void
commands_help(FILE *out)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct command *c = &table[i];
		int len =
		    fprintf(out, "  %s%s%s", c->words, c->args[0] != '\0' ? " " : "", c->args);

		if (len > HELP_COLUMN) {
			fputc('\n', out);
			len = 0;
		}
		fprintf(out, "%*s %s\n", HELP_COLUMN - len, "", c->help);
	}
}

void
commands_print(FILE *out)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		fprintf(out, "%s\t%s\t%s\n", table[i].words,
		    table[i].args[0] != '\0' ? table[i].args : "-", table[i].help);
}
