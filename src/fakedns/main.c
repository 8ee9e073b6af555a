/* SPDX-License-Identifier: BSD-2-Clause */
/* fakedns: an upstream for tests and benchmarks that computes its answers; see fakedns(8). */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fakedns/options.h"
#include "fakedns/server.h"

#define EXIT_USAGE 2

static void
print_ready(const struct fake_settings *s)
{
	char text[NETADDR_TEXT];

	(void)fprintf(stderr, "fakedns: listening on");
	for (size_t i = 0; i < s->n_listen; i++)
		(void)fprintf(stderr, " %s", netaddr_format(&s->listen[i], text));
	(void)fputc('\n', stderr);
}

static void
print_counters(const struct fake_counters *c)
{
	(void)fprintf(stderr,
	    "fakedns: questions %" PRIu64 ", answers %" PRIu64 ", lost %" PRIu64 ", mute %" PRIu64
	    ", malformed %" PRIu64 ", unsent %" PRIu64 ", outage %" PRIu64 ", held back %" PRIu64
	    ", twice %" PRIu64 ", damaged %" PRIu64 ", forged %" PRIu64 ", ended %" PRIu64 "\n",
	    c->questions, c->answers, c->lost, c->mute, c->malformed, c->unsent, c->outage, c->held,
	    c->twice, c->damaged, c->forged, c->ended);
}

/* If the loopback interface has no IPv6, the default is IPv4 alone. */
static int
open_server(struct fake_options *o, struct fake_server **f, struct netaddr *failed)
{
	int err = fake_server_new(&o->settings, f, failed);

	if (!o->default_listen || failed->family != NETADDR_IPV6)
		return err;
	if (err != -EADDRNOTAVAIL && err != -EAFNOSUPPORT)
		return err;
	o->settings.n_listen = 1;
	return fake_server_new(&o->settings, f, failed);
}

static int
fail(int err, const struct netaddr *failed)
{
	char text[NETADDR_TEXT];

	if (failed->family != NETADDR_NONE)
		(void)fprintf(stderr, "fakedns: %s: ", netaddr_format(failed, text));
	else
		(void)fprintf(stderr, "fakedns: ");
	(void)fprintf(stderr, "%s\n", strerror(-err));
	return EXIT_FAILURE;
}

static int
serve(struct fake_options *o)
{
	struct netaddr failed = { .family = NETADDR_NONE }, nobody = failed;
	struct fake_server *f = NULL;
	struct fake_counters sum;
	sigset_t end;
	int sig;

	/* Block the signals before there is a thread, so that only sigwait below takes them. */
	(void)sigemptyset(&end);
	(void)sigaddset(&end, SIGTERM);
	(void)sigaddset(&end, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &end, NULL);
	int err = open_server(o, &f, &failed);
	if (err != 0)
		return fail(err, &failed);
	err = fake_server_start(f);
	if (err != 0) {
		fake_server_free(f);
		return fail(err, &nobody);
	}
	print_ready(fake_server_settings(f));
	(void)sigwait(&end, &sig);
	fake_server_stop(f, &sum);
	fake_server_free(f);
	print_counters(&sum);
	return EXIT_SUCCESS;
}

/* Connections of all threads together may be more than the usual 1,024 descriptors. */
static void
raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int
main(int argc, char **argv)
{
	struct fake_options o;

	switch (fake_options_read(argc, argv, &o, stderr)) {
	case CMDLINE_HELP:
		cmdline_print_help(fake_options_table(), 0, stdout);
		return EXIT_SUCCESS;
	case CMDLINE_VERSION:
		(void)printf("fakedns " PACKAGE_VERSION "\n");
		return EXIT_SUCCESS;
	case CMDLINE_WRONG:
		(void)fprintf(stderr, "fakedns: -h lists the options\n");
		return EXIT_USAGE;
	case CMDLINE_RUN:
		break;
	}
	raise_descriptors();
	return serve(&o);
}
