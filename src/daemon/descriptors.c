/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/descriptors.h"

#include "base/log.h"
#include "control/http.h"
#include "io/upstream_set.h"
#include "nat64/targets.h"
#include "outbound/upstream.h"

#define OTHERS 32 /* of one loop besides its sockets; of the process besides its loops */

/* The most that prefix-check may have open at a time. */
static rlim_t
probes(const struct settings *s)
{
	struct targets t = { .n = 0 };
	rlim_t n = TARGETS_MOST;

	if (s->conf.core.policies == NULL)
		return 0;
	if (targets_make(&t, s))
		n = t.n_pairs;
	targets_fini(&t);
	return n;
}

rlim_t
descriptors_needed(const struct settings *s, unsigned n_loops)
{
	rlim_t upstream = s->conf.core.n_upstreams * upstream_set_most(s->conf.io.outgoing_ports);
	/* An interface may have many, later. */
	rlim_t listens = s->listens.n_of > 0 ? CONF_MAX_LISTENS : s->conf.io.n_listens;
	rlim_t per_loop = s->conf.io.max_tcp_clients + 2 * listens +
	    (upstream < UPSTREAM_MAX_SOCKETS ? upstream : UPSTREAM_MAX_SOCKETS) +
	    s->conf.core.n_upstreams * TCP_POOL_SIZE + OTHERS;

	return per_loop * n_loops + 2 * HTTP_CONNECTIONS + s->web.n + probes(s) + OTHERS;
}

void
descriptors_raise(rlim_t need)
{
	struct rlimit now, wish;

	if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= need)
		return;
	wish.rlim_cur = need;
	wish.rlim_max = now.rlim_max > need ? now.rlim_max : need;
	if (setrlimit(RLIMIT_NOFILE, &wish) == 0)
		return;
	wish.rlim_cur = now.rlim_max;
	wish.rlim_max = now.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &wish); /* up to the hard limit is always permitted */
	log_warn(LOG_SERVER,
	    "only %llu of the %llu descriptors that a busy daemon may need are permitted "
	    "(ulimit -n, LimitNOFILE=)",
	    (unsigned long long)wish.rlim_cur, (unsigned long long)need);
}
