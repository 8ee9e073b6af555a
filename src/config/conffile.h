/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_CONFFILE_H
#define DNS64D_CONFIG_CONFFILE_H

/*
 * conffile: read the text of a configuration into settings.
 *
 * A line is `keyword value...`; # and // begin comments; a line may end in CR LF. The lines of a
 * client block stand between `client NETWORK... {` and `}`. Each error goes to a struct diag, and
 * reading goes on. Nothing here looks at the machine: see config/complete.
 *
 * An include line is replaced by the lines of the files it names, in the order of their names. They
 * may include others, INCLUDE_DEPTH deep; a file must not lead back to itself. A client block ends
 * in the file that it begins in.
 */

#include <stddef.h>

#include "config/diag.h"
#include "config/settings.h"

#define CONFFILE_LINE 1024 /* bytes of the longest line, with a final zero */

/*
 * conffile_parse: read the LEN bytes at TEXT into *s, all of which is overwritten; keywords that do
 * not occur get their defaults. Errors go to D; *s is valid only if there are none. The caller
 * calls settings_fini in any case. d->places is set to those of *s, so D must not outlive it.
 * Include lines are noted, but not followed.
 */
void conffile_parse(const char *text, size_t len, struct settings *s, struct diag *d);

/*
 * conffile_parse_prefixes: read the LEN bytes at TEXT, a prefix-file, into *s, all of which is
 * overwritten: only s->policy_lines and digests are of use. As conffile_parse otherwise.
 */
void conffile_parse_prefixes(const char *text, size_t len, struct settings *s, struct diag *d);

/*
 * conffile_read: the same for the file at PATH, which d->file should name, and those that it
 * includes. ROOT: the directory that the process is locked in, whose name absolute paths there may
 * have before; NULL: it is not.
 */
void conffile_read(const char *path, const char *root, struct settings *s, struct diag *d);

#endif
