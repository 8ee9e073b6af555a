/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/transport.h"

#define ROW(id, name, title, reliable, proven, whole, sealed, padded, dnstap) \
	[TRANSPORT_##id] = { name, title, reliable, proven, whole, sealed, padded, dnstap },
const struct transport_traits transport_traits[TRANSPORTS] = { TRANSPORT_ROWS(ROW) };
