/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_CONFIGURED_H
#define DNS64D_TESTS_SUPPORT_CONFIGURED_H

/*
 * configured: what dns64d makes of lines of its configuration file (dns64d.conf(5)), for tests.
 *
 * They go the daemon's way (config/load), but for what it takes from the machine: files, and what
 * it draws by chance.
 */

#include "config/settings.h"

/*
 * Lines that stand behind those of a test, each unless the test has the same keyword. They leave
 * out chance and what most tests are not about; all else is the daemon's default.
 */
#define CONFIGURED_USUAL \
	"nameserver 192.0.2.1\n" \
	"selection-mode in-order\n" \
	"timeout-time 1\n" \
	"case-randomization no\n" \
	"upstream-cookies no\n" \
	"client-cookies no\n" \
	"max-queries 1024\n" \
	"max-amplification 0\n" \
	"cache-size 0\n" \
	"allow any\n"

/*
 * configured: read the lines TEXT into *s; the caller calls settings_fini. What is wrong is told as
 * of FILE, and ends the process.
 */
void configured(const char *file, const char *text, struct settings *s);

/* configured_policies: the policies of TEXT alone, with one reference. */
struct policies *configured_policies(const char *text);

#endif
