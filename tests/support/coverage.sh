#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# coverage SRCDIR: after "make check" of a build with --enable-coverage, lines reached in each
# file and room. The rooms that are pure must reach 95 %.
set -u
srcdir=$1
notes=$(find src -name '*.gcno')
[ -n "$notes" ] || {
	echo "configure with --enable-coverage first"
	exit 1
}
# shellcheck disable=SC2086 # a list of files
${GCOV:-gcov} -n -r -s "$srcdir" $notes 2>/dev/null | awk '
	/^File / { file = $2; gsub(/\047/, "", file); sub(/^.*src\//, "src/", file) }
	/^Lines executed:/ && file ~ /^src\/.*\.c$/ {
		split($0, f, /[:% ]+/)
		percent = f[3]; lines = f[5]
		printf "%6.1f %% of %5d  %s\n", percent, lines, file
		split(file, path, "/")
		total[path[2]] += lines; reached[path[2]] += lines * percent / 100
		file = ""
	}
	END {
		for (room in total) {
			percent = 100 * reached[room] / total[room]
			low = room ~ /^(dns|dns64|core|policy|outbound|engine)$/ && percent < 95
			printf "%6.1f %% of %5d  %s%s\n", percent, total[room], room, low ? "  (under 95 %)" : ""
			bad += low
		}
		exit bad > 0
	}'
