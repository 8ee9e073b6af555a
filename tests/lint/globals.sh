#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# globals: no variable that can change outlives a function; all state is in objects.
# Read from the libraries themselves: whatever lies in .data, .bss or their thread-local kin.
set -u
cd "${TOP_BUILDDIR:-.}" || exit 99
command -v nm >/dev/null || exit 77

# Objects that may: the log's sink is one per process.
allowed='log\.o'

for library in src/*/lib*.a; do
	[ -f "$library" ] || exit 99
	nm -A -f sysv "$library" 2>/dev/null
done | awk -F'[|]' -v allowed="(^|[:/_-])($allowed):" '
	{ gsub(/ /, "", $7); split($1, name, /:/) }
	$7 !~ /^\.(t?data|t?bss)($|\.)/ && $7 != "*COM*" { next }
	$7 ~ /^\.data\.rel\.ro/ { next }
	$1 ~ allowed { next }
	# What sanitizers and coverage put in is not ours.
	$1 ~ /:[ ]*(__|\.L|_ZL|\.bss|\.data)/ { next }
	{ print $1 ": in " $7; n++ }
	END { exit n > 0 }'
