#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# size: the budgets of the source: 80 lines a function, 500 lines a file.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
ctags --version 2>/dev/null | grep -q 'Universal Ctags' || {
	echo "no Universal Ctags (Debian: universal-ctags)"
	exit 77
}

long_files=$(wc -l src/*/*.[ch] src/*/*/*.[ch] | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, more than 500" }')
[ -z "$long_files" ] || echo "$long_files"

ctags --languages=C --langmap=C:.c.h --kinds-C=f -x --_xformat='%n %{end} %N %F' src/*/*.[ch] src/*/*/*.[ch] |
	awk '{ print $2 - $1 + 1, $3, $4 }' | sort -n | awk '
	{ lines[NR] = $1 }
	$1 > 80 { print $3 ": " $2 " has " $1 " lines, more than 80"; long++ }
	END {
		if (NR == 0) { print "no function found"; exit 1 }
		print NR " functions: median " lines[int((NR + 1) / 2)] ", p90 " lines[int(NR * 0.9 + 0.999)] \
		    ", max " lines[NR] " lines"
		exit long > 0
	}' || exit 1
[ -z "$long_files" ]
