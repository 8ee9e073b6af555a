/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_RESOLVCONF_H
#define DNS64D_CONFIG_RESOLVCONF_H

/*
 * resolvconf: read the nameservers of resolv.conf(5), for the keyword nameserver defaults.
 */

#include <stddef.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define RESOLVCONF_PATH "/etc/resolv.conf"

/*
 * resolvconf_parse: write the addresses of the nameserver lines in the LEN bytes at TEXT to OUT,
 * with port 53, the first CAP in their order. Lines that are not understood are skipped, as
 * resolvers do. Returns how many were written.
 */
MUST_USE size_t resolvconf_parse(const char *text, size_t len, struct netaddr *out, size_t cap);

/* resolvconf_read: the same for the file at PATH; *n is how many. Returns 0 or -errno. */
MUST_USE int resolvconf_read(const char *path, struct netaddr *out, size_t cap, size_t *n);

#endif
