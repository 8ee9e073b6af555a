/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/asked.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "io/shell.h"
#include "io/upstream_udp.h"

struct asked *
asked_new(void)
{
	struct asked *a = aligned_alloc(_Alignof(struct asked), sizeof(*a));

	if (a == NULL)
		return NULL;
	memset(a, 0, sizeof(*a));
	atomic_init(&a->refs, 1);
	return a;
}

void
asked_unref(struct asked *a)
{
	if (a == NULL || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) > 1)
		return;
	trace_fini(&a->trace);
	free(a);
}

bool
asked_post(struct asked_box *b, struct asked *a)
{
	struct asked *none = NULL;

	trace_init(&a->trace, 0);
	atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
	if (atomic_compare_exchange_strong(&b->posted, &none, a))
		return true;
	asked_unref(a);
	return false;
}

void
asked_take(struct asked_box *b, struct shell *sh, bool stopping)
{
	struct asked *a = atomic_exchange(&b->posted, NULL);
	struct packet_in in;

	if (a == NULL)
		return;
	in = (struct packet_in){ .msg = a->msg,
		.len = a->len,
		.from = { .side = PACKET_CLIENT, .transport = a->transport, .peer = a->client } };
	/* As shell_input does: what is explained finds the sockets that a client's question finds.
	 */
	if (sh->now_ns >= sh->upstream_udp.renew_ns)
		upstream_udp_renew(sh);
	if (stopping || !engine_explain(sh->engine, &in, &a->trace, sh->now_ns)) {
		a->refused = true;
		trace_end(&a->trace, REASON_DROP_FULL, false, NULL, 0);
		asked_unref(a);
		return;
	}
	asked_look(b); /* the engine takes a new one only when the last is done */
	b->working = a;
	(void)shell_drain(sh);
}

void
asked_let_go(struct asked_box *b)
{
	asked_unref(b->working);
	b->working = NULL;
}

void
asked_fini(struct asked_box *b)
{
	asked_unref(atomic_exchange(&b->posted, NULL));
	asked_let_go(b);
}
