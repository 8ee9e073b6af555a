/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_RESOLVCONF_H
#define DNS64D_CONFIG_RESOLVCONF_H

/*
 * resolvconf: the nameservers of resolv.conf(5), for `nameserver defaults`.
 */

#include <stddef.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define RESOLVCONF_PATH "/etc/resolv.conf"

/*
 * resolvconf_parse: the addresses of the nameserver lines in LEN bytes at TEXT, with port 53, in
 * their order to OUT, CAP at most. Lines that are not understood are passed over, as resolvers do.
 * Returns how many there are.
 */
MUST_USE size_t resolvconf_parse(const char *text, size_t len, struct netaddr *out, size_t cap);

/* resolvconf_read: the same with the file at PATH; *n is how many. Returns 0 or -errno. */
MUST_USE int resolvconf_read(const char *path, struct netaddr *out, size_t cap, size_t *n);

#endif
