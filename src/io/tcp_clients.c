/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/tcp_clients.h"

#include <assert.h>

#define LOOK_CLASSES 16 /* classes that are searched for a network that yields */
#define LOOK_NETS 16    /* networks of one class that are searched for an idle connection */
#define LOOK_CLIENTS 16 /* and addresses of one network */

int
tcp_clients_init(struct tcp_clients *p, uint32_t cap, uint64_t seed)
{
	return fair_init(&p->fair, seed, cap > 0 ? cap : 1);
}

void
tcp_clients_fini(struct tcp_clients *p)
{
	fair_fini(&p->fair);
}

void
tcp_clients_take(struct tcp_clients *p, const struct netaddr *addr, struct fair_place *seat)
{
	const struct fair_terms terms = { .scarce = true };
	enum fair_verdict verdict = fair_enter(&p->fair, addr, &terms, seat);

	assert(verdict == FAIR_WELCOME);
	(void)verdict;
}

void
tcp_clients_seat(struct tcp_clients *p, struct fair_place *seat, bool busy)
{
	fair_touch(&p->fair, seat, busy ? FAIR_BUSY : FAIR_WAITING);
}

void
tcp_clients_give(struct tcp_clients *p, struct fair_place *seat)
{
	fair_leave(&p->fair, seat);
}

unsigned
tcp_clients_full(struct tcp_clients *p, const struct netaddr *addr, uint32_t most)
{
	struct fair_nets nets;

	fair_find(&p->fair, addr, &nets);
	for (unsigned i = 0; i < NETADDR_LEVELS; i++) {
		const struct fair_net *net = nets.at[i];

		if (net != NULL && net->n >> net->doublings >= most)
			return fair_bits(net);
	}
	return 0;
}

static struct fair_place *
first_of(const struct fair_client *c, enum fair_list list)
{
	const struct list *head = &c->own.of[list];

	return list_empty(head) ? NULL : LIST_OBJECT(head->next, struct fair_place, link);
}

/* The first on LIST of the clients of NET that has one; NULL. */
static struct fair_place *
first_in(const struct fair_net *net, enum fair_list list)
{
	struct fair_place *found = NULL;
	struct list *link = net->of[0].next;

	if (net->level == 0)
		return first_of(fair_member(net), list);
	for (unsigned i = 0; i < LOOK_CLIENTS && link != &net->of[0] && found == NULL; i++) {
		found = first_of(fair_client_at(net, link), list);
		link = link->next;
	}
	return found;
}

struct fair_place *
tcp_clients_idlest(struct tcp_clients *p, const struct netaddr *addr, unsigned bits)
{
	struct fair_place *found = NULL;
	struct fair_nets nets;

	fair_find(&p->fair, addr, &nets);
	for (unsigned i = 0; i < NETADDR_LEVELS && found == NULL; i++) {
		if (nets.at[i] != NULL && (bits == 0 || bits == fair_bits(nets.at[i])))
			found = first_in(nets.at[i], FAIR_WAITING);
	}
	return found;
}

/* The weight of the heaviest network in OWN that C is not in. */
static uint32_t
weight_beside(const struct fair_nets *own, const struct fair_client *c)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < NETADDR_LEVELS; i++) {
		const struct fair_net *net = own->at[i];

		if (net != NULL && !fair_net_in(c, net) && fair_weight(net) > most)
			most = fair_weight(net);
	}
	return most;
}

/* Is NET one of OWN? */
static bool
is_own(const struct fair_nets *own, const struct fair_net *net)
{
	return own->at[net->level] == net;
}

/*
 * The connection of NET that gives way to one of the networks OWN, *BUSY: with questions open;
 * NULL.
 */
static struct fair_place *
yielding_of(const struct fair_net *net, const struct fair_nets *own, bool *busy)
{
	struct fair_place *seat = first_in(net, FAIR_WAITING);
	uint32_t weight;

	*busy = seat == NULL;
	if (is_own(own, net))
		return NULL;
	if (*busy)
		seat = first_in(net, FAIR_BUSY);
	if (seat == NULL)
		return NULL;
	weight = weight_beside(own, seat->client);
	if (*busy)
		weight += fair_weigh(1, 0) + fair_weigh(1, net->doublings) - 1;
	return fair_weight(net) > weight ? seat : NULL;
}

/* The connection of a network of CLASS that gives way, an idle one if there is one; NULL. */
static struct fair_place *
yielding_in(struct tcp_clients *p, unsigned class, const struct fair_nets *own)
{
	struct list *head = &p->fair.classes[class], *link = head->next;
	struct fair_place *found = NULL;
	bool busy = true;

	for (unsigned i = 0; i < LOOK_NETS && link != head && busy; i++, link = link->next) {
		const struct fair_net *net = LIST_OBJECT(link, struct fair_net, link);
		struct fair_place *seat = yielding_of(net, own, &busy);

		busy = busy || seat == NULL;
		if (seat != NULL && (found == NULL || !busy))
			found = seat;
	}
	return found;
}

struct fair_place *
tcp_clients_yielding(struct tcp_clients *p, const struct netaddr *addr)
{
	struct fair_place *seat = NULL;
	unsigned class = FAIR_CLASSES;
	struct fair_nets own;

	fair_find(&p->fair, addr, &own);
	for (unsigned i = 0; i < LOOK_CLASSES && seat == NULL; i++) {
		class = fair_below(&p->fair, class);
		if (class == FAIR_NONE)
			break;
		seat = yielding_in(p, class, &own);
	}
	return seat;
}
