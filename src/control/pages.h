/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_PAGES_H
#define DNS64D_CONTROL_PAGES_H

/*
 * pages: what web-listen shows of the daemon. Nothing of it changes anything. The control socket
 * has what is for programs too: metrics, health and ready. ARG of the handlers is a struct
 * control_ctx.
 */

#include "control/http.h"

http_handler pages_metrics; /* all metrics */
http_handler pages_health;  /* 200: the daemon is up */
http_handler pages_ready;   /* 200: it can do its work; 503: it cannot, and why */
http_handler pages_status;  /* the facts as JSON */
http_handler pages_page;    /* the page for people */
http_handler pages_css;     /* its style */
http_handler pages_js;      /* its script */

#endif
