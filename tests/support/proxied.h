/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_PROXIED_H
#define DNS64D_TESTS_SUPPORT_PROXIED_H

/* proxied: headers of the PROXY protocol, version 2, as a balancer writes them. */

#include <stddef.h>
#include <stdint.h>

#define PROXIED_MAX 1100 /* bytes of the longest header here */

/*
 * proxied_header: write a header that names the client CLIENT ("192.0.2.1") with port 4000, and
 * then EXTRA bytes of TLVs, to OUT. Returns its length.
 */
size_t proxied_header(const char *client, size_t extra, uint8_t out[static PROXIED_MAX]);

/* proxied_local: write a header of the command LOCAL. Returns its length. */
size_t proxied_local(uint8_t out[static PROXIED_MAX]);

#endif
