#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# circles: units do not include each other in a circle. A unit is x.c and x.h together.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

# Those that there may be. In and out of io go through the shell: it has them all as members, and
# they call each other through it.
allowed="\
io/listener io/session io/shell io/upstream_set io/upstream_tcp io/upstream_udp"

# Each circle in a line, its units in order.
circles()
{
	grep -H '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src/*/*.[ch] src/*/*/*.[ch] |
		sed 's/^src\/\(.*\)\.[ch]:.*"\(.*\)\.h".*/\1 \2/' | sort -u | awk '
	$1 != $2 { includes[$1] = includes[$1] " " $2 }
	# All that unit START includes, itself or through others.
	function reach(start, unit, n, i, todo, list, k) {
		todo[n = 1] = start
		while (n > 0) {
			k = split(includes[todo[n--]], list)
			for (i = 1; i <= k; i++)
				if (!((start, list[i]) in reaches)) {
					reaches[start, list[i]]
					todo[++n] = list[i]
				}
		}
	}
	END {
		for (unit in includes)
			reach(unit)
		for (unit in includes)
			if ((unit, unit) in reaches)
				for (other in includes)
					if ((unit, other) in reaches && (other, unit) in reaches)
						print unit, other
	}' | sort | awk '
	{ circle[$1] = circle[$1] (circle[$1] == "" ? "" : " ") $2 }
	END { for (unit in circle) print circle[unit] }' | sort -u
}

found=$(circles)
status=0
new=$(printf '%s\n' "$found" | grep -vxF "$allowed")
if [ -n "$new" ]; then
	printf '%s\n' "$new" | sed 's/^/a circle of includes: /'
	status=1
fi
gone=$(printf '%s\n' "$allowed" | grep -vxF "$found")
if [ -n "$gone" ]; then
	printf '%s\n' "$gone" | sed 's/^/no circle any more, take it off the list: /'
	status=1
fi
exit $status
