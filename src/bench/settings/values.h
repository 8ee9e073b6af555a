/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_VALUES_H
#define DNS64D_BENCH_SETTINGS_VALUES_H

/*
 * bench_values: read the values of options from their texts. Pure. All functions return false for a
 * text that is no such value; what they fill in is then unspecified.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/load.h"

/* bench_values_real: a decimal number from MIN to MAX, with or without a point, but no exponent. */
MUST_USE bool bench_values_real(const char *text, double min, double max, double *v);

/*
 * bench_values_network: an IPv4 network as "10.0.0.0/8", without bits behind the prefix length.
 * *base is its first address, in host order, *size the number of its addresses.
 */
MUST_USE bool bench_values_network(const char *text, uint32_t *base, uint64_t *size);

/* bench_values_range: "FIRST-LAST", both with the same number of digits, up to BENCH_DIGITS_MAX. */
MUST_USE bool bench_values_range(const char *text, struct bench_range *r);

/*
 * bench_values_steps: "1,2,4" or "1-20/2" (from 1 to 20 by 2): numbers from 1 to MAX, at most CAP
 * of them, to LIST; *n is how many.
 */
MUST_USE bool bench_values_steps(
    const char *text, unsigned max, unsigned *list, size_t cap, size_t *n);

/* bench_values_endpoint: an address as "ADDR" or "ADDR#PORT"; without a port of its own PORT. */
MUST_USE bool bench_values_endpoint(const char *text, uint16_t port, struct netaddr *a);

#endif
