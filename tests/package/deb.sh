#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# deb: Debian's packages of this tree, built, installed in a bare root tree, used, upgraded and purged there.
#   tests/package/deb.sh [DIRECTORY]    DIRECTORY has the packages already
# As root, with mmdebstrap; what the tree needs comes by this machine's apt.
set -eu
packages=${1:+$(cd "$1" && pwd)}
cd "$(dirname "$0")/../.."
. tests/package/tree.sh

packages_of "$packages"

carried_by_deb()
{
	dpkg-deb --fsys-tarfile "$packages"/dns64d_*.deb | tar -t | carries
}
check 'it has alerts, the board, converters, the handbook and NEWS' carried_by_deb
check 'lintian, the pedantic one too, says nothing' quiet lintian --allow-root -EI --pedantic \
	--fail-on error,warning,info,pedantic --suppress-tags very-long-line-length-in-source-file,upstream-metadata-file-is-missing \
	"$packages"/dns64d_*.changes

tree_make
inside apt-get -qq -y --no-install-recommends install knot-dnsutils procps systemd libcap-ng0 >"$work/apt.log" 2>&1
files >"$work/files.before"

# --- the first hour ---

cp "$packages"/*.deb "$root/root/"
inside sh -c 'apt-get -qq -y --no-install-recommends install /root/dns64d_*.deb /root/dns64bench_*.deb' >"$work/install.log" 2>&1 ||
	true
check 'installed' inside dpkg-query -W dns64d
# By the systemd that the package brings; its exposure times ten.
check "the unit's exposure is at most 1.5" inside systemd-analyze security --offline=true --threshold=15 \
	/lib/systemd/system/dns64d.service
check 'the unit is well made' inside systemd-analyze verify --man=no /lib/systemd/system/dns64d.service
check 'the account is there' inside id _dns64d
check 'not started, as there is no nameserver' not inside pgrep -x dns64d
check 'and said so' grep -q 'nameserver' "$work/install.log"

# --- in use ---

cat >"$root/root/use" <<'USE'
set -u
fakedns -l 127.0.0.1 -p 5300 >/dev/null 2>&1 &
fakedns=$!
fail() { echo "NOT $*"; exit 1; }
right() { [ "$(kdig +short +retry=5 +time=1 @::1 008-008-008-00$1.dns64perf.test AAAA)" = 64:ff9b::808:80$1 ]; }
pid() { cat /run/dns64d.pid; }
upgrade() { DEBIAN_FRONTEND=noninteractive dpkg --force-confold -i "$1"; }

echo 'nameserver 127.0.0.1 port 5300' >>/etc/dns64d/dns64d.conf
service dns64d start && right 1 || fail "a start"
first=$(pid)
upgrade /root/next.deb >/root/upgrade.log 2>&1 || fail "an upgrade: $(cat /root/upgrade.log)"
grep -q '^nameserver 127.0.0.1' /etc/dns64d/dns64d.conf || fail "an upgrade keeps the configuration"
grep -q 'a new line of the sample' /etc/dns64d/dns64d.conf.dpkg-dist || fail "the new sample is beside it"
[ "$(pid)" != "$first" ] && right 2 || fail "after the upgrade a new process serves: $(cat /root/upgrade.log)"

second=$(pid)
echo 'no-such-keyword' >>/etc/dns64d/dns64d.conf
upgrade /root/after.deb >/root/upgrade.log 2>&1 || fail "an upgrade with a broken configuration: $(cat /root/upgrade.log)"
grep -q 'no-such-keyword' /root/upgrade.log || fail "it says what is wrong: $(cat /root/upgrade.log)"
[ "$(pid)" = "$second" ] && right 3 || fail "the old process goes on"
sed -i '/no-such-keyword/d' /etc/dns64d/dns64d.conf
service dns64d restart && right 4 || fail "a restart after that"
[ "$(pid)" != "$second" ] || fail "by a new process"

# Removed: it ends, the configuration stays. Purged: nothing stays.
dpkg -r dns64d >/dev/null 2>&1 || fail "removal"
pgrep -x dns64d && fail "it runs on"
[ -f /etc/dns64d/dns64d.conf ] || fail "the configuration stays"
dpkg -i /root/after.deb >/dev/null 2>&1 || fail "installed again"
right 5 || fail "with the configuration that stayed it serves at once"

# The port is somebody's.
service dns64d stop || fail "a stop"
fakedns -l ::1 -p 53 >/dev/null 2>&1 &
taker=$!
sleep 0.3
dpkg -r dns64d >/dev/null 2>&1
dpkg -i /root/after.deb >/root/taken.log 2>&1 || fail "installed where the port is taken"
grep -q 'Address already in use' /root/taken.log || fail "it says that the port is taken: $(cat /root/taken.log)"
kill "$taker"
wait "$taker" 2>/dev/null
dpkg --purge dns64d >/dev/null 2>&1 || fail "purge"
kill "$fakedns"
echo used
USE
next 1 'a new line of the sample' "$root/root/next.deb"
next 2 'another' "$root/root/after.deb"
run_inside 'sh /root/use' >"$work/use.log" 2>&1 || true
check "started, upgraded, upgraded with a broken configuration, removed, purged" grep -qx used "$work/use.log"
cat "$work/use.log"

# --- nothing is left ---

inside sh -c 'dpkg --purge dns64bench; apt-get -qq -y autoremove --purge' >/dev/null 2>&1

files >"$work/files.after"
check 'purged: nothing is left' diff "$work/files.before" "$work/files.after"

# --- where it is not as usual ---

inside userdel _dns64d >/dev/null 2>&1 || true
inside useradd --system --home-dir /srv --shell /bin/sh _dns64d
check 'the account was there before: installed' \
	inside sh -c 'apt-get -qq -y --no-install-recommends install /root/after.deb /root/dns64bench_*.deb'
check 'and is as it was' inside grep -q '^_dns64d:.*:/srv:/bin/sh' /etc/passwd
# shellcheck disable=SC2016 # expanded there
check 'without IPv6: the first answer over IPv4' run_inside '
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	fakedns -l 127.0.0.1 -p 5300 >/dev/null 2>&1 &
	printf "listen 127.0.0.1\nnameserver 127.0.0.1 port 5300\n" >/etc/dns64d/dns64d.conf
	service dns64d start &&
	[ "$(kdig +short +retry=5 +time=1 @127.0.0.1 008-008-008-008.dns64perf.test AAAA)" = 64:ff9b::808:808 ]'

# --- as a unit ---

cat >"$root/etc/dns64d/dns64d.conf" <<'CONF'
nameserver 127.0.0.1 port 5300
listen ::1
listen 2001:db8::53
web-listen ::1
cache-file /var/lib/dns64d/cache
prefix-file /var/lib/dns64d/prefixes
query-log /var/log/dns64d/query.log
CONF
# Some machines do not let a systemd be the first process of a namespace, which is no fault of the package's.
boot_inside 'echo up'
if grep -qx up "$work/booted"; then
	# shellcheck disable=SC2016 # expanded there
	boot_inside '
	fakedns -l 127.0.0.1 -p 5300 >/dev/null 2>&1 &
	right() { [ "$(kdig +short +retry=5 +time=1 @::1 008-008-008-00$1.dns64perf.test AAAA)" = 64:ff9b::808:80$1 ]; }
	pid() { systemctl show -P MainPID dns64d; }
	upgrade() { DEBIAN_FRONTEND=noninteractive dpkg --force-confold -i /root/after.deb; }
	conf=/etc/dns64d/dns64d.conf
	right 1 && echo "it starts, before all addresses are there"
	dns64ctl prefix drain 64:ff9b::/96 --persist && dns64ctl prefix active 64:ff9b::/96 --persist && echo "prefixes are saved"
	systemctl reload dns64d && echo "reloaded"
	cp $conf /root/good
	echo nonsense >>$conf
	systemctl reload dns64d || echo "a broken configuration is told"
	old=$(pid)
	upgrade && [ "$(pid)" = "$old" ] && right 2 && echo "an upgrade with it: the old process goes on"
	cp /root/good $conf
	upgrade && [ "$(pid)" != "$old" ] && right 3 && echo "an upgrade: a new process"
	systemctl kill -s KILL dns64d && sleep 7 && right 4 && echo "killed: it comes back"
	systemctl stop dns64d && [ -s /var/lib/dns64d/cache ] && [ -s /var/log/dns64d/query.log ] && echo "stopped, and saved"
	systemctl disable dns64d && upgrade && ! systemctl is-active dns64d && echo "not wanted: not started"
	journalctl --no-pager -u dns64d'
	for said in 'it starts, before all addresses are there' 'prefixes are saved' 'reloaded' 'a broken configuration is told' \
		'an upgrade with it: the old process goes on' 'an upgrade: a new process' 'killed: it comes back' \
		'stopped, and saved' 'not wanted: not started'; do
		check "as a unit: $said" grep -qxF "$said" "$work/booted"
	done
	[ "$failures" = 0 ] || cat "$work/boot.log" "$work/booted"
else
	echo 'NOT TRIED as a unit: systemd cannot be the first process of a namespace on this machine:'
	tail -n 5 "$work/boot.log"
fi

# --- what AppArmor is told ---

# This kernel may be without it. So the capabilities of the profile are all that there are, and a trace shows the paths.
inside apt-get -qq -y --no-install-recommends install apparmor strace >"$work/apt.log" 2>&1
cat >"$root/root/confined" <<'CONFINED'
set -u
fakedns -l 127.0.0.1 -p 5300 >/dev/null 2>&1 &
mkdir /etc/dns64d/more
echo 'cache-size 8M' >/etc/dns64d/more/some.conf
cat >/etc/dns64d/dns64d.conf <<'CONF'
nameserver 127.0.0.1 port 5300
nameserver defaults
listen 127.0.0.1
listen 2001:db8::1
web-listen ::1
cache-file /var/lib/dns64d/cache
prefix-file /var/lib/dns64d/prefixes
query-log /var/log/dns64d/query.log
include more/*.conf
CONF
capabilities=$(sed -n 's/^[[:space:]]*capability \(.*\),$/,+\1/p' /etc/apparmor.d/dns64d | tr -d '\n')
apparmor_parser -p /etc/apparmor.d/dns64d >/root/profile
# Twice: the second finds what the first left.
for turn in 1 2; do
	strace -f -o "/root/trace.$turn" -e trace=file,bind,connect setpriv --bounding-set "-all$capabilities" dns64d &
	traced=$!
	kdig +short +retry=9 +time=1 @127.0.0.1 008-008-008-008.dns64perf.test AAAA
	dns64ctl prefix drain 64:ff9b::/96 --persist &&
		dns64ctl prefix active 64:ff9b::/96 --persist && dns64ctl log reopen && dns64ctl reload && echo told
	kill "$(head -n 1 /run/dns64d.pid)"
	wait $traced
done
CONFINED
run_inside 'sh /root/confined' >"$work/confined.log" 2>&1 || true
# shellcheck disable=SC2016 # expanded there
check 'its capabilities are enough' sh -c 'cat "$1"; [ "$(grep -cxE "told|64:ff9b::808:808" "$1")" = 4 ]' sh "$work/confined.log"
for turn in 1 2; do
	check "it permits what the daemon opens, $turn" tests/package/apparmor.py "$root/root/profile" "$root/root/trace.$turn" \
		/usr/sbin/dns64d
done

# --- Debian's own tests of the package, as Debian runs them ---

# Their isolation is that of here: a tree, a network and processes of their own. autopkgtest is the first of these
# processes and waits for none that it did not start, so init scripts see such that have ended.
inside sh -c 'dpkg --purge dns64d dns64bench; rm -rf /etc/dns64d
	apt-get -qq -y --no-install-recommends install apt-utils dpkg-dev libcap-ng0 libevent-core-2.1-7 libevent-extra-2.1-7 libjansson4 libmnl0' \
	>"$work/apt.log" 2>&1
mkdir "$work/source"
cp -r contrib/debian "$work/source/debian"
autopkgtests()
{
	# shellcheck disable=SC2016 # expanded there
	timeout 180 unshare --net --mount --pid --fork --kill-child sh -c '
		ip link set lo up && mount --make-rprivate / && mount -t proc proc /proc && mount --bind "$0" "$0" &&
		mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/run" && exec autopkgtest \
		--no-built-binaries --ignore-restrictions=isolation-container,breaks-testbed "$@" -- chroot "$0"' \
		"$root" "$packages"/dns64d_*.deb "$packages"/dns64bench_*.deb "$work/source//" >"$work/autopkgtest.log" 2>&1 ||
		{ grep -v '^Ign\|^Err\|^W:' "$work/autopkgtest.log"; return 1; }
	[ "$(grep -cE '^(first-answer|purge) +PASS' "$work/autopkgtest.log")" -ge 2 ]
}
check "Debian's tests" autopkgtests

finish
