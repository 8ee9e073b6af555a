/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_FINGERPRINT_H
#define DNS64D_BENCH_METHOD_FINGERPRINT_H

/*
 * bench_fingerprint: which settings two searches must share, for one to go on where the other
 * ended.
 */

#include <jansson.h>

#include "base/attr.h"
#include "bench/settings/settings.h"

/*
 * bench_fingerprint: an object, the caller's; NULL without memory. All that has a part in a trial's
 * outcome; how often the search is repeated has none, nor where the results go.
 */
MUST_USE json_t *bench_fingerprint(const struct bench_settings *s);

#endif
