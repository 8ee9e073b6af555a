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
	rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$built/$1"-[0-9]*.x86_64.rpm 2>/dev/null |
		sed -n 's/^d[^ ]* //p' >"$work/rpm.directories"
	rpm -qpl --noartifact "$built/$1"-[0-9]*.x86_64.rpm 2>/dev/null | grep -vxFf "$work/rpm.directories" | plainly \
		>"$work/rpm.files"
	[ -s "$work/deb.files" ] && diff "$work/deb.files" "$work/rpm.files"
}

carried_by_rpm()
{
	rpm -qpl --noartifact "$built"/dns64d-[0-9]*.x86_64.rpm 2>/dev/null | carries
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
check 'dns64d: it has alerts, the board, converters, the handbook and NEWS' carried_by_rpm
check 'the scripts are ones that a shell takes' scripts_parse

# --- installed, upgraded and removed, in a tree where systemctl only tells what it was asked ---

tree_make
inside apt-get -qq -y --no-install-recommends install libcap-ng0 libevent-core-2.1-7 libevent-extra-2.1-7 \
	libjansson4 libmnl0 libseccomp2 libssl3 libsystemd0 libxxhash0 >"$work/apt.log" 2>&1
# shellcheck disable=SC2016 # expanded there
printf '#!/bin/sh\necho "$*" >>/root/asked\n' >"$root/usr/bin/systemctl"
chmod 755 "$root/usr/bin/systemctl"
install_rpm()
{
	: >"$root/root/asked"
	rpm --root "$root" --dbpath /var/lib/rpm --nodeps "$@" >"$work/said" 2>&1
	result=$?
	cat "$work/said" "$root/root/asked"
	return $result
}
one=$(echo "$built"/dns64d-[0-9]*.x86_64.rpm)
conf=$root/etc/dns64d/dns64d.conf

check 'installed' install_rpm -i "$one"
check 'not started' not grep -q start "$root/root/asked"
# shellcheck disable=SC2016 # expanded inside
check 'the places are those of the account' inside sh -c '[ "$(stat -c %U%a /var/lib/dns64d /var/log/dns64d | xargs)" = "_dns64d700 _dns64d750" ]'
echo 'nameserver 192.0.2.1' >>"$conf"
check 'upgraded' install_rpm -U --force "$one"
check 'started anew, if it runs' grep -qx 'try-restart dns64d.service' "$root/root/asked"
check 'the configuration stays' grep -qx 'nameserver 192.0.2.1' "$conf"
echo no-such-keyword >>"$conf"
check 'upgraded with a broken configuration' install_rpm -U --force "$one"
check 'it goes on' not grep -q 'restart' "$root/root/asked"
check 'its unit is read anew' grep -qx daemon-reload "$root/root/asked"
check 'and what is wrong is told' grep -q no-such-keyword "$work/said"
check 'removed' install_rpm -e dns64d
check 'it ends' grep -q 'disable --now dns64d.service' "$root/root/asked"
check 'its configuration is kept' test -f "$conf.rpmsave"
check 'its program is not' test ! -e "$root/usr/sbin/dns64d"
finish
