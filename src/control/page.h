/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_PAGE_H
#define DNS64D_CONTROL_PAGE_H

/*
 * page: the facts as a page for people, page.html, with its numbers as they are now. In a browser
 * that runs JavaScript page.js keeps it up to date.
 */

#include <event2/buffer.h>

#include "figures/facts.h"

/* page_write: append the page of F to OUT. */
void page_write(struct evbuffer *out, const struct facts *f);

#endif
