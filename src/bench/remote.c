/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/remote.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/agent.h"
#include "bench/exchange.h"

#define LOOK_MS 20                /* between two checks whether to stop */
#define CONNECT_MS 5000           /* for a connection */
#define READY_S 30.0              /* for an agent to open its sockets and connections */
#define CLOCK_S 2.0               /* for an agent to tell its time */
#define TRIPS 16                  /* round trips to an agent, of which the shortest counts */
#define TRIPS_NS (2 * NS_PER_SEC) /* for all of them; one is made in any case */
#define CLOCK_MAX (INT64_MAX / 2) /* ns, of a clock: 146 years of uptime */
#define MESSAGES 1000             /* that are heard at once: nobody keeps us from the others */
#define SILENT_NS (5 * BENCH_AGENT_ALIVE_S * NS_PER_SEC) /* then the agent is lost */

bool
bench_remote_parse(const char **text, struct bench_remote_place *p)
{
	size_t len = strcspn(*text, ","), host = strcspn(*text, ",#");
	uint64_t port = BENCH_REMOTE_PORT;

	if (host == 0 || host >= sizeof(p->host) || len >= sizeof(p->name) || **text == '.' ||
	    **text == '-')
		return false;
	if (host < len &&
	    (!number_parse(*text + host + 1, len - host - 1, UINT16_MAX, &port) || port == 0))
		return false;
	memset(p, 0, sizeof(*p));
	memcpy(p->host, *text, host);
	memcpy(p->name, *text, len);
	p->port = (uint16_t)port;
	*text += len;
	if (**text != ',')
		return true;
	(*text)++;
	return **text != '\0';
}

void
bench_remote_init(struct bench_remote *g, const struct bench_remote_place *p)
{
	memset(g, 0, sizeof(*g));
	g->at = *p;
	g->c.fd = -1;
}

/* --- Connection ------------------------------------------------------------------------------- */

/* Connect to one address, which may take CONNECT_MS. The socket, or -errno. */
static int
connect_to(const struct addrinfo *at, const atomic_bool *stop)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int err = fd < 0 ? errno : 0;
	socklen_t len = sizeof(err);

	if (err == 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0)
		err = errno;
	if (err == EINPROGRESS) {
		err = ETIMEDOUT;
		for (int ms = 0; ms < CONNECT_MS && !*stop; ms += LOOK_MS) {
			if (poll(&p, 1, LOOK_MS) <= 0)
				continue;
			(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
			break;
		}
	}
	if (err == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -err;
}

bool
bench_remote_reach(struct bench_remote *g, const struct bench_secret *s, const atomic_bool *stop)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all;
	char port[8];
	int fd = -ENOENT;

	bench_channel_close(&g->c);
	g->c.error[0] = '\0';
	(void)snprintf(port, sizeof(port), "%u", g->at.port);
	int found = getaddrinfo(g->at.host, port, &hints, &all);
	if (found != 0)
		return bench_channel_fail(&g->c, "%s", gai_strerror(found));
	for (const struct addrinfo *at = all; at != NULL && fd < 0 && !*stop; at = at->ai_next)
		fd = connect_to(at, stop);
	freeaddrinfo(all);
	if (fd < 0)
		return bench_channel_fail(&g->c, "%s", strerror(-fd));
	bench_channel_init(&g->c, fd, BENCH_CHANNEL_FIRST);
	if (!bench_greeting_ask(&g->c, s, stop))
		return false;
	g->c.most = BENCH_CHANNEL_RESULT;
	return true;
}

/* --- Before a trial --------------------------------------------------------------------------- */

void
bench_remote_forget(struct bench_remote *g)
{
	g->fault[0] = '\0';
	g->has_part = false;
	g->owed_ns = 0;
	bench_tally_clear(&g->tally);
}

bool
bench_remote_hand(struct bench_remote *g, const struct bench_plan *plan)
{
	return bench_channel_send(&g->c, json_pack("{s:o}", "trial", bench_exchange_plan(plan)));
}

bool
bench_remote_ready(struct bench_remote *g, const atomic_bool *stop)
{
	json_t *message = bench_channel_wait(&g->c, READY_S, stop);
	const char *error = json_string_value(json_object_get(message, "error"));
	bool ready = json_is_true(json_object_get(message, "ready"));

	if (message != NULL && !ready)
		ready = bench_channel_fail(
		    &g->c, "%.150s", error != NULL ? error : "it does not get ready");
	json_decref(message);
	return ready;
}

/* One round trip. */
static bool
ask_time(struct bench_remote *g, json_int_t number, const atomic_bool *stop)
{
	uint64_t sent_ns = clock_now_ns();

	if (!bench_channel_send(&g->c, json_pack("{s:I}", "clock", number)))
		return false;
	json_t *message = bench_channel_wait(&g->c, CLOCK_S, stop);
	uint64_t took_ns = clock_now_ns() - sent_ns;
	json_int_t now = json_integer_value(json_object_get(message, "now"));
	bool good = message != NULL &&
	    json_integer_value(json_object_get(message, "clock")) == number && now > 0 &&
	    now < CLOCK_MAX;
	json_decref(message);
	if (!good)
		return bench_channel_fail(&g->c, "it does not tell the time");
	if (took_ns / 2 < g->unsure_ns) {
		g->unsure_ns = took_ns / 2;
		g->offset_ns = (int64_t)now - (int64_t)(sent_ns + took_ns / 2);
	}
	return true;
}

bool
bench_remote_clock(struct bench_remote *g, const atomic_bool *stop)
{
	uint64_t begin_ns = clock_now_ns();

	g->unsure_ns = UINT64_MAX;
	for (json_int_t i = 1; i <= TRIPS && clock_now_ns() - begin_ns < TRIPS_NS; i++) {
		if (!ask_time(g, i, stop))
			return false;
	}
	return true;
}

/* --- The trial -------------------------------------------------------------------------------- */

void
bench_remote_start(struct bench_remote *g, uint64_t start_ns, uint64_t longest_ns)
{
	g->asked = true;
	g->start_ns = g->heard_ns = start_ns;
	g->until_ns = longest_ns < UINT64_MAX - start_ns ? start_ns + longest_ns : UINT64_MAX;
	(void)bench_channel_send(
	    &g->c, json_pack("{s:I}", "start", (json_int_t)start_ns + g->offset_ns));
}

void
bench_remote_take(struct bench_remote *g)
{
	if (!g->asked)
		return;
	g->owed_ns = clock_now_ns() + SILENT_NS;
	(void)bench_channel_send(&g->c, json_pack("{s:b}", "take", 1));
}

void
bench_remote_stop(struct bench_remote *g)
{
	uint64_t until_ns = clock_now_ns() + SILENT_NS;

	if (!g->asked)
		return;
	g->until_ns = until_ns < g->until_ns ? until_ns : g->until_ns;
	(void)bench_channel_send(&g->c, json_pack("{s:b}", "stop", 1));
}

void
bench_remote_blame(struct bench_remote *g, const char *format, ...)
{
	va_list ap;

	if (g->fault[0] != '\0')
		return;
	va_start(ap, format);
	(void)vsnprintf(g->fault, sizeof(g->fault), format, ap);
	va_end(ap);
}

/* A part of the trial; the last one tells what the agent used, too. */
static void
take_part(struct bench_remote *g, const json_t *message, const json_t *part)
{
	char why[BENCH_EXCHANGE_WHY];

	if (bench_exchange_read_tally(part, g->start_ns, &g->part, why)) {
		bench_tally_merge(&g->tally, &g->part);
		g->has_part = bench_tally_sound(&g->tally);
		(void)snprintf(why, sizeof(why), "more questions had an end than were asked");
	}
	if (!g->has_part) {
		bench_tally_clear(&g->tally);
		(void)bench_channel_fail(&g->c, "its results are none: %s", why);
		return;
	}
	g->owed_ns = 0;
	g->asked = json_object_get(message, "tally") == NULL;
	g->cpu = json_number_value(json_object_get(message, "cpu"));
	g->stolen = json_number_value(json_object_get(message, "stolen"));
}

/* Up to a part, or to so many that the others have waited long enough. */
static void
hear_messages(struct bench_remote *g)
{
	json_t *message;

	for (unsigned i = 0; i < MESSAGES && g->asked && !g->has_part; i++) {
		if ((message = bench_channel_take(&g->c)) == NULL)
			return;
		const char *error = json_string_value(json_object_get(message, "error"));
		const json_t *part = json_object_get(message, "tally");

		if (part == NULL && g->owed_ns > 0)
			part = json_object_get(message, "part");
		g->heard_ns = clock_now_ns();
		if (part != NULL)
			take_part(g, message, part);
		else if (error != NULL)
			(void)bench_channel_fail(&g->c, "%.150s", error);
		json_decref(message);
	}
}

void
bench_remote_hear(struct bench_remote *g)
{
	hear_messages(g);
	uint64_t now_ns = clock_now_ns();
	if (g->asked && now_ns > g->heard_ns && now_ns - g->heard_ns > SILENT_NS)
		(void)bench_channel_fail(
		    &g->c, "no sign of life for %d s", (int)(SILENT_NS / NS_PER_SEC));
	if (g->asked && g->owed_ns > 0 && now_ns > g->owed_ns)
		(void)bench_channel_fail(&g->c, "it does not tell what became of its questions");
	if (g->asked && now_ns > g->until_ns)
		(void)bench_channel_fail(&g->c, "it does not come to an end");
	if (g->asked && g->c.fd < 0) {
		g->asked = false;
		bench_remote_blame(g, "%s", g->c.error);
	}
}
