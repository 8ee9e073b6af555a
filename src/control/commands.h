/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_COMMANDS_H
#define DNS64D_CONTROL_COMMANDS_H

/*
 * commands: the one table of the commands of dns64ctl, and so of what the control socket can be
 * asked for. dns64d makes of it its paths (control/api) and the parameters that each takes
 * (control/params); dns64ctl makes of it what it understands, its help and its requests. Both are
 * compiled with it, so it includes nothing but base/attr.h.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

#define COMMANDS_KEYS 7                    /* of a command at most */
#define COMMANDS_NAMES (COMMANDS_KEYS + 1) /* of parameters of a path: "persist", too */

/* Bits: the methods of HTTP. */
#define COMMANDS_GET 1U
#define COMMANDS_POST 2U

struct command {
	const char *words; /* one or two */
	const char *args;  /* what follows, for people; NULL: nothing */
	/* With both bits it asks by GET without an argument, and posts those that there are. If
	 * there are fewer than keys, they are those of the last keys. */
	unsigned methods;
	const char *path; /* NULL: the daemon is not asked */
	/*
	 * The arguments by their names in the request; those from n_needed on may be left out. One
	 * that begins with '=' is a word with an argument behind it, which has the next key; one
	 * with '?' is a word by itself, whose value is "yes". Both may be left out.
	 */
	const char *keys[COMMANDS_KEYS];
	size_t n_needed;
	const char *value;     /* of the only key, if the words say it already; NULL: they do not */
	bool from_file;        /* the argument is a file that has the value; "-": standard input */
	bool saves;            /* takes --persist, "persist" in the request */
	const char *help;      /* one line */
	const char *path_help; /* the same where paths are listed, with keys in braces; NULL: as
				  help. Of commands with one path the first is listed */
};

#define COMMANDS_TELLS(words_, path_) .words = words_, .methods = COMMANDS_GET, .path = path_
#define COMMANDS_DOES(words_, path_) .words = words_, .methods = COMMANDS_POST, .path = path_
#define COMMANDS_BOTH(words_, path_) \
	.words = words_, .methods = COMMANDS_GET | COMMANDS_POST, .path = path_

/* A change of prefixes. */
#define COMMANDS_PREFIX(what) \
	.args = "PREFIX [client NETWORK]", .keys = { "prefix", "=client", "client" }, \
	.n_needed = 1, .saves = true, COMMANDS_DOES("prefix " what, "/prefix/" what)

/*
 * X(its handler in control/, what shows the answer in dns64ctl/, members of struct command)
 *
 * Of two commands with the same first word the one with a second word comes first.
 */
#define COMMANDS_TABLE(X) \
	X(api_status, show_status, COMMANDS_TELLS("status", "/status"), \
	    .help = "what runs, since when, and how it is") \
	X(api_ping, show_ping, COMMANDS_TELLS("ping", "/ping"), .help = "does the daemon answer?") \
	X(api_stats, show_stats, COMMANDS_TELLS("stats", "/stats"), \
	    .help = "the counters; with --rates, how they grow", .path_help = "the counters") \
	X(api_top_clients, top_show, COMMANDS_TELLS("top clients", "/top/clients"), \
	    .args = "[LINES]", .keys = { "lines" }, \
	    .help = "who gets most answers; counted while it is read", \
	    .path_help = "who got most answers, ?lines= of them; counted while it is asked for") \
	X(api_top_names, top_show, COMMANDS_TELLS("top names", "/top/names"), .args = "[LINES]", \
	    .keys = { "lines" }, .help = "the names asked for most; likewise") \
	X(api_top_failures, top_show, COMMANDS_TELLS("top failures", "/top/failures"), \
	    .args = "[LINES]", .keys = { "lines" }, \
	    .help = "the names whose answers failed most; likewise", \
	    .path_help = "the names that failed most; likewise") \
	X(api_stats, show_stats, COMMANDS_TELLS("top", "/stats"), .args = "[LINES]", \
	    .keys = { "lines" }, .help = "what is done, a line a second; q ends it") \
	X(api_upstreams, show_upstreams, COMMANDS_TELLS("upstreams", "/upstreams"), \
	    .help = "state, times and losses of each upstream", \
	    .path_help = "what is known of each upstream") \
	X(api_upstream, show_messages, COMMANDS_DOES("upstream", "/upstream"), \
	    .args = "ADDRESS up|drain|down", .keys = { "address", "state" }, .n_needed = 2, \
	    .help = "ask it, or no more, until changed or a restart", \
	    .path_help = "ask the upstream {address} as usual, or no more: {state} up, drain or " \
			 "down") \
	X(api_inflight, show_inflight, COMMANDS_TELLS("inflight", "/inflight"), \
	    .help = "the questions that wait for upstream, the oldest first") \
	X(api_deny, show_denied, COMMANDS_BOTH("deny", "/deny"), \
	    .args = "[NETWORK [drop] [for SECONDS]]", \
	    .keys = { "network", "?drop", "=for", "for" }, \
	    .help = "refuse a client network, or drop what it asks; or list them", \
	    .path_help = "the networks that are denied so; or deny {network}, without an answer " \
			 "if {drop} is yes, {for} seconds") \
	X(api_undeny, show_messages, COMMANDS_DOES("undeny", "/undeny"), .args = "NETWORK", \
	    .keys = { "network" }, .n_needed = 1, .help = "deny it no more", \
	    .path_help = "deny {network} no more") \
	X(api_querylog, show_querylog, COMMANDS_BOTH("querylog", "/querylog"), \
	    .args = "[config|on|off|failures [for SECONDS]]", .keys = { "state", "=for", "for" }, \
	    .help = "what the query log has, or has from now on", \
	    .path_help = "what the query log has; or {state} config, or on, off or failures, " \
			 "{for} seconds") \
	X(api_clients, show_clients, COMMANDS_TELLS("clients", "/clients"), \
	    .help = "policies of clients, and how often each was used") \
	X(api_explain, explain_show, COMMANDS_TELLS("explain", "/explain"), \
	    .args = "NAME [TYPE] [client ADDRESS] [tcp] [do] [cd]", \
	    .keys = { "name", "type", "client", "ask", "tcp", "do", "cd" }, .n_needed = 1, \
	    .help = "what a client gets, and why; with --dry, without asking", \
	    .path_help = "what a client gets for ?name=, and why; with &type=, &client=, &ask=0, " \
			 "&tcp=1, &do=1, &cd=1") \
	X(api_prefixes, show_prefixes, COMMANDS_TELLS("prefixes", "/prefixes"), \
	    .help = "NAT64 prefixes, where they come from, how often used", \
	    .path_help = "prefixes, where they come from, how much they are used") \
	X(api_prefix_add, show_prefix_change, COMMANDS_PREFIX("add"), \
	    .help = "synthesize under this prefix, too", \
	    .path_help = "synthesize under {prefix} too; {client}: for its block; {persist} yes: " \
			 "save it") \
	X(api_prefix_del, show_prefix_change, COMMANDS_PREFIX("del"), \
	    .help = "take the prefix away", \
	    .path_help = "take {prefix} away; {client} and {persist} as with /prefix/add") \
	X(api_prefix_active, show_prefix_change, COMMANDS_PREFIX("active"), \
	    .help = "synthesize under it again", \
	    .path_help = "synthesize under {prefix} again; likewise") \
	X(api_prefix_drain, show_prefix_change, COMMANDS_PREFIX("drain"), \
	    .help = "synthesize under it no more", \
	    .path_help = "synthesize under {prefix} no more; likewise") \
	X(api_prefix_down, show_prefix_change, COMMANDS_PREFIX("down"), \
	    .help = "synthesize under it no more, as it is out of order", \
	    .path_help = "the same, as it is out of order; likewise") \
	X(api_config, show_config, COMMANDS_TELLS("config", "/config"), \
	    .help = "what is in force, and where it stands") \
	X(api_reload, show_messages, COMMANDS_DOES("reload", "/reload"), \
	    .help = "read the configuration again, and tell the result", \
	    .path_help = "read the configuration again; answers with all it said") \
	X(NULL, show_done, .words = "check-config", .args = "[FILE]", .keys = { "file" }, \
	    .help = "would dns64d take this configuration? (dns64d -t)") \
	X(api_stop, show_stop, COMMANDS_DOES("stop", "/stop"), \
	    .help = "be a lame duck (lameduck), finish what is in flight, and end") \
	X(api_lameduck, show_lameduck, COMMANDS_DOES("lameduck on", "/lameduck"), \
	    .keys = { "state" }, .value = "on", \
	    .help = "serve on, but be not ready: before a stop", \
	    .path_help = "serve on, but ask not to be asked: {state} on or off") \
	X(api_lameduck, show_lameduck, COMMANDS_DOES("lameduck off", "/lameduck"), \
	    .keys = { "state" }, .value = "off", .help = "be ready again") \
	X(api_lameduck, show_lameduck, COMMANDS_TELLS("lameduck", "/lameduck"), \
	    .help = "is it a lame duck?") \
	X(api_cookie_add, show_secrets, COMMANDS_DOES("cookie-secret add", "/cookie-secret/add"), \
	    .args = "FILE|-", .from_file = true, .keys = { "secret" }, .n_needed = 1, \
	    .help = "take cookies of a further secret, until the next reload", \
	    .path_help = "take cookies of {secret} too") \
	X(api_cookie_activate, show_secrets, \
	    COMMANDS_DOES("cookie-secret activate", "/cookie-secret/activate"), \
	    .help = "make cookies with the further secret", \
	    .path_help = "make cookies with the other secret") \
	X(api_cookie_drop, show_secrets, \
	    COMMANDS_DOES("cookie-secret drop", "/cookie-secret/drop"), \
	    .help = "take no more cookies of the secret that is not active") \
	X(api_cookie, show_secrets, COMMANDS_TELLS("cookie-secret", "/cookie-secret"), \
	    .help = "the secrets of cookies, by fingerprint", \
	    .path_help = "secrets of cookies for clients, by fingerprint") \
	X(api_flush_all, show_flushed, COMMANDS_DOES("flush all", "/flush/all"), \
	    .help = "empty the cache") \
	X(api_flush_name, show_flushed, COMMANDS_DOES("flush name", "/flush/name"), \
	    .args = "NAME", .keys = { "name" }, .n_needed = 1, \
	    .help = "remove the entries of a name", .path_help = "remove the entries of {name}") \
	X(api_flush_below, show_flushed, COMMANDS_DOES("flush below", "/flush/below"), \
	    .args = "NAME", .keys = { "name" }, .n_needed = 1, \
	    .help = "remove those of a name and of all names below it", \
	    .path_help = "remove those of {name} and of all names below") \
	X(api_flush_type, show_flushed, COMMANDS_DOES("flush type", "/flush/type"), \
	    .args = "NAME TYPE", .keys = { "name", "type" }, .n_needed = 2, \
	    .help = "remove those of a name and type", \
	    .path_help = "remove those of {name} and {type}") \
	X(api_cache_stats, show_cache, COMMANDS_TELLS("cache stats", "/cache"), \
	    .help = "what the cache has and counts") \
	X(api_cache_lookup, show_entries, COMMANDS_TELLS("cache lookup", "/cache/lookup"), \
	    .args = "NAME [TYPE]", .keys = { "name", "type" }, .n_needed = 1, \
	    .help = "what the cache has of a name", \
	    .path_help = "the entries of ?name=, with &type= those of that type") \
	X(api_cache_save, show_messages, COMMANDS_DOES("cache save", "/cache/save"), \
	    .help = "write cache-file") \
	X(api_log_level, show_levels, COMMANDS_BOTH("log level", "/log/level"), \
	    .args = "[config|upstream|client|cache|dns64|control|stats|server] " \
		    "error|warn|notice|info|debug", \
	    .keys = { "category", "level" }, \
	    .help = "what is logged, or is from now on until the next reload", \
	    .path_help = "the levels of the log; or until a reload log {level} and what is more " \
			 "important, of {category} only if that is given") \
	X(api_log_reopen, show_messages, COMMANDS_DOES("log reopen", "/log/reopen"), \
	    .help = "open the log and the query log again")

/* commands: the table, in its order; *N: its length. */
MUST_USE const struct command *commands(size_t *n);

/* commands_path_help: what C says where paths are listed. */
MUST_USE const char *commands_path_help(const struct command *c);

/*
 * commands_names: the names of the parameters that PATH takes, in POST if POSTED and else in GET,
 * to NAMES, ended by NULL.
 */
void commands_names(const char *path, bool posted, const char *names[static COMMANDS_NAMES + 1]);

#endif
