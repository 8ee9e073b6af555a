/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_CONFFILE_H
#define DNS64D_CONFIG_CONFFILE_H

/*
 * conffile: from the text of a configuration to settings.
 *
 * Lines of `keyword value...`; # and // begin comments; a line may end in CR LF. Those of a client
 * block stand between `client NETWORK... {` and `}`. All that is
 * wrong is told to a struct diag, and reading goes on. Nothing here looks at the machine:
 * that is complete's part.
 */

#include <stddef.h>

#include "config/diag.h"
#include "config/settings.h"

#define CONFFILE_LINE 1024 /* room for a line, with the final zero */

/*
 * conffile_parse: LEN bytes at TEXT to *s, all of which is overwritten; what TEXT does not say gets
 * its default. *s is of use only if D counts no errors afterwards, and is the caller's to
 * settings_fini whatever there was.
 */
void conffile_parse(const char *text, size_t len, struct settings *s, struct diag *d);

/* conffile_read: the same with the file at PATH. D's file should be that name. */
void conffile_read(const char *path, struct settings *s, struct diag *d);

#endif
