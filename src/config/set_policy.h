/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_POLICY_H
#define DNS64D_CONFIG_SET_POLICY_H

/*
 * set_policy: parsers of the keywords about clients but those in config/set_prefix, into
 * config/policy_lines, and of other keywords whose values are names.
 */

#include "config/keyword.h"

keyword_parse set_client; /* opens a block, which conffile closes at its } */
keyword_parse set_allow;
keyword_parse set_deny;
keyword_parse set_web_allow;
keyword_parse set_proxy_protocol;
keyword_parse set_web_name;
keyword_parse set_rate_exempt;

keyword_parse set_triggers;
keyword_parse set_ede;
keyword_parse set_never_synthesize;
keyword_parse set_ignore_aaaa;
keyword_parse set_reverse;
keyword_parse set_health_name;

#endif
