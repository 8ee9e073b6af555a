/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_ATTR_H
#define DNS64D_BASE_ATTR_H

/*
 * attr: names for the compiler attributes and properties that this code uses. Every room may
 * include it.
 */

/* MUST_USE: the compiler warns where a caller ignores the result. */
#define MUST_USE __attribute__((warn_unused_result))

/*
 * PRINTF_LIKE: the function takes a format of printf(3) as parameter number FMT, its arguments from
 * parameter number ARGS on; ARGS is 0 if they come as a va_list.
 */
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* UNLIKELY: X, a condition; the compiler lays out the code for it being false. */
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* WITH_ASAN, WITH_TSAN: this is a build with that sanitizer. gcc has macros for it, clang a
 * question. */
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#elif __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

#endif
