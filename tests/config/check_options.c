/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: what it sets, and that it has the last word over the file. */

#include "config/options.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "config/loglevel.h"
#include "config/policies.h"
#include "support/said.h"
#include "support/tests.h"
#include "support/text.h"

static struct said said;
static struct settings settings;
static struct options options;

#define ARGS_MAX 25

/* Parse the words of TEXT behind the program's name. */
static enum options_task
parse(const char *text)
{
	static char words[512];
	char *argv[ARGS_MAX];

	snprintf(words, sizeof(words), "dns64d %s", text);
	return options_parse(text_words(words, argv, ARGS_MAX), argv, &options);
}

/* What is printed for people does not belong into a test's output. */
static void
silence(void)
{
	int fd = open("/dev/null", O_WRONLY);

	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	close(fd);
}

struct task_case {
	const char *text;
	enum options_task task;
};

static const struct task_case tasks[] = {
	{ "", OPTIONS_RUN },
	{ "-f -c x", OPTIONS_RUN },
	{ "-t", OPTIONS_CHECK },
	{ "--test", OPTIONS_CHECK },
	{ "-h", OPTIONS_HELP },
	{ "--help", OPTIONS_HELP },
	{ "-V", OPTIONS_VERSION },
	{ "--print-keywords", OPTIONS_KEYWORDS },
	{ "-x", OPTIONS_USAGE },
	{ "--nonsense", OPTIONS_USAGE },
	{ "-c", OPTIONS_USAGE },
	{ "-d", OPTIONS_USAGE },
	{ "-d 5", OPTIONS_USAGE },
	{ "-d x", OPTIONS_USAGE },
	{ "-t extra", OPTIONS_USAGE },
	{ "-u 1 -u 1 -u 1 -u 1 -u 1 -u 1 -u 1 -u 1 -u 1 -u 1 -u 1", OPTIONS_RUN },
};

START_TEST(command_line_decides_the_task)
{
	silence();
	ck_assert_int_eq(parse(tasks[_i].text), tasks[_i].task);
}
END_TEST

START_TEST(short_and_long_options_are_the_same)
{
	ck_assert_int_eq(parse(""), OPTIONS_RUN);
	ck_assert_ptr_nonnull(strstr(options.path, "/dns64d/dns64d.conf"));
	ck_assert(!options.foreground && options.level == -1 && options.verbosity == 0);
	ck_assert_uint_eq(options.family, NETADDR_NONE);
	ck_assert_int_eq(parse("-c a -f -d 3 -vvq -6"), OPTIONS_RUN);
	ck_assert_str_eq(options.path, "a");
	ck_assert(options.foreground && options.level == 3 && options.verbosity == 1);
	ck_assert_uint_eq(options.family, NETADDR_IPV6);
	ck_assert_int_eq(
	    parse("--config a --foreground --debug 3 --verbose --quiet --ipv4"), OPTIONS_RUN);
	ck_assert_str_eq(options.path, "a");
	ck_assert(options.foreground && options.level == 3 && options.verbosity == 0);
	ck_assert_uint_eq(options.family, NETADDR_IPV4);
}
END_TEST

static void
apply(const char *line, const char *file)
{
	ck_assert_int_eq(parse(line), OPTIONS_RUN);
	said_parse(&said, file, &settings);
	options_apply(&options, &settings, &said.diag);
}

static const struct policies *
make(void)
{
	settings.conf.core.policies = policies_make(&settings, &said.diag);
	ck_assert_ptr_nonnull(settings.conf.core.policies);
	return settings.conf.core.policies;
}

START_TEST(command_line_goes_over_the_file)
{
	const struct policy *p;
	char text[PREF64_TEXT];

	apply("-u u -g g -r /r -n 3 -p 2001:db8:1::/96 -p 2001:db8:2::/96",
	    "user a\ngroup b\nnum-threads 9\ndns64-prefix 2001:db8:9::/96\n");
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(settings.user, "u");
	ck_assert_str_eq(settings.group, "g");
	ck_assert_str_eq(settings.chroot, "/r");
	ck_assert_uint_eq(settings.num_threads, 3);
	p = &make()->table[0];
	ck_assert_uint_eq(p->synth.n_prefixes, 2);
	ck_assert_str_eq(pref64_format(&p->synth.prefixes[0], text), "2001:db8:1::/96");
	apply("--user u --group g --chroot /r --loops auto --prefix 2001:db8:1::/96",
	    "num-threads 9\n");
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(settings.user, "u");
	ck_assert_uint_eq(settings.num_threads, 0);
	ck_assert_uint_eq(make()->table[0].synth.n_prefixes, 1);
}
END_TEST

/* A block keeps what it has of its own, and gets those of the command line otherwise. */
START_TEST(prefixes_of_blocks)
{
	const struct policies *ps;
	char text[PREF64_TEXT];

	apply("-p 2001:db8:1::/96",
	    "dns64-prefix 2001:db8:9::/96\nclient 192.0.2.0/24 {\ndns64-prefix 2001:db8:2::/96\n}\n"
	    "client 192.0.3.0/24 {\n}\n");
	ps = make();
	ck_assert_str_eq(pref64_format(&ps->table[0].synth.prefixes[0], text), "2001:db8:1::/96");
	ck_assert_str_eq(pref64_format(&ps->table[1].synth.prefixes[0], text), "2001:db8:2::/96");
	ck_assert_str_eq(pref64_format(&ps->table[2].synth.prefixes[0], text), "2001:db8:1::/96");
}
END_TEST

START_TEST(bad_values_of_the_command_line_are_told)
{
	apply("-n 0 -p 2001:db8::/33", "");
	ck_assert_str_eq(said.text,
	    "error command line: num-threads: '0' is not auto or a number from 1 to "
	    "64\nerror command line: dns64-prefix: '2001:db8::/33' has a length that RFC 6052 does "
	    "not "
	    "have; allowed are 32, 40, 48, 56, 64 and 96\n");
	ck_assert_str_eq(said.diag.file, "t.conf");
}
END_TEST

struct level_case {
	const char *line;
	const char *file;
	enum log_level level;
};

static const struct level_case levels[] = {
	{ "", "", LOG_LEVEL_NOTICE },
	{ "-v", "", LOG_LEVEL_INFO },
	{ "-vv", "", LOG_LEVEL_DEBUG },
	{ "-vvvv", "", LOG_LEVEL_DEBUG },
	{ "-q", "", LOG_LEVEL_WARN },
	{ "-qqqq", "", LOG_LEVEL_ERROR },
	{ "-d 0", "debugging yes\n", LOG_LEVEL_ERROR },
	{ "-d 4", "log-level error\n", LOG_LEVEL_DEBUG },
	{ "-d 2 -v", "", LOG_LEVEL_INFO },
	{ "", "debugging yes\n", LOG_LEVEL_DEBUG },
};

START_TEST(log_level_of_the_command_line)
{
	apply(levels[_i].line, levels[_i].file);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), levels[_i].level);
}
END_TEST

START_TEST(family_options_leave_out_the_other)
{
	static const char file[] = "listen ::1\nlisten 127.0.0.1\nlisten ::\nnameserver 192.0.2.1\n"
				   "listen fe80::1%eth0\nlisten eth0\n";

	apply("", file);
	ck_assert_uint_eq(settings.conf.io.n_listens, 3);
	apply("-6", file);
	ck_assert_uint_eq(settings.conf.io.n_listens, 2);
	ck_assert_uint_eq(settings.listen_lines[1], 3);
	ck_assert_uint_eq(settings.listens.n_of, 2);
	/* Upstreams stay. */
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 1);
	apply("-4", file);
	ck_assert_uint_eq(settings.conf.io.n_listens, 1);
	ck_assert_uint_eq(settings.conf.io.listens[0].family, NETADDR_IPV4);
	ck_assert_uint_eq(settings.listens.n_of, 1);
	ck_assert_uint_eq(settings.listens.of[0].addr.family, NETADDR_NONE);
	ck_assert_uint_eq(settings.listens.of[0].family, NETADDR_IPV4);
}
END_TEST

/* Every option is in the help and in the manual. */
START_TEST(help_and_manual_have_every_option)
{
	static const char *const all[] = { "-c", "-f", "-t", "-d", "-v", "-q", "-u", "-g", "-r",
		"-n", "-p", "-4", "-6", "-V", "-h", "--print-keywords", "nameserver ADDRESS" };
	static char text[32768];
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(f);
	options_help(f);
	fclose(f);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ck_assert_ptr_nonnull(strstr(text, all[i]));
}
END_TEST

#define N_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, command_line_decides_the_task, 0, N_OF(tasks));
	tcase_add_test(tc, short_and_long_options_are_the_same);
	tcase_add_test(tc, command_line_goes_over_the_file);
	tcase_add_test(tc, prefixes_of_blocks);
	tcase_add_test(tc, bad_values_of_the_command_line_are_told);
	tcase_add_loop_test(tc, log_level_of_the_command_line, 0, N_OF(levels));
	tcase_add_test(tc, family_options_leave_out_the_other);
	tcase_add_test(tc, help_and_manual_have_every_option);
}
