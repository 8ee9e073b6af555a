/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_VALUES_H
#define DNS64D_BENCH_SETTINGS_VALUES_H

/*
 * bench_values: the values of options, read from their texts. All functions return false for a text
 * that is no such value; what they fill is then unspecified.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/load.h"

/* bench_values_real: a number from MIN to MAX, with or without a point. */
MUST_USE bool bench_values_real(const char *text, double min, double max, double *v);

/* bench_values_network: "10.0.0.0/8", no bits behind the length; *base in host order. */
MUST_USE bool bench_values_network(const char *text, uint32_t *base, uint64_t *size);

/* bench_values_range: "FIRST-LAST", both with the same number of digits, up to BENCH_DIGITS_MAX. */
MUST_USE bool bench_values_range(const char *text, struct bench_range *r);

/*
 * bench_values_steps: "1,2,4" or "1-20/2" (from 1 to 20 by 2): numbers from 1 to MAX, at most CAP
 * of them, to LIST; *n is how many.
 */
MUST_USE bool bench_values_steps(
    const char *text, unsigned max, unsigned *list, size_t cap, size_t *n);

/* bench_values_endpoint: "ADDR" or "ADDR#PORT"; without one it is PORT. */
MUST_USE bool bench_values_endpoint(const char *text, uint16_t port, struct netaddr *a);

#endif
