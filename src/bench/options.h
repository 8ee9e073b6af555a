/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_OPTIONS_H
#define DNS64D_BENCH_OPTIONS_H

/*
 * bench_options: the command line of dns64bench becomes settings: the table of methods and options,
 * how their values are taken from texts, and what depends on several of them. A test compares the
 * table with the manual page.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/load.h"
#include "bench/settings.h"
#include "tools/cmdline.h"

/*
 * bench_options_read: what the ARGC words of ARGV (the program's name, METHOD, OPTION...) ask for,
 * to *s, which borrows texts from them; faults are told to ERRORS, a line each. *s is complete only
 * if the task is CMDLINE_RUN.
 */
MUST_USE enum cmdline_task bench_options_read(
    int argc, char **argv, struct bench_settings *s, FILE *errors);

/* bench_options_table: the table; its fields are those of a struct bench_settings. */
MUST_USE const struct cmdline_table *bench_options_table(void);

/* bench_options_method: the name of a method; "" for a value that is none. */
MUST_USE const char *bench_options_method(enum bench_method m);

/* --- Values ----------------------------------------------------------------------------------- */

/*
 * Pure. All functions return false for a text that is no such value; what they fill in is then
 * unspecified.
 */

/* bench_options_real: a decimal number from MIN to MAX, with or without a point, but no exponent.
 */
MUST_USE bool bench_options_real(const char *text, double min, double max, double *v);

/*
 * bench_options_network: an IPv4 network as "10.0.0.0/8", without bits behind the prefix length.
 * *base is its first address, in host order, *size the number of its addresses.
 */
MUST_USE bool bench_options_network(const char *text, uint32_t *base, uint64_t *size);

/* bench_options_range: "FIRST-LAST", both with the same number of digits, up to BENCH_DIGITS_MAX.
 */
MUST_USE bool bench_options_range(const char *text, struct bench_range *r);

/*
 * bench_options_steps: "1,2,4" or "1-20/2" (from 1 to 20 by 2): numbers from 1 to MAX, at most CAP
 * of them, to LIST; *n is how many.
 */
MUST_USE bool bench_options_steps(
    const char *text, unsigned max, unsigned *list, size_t cap, size_t *n);

/* bench_options_shares: "0,20,100": percentages, at most BENCH_SHARES_MAX, no one twice. */
MUST_USE bool bench_options_shares(const char *text, struct bench_shares *shares);

/*
 * bench_options_rates: "1000,2000", or "1000-100000/20": so many from the first to the last, each
 * the same factor above the one before; from 1 to BENCH_RATE_MAX, at most CAP different ones, to
 * LIST in ascending order; *n is how many.
 */
MUST_USE bool bench_options_rates(const char *text, uint32_t *list, size_t cap, size_t *n);

/*
 * bench_options_mix: "A=40,AAAA=55,HTTPS=5": types, each once, and their weights, whole numbers
 * from 1 to 1,000,000, of which each is 1 % of all at least.
 */
MUST_USE bool bench_options_mix(const char *text, struct bench_mix *mix);

/* bench_options_endpoint: an address as "ADDR" or "ADDR#PORT"; without a port of its own PORT. */
MUST_USE bool bench_options_endpoint(const char *text, uint16_t port, struct netaddr *a);

/* --- Rows ------------------------------------------------------------------------------------- */

/*
 * Parsers for the rows of bench_options_table, beside those of tools/cmdline. Each tells by
 * cmdline_complain what is wrong with a value. The settings are a struct bench_settings.
 */

/* bench_options_take_real: a number from the row's min to max, with or without a point; a double.
 */
cmdline_parse bench_options_take_real;

/* bench_options_take_arrivals: "fixed" or "poisson"; a bool, which is true for poisson. */
cmdline_parse bench_options_take_arrivals;

/* bench_options_take_timeout: the same, in seconds; the field is a uint64_t, in nanoseconds. */
cmdline_parse bench_options_take_timeout;

/*
 * bench_options_take_start: seconds since 1970, not past and at most a day ahead; a uint64_t, in
 * nanoseconds.
 */
cmdline_parse bench_options_take_start;

/* bench_options_take_range: "FIRST-LAST", telephone numbers; a struct bench_range. */
cmdline_parse bench_options_take_range;

/* bench_options_take_clients: "1,2,4" or "1-20/2"; the settings' clients and n_clients. */
cmdline_parse bench_options_take_clients;

/*
 * bench_options_take_hits, bench_options_take_aaaa: a number up to the row's max; for matrix
 * "0,20,100", to the settings' hits and aaaa.
 */
cmdline_parse bench_options_take_hits;
cmdline_parse bench_options_take_aaaa;

/* bench_options_take_mix: as bench_options_mix; a struct bench_mix. */
cmdline_parse bench_options_take_mix;

/* bench_options_take_rates: as bench_options_rates; the settings' rates and n_rates. */
cmdline_parse bench_options_take_rates;

/* bench_options_take_clients_from: a network, one more of a struct bench_clients. */
cmdline_parse bench_options_take_clients_from;

/* bench_options_take_namespace: "10.0.0.0/8"; base and size of a struct bench_load. */
cmdline_parse bench_options_take_namespace;

/*
 * bench_options_take_prefix: "64:ff9b::/96"; prefix of a struct bench_load, and any_prefix is
 * false.
 */
cmdline_parse bench_options_take_prefix;

/* bench_options_take_popularity: "even" or "zipf:S"; a double, S, which is 0 for even. */
cmdline_parse bench_options_take_popularity;

/* bench_options_take_zone: a domain name; a struct fake_zone, whose aaaa_percent stays. */
cmdline_parse bench_options_take_zone;

/* bench_options_take_transport: "udp" or "tcp"; a const struct bench_transport *. */
cmdline_parse bench_options_take_transport;

/*
 * bench_options_take_server: an IP address; a struct netaddr, whose port stays. Or the name of a
 * host: the settings' server_name.
 */
cmdline_parse bench_options_take_server;

/* bench_options_take_upstream: an IP address, or that, "#" and a port; a struct netaddr. */
cmdline_parse bench_options_take_upstream;

#endif
