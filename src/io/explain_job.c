/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/explain_job.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "io/shell.h"
#include "io/upstream_udp.h"

struct explain_job *
explain_job_new(void)
{
	struct explain_job *a = aligned_alloc(_Alignof(struct explain_job), sizeof(*a));

	if (a == NULL)
		return NULL;
	memset(a, 0, sizeof(*a));
	atomic_init(&a->refs, 1);
	return a;
}

void
explain_job_unref(struct explain_job *a)
{
	if (a == NULL || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) > 1)
		return;
	explain_fini(&a->explanation);
	free(a);
}

bool
explain_slot_post(struct explain_slot *b, struct explain_job *a)
{
	struct explain_job *none = NULL;

	explain_init(&a->explanation, 0);
	atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
	if (atomic_compare_exchange_strong(&b->posted, &none, a))
		return true;
	explain_job_unref(a);
	return false;
}

void
explain_slot_take(struct explain_slot *b, struct shell *sh, bool stopping)
{
	struct explain_job *a = atomic_exchange(&b->posted, NULL);
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
	if (stopping || !engine_explain(sh->engine, &in, &a->explanation, sh->now_ns)) {
		a->refused = true;
		explain_end(&a->explanation, REASON_DROP_FULL, false, NULL, 0);
		explain_job_unref(a);
		return;
	}
	explain_slot_look(b); /* the engine takes a new one only when the last is done */
	b->working = a;
	(void)shell_drain(sh);
}

void
explain_slot_let_go(struct explain_slot *b)
{
	explain_job_unref(b->working);
	b->working = NULL;
}

void
explain_slot_fini(struct explain_slot *b)
{
	explain_job_unref(atomic_exchange(&b->posted, NULL));
	explain_slot_let_go(b);
}
