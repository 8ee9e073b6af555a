#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# late: listen addresses and interfaces that are absent, tentative or somebody else's at the start, come
# late, go and come back. (addresses-come-and-go)
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig ip sysctl nsenter setpriv ss curl
start_upstream || exit 99
mkdir -m 777 "$work/run" || exit 99
control=$work/run/control # for any user
late=2001:db8:1::53
other=2001:db8:1::54
v4=192.0.2.53
# The link: late0 is ours, late1 another machine's.
start peer unshare -n sleep 600
wait_for 20 sh -c "[ \"\$(readlink /proc/$(pid_of peer)/ns/net)\" != \"\$(readlink /proc/self/ns/net)\" ]" || exit 99
there()
{
	nsenter -t "$(pid_of peer)" -n "$@"
}
ip link add late0 type veth peer name late1 netns "$(pid_of peer)" || exit 77
there ip link set late1 up && ip link set late0 up || exit 77

# settings LINE...: what the daemon is started with, besides the upstream. Without allow: who may ask goes
# by the addresses, too.
settings()
{
	config late.conf "nameserver 127.0.0.1 port 5300" "dns64-prefix 2001:db8:64::/96" "num-threads 2" \
		"control-socket $control" "$@" >/dev/null
}

begin()
{
	rm -f "$work/late.log"
	start late "$@" "$DNS64D" -f -c "$work/late.conf"
	wait_for 20 logged late 'server: sandbox: ' || wait_for 1 logged late 'listening on'
}

# add ADDRESS/LENGTH: at once usable. A busy kernel drops what comes before it made the route, a while later.
add()
{
	ip address add "$1" dev late0 nodad 2>/dev/null || ip address add "$1" dev late0
	wait_for 10 is "local ${1%/*}" ip route get "${1%/*}"
}

del()
{
	ip address del "$1" dev late0
}

# serves ADDRESS [PORT]: over UDP and TCP
serves()
{
	is 2001:db8:64::c000:201 ask "$1" "${2:-5353}" +timeout=1 a.test AAAA &&
		is 2001:db8:64::c000:201 ask "$1" "${2:-5353}" +timeout=1 +tcp a.test AAAA
}

# says TEXT: dns64ctl status does
says()
{
	is "$1" ctl status
}

now_ms()
{
	echo $(($(date +%s%N) / 1000000))
}

# open ADDRESS PORT: how many sockets there are
open()
{
	ss -Hlnut "src [$1]:$2" | wc -l
}

# comes ADDRESS/LENGTH: it is added; prints after how many milliseconds it is served. A question that
# came before the sockets would be waited for in vain.
comes()
{
	add "$1"
	began=$(now_ms)
	wait_for 30 is 4 open "${1%/*}" 5353 && wait_for 30 serves "${1%/*}" || return 1
	echo $(($(now_ms) - began))
}

# --- Absent: it starts all the same ---

watch_noise
settings "listen $late port 5353" "listen $v4 port 5353" "listen late9 port 5354" "web-listen 127.0.0.1"
"$DNS64D" -t -c "$work/late.conf" >"$work/run.log" 2>&1
check "-t: a warning is no error" test $? -eq 0
check "it names the line" logged run "late.conf:5: listen: $late is no address of this machine now"
check "of an interface too" logged run "late.conf:7: listen: there is no interface late9 now"
begin
check "with none of all it starts" logged late 'server: listening on no address yet'
check "why is told" logged late "warning server: listen $late#5353: waiting for it: this machine has no such address"
check "of the interface too" logged late "listen late9#5354: waiting for it: there is no such interface"
wait_for 20 ctl ping
check "status: it waits" says "waiting for $late#5353, this machine has no such address"
check "status: it is not to be asked" says "not ready: no listen address is there"
took=$(comes "$late/64")
check "it is served when it comes, and its network may ask (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 3000)"
check "that is told" logged late "notice server: listen $late#5353: served now"
check "status: it listens" says "listening   $late#5353"
took=$(comes "$v4/24")
check "IPv4 likewise (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 3000)"
check "the metric: two served" is 'listen_addresses{state="served"} 2' curl -s 127.0.0.1:6464/metrics
check "and one waited for" is 'listen_addresses{state="waiting"} 1' curl -s 127.0.0.1:6464/metrics
check "as JSON" is '"listen": "late9#5354"' sh -c "curl -s 127.0.0.1:6464/status.json | sed 's/\":\"/\": \"/g'"

# --- Gone and back: the same sockets ---

inodes()
{
	ss -Hlnuet "src [$late]:5353" | sed 's/.* ino:\([0-9]*\).*/\1/' | sort
}

before=$(inodes)
del "$late/64"
check "gone: told" wait_for 30 says "waiting for $late#5353"
took=$(comes "$late/64")
check "back: served (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 3000)"
check "by the sockets it had: of 2 loops, UDP and TCP" test "$(inodes)" = "$before" -a "$(inodes | wc -l)" -eq 4
ip link set late0 down
check "the link goes" wait_for 30 says "waiting for $late#5353"
ip link set late0 up
add "$late/64"
check "the link comes back" wait_for 30 serves "$late"

# --- An interface, by name ---

ip link add late9 type veth peer name late8 && ip link set late8 up && ip link set late9 up
check "it comes, without an address" wait_for 30 logged late "listen fe80::.*%late9#5354: waiting for it: .*tentative"
check "its link-local address" wait_for 30 logged late "listen fe80::.*%late9#5354: served now"
local=$(ip -o -6 address show dev late9 scope link | sed 's/.* \(fe80[^/]*\).*/\1/')
check "is served" serves "$local%late9" 5354
ip address add 198.51.100.9/24 dev late9 && ip address add 2001:db8:9::9/64 dev late9 nodad
check "further ones: IPv4" wait_for 30 serves 198.51.100.9 5354
check "IPv6" wait_for 30 serves 2001:db8:9::9 5354
check "not on the other's port" is 0 open 198.51.100.9 5353
ip address del 2001:db8:9::9/64 dev late9
check "one goes" wait_for 30 logged late "listen 2001:db8:9::9#5354: the interface has it no more"
check "its sockets are closed" wait_for 30 is 0 open 2001:db8:9::9 5354
ip link del late9
check "the interface goes" wait_for 30 says "late9#5354, there is no such interface"
check "its sockets are closed" wait_for 30 is 0 sh -c "ss -Hlnut | grep -c ':5354 '"
ip link add late9 type veth peer name late8 && ip link set late8 up && ip link set late9 up
ip address add 198.51.100.9/24 dev late9
check "and comes back, as another one" wait_for 30 serves 198.51.100.9 5354
local=$(ip -o -6 address show dev late9 scope link | sed 's/.* \(fe80[^/]*\).*/\1/')
check "with its link-local address" wait_for 30 serves "$local%late9" 5354
check "the others are served as before" serves "$late"

# --- Reload ---

settings "listen $other port 5353" "listen $v4 port 5353" "web-listen 127.0.0.1"
kill -HUP "$(pid_of late)"
check "a reload: another that is not there" wait_for 30 logged late "warning config: listen $other#5353: waiting for it"
check "is done" wait_for 30 logged late "reload: done"
check "it waits for that alone" is 1 sh -c "'$TOP_BUILDDIR/dns64ctl' -s '$control' status | grep -c 'this machine has\|no such interface'"
check "the interface is served no more" wait_for 30 is 0 sh -c "ss -Hlnut | grep -c ':5354 '"
took=$(comes "$other/64")
check "it is served when it comes (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 3000)"
del "$other/64"
check "it goes" wait_for 30 says "waiting for $other#5353"
stop late
check "SIGTERM while it waits: 0" test "$status" -eq 0
ip link del late9
ip address flush dev late0 scope global

# --- Only a reload names an address that may come ---

# The descriptor on which the kernel tells of addresses may have the number of a connection that has just ended.
for n in 1 2 3 4; do
	settings "listen 127.0.0.1 port 5353" "web-listen 127.0.0.1"
	begin
	wait_for 20 ctl ping
	settings "listen 127.0.0.1 port 5353" "listen $other port 5353" "web-listen 127.0.0.1"
	curl -s -o "$work/page" 127.0.0.1:6464/
	kill -HUP "$(pid_of late)"
	check "reload $n: done" wait_for 30 logged late "reload: done"
	took=$(comes "$other/64")
	# Without it the daemon looks every 3 seconds.
	check "it is served when it comes (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 1000)"
	del "$other/64"
	stop late
done
ip address flush dev late0 scope global

# --- More than can be served ---

settings "listen late0 port 5353"
seq -f 'address add 198.51.100.%g/32 dev late0' 1 80 | ip -batch - || exit 99
begin
check "of many addresses 64 are served" is 64 sh -c "'$TOP_BUILDDIR/dns64ctl' -s '$control' status | grep -o '#5353,' | wc -l"
check "that it is not all is told once" is 1 grep -c "late0#5353: waiting for it: as many addresses as there can be" "$work/late.log"
ip address del 198.51.100.1/32 dev late0
check "one goes: another takes its place" wait_for 30 logged late "listen .*#5353: served now"
stop late
ip -4 address flush dev late0

# --- Tentative, and somebody else's ---

settings "listen $late port 5353" "listen late0 port 5353"
sysctl -q -w net.ipv6.conf.late0.dad_transmits=3
ip -6 address add "$late/64" dev late0
check "it is tentative" is tentative ip -6 address show dev late0 to "$late"
begin
check "it starts at once, and says why it waits" logged late "notice server: listen $late#5353: waiting for it: .*tentative"
check "once, though it is the interface's, too" is 1 grep -c "listen $late#5353: waiting" "$work/late.log"
check "serves it when it may" wait_for 60 serves "$late"
stop late
settings "listen $late port 5353"
ip -6 address del "$late/64" dev late0
there ip -6 address add "$late/64" dev late1 nodad
ip -6 address add "$late/64" dev late0
check "duplicate" wait_for 60 is dadfailed ip -6 address show dev late0 to "$late"
begin
check "that is told" logged late "warning server: listen $late#5353: waiting for it: another machine on the link has it"
check "status: duplicate" says "waiting for $late#5353, another machine on the link has it (duplicate)"
there ip -6 address del "$late/64" dev late1
ip -6 address del "$late/64" dev late0
add "$late/64"
check "the other gave it up: served" wait_for 60 serves "$late"
stop late
del "$late/64"
sysctl -q -w net.ipv6.conf.late0.dad_transmits=1

# --- freebind ---

settings "listen $late port 5353" "freebind yes"
"$DNS64D" -t -c "$work/late.conf" >"$work/run.log" 2>&1
check "-t with freebind does not warn" is 0 grep -c "warning.*no address" "$work/run.log"
begin
check "freebind: the sockets are there before the address" is 4 open "$late" 5353
check "status tells all the same" says "waiting for $late#5353"
took=$(comes "$late/64")
check "it is served (${took:-never} ms)" test "${took:-9999}" -le "$(stretch 3000)"
check "told" wait_for 30 says "listening   $late#5353"
stop late
del "$late/64"

# --- Port 53, with what is left of privileges ---

settings "listen $late" "user nobody" "sandbox strict"
begin
check "root becomes nobody" is nobody ps -o user= -p "$(pid_of late)"
add "$late/64"
check "and serves port 53 later, in a strict sandbox" wait_for 30 serves "$late" 53
stop late
del "$late/64"
settings "listen $late" "chroot $work" "pidfile none"
begin
add "$late/64"
check "in a chroot" wait_for 30 serves "$late" 53
stop late
# Out of reach from there, and root's, as it was nobody's daemon.
check "its control socket stays behind" test -S "$control"
begin setpriv --reuid nobody --regid nogroup --clear-groups
check "another user's start: that is in its way" wait_for 30 logged late "control-socket $control: Permission denied"
wait "$(pid_of late)"
rm -f "$control"
del "$late/64"
# Under the unit: not root, one capability.
settings "listen $late"
begin setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps +net_bind_service \
	--ambient-caps +net_bind_service
add "$late/64"
check "a user with the capability" wait_for 30 serves "$late" 53
stop late
del "$late/64"
begin setpriv --reuid nobody --regid nogroup --clear-groups
add "$late/64"
check "without it that is told, and nothing ends" wait_for 30 logged late \
	"listen $late#53: waiting for it: Permission denied"
stop late
check "SIGTERM: 0" test "$status" -eq 0
del "$late/64"

# --- Another program ---

settings "listen $late port 5353"
config first.conf "nameserver 127.0.0.1 port 5300" "listen $late port 5353" "listen 127.0.0.1 port 5399" "freebind yes" "control-socket none" \
	>/dev/null
start first "$DNS64D" -f -c "$work/first.conf"
wait_for 30 logged first "dns64d.* loop" || exit 99
begin
add "$late/64"
check "taken when it comes: told" wait_for 30 logged late "listen $late#5353: waiting for it: Address already in use"
check "status: taken" says "waiting for $late#5353, Address already in use"
settings "listen $late port 5353" "server-id reloaded"
kill -HUP "$(pid_of late)"
check "a reload meanwhile is done" wait_for 30 logged late "reload: done"
check "and waits on" says "waiting for $late#5353, Address already in use"
check "which is told once" is 1 grep -c "waiting for it: Address already in use" "$work/late.log"
settings "listen $late port 5353" "listen 127.0.0.1 port 5399"
kill -HUP "$(pid_of late)"
check "what is new and taken is an error" wait_for 30 logged late "error config: listen 127.0.0.1#5399: Address already in use"
check "that alone" is 0 grep -c "error.*listen $late" "$work/late.log"
settings "listen $late port 5353"
kill -HUP "$(pid_of late)"
stop first
check "served when it is free" wait_for 30 says "listening   $late#5353"
check "and well" serves "$late"
start first "$DNS64D" -f -c "$work/late.conf"
wait "$(pid_of first)"
check "taken at the start is an error still: 3" test $? -eq 3
rm -f "$work/first.pid"
stop late

# --- Addresses that change while they are listed ---

settings "listen late0 port 5353" "listen $late port 5353"
del "$late/64"
ip address add 198.51.100.3/24 dev late0
seq -f 'address add 203.0.%g.1/32 dev lo' 0 255 | sed 'p;s/1.32/2\/32/p;s/2.32/3\/32/p;s/3.32/4\/32/' >"$work/many"
ip -batch "$work/many" || exit 99
mkfifo "$work/changes" || exit 99
start churn ip -batch "$work/changes"
start changes sh -c "exec yes 'address add 203.0.113.99/32 dev lo
address del 203.0.113.99/32 dev lo' >'$work/changes'"
for n in 1 2 3; do
	begin
	check "start $n is done all the same" wait_for 30 serves 198.51.100.3
	[ $n -eq 3 ] || stop late
done
add "$late/64"
check "and what comes is served" wait_for 30 serves "$late"
settings "listen late0 port 5353" "listen $late port 5353" "server-id reloaded"
kill -HUP "$(pid_of late)"
check "a reload is done" wait_for 30 logged late "reload: done"
stop churn KILL
stop changes KILL
check "nothing was an error" is 0 grep -c "error" "$work/late.log"
check "all is served when it is calm" wait_for 30 serves 198.51.100.3
stop late
finish
