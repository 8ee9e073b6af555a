/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/msg.h"

#define QUESTIONS_FIRST 4096 /* room at first; doubled as needed */
#define NAMES_FIRST 65536
#define SPAN_MAX_NS (366 * UINT64_C(86400) * NS_PER_SEC)

/* --- What is read ----------------------------------------------------------------------------- */

bool
bench_input_fail(struct bench_input *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(in->error, BENCH_REPLAY_ERROR, format, args);
	va_end(args);
	return false;
}

/* The number of the client at A, whatever its port, to *number. False without memory. */
static bool
number_of(struct bench_replay *r, const struct netaddr *a, uint32_t *number)
{
	struct net net = { .family = a->family, .len = a->family == NETADDR_IPV4 ? 32 : 128 };

	*number = a->family == NETADDR_NONE ? 0 : netmap_find(&r->clients, a, r->n_clients);
	if (a->family == NETADDR_NONE || *number < r->n_clients)
		return true;
	memcpy(net.addr, a->addr, sizeof(net.addr));
	return netmap_add(&r->clients, &net, r->n_clients++) == 0;
}

/* Room for one more question, and LEN bytes of its name. */
static bool
make_room(struct bench_replay *r, size_t len)
{
	if (r->n == r->cap) {
		uint32_t cap = r->cap > 0 ? 2 * r->cap : QUESTIONS_FIRST;
		void *question = realloc(r->question, cap * sizeof(*r->question));

		if (question == NULL)
			return false;
		r->question = question;
		r->cap = cap;
	}
	if (len > r->names_cap - r->names_len) {
		uint32_t cap = r->names_cap > 0 ? 2 * r->names_cap : NAMES_FIRST;
		void *names = realloc(r->names, cap);

		if (names == NULL)
			return false;
		r->names = names;
		r->names_cap = cap;
	}
	return true;
}

bool
bench_input_add(struct bench_input *in, const char *at, uint64_t when_ns, const uint8_t *name,
    size_t len, uint16_t type)
{
	struct bench_replay *r = in->to;
	bool timed = when_ns != BENCH_NO_TIME;
	uint32_t client;

	if (r->n > 0 && r->timed != timed)
		return bench_input_fail(
		    in, "%s: has %s time, and those before do not", at, timed ? "a" : "no");
	if (r->n == BENCH_REPLAY_MAX || len > BENCH_REPLAY_NAMES - r->names_len)
		return bench_input_fail(in,
		    "%s: more than %u questions, or %u bytes of names: take a part of it", at,
		    BENCH_REPLAY_MAX, BENCH_REPLAY_NAMES);
	if (!make_room(r, len) || !number_of(r, &in->client, &client))
		return bench_input_fail(in, "%s: out of memory", at);
	r->timed = timed;
	r->question[r->n++] = (struct bench_recorded){ .due_ns = timed ? when_ns : 0,
		.at = r->names_len,
		.client = client,
		.type = type,
		.len = (uint8_t)len };
	memcpy(r->names + r->names_len, name, len);
	r->names_len += (uint32_t)len;
	return true;
}

bool
bench_input_message(
    struct bench_input *in, const char *at, uint64_t when_ns, const uint8_t *bytes, size_t len)
{
	struct msg m;

	if (msg_parse(&m, bytes, len) == MSG_OK && (m.flags & (DNS_QR | DNS_OPCODE)) == 0 &&
	    m.qdcount == 1 && m.qclass == DNS_CLASS_IN)
		return bench_input_add(in, at, when_ns, msg_qname(&m), m.qname_len, m.qtype);
	in->to->n_left_out++;
	return true;
}

/* --- The whole -------------------------------------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct bench_recorded *x = a, *y = b;

	if (x->due_ns != y->due_ns)
		return x->due_ns > y->due_ns ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* A mean gap behind the last question; a recording of one moment takes a second. */
static void
set_span(struct bench_replay *r)
{
	uint64_t last_ns = r->question[r->n - 1].due_ns;

	r->span_ns = last_ns > 0 ? last_ns + last_ns / (r->n - 1) + 1 : NS_PER_SEC;
}

/*
 * From times of day to times since the first question. Several threads wrote them, and an answer is
 * logged later than its question was asked.
 */
static void
begin_at_zero(struct bench_replay *r)
{
	uint32_t i = 1;

	while (i < r->n && r->question[i - 1].due_ns <= r->question[i].due_ns)
		i++;
	if (i < r->n)
		qsort(r->question, r->n, sizeof(*r->question), by_time);
	uint64_t first_ns = r->question[0].due_ns;
	for (i = 0; i < r->n; i++)
		r->question[i].due_ns -= first_ns;
	set_span(r);
}

void
bench_replay_hasten(struct bench_replay *r, double speed)
{
	for (uint32_t i = 0; i < r->n; i++)
		r->question[i].due_ns = (uint64_t)((double)r->question[i].due_ns / speed);
	set_span(r);
}

/* What must be done to the file before it can be read; NULL: nothing. */
static const char *
remedy(const struct bench_input *in)
{
	static const struct {
		uint8_t magic[4];
		size_t len;
		const char *what;
	} all[] = {
		{ { 0x1f, 0x8b }, 2, "is compressed by gzip: unpack it" },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, "is compressed by zstd: unpack it" },
		{ { 0xfd, '7', 'z', 'X' }, 4, "is compressed by xz: unpack it" },
		{ { 'B', 'Z', 'h' }, 3, "is compressed by bzip2: unpack it" },
		{ { 0x0a, 0x0d, 0x0d, 0x0a }, 4,
		    "is pcapng: \"editcap -F pcap\" makes pcap of it" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (in->len >= all[i].len && memcmp(in->bytes, all[i].magic, all[i].len) == 0)
			return all[i].what;
	}
	return NULL;
}

static bool
read_format(struct bench_input *in)
{
	if (remedy(in) != NULL)
		return bench_input_fail(in, "%s", remedy(in));
	if (bench_input_is_pcap(in))
		return bench_input_pcap(in);
	return bench_input_text(in);
}

/* Read the input, as far as it is good, and order what it has. */
static bool
read_all(struct bench_input *in)
{
	struct bench_replay *r = in->to;

	netmap_init(&r->clients);
	if (!read_format(in))
		return false;
	if (r->n == 0)
		return bench_input_fail(in, "has no question of class IN, but %ju other %s",
		    (uintmax_t)r->n_left_out,
		    strcmp(r->format, "text") == 0 ? "lines" : "messages");
	begin_at_zero(r);
	return r->span_ns <= SPAN_MAX_NS ||
	    bench_input_fail(in, "its times are more than a year apart");
}

bool
bench_replay_read(const uint8_t *bytes, size_t len, struct bench_replay **out,
    char error[static BENCH_REPLAY_ERROR])
{
	struct bench_input in = {
		.bytes = bytes, .len = len, .to = calloc(1, sizeof(*in.to)), .error = error
	};

	if (in.to == NULL)
		return bench_input_fail(&in, "out of memory");
	if (!read_all(&in)) {
		bench_replay_free(in.to);
		return false;
	}
	*out = in.to;
	return true;
}

bool
bench_replay_open(
    const char *path, struct bench_replay **out, char error[static BENCH_REPLAY_ERROR])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	void *bytes = MAP_FAILED;
	struct stat st;
	bool good = false;

	error[0] = '\0';
	if (fd < 0 || fstat(fd, &st) != 0)
		(void)snprintf(error, BENCH_REPLAY_ERROR, "%s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		(void)snprintf(error, BENCH_REPLAY_ERROR, "is no file with bytes");
	else if (st.st_size == 0)
		(void)snprintf(error, BENCH_REPLAY_ERROR, "is empty");
	else if ((bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) ==
	    MAP_FAILED)
		(void)snprintf(error, BENCH_REPLAY_ERROR, "%s", strerror(errno));
	else
		good = bench_replay_read(bytes, (size_t)st.st_size, out, error);
	if (bytes != MAP_FAILED)
		(void)munmap(bytes, (size_t)st.st_size);
	if (fd >= 0)
		(void)close(fd);
	return good;
}

void
bench_replay_free(struct bench_replay *r)
{
	if (r == NULL)
		return;
	free(r->question);
	free(r->names);
	netmap_fini(&r->clients);
	free(r);
}

/* --- Questions -------------------------------------------------------------------------------- */

size_t
bench_replay_name(const struct bench_replay *r, uint64_t n, uint8_t out[static DNS_NAME_MAX])
{
	const struct bench_recorded *q = bench_replay_at(r, n);

	memcpy(out, r->names + q->at, q->len);
	return q->len;
}

/* --- Times ------------------------------------------------------------------------------------ */

uint64_t
bench_replay_time(const struct bench_replay *r, uint64_t n)
{
	return n / r->n * r->span_ns + bench_replay_at(r, n)->due_ns;
}

uint64_t
bench_replay_due(const struct bench_replay *r, uint64_t past_ns)
{
	uint64_t rest_ns = past_ns % r->span_ns;
	uint32_t low = 0, high = r->n; /* those before low are due, those from high on are not */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->question[middle].due_ns <= rest_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return past_ns / r->span_ns * r->n + low;
}

uint64_t
bench_replay_peak(const struct bench_replay *r, uint64_t window_ns)
{
	uint64_t rest_ns = window_ns % r->span_ns, first = 0, most = 0;

	/* Over the end, too. */
	for (uint64_t last = 0; last < 2 * (uint64_t)r->n; last++) {
		while (bench_replay_time(r, last) - bench_replay_time(r, first) > rest_ns)
			first++;
		most = last - first + 1 > most ? last - first + 1 : most;
	}
	return window_ns / r->span_ns * r->n + most;
}

uint32_t
bench_replay_rate(const struct bench_replay *r, uint32_t most)
{
	double rate = (double)r->n * (double)NS_PER_SEC / (double)r->span_ns;

	return rate < most ? (uint32_t)ceil(rate) : most;
}
