/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_CONFIGURED_H
#define DNS64D_TESTS_SUPPORT_CONFIGURED_H

/*
 * configured: what dns64d makes of lines of its configuration file (dns64d.conf(5)), for tests.
 *
 * They go the daemon's way (config/load), but read no other file and draw no random number.
 */

#include "config/settings.h"

/*
 * Defaults of the tests: each is appended to a test's lines unless these have its keyword. They
 * leave out chance and what most tests are not about; all else is the daemon's default.
 */
#define CONFIGURED_USUAL \
	"nameserver 192.0.2.1\n" \
	"selection-mode in-order\n" \
	"upstream-timeout 1\n" \
	"case-randomization no\n" \
	"upstream-cookies no\n" \
	"client-cookies no\n" \
	"max-queries 1024\n" \
	"max-amplification 0\n" \
	"cache-size 0\n" \
	"allow any\n"

/*
 * configured: read the lines TEXT into *s; the caller calls settings_fini. Errors are
 * reported for FILE and end the process.
 */
void configured(const char *file, const char *text, struct settings *s);

/* configured_policies: the policies of TEXT alone, with one reference. */
struct policies *configured_policies(const char *text);

#endif
