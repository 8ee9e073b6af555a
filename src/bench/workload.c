/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/workload.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

/* --- Popularity ------------------------------------------------------------------------------- */

static bool
open_zipf(struct bench_settings *s, FILE *errors)
{
	struct bench_load *l = &s->plan.load;

	if (s->zipf <= 0)
		return true;
	l->zipf = bench_zipf_new(s->zipf, (uint32_t)l->hot);
	if (l->zipf == NULL)
		(void)fprintf(errors, "dns64bench: --popularity: no memory for so many names\n");
	return l->zipf != NULL;
}

/* --- Recordings ------------------------------------------------------------------------------- */

/* Questions are due as they were recorded. */
static bool
set_timing(struct bench_settings *s, struct bench_replay *r, FILE *errors)
{
	if (!r->timed) {
		(void)fprintf(errors,
		    "dns64bench: --replay: %s: has no times, so --rate is needed\n", s->replay);
		return false;
	}
	bench_replay_hasten(r, s->speed);
	s->plan.timing = r;
	s->plan.rate = bench_replay_rate(r, BENCH_RATE_MAX);
	return true;
}

/*
 * With --clients-from a client of the recording asks from one address, whose place among them is
 * its own; the clients beyond BENCH_LANES_MAX share these.
 */
static bool
set_clients(struct bench_settings *s, const struct bench_replay *r, FILE *errors)
{
	struct bench_plan *p = &s->plan;

	if (p->clients.n == 0 || r->n_clients == 0 || s->method == BENCH_CLOSED)
		return true;
	if (p->n_threads > 1) {
		(void)fprintf(
		    errors, "dns64bench: --threads: one asks for all clients of a recording\n");
		return false;
	}
	p->by_client = true;
	if (!s->sources_given)
		p->n_lanes = r->n_clients < BENCH_LANES_MAX ? r->n_clients : BENCH_LANES_MAX;
	return true;
}

static bool
open_replay(struct bench_settings *s, FILE *errors)
{
	char error[BENCH_REPLAY_ERROR];
	struct bench_replay *r;

	if (s->replay == NULL)
		return true;
	if (!bench_replay_open(s->replay, &r, error)) {
		(void)fprintf(errors, "dns64bench: --replay: %s: %s\n", s->replay, error);
		return false;
	}
	s->plan.load.replay = r;
	if (!set_clients(s, r, errors))
		return false;
	if ((s->method & (BENCH_RATE | BENCH_SOAK)) != 0 && s->plan.rate == 0 &&
	    !set_timing(s, r, errors))
		return false;
	if (s->plan.n_questions == 0)
		s->plan.n_questions =
		    s->duration > 0 ? bench_plan_questions(&s->plan, s->duration) : r->n;
	return true;
}

/* --- The server's name -------------------------------------------------------------------------
 */

/* The first address that is of the family of those who ask. */
static bool
find_server(struct bench_settings *s, FILE *errors)
{
	const struct bench_clients *from = &s->plan.clients;
	const uint16_t port = s->plan.server.port;
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *found;

	if (s->server_name == NULL)
		return true;
	if (from->n > 0)
		hints.ai_family =
		    from->network[0].first.family == NETADDR_IPV4 ? AF_INET : AF_INET6;
	int err = getaddrinfo(s->server_name, NULL, &hints, &found);
	bool good = err == 0 && netaddr_from_sockaddr(found->ai_addr, &s->plan.server);
	s->plan.server.port = port;
	if (err == 0)
		freeaddrinfo(found);
	if (!good)
		(void)fprintf(errors, "dns64bench: --server: %s: %s\n", s->server_name,
		    err != 0 ? gai_strerror(err) : "has no address");
	return good;
}

/* --- Arrivals --------------------------------------------------------------------------------- */

static bool
open_arrivals(struct bench_settings *s, FILE *errors)
{
	if (!s->poisson)
		return true;
	s->plan.arrivals = bench_arrivals_new(s->seed);
	if (s->plan.arrivals == NULL)
		(void)fprintf(errors, "dns64bench: --arrivals: no memory for their times\n");
	return s->plan.arrivals != NULL;
}

/* --- All -------------------------------------------------------------------------------------- */

bool
bench_workload_open(struct bench_settings *s, FILE *errors)
{
	char error[BENCH_CLIENTS_ERROR];

	if (!find_server(s, errors))
		return false;
	if (!bench_clients_check(&s->plan.clients, error)) {
		(void)fprintf(errors, "dns64bench: --clients-from: %s\n", error);
		return false;
	}
	if (open_zipf(s, errors) && open_replay(s, errors) && open_arrivals(s, errors))
		return true;
	bench_workload_close(s);
	return false;
}

void
bench_workload_close(struct bench_settings *s)
{
	bench_zipf_free((struct bench_zipf *)(uintptr_t)s->plan.load.zipf);
	bench_replay_free((struct bench_replay *)(uintptr_t)s->plan.load.replay);
	bench_arrivals_free((struct bench_arrivals *)(uintptr_t)s->plan.arrivals);
	s->plan.load.zipf = NULL;
	s->plan.arrivals = NULL;
	s->plan.load.replay = s->plan.timing = NULL;
}
