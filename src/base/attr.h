/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_ATTR_H
#define DNS64D_BASE_ATTR_H

/*
 * attr: names for the compiler attributes that this code uses, so that each
 * stands in one place. Open to every room.
 */

/* The caller must look at the result. */
#define MUST_USE __attribute__((warn_unused_result))

/* printf-like: FMT is the number of the format's parameter, ARGS of the first argument. */
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* A hint for branches that network traffic in order never takes. */
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
