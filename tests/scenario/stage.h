/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_STAGE_H
#define DNS64D_TESTS_SCENARIO_STAGE_H

/*
 * stage: the engine that plays a scenario, its sockets and clock, and the messages so far. An
 * unreadable line or a difference fails the Check test with file and line.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/orders.h"
#include "config/settings.h"
#include "dns/proto.h"
#include "engine/cookie.h"
#include "engine/engine.h"
#include "outbound/upstream.h"
#include "scenario/scene.h"

#define STAGE_MAX_PENDING 128
#define STAGE_MAX_RECORDS 256 /* of one reply or answer */
#define STAGE_MAX_NAMED 64
#define STAGE_WORDS 16
#define STAGE_TEXT 16384 /* bytes of a configuration, with its final zero */

struct sent {
	struct packet_out send;
	enum reason reason; /* of an answer */
	uint8_t *bytes;
};

struct stage_asked {
	char label[16];
	struct packet_out send;
	uint8_t bytes[1024];
};

struct client {
	char label[16];
	struct netaddr peer;
	bool tcp;
	bool edns;
	bool do_bit;
	size_t limit;      /* bytes of the largest answer it takes */
	uint16_t question; /* bytes of its question section, name as spelled */
	uint8_t spelled[DNS_NAME_MAX + 4];
	size_t len;
	uint8_t bytes[1024];
};

struct run {
	const char *file;
	unsigned line;
	char text[STAGE_TEXT]; /* the configuration that is being read */
	size_t text_len;
	unsigned text_line;        /* of the scenario, up to which it has come */
	struct settings *settings; /* the engine's; owned */
	struct orders orders;      /* of the operator */
	size_t cache_size;         /* if the configuration has no cache-size; 0: no cache */
	uint32_t max_queries;      /* instead of what is configured; 0: that */
	struct engine *e;
	uint64_t now_ns;
	unsigned upstream_of[UPSTREAM_MAX_SOCKETS];
	int socket_of[UPSTREAM_MAX]; /* slot for new questions, -1 for none */
	bool draining[UPSTREAM_MAX_SOCKETS];
	bool unplugged[UPSTREAM_MAX];
	struct sent pending[STAGE_MAX_PENDING];
	unsigned n_pending;
	unsigned taken;
	struct stats_reason reasons[REASON_N]; /* counted so far */
	struct stage_asked questions[STAGE_MAX_NAMED];
	unsigned n_questions;
	struct client clients[STAGE_MAX_NAMED];
	unsigned n_clients;
	uint8_t udp[PACKET_UDP_CAP];
	uint8_t tcp[PACKET_TCP_CAP];
	uint8_t cookie[DNS_COOKIE_MAX]; /* of the last answer */
	size_t reply_len;               /* the last reply */
	uint8_t reply[65535];
	char records[STAGE_MAX_RECORDS][SCENE_TEXT];
	unsigned n_records;
};

/* stage_fail: fail the test, with file and line. */
void __attribute__((format(printf, 2, 3), noreturn))
stage_fail(const struct run *r, const char *fmt, ...);

/* stage_open: begin a run of FILE. */
struct run *stage_open(const char *file);

/* stage_close: end the run, at which no message may be left and no question in flight. */
void stage_close(struct run *r);

/* stage_configure: the N words at W are the next line of a configuration. */
void stage_configure(struct run *r, char **w, unsigned n);

/* stage_engine: create the engine with what is configured, unless there is one. */
void stage_engine(struct run *r);

/* stage_reload: give what is configured now to the engine. */
void stage_reload(struct run *r);

/* stage_order: the operator gives the order W. */
void stage_order(struct run *r, const struct order *w);

/* stage_sockets: open and close sockets to upstreams as the shell does. */
void stage_sockets(struct run *r);

/* stage_input: hand a message to the engine. */
void stage_input(struct run *r, const struct packet_in *in);

/* stage_collect: keep all messages that the engine sends now. */
void stage_collect(struct run *r);

/* stage_has: is WORD among the N words? */
bool stage_has(char **words, unsigned n, const char *word);

/* stage_value: the text behind "KEY=" among the N words; NULL: there is none. */
const char *stage_value(char **words, unsigned n, const char *key);

/* stage_name: read a name to OUT; returns its length in bytes. Fails the test if it is none. */
size_t stage_name(const struct run *r, const char *text, uint8_t out[static DNS_NAME_MAX]);

/* stage_type: read a type. Fails the test if it is none. */
uint16_t stage_type(const struct run *r, const char *text);

/* stage_upstream: read an upstream; "u1" is 0. Fails the test if it is none. */
unsigned stage_upstream(const struct run *r, const char *text);

/* stage_asked: the last question upstream with this label. */
struct stage_asked *stage_asked(struct run *r, const char *label);

#endif
