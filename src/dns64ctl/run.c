/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64ctl/run.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/secret.h"
#include "control/commands.h"
#include "control/sockpath.h"
#include "dns64ctl/client.h"
#include "dns64ctl/explain.h"
#include "dns64ctl/options.h"
#include "dns64ctl/show.h"
#include "dns64ctl/top.h"
#include "dns64ctl/words.h"

#define WORD_MAX 256 /* bytes of a value that is read from a file */

/* Say why nobody answered at PATH, -RC being an errno. Returns the exit code. */
static int
tell_nobody(const char *path, int rc)
{
	switch (-rc) {
	case EACCES:
	case EPERM:
		fprintf(stderr,
		    "dns64ctl: %s: %s; a daemon may well be there: root and its own user and group "
		    "may ask it\n",
		    path, strerror(-rc));
		break;
	case ENOENT:
		fprintf(stderr,
		    "dns64ctl: there is no %s: no daemon runs, or its control-socket is another "
		    "one, which -s names\n",
		    path);
		break;
	case ECONNREFUSED:
		fprintf(stderr, "dns64ctl: nobody listens at %s: its daemon is gone\n", path);
		break;
	case EAGAIN: /* SO_RCVTIMEO, SO_SNDTIMEO */
		fprintf(stderr,
		    "dns64ctl: the daemon at %s gives no answer, for %d seconds: its main thread "
		    "hangs, or gets no CPU time\n",
		    path, CLIENT_S);
		break;
	case EPROTO:
		fprintf(stderr, "dns64ctl: %s: what came is no answer of dns64d\n", path);
		break;
	default:
		fprintf(stderr, "dns64ctl: %s: %s\n", path, strerror(-rc));
		break;
	}
	return RUN_NOBODY;
}

/* Show the answer A to C as O says. Returns an exit code. */
static int
show(const struct command *c, const struct options *o, const struct client_answer *a)
{
	json_t *j = json_loadb(a->body, a->len, 0, NULL);
	bool ok = a->code < 300;

	if (o->json)
		(void)fwrite(a->body, 1, a->len, stdout);
	else if (j != NULL && (ok || json_object_get(j, "messages") != NULL))
		words_show(c)(j, stdout);
	if (!ok)
		show_error(j, stderr);
	json_decref(j);
	return ok ? RUN_OK : RUN_REFUSED;
}

/* Is any of the N arguments at ARGS there? */
static bool
has_any(const char *const *args, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (args[i] != NULL)
			return true;
	}
	return false;
}

/*
 * The JSON of the N arguments at ARGS, by the keys of C, NULL for what is not said; the caller's.
 * NULL without any, or without memory.
 */
static char *
body(const struct command *c, const struct options *o, const char *const *args, size_t n)
{
	json_t *j = json_object();
	char *text;

	for (size_t i = 0; i < n; i++) {
		if (args[i] != NULL)
			(void)json_object_set_new(
			    j, c->keys[i] + (c->keys[i][0] == '?'), json_string(args[i]));
	}
	if (o->persist)
		(void)json_object_set_new(j, "persist", json_string("yes"));
	text = has_any(args, n) ? json_dumps(j, 0) : NULL;
	json_decref(j);
	return text;
}

/* Append TEXT to what OUT has, everything but letters and digits in %XX. */
static void
put_encoded(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '.' || c == '-')
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

/*
 * The path of C with the N arguments at ARGS behind it, NULL for what is not said, the caller's;
 * NULL without memory.
 */
static char *
path(const struct command *c, const char *const *args, size_t n)
{
	char before = '?', *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	fputs(c->path, out);
	for (size_t i = 0; i < n; i++) {
		if (args[i] == NULL)
			continue;
		fprintf(out, "%c%s=", before, c->keys[i]);
		put_encoded(out, args[i]);
		before = '&';
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Have the daemon asked. Returns RUN_OK, and the caller frees a->text; or RUN_NOBODY. */
static int
call(const struct command *c, const struct options *o, const char *const *args, size_t n,
    struct client_answer *a)
{
	const char *socket = o->socket != NULL ? o->socket : sockpath_usual();
	bool posts = (c->methods & COMMANDS_GET) == 0 ||
	    ((c->methods & COMMANDS_POST) != 0 && has_any(args, n));
	char *b = posts ? body(c, o, args, n) : NULL, *p = path(c, args, posts ? 0 : n);
	const struct client_request r = { .method = posts ? "POST" : "GET", .path = p, .body = b };
	int rc = p == NULL ? -ENOMEM : client_ask(socket, &r, a);

	if (b != NULL)
		secret_wipe(b, strlen(b));
	free(b);
	free(p);
	return rc == 0 ? RUN_OK : tell_nobody(socket, rc);
}

/*
 * Read the first word of FILE ("-": standard input) to WORD, of CAP bytes. False, after a message:
 * there is none, or it is too long.
 */
static bool
read_word(const char *file, char *word, size_t cap)
{
	FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
	bool ok = in != NULL;
	size_t n;

	if (in == NULL) {
		fprintf(stderr,
		    "dns64ctl: %s: %s; give a file that has the value, which is never on the "
		    "command line, where others see it\n",
		    file, strerror(errno));
		return false;
	}
	/* No buffer, in which the value would stay. */
	(void)setvbuf(in, NULL, _IONBF, 0);
	ok = fgets(word, (int)cap, in) != NULL;
	n = ok ? strcspn(word, " \t\r\n") : 0;
	ok = n > 0 && n < cap - 1;
	word[n] = '\0';
	if (in != stdin)
		(void)fclose(in);
	if (!ok)
		fprintf(stderr, "dns64ctl: %s: the first line is not one value\n", file);
	return ok;
}

/* Ask with ARGS, N of them, and show what comes. */
static int
ask(const struct command *c, const struct options *o, const char *const *args, size_t n)
{
	struct client_answer a;
	int code = call(c, o, args, n, &a);

	if (code != RUN_OK)
		return code;
	code = show(c, o, &a);
	free(a.text);
	return code;
}

/* Ask with what the file ARG has. */
static int
ask_from_file(const struct command *c, const struct options *o, const char *arg)
{
	char word[WORD_MAX];
	const char *const args[] = { word };
	int code = RUN_USAGE;

	if (read_word(arg, word, sizeof(word)))
		code = ask(c, o, args, 1);
	secret_wipe(word, sizeof(word));
	return code;
}

/* Have the daemon asked for *J, the caller's. Returns an exit code. */
static int
fetch(const struct command *c, const struct options *o, json_t **j)
{
	struct client_answer a;
	int code = call(c, o, NULL, 0, &a);

	if (code != RUN_OK)
		return code;
	*j = json_loadb(a.body, a.len, 0, NULL);
	free(a.text);
	return RUN_OK;
}

/* The counters twice, a second apart, and what lies between. */
static int
rates(const struct command *c, const struct options *o)
{
	json_t *before = NULL, *now = NULL;
	int code = fetch(c, o, &before);

	if (code == RUN_OK) {
		(void)sleep(1);
		code = fetch(c, o, &now);
	}
	if (code == RUN_OK)
		show_rates(before, now, stdout);
	json_decref(before);
	json_decref(now);
	return code;
}

/* A line a second, N of them; 0: until q is typed. */
static int
top(const struct command *c, const struct options *o, uint64_t n)
{
	json_t *before = NULL;
	int code = fetch(c, o, &before);

	for (uint64_t i = 0; code == RUN_OK && (n == 0 || i < n); i++) {
		json_t *now = NULL;

		if (i % TOP_PAGE == 0)
			top_heading(stdout);
		if (top_wait())
			break;
		code = fetch(c, o, &now);
		if (code == RUN_OK)
			top_line(before, now, stdout);
		json_decref(before);
		before = now;
	}
	json_decref(before);
	return code;
}

static int
begin_top(const struct command *c, const struct options *o, const char *lines)
{
	uint64_t n;

	if (number_parse(lines, strlen(lines), UINT32_MAX, &n))
		return top(c, o, n);
	fprintf(stderr,
	    "dns64ctl: top takes a number of lines, or clients, names or failures, not %s\n",
	    lines);
	return RUN_USAGE;
}

/* What occurs most, by the N arguments at WORDS; if nobody has it counted yet, in a second. */
static int
most(const struct command *c, const struct options *o, char *const *words, size_t n)
{
	const char *args[COMMANDS_KEYS];
	struct client_answer a;
	json_t *j;
	int code;
	bool began;

	if (!words_bind(c, words, n, args))
		return RUN_USAGE;
	code = call(c, o, args, words_keys(c), &a);
	if (code != RUN_OK)
		return code;
	j = json_loadb(a.body, a.len, 0, NULL);
	began = json_is_true(json_object_get(j, "began"));
	json_decref(j);
	if (!began)
		code = show(c, o, &a);
	free(a.text);
	if (!began)
		return code;
	fputs("dns64ctl: counting begins, and ends a minute after it was read last\n", stderr);
	(void)sleep(1);
	return ask(c, o, args, words_keys(c));
}

/* Have dns64d check the configuration FILE; NULL: the usual one. */
static int
check_config(const char *file)
{
	char own[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - sizeof("dns64d"));

	/* The one that was installed, or built, with us. */
	own[n < 0 ? 0 : n] = '\0';
	slash = strrchr(own, '/');
	if (slash != NULL)
		strcpy(slash + 1, "dns64d");
	if (slash == NULL || access(own, X_OK) != 0)
		snprintf(own, sizeof(own), "%s/dns64d", SBINDIR);
	(void)execl(own, "dns64d", "-t", "-f", file != NULL ? "-c" : NULL, file, NULL);
	fprintf(stderr, "dns64ctl: %s: %s\n", own, strerror(errno));
	return RUN_REFUSED;
}

/* Is there an option that is for another command than C? */
static bool
is_astray(const struct command *c, const struct options *o)
{
	bool explains = strcmp(c->words, "explain") == 0;

	if (o->rates && strcmp(c->words, "stats") != 0)
		fprintf(stderr, "dns64ctl: --rates is for stats only\n");
	else if (o->persist && !c->saves)
		fprintf(stderr, "dns64ctl: --persist is for changes of prefixes only\n");
	else if ((o->ask || o->dry) && !explains)
		fprintf(stderr, "dns64ctl: --ask and --dry are for explain only\n");
	else if (o->ask && o->dry)
		fprintf(stderr, "dns64ctl: --ask and --dry exclude each other\n");
	else
		return false;
	return true;
}

static int
takes(const struct command *c)
{
	fprintf(
	    stderr, "dns64ctl: %s takes %s\n", c->words, c->args != NULL ? c->args : "no argument");
	return RUN_USAGE;
}

/* Ask as the N arguments at WORDS say. */
static int
ask_by_words(const struct command *c, const struct options *o, char *const *words, size_t n)
{
	const char *args[COMMANDS_KEYS];

	_Static_assert(EXPLAIN_KEYS <= COMMANDS_KEYS, "they go there");
	if (strcmp(c->words, "explain") == 0) {
		if (!explain_words(words, n, o->dry, args))
			return takes(c);
		return ask(c, o, args, EXPLAIN_KEYS);
	}
	if (!words_bind(c, words, n, args))
		return takes(c);
	return ask(c, o, args, words_keys(c));
}

static int
run(const struct options *o)
{
	size_t used;
	const struct command *c = words_find(o->words, o->n_words, &used);
	size_t n = o->n_words - used;

	if (c == NULL) {
		fprintf(stderr, "dns64ctl: %s%s%s%s; commands are:\n",
		    o->n_words == 0 ? "no command was given" : "there is no command ",
		    o->n_words == 0 ? "" : o->words[0], o->n_words > 1 ? " " : "",
		    o->n_words > 1 ? o->words[1] : "");
		words_help(stderr);
		return RUN_USAGE;
	}
	if (!words_fit(c, o->words + used, n))
		return takes(c);
	if (is_astray(c, o))
		return RUN_USAGE;
	if (c->path == NULL)
		return check_config(n > 0 ? o->words[used] : NULL);
	if (strcmp(c->words, "top") == 0)
		return begin_top(c, o, n > 0 ? o->words[used] : "0");
	if (strncmp(c->words, "top ", 4) == 0)
		return most(c, o, o->words + used, n);
	if (c->from_file)
		return ask_from_file(c, o, o->words[used]);
	return o->rates ? rates(c, o) : ask_by_words(c, o, o->words + used, n);
}

/* Do what the command line says. Returns an exit code. */
static int
begin(int argc, char **argv)
{
	struct options o;

	switch (options_read(argc, argv, &o, stderr)) {
	case CMDLINE_HELP:
		cmdline_print_help(options_table(), 0, stdout);
		fputs("\nCommands:\n", stdout);
		words_help(stdout);
		return RUN_OK;
	case CMDLINE_VERSION:
		puts("dns64ctl " PACKAGE_VERSION);
		return RUN_OK;
	case CMDLINE_WRONG:
		fputs("dns64ctl: -h lists options and commands\n", stderr);
		return RUN_USAGE;
	case CMDLINE_RUN:
		break;
	}
	if (o.commands) {
		words_print(stdout);
		return RUN_OK;
	}
	return run(&o);
}

int
run_main(int argc, char **argv)
{
	int code = begin(argc, argv);

	/* Who keeps the output has to know that it is not whole. */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "dns64ctl: standard output: %s\n", strerror(errno));
	return code == RUN_OK ? RUN_REFUSED : code;
}
