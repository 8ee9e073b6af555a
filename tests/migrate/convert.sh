#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# convert: each configuration in tests/migrate becomes what is beside it, NAME.expected, and dns64d
# takes it; those of this machine's packages do as well. With UPDATE=yes the expected is written anew.
set -u
TOP_SRCDIR=$(cd "${TOP_SRCDIR:-.}" && pwd) || exit 99
TOP_BUILDDIR=$(cd "${TOP_BUILDDIR:-.}" && pwd) || exit 99
DNS64D=${DNS64D:-$TOP_BUILDDIR/dns64d}
command -v python3 >/dev/null || {
	echo "no python3"
	exit 77
}
work=$(mktemp -d /tmp/dns64d-migrate.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
n_failed=0

fail()
{
	echo "FAILED: $*"
	n_failed=$((n_failed + 1))
}

# convert PROGRAM FILE: results in $work/out and $work/err; its exit code in $code
convert()
{
	"$TOP_SRCDIR/contrib/migrate/$1" "$2" >"$work/out" 2>"$work/err"
	code=$?
}

# taken WHAT: dns64d takes $work/out. What the machine lacks for a start is no matter here.
taken()
{
	chmod 644 "$work/out"
	"$DNS64D" -t -c "$work/out" >"$work/taken" 2>&1 || {
		fail "$1: dns64d -t refuses the result"
		cat "$work/taken"
	}
}

# Exit 0 if there is no remark, else 2; each remark is in the result as well, which has lines of 1023 at most.
told()
{
	remarks=$(grep -vc '^note: ' "$work/err")
	[ "$code" -eq $((remarks > 0 ? 2 : 0)) ] || fail "$1: exit $code with $remarks remarks"
	sed -n 's/^# *//p' "$work/out" | tr '\n' ' ' >"$work/said"
	while read -r line; do
		grep -qF -- "${line#note: }" "$work/said" || fail "$1: not in the result: $line"
	done <"$work/err"
	[ "$(awk 'length > 1000' "$work/out")" = "" ] || fail "$1: a line is too long"
}

for program in totd bind unbound; do
	cd "$TOP_SRCDIR/tests/migrate/$program" || exit 99
	count=0
	for file in *.conf; do
		convert "$program" "$file"
		{
			echo "exit $code"
			sed 's/^/stderr: /' "$work/err"
			sed "s/of dns64d [0-9.]*\.\$/of dns64d VERSION./" "$work/out"
		} >"$work/got"
		[ "${UPDATE:-no}" = no ] || cp "$work/got" "${file%.conf}.expected"
		diff -u "${file%.conf}.expected" "$work/got" || fail "$program: $file"
		taken "$program: $file"
		told "$program: $file"
		"$TOP_SRCDIR/contrib/migrate/$program" - <"$file" >"$work/piped" 2>"$work/err"
		sed "s/ the standard input / $file /; s/ -:/ $file:/" "$work/piped" | tr -d '# \n' >"$work/one"
		tr -d '# \n' <"$work/out" | cmp -s - "$work/one" || fail "$program: $file differs from the standard input"
		count=$((count + 1))
	done
	[ $count -ge 20 ] || fail "$program: only $count configurations"
	version=$("$DNS64D" -V | head -n 1)
	[ "$("$TOP_SRCDIR/contrib/migrate/$program" --version)" = "$program of $version" ] || fail "$program --version"
	"$TOP_SRCDIR/contrib/migrate/$program" --help | grep -q 'Exit code:' || fail "$program --help"
done

# What Debian's packages bring
for sample in bind:/etc/bind/named.conf bind:/usr/share/doc/bind9/examples/named.conf \
	unbound:/etc/unbound/unbound.conf unbound:/usr/share/doc/unbound/examples/unbound.conf; do
	[ -r "${sample#*:}" ] || continue
	convert "${sample%%:*}" "${sample#*:}"
	echo "$sample: exit $code"
	taken "$sample"
	told "$sample"
done
[ $n_failed -eq 0 ]
