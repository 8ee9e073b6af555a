#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shell: every shell script, and what others source, passes shellcheck.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
command -v shellcheck >/dev/null || {
	echo "no shellcheck"
	exit 77
}

find contrib etc tests .ci -type f 2>/dev/null | sort | {
	status=0
	while read -r file; do
		head -n 3 "$file" | tr -d '\000' | grep -qE '^#(! ?/(usr/)?bin/(env )?(ba)?sh| shellcheck shell=)' || continue
		# SC2317 takes what a trap calls for unreachable.
		shellcheck -x -P SCRIPTDIR -e SC2317 "$file" || status=1
	done
	exit $status
}
