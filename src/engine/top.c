/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/top.h"

#include <stdlib.h>
#include <string.h>

#include "dns/name.h"
#include "dns/proto.h"

#define NETWORK_BYTES 8 /* of the prefix that one IPv6 host may choose its addresses in */

_Static_assert(TOP_FAILURE_NAME + DNS_NAME_MAX <= HEAVY_KEY, "it is the longest key");

struct top_counts *
top_counts_new(uint64_t seed)
{
	struct top_counts *c = calloc(1, sizeof(*c));

	if (c != NULL)
		heavy_init(&c->heavy, seed);
	return c;
}

static void
look(struct top *t)
{
	t->on = false;
	for (unsigned i = 0; i < TOP_KINDS; i++)
		t->on |= t->by[i] != NULL;
}

void
top_read(struct top *t, enum top_kind kind, struct top_counts **c, uint64_t now_ns)
{
	struct top_counts *counts = t->by[kind];

	if (counts != NULL) {
		memcpy(*c, counts, sizeof(*counts));
	} else {
		counts = t->by[kind] = *c;
		*c = NULL;
		counts->began_ns = now_ns;
	}
	counts->read_ns = now_ns;
	look(t);
}

void
top_age(struct top *t, uint64_t now_ns)
{
	for (unsigned i = 0; i < TOP_KINDS; i++) {
		if (t->by[i] == NULL || now_ns - t->by[i]->read_ns < TOP_LAST_NS)
			continue;
		free(t->by[i]);
		t->by[i] = NULL;
	}
	look(t);
}

static bool
is_failure(const struct top_answer *a)
{
	return reason_row(a->reason)->kind == REASON_FAILING || a->rcode == DNS_SERVFAIL;
}

static void
count_client(struct top *t, const struct netaddr *client)
{
	struct netaddr addr = *client;
	struct netaddr net;

	addr.port = 0;
	if (t->by[TOP_CLIENTS] != NULL)
		heavy_add(&t->by[TOP_CLIENTS]->heavy, &addr, sizeof(addr));
	if (t->by[TOP_NETWORKS] == NULL || client->family != NETADDR_IPV6)
		return;
	net = netaddr_network(client, NETWORK_BYTES);
	heavy_add(&t->by[TOP_NETWORKS]->heavy, &net, sizeof(net));
}

void
top_count(struct top *t, const struct top_answer *a)
{
	uint8_t key[TOP_FAILURE_NAME + DNS_NAME_MAX] = {
		[TOP_FAILURE_REASON] = (uint8_t)a->reason, [TOP_FAILURE_RCODE] = a->rcode
	};

	count_client(t, a->client);
	if (a->qname_len == 0)
		return;
	name_lower(key + TOP_FAILURE_NAME, a->qname, a->qname_len);
	if (t->by[TOP_NAMES] != NULL)
		heavy_add(&t->by[TOP_NAMES]->heavy, key + TOP_FAILURE_NAME, a->qname_len);
	if (t->by[TOP_FAILURES] != NULL && is_failure(a))
		heavy_add(&t->by[TOP_FAILURES]->heavy, key, TOP_FAILURE_NAME + a->qname_len);
}

void
top_fini(struct top *t)
{
	for (unsigned i = 0; i < TOP_KINDS; i++)
		free(t->by[i]);
	*t = (struct top){ .on = false };
}
