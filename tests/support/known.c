/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/known.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "support/said.h"

static struct upstream_status
view(const char *addr, enum upstream_status_state state, uint64_t sends)
{
	struct upstream_status v = { .state = state, .n_loops = 2, .n_so = 2 };

	ck_assert(netaddr_parse(addr, 53, &v.addr));
	v.tally = (struct upstream_tally){ .sends = sends, .sends_tcp = 3 };
	if (state != UPSTREAM_STATUS_GOOD) {
		v.unanswering_ns = NS_PER_SEC;
		v.tally.lost[UPSTREAM_LOST_TIMEOUT] = 5;
		v.tally.lost[UPSTREAM_LOST_UNREACHABLE] = 2;
		return v;
	}
	v.good_ns = v.heard_ns = 4 * NS_PER_SEC;
	v.tally.replies = sends;
	v.tally.rcodes[DNS_NXDOMAIN] = 7;
	latency_add(&v.tally.rtt, 3 * NS_PER_MS);
	v.rtt[UPSTREAM_PRIMARY] =
	    (struct upstream_status_rtt){ 3 * NS_PER_MS, NS_PER_MS, sends, TRANSPORT_UDP };
	return v;
}

struct known known;

void
known_open(const char *text)
{
	static struct said said;
	struct known *k = &known;
	const struct stats *none = NULL;
	struct facts *f = &k->facts;

	known_close();
	memset(k, 0, sizeof(*k));
	(void)said_make(&said, text, &k->settings);
	ck_assert_msg(said.n_errors == 0, "%s", said.text);
	k->upstreams.at[0] = view("192.0.2.1", UPSTREAM_STATUS_GOOD, 100);
	k->upstreams.at[1] = view("2001:db8::1", UPSTREAM_STATUS_DOWN, 50);
	k->upstreams.n = 2;
	*f = (struct facts){ .settings = &k->settings,
		.started = 1000,
		.taken = 1000,
		.now_ns = 5 * NS_PER_SEC,
		.upstreams = &k->upstreams,
		.waits = &k->waits,
		.n_served = 1,
		.n_loops = 2,
		.open_fds = 12,
		.max_fds = 1024,
		.has_cache = true,
		.cache = { .size = 4096, .counts = { .n = 12 } } };
	ck_assert(netaddr_parse("::1", 53, &f->served[0]));
	k->waits.n = 1;
	strcpy(k->waits.w[0].what, "<eth0>#53"); /* no name of an interface, but to be on guard */
	k->waits.w[0].why = LISTENS_NO_INTERFACE;
	stats_sum(&none, 0, f->rows);
	f->loops[0].told = f->loops[1].told = true;
	f->rows[STATS_query_log_lost].value = 3;
	f->rows[STATS_dnstap_lost].value = 21;
	f->loops[1].open.queries = 5;
	latency_add(&f->waited, 30 * NS_PER_MS);
	f->reasons[REASON_NATIVE].at_once = 4;
	f->reasons[REASON_SYNTH_NO_AAAA].waited = 1;
	f->reasons[REASON_DROP_SHORT].at_once = 9;
}

void
known_setup(void)
{
	known_open("nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96\n");
}

void
known_close(void)
{
	settings_fini(&known.settings);
}
