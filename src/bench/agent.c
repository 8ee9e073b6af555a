/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/agent.h"

#include <errno.h>
#include <inttypes.h>
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
#define GUESTS 16                 /* who have come and are not known yet */
#define MESSAGES 16               /* that are heard before the rest is looked after */
#define SAY_NS NS_PER_SEC         /* between two lines about guests: anybody can come */
#define LOOK_MS 20                /* between two looks at trial, newcomers and *stop */
#define AHEAD_NS (2 * NS_PER_SEC) /* a start is not later than that */
#define BUSY "it serves another controller"
#define ALIVE_NS (BENCH_AGENT_ALIVE_S * NS_PER_SEC)

struct guest {
	struct bench_guest is; /* its channel has no descriptor: there is none */
	char from[NETADDR_TEXT];
	uint64_t came; /* the how manieth he is */
};

struct bench_agent {
	int fd;    /* that listens */
	bool full; /* there was no descriptor for a newcomer */
	const struct bench_secret *secret;
	FILE *log;
	struct guest guest[GUESTS];
	uint64_t n_came;
	uint64_t said_ns; /* when a line about a guest was written; 0: never */
	uint64_t n_unsaid;
	struct bench_channel c; /* to the controller */
	bool serving;           /* there is one, or has just been */
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
	for (unsigned i = 0; i < GUESTS; i++)
		a->guest[i].is.c.fd = -1;
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
	for (unsigned i = 0; i < GUESTS; i++)
		bench_channel_close(&a->guest[i].is.c);
	bench_trial_free(a->trial);
	bench_zipf_free(a->zipf);
	free(a);
}

/* WHO is an address. */
static void
say(const struct bench_agent *a, const char *who, const char *what)
{
	(void)fprintf(a->log, "dns64bench agent: %s: %s\n", who, what);
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
	say(a, a->controller, why);
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
	char why[BENCH_EXCHANGE_WHY], here[BENCH_CLIENTS_ERROR];
	int err;

	end_trial(a);
	if (!bench_exchange_read_plan(plan, &p, why)) {
		sorry(a, bench_channel_plain(why));
		return;
	}
	if (!bench_clients_check(&p.plan.clients, here)) {
		sorry(a, here);
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

/* Tell a part of the running trial. If it has just ended, tell says all the rest. */
static void
take(struct bench_agent *a)
{
	if (!a->running)
		return;
	bench_trial_take(a->trial, &a->tally);
	(void)bench_channel_send(
	    &a->c, json_pack("{s:o}", "part", bench_exchange_tally(&a->tally, a->start_ns)));
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
	else if (json_is_true(json_object_get(message, "take")))
		take(a);
	else if (json_is_true(json_object_get(message, "stop")))
		atomic_store(&a->stop_trial, true);
	else
		(void)bench_channel_fail(&a->c, "a message that says nothing");
}

/* What it has said. */
static void
listen_to(struct bench_agent *a)
{
	json_t *message;

	for (unsigned i = 0; i < MESSAGES && (message = bench_channel_take(&a->c)) != NULL; i++) {
		obey(a, message);
		json_decref(message);
	}
}

static void
welcome(struct bench_agent *a, struct guest *g)
{
	a->c = g->is.c;
	a->c.most = BENCH_CHANNEL_PLAN;
	memset(&g->is.c, 0, sizeof(g->is.c));
	g->is.c.fd = -1;
	a->serving = true;
	memcpy(a->controller, g->from, sizeof(a->controller));
	say(a, a->controller, "the controller from now on");
	for (unsigned i = 0; i < GUESTS; i++) {
		if (a->guest[i].is.c.fd >= 0)
			bench_guest_refuse(&a->guest[i].is, BUSY);
	}
}

/* The controller's connection has ended: what it had begun does, too. */
static void
part_from(struct bench_agent *a)
{
	if (a->running)
		say(a, a->controller, "gone in the middle of a trial");
	end_trial(a);
	say(a, a->controller, a->c.error);
	a->serving = false;
}

/* --- Guests ----------------------------------------------------------------------------------- */

/* A guest has gone, or had to. How many lines that makes is not for strangers to decide. */
static void
say_guest(struct bench_agent *a, const struct guest *g)
{
	uint64_t now_ns = clock_now_ns();

	if (a->said_ns > 0 && now_ns - a->said_ns < SAY_NS) {
		a->n_unsaid++;
		return;
	}
	if (a->n_unsaid > 0)
		(void)fprintf(a->log, "dns64bench agent: %" PRIu64 " more, and\n", a->n_unsaid);
	a->n_unsaid = 0;
	a->said_ns = now_ns;
	say(a, g->from, g->is.c.error);
}

/* The place of a newcomer: an empty one, or that of who came first. */
static struct guest *
place(struct bench_agent *a)
{
	struct guest *first = &a->guest[0];

	for (unsigned i = 0; i < GUESTS; i++) {
		if (a->guest[i].is.c.fd < 0)
			return &a->guest[i];
		if (a->guest[i].came < first->came)
			first = &a->guest[i];
	}
	(void)bench_channel_fail(&first->is.c, "others came, and it had not said who it is");
	say_guest(a, first);
	return first;
}

/* Who comes while a controller is served. */
static void
turn_away(int fd)
{
	struct bench_guest g = { .until_ns = 0 };

	bench_channel_init(&g.c, fd, BENCH_CHANNEL_FIRST);
	bench_guest_refuse(&g, BUSY);
}

static void
receive_guest(struct bench_agent *a)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr from = { .family = NETADDR_NONE };
	int fd = accept4(a->fd, (struct sockaddr *)&ss, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	a->full = fd < 0;
	if (fd >= 0 && a->serving)
		turn_away(fd);
	if (fd < 0 || a->serving)
		return;
	struct guest *g = place(a);
	g->came = ++a->n_came;
	g->from[0] = '\0';
	if (netaddr_from_sockaddr((const struct sockaddr *)&ss, &from))
		(void)netaddr_format(&from, g->from);
	bench_guest_greet(&g->is, fd, a->secret);
}

/* The first that is known is the controller. */
static void
look_at_guests(struct bench_agent *a)
{
	for (unsigned i = 0; i < GUESTS; i++) {
		struct guest *g = &a->guest[i];

		if (g->is.c.fd < 0)
			continue;
		if (bench_guest_known(&g->is, a->secret))
			welcome(a, g);
		else if (g->is.c.fd < 0)
			say_guest(a, g);
	}
}

/* --- All -------------------------------------------------------------------------------------- */

/* Wait until something has come, or for a moment. True: there is a newcomer. */
static bool
wait_for_any(struct bench_agent *a)
{
	struct pollfd p[GUESTS + 2] = { { .fd = a->full ? -1 : a->fd, .events = POLLIN },
		{ .fd = a->c.fd, .events = POLLIN } };

	for (unsigned i = 0; i < GUESTS; i++)
		p[i + 2] = (struct pollfd){ .fd = a->guest[i].is.c.fd, .events = POLLIN };
	a->full = false;
	return poll(p, GUESTS + 2, LOOK_MS) > 0 && (p[0].revents & POLLIN) != 0;
}

void
bench_agent_serve(struct bench_agent *a, const atomic_bool *stop)
{
	while (!*stop) {
		bool newcomer = wait_for_any(a);

		listen_to(a);
		if (a->running)
			tell(a);
		/* Who comes may be the controller that has just gone. */
		if (a->serving && a->c.fd < 0)
			part_from(a);
		if (newcomer)
			receive_guest(a);
		look_at_guests(a);
	}
	end_trial(a);
	bench_channel_close(&a->c);
}
