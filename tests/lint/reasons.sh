#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# reasons: every reason of core/reason.h is given somewhere in src/, and some test has it; the manual
# lists those that answers can have.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

rows=$(sed -n 's/^[[:space:]]*X(\([A-Z_0-9]*\), [A-Z_]*, "\([a-z0-9-]*\)",.*/\1 \2/p' src/core/reason.h)
[ "$(echo "$rows" | wc -l)" -ge 60 ] || {
	echo "src/core/reason.h: no rows found"
	exit 1
}

echo "$rows" | {
	status=0
	while read -r value name; do
		grep -rqw --include='*.c' "REASON_$value" src/core src/engine src/policy src/io || {
			echo "src/core/reason.h: nobody gives REASON_$value"
			status=1
		}
		grep -rqE --include='*.scn' "(reason=|counter )$name( |\$)" tests/scenarios ||
			grep -rqw --include='check_*.c' "REASON_$value" tests || {
			echo "tests: none has the reason $name"
			status=1
		}
		case $name in
		drop-*) ;;
		*)
			grep -qx "\.It Li $name" man/dns64d.conf.5.in || {
				echo "man/dns64d.conf.5.in: the reason $name is missing"
				status=1
			}
			;;
		esac
	done
	exit $status
}
