/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_PLAN_H
#define DNS64D_TESTS_SUPPORT_PLAN_H

/*
 * plan: policies for tests, from lines of text.
 *
 *	prefix P [active|drain|down]	suffix ADDRESS
 *	exclude NET... | exclude none	IPv6; the default set goes with none
 *	exclude-a NET... | map NET P | map NET none
 *	synthesize never|normal|always	synthesize-on [nodata] [error] [timeout]
 *	ignore-aaaa ZONE...		never-synthesize ZONE...
 *	hide-a | any-minimal | no-prefix-servfail
 *	dns64-for ipv6|ipv4		prefix-selection round-robin|client-hash
 *	max-synthesized N		reverse-local NAME	svcb resolve|off
 *	ede [relay] [synthesized] [upstream] [policy]
 *	rate-limit-factor N		rate-limit-exempt NET...
 *	client NET...			what follows, up to "end", is for those clients
 *	allow NET...			others may not ask
 *	deny NET...			these may not either
 *	deny-drop NET...		nor these, who get no answer
 *
 * A block begins as a copy of what stands outside; a list in it replaces that one (RULES D13).
 */

#include <stddef.h>

#include "base/netmap.h"
#include "core/policy.h"

/* plan_policies: a set made of N lines, with one reference; aborts on a line it cannot read. */
struct policies *plan_policies(const char *const *lines, size_t n);

/* plan_one: the same of one line. */
struct policies *plan_one(const char *line);

/* plan_net: "2001:db8::/32" or "10.0.0.0/8"; aborts on anything else. */
struct net plan_net(const char *text);

#endif
