/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/server.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench/agents.h"
#include "bench/load/load.h"
#include "bench/result/text.h"
#include "dns/header.h"
#include "dns/msg.h"

#define READY_WINDOW 16
#define READY_TIMEOUT_NS \
	(250 * NS_PER_MS) /* of the first attempt; doubled each time up to the plan's */
/* After the first wrong answer; doubled each time, up to the other. */
#define READY_PAUSE_NS (50L * (long)NS_PER_MS)
#define READY_PAUSE_MOST_NS (800L * (long)NS_PER_MS)
#define VERSION_WAIT_MS 500
#define WARNING "warning" /* a finding */
#define REPLY_MAX 1232    /* bytes */
#define NAMES 8           /* that are asked for: those before the first of the run */

/* --- Is it there? ----------------------------------------------------------------------------- */

/*
 * Ask for N names, until all answers were right or GIVE_UP_NS has come. False: that could not
 * begin. A question that got lost is soon asked again; a server that needs the plan's timeout gets
 * it once. One that has just begun may know no upstream yet, and answer that it failed: it is asked
 * again, too.
 */
static bool
ask_names(const struct bench_job *job, struct bench_plan *plan, uint64_t n, uint64_t give_up_ns,
    bool *answered)
{
	const struct bench_tally *t = job->tally;
	uint64_t longest_ns = job->settings->plan.timeout_ns;
	struct timespec pause = { .tv_nsec = READY_PAUSE_NS };

	for (uint64_t timeout_ns = READY_TIMEOUT_NS;; timeout_ns = 2 * plan->timeout_ns) {
		plan->timeout_ns = timeout_ns < longest_ns ? timeout_ns : longest_ns;
		plan->duration_ns = (n / READY_WINDOW + 1) * plan->timeout_ns + NS_PER_SEC;
		if (!bench_method_trial(job, plan, 0, n))
			return false;
		*answered = t->sent - bench_tally_lost(t) - t->late == n;
		if (t->replies[BENCH_VALID] == n || *job->stop)
			return true;
		if ((*answered || plan->timeout_ns == longest_ns) && clock_now_ns() >= give_up_ns)
			return true;
		if (!*answered)
			continue;
		(void)nanosleep(&pause, NULL);
		if (pause.tv_nsec < READY_PAUSE_MOST_NS)
			pause.tv_nsec *= 2;
	}
}

/* Does it ask for names of the namespace? */
static bool
has_names(const struct bench_settings *s)
{
	return s->method != BENCH_ENUM && s->plan.load.replay == NULL;
}

/* Nobody answers WHO, an agent's name; "": this tester. */
static void
fail_silent(const struct bench_job *job, const char *who)
{
	const char *agent = who[0] != '\0' ? "agent " : "", *colon = who[0] != '\0' ? ": " : "";

	if (job->tally->faults.refused > 0)
		bench_run_fail(job->run, "%s%s%snobody listens at the server's address and port",
		    agent, who, colon);
	else
		bench_run_fail(job->run, "%s%s%sthe server does not answer", agent, who, colon);
}

/*
 * Ask for the last N names of the namespace, which are the hot ones; without --hits only one of
 * them.
 */
static bool
ready(const struct bench_job *job, double wait, uint64_t n, const char *who)
{
	const struct bench_settings *s = job->settings;
	uint64_t give_up_ns = clock_now_ns() + (uint64_t)(wait * (double)NS_PER_SEC);
	struct bench_plan plan = s->plan;
	bool answered;

	plan.n_threads = plan.n_lanes = 1;
	plan.rate = 0;
	plan.window = READY_WINDOW;
	plan.raw = NULL;
	if (has_names(s)) {
		memset(plan.load.mix, BENCH_NEW, sizeof(plan.load.mix));
		plan.load.base += (uint32_t)(plan.load.size - n);
		plan.load.size = plan.load.hot = n;
	}
	/*
	 * One first: it is soon known whether anybody is there. Of all, some may get lost each
	 * time.
	 */
	if (!ask_names(job, &plan, 1, give_up_ns, &answered))
		return false;
	if (answered && n > 1 && !*job->stop)
		return ask_names(job, &plan, n, give_up_ns, &answered);
	if (answered || *job->stop)
		return true;
	fail_silent(job, who);
	return false;
}

/* Of agents each must reach the server. */
bool
bench_server_ready(const struct bench_job *job, double wait)
{
	const struct bench_settings *s = job->settings;
	uint64_t n = has_names(s) ? s->plan.load.hot : 1;
	unsigned n_agents = job->agents != NULL ? bench_agents_count(job->agents) : 0;

	for (unsigned i = 1; i < n_agents; i++) {
		bench_agents_choose(job->agents, i);
		if (!ready(job, wait, 1, bench_agents_name(job->agents, i)))
			return false;
	}
	if (n_agents > 0)
		bench_agents_choose(job->agents, 0);
	return ready(job, wait, n, n_agents > 0 ? bench_agents_name(job->agents, 0) : "");
}

/* --- Which one is it? ------------------------------------------------------------------------- */

static const uint8_t qname[] = "\007version\004bind";

_Static_assert(BENCH_VERSION_TEXT > UINT8_MAX, "a string of TXT fits");

static size_t
write_question(uint16_t id, uint8_t out[static BENCH_QUESTION_MAX])
{
	memcpy(header_put_qname(out), qname, sizeof(qname));
	header_start(out, id, DNS_RD);
	header_set_qtype(out, sizeof(qname), DNS_TYPE_TXT);
	header_set_qclass(out, sizeof(qname), DNS_CLASS_CH);
	return header_question_end(sizeof(qname));
}

/* The first string of the TXT record in the LEN bytes at REPLY, which answers the question ID. */
static bool
read_reply(const uint8_t *reply, size_t len, uint16_t id, char text[static BENCH_VERSION_TEXT])
{
	struct msg_walk w;
	struct msg m;
	struct rr rr;

	if (msg_parse(&m, reply, len) != MSG_OK || m.id != id || (m.flags & DNS_QR) == 0 ||
	    m.rcode != DNS_NOERROR)
		return false;
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr)) {
		const uint8_t *rdata = m.bytes + rr.rdata;

		if (rr.type != DNS_TYPE_TXT || rr.rdlen < 2 || rdata[0] == 0 ||
		    rdata[0] >= rr.rdlen)
			continue;
		for (unsigned i = 0; i < rdata[0]; i++)
			text[i] =
			    (char)(rdata[i + 1] >= ' ' && rdata[i + 1] < 0x7f ? rdata[i + 1] : '?');
		text[rdata[0]] = '\0';
		return true;
	}
	return false;
}

/* Ask by FD, which is connected. */
static bool
ask(int fd, int wait_ms, char text[static BENCH_VERSION_TEXT])
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t question[BENCH_QUESTION_MAX], reply[REPLY_MAX];
	struct rng rng;

	rng_init(&rng);
	uint16_t id = rng_u16(&rng);
	size_t len = write_question(id, question);
	if (send(fd, question, len, 0) != (ssize_t)len || poll(&p, 1, wait_ms) <= 0)
		return false;
	ssize_t n = recv(fd, reply, sizeof(reply), MSG_DONTWAIT);
	return n > 0 && read_reply(reply, (size_t)n, id, text);
}

bool
bench_server_version(
    const struct netaddr *server, int wait_ms, char text[static BENCH_VERSION_TEXT])
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(server, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	text[0] = '\0';
	if (fd < 0)
		return false;
	bool told = connect(fd, (struct sockaddr *)&ss, len) == 0 && ask(fd, wait_ms, text);
	(void)close(fd);
	return told;
}

void
bench_server_tell(const struct bench_job *job)
{
	char version[BENCH_VERSION_TEXT];
	bool told = bench_server_version(&job->settings->plan.server, VERSION_WAIT_MS, version);

	bench_run_set(job->run, "server_version", json_string(told ? version : "not told"));
}

/* --- Does it know the names? ------------------------------------------------------------------ */

/* The median of the times of valid answers for the names, of KIND, from SERVER; 0: not all came. */
static uint64_t
median(const struct bench_job *job, const struct netaddr *server, enum bench_kind kind)
{
	struct bench_plan plan = job->settings->plan;
	struct bench_load *l = &plan.load;
	uint64_t names = l->hits && l->size > l->hot ? l->size - l->hot : l->size;

	plan.server = *server;
	plan.n_threads = plan.n_lanes = plan.window = 1;
	plan.rate = 0;
	plan.raw = NULL;
	plan.n_questions = NAMES;
	plan.duration_ns = NAMES * plan.timeout_ns + NS_PER_SEC;
	l->first = (l->first % names + names - NAMES % names) % names;
	memset(l->mix, (int)kind, sizeof(l->mix));
	if (!bench_method_trial(job, &plan, 0, NAMES) || job->tally->replies[BENCH_VALID] < NAMES)
		return 0;
	return bench_histogram_percentile(&job->tally->rtt, 50);
}

bool
bench_server_knew(uint64_t new_ns, uint64_t again_ns, uint64_t upstream_ns)
{
	if (new_ns == 0 || again_ns == 0 || upstream_ns == 0)
		return false;
	return again_ns < upstream_ns + upstream_ns / 2 && new_ns < again_ns + upstream_ns / 2;
}

void
bench_server_try_names(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;

	if (s->upstream.family == NETADDR_NONE || s->method == BENCH_ENUM ||
	    bench_run_finding_of(bench_run_tree(job->run), WARNING, 0) != NULL) /* told before */
		return;
	uint64_t new_ns = median(job, &s->plan.server, BENCH_NEW);
	uint64_t again_ns = new_ns > 0 ? median(job, &s->plan.server, BENCH_NEW) : 0;
	uint64_t upstream_ns = again_ns > 0 ? median(job, &s->upstream, BENCH_ADDRESS) : 0;
	if (bench_server_knew(new_ns, again_ns, upstream_ns))
		bench_run_find(job->run, WARNING,
		    json_string(s->restart != NULL
			    ? "the server has answers for the first names already: --restart does "
			      "not empty its cache, and trials measure that"
			    : "the server has answers for the first names already: another "
			      "--first, or a restart, measures it without them"),
		    "");
}
