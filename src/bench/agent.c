/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/channel.h"
#include "bench/exchange.h"
#include "bench/host/machine.h"
#include "bench/load/trial.h"

#define BACKLOG 8
#define LOOK_MS 20                /* between two looks at trial, newcomers and *stop */
#define AHEAD_NS (2 * NS_PER_SEC) /* a start is not later than that */
#define ALIVE_NS (BENCH_AGENT_ALIVE_S * NS_PER_SEC)

struct bench_agent {
	int fd; /* that listens */
	const struct bench_secret *secret;
	FILE *log;
	struct bench_channel c; /* to the controller */
	char controller[NETADDR_TEXT];
	struct bench_trial *trial; /* owned: prepared, or running; NULL: none */
	struct bench_plan plan;    /* of it */
	struct bench_zipf *zipf;   /* owned: of it; kept for the next one */
	bool running;
	atomic_bool stop_trial;
	uint64_t start_ns; /* of the trial */
	uint64_t alive_ns; /* when a sign of life is due */
	struct bench_busy begin;
	struct bench_tally tally;
};

int
bench_agent_new(
    struct netaddr *address, const struct bench_secret *s, FILE *log, struct bench_agent **out)
{
	struct bench_agent *a = calloc(1, sizeof(*a));
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(address, &ss);
	int on = 1, err = 0;

	if (a == NULL)
		return -ENOMEM;
	a->secret = s;
	a->log = log;
	a->c.fd = -1;
	a->fd = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->fd < 0 || setsockopt(a->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(a->fd, (const struct sockaddr *)&ss, len) != 0 || listen(a->fd, BACKLOG) != 0 ||
	    getsockname(a->fd, (struct sockaddr *)&ss, &len) != 0)
		err = -errno;
	if (err == 0 && !netaddr_from_sockaddr((const struct sockaddr *)&ss, address))
		err = -EAFNOSUPPORT;
	if (err != 0)
		bench_agent_free(a);
	else
		*out = a;
	return err;
}

void
bench_agent_free(struct bench_agent *a)
{
	if (a == NULL)
		return;
	if (a->fd >= 0)
		(void)close(a->fd);
	bench_channel_close(&a->c);
	bench_trial_free(a->trial);
	bench_zipf_free(a->zipf);
	free(a);
}

static void
say(const struct bench_agent *a, const char *what)
{
	(void)fprintf(a->log, "dns64bench agent: %s: %s\n", a->controller, what);
	(void)fflush(a->log);
}

/* --- A trial ---------------------------------------------------------------------------------- */

static void
end_trial(struct bench_agent *a)
{
	if (a->running) {
		atomic_store(&a->stop_trial, true);
		bench_trial_join(a->trial, &a->tally);
	}
	a->running = false;
	bench_trial_free(a->trial);
	a->trial = NULL;
}

/* The trial cannot be done, for a reason that is no fault of the connection. */
static void
sorry(struct bench_agent *a, const char *why)
{
	end_trial(a);
	say(a, why);
	(void)bench_channel_send(&a->c, json_pack("{s:s}", "error", why));
}

/* The popularity of the hot names, if the last trial's was another one. */
static bool
set_zipf(struct bench_agent *a, const struct bench_exchange_plan *p)
{
	uint32_t hot = (uint32_t)p->plan.load.hot;

	if (p->zipf <= 0)
		return true;
	if (a->zipf == NULL || a->zipf->s != p->zipf || a->zipf->n != hot) {
		bench_zipf_free(a->zipf);
		a->zipf = bench_zipf_new(p->zipf, hot);
	}
	a->plan.load.zipf = a->zipf;
	return a->zipf != NULL;
}

static void
prepare(struct bench_agent *a, const json_t *plan)
{
	struct bench_exchange_plan p;
	char why[BENCH_EXCHANGE_WHY];
	int err;

	end_trial(a);
	if (!bench_exchange_read_plan(plan, &p, why)) {
		sorry(a, why);
		return;
	}
	a->plan = p.plan;
	if (!set_zipf(a, &p)) {
		sorry(a, "no memory for so many names");
		return;
	}
	err = bench_trial_new(&a->plan, &a->trial);
	if (err != 0) {
		a->trial = NULL;
		sorry(a, strerror(-err));
		return;
	}
	(void)bench_channel_send(&a->c, json_pack("{s:b}", "ready", 1));
}

/* The sockets of the trial are there; its threads wait for the time. */
static void
start(struct bench_agent *a, const json_t *when)
{
	uint64_t now_ns = clock_now_ns(), start_ns = (uint64_t)json_integer_value(when);
	int err;

	if (a->trial == NULL || a->running) {
		sorry(a, "there is no trial to start");
		return;
	}
	if (!json_is_integer(when) || start_ns < now_ns || start_ns - now_ns > AHEAD_NS) {
		sorry(a, "the time of the start has passed, or is too far off");
		return;
	}
	atomic_store(&a->stop_trial, false);
	bench_busy_read("", &a->begin);
	bench_trial_set_start(a->trial, start_ns);
	err = bench_trial_start(a->trial, a->plan.first, a->plan.n_questions, &a->stop_trial);
	a->running = true;
	a->start_ns = start_ns;
	a->alive_ns = now_ns;
	if (err != 0)
		sorry(a, strerror(-err));
}

/* Tell how the running trial goes, or what became of it. */
static void
tell(struct bench_agent *a)
{
	uint64_t now_ns = clock_now_ns();
	struct bench_busy end;

	if (bench_trial_ended(a->trial)) {
		bench_busy_read("", &end);
		end_trial(a);
		(void)bench_channel_send(&a->c,
		    json_pack("{s:o,s:f,s:f}", "tally",
			bench_exchange_tally(&a->tally, a->start_ns), "cpu",
			bench_busy_cpu(&a->begin, &end), "stolen",
			bench_busy_stolen(&a->begin, &end)));
	} else if (now_ns >= a->alive_ns) {
		a->alive_ns = now_ns + ALIVE_NS;
		(void)bench_channel_send(&a->c, json_pack("{s:b}", "alive", 1));
	}
}

/* --- A controller ----------------------------------------------------------------------------- */

static void
obey(struct bench_agent *a, const json_t *message)
{
	const json_t *clock = json_object_get(message, "clock");
	const json_t *plan = json_object_get(message, "trial");
	const json_t *when = json_object_get(message, "start");

	if (json_is_integer(clock))
		(void)bench_channel_send(&a->c,
		    json_pack("{s:I,s:I}", "clock", json_integer_value(clock), "now",
			(json_int_t)clock_now_ns()));
	else if (plan != NULL)
		prepare(a, plan);
	else if (when != NULL)
		start(a, when);
	else if (json_is_true(json_object_get(message, "stop")))
		atomic_store(&a->stop_trial, true);
	else
		(void)bench_channel_fail(&a->c, "a message that says nothing");
}

/* Who comes while a controller is served. */
static void
turn_away(const struct bench_agent *a)
{
	int fd = accept4(a->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct bench_channel c;

	if (fd < 0)
		return;
	bench_channel_init(&c, fd, BENCH_CHANNEL_FIRST);
	(void)bench_channel_send(&c, json_pack("{s:s}", "error", "it serves another controller"));
	/* What has come would make the kernel reset the connection before that was read. */
	(void)shutdown(fd, SHUT_WR);
	bench_channel_close(&c);
}

/* All messages that have come. */
static void
listen_to(struct bench_agent *a)
{
	json_t *message;

	while ((message = bench_channel_take(&a->c)) != NULL) {
		obey(a, message);
		json_decref(message);
	}
}

static void
serve(struct bench_agent *a, const atomic_bool *stop)
{
	while (a->c.fd >= 0 && !*stop) {
		struct pollfd p[2] = { { .fd = a->c.fd, .events = POLLIN },
			{ .fd = a->fd, .events = POLLIN } };

		(void)poll(p, 2, LOOK_MS);
		/* The controller that comes may be the one that has just gone. */
		listen_to(a);
		if (a->c.fd >= 0 && (p[1].revents & POLLIN) != 0)
			turn_away(a);
		if (a->running)
			tell(a);
	}
	if (a->running && !*stop)
		say(a, "gone in the middle of a trial");
	end_trial(a);
}

static void
welcome(struct bench_agent *a, int fd, const atomic_bool *stop)
{
	bench_channel_init(&a->c, fd, BENCH_CHANNEL_FIRST);
	if (bench_greeting_answer(&a->c, a->secret, stop)) {
		say(a, "the controller from now on");
		a->c.most = BENCH_CHANNEL_PLAN;
		serve(a, stop);
	}
	if (a->c.error[0] != '\0' && !*stop)
		say(a, a->c.error);
	bench_channel_close(&a->c);
}

void
bench_agent_serve(struct bench_agent *a, const atomic_bool *stop)
{
	while (!*stop) {
		struct pollfd p = { .fd = a->fd, .events = POLLIN };
		struct sockaddr_storage ss;
		socklen_t len = sizeof(ss);
		struct netaddr from = { .family = NETADDR_NONE };

		if (poll(&p, 1, LOOK_MS) <= 0)
			continue;
		int fd = accept4(a->fd, (struct sockaddr *)&ss, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			continue;
		if (netaddr_from_sockaddr((const struct sockaddr *)&ss, &from))
			(void)netaddr_format(&from, a->controller);
		welcome(a, fd, stop);
	}
}
