/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_FINGERPRINT_H
#define DNS64D_BENCH_METHOD_FINGERPRINT_H

/*
 * bench_fingerprint: the settings that two searches must have in common if one is to go on where
 * the other ended.
 */

#include <jansson.h>

#include "base/attr.h"
#include "bench/settings/settings.h"

/*
 * bench_fingerprint: those of S as an object, the caller's; NULL without memory. They are all that
 * the outcome of a trial depends on: not the number of repetitions, nor where the results go.
 */
MUST_USE json_t *bench_fingerprint(const struct bench_settings *s);

#endif
