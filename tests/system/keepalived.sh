#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# keepalived: two dns64d have one address, which keepalived moves by contrib/keepalived: to the second one when the first is
# not ready, and back. What is lost meanwhile is told and bounded; a planned stop loses next to nothing.
. "${TOP_SRCDIR:-.}/tests/system/networks.sh"
need keepalived
shared=2001:db8:53::53

# has_address NODE
has_address()
{
	at "$1" ip -6 address show dev eth0 | grep -q " $shared/"
}

# here NODE: it has the address, and nobody else
here()
{
	has_address "$1" && [ "$(for node in node1 node2; do has_address "$node" && echo "$node"; done)" = "$1" ]
}

# start_keepalived NODE PRIORITY
start_keepalived()
{
	sed -e "s|/usr/local/sbin|$work|" -e "s/priority 150/priority $2/" "$TOP_SRCDIR/contrib/keepalived/keepalived.conf" \
		>"$work/$1.keepalived.conf"
	start_at "$1" "$1.keepalived" keepalived -n -P -l -D -f "$work/$1.keepalived.conf" -p "$work/$1.main" -r "$work/$1.vrrp"
}

start_shared_node()
{
	start_dns64d_at "$1" 'listen ::' 'nameserver 2001:db8:53::1 port 5300' 'lameduck 5'
}

none_ready()
{
	! is_ready node1 && ! is_ready node2
}

# moved WHAT FROM TO: the address moves
moved()
{
	check "$1: the address moves from $2 to $3" wait_for 20 here "$3"
}

# lasted WHAT MS: how long questions were lost. On a quiet machine MS hold; here twice that, and what it adds
lasted()
{
	# shellcheck disable=SC2046 # two words
	set -- "$1" "$2" $(lost "$1")
	check "$1: $3 questions of 1,000/s were lost, for $4 ms, at most $2 on a quiet machine" \
		test "$4" -le "$(stretch $((2 * $2)))"
}

# --- the network: two nodes and a client, who is upstream as well, on one Ethernet ---

watch_noise
for name in client node1 node2; do
	machine $name
done
at client ip link add lan type bridge mcast_snooping 0 || give_up 'no bridge'
at client ip link set lan up
address client lan 2001:db8:53::1/64
for n in 1 2; do
	cable node$n eth0 client port$n
	at client ip link set port$n master lan
	address node$n eth0 2001:db8:53::10$n/64
done
start_at client fakedns "$fakedns" -l 2001:db8:53::1 -p 5300 --ttl 300
# keepalived runs no script that others than root could change.
cp "$TOP_SRCDIR/contrib/bird/dns64d-route" "$work/" && chmod 755 "$work/dns64d-route"
# keepalived 2.2.7 ends its check by SIGTERM where scripts run as others than root; below, it runs them as nobody.
sed -e "s|/usr/local/sbin|$work|" -e 's/script_user nobody/script_user root/' \
	"$TOP_SRCDIR/contrib/keepalived/keepalived.conf" >"$work/keepalived.conf"
check 'keepalived takes keepalived.conf' at node1 keepalived -t -f "$work/keepalived.conf"

check 'dns64d-route --once fails without dns64d' test "$(at node1 "$work/dns64d-route" --once; echo $?)" = 1
for node in node1 node2; do
	start_shared_node $node
done
check 'and is good with it' at node1 "$work/dns64d-route" --once
start_keepalived node1 150
start_keepalived node2 100
check 'the first one has the address' wait_for 20 here node1

# --- what is lost ---

ask_steadily_at client $shared
fault 'planned stop'
kill -TERM "$(pid_of node1.dns64d)"
moved 'planned stop' node1 node2
check 'before the last answer' is NOERROR at client kdig @2001:db8:53::101 +timeout=2 +retry=0 010-000-000-001.dns64perf.test AAAA
wait "$(pid_of node1.dns64d)"
equal 'planned stop: exit code' 0 $?
fault 'return'
start_shared_node node1
moved 'return' node2 node1
fault 'killed'
kill -KILL "$(pid_of node1.dns64d)"
moved 'killed' node1 node2
wait "$(pid_of node1.dns64d)"
fault 'return'
start_shared_node node1
moved 'return' node2 node1
fault 'stopped'
kill -STOP "$(pid_of node1.dns64d)"
moved 'stopped' node1 node2
sleep 2.2 # until all questions to it are lost
fault 'return'
kill -CONT "$(pid_of node1.dns64d)"
moved 'return' node2 node1
fault 'link down'
at node1 ip link set eth0 down
check 'link down: the other one has the address' wait_for 20 has_address node2
fault 'return'
at node1 ip link set eth0 up
moved 'return' node2 node1
answers_end
# While two exchange one address, what is on its way to the one that gives it up is lost.
count=$(lost 'planned stop' | cut -d ' ' -f 1)
check "planned stop: $count questions of 1,000/s were lost, at most 50 on a quiet machine" test "$count" -le "$(stretch 200)"
count=$(lost 'return' | cut -d ' ' -f 1)
check "4 returns: $count questions of 1,000/s were lost, at most 100 on a quiet machine" test "$count" -le "$(stretch 1000)"
lasted 'killed' 3000
lasted 'stopped' 4000
lasted 'link down' 1500

# --- neither is ready: one of them has the address all the same ---

stop fakedns
for node in node1 node2; do
	for i in 1 2 3 4 5 6; do
		at client kdig "@2001:db8:53::10${node#node}" +timeout=20 +retry=0 "010-001-000-00$i.dns64perf.test" AAAA >"$work/answer" 2>&1 &
	done
done
check 'no upstream answers: none is ready' wait_for 30 none_ready
sleep 3
check 'and one of them still has the address' here node1

for node in node1 node2; do
	stop $node.keepalived
	stop $node.dns64d
done
finish
