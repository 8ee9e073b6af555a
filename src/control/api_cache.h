/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_CACHE_H
#define DNS64D_CONTROL_API_CACHE_H

/*
 * api_cache: what is in the cache, and what is to be thrown out of it. The handlers want a struct
 * control_ctx. Without a cache they answer 422.
 *
 * Flushes take a JSON object: {"name": NAME, "type": TYPE}.
 */

#include "control/http.h"

/* api_cache_stats: how many entries, bytes, evictions. */
http_handler api_cache_stats;

/*
 * api_cache_lookup: the entries of the name in the query ("?name=NAME&type=TYPE", TYPE optional).
 */
http_handler api_cache_lookup;

/* api_cache_save: write cache-file. */
http_handler api_cache_save;

/* api_flush_all: empty the cache. */
http_handler api_flush_all;

/* api_flush_name: remove the entries of a name. */
http_handler api_flush_name;

/* api_flush_below: remove those of a name and of all names below it. */
http_handler api_flush_below;

/* api_flush_type: remove those of a name and type. */
http_handler api_flush_type;

#endif
