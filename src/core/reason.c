/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/reason.h"

const struct reason_row reason_rows[REASON_N] = {
#define REASON_ROW(value, kind_, name_, ede_, text_) \
	[REASON_##value] = { \
		.name = (name_), .text = (text_), .ede = DNS_EDE_##ede_, .kind = REASON_##kind_ \
	},
	REASON_TABLE(REASON_ROW)
#undef REASON_ROW
};

const uint16_t reason_edes[REASON_N] = {
#define REASON_EDE(value, kind, name, ede, text) [REASON_##value] = DNS_EDE_##ede,
	REASON_TABLE(REASON_EDE)
#undef REASON_EDE
};

const char *
reason_kind_name(enum reason_kind kind)
{
	static const char *const names[REASON_KINDS] = { [REASON_RELAYING] = "relayed",
		[REASON_REAL] = "native",
		[REASON_SYNTHESIZING] = "synthesized",
		[REASON_NOT_MAKING] = "not-synthesized",
		[REASON_REVERSING] = "reverse",
		[REASON_HIDING] = "hidden",
		[REASON_LOCAL] = "local",
		[REASON_REFUSING] = "refused",
		[REASON_LIMITING] = "limited",
		[REASON_FAILING] = "failed",
		[REASON_DROPPING] = "dropped" };

	return names[kind];
}

enum reason_source
reason_source(enum reason r, bool waited)
{
	enum reason_kind kind = (enum reason_kind)reason_rows[r].kind;

	if (waited)
		return REASON_FROM_UPSTREAM;
	/* The failures up to this one are upstream's, and remembered. */
	if (kind <= REASON_HIDING || (kind == REASON_FAILING && r <= REASON_BOGUS_FOUND))
		return REASON_FROM_CACHE;
	return REASON_FROM_HERE;
}

const char *
reason_source_name(enum reason_source source)
{
	static const char *const names[REASON_SOURCES] = { [REASON_FROM_CACHE] = "cache",
		[REASON_FROM_HERE] = "local",
		[REASON_FROM_UPSTREAM] = "upstream" };

	return names[source];
}

enum reason
reason_stale(enum reason r, uint16_t rcode)
{
	enum reason_kind kind = (enum reason_kind)reason_rows[r].kind;

	if (kind == REASON_SYNTHESIZING)
		return REASON_SYNTH_STALE;
	if (kind == REASON_FAILING)
		return REASON_STALE_FAILED;
	if (kind > REASON_HIDING)
		return r;
	return rcode == DNS_NXDOMAIN ? REASON_STALE_NXDOMAIN : REASON_STALE;
}
