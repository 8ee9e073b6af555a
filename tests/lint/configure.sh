#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# configure: README lists what configure can be told, all of it and nothing else.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

temp=$(mktemp -d) || exit 99
trap 'rm -rf "$temp"' EXIT
# AC_ARG_WITH([systemd], [AS_HELP_STRING([--with-systemd@<:@=DIR@:>@], ...
sed -n 's/^AC_ARG_\(ENABLE\|WITH\)(\[\([a-z]*\)\], \[AS_HELP_STRING(\[\(--[a-z-]*\).*/\3/p' configure.ac |
	sort >"$temp/configure"
# "    --with-systemd[=DIR]     ..."; --without-x and --with-x are one option.
sed -n 's/^    \(--[a-z-]*\)[[ ].*/\1/p' README | grep -v '^--without-' | sort >"$temp/readme"
[ -s "$temp/configure" ] || {
	echo "configure.ac: no option found"
	exit 1
}
diff "$temp/configure" "$temp/readme" >"$temp/diff" && exit
echo "configure.ac (<) and README (>) differ:"
cat "$temp/diff"
exit 1
