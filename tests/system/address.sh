#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# address: a listen address that comes late, or not at all, or with freebind at any time.
# (addresses-come-and-go)
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig ip sysctl
start_upstream || exit 99
upstream="nameserver 127.0.0.1 port 5300"
prefix="dns64-prefix 2001:db8:64::/96"
late=2001:db8:1::53
absent=2001:db8:1::54
ip link add late0 type veth peer name late1 && ip link set late0 up && ip link set late1 up || exit 77

# seconds_for COMMAND...: how long it took, in whole seconds
seconds_for()
{
	began=$(date +%s)
	"$@" >"$work/run.log" 2>&1
	status=$?
	took=$(($(date +%s) - began))
}

# add ADDRESS: returns when it is usable
add()
{
	ip -6 address add "$1/64" dev late0
	wait_for 60 usable "$1"
}

usable()
{
	[ -z "$(ip -6 address show dev late0 tentative to "$1")" ]
}

serves()
{
	is 2001:db8:64::c000:201 ask "$1" 5353 a.test AAAA
}

# --- Tentative: being looked for on the link ---

file=$(config late.conf "$upstream" "$prefix" "allow 2001:db8:1::/64" "listen $late port 5353")
ip -6 address add "$late/64" dev late0
check "it is tentative" is tentative ip -6 address show dev late0 to "$late"
start late "$DNS64D" -f -c "$file"
check "it is waited for" wait_for 60 logged late 'server: listening on'
check "and served" serves "$late"
check "and that is told" logged late "listen $late#5353: not usable yet"
stop late
ip -6 address del "$late/64" dev late0

sysctl -q -w net.ipv6.conf.late0.dad_transmits=30
ip -6 address add "$late/64" dev late0
seconds_for "$DNS64D" -f -c "$file"
check "it is not waited for without end: 3" test "$status" -eq 3
check "but some seconds ($took)" test "$took" -ge 3 -a "$took" -le 20
check "it is told" logged run "error.* listen $late#5353: Cannot assign requested address (this machine has it, but"
config late.conf "$upstream" "$prefix" "allow 2001:db8:1::/64" "listen $late port 5353" "freebind yes" >/dev/null
seconds_for sh -c "timeout 2 '$DNS64D' -f -c '$file'"
check "with freebind nobody waits" logged run 'server: listening on'
ip -6 address del "$late/64" dev late0
sysctl -q -w net.ipv6.conf.late0.dad_transmits=0

# --- Absent ---

file=$(config absent.conf "$upstream" "$prefix" "allow 2001:db8:1::/64" "listen 127.0.0.1 port 5353" "listen $absent port 5353")
seconds_for "$DNS64D" -t -c "$file"
check "-t: a warning is no error" test "$status" -eq 0
check "it names the line" logged run "absent.conf:5: listen: $absent is no address of this machine now"
seconds_for "$DNS64D" -f -c "$file"
check "a start without it: 3" test "$status" -eq 3
check "at once ($took)" test "$took" -le 2
check "which address, and what to do" logged run \
	"listen $absent#5353: Cannot assign requested address (this machine has no such address; .*freebind yes"
config absent.conf "$upstream" "$prefix" "allow 2001:db8:1::/64" "listen 127.0.0.1 port 5353" "listen $absent port 5353" \
	"freebind yes" >/dev/null
seconds_for "$DNS64D" -t -c "$file"
check "-t with freebind does not warn" test "$status" -eq 0 -a "$(grep -c warning "$work/run.log")" -eq 0
start absent "$DNS64D" -f -c "$file" -n 2
check "with freebind it starts" wait_for 60 logged absent 'server: listening on'
check "and serves the other" serves 127.0.0.1
check "and tells what it has not" logged absent "listen $absent#5353: not an address of this machine yet"
add "$absent"
check "serves it when it comes" serves "$absent"
check "over TCP too" is 2001:db8:64::c000:201 ask "$absent" 5353 +tcp a.test AAAA
ip -6 address del "$absent/64" dev late0
config absent.conf "$upstream" "$prefix" "allow 2001:db8:1::/64" "listen 127.0.0.1 port 5353" "listen $late port 5353" \
	"freebind yes" >/dev/null
kill -HUP "$(pid_of absent)"
check "a reload to another that is not there" wait_for 60 logged absent "reload: done"
add "$late"
check "serves it when it comes" serves "$late"
stop absent
check "SIGTERM: 0" test "$status" -eq 0
finish
