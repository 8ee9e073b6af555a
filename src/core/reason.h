/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_REASON_H
#define DNS64D_CORE_REASON_H

/*
 * reason: why an answer is what it is, or why there is none; the one table of it.
 *
 * Where a decision is made, its reason is noted in the query, once. Extended errors, counters, logs
 * and whoever explains an answer take what they say from the row here. Names are for programs and
 * do not change; texts are for people.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

/* What came of a question. Up to REASON_HIDING the answer rests on what upstream said. */
enum reason_kind {
	REASON_RELAYING,     /* as upstream gave it */
	REASON_REAL,         /* a question for AAAA has its real answer */
	REASON_SYNTHESIZING, /* AAAA are made from A */
	REASON_NOT_MAKING,   /* a question for AAAA gets none, though A might have led to some */
	REASON_REVERSING,    /* PTR under a prefix */
	REASON_HIDING,       /* records are left out by policy */
	REASON_LOCAL,        /* known here, whatever upstream would say */
	REASON_REFUSING,     /* the question itself, or its client, is not served */
	REASON_LIMITING,     /* too many or too much: an answer without records */
	REASON_FAILING,      /* there was no answer to be had */
	REASON_DROPPING,     /* no answer */
	REASON_KINDS
};

/* Where an answer comes from. */
enum reason_source {
	REASON_FROM_CACHE,    /* what upstream said before, or that it failed */
	REASON_FROM_HERE,     /* nobody had to be asked */
	REASON_FROM_UPSTREAM, /* it waited for upstream */
	REASON_SOURCES
};

/*
 * X(VALUE, kind, "name", info code of its extended error (RFC 8914), "text")
 *
 * Info code 0 (Other Error) says nothing by itself, so the text goes along with it; with 14 (Not
 * Ready) goes what the daemon lacks.
 */
#define REASON_TABLE(X) \
	X(RELAYED, RELAYING, "relayed", NONE, "passed on as upstream gave it") \
	X(SIGNED, RELAYING, "signed", NONE, \
	    "the question is signed, so both it and the reply are passed on") \
	X(ANY_MINIMAL, RELAYING, "any-minimal", NONE, "one of the sets that were asked for") \
	X(SVCB_ADDRESSES, RELAYING, "svcb-addresses", NONE, \
	    "passed on, with addresses of its targets added") \
	X(STALE, RELAYING, "stale", STALE, "upstream fails or is late: an expired entry") \
	X(STALE_NXDOMAIN, RELAYING, "stale-nxdomain", STALE_NXDOMAIN, \
	    "upstream fails or is late: an expired entry says that it does not exist") \
	X(NATIVE, REAL, "native", NONE, "it has AAAA") \
	X(NATIVE_FILTERED, REAL, "native-filtered", NONE, \
	    "it has AAAA, of which exclude-aaaa leaves some out") \
	X(NXDOMAIN, REAL, "nxdomain", NONE, "it does not exist") \
	X(SYNTH_NO_AAAA, SYNTHESIZING, "synth-no-aaaa", SYNTHESIZED, "it has no AAAA") \
	X(SYNTH_EXCLUDED, SYNTHESIZING, "synth-aaaa-excluded", SYNTHESIZED, \
	    "exclude-aaaa leaves out all its AAAA") \
	X(SYNTH_FAILED, SYNTHESIZING, "synth-aaaa-failed", SYNTHESIZED, \
	    "the question for AAAA failed") \
	X(SYNTH_TIMEOUT, SYNTHESIZING, "synth-aaaa-timeout", SYNTHESIZED, "AAAA are late") \
	X(SYNTH_IGNORED, SYNTHESIZING, "synth-aaaa-ignored", SYNTHESIZED, \
	    "it is in a zone of ignore-aaaa") \
	X(SYNTH_ALWAYS, SYNTHESIZING, "synth-always", SYNTHESIZED, \
	    "synthesize always holds for this client") \
	X(SYNTH_STALE, SYNTHESIZING, "synth-stale", STALE, \
	    "made from an expired entry, as upstream fails or is late") \
	X(NO_A, NOT_MAKING, "no-a", NONE, "it has no AAAA and no A") \
	X(A_NXDOMAIN, NOT_MAKING, "a-nxdomain", NONE, \
	    "it has no AAAA, and upstream says for A that it does not exist") \
	X(A_EXCLUDED, NOT_MAKING, "a-excluded", OTHER, \
	    "its IPv4 addresses may not be mapped (exclude-a, map, or special addresses)") \
	X(A_PRIVATE, NOT_MAKING, "a-private", OTHER, \
	    "its IPv4 addresses are not global, so 64:ff9b::/96 may not map them (RFC 6052)") \
	X(A_UNMAPPED, NOT_MAKING, "a-unmapped", OTHER, \
	    "the prefix that map has for its IPv4 addresses is not active") \
	X(A_FAILED, NOT_MAKING, "a-failed", NONE, "it has no AAAA, and A could not be had") \
	X(NO_PREFIX, NOT_MAKING, "no-prefix", OTHER, "no NAT64 prefix is active") \
	X(NOT_ON_NODATA, NOT_MAKING, "not-on-nodata", NONE, \
	    "it has no AAAA, which synthesize-on leaves so") \
	X(ZONE_NEVER, NOT_MAKING, "never-synthesize", OTHER, \
	    "it is in a zone of never-synthesize") \
	X(CLIENT_NEVER, NOT_MAKING, "client-never", NONE, \
	    "synthesize never holds for this client") \
	X(CLIENT_FAMILY, NOT_MAKING, "client-family", NONE, \
	    "dns64-for leaves out clients of this family") \
	X(VALIDATES, NOT_MAKING, "client-validates", NONE, \
	    "the client validates itself (DO and CD)") \
	X(REVERSE, REVERSING, "reverse", NONE, "PTR of the IPv4 address") \
	X(REVERSE_NONE, REVERSING, "reverse-none", NONE, "the IPv4 address has no PTR") \
	X(HIDDEN_A, HIDING, "hidden-a", FILTERED, "hide-a leaves out its A") \
	X(REVERSE_NAME, LOCAL, "reverse-name", NONE, \
	    "PTR under a prefix that is answered with one name") \
	X(REVERSE_EMPTY, LOCAL, "reverse-empty", NONE, \
	    "a name under a prefix that is no IPv4 address, or not asked for PTR") \
	X(IPV4ONLY, LOCAL, "ipv4only", NONE, "ipv4only.arpa tells the prefixes (RFC 8880)") \
	X(RESOLVER, LOCAL, "resolver-arpa", NONE, "resolver.arpa is about this server") \
	X(LOCALHOST, LOCAL, "localhost", NONE, "localhost is this machine (RFC 6761)") \
	X(INVALID, LOCAL, "invalid", NONE, \
	    "invalid, onion and alt have no names (RFC 6761, 7686)") \
	X(LOCAL_ZONE, LOCAL, "local-zone", NONE, "a zone that is local (RFC 6303)") \
	X(VERSION, LOCAL, "version", NONE, "version.bind is configured") \
	X(SERVER_ID, LOCAL, "server-id", NONE, "id.server is configured") \
	X(HEALTH, LOCAL, "health", NONE, "it is health-name, and the daemon is ready") \
	X(NOT_READY, LOCAL, "not-ready", NOT_READY, \
	    "it is health-name, and the daemon is not ready") \
	X(COOKIE_ALONE, LOCAL, "cookie-alone", NONE, "only a cookie was asked for (RFC 7873)") \
	X(DENIED, REFUSING, "denied", PROHIBITED, "this client may not ask (allow)") \
	X(DENIED_NETWORK, REFUSING, "denied-network", PROHIBITED, \
	    "this client is in a network that may not ask (deny)") \
	X(DENIED_OPERATOR, REFUSING, "denied-operator", PROHIBITED, \
	    "the operator denies this client's network for now (dns64ctl deny)") \
	X(REFUSED_TYPE, REFUSING, "refused-type", NONE, "a type that is not served, as AXFR") \
	X(REFUSED_CHAOS, REFUSING, "refused-chaos", NONE, "nothing of that name in class CH") \
	X(NO_RECURSION, REFUSING, "no-recursion", NOT_AUTHORITATIVE, \
	    "RD is not set, and the cache does not have it") \
	X(FORMERR, REFUSING, "malformed", NONE, "the question is malformed") \
	X(NOTIMP, REFUSING, "opcode", NONE, "another opcode than QUERY") \
	X(BADVERS, REFUSING, "edns-version", NONE, "an unknown version of EDNS") \
	X(RATE_LIMITED, LIMITING, "rate-limited", NONE, "beyond rate-limit: come by TCP") \
	X(AMPLIFIED, LIMITING, "amplification", NONE, "beyond max-amplification: come by TCP") \
	X(SAME_QUESTION, LIMITING, "same-question", NONE, "beyond max-same-question: come by TCP") \
	X(SILENT, FAILING, "silent", NO_REACHABLE_AUTHORITY, "no upstream replied in time") \
	X(OUTAGE, FAILING, "outage", NO_REACHABLE_AUTHORITY, \
	    "no upstream replied a short while ago") \
	X(STALE_FAILED, FAILING, "stale-failed", STALE, \
	    "upstream fails, and an expired entry does not suffice") \
	X(UPSTREAM_ERROR, FAILING, "upstream-error", NONE, "every upstream gave an error") \
	X(UPSTREAM_FAILED, FAILING, "upstream-failed", NETWORK_ERROR, \
	    "upstreams gave only errors, or replies that are of no use") \
	X(AAAA_FAILED, FAILING, "aaaa-failed", NETWORK_ERROR, \
	    "AAAA could not be had, and A gave nothing to map") \
	X(BOGUS, FAILING, "bogus", NONE, "upstream says that the data does not validate") \
	X(BOGUS_FOUND, FAILING, "bogus-found", BOGUS, \
	    "more questions showed that the data does not validate") \
	X(BUDGET, FAILING, "budget", OTHER, "too many questions upstream for this one") \
	X(NO_ROOM, FAILING, "no-room", OTHER, "no room for this question") \
	X(GAVE_WAY, FAILING, "gave-way", OTHER, \
	    "no room for so many questions, this one gave way") \
	X(CEILING, FAILING, "ceiling", OTHER, \
	    "too many questions of this client network are waiting") \
	X(CEILING_SAME, FAILING, "ceiling-same", OTHER, \
	    "too many of this client network are waiting for the same") \
	X(CEILING_UPSTREAM, FAILING, "ceiling-upstream", OTHER, \
	    "no upstream may have more questions now") \
	X(DROP_SHORT, DROPPING, "drop-short", NONE, "the message has less than a header") \
	X(DROP_RESPONSE, DROPPING, "drop-response", NONE, "the message is a response") \
	X(DROP_LARGE, DROPPING, "drop-large", NONE, "the datagram is larger than any question") \
	X(DROP_PROXY, DROPPING, "drop-proxy", NONE, \
	    "its PROXY header is missing, malformed or not permitted") \
	X(DROP_LATE, DROPPING, "drop-late", NONE, "it waited too long to be read, dropped unread") \
	X(DROP_RATE, DROPPING, "drop-rate-limit", NONE, "beyond rate-limit") \
	X(DROP_DENIED, DROPPING, "drop-denied", NONE, \
	    "the client is in a network that gets no answer (deny)") \
	X(DROP_OPERATOR, DROPPING, "drop-operator", NONE, \
	    "the operator has the client's network get no answer for now (dns64ctl deny)") \
	X(DROP_FULL, DROPPING, "drop-no-room", NONE, "all query objects are in use")

enum reason {
#define REASON_VALUE(value, kind, name, ede, text) REASON_##value,
	REASON_TABLE(REASON_VALUE)
#undef REASON_VALUE
	    REASON_N
};

struct reason_row {
	const char *name; /* of letters, digits and "-"; stable */
	const char *text; /* plain English, no final stop */
	uint16_t ede;     /* info code (RFC 8914), DNS_EDE_NONE */
	uint8_t kind;     /* enum reason_kind */
};

extern const struct reason_row reason_rows[REASON_N];
extern const uint16_t reason_edes[REASON_N]; /* a column of them, for every answer */

/* reason_row: the row of R. */
MUST_USE static inline const struct reason_row *
reason_row(enum reason r)
{
	return &reason_rows[r];
}

/* reason_ede: the info code of R's extended error (RFC 8914), DNS_EDE_NONE. */
MUST_USE static inline uint16_t
reason_ede(enum reason r)
{
	return reason_edes[r];
}

/* reason_kind_name: the name of a kind, as stable as those of reasons: "relayed", "synthesized". */
MUST_USE const char *reason_kind_name(enum reason_kind kind);

/* reason_source: where an answer for R comes from. WAITED: it waited for upstream. */
MUST_USE enum reason_source reason_source(enum reason r, bool waited);

/* reason_source_name: the name of a source, as stable: "cache", "local", "upstream". */
MUST_USE const char *reason_source_name(enum reason_source source);

/*
 * reason_stale: the reason of an answer with RCODE that would have R, but rests on a stale entry.
 */
MUST_USE enum reason reason_stale(enum reason r, uint16_t rcode);

#endif
