/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/work.h"

#include "core/wheel.h"
#include "engine/state.h"
#include "outbound/attempt.h"

/*
 * A turn has 2,000 units of work (engine/engine_parts): 64,000 octets of replies, as 32 cost one,
 * or 1,000 queries that go on with the shortest replies, of more than 32 octets, so that each costs
 * two. A slice of 250 units begins while there is anything left, and a lookup may end with up to
 * 128 units at once: an eighth and a sixteenth more. Queries whose own time is over come on top, as
 * many as one tick has deadlines: 256, after the process was stopped. An answer may be longer than
 * its reply, by an OPT with a cookie and the text of an extended error: up to 128 octets for each
 * of those queries. For each query up to four objects are taken or given back, with its lookup's,
 * and the cache is asked twice.
 */
static const size_t most[WORKS] = { 1456, 256, 1456, 80000 + 1456 * 128, 5824, 2912 };
static const char *const words[WORKS] = { "queries that go on", "deadlines", "messages", "octets",
	"objects", "questions to the cache" };

static struct sim *sim;
static size_t done[WORKS];

static void
begin_turn(void)
{
	for (unsigned i = 0; i < WORKS; i++)
		done[i] = 0;
}

void
work_begin(struct sim *s)
{
	sim = s;
	begin_turn();
}

void
work_done(enum work what, size_t n)
{
	done[what] += n;
	if (sim != NULL && done[what] > most[what])
		sim_fail(sim, "%s in one turn: more than %zu", words[what], most[what]);
}

bool __real_engine_work(struct engine *e, uint64_t now_ns);
bool __wrap_engine_work(struct engine *e, uint64_t now_ns);
size_t __real_state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns);
size_t __wrap_state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns);
bool __real_attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns);
bool __wrap_attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns);
struct wheel_timer *__real_wheel_take(struct wheel *w, uint64_t now_ns);
struct wheel_timer *__wrap_wheel_take(struct wheel *w, uint64_t now_ns);
void __real_pool_give(struct pool *p, void *obj);
void __wrap_pool_give(struct pool *p, void *obj);

bool
__wrap_engine_work(struct engine *e, uint64_t now_ns)
{
	begin_turn();
	return __real_engine_work(e, now_ns);
}

static void
sent(size_t len)
{
	work_done(WORK_SENT, 1);
	work_done(WORK_OCTETS, len);
}

size_t
__wrap_state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	size_t len = __real_state_run(qs, q, result, out, now_ns);

	work_done(WORK_RUN, 1);
	if (len > 0)
		sent(len);
	return len;
}

bool
__wrap_attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns)
{
	bool any = __real_attempt_next_question(ls, udp, tcp, send, now_ns);

	if (any)
		sent(send->len);
	return any;
}

struct wheel_timer *
__wrap_wheel_take(struct wheel *w, uint64_t now_ns)
{
	struct wheel_timer *t = __real_wheel_take(w, now_ns);

	work_done(WORK_TIMER, t != NULL);
	return t;
}

void
__wrap_pool_give(struct pool *p, void *obj)
{
	work_done(WORK_OBJECTS, 1);
	__real_pool_give(p, obj);
}
