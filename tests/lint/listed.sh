#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# listed: Makefile.am names every source and script, so a tarball has them all; git has no file that
# something makes.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0
for file in src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/support/*.sh tests/support/driver tests/support/summary tests/lint/*.sh tests/lint/*.py \
	tests/migrate/*.py tests/contrib/*.sh tests/system/* \
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

# Nothing that .gitignore names is in git. A tarball, or a copy of the tree, has no git to ask.
made=$([ ! -e .git ] || git -c safe.directory='*' ls-files --cached --ignored --exclude-standard 2>/dev/null)
[ -z "$made" ] || {
	printf '%s\n' "$made" | sed 's/$/: is generated, and git has it/'
	status=1
}
exit $status
