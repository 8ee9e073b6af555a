#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kubernetes: the manifests are what Kubernetes takes, by its own schema where kubernetes-validate (from PyPI) is there
# (tests/contrib/check_manifests.py has the fields that are in use), and dns64d runs with the configuration in them as a
# pod has it.
#   tests/package/kubernetes.sh BUILD    BUILD has dns64d
# As root.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
dns64d=$build/dns64d
. tests/package/tree.sh

manifest=contrib/kubernetes/dns64d.yaml

# The ConfigMap's file
configuration()
{
	python3 - "$manifest" "$work/dns64d.conf" <<'PY'
import sys
import yaml

docs = {d["kind"]: d for d in yaml.safe_load_all(open(sys.argv[1], encoding="utf-8"))}
open(sys.argv[2], "w", encoding="utf-8").write(docs["ConfigMap"]["data"]["dns64d.conf"])
PY
}

check 'it has a configuration' configuration
check 'dns64d takes its configuration' "$dns64d" -t -f -c "$work/dns64d.conf"
check 'it never synthesizes for the cluster' grep -q '^never-synthesize cluster.local' "$work/dns64d.conf"
if command -v kubernetes-validate >/dev/null; then
	check 'the schema' kubernetes-validate --strict --no-warn "$manifest"
else
	echo 'without kubernetes-validate: the schema was not asked'
fi

# --- as in a pod ---

# The volumes: of a ConfigMap, whose files are links that are changed all at once, and of fsGroup. The user: the pod's, or
# one that a cluster has chosen; in both cases without any capability.
cat >"$work/pod" <<'POD'
set -u
build=$1 conf=$2 work=$3 ids=$4
box="setpriv --reuid=$ids --regid=$ids --groups=64053 --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all"
ctl() { $box "$build/dns64ctl" -s "$work/pod.run/control" "$@"; }
get() { python3 -c 'import sys, urllib.request as u; print(u.urlopen("http://[::1]:6464" + sys.argv[1]).status)' "$1" 2>&1 | tail -n 1; }
change() { mkdir "$work/pod.conf/..$1" && cat >"$work/pod.conf/..$1/dns64d.conf" && ln -sfn "..$1" "$work/pod.conf/..data"; }
ip link set lo up
sysctl -qw net.ipv4.ip_unprivileged_port_start=53
mkdir -p "$work/pod.conf" "$work/pod.run"
mount -t tmpfs tmpfs "$work/pod.conf" && mount -t tmpfs -o mode=2777,gid=64053 tmpfs "$work/pod.run"
ln -s ..data/dns64d.conf "$work/pod.conf/dns64d.conf"
chmod 755 "$work/pod.conf"
{ cat "$conf"; echo "control-socket $work/pod.run/control"; } >"$work/pod.first"
change one <"$work/pod.first"
$box "$build/dns64d" -f -c "$work/pod.conf/dns64d.conf" &
daemon=$!
for try in 1 2 3 4 5 6 7 8 9; do
	ctl ping && break
	sleep 0.5
done
echo "health $(get /health)"
{ cat "$work/pod.first"; echo 'dns64-prefix 2001:db8:64::/96'; } | change two
rm -r "$work/pod.conf/..one"
ctl reload && ctl prefixes | grep -q 2001:db8:64:: && echo "reload right"
kill "$daemon"
began=$(date +%s)
sleep 1
echo "ready $(get /ready)"
wait "$daemon"
echo "ended $?"
echo "took $(($(date +%s) - began))"
POD
limit()
{
	# shellcheck disable=SC2016 # sed's
	sed -n '/limits:/,$s/^ *memory: \([0-9]*\)Mi$/\1/p' "$manifest" | head -n 1
}
for ids in 64053 12345; do
	timeout 60 unshare --net --mount --pid --fork --kill-child --mount-proc \
		sh "$work/pod" "$build" "$work/dns64d.conf" "$work" $ids >"$work/pod.log" 2>&1 || true
	for said in pong 'health 200' 'reload right' 'ready .*503.*' 'ended 0'; do
		check "user $ids: $said" grep -x "$said" "$work/pod.log"
	done
	took=$(sed -n 's/^took //p' "$work/pod.log")
	grace=$(sed -n 's/^ *terminationGracePeriodSeconds: //p' "$manifest")
	check "it ends ($took s) before it is killed ($grace s)" test "${took:-999999}" -lt "$grace"
	most=$(sed -n 's/.*at most \([0-9]*\) MiB of memory.*/\1/p' "$work/pod.log" | head -n 1)
	check "it needs no more memory ($most MiB) than it may" test "${most:-999999}" -lt "$(limit)"
	[ "$failures" = 0 ] || cat "$work/pod.log"
done
finish
