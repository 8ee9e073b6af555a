/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_PARAMS_H
#define DNS64D_CONTROL_PARAMS_H

/*
 * params: what a request says besides its path: texts by name, behind the "?" of GET, or in the
 * JSON object that is the body of POST.
 */

#include <event2/http.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

/*
 * params_read: the texts of R, all of whose names are those that the table of commands
 * (control/commands) has for its path and method. Returns an object, the caller's reference. NULL:
 * R said something else, and was answered with 400.
 */
MUST_USE json_t *params_read(struct evhttp_request *r);

/* params_posted: is R to change something, and not only to tell? */
MUST_USE bool params_posted(const struct evhttp_request *r);

/* params_none: does R say nothing besides its path? If it does it was answered with 400. */
MUST_USE bool params_none(struct evhttp_request *r);

/*
 * params_wipe: P, of params_read, is not needed any more and says what must not stay in memory:
 * overwrite it where R has it, and free it.
 */
void params_wipe(struct evhttp_request *r, json_t *p);

/*
 * params_missing: NAME is not in P, of params_read, which is freed: answer R with 400, and what its
 * path takes.
 */
void params_missing(struct evhttp_request *r, json_t *p, const char *name);

/* params_text: the text NAME of P, borrowed from it; NULL: it is not there. */
MUST_USE const char *params_text(const json_t *p, const char *name);

/*
 * params_name: read the domain name "name" of P to OUT, in lower case. Returns its length; 0: it is
 * missing or no name, and R was answered with 400.
 */
MUST_USE size_t params_name(
    struct evhttp_request *r, const json_t *p, uint8_t out[static DNS_NAME_MAX]);

/*
 * params_type: read the RR type "type" of P to *TYPE; 0 if it is missing and not NEEDED. False: it
 * is none, and R was answered with 400.
 */
MUST_USE bool params_type(struct evhttp_request *r, const json_t *p, bool needed, uint16_t *type);

#endif
