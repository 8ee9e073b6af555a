/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/access.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/netaddr.h"
#include "base/netmap.h"
#include "config/hostaddr.h"
#include "config/policy_lines.h"
#include "config/values.h"

#define N_ACCESSES (POLICY_IGNORED + 1)

#define LIST_TEXT 360 /* bytes of the networks in a notice; the rest is "..." */

static const struct net loopback[] = { { { [15] = 1 }, 128, NETADDR_IPV6 },
	{ { 127 }, 8, NETADDR_IPV4 } };
static const struct net link_local[] = { { { 0xfe, 0x80 }, 10, NETADDR_IPV6 },
	{ { 169, 254 }, 16, NETADDR_IPV4 } };
static const struct net private_nets[] = { { { 10 }, 8, NETADDR_IPV4 },
	{ { 172, 16 }, 12, NETADDR_IPV4 }, { { 192, 168 }, 16, NETADDR_IPV4 },
	{ { 0xfc }, 7, NETADDR_IPV6 } };

/* A network of so few bits is a good part of the Internet, as 2000::/3. */
#define OPEN_LEN 3

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* --- who may ask if nothing is said ----------------------------------------------------------- */

static bool
is_private(const struct netaddr *a)
{
	for (size_t i = 0; i < N_OF(private_nets); i++) {
		if (private_nets[i].family == a->family && net_holds(&private_nets[i], a->addr))
			return true;
	}
	return false;
}

/* May the networks of an interface with this address ask? */
static bool
counts(const struct hostaddr *h, const struct netaddr *listens, size_t n)
{
	bool any = is_private(&h->addr);

	for (size_t l = 0; l < n && !any; l++)
		any = hostaddr_is(h, &listens[l]);
	return any;
}

/* May the network of OF ask? What has a label of its own is as an interface of its own. */
static bool
interface_counts(
    const struct array *all, const struct hostaddr *of, const struct netaddr *listens, size_t n)
{
	const struct hostaddr *h = all->items;

	for (size_t i = 0; i < all->n; i++) {
		if (h[i].index == of->index && strcmp(h[i].label, of->label) == 0 &&
		    counts(&h[i], listens, n))
			return true;
	}
	return false;
}

static void
cut(struct net *net, unsigned len)
{
	net->len = (uint8_t)len;
	for (unsigned i = 0; i < sizeof(net->addr); i++) {
		unsigned bits = len > i * 8 ? len - i * 8 : 0;

		if (bits < 8)
			net->addr[i] &= (uint8_t)(0xff00U >> bits);
	}
}

/* Append a network to OUT, unless it is inside one that is there. */
static bool
append(struct array *out, const struct net *net)
{
	const struct policy_lines_net *there = out->items;
	struct policy_lines_net *new;

	for (size_t i = 0; i < out->n; i++) {
		if (there[i].net.family == net->family && there[i].net.len <= net->len &&
		    net_holds(&there[i].net, net->addr))
			return true;
	}
	new = array_add(out, sizeof(*new));
	if (new == NULL)
		return false;
	new->net = *net;
	return true;
}

bool
access_usual(const struct array *all, const struct netaddr *listens, size_t n, struct array *out)
{
	const struct hostaddr *h = all->items;
	bool ok = true;

	for (size_t i = 0; i < N_OF(loopback); i++)
		ok = ok && append(out, &loopback[i]) && append(out, &link_local[i]);
	for (size_t i = 0; i < all->n && ok; i++) {
		struct net net = { .family = h[i].addr.family };

		/* A length of 0 would admit every client. */
		if (h[i].prefix_len == 0 || !interface_counts(all, &h[i], listens, n))
			continue;
		memcpy(net.addr, h[i].addr.addr, sizeof(net.addr));
		cut(&net, h[i].prefix_len);
		ok = append(out, &net);
	}
	return ok;
}

/* --- the map ---------------------------------------------------------------------------------- */

struct filling {
	const struct settings *s;
	struct diag *d;
	struct policies *ps;
	bool said;            /* there is an allow line */
	struct netmap blocks; /* network to policy */
	struct netmap access; /* network to access_value */
};

/* What becomes of a network's clients, and the line by which, in one value. */
static uint32_t
access_value(enum policy_access access, unsigned line)
{
	return line * N_ACCESSES + access;
}

/* The value of the longest network in M that contains NET, or is NET. */
static uint32_t
around(const struct netmap *m, const struct net *net, uint32_t fallback)
{
	struct net wider = *net;

	for (unsigned len = net->len + 1U; len-- > 0;) {
		uint32_t value;

		cut(&wider, len);
		value = netmap_get(m, &wider, UINT32_MAX);
		if (value != UINT32_MAX)
			return value;
	}
	return fallback;
}

static bool
add_blocks(struct filling *f)
{
	char text[VALUE_NET_TEXT], line[DIAG_LINE];

	for (size_t b = 1; b < f->s->policy_lines->all.n; b++) {
		const struct policy_lines *lines = policy_lines_at(f->s->policy_lines, b);
		const struct policy_lines_net *n = lines->nets.items;

		for (size_t i = 0; i < lines->nets.n; i++) {
			int rc = netmap_add(&f->blocks, &n[i].net, (uint32_t)b);

			if (rc == -ENOMEM)
				return false;
			if (rc == 0)
				continue;
			size_t other = netmap_get(&f->blocks, &n[i].net, 0);
			diag_error(f->d, n[i].line, "client",
			    "'%s' is %s at %s already; a network is in one block",
			    value_net_format(&n[i].net, text), other == b ? "here," : "there,",
			    diag_line(f->d, policy_lines_at(f->s->policy_lines, other)->line,
				n[i].line, line));
		}
	}
	return true;
}

/* A list of networks that one keyword names, and what becomes of their clients. */
struct access_list {
	const struct array *nets; /* struct policy_lines_net */
	const char *keyword;
	enum policy_access access;
};

#define LISTS 3

/* The lists of F; networks that are there without a line are last, and say nothing of others. */
static void
lists_of(const struct filling *f, struct access_list lists[static LISTS])
{
	const struct policy_lines_list *l = f->s->policy_lines;

	lists[0] = (struct access_list){ &l->deny, "deny", POLICY_DENIED };
	lists[1] = (struct access_list){ &l->ignore, "deny", POLICY_IGNORED };
	lists[2] = (struct access_list){ f->said ? &l->allow : &l->usual, "allow", POLICY_SERVED };
}

/* A network may be named once, by whatever keyword: say at N, of KEYWORD, where it is already. */
static void
tell_twice(const struct filling *f, const char *keyword, const struct policy_lines_net *n)
{
	struct access_list lists[LISTS];
	char text[VALUE_NET_TEXT], line[DIAG_LINE];

	lists_of(f, lists);
	for (size_t i = 0; i < LISTS && f->d->n_errors <= DIAG_MAX_ERRORS; i++) {
		const struct policy_lines_net *other = lists[i].nets->items;

		for (size_t k = 0; k < lists[i].nets->n; k++) {
			if (&other[k] == n || memcmp(&other[k].net, &n->net, sizeof(n->net)) != 0)
				continue;
			diag_line(f->d, other[k].line, n->line, line);
			if (strcmp(keyword, lists[i].keyword) == 0)
				diag_error(f->d, n->line, keyword, "'%s' is at %s already",
				    value_net_format(&n->net, text), line);
			else
				diag_error(f->d, n->line, keyword,
				    "'%s' is said of %s at %s already",
				    value_net_format(&n->net, text), lists[i].keyword, line);
			return;
		}
	}
}

static bool
add_list(struct filling *f, const struct access_list *l)
{
	const struct policy_lines_net *n = l->nets->items;

	for (size_t i = 0; i < l->nets->n; i++) {
		int rc = netmap_add(&f->access, &n[i].net, access_value(l->access, n[i].line));

		if (rc == -ENOMEM)
			return false;
		/* What a line says goes before what is usual. */
		if (rc == -EEXIST && n[i].line > 0)
			tell_twice(f, l->keyword, &n[i]);
	}
	return true;
}

static bool
add_access(struct filling *f)
{
	struct access_list lists[LISTS];
	bool ok = true;

	lists_of(f, lists);
	for (size_t i = 0; i < LISTS && ok; i++)
		ok = add_list(f, &lists[i]);
	/* The machine itself may always ask. */
	for (size_t i = 0; i < N_OF(loopback) && ok; i++)
		ok = netmap_set(&f->access, &loopback[i], access_value(POLICY_SERVED, 0)) == 0;
	return ok;
}

/* What becomes of clients in no network that is named, as an access_value. */
static uint32_t
others(const struct policy_lines_list *l)
{
	if (l->allow_any > 0)
		return access_value(POLICY_SERVED, l->allow_any);
	if (l->deny_any > 0)
		return access_value(l->ignore_any ? POLICY_IGNORED : POLICY_DENIED, l->deny_any);
	return access_value(POLICY_STRANGER, 0);
}

static struct policies_client
client_of(uint32_t policy, uint32_t access)
{
	return (struct policies_client){ .policy = (uint16_t)policy,
		.access = (uint8_t)(access % N_ACCESSES),
		.line = access / N_ACCESSES };
}

/* Put NET into the map of clients, with what the longest networks around it say. */
static bool
put(struct filling *f, const struct net *net)
{
	uint32_t policy = around(&f->blocks, net, 0);
	uint32_t access = around(&f->access, net, others(f->s->policy_lines));
	struct policies_client c = client_of(policy, access);

	return policies_add_client(f->ps, net, &c) == 0;
}

static bool
put_all(struct filling *f, const struct array *nets)
{
	const struct policy_lines_net *n = nets->items;
	bool ok = true;

	for (size_t i = 0; i < nets->n && ok; i++)
		ok = put(f, &n[i].net);
	return ok;
}

/* Put both kinds of networks into one map. */
static bool
join(struct filling *f)
{
	const struct policy_lines_list *l = f->s->policy_lines;
	struct access_list lists[LISTS];
	bool ok = true, open = l->allow_any > 0;

	f->ps->common.kinds[0] = client_of(0, others(l));
	lists_of(f, lists);
	for (size_t b = 1; b < l->all.n && ok; b++)
		ok = put_all(f, &policy_lines_at(l, b)->nets);
	for (size_t i = 0; i < LISTS && ok; i++)
		ok = put_all(f, lists[i].nets);
	/* If all may ask, and no network is named, the empty map says so without a search. */
	for (size_t i = 0; i < N_OF(loopback) && ok && (f->ps->common.clients.n > 0 || !open); i++)
		ok = put(f, &loopback[i]);
	f->ps->common.ignores = l->ignore.n > 0 || l->ignore_any;
	return ok;
}

static bool
fill_exempt(const struct filling *f)
{
	const struct array *list = &f->s->policy_lines->exempt;
	const struct policy_lines_net *n = list->items;
	bool ok = true;

	for (size_t i = 0; i < list->n && ok; i++)
		ok = netmap_set(&f->ps->common.exempt, &n[i].net, 1) == 0;
	return ok;
}

/* A notice who may ask, if the daemon listens beyond this machine without an allow line. */
static void
tell_usual(const struct filling *f)
{
	const struct array *usual = &f->s->policy_lines->usual;
	const struct policy_lines_net *n = usual->items;
	char list[LIST_TEXT], text[VALUE_NET_TEXT];
	size_t len = 0;
	bool beyond = false;

	for (size_t i = 0; i < f->s->conf.io.n_listens; i++)
		beyond = beyond || !netaddr_is_loopback(&f->s->conf.io.listens[i]);
	if (!beyond)
		return;
	for (size_t i = 0; i < usual->n; i++) {
		value_net_format(&n[i].net, text);
		if (len + strlen(text) + sizeof(", ...") >= sizeof(list)) {
			snprintf(list + len, sizeof(list) - len, ", ...");
			break;
		}
		len += (size_t)snprintf(
		    list + len, sizeof(list) - len, "%s%s", i > 0 ? ", " : "", text);
	}
	diag_notice(f->d, 0, "allow", "no such line, so these may ask, and no others: %s", list);
}

static bool
find_usual(struct filling *f)
{
	const struct conf_io *c = &f->s->conf.io;
	struct array all = { .n = 0 };
	int rc = hostaddr_list(&all);
	bool ok;

	/* Those of a list that changes all the while are better than none. */
	if (rc != 0 && rc != -EAGAIN)
		diag_warning(
		    f->d, 0, "allow", "the interfaces' networks cannot be seen: %s", strerror(-rc));
	ok = access_usual(&all, c->listens, c->n_listens, &f->s->policy_lines->usual);
	array_fini(&all);
	if (ok)
		tell_usual(f);
	return ok;
}

bool
access_fill(struct policies *ps, const struct settings *s, struct diag *d)
{
	struct policy_lines_list *list = s->policy_lines;
	struct filling f = {
		.s = s, .d = d, .ps = ps, .said = list->allow.n > 0 || list->allow_any > 0
	};
	bool ok = true;

	netmap_init(&f.blocks);
	netmap_init(&f.access);
	if (!f.said && list->usual.n == 0)
		ok = find_usual(&f);
	ok = ok && add_blocks(&f) && add_access(&f) && join(&f) && fill_exempt(&f);
	netmap_fini(&f.blocks);
	netmap_fini(&f.access);
	return ok;
}

/* --- an open resolver ------------------------------------------------------------------------- */

/* Can clients from elsewhere on the Internet reach the address A, as far as it shows? */
static bool
is_public(const struct netaddr *a)
{
	static const struct net shared = { { 100, 64 }, 10, NETADDR_IPV4 };

	if (netaddr_is_wildcard(a))
		return true;
	for (size_t i = 0; i < N_OF(link_local); i++) {
		if (link_local[i].family == a->family && net_holds(&link_local[i], a->addr))
			return false;
	}
	return !netaddr_is_loopback(a) && !is_private(a) &&
	    !(a->family == shared.family && net_holds(&shared, a->addr));
}

/* The line by which about anybody may ask at A; 0: there is none. */
static unsigned
open_line(const struct policy_lines_list *l, const struct netaddr *a)
{
	const struct policy_lines_net *n = l->allow.items;

	for (size_t i = 0; i < l->allow.n; i++) {
		if (n[i].net.len <= OPEN_LEN && n[i].net.family == a->family)
			return n[i].line;
	}
	return l->allow_any;
}

void
access_warn_open(const struct settings *s, struct diag *d)
{
	const struct conf_io *io = &s->conf.io;
	char text[NETADDR_TEXT];

	if (s->conf.core.rate.limit > 0 && !s->conf.core.rate.dry_run)
		return;
	for (size_t i = 0; i < io->n_listens; i++) {
		unsigned line = open_line(s->policy_lines, &io->listens[i]);

		if (line == 0 || !is_public(&io->listens[i]))
			continue;
		diag_warning(d, line, "allow",
		    "this is an open resolver at %s: whoever reaches it may ask, and forged "
		    "questions make it flood others; allow the networks of your clients only, or "
		    "set rate-limit",
		    netaddr_format(&io->listens[i], text));
		return;
	}
}
