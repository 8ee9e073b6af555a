/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_PREFIX_FILE_H
#define DNS64D_CONFIG_PREFIX_FILE_H

/*
 * prefix_file: the file that dns64ctl saves prefixes in (keyword prefix-file).
 *
 * It has lines of dns64-prefix, outside of blocks and in client blocks, each named by one of its
 * networks. What it has of a block replaces what the configuration says of the prefixes there; what
 * it has of one that is not there any more is skipped.
 */

#include <sys/types.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/policy_lines.h"
#include "config/settings.h"

/*
 * prefix_file_read: let what the file at PATH has replace the prefixes of S, which was read from
 * the configuration. USER: the daemon's, whose file it may be (base/ownfile). A file that does not
 * exist has nothing. Errors go to D, with PATH in place of d->file.
 */
void prefix_file_read(const char *path, uid_t user, struct settings *s, struct diag *d);

/*
 * prefix_file_text: the file that has the saved prefixes of all blocks in LIST; its length, without
 * the final zero, goes to *LEN. Returns it, the caller's; NULL without memory.
 */
MUST_USE char *prefix_file_text(const struct policy_lines_list *list, size_t *len);

/* prefix_file_number: that text was written; set the lines of all saved prefixes in LIST. */
void prefix_file_number(struct policy_lines_list *list);

#endif
