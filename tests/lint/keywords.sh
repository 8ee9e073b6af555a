#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# keywords: every keyword of the configuration is in the manual and in the sample.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

# A row of the table begins with { .name = "keyword",
keywords=$(sed -n 's/^[[:space:]]*{[[:space:]]*\.name = "\([a-z0-9-]*\)",.*/\1/p' src/config/keywords.c)
[ -n "$keywords" ] || {
	echo "src/config/keywords.c: no keyword found"
	exit 1
}

status=0
for keyword in $keywords; do
	grep -qE "^\.It Ic $keyword( |\$)" man/dns64d.conf.5.in || {
		echo "man/dns64d.conf.5.in: $keyword is missing"
		status=1
	}
	grep -qE "^#? ?$keyword( |\$)" etc/dns64d.conf || {
		echo "etc/dns64d.conf: $keyword is missing"
		status=1
	}
done
exit $status
