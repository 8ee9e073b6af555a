#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# options: what fakedns -h, dns64ctl -h, dns64bench -h and the commands of dns64bench-report list and what their
# manual pages list is the same.
set -u
src=${TOP_SRCDIR:-.}
build=${TOP_BUILDDIR:-.}

temp=$(mktemp -d) || exit 99
trap 'rm -rf "$temp"' EXIT

# compare PROGRAM PAGE: are they the same?
compare()
{
	"$build/$1" -h >"$temp/help" || exit 99
	# "  -p, --port PORT  ..." and "      --ttl SECONDS  ..."
	sed -n 's/^  \(-.\), \(--[a-z0-9-]*\).*/\1 \2/p; s/^      \(--[a-z0-9-]*\) .*/\1/p' "$temp/help" |
		sort >"$temp/in-help"
	# ".It Fl p , -port Ar port" and ".It Fl -ttl Ar seconds"
	sed -n 's/^\.It Fl \([A-Za-z]\) , -\([a-z0-9-]*\).*/-\1 --\2/p
		s/^\.It Fl -\([a-z0-9-]*\).*/--\1/p' "$src/$2" | sort >"$temp/in-page"
	[ -s "$temp/in-help" ] || {
		echo "$1 -h lists no option"
		return 1
	}
	diff "$temp/in-help" "$temp/in-page" >"$temp/diff" && return
	echo "$1 -h (<) and $2 (>) differ:"
	cat "$temp/diff"
	return 1
}

status=0
compare fakedns man/fakedns.8 || status=1
compare dns64ctl man/dns64ctl.8.in || status=1
# Not there in a build without it.
[ ! -x "$build/dns64bench" ] || compare dns64bench man/dns64bench.1 || status=1

# "  -o FILE, --output FILE  ..." or "  --json FILE  ..." of each command, and the page's as above.
if command -v python3 >/dev/null; then
	report=$src/src/bench/dns64bench-report
	for command in table compare plot page hdr run; do
		python3 "$report" $command -h | sed -n 's/^  \(-.\) .*, \(--[a-z][a-z-]*\).*/\1 \2/p; s/^  \(--[a-z][a-z-]*\).*/\1/p'
	done | sort -u >"$temp/in-help"
	sed -n 's/^\.It Fl \([a-z]\) , -\([a-z-]*\).*/-\1 --\2/p; s/^\.It Fl -\([a-z-]*\).*/--\1/p' \
		"$src/man/dns64bench-report.1" | sort >"$temp/in-page"
	diff "$temp/in-help" "$temp/in-page" >"$temp/diff" || {
		echo "the commands of dns64bench-report (<) and man/dns64bench-report.1 (>) differ:"
		cat "$temp/diff"
		status=1
	}
fi
exit $status
