/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_SHOW_H
#define DNS64D_DNS64CTL_SHOW_H

/*
 * show: the daemon's answers as tables for people. What is not in an answer is left out: it may be
 * of another version.
 */

#include <jansson.h>
#include <stdio.h>

/* show_ping: "pong". */
void show_ping(const json_t *j, FILE *out);

/* show_error: the error of an answer J that is one, and what is allowed instead. */
void show_error(const json_t *j, FILE *out);

#endif
