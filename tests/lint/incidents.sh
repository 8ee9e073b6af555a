#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# incidents: each line of tests/INCIDENTS has a test that is there and names the incident.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0 n=0
while read -r id test what; do
	case $id in '' | '#'*) continue ;; esac
	n=$((n + 1))
	name=${test#*:}
	case $test in
	*.scn) file=tests/scenarios/$test ;;
	*.sh) file=tests/system/$test ;;
	*:*) file=tests/${test%%:*}.c ;;
	*) file=none ;;
	esac
	if [ -z "$what" ] || ! [ -f "$file" ]; then
		echo "tests/INCIDENTS: $id: no test $test"
		status=1
		continue
	fi
	grep -qF -- "$id" "$file" || {
		echo "$file: does not name $id"
		status=1
	}
	[ "$name" = "$test" ] || grep -qE "^START_TEST\($name\)" "$file" || {
		echo "$file: no test $name"
		status=1
	}
done <tests/INCIDENTS
[ "$n" -gt 0 ] || {
	echo "tests/INCIDENTS: no incident"
	exit 1
}
exit $status
