#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# container: the Containerfile is built, on Debian's packages alone, and what comes of it is started as an engine
# does: as its user, without a capability, with a root that is read-only; and asked.
#   tests/package/container.sh BUILD    BUILD has fakedns
# As root, with buildah and mmdebstrap.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
fakedns=$build/fakedns
. tests/package/tree.sh

build()
{
	buildah --storage-driver vfs --root "$work/storage" --runroot "$work/state" "$@"
}

tree_make
base=$(build from scratch)
build add "$base" "$root" / >/dev/null
build commit -q "$base" localhost/debian >/dev/null
# Its HEALTHCHECK is kept by Docker's format only, and what .dockerignore names is not taken along.
check 'built' build bud --format docker -q --isolation chroot --build-arg BASE=localhost/debian -t dns64d -f contrib/container/Containerfile .
made=$(build from localhost/dns64d)
rm -rf "$root"
root=$(build mount "$made")
check 'its user is not root' sh -c "grep -q '^_dns64d:x:64053:64053:' '$root/etc/passwd'"
check 'the image has its HEALTHCHECK' sh -c "buildah --storage-driver vfs --root '$work/storage' --runroot '$work/state' inspect --type image localhost/dns64d | grep -q '\"dns64ctl\"'"
carried_by_image()
{
	(cd "$root" && find ./usr/share/dns64d ./usr/share/doc/dns64d -type f) | carries
}
check 'it has alerts, the board, converters, the handbook and NEWS' carried_by_image
check 'it has no compiler' test ! -e "$root/usr/bin/gcc"
echo 'nameserver 127.0.0.1 port 5300' >>"$root/etc/dns64d/dns64d.conf"

cat >"$work/engine" <<'ENGINE'
set -u
root=$1 fakedns=$2
as_user() { unshare --root="$root" --wd=/ setpriv --reuid=64053 --regid=64053 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"; }
ip link set lo up
sysctl -qw net.ipv4.ip_unprivileged_port_start=53
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o uid=64053,gid=64053,mode=0750 tmpfs "$root/run/dns64d"
mount -o remount,ro,bind "$root"
"$fakedns" -l 127.0.0.1 -p 5300 >/dev/null 2>&1 &
as_user dns64d -f &
behind=$!
answer=$(kdig +short +retry=5 +time=1 @::1 008-008-008-008.dns64perf.test AAAA)
echo "answer $answer"
as_user dns64ctl ping && echo "healthy"
as_user dns64ctl lameduck on && echo "lame"
# By the /proc of these processes' own namespace.
for comm in "$root"/proc/[0-9]*/comm; do
	[ "$(cat "$comm")" != dns64d ] || kill -TERM "$(basename "${comm%/comm}")"
done
wait "$behind" && echo "ended well"
ENGINE
timeout 60 unshare --net --mount --pid --fork --kill-child sh "$work/engine" "$root" "$fakedns" >"$work/engine.log" 2>&1 || true
check 'the first answer' grep -qx 'answer 64:ff9b::808:808' "$work/engine.log"
check 'the health check' grep -qx healthy "$work/engine.log"
check 'lame duck' grep -qx lame "$work/engine.log"
check 'SIGTERM ends it well' grep -qx 'ended well' "$work/engine.log"
cat "$work/engine.log"
finish
