/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_REPLAY_H
#define DNS64D_BENCH_LOAD_REPLAY_H

/*
 * bench_replay: questions that were recorded: their names and types, and when they were asked.
 *
 * A recording is read once, before the run: a file of pcap with DNS over UDP, a query log
 * of dns64d as text or JSON, or lines "NAME TYPE" as dnsperf has them. Kept are questions of class
 * IN, in the order of their times. After the last one the first comes again, so question N of a run
 * is N modulo their number.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "dns/proto.h"

#define BENCH_REPLAY_MAX (1U << 24)   /* questions: 24 bytes each, */
#define BENCH_REPLAY_NAMES (1U << 30) /* and so many bytes of names at most */
#define BENCH_REPLAY_ERROR 256

struct bench_recorded {
	uint64_t due_ns; /* since the first question; 0: the recording has no times */
	uint32_t at;     /* of its name */
	uint32_t client; /* its number, from 0 in the order in which they came */
	uint16_t type;
	uint8_t len; /* of its name, in bytes */
};

struct bench_replay {
	struct bench_recorded *question; /* owned */
	uint8_t *names;                  /* owned: in wire form, one behind the other */
	uint32_t n;                      /* questions, at least 1 */
	uint32_t cap;
	uint32_t names_len, names_cap;
	struct netmap clients; /* owned: the numbers of those who asked, by address */
	uint32_t n_clients;    /* different addresses; 0: they were not recorded */
	uint64_t n_left_out;   /* messages and lines that are no such question */
	const char *format;    /* of the file, as "pcap" */
	bool timed;            /* it has times */
	uint64_t span_ns;      /* when the first question comes again: a mean gap behind the last */
};

/*
 * bench_replay_read: the recording in the LEN bytes at BYTES, to *out, the caller's. False: it has
 * no question, is malformed or too large; ERROR says where and why.
 */
MUST_USE bool bench_replay_read(const uint8_t *bytes, size_t len, struct bench_replay **out,
    char error[static BENCH_REPLAY_ERROR]);

/* bench_replay_open: the same of the file PATH, which is not needed any more then. */
MUST_USE bool bench_replay_open(
    const char *path, struct bench_replay **out, char error[static BENCH_REPLAY_ERROR]);

/* bench_replay_free: end *r, which may be NULL. */
void bench_replay_free(struct bench_replay *r);

/* bench_replay_hasten: from now on *r goes SPEED times as fast as it was; below 1: slower. */
void bench_replay_hasten(struct bench_replay *r, double speed);

/* bench_replay_at: question N. */
static inline const struct bench_recorded *
bench_replay_at(const struct bench_replay *r, uint64_t n)
{
	return &r->question[n % r->n];
}

/* bench_replay_name: the name of question N, to OUT; returns its length in bytes. */
size_t bench_replay_name(
    const struct bench_replay *r, uint64_t n, uint8_t out[static DNS_NAME_MAX]);

/* --- Times; only of a recording that has them ------------------------------------------------- */

/* bench_replay_time: when question N is due, in ns since the first. */
MUST_USE uint64_t bench_replay_time(const struct bench_replay *r, uint64_t n);

/* bench_replay_due: how many questions are due PAST_NS after the first, that one included. */
MUST_USE uint64_t bench_replay_due(const struct bench_replay *r, uint64_t past_ns);

/* bench_replay_peak: how many questions are due within WINDOW_NS, at the busiest time. */
MUST_USE uint64_t bench_replay_peak(const struct bench_replay *r, uint64_t window_ns);

/* bench_replay_rate: the mean rate, in questions per second, rounded up: 1 to MOST. */
MUST_USE uint32_t bench_replay_rate(const struct bench_replay *r, uint32_t most);

/* --- For the parts of it ---------------------------------------------------------------------- */

/* Seconds since 1970 that a recording may have: until the year 2242. */
#define BENCH_SECONDS_MAX (UINT64_C(1) << 33)
#define BENCH_NO_TIME UINT64_MAX

/* A recording that is read. */
struct bench_input {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	struct bench_replay *to;
	char *error; /* BENCH_REPLAY_ERROR */
	/* Who asked what is added next; its port does not count. NETADDR_NONE: that is not known */
	struct netaddr client;
};

/* bench_input_fail: tell an error; false, for the caller to return. */
bool bench_input_fail(struct bench_input *in, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * bench_input_add: a question for TYPE of NAME, a name in wire form of LEN bytes, asked at WHEN_NS
 * since 1970 or BENCH_NO_TIME. False: there is no room, or only some have times, which was told; AT
 * says where, as "line 5".
 */
MUST_USE bool bench_input_add(struct bench_input *in, const char *at, uint64_t when_ns,
    const uint8_t *name, size_t len, uint16_t type);

/*
 * bench_input_message: the same for the DNS message of LEN bytes at BYTES; what is no question of
 * class IN is left out.
 */
MUST_USE bool bench_input_message(
    struct bench_input *in, const char *at, uint64_t when_ns, const uint8_t *bytes, size_t len);

/* Formats: false if the input is malformed, which was told. */

/* bench_input_is_pcap: does the input begin as a file of pcap does? */
MUST_USE bool bench_input_is_pcap(const struct bench_input *in);

/* bench_input_pcap: read it, which it must be. */
MUST_USE bool bench_input_pcap(struct bench_input *in);

/* bench_input_text: read lines. */
MUST_USE bool bench_input_text(struct bench_input *in);

#endif
