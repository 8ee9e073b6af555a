#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shell: every shell script, and what others source, passes shellcheck. What passed is remembered in
# the build's tests/lint/shell.passed, by checksums, and looked at again only when it changes.
set -u
passed=$(cd "${TOP_BUILDDIR:-.}" && pwd)/tests/lint/shell.passed || exit 99
cd "${TOP_SRCDIR:-.}" || exit 99
command -v shellcheck >/dev/null || {
	echo "no shellcheck"
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

find contrib etc tests .ci -type f 2>/dev/null | sort | LC_ALL=C xargs awk '
	FNR <= 3 && /^#(! ?\/(usr\/)?bin\/(env )?(ba)?sh| shellcheck shell=)/ { print FILENAME; nextfile }
	FNR == 3 { nextfile }' >"$work/scripts"
[ -s "$work/scripts" ] || {
	echo "no script found"
	exit 1
}

# When something changes that others source, or shellcheck or this lint, all are looked at.
xargs grep -L '^#!' <"$work/scripts" >"$work/sourced"
common=$({ shellcheck --version; xargs cat tests/lint/shell.sh <"$work/sourced"; } | sha256sum | cut -c 1-64)
xargs sha256sum <"$work/scripts" | sed "s/^/$common /" >"$work/sums"
[ ! -f "$passed" ] || cp "$passed" "$work/passed"
touch "$work/passed"
grep -vxFf "$work/passed" "$work/sums" | sed 's/^[^ ]* [^ ]*  //' >"$work/changed"

# SC2317 takes what a trap calls for unreachable.
xargs -r -n 10 -P 2 shellcheck -x -P SCRIPTDIR -e SC2317 <"$work/changed" || exit 1
mkdir -p "${passed%/*}" && cp "$work/sums" "$passed"
