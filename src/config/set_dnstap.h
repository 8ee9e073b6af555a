/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_DNSTAP_H
#define DNS64D_CONFIG_SET_DNSTAP_H

/* set_dnstap: parse the values of dnstap's keywords, as the functions of config/set.h do. */

#include "config/diag.h"
#include "config/keyword.h"
#include "config/settings.h"

#define SET_DNSTAP_PATH 107 /* characters of the longest path of a socket (unix(7)) */

/* set_dnstap_socket: none, or a path, which a build without dnstap does not take. */
keyword_parse set_dnstap_socket;

/* set_dnstap_messages: all, or one or several types of messages. */
keyword_parse set_dnstap_messages;

#endif
