#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# listed: Makefile.am names every source and script, so a tarball has them all.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0
for file in src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/support/*.sh tests/lint/*.sh tests/system/* \
	man/*.[158] man/*.in etc/dns64d.conf etc/init.d/* contrib/* contrib/*/*; do
	[ -f "$file" ] || continue
	case $file in *.o | *.a | *.log | *.trs | *.gc??) continue ;; esac
	# A test program is listed without its suffix: its one source has its name.
	case $file in
	tests/*/check_*.c | tests/fuzz/fuzz_*.c | tests/measure/bench_*.c) file=${file%.c} ;;
	esac
	# By its name, or with its directory.
	grep -qE "(^|[[:space:]])($file|${file%/*})([[:space:]]|\$)" Makefile.am || {
		echo "Makefile.am: $file is missing"
		status=1
	}
done
exit $status
