/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_STATS_H
#define DNS64D_CORE_STATS_H

/*
 * stats: counters of events, by kind.
 *
 * Each loop owns one struct and is its only writer, so an increment is a plain add. The counters
 * are atomic only so that other threads may read them at any time. Each is incremented once, where
 * the decision is made.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/reason.h"
#include "core/transport.h"
#include "dns/type.h"

/*
 * X(field, "what it counts"): what loops count. All that an answer increments is here: the engine
 * repeats it where it repeats the answer (engine/packetcache).
 */
#define STATS_OF_LOOPS(X) \
	X(client_udp, "questions received over UDP") /* the sum of stats.asked */ \
	X(client_tcp, "questions received over TCP") /* likewise */ \
	X(client_short, "client messages under 12 bytes, dropped") \
	X(client_response, "client messages with QR set, dropped") \
	X(client_truncated, "client datagrams larger than a receive slot, dropped") \
	X(proxy_clients, \
	    "questions over UDP and connections that a proxy named another client for") \
	X(proxy_refused, \
	    "datagrams dropped and connections closed as a PROXY header was missing, malformed " \
	    "or not permitted") \
	X(client_late, "client datagrams that waited too long to be read, dropped unread") \
	X(client_formerr, "malformed questions, answered FORMERR") \
	X(client_notimp, "other opcodes, answered NOTIMP") \
	X(client_badvers, "questions with an unknown EDNS version, answered BADVERS") \
	X(client_cookies, "questions with a cookie") \
	X(client_cookies_good, "questions with a server cookie that we gave") \
	X(client_refused, "questions answered REFUSED") \
	X(client_denied, "questions of clients that may not ask, answered REFUSED") \
	X(client_ignored, \
	    "messages and connections of clients that get no answer (deny), dropped") \
	X(client_dropped, "questions dropped because all query objects were in use") \
	X(rate_limited, "questions over UDP beyond rate-limit") \
	X(rate_cookies, \
	    "questions beyond rate-limit answered all the same, for a server cookie that we gave") \
	X(rate_slipped, "questions beyond rate-limit answered without records: TC or BADCOOKIE") \
	X(rate_dropped, "questions beyond rate-limit dropped") \
	X(answers, "answers given to clients") /* the sum of those by reason */ \
	X(relayed, "answers passed on as upstream gave them") \
	X(answers_truncated, "answers with TC set by us") \
	X(answers_amplified, "answers longer than max-amplification permits") \
	X(answers_repeated, "answers that repeat another one of the same second") \
	X(answers_servfail, "answers that are SERVFAIL made here") \
	X(no_room, "questions answered SERVFAIL as there was no room: waiters, IDs, sockets") \
	X(queries_evicted, \
	    "questions that no longer waited for upstream, as room ran low (max-queries)") \
	X(client_ceiling, "questions answered SERVFAIL because of max-waiting-per-client") \
	X(same_question, "questions answered TC, or SERVFAIL, because of max-same-question") \
	X(aaaa_native, "AAAA questions answered with real AAAA records") \
	X(aaaa_filtered, "AAAA questions answered with real AAAA records, without excluded ones") \
	X(synthesized, "AAAA questions answered with synthesized records") /* by reason */ \
	X(synthesized_failed, \
	    "AAAA questions answered with synthesized records after an AAAA error or timeout") \
	X(aaaa_late, "AAAA questions that went on to A as AAAA was late") \
	X(aaaa_late_used, "times that a late AAAA came before the answer had left") \
	X(synth_none, "AAAA questions for which A gave nothing to synthesize from") \
	X(no_prefix, "AAAA questions left without synthesis because no prefix is active") \
	X(svcb_addresses, "addresses added to SVCB and HTTPS answers") \
	X(svcb_late, "SVCB and HTTPS answers given before all addresses were there") \
	X(bogus, "AAAA questions answered SERVFAIL because upstream found the data bogus") \
	X(reverse, "PTR questions under a prefix") \
	X(local, "questions answered here: special names, names without address under a prefix") \
	X(hidden_a, "A questions whose addresses were hidden") \
	X(chain_steps, "questions asked to follow a chain that upstream left open") \
	X(cache_hits, "questions of queries answered from the cache") /* the sum by type */ \
	X(cache_hits_other, "questions of queries for other types answered from the cache") \
	X(cache_hits_a, "questions of queries for A answered from the cache") \
	X(cache_hits_aaaa, "questions of queries for AAAA answered from the cache") \
	X(cache_hits_https, "questions of queries for HTTPS and SVCB answered from the cache") \
	X(cache_hits_ptr, "questions of queries for PTR answered from the cache") \
	X(cache_failures, "questions of queries answered with a failure that is remembered") \
	X(cache_cut, "questions of queries answered NXDOMAIN because a name above does not exist") \
	X(cache_stale, \
	    "questions of queries answered with stale entries, as upstream failed or was late") \
	X(cache_misses, "questions of queries that the cache could not answer") \
	X(cache_prefetch, "entries refreshed before their end") \
	X(synthesized_stale, "AAAA questions answered with records synthesized from stale data") \
	X(lookups, "questions for upstream") \
	X(lookups_signed, \
	    "questions for upstream signed by the client (TSIG, SIG(0), TKEY), passed as they " \
	    "are") \
	X(coalesced, "questions that joined one already upstream") \
	X(over_budget, "client questions that used up max-upstream-questions") \
	X(upstream_udp, "questions sent upstream over UDP") \
	X(upstream_tcp, "questions sent upstream over TCP") \
	X(upstream_replies, "replies accepted") \
	X(upstream_overdue, "replies accepted after the wait for them was over") \
	X(upstream_short, "upstream messages under 12 bytes, dropped") \
	X(upstream_malformed, "replies that matched but were malformed, in framing or RDATA") \
	X(upstream_not_reply, "upstream messages without QR or with another opcode, dropped") \
	X(upstream_unknown_id, "replies with an ID not in flight on their socket, dropped") \
	X(upstream_guessed, "sockets closed because somebody guessed the IDs of their questions") \
	X(upstream_id_attack_tcp, "questions that went over TCP because somebody guessed IDs") \
	X(upstream_id_attack_tcp_failed, \
	    "questions that went over TCP on a suspicion, and over UDP after all, as TCP was too " \
	    "slow or failed") \
	X(upstream_late, "replies to questions that are not open any more, dropped") \
	X(upstream_mismatch, \
	    "replies with the ID but not the question or cookie expected (near misses), not " \
	    "taken alone") \
	X(upstream_case, "near misses right in all but the case of the question (0x20)") \
	X(upstream_cookie, "near misses with another cookie than expected, or none") \
	X(upstream_edns, \
	    "near misses with an error without EDNS, which would make us ask without it") \
	X(upstream_question, "near misses about another question") \
	X(upstream_unguarded, \
	    "times 0x20 or cookies went off for an upstream that does not support them") \
	X(upstream_badcookie, "replies that made us ask again with a new cookie") \
	X(upstream_truncated, "replies with TC") \
	X(upstream_errors, "replies with an error rcode") \
	X(upstream_lame, "referrals instead of an answer") \
	X(upstream_no_edns, "replies that made us ask again without EDNS") \
	X(upstream_timeouts, "attempts without a reply in time") \
	X(upstream_unreachable, \
	    "attempts given up as the upstream or the network refused them (ICMP)") \
	X(upstream_disconnected, \
	    "attempts whose connection ended before the reply, or was not to be had") \
	X(upstream_refused, "ICMP port unreachable and the like from an upstream") \
	X(upstream_down, "times an upstream was marked down") \
	X(upstream_hedges, "questions that went to another upstream too, as one was slow") \
	X(upstream_probes, \
	    "probes of upstreams: whether they reply, and what gets through to them") \
	X(lookups_failed, "lookups ended without any usable reply") \
	X(ids_exhausted, "questions failed because no transaction ID was free") \
	X(upstream_ceiling, \
	    "questions that an upstream did not get because of max-waiting-per-upstream") \
	X(sockets_exhausted, "questions failed because no descriptor or port was free") \
	X(tcp_accepted, "client connections accepted") \
	X(tcp_refused, \
	    "client connections closed at once because of max-tcp-clients or max-tcp-per-client") \
	X(tcp_evicted, "client connections closed so that a new one had room") \
	X(tcp_idle, "client connections closed as idle") \
	X(tcp_slow, "client connections closed because a question took too long to come") \
	X(tcp_stalled, "client connections closed because they did not read their answers") \
	X(tcp_upstream_opened, "connections opened to upstreams") \
	X(tcp_upstream_lost, \
	    "connections to upstreams that ended with questions open or not established") \
	X(tcp_upstream_stuck, \
	    "connections to upstreams that were silent for longer than a reply takes") \
	X(tcp_upstream_waits, \
	    "times a question waited, as an upstream ends its connections after some replies") \
	X(tcp_upstream_full, "questions for upstream that a connection had no room for") \
	X(listen_failed, "addresses that could not be served for a while, for lack of memory") \
	X(socket_drops, "datagrams the kernel dropped because a client socket was full") \
	X(send_failed, "datagrams given up as the kernel refused to send them") \
	X(send_again, "datagrams to be sent again, as the kernel had no room or no way for them") \
	X(send_runs, "runs of datagrams that left as one message each (UDP_SEGMENT)") \
	X(send_segments, "datagrams that left in such runs") \
	X(send_runs_eio, \
	    "runs that the kernel refused with EIO, as the interface or IPsec cannot cut them: " \
	    "sent " \
	    "singly, and so for a minute") \
	X(send_runs_einval, \
	    "runs that the kernel refused with EINVAL, likewise, as datagrams were too long for " \
	    "the " \
	    "way") \
	X(send_runs_emsgsize, "runs that the kernel refused with EMSGSIZE, likewise") \
	X(gathered_turns, "times a loop slept so that more datagrams came together (batch-delay)") \
	X(query_log, "answers handed to the query log") \
	X(query_log_dropped, "answers that the query log had no room for") \
	X(dnstap, "messages handed to dnstap") \
	X(dnstap_dropped, "messages that dnstap had no room for")

/* What the threads of the query log and dnstap count, in a struct stats of their own. */
#define STATS_OF_THREADS(X) \
	X(query_log_written, "lines of the query log written") \
	X(query_log_lost, \
	    "lines of the query log that could not be written, as when the disk is full") \
	X(dnstap_frames, "frames written to the reader of dnstap, one for each message") \
	X(dnstap_lost, "messages handed to dnstap that no reader took")

#define STATS_COUNTERS(X) \
	STATS_OF_LOOPS(X) \
	STATS_OF_THREADS(X)

/* The places of the counters among the rows. */
#define STATS_PLACE(name, help) STATS_##name,
enum stats_place {
	STATS_OF_LOOPS(STATS_PLACE) STATS_LOOPS_N,
	STATS_LOOPS_LAST = STATS_LOOPS_N - 1, /* so that the next is STATS_LOOPS_N */
	STATS_OF_THREADS(STATS_PLACE) STATS_N
};
#undef STATS_PLACE

#define STATS_RCODES 16 /* those of a header's four bits */

#define STATS_TYPES 8 /* not TYPE_KINDS_N, as a power of two costs less */

/* Of a question: TCP 1; IPv6 1; its type (dns/type: type_kind). */
#define STATS_ASKED (TRANSPORTS * 2 * STATS_TYPES)

#define STATS_CLIENTS 256 /* counters of policies */
#define STATS_PREFIXES \
	64 /* numbers of prefixes (policy/prefix_index), the one of all others included */

struct stats {
	/*
	 * by reason the answers given, and what was dropped: without waiting for upstream, from the
	 * cache or from here; and after it; each by rcode
	 */
	_Alignas(64) _Atomic uint64_t reasons[REASON_N][2][STATS_RCODES];
	_Atomic uint64_t asked[STATS_ASKED]; /* questions, by stats_asked */
	/* answers, by policy.counter; not those of policy 0, which are the rest */
	_Atomic uint64_t clients[STATS_CLIENTS];
	/* answers with AAAA synthesized under each prefix, by its number (policy/prefix_index) */
	_Atomic uint64_t prefixes[STATS_PREFIXES];
#define STATS_FIELD(name, help) _Atomic uint64_t name;
	union {
		struct {
			STATS_COUNTERS(STATS_FIELD)
		};
		_Atomic uint64_t counters[STATS_N]; /* the same, by enum stats_place */
	};
#undef STATS_FIELD
};

/* stats_add: add N to *counter. Only in the owner's thread. */
static inline void
stats_add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t v = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, v + n, memory_order_relaxed);
}

/* stats_inc: add 1 to *counter. Only in the owner's thread. */
static inline void
stats_inc(_Atomic uint64_t *counter)
{
	stats_add(counter, 1);
}

/*
 * stats_answered: the place of an answer for REASON among all that stats.reasons counts, if its
 * header has RCODE (below STATS_RCODES). WAITED: it waited for upstream.
 */
MUST_USE static inline unsigned
stats_answered(enum reason reason, bool waited, unsigned rcode)
{
	return ((unsigned)reason * 2 + (waited ? 1U : 0U)) * STATS_RCODES + rcode;
}

/* stats_answer: count such an answer. Only in the owner's thread. */
static inline void
stats_answer(struct stats *s, enum reason reason, bool waited, unsigned rcode)
{
	stats_inc(&s->reasons[0][0][0] + stats_answered(reason, waited, rcode));
}

/* stats_dropped: count a message that is dropped for REASON. Only in the owner's thread. */
static inline void
stats_dropped(struct stats *s, enum reason reason)
{
	stats_answer(s, reason, false, 0);
}

/* stats_asked: the place in stats.asked of a question for QTYPE. */
MUST_USE static inline unsigned
stats_asked(enum transport transport, bool ipv6, uint16_t qtype)
{
	return (2U * transport + (ipv6 ? 1U : 0U)) * STATS_TYPES + type_kind(qtype);
}

/* stats_hit_place: the place of the counter of answers from the cache for types of KIND. */
static inline enum stats_place
stats_hit_place(enum type_kind kind)
{
	return (enum stats_place)((unsigned)STATS_cache_hits_other + (unsigned)kind);
}

/* stats_hit: count an answer from the cache for QTYPE. Only in the owner's thread. */
static inline void
stats_hit(struct stats *s, uint16_t qtype)
{
	stats_inc(&s->counters[stats_hit_place(type_kind(qtype))]);
}

/* One counter as a reader sees it. */
struct stats_row {
	const char *name; /* name of the field */
	const char *help;
	uint64_t value;
};

/*
 * stats_sum: write the sums of the counters of N structs to ROWS, in the order of STATS_COUNTERS.
 * Any thread.
 */
void stats_sum(const struct stats *const *stats, unsigned n, struct stats_row rows[static STATS_N]);

/* Answers for a reason as a reader sees them. */
struct stats_reason {
	uint64_t at_once; /* from the cache or from here */
	uint64_t waited;  /* after waiting for upstream */
};

/*
 * stats_sum_reasons: write the sums of the answers by reason of N structs to ROWS, in the order of
 * enum reason. Any thread.
 */
void stats_sum_reasons(
    const struct stats *const *stats, unsigned n, struct stats_reason rows[static REASON_N]);

/*
 * stats_in_flight: how many questions are being worked on by ROWS, sums of stats_sum. The loops go
 * on while the counters are read one by one, so it is not exact.
 */
uint64_t stats_in_flight(const struct stats_row rows[static STATS_N]);

/* stats_sum_rcodes: the same by rcode. */
void stats_sum_rcodes(
    const struct stats *const *stats, unsigned n, uint64_t rcodes[static STATS_RCODES]);

/* stats_sum_clients: the sums of stats.clients, and the rest of the answers as 0. Any thread. */
void stats_sum_clients(
    const struct stats *const *stats, unsigned n, uint64_t clients[static STATS_CLIENTS]);

/* stats_sum_prefixes: the sums of stats.prefixes. Any thread. */
void stats_sum_prefixes(
    const struct stats *const *stats, unsigned n, uint64_t prefixes[static STATS_PREFIXES]);

/* stats_sum_asked: the sums of stats.asked. Any thread. */
void stats_sum_asked(
    const struct stats *const *stats, unsigned n, uint64_t asked[static STATS_ASKED]);

#endif
