/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/explain.h"

#include "dns/name.h"

void
explain_write(const struct query *q, const char *why)
{
	struct netaddr client = q->peer;
	char name[NAME_TEXT], peer[NETADDR_TEXT];

	client.port = 0;
	log_debug("synth", "%s for %s: %s", name_to_text(q->qname, name),
	    netaddr_format(&client, peer), why);
}
