#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bird: three dns64d have one anycast address, which BIRD announces to a router, configured by contrib/bird: by BGP and by
# OSPF they share the load, and what is lost when one goes is told and bounded; a planned stop loses nothing.
. "${TOP_SRCDIR:-.}/tests/system/networks.sh"
need bird birdc
contrib=$TOP_SRCDIR/contrib/bird
anycast=2001:db8:53::53
bird='nice -n -20 bird' # as BFD takes for dead who has no CPU for 0.3 s

# ways N: the router shares its packets among that many nodes
ways()
{
	[ "$(at router ip -6 route show "$anycast" | grep -c 'dev node')" -eq "$1" ]
}

# way_to NODE: that is one of them; no_way_to NODE: it is not
way_to()
{
	at router ip -6 route show "$anycast" | grep -q "dev $1 "
}

no_way_to()
{
	! way_to "$1"
}

# start_bird NODE PROTOCOL: by contrib's file, where machines of more than one have their own address
start_bird()
{
	n=${1#node}
	sed -e 's/^log syslog/log stderr/' -e "s/2001:db8:0:1::/2001:db8:0:$n::/" -e "s/192\\.0\\.2\\.1;/192.0.2.$n;/" \
		"$contrib/node-$2.conf" >"$work/$1.bird.conf"
	# shellcheck disable=SC2086 # a command and its options
	start_at "$1" "$1.bird" $bird -f -c "$work/$1.bird.conf" -s "$work/$1.ctl"
}

start_route()
{
	start_at "$1" "$1.route" "$contrib/dns64d-route" -s "$work/$1.ctl"
}

# start_all PROTOCOL: BIRD and dns64d-route everywhere, until the router has three ways
start_all()
{
	sed 's/^log syslog/log stderr/' "$contrib/router-$1.conf" >"$work/router.conf"
	# shellcheck disable=SC2086 # likewise
	start_at router router.bird $bird -f -c "$work/router.conf" -s "$work/router.ctl"
	for node in node1 node2 node3; do
		start_bird $node "$1"
	done
	for node in node1 node2 node3; do
		wait_for 30 has_default $node || give_up "$1: $node has no default route"
		[ -f "$work/$node.dns64d.pid" ] || start_anycast_node $node
		start_route $node
	done
	wait_for 30 ways 3 || give_up "$1: the router does not learn three ways"
}

stop_all()
{
	for node in node1 node2 node3; do
		stop $node.route
		stop $node.bird
	done
	stop router.bird
}

has_default()
{
	at "$1" ip -6 route show default | grep -q "src 2001:db8:0:${1#node}::2"
}

start_anycast_node()
{
	start_dns64d_at "$1" "listen $anycast" "listen 2001:db8:0:${1#node}::2" 'nameserver 2001:db8:c::2 port 5300' 'lameduck 3'
}

# asked NODE: how many questions it has had
asked()
{
	at "$1" curl -s -g -m 5 'http://[::1]:6464/metrics' | awk '/^dns64d_client_queries_total/ { n += $NF } END { print n + 0 }'
}

# gone WHAT NODE PROCESS SIGNAL: the process is hit by the signal, and the route to the node goes
gone()
{
	wait_for 30 ways 3
	fault "$1"
	kill -"$4" "$(pid_of "$2.$3")"
	check "$protocol: $1: the route goes" wait_for 20 no_way_to "$2"
}

# back NODE: the router has three ways again
back()
{
	check "$protocol: $1 is back" wait_for 30 ways 3
}

# killed NODE: its dns64d is killed, and started anew
killed()
{
	gone 'killed' "$1" dns64d KILL
	wait "$(pid_of "$1.dns64d")"
	fault 'return'
	start_anycast_node "$1"
	back "$1"
}

# Until all questions to a process that stands still are lost.
given_up=2.2

# stopped NODE: its dns64d stands still
stopped()
{
	gone 'stopped' "$1" dns64d STOP
	sleep $given_up
	fault 'return'
	kill -CONT "$(pid_of "$1.dns64d")"
	back "$1"
}

# dead NODE: all of it stands still but the kernel, and the link is up
dead()
{
	kill -STOP "$(pid_of "$1.dns64d")"
	gone 'dead machine' "$1" bird STOP
	sleep $given_up
	fault 'return'
	kill -CONT "$(pid_of "$1.bird")" "$(pid_of "$1.dns64d")"
	back "$1"
}

# unplugged NODE
unplugged()
{
	wait_for 30 ways 3
	fault 'link down'
	at "$1" ip link set eth0 down
	check "$protocol: link down: the route goes" wait_for 20 no_way_to "$1"
	fault 'return'
	at "$1" ip link set eth0 up
	back "$1"
}

# planned NODE: a stop that lameduck announces
planned()
{
	gone 'planned stop' "$1" dns64d TERM
	check "$protocol: planned stop: the route is gone before the last answer" \
		is NOERROR at client kdig "@2001:db8:0:${1#node}::2" +timeout=2 +retry=0 010-000-000-001.dns64perf.test AAAA
	wait "$(pid_of "$1.dns64d")"
	equal "$protocol: planned stop: exit code" 0 $?
	fault 'return'
	start_anycast_node "$1"
	back "$1"
}

# lasted WHAT MS: how long questions were lost. On a quiet machine MS hold; here twice that, and what it adds
lasted()
{
	# shellcheck disable=SC2046 # two words
	set -- "$1" "$2" $(lost "$1")
	check "$protocol: $1: $3 questions of 333/s were lost, for $4 ms, at most $2 on a quiet machine" \
		test "$4" -le "$(stretch $((2 * $2)))"
}

# returned: a way that is there again is one that works. Where BIRD itself waits for a CPU ways come and go.
returned()
{
	count=$(lost 'return' | cut -d ' ' -f 1)
	check "$protocol: returns: $count questions of 1,000/s were lost, none on a quiet machine" test "$count" -le "$(stretch 1000)"
}

# --- the files ---

for file in node-bgp router-bgp node-ospf router-ospf; do
	check "BIRD takes $file.conf" bird -p -c "$contrib/$file.conf"
done
if command -v systemd-analyze >/dev/null; then
	sed "s|/usr/local/sbin|$contrib|" "$contrib/dns64d-route.service" >"$work/dns64d-route.service"
	check 'systemd takes dns64d-route.service' systemd-analyze verify "$work/dns64d-route.service"
fi

# --- the network: three nodes behind a router, and a client, who is upstream as well ---

watch_noise
for name in client router node1 node2 node3; do
	machine $name
done
cable client eth0 router uplink
address client eth0 2001:db8:c::2/64
address router uplink 2001:db8:c::1/64
at client ip -6 route add default via 2001:db8:c::1
at router ip -6 route add default via 2001:db8:c::2
for setting in conf/all/forwarding conf/all/ignore_routes_with_linkdown fib_multipath_hash_policy; do
	at router sh -c "echo 1 >/proc/sys/net/ipv6/$setting" || give_up "no $setting"
done
for n in 1 2 3; do
	cable node$n eth0 router node$n
	address node$n eth0 2001:db8:0:$n::2/64
	address router node$n 2001:db8:0:$n::1/64
	address node$n lo $anycast/128
done
start_at client fakedns "$fakedns" -l 2001:db8:c::2 -p 5300 --ttl 300

# --- BGP ---

protocol=BGP
start_all bgp
ask_steadily_at client $anycast
sleep 4
shares="$(asked node1) $(asked node2) $(asked node3)"
all=$(($(echo "$shares" | tr ' ' '+')))
for share in $shares; do
	check "a node has its third within 20 %: $share of $all" test $((share * 30)) -ge $((all * 8)) -a \
		$((share * 30)) -le $((all * 12))
done
killed node1
stopped node2
dead node3
unplugged node1
planned node2
fault 'dns64d-route ends'
stop node3.route
check 'when dns64d-route ends the route goes' wait_for 10 no_way_to node3
equal 'its exit code' 0 "$status"
start_route node3
back node3
kill -KILL "$(pid_of node3.route)"
wait "$(pid_of node3.route)"
check 'when it is killed the route stays' way_to node3
check 'until somebody withdraws it' "$contrib/dns64d-route" --withdraw -s "$work/node3.ctl"
check 'then the route goes' wait_for 10 no_way_to node3
start_route node3
back node3
fault 'BIRD is restarted'
stop node1.bird
start_bird node1 bgp
back node1
answers_end
lasted 'killed' 1000
lasted 'stopped' 2000
lasted 'dead machine' 500
lasted 'link down' 500
for what in 'planned stop' 'dns64d-route ends' 'BIRD is restarted'; do
	equal "BGP: $what: no question is lost" '0 0' "$(lost "$what")"
done
returned
stop_all
check 'why is in the log' logged node1.route 'disable dns64d\*: .* is not 200: curl: (7) Failed to connect'
check 'of a lame duck, too' logged node2.route 'is not 200: 503'

# --- OSPF ---

protocol=OSPF
start_all ospf
ask_steadily_at client $anycast
killed node1
unplugged node1
planned node2
answers_end
# BIRD's router calculates its routes each second.
lasted 'killed' 2000
lasted 'link down' 500
equal 'OSPF: planned stop: no question is lost' '0 0' "$(lost 'planned stop')"
returned
stop_all

finish
