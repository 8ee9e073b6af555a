/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/transport.h"

const struct transport_traits transport_traits[TRANSPORTS] = {
	[TRANSPORT_UDP] = { .name = "udp", .title = "UDP", .whole = false, .proven = false },
	[TRANSPORT_TCP] = { .name = "tcp", .title = "TCP", .whole = true, .proven = true },
};
