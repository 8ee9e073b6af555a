#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rpm: the packages for Fedora and its like are built, rpmlint has nothing to say, and they have what Debian's have.
#   tests/package/rpm.sh [DIRECTORY]    DIRECTORY has Debian's packages already
# As root; rpm's own tools are enough, as in Debian.
set -eu
packages=${1:+$(cd "$1" && pwd)}
cd "$(dirname "$0")/../.."
. tests/package/tree.sh
packages_of "$packages"

lint_rpm()
{
	rpmlint -c contrib/rpm/rpmlint.toml contrib/rpm/dns64d.spec "$built"/*.rpm >"$work/rpmlint" 2>&1 ||
		{ cat "$work/rpmlint"; return 1; }
	! grep -E '^[^ ]+: [EW]: ' "$work/rpmlint"
}

# Each distribution has places of its own for units and documents, and Debian has AppArmor and init scripts.
plainly()
{
	sed -E -e 's,^\./,/,; s,^/lib/,/usr/lib/,; s,/$,,; s,\.gz$,,' |
		grep -vE '^/usr/share/(doc|licenses|lintian)(/|$)|^/etc/(init\.d|apparmor\.d)(/|$)|^/var/' | LC_ALL=C sort
}

same_files()
{
	dpkg-deb --fsys-tarfile "$packages/$1"_*.deb | tar -t | grep -v '/$' | plainly >"$work/deb.files"
	rpm -qpl --noartifact "$built/$1"-[0-9]*.x86_64.rpm 2>/dev/null | grep -v '^/etc/dns64d$' | plainly >"$work/rpm.files"
	[ -s "$work/deb.files" ] && diff "$work/deb.files" "$work/rpm.files"
}

scripts_parse()
{
	for script in pre post preun postun; do
		rpm -qp --qf "%{${script}in}" "$built"/dns64d-[0-9]*.x86_64.rpm 2>/dev/null >"$work/$script" && sh -n "$work/$script" ||
			return 1
	done
}

built=$work/rpm
check 'built' contrib/package rpm "$built"
check 'rpmlint says nothing' lint_rpm
check 'dns64d: the files are those of the deb' same_files dns64d
check 'dns64bench: the files are those of the deb' same_files dns64bench
check 'the scripts are ones that a shell takes' scripts_parse
finish
