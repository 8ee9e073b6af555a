/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_EVBASE_H
#define DNS64D_IO_EVBASE_H

/*
 * evbase: a libevent base as every thread here has one.
 */

#include <event2/event.h>

#include "base/attr.h"

/*
 * evbase_new: a base without locks, as one thread uses it, which ignores the environment. NULL
 * without memory or descriptors; else the caller calls event_base_free.
 */
MUST_USE struct event_base *evbase_new(void);

#endif
