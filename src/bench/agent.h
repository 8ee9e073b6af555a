/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_AGENT_H
#define DNS64D_BENCH_AGENT_H

/*
 * bench_agent: a tester that does the trials which another one, its controller, has it do
 * (bench/agents). It serves one controller after another; whoever comes meanwhile is told so. Some
 * may be on their way to be known at once: who connects and says nothing keeps nobody out.
 *
 * After the greeting the controller sends, each in a message,
 *
 *	{ clock: n }		told at once: { clock: n, now: ns }, the time by our clock
 *	{ trial: plan }		prepare it: { ready: true }, or { error: text }
 *	{ start: ns }		begin it then, by our clock; while it lasts each second
 *				{ alive: true }, at its end { tally: ..., cpu: %, stolen: % }, or
 *				{ error: text }
 *	{ take: true }		told at once, while it lasts: { part: ... }, a tally since the
 *				start or the last part; that at the end is of the rest
 *	{ stop: true }		end it now
 *
 * and a trial also ends when the connection does.
 */

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/greeting.h"

#define BENCH_AGENT_ALIVE_S 1 /* between two signs of life in a trial */

struct bench_agent;

/*
 * bench_agent_new: listen at *ADDRESS, whose port becomes the one that the kernel chose if it was
 * 0; who comes must know the secret S, which is borrowed. What happens is told to LOG, in lines.
 * The agent to *out. Returns 0 or -errno.
 */
MUST_USE int bench_agent_new(
    struct netaddr *address, const struct bench_secret *s, FILE *log, struct bench_agent **out);

/* bench_agent_free: close everything; NULL is fine. */
void bench_agent_free(struct bench_agent *a);

/* bench_agent_serve: serve controllers until *stop becomes true. */
void bench_agent_serve(struct bench_agent *a, const atomic_bool *stop);

#endif
