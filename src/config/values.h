/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_VALUES_H
#define DNS64D_CONFIG_VALUES_H

/*
 * values: read single words of a configuration. If a word is not what a function reads, the
 * function returns false and leaves the result untouched.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"

/* value_number: a decimal number from MIN to MAX, digits only. */
MUST_USE bool value_number(const char *text, uint32_t min, uint32_t max, uint32_t *n);

/*
 * value_seconds: seconds with up to six decimals, "2.5", from MIN_MS to MAX_MS. The result is in
 * milliseconds, rounded down.
 */
MUST_USE bool value_seconds(const char *text, uint32_t min_ms, uint32_t max_ms, uint32_t *ms);

/*
 * value_size: a number of bytes, of KiB with k, MiB with m or GiB with g behind it; from MIN to MAX
 * bytes.
 */
MUST_USE bool value_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes);

/* value_range: "N" or "N-M" with MIN <= N <= M <= MAX; range[0] is N, range[1] M, or N too. */
MUST_USE bool value_range(const char *text, uint32_t min, uint32_t max, uint32_t range[static 2]);

/* value_hex: exactly 2 * LEN hex digits, LEN bytes, to OUT. */
MUST_USE bool value_hex(const char *text, uint8_t *out, size_t len);

/* value_cpus: a list as in cpuset(7), "0-3,8", of CPUs below CPU_SETSIZE. */
MUST_USE bool value_cpus(const char *text, cpu_set_t *cpus);

enum value_net_verdict {
	VALUE_NET_OK,
	VALUE_NET_BAD, /* not an address, a slash and a length from 0 to 32 or 128 */
	/* bits are set behind the length; the result is the network without them */
	VALUE_NET_HOST_BITS,
};

/* value_net: "2001:db8::/32", "192.0.2.0/24", or an address, for a network of only that. */
MUST_USE enum value_net_verdict value_net(const char *text, struct net *net);

/* Bytes of the longest text of value_net_format, with the final zero. */
#define VALUE_NET_TEXT 52

/* value_net_format: write "2001:db8::/32" to TEXT; returns TEXT. */
char *value_net_format(const struct net *net, char text[static VALUE_NET_TEXT]);

#endif
