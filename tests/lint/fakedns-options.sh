#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fakedns-options: fakedns -h and the manual page list the same options.
set -u
page=${TOP_SRCDIR:-.}/man/fakedns.8
fakedns=${TOP_BUILDDIR:-.}/fakedns

temp=$(mktemp -d) || exit 99
trap 'rm -rf "$temp"' EXIT

"$fakedns" -h >"$temp/help" || exit 99
# "  -p, --port PORT  ..." and "      --ttl SECONDS  ..."
sed -n 's/^  \(-.\), \(--[a-z0-9-]*\).*/\1\n\2/p; s/^      \(--[a-z0-9-]*\) .*/\1/p' "$temp/help" |
	sort >"$temp/in-help"
# ".It Fl p , -port Ar port" and ".It Fl -ttl Ar seconds"
sed -n 's/^\.It Fl \([A-Za-z]\) , -\([a-z0-9-]*\).*/-\1\n--\2/p; s/^\.It Fl -\([a-z0-9-]*\).*/--\1/p' \
	"$page" | sort >"$temp/in-page"
[ -s "$temp/in-help" ] || {
	echo "fakedns -h lists no option"
	exit 1
}
diff "$temp/in-help" "$temp/in-page" >"$temp/diff" && exit 0
echo "fakedns -h (<) and man/fakedns.8 (>) differ:"
cat "$temp/diff"
exit 1
