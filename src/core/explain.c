/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/explain.h"

#include "base/log.h"
#include "dns/name.h"

void
explain(const struct query *q)
{
	const struct reason_row *why = reason_row((enum reason)q->reason);
	struct netaddr client = q->peer;
	char name[NAME_TEXT], peer[NETADDR_TEXT];

	if (!log_debugs(LOG_DNS64) || q->qtype != DNS_TYPE_AAAA || q->qname_len == 0 ||
	    why->kind == REASON_SYNTHESIZING)
		return;
	client.port = 0;
	log_debug(LOG_DNS64, "%s for %s: %s", name_to_text(q->qname, name),
	    netaddr_format(&client, peer), why->text);
}

const char *
explain_state(enum query_state state)
{
	static const char *const names[] = { [QUERY_RELAY] = "relay",
		[QUERY_AAAA] = "aaaa",
		[QUERY_A] = "a",
		[QUERY_TARGET] = "target",
		[QUERY_NATIVE] = "native",
		[QUERY_HIDDEN] = "hidden",
		[QUERY_SVCB] = "svcb",
		[QUERY_REVERSE] = "reverse",
		[QUERY_LOCAL] = "local" };

	return names[state];
}

const char *
explain_outcome(enum lookup_outcome outcome)
{
	static const char *const names[] = { [LOOKUP_REPLY] = "reply",
		[LOOKUP_TRUNCATED] = "truncated",
		[LOOKUP_ERROR] = "error",
		[LOOKUP_BOGUS] = "bogus",
		[LOOKUP_SILENT] = "silent",
		[LOOKUP_NO_ROOM] = "no-room" };

	return names[outcome];
}
