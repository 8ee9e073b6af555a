/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_WORLD_H
#define DNS64D_TESTS_SCENARIO_WORLD_H

/*
 * world: an engine with a clock, the sockets that it wants, clients, and upstreams that reply at
 * once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/msg.h"
#include "engine/engine.h"
#include "scenario/parts.h"

#define WORLD_REPLY 2048 /* bytes of a reply at most */
#define WORLD_QUEUE 64   /* replies on their way at most */

struct world;

/* What upstreams reply to question M, to OUT; returns the length, 0 for nothing. */
typedef size_t world_upstream(
    struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out);

/* An answer of LEN bytes at MSG goes to a client. */
typedef void world_client(struct world *w, const struct packet_out *send, const uint8_t *msg);

struct world_reply {
	struct packet_in in;
	uint8_t bytes[WORLD_REPLY];
};

struct world {
	struct conf_core conf; /* parts_conf's; to be changed before world_start */
	world_upstream *upstream;
	world_client *client;
	void *arg; /* the test's */
	struct engine *engine;
	uint64_t now_ns;
	unsigned n_spaces; /* with sockets */
	unsigned n_sent;   /* messages that came out of the engine */
	unsigned n_queued;
	struct world_reply queue[WORLD_QUEUE];
	uint8_t udp[PACKET_UDP_CAP];
	uint8_t tcp[PACKET_TCP_CAP];
};

/*
 * world_plain: an upstream that replies with 192.0.2.1 to A and with NODATA to other types, and not
 * at all to names that begin with "silent" or another label of six bytes.
 */
size_t world_plain(
    struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out);

/* world_unread: a client that does not look at its answers. */
void world_unread(struct world *w, const struct packet_out *send, const uint8_t *msg);

/* world_init: make the settings of parts_conf in w->conf. */
void world_init(struct world *w, unsigned n_upstreams, uint32_t cap);

/* world_start: create the engine, with SEED. */
void world_start(struct world *w, uint64_t seed);

/* world_stop: free the engine. */
void world_stop(struct world *w);

/* world_drain: take all that comes out of the engine, and hand in the replies to it. */
void world_drain(struct world *w);

/* world_input: hand in a client's message, then all replies, until nothing is left to do. */
void world_input(struct world *w, const struct packet_in *in);

/* world_pass: let NS ns pass in ticks, and handle everything that is due at each tick. */
void world_pass(struct world *w, uint64_t ns);

/* world_stat: the engine's counter NAME. */
uint64_t world_stat(const struct world *w, const char *name);

/* world_sound: an answer or question must parse and, as an answer, be no longer than LIMIT. */
void world_sound(struct msg *m, const struct packet_out *send, const uint8_t *msg, size_t limit);

#endif
