#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# handbook: its pages are sound, what they name is there (keywords, commands of dns64ctl, metrics, files of
# this tree), and the site that "make doc" makes of them has no link that leads nowhere.
set -u
build=$(cd "${TOP_BUILDDIR:-.}" && pwd)
cd "${TOP_SRCDIR:-.}" || exit 99
command -v mandoc >/dev/null || {
	echo "no mandoc"
	exit 77
}
mandoc -T lint -W warning contrib/handbook/*.7 || exit 1

# tell FILE WHAT NAME: it is not there
tell()
{
	echo "$1: $2 $3 is not there"
	echo "$1" >>"$found"
}
found=$(mktemp)
commands=$(mktemp)
site=$(mktemp -d)
trap 'rm -rf "$found" "$commands" "$site"' EXIT
"$build/dns64ctl" --print-commands | cut -f 1 >"$commands"

for page in contrib/handbook/*.7; do
	sed -n 's/^\.Ic \([a-z0-9-]*\).*/\1/p; s/^\.Pq.* Ic \([a-z0-9-]*\).*/\1/p' "$page" | sort -u | while read -r keyword; do
		grep -qE "^\.It Ic $keyword( |\$)" man/dns64d.conf.5.in || tell "$page" keyword "$keyword"
	done
	grep -ho 'dns64ctl [a-z][a-z-]*\( [a-z][a-z-]*\)\{0,1\}' "$page" | sort -u | while read -r _ first second; do
		grep -qxE "$first( $second)?" "$commands" || tell "$page" 'command dns64ctl' "$first $second"
	done
	grep -ho 'dns64d_[a-z_]*[a-z]' "$page" | sort -u | while read -r metric; do
		name=${metric#dns64d_} name=${name%_total}
		grep -rqE --include="*.c" "\"(dns64d_)?$name\"|OF_UPSTREAM\(\"${name#upstream_}\"|OF_CACHE\(\"${name#cache_}\"" src/figures || grep -qE "X\($name," src/core/stats.h ||
			tell "$page" metric "$metric"
	done
	grep -hoE '(contrib|tests|etc)/[a-zA-Z0-9_./-]*[a-zA-Z0-9]' "$page" | grep -v '^etc/dns64d/\|^etc/[a-z]*/[a-z]*\.conf\|^etc/totd' | sort -u | while read -r file; do
		[ -e "$file" ] || tell "$page" file "$file"
	done
done

contrib/handbook/build "$site" man/dns64bench.1 man/dns64bench-report.1 man/fakedns.8 contrib/handbook/*.7 >/dev/null || exit 1
for page in "$site"/*.html; do
	grep -o 'href="[^"#:]*"' "$page" | cut -d '"' -f 2 | sort -u | while read -r link; do
		[ -e "$site/$link" ] || tell "${page##*/}" page "$link"
	done
	! grep -nE 'src="?http|<link[^>]*http|@import|<script' "$page" || tell "${page##*/}" 'something is loaded:' "$page"
done
[ ! -s "$found" ]
