/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/clients.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/number.h"
#include "dns/wire.h"

#define CHECKED 16   /* addresses of a network */
#define CHECK_MS 500 /* for a datagram that does not leave this machine */

/* --- Networks --------------------------------------------------------------------------------- */

static unsigned
bits_of(const struct netaddr *a)
{
	return a->family == NETADDR_IPV4 ? 32 : 128;
}

static bool
bits_behind(const struct bench_network *w)
{
	for (unsigned i = w->len; i < bits_of(&w->first); i++) {
		if ((w->first.addr[i / 8] & 0x80 >> i % 8) != 0)
			return true;
	}
	return false;
}

bool
bench_network_parse(const char *text, struct bench_network *w)
{
	const char *slash = strchr(text, '/');
	char addr[NETADDR_TEXT];
	uint64_t len;

	if (slash == NULL || slash - text >= (ptrdiff_t)sizeof(addr))
		return false;
	memcpy(addr, text, (size_t)(slash - text));
	addr[slash - text] = '\0';
	if (!netaddr_parse(addr, 0, &w->first) ||
	    !number_parse(slash + 1, strlen(slash + 1), bits_of(&w->first), &len))
		return false;
	w->len = (unsigned)len;
	return !bits_behind(w);
}

bool
bench_clients_parse(const char *text, struct bench_network *w)
{
	return bench_network_parse(text, w) && !netaddr_lacks_scope(&w->first) &&
	    w->first.scope == 0 && !netaddr_is_group(&w->first);
}

char *
bench_clients_format(const struct bench_network *w, char text[static BENCH_NETWORK_TEXT])
{
	char addr[NETADDR_TEXT];

	(void)snprintf(text, BENCH_NETWORK_TEXT, "%s/%u", netaddr_format(&w->first, addr), w->len);
	return text;
}

/* --- Addresses -------------------------------------------------------------------------------- */

/* Which bits of an address vary: N of them, up to 64, that end before bit END. */
struct part {
	unsigned n;
	unsigned end;
	bool networks; /* /64s, each with an identifier of its own */
};

static struct part
part_of(const struct bench_network *w)
{
	unsigned bits = bits_of(&w->first);

	if (bits == 128 && w->len < 64)
		return (struct part){ 64 - w->len, 64, true };
	return (struct part){ bits - w->len, bits, false };
}

/* How many different values the part takes; UINT64_MAX: as many or more. */
static uint64_t
values_of(const struct part *p)
{
	if (p->n >= 64)
		return UINT64_MAX;
	uint64_t all = UINT64_C(1) << p->n;
	return p->networks || p->n < 2 ? all : all - 2;
}

/* Value K of the part: its bits in reverse, all 0 and all 1 left out of single addresses. */
static uint64_t
spread(const struct part *p, uint64_t k)
{
	uint64_t v = 0;

	k %= values_of(p);
	k += !p->networks && p->n >= 2;
	for (unsigned i = 0; i < p->n; i++, k >>= 1)
		v = v << 1 | (k & 1);
	return v;
}

/* Set the N bits of ADDR that end before bit END, which are 0, to those of V. */
static void
set_bits(uint8_t *addr, unsigned end, unsigned n, uint64_t v)
{
	for (; n > 0; n--, v >>= 1) {
		end--;
		addr[end / 8] |= (uint8_t)((v & 1) << (7 - end % 8));
	}
}

struct netaddr
bench_clients_address(const struct bench_clients *c, uint64_t k)
{
	struct netaddr a = { .family = NETADDR_NONE };

	if (c->n == 0)
		return a;
	const struct bench_network *w = &c->network[k % c->n];
	struct part p = part_of(w);

	k /= c->n;
	a = w->first;
	set_bits(a.addr, p.end, p.n, spread(&p, k));
	if (p.networks)
		set_bits(a.addr, 128, 64, 1 + k / values_of(&p));
	return a;
}

uint64_t
bench_clients_count(const struct bench_clients *c, uint64_t n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < c->n; i++) {
		struct part p = part_of(&c->network[i]);
		uint64_t lanes = n / c->n + (i < n % c->n), values = values_of(&p);

		sum += p.networks || lanes < values ? lanes : values;
	}
	return sum;
}

/* --- Sockets ---------------------------------------------------------------------------------- */

void
bench_clients_permit(int fd, const struct netaddr *source)
{
	int on = 1;

	if (source->family == NETADDR_IPV4)
		(void)setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof(on));
	else if (source->family == NETADDR_IPV6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on));
}

/* The port is chosen when the destination is known: other destinations may share it. */
int
bench_clients_bind(int fd, const struct netaddr *source)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(source, &ss);
	int on = 1;

	if (len == 0)
		return 0;
	bench_clients_permit(fd, source);
	(void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&ss, len) == 0 ? 0 : -errno;
}

/* Is what the socket FD sends to its own address received by it? */
static bool
hears_itself(int fd)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t byte = 0;

	return getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
	    sendto(fd, &byte, sizeof(byte), MSG_DONTWAIT, (struct sockaddr *)&own, len) == 1 &&
	    poll(&p, 1, CHECK_MS) == 1 && recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) == 1;
}

static bool
is_here(const struct netaddr *a)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(a, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool here;

	if (fd < 0)
		return false;
	bench_clients_permit(fd, a);
	here = bind(fd, (struct sockaddr *)&ss, len) == 0 && hears_itself(fd);
	(void)close(fd);
	return here;
}

/* Some addresses of network I, from all parts of it: a route may be for one part only. */
static bool
parts_are_here(const struct bench_clients *c, unsigned i)
{
	bool here = true;

	for (unsigned k = 0; k < CHECKED && here; k++) {
		struct netaddr a = bench_clients_address(c, i + (uint64_t)k * c->n);

		here = is_here(&a);
	}
	return here;
}

bool
bench_clients_check(const struct bench_clients *c, char error[static BENCH_CLIENTS_ERROR])
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct bench_network *w = &c->network[i];
		char text[BENCH_NETWORK_TEXT];

		if (parts_are_here(c, i))
			continue;
		bench_clients_format(w, text);
		(void)snprintf(error, BENCH_CLIENTS_ERROR,
		    "answers to %s would not come to this machine; root makes it so by: ip %sroute "
		    "add local %s dev lo",
		    text, w->first.family == NETADDR_IPV6 ? "-6 " : "", text);
		return false;
	}
	return true;
}
