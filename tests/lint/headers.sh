#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# headers: each header compiles alone, and twice in a row.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0
for file in src/*/*.h src/*/*/*.h; do
	header=${file#src/}
	# shellcheck disable=SC2086 # both may hold several words
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		${CC:-cc} -std=c11 -D_GNU_SOURCE -Isrc ${CPPFLAGS:-} -Wall -Wextra -Werror \
			-fsyntax-only -x c - || {
		echo "$file: does not compile alone"
		status=1
	}
done
exit $status
