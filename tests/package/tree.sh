# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# tree: a bare root tree of Debian, and what is done in it; for the scripts beside this one.

work=$(mktemp -d /tmp/dns64d-package.XXXXXX)
root=$work/root
chmod 755 "$work"
failures=0 checks=0
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' HUP INT TERM

# check WHAT COMMAND...: does it succeed?
check()
{
	check_what=$1
	shift
	checks=$((checks + 1))
	if "$@" >"$work/check.log" 2>&1; then
		echo "ok: $check_what"
	else
		failures=$((failures + 1))
		echo "NOT ok: $check_what"
		tail -n 20 "$work/check.log"
	fi
}

not()
{
	! "$@"
}

# quiet COMMAND...: does it succeed, and say nothing?
quiet()
{
	if "$@" >"$work/quiet.log" 2>&1; then quiet_status=0; else quiet_status=1; fi
	cat "$work/quiet.log"
	[ $quiet_status = 0 ] && [ ! -s "$work/quiet.log" ]
}

# packages_of DIRECTORY: $packages has Debian's packages: DIRECTORY, or if that is empty one where they are built
packages_of()
{
	packages=$1
	[ -z "$packages" ] || return 0
	packages=$work/packages
	DEB_BUILD_OPTIONS=nocheck contrib/package deb "$packages" >"$work/build.log" 2>&1 || {
		tail -n 40 "$work/build.log"
		exit 1
	}
}

# carries: does the list of a package's files at standard input have what operators need beside the programs? What it
# lacks is named. Documents may be compressed, and each distribution has its place for them.
carries()
{
	sed -E 's,^\./,/,; s,\.gz$,,; s,^/usr/share/doc/(packages/)?dns64d[^/]*/,doc/,' >"$work/carried"
	carries_status=0
	for carried in /usr/share/dns64d/prometheus/alerts.yml /usr/share/dns64d/grafana/dns64d.json doc/NEWS \
		contrib/migrate/* contrib/handbook/*.7; do
		case $carried in
		contrib/migrate/*.pyc | contrib/migrate/__pycache__) continue ;;
		contrib/migrate/*) carried=/usr/share/dns64d/${carried#contrib/} ;;
		contrib/handbook/*) carried=doc/${carried#contrib/} ;;
		esac
		grep -qxF "$carried" "$work/carried" || {
			echo "lacks $carried"
			carries_status=1
		}
	done
	return $carries_status
}

# tree_make: the tree, with this machine's apt
tree_make()
{
	unshare --net --mount --pid --fork mount --make-rprivate / || {
		echo "a root tree wants root, and namespaces of its own" >&2
		exit 1
	}
	mmdebstrap --quiet --variant=apt --skip=check/empty "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
	rm -rf "$root/etc/apt"
	cp -a /etc/apt "$root/etc/"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	mkdir -p "$root/dev/shm"
	# Without an init system no daemon would be started: here init scripts are.
	printf '#!/bin/sh\nexit 104\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	inside apt-get -qq update
}

# inside COMMAND...: in the tree, with this machine's network
inside()
{
	# shellcheck disable=SC2016 # expanded there
	unshare --mount --pid --fork --kill-child sh -c '
		mount --make-rprivate / && mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/run" &&
		exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
		"$root" "$@"
}

# run_inside SCRIPT: likewise, with a network of its own and for at most two minutes; all that it starts ends
run_inside()
{
	# shellcheck disable=SC2016 # expanded there
	timeout 120 unshare --net --mount --pid --fork --kill-child sh -c '
		ip link set lo up && mount --make-rprivate / && mount -t proc proc "$0/proc" &&
		mount -t tmpfs tmpfs "$0/run" &&
		exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$1"' \
		"$root" "$1"
}

# boot_inside SCRIPT: with systemd as the first process, for at most two minutes; what SCRIPT says is in $work/booted
boot_inside()
{
	printf '%s\n' "$1" >"$root/root/at-boot"
	cat >"$root/etc/systemd/system/at-boot.service" <<'UNIT'
[Unit]
After=dns64d.service
[Service]
Type=oneshot
ExecStart=/bin/sh /root/at-boot
ExecStopPost=/bin/systemctl poweroff -ff
StandardOutput=append:/root/booted
StandardError=append:/root/booted
UNIT
	ln -sf ../at-boot.service "$root/etc/systemd/system/multi-user.target.wants/at-boot.service"
	# invoke-rc.d asks whether there is an init, and this policy, which is for trees without.
	mv "$root/usr/sbin/policy-rc.d" "$work/"
	ln -s ../lib/systemd/systemd "$root/sbin/init"
	: >"$root/etc/machine-id"
	: >"$root/root/booted"
	# shellcheck disable=SC2016 # expanded there
	timeout 120 unshare --net --mount --pid --uts --ipc --cgroup --fork --kill-child sh -c '
		set -e
		ip link set lo up
		mount --make-rprivate / && mount --bind "$0" "$0" && cd "$0"
		mount -t proc proc proc && mount -t sysfs sysfs sys && mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs dev
		for d in null zero full random urandom tty; do
			: >dev/$d && mount --bind /dev/$d dev/$d
		done
		mkdir dev/pts dev/shm dev/mqueue dev/hugepages run/was
		mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
		mount -t tmpfs tmpfs dev/shm && mount -t mqueue mqueue dev/mqueue && mount -t cgroup2 cgroup2 sys/fs/cgroup
		pivot_root . run/was && cd / && umount -l /run/was && mount --make-rshared /
		exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd' "$root" </dev/null >"$work/boot.log" 2>&1 || true
	rm -f "$root"/etc/systemd/system/multi-user.target.wants/at-boot.service "$root/sbin/init"
	mv "$work/policy-rc.d" "$root/usr/sbin/"
	cp "$root/root/booted" "$work/booted"
}

# next N LINE FILE: the package as the N-th version after this one, with LINE in the sample
next()
{
	rm -rf "$work/next"
	dpkg-deb -R "${packages:?}"/dns64d_*.deb "$work/next"
	sed -i "s/^Version: .*/&+$1/" "$work/next/DEBIAN/control"
	echo "# $2" >>"$work/next/etc/dns64d/dns64d.conf"
	dpkg-deb -b "$work/next" "$3" >/dev/null
}

# files: what is in the tree, but for what apt, dpkg and the account of a package keep
files()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./root -o -path ./var/cache -o -path ./var/log/apt \
		-o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log/dpkg.log -o -path ./tmp \
		-o -path ./etc/ld.so.cache -o -path './etc/*-' -o -path ./var/log/alternatives.log \) -prune -o -print) |
		LC_ALL=C sort
}

finish()
{
	echo "$((checks - failures)) passed, $failures failed, 0 skipped"
	[ "$failures" = 0 ]
}
