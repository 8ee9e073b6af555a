#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# headers: each header compiles alone, and may come twice. What x.c includes first is x.h, so the build
# has compiled that alone; headers without such a unit are compiled here.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0

# guarded FILE: all of it is between #ifndef X with #define X and the #endif to it, the last line
guarded()
{
	awk '/^#/ { n++ }
		/^#[ ]*if/ { depth++ }
		/^#[ ]*endif/ { depth-- }
		is_over && NF > 0 { is_good = -1 }
		n > 1 && depth == 0 { is_over = 1 }
		n == 1 && /^#ifndef/ { name = $2 }
		n == 2 && /^#define/ && $2 == name && NF == 2 { is_good = 1 }
		n < 2 && !/^(#|\/\*| \*|$)/ { is_good = -1 }
		{ last = $0 }
		END { exit !(is_good == 1 && last == "#endif") }' "$1"
}

alone=
for file in src/*/*.h src/*/*/*.h; do
	header=${file#src/}
	guarded "$file" || {
		echo "$file: is not all between #ifndef, #define and #endif"
		status=1
	}
	unit=${file%.h}.c
	if [ ! -f "$unit" ]; then
		alone="$alone $header"
	elif [ "$(grep -m 1 '^[[:space:]]*#' "$unit")" != "#include \"$header\"" ]; then
		echo "$unit: does not include $header first"
		status=1
	fi
done
[ -n "$alone" ] || exit 99

# shellcheck disable=SC2086 # both may hold several words
for header in $alone; do
	echo "#include \"$header\"" | ${CC:-cc} -std=c11 -D_GNU_SOURCE -Isrc ${CPPFLAGS:-} -Wall -Wextra -Werror \
		-fsyntax-only -x c - || {
		echo "src/$header: does not compile alone"
		status=1
	}
done
exit $status
