/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_CLIENTS_H
#define DNS64D_BENCH_LOAD_CLIENTS_H

/*
 * bench_clients: the addresses that questions come from: those of networks that this machine need
 * not have on any interface, but for a local route.
 *
 * Lanes take the networks in turn, and in each of them addresses that are far apart: the k-th has
 * the bits of k in reverse. So few lanes are in different networks already, whatever length a
 * server goes by in its limits. An IPv6 network shorter than /64 gives another /64 each time, with
 * the interface identifier 1, as long as it has any.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define BENCH_NETWORKS_MAX 32
#define BENCH_CLIENTS_ERROR 256

struct bench_network {
	struct netaddr first; /* its port is 0 */
	unsigned len;         /* of the prefix, in bits */
};

struct bench_clients {
	unsigned n;                                       /* 0: the system chooses the address */
	struct bench_network network[BENCH_NETWORKS_MAX]; /* all of one family */
};

/* Longest text of a network, with its zero. */
#define BENCH_NETWORK_TEXT (NETADDR_TEXT + 5)

/*
 * bench_network_parse: "192.0.2.0/24" or "2001:db8::/48", without bits behind the length, to *w.
 * False: TEXT is no such network.
 */
MUST_USE bool bench_network_parse(const char *text, struct bench_network *w);

/* bench_clients_parse: the same of addresses that clients can have. */
MUST_USE bool bench_clients_parse(const char *text, struct bench_network *w);

/* bench_clients_format: the text of W, to TEXT; returns TEXT. */
char *bench_clients_format(const struct bench_network *w, char text[static BENCH_NETWORK_TEXT]);

/*
 * bench_clients_address: the address of lane K, counted from 0; of family NETADDR_NONE if the
 * system is to choose it. First and last address of a network are left out, if it has others; lanes
 * beyond the number of addresses begin again.
 */
MUST_USE struct netaddr bench_clients_address(const struct bench_clients *c, uint64_t k);

/* bench_clients_count: how many different addresses N lanes have; 0 without networks. */
MUST_USE uint64_t bench_clients_count(const struct bench_clients *c, uint64_t n);

/* bench_clients_permit: let the socket FD be bound to any address, if SOURCE is one of ours. */
void bench_clients_permit(int fd, const struct netaddr *source);

/* bench_clients_bind: bind the socket FD to SOURCE, unless that is of NETADDR_NONE. 0 or -errno. */
MUST_USE int bench_clients_bind(int fd, const struct netaddr *source);

/*
 * bench_clients_check: does what is sent to the networks come to this machine? That is tried with a
 * datagram from and to some addresses of each. False, with what is to be done in ERROR, if not.
 */
MUST_USE bool bench_clients_check(
    const struct bench_clients *c, char error[static BENCH_CLIENTS_ERROR]);

#endif
