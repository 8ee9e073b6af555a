/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_PARSE_H
#define DNS64D_BENCH_SETTINGS_PARSE_H

/*
 * bench_parse: parsers for the rows of bench_optable, beside those of tools/cmdline. Each tells by
 * cmdline_complain what is wrong with a value. The settings are a struct bench_settings.
 */

#include "tools/cmdline.h"

/* bench_parse_real: a number from the row's min to max, with or without a point; a double. */
cmdline_parse bench_parse_real;

/* bench_parse_timeout: the same, in seconds; the field is a uint64_t, in nanoseconds. */
cmdline_parse bench_parse_timeout;

/* bench_parse_range: "FIRST-LAST", telephone numbers; a struct bench_range. */
cmdline_parse bench_parse_range;

/* bench_parse_clients: "1,2,4" or "1-20/2"; the settings' clients and n_clients. */
cmdline_parse bench_parse_clients;

/* bench_parse_namespace: "10.0.0.0/8"; base and size of a struct bench_load. */
cmdline_parse bench_parse_namespace;

/* bench_parse_prefix: "64:ff9b::/96"; prefix of a struct bench_load, and any_prefix is false. */
cmdline_parse bench_parse_prefix;

/* bench_parse_zone: a domain name; a struct fake_zone, whose aaaa_percent stays. */
cmdline_parse bench_parse_zone;

/* bench_parse_transport: "udp" or "tcp"; a const struct bench_transport *. */
cmdline_parse bench_parse_transport;

/* bench_parse_server: an IP address; a struct netaddr, whose port stays. */
cmdline_parse bench_parse_server;

/* bench_parse_upstream: an IP address, or that, "#" and a port; a struct netaddr. */
cmdline_parse bench_parse_upstream;

#endif
