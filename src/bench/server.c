/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/server.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench/load/load.h"
#include "bench/result/text.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "tools/fake_name.h"

#define READY_WINDOW 16
#define READY_WAIT 3.0 /* s, for the first answer of a server that is there */
#define READY_TIMEOUT_NS \
	(250 * NS_PER_MS) /* of the first attempt; doubled each time up to the plan's */
/* After the first wrong answer; doubled each time, up to the other. */
#define READY_PAUSE_NS (50L * (long)NS_PER_MS)
#define READY_PAUSE_MOST_NS (800L * (long)NS_PER_MS)
#define VERSION_WAIT_MS 500
#define WARNING "warning" /* a finding */
#define REPLY_MAX 1232    /* bytes */
/* Names that are sampled of a trial, and at most one in so many of them. */
#define SAMPLES 16
#define SAMPLE_PART 100
#define CONTROLS 4  /* names that nobody asked for, to see which TTL new ones have */
#define DRAWS 1000  /* names drawn for that, of which some are of the other kind */
#define KNOWN_FOR 2 /* s that a name was known at least, */
#define ALL_AGED 4  /* or one if so many were, and all of them */
#define KNOWN_ALL_NS (3 * NS_PER_SEC)
#define KNOWN_WAIT_MS 1000
#define UNKNOWN (-1) /* a TTL */

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

static void
fail_silent(const struct bench_job *job)
{
	bench_run_fail(job->run, "%s",
	    job->tally->faults.refused > 0 ? "nobody listens at the server's address and port"
					   : "the server does not answer");
}

/* Ask for the hot names, the last of the namespace; without --hits only for the last one. */
bool
bench_server_ready(const struct bench_job *job, double wait)
{
	const struct bench_settings *s = job->settings;
	uint64_t n = has_names(s) ? s->plan.load.hot : 1;
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
	fail_silent(job);
	return false;
}

/* --- Single questions ------------------------------------------------------------------------- */

/* A socket that is connected to SERVER, or -1. */
static int
connect_to(const struct netaddr *server)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(server, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&ss, len) != 0) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* Ask the LEN bytes at QUESTION by FD; the length of the reply that has the same ID, 0: none came.
 */
static size_t
ask(int fd, const uint8_t *question, size_t len, int wait_ms, uint8_t reply[static REPLY_MAX])
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (send(fd, question, len, 0) != (ssize_t)len)
		return 0;
	while (poll(&p, 1, wait_ms) > 0) {
		ssize_t n = recv(fd, reply, REPLY_MAX, MSG_DONTWAIT);

		if (n <= 0)
			return 0;
		if (n >= 2 && memcmp(reply, question, 2) == 0)
			return (size_t)n;
	}
	return 0;
}

/* --- Which one is it? ------------------------------------------------------------------------- */

_Static_assert(BENCH_VERSION_TEXT > UINT8_MAX, "a string of TXT fits");

/* The first record of TYPE in the answer M; false: it has none. */
static bool
first_of(const struct msg *m, uint16_t type, struct rr *rr)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);

	while (msg_walk_next(&w, rr)) {
		if (rr->type == type)
			return true;
	}
	return false;
}

/* The first string of the TXT record in the LEN bytes at REPLY. */
static bool
read_version(const uint8_t *reply, size_t len, char text[static BENCH_VERSION_TEXT])
{
	struct msg m;
	struct rr rr;

	if (msg_parse(&m, reply, len) != MSG_OK || (m.flags & DNS_QR) == 0 ||
	    m.rcode != DNS_NOERROR || !first_of(&m, DNS_TYPE_TXT, &rr) || rr.rdlen < 2)
		return false;
	const uint8_t *rdata = m.bytes + rr.rdata;
	if (rdata[0] == 0 || rdata[0] >= rr.rdlen)
		return false;
	for (unsigned i = 0; i < rdata[0]; i++)
		text[i] = (char)(rdata[i + 1] >= ' ' && rdata[i + 1] < 0x7f ? rdata[i + 1] : '?');
	text[rdata[0]] = '\0';
	return true;
}

bool
bench_server_version(
    const struct netaddr *server, int wait_ms, char text[static BENCH_VERSION_TEXT])
{
	static const uint8_t qname[] = "\007version\004bind";
	uint8_t question[BENCH_QUESTION_MAX], reply[REPLY_MAX];
	int fd = connect_to(server);
	struct rng rng;

	text[0] = '\0';
	if (fd < 0)
		return false;
	rng_init(&rng);
	memcpy(header_put_qname(question), qname, sizeof(qname));
	header_start(question, rng_u16(&rng), DNS_RD);
	header_set_qtype(question, sizeof(qname), DNS_TYPE_TXT);
	header_set_qclass(question, sizeof(qname), DNS_CLASS_CH);
	size_t n = ask(fd, question, header_question_end(sizeof(qname)), wait_ms, reply);
	(void)close(fd);
	return read_version(reply, n, text);
}

void
bench_server_tell(const struct bench_job *job)
{
	char version[BENCH_VERSION_TEXT];
	bool told = bench_server_version(&job->settings->plan.server, VERSION_WAIT_MS, version);

	bench_run_set(job->run, "server_version", json_string(told ? version : "not told"));
}

/* --- Does it know the names? ------------------------------------------------------------------ */

/* Whom is asked, and what new names have. */
struct asker {
	const struct bench_load *load;
	int fd; /* connected */
	struct rng rng;
	uint64_t end_ns;  /* nothing is asked from then on: slow servers must not hold up a run */
	int64_t fresh[2]; /* TTL of new names without and with AAAA of their own; UNKNOWN */
};

/* Ask Q; the TTL of the first AAAA record of its answer. UNKNOWN: there is none. */
static int64_t
ask_ttl(struct asker *a, struct bench_question q)
{
	uint8_t question[BENCH_QUESTION_MAX], reply[REPLY_MAX];
	struct msg m;
	struct rr rr;

	if (clock_now_ns() >= a->end_ns)
		return UNKNOWN;
	size_t len = bench_load_write(a->load, q, rng_u16(&a->rng), question);
	len = ask(a->fd, question, len, KNOWN_WAIT_MS, reply);
	return bench_load_parse(&m, reply, len) && bench_load_is_for(a->load, q, &m) &&
		m.rcode == DNS_NOERROR && first_of(&m, DNS_TYPE_AAAA, &rr)
	    ? (int64_t)rr.ttl
	    : UNKNOWN;
}

static bool
has_aaaa(const struct asker *a, struct bench_question q)
{
	uint8_t name[DNS_NAME_MAX];

	(void)bench_load_name(a->load, q, name);
	return fake_zone_has_aaaa(&a->load->zone, name + 1, name[0]);
}

/* The TTL of new names that have AAAA or not: the longest of some drawn from the whole namespace.
 */
static int64_t
fresh_ttl(struct asker *a, bool aaaa)
{
	const struct bench_load *l = a->load;
	uint64_t names = l->hits && l->size > l->hot ? l->size - l->hot : l->size;

	for (unsigned i = 0, n = 0; a->fresh[aaaa] == UNKNOWN || n < CONTROLS; i++) {
		struct bench_question q = { BENCH_NEW, rng_u64(&a->rng) % names };

		if (i == DRAWS)
			return UNKNOWN; /* there are none, or nobody answers */
		if (has_aaaa(a, q) != aaaa)
			continue;
		int64_t ttl = ask_ttl(a, q);
		if (ttl == UNKNOWN)
			return UNKNOWN;
		a->fresh[aaaa] = ttl > a->fresh[aaaa] ? ttl : a->fresh[aaaa];
		n++;
	}
	return a->fresh[aaaa];
}

/* Sample the N questions from FIRST on: *asked of them were asked, of so many the name was known.
 */
static unsigned
sample(struct asker *a, uint64_t first, uint64_t n, unsigned *asked)
{
	unsigned known = 0, aged = 0;

	n = n < a->load->size ? n : a->load->size;
	uint64_t samples = n / SAMPLE_PART + 1 < SAMPLES ? n / SAMPLE_PART + 1 : SAMPLES;
	for (uint64_t i = 0; i < samples; i++) {
		uint64_t at = i * n / samples, end = (i + 1) * n / samples;
		struct bench_question q = bench_load_question(a->load, first + at);

		while (q.kind != BENCH_NEW && ++at < end)
			q = bench_load_question(a->load, first + at);
		if (q.kind != BENCH_NEW)
			continue;
		bool aaaa = has_aaaa(a, q);
		int64_t fresh = a->fresh[aaaa] != UNKNOWN ? a->fresh[aaaa] : fresh_ttl(a, aaaa);
		int64_t ttl = fresh != UNKNOWN ? ask_ttl(a, q) : UNKNOWN;
		if (ttl == UNKNOWN)
			break;
		known += ttl + KNOWN_FOR <= fresh;
		aged += ttl < fresh;
		++*asked;
	}
	/* A new name may lose a second on its way, but hardly all of them. */
	return known == 0 && *asked >= ALL_AGED && aged == *asked ? aged : known;
}

unsigned
bench_server_known(const struct bench_job *job, uint64_t first, uint64_t n, unsigned *asked)
{
	const struct bench_settings *s = job->settings;
	struct asker a = { .load = &s->plan.load,
		.fresh = { UNKNOWN, UNKNOWN },
		.end_ns = clock_now_ns() + KNOWN_ALL_NS };

	*asked = 0;
	if (!has_names(s))
		return 0;
	a.fd = connect_to(&s->plan.server);
	if (a.fd < 0)
		return 0;
	rng_init(&a.rng);
	unsigned known = sample(&a, first, n, asked);
	(void)close(a.fd);
	return known;
}

void
bench_server_try_names(const struct bench_job *job, uint64_t n)
{
	unsigned asked, known = bench_server_known(job, 0, n, &asked);

	if (known > 0)
		bench_run_find(job->run, WARNING,
		    json_sprintf("the server knew %u of %u names before they were asked: another "
				 "--first, or a restart, measures it without them",
			known, asked),
		    "");
}

bool
bench_server_begin(const struct bench_job *job, uint64_t n)
{
	bench_method_settings(job);
	if (!bench_server_ready(job, READY_WAIT) || *job->stop)
		return false;
	bench_server_try_names(job, n);
	return true;
}
