#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dnsdist: three dns64d behind dnsdist (contrib/dnsdist): how much is asked upstream, by how dnsdist chooses, and what
# clients miss when a node stops, dies or fails.
#
#	dnsdist.sh [ROUNDS [RATE [SECONDS [WORD]]]]	3 rounds; 1,000 questions a second for 10 s while a node goes;
#							WORD: only what has it in its name
#
# Something befalls node 1 after two seconds; one question in five is for a new name, the others are for 2,000 names, by
# Zipf's law; fakedns answers after 10 ms.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
. "${TOP_SRCDIR:-.}/tests/system/nodes.sh"
need dnsdist
rounds=${1:-3} rate=${2:-1000} seconds=${3:-10} only=${4:-}

# wanted WHAT: is it asked for?
wanted()
{
	case $1 in
	*"$only"*) ;;
	*) return 1 ;;
	esac
}

# ask_dnsdist SECONDS RATE HITS NAMES
ask_dnsdist()
{
	"$tester" rate -s 127.0.0.1 -p 5353 -d "$1" -r "$2" --hits "$3" --hot "$4" --popularity zipf:0.9 --prefix "$right" \
		--json "$work/run.json" >"$work/bench.out" 2>&1
}

# asked_upstream WHAT SED-OPTION...: by how dnsdist chooses: questions upstream for 60,000 by Zipf's law for 20,000 names, which
# were asked for once before; and the least and most of a node
asked_upstream()
{
	what=$1
	shift
	wanted "$what" || return
	configure_dnsdist "$@"
	start_dnsdist
	rm -f "$work"/*.n
	for _ in $(seq "$rounds"); do
		for n in 1 2 3; do
			ctl_node "$n" flush all >"$work/flush.out"
		done
		before=$(counted upstream_udp)
		ask_dnsdist 10 6000 100 20000
		echo "$before $(counted upstream_udp)" | awk '{ for (i = 1; i <= 3; i++) print $(i + 3) - $i }' >"$work/round"
		cat "$work/round" >>"$work/node.n"
		awk '{ n += $1 } END { print n }' "$work/round" >>"$work/upstream.n"
	done
	stop dnsdist
	printf '%-38s %s (%s), of a node %s\n' "$what" "$(median "$work/upstream.n")" "$(spread "$work/upstream.n")" \
		"$(spread "$work/node.n")"
}

# cpu_ns: what node 1 used so far
cpu_ns()
{
	cat "/proc/$(pid_of node1)"/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'
}

# cpu_of WHAT RATE: of node 1, while dnsdist is asked RATE questions a second, for ten seconds, whose answers are in caches
cpu_of()
{
	start_dnsdist
	ask_dnsdist 1 "$2" 100 2000
	before=$(cpu_ns) answers=$(n_asked 1)
	ask_dnsdist 10 "$2" 100 2000
	echo "$(cpu_ns) $before $(n_asked 1) $answers" | awk '{ printf "%.2f\n", ($1 - $2) / ($3 - $4) / 1000 }' >>"$work/$1.n"
	stop dnsdist
}

# cpu_of_an_answer: of node 1 by itself behind dnsdist, and as one of three, each with as many questions as it has then
cpu_of_an_answer()
{
	wanted 'CPU of an answer' || return
	rm -f "$work"/*.n
	for _ in $(seq "$rounds"); do
		backends=1
		configure_dnsdist -e '/127\.0\.1\.[23]:/d'
		cpu_of alone 2000
		backends=
		configure_dnsdist
		cpu_of three 6000
		paste "$work/alone.n" "$work/three.n" | tail -n 1 | awk '{ printf "%.3f\n", $2 / $1 }' >>"$work/ratio.n"
	done
	for what in alone three ratio; do
		printf 'CPU of an answer, us, %-16s %s (%s)\n' "$what" "$(median "$work/$what.n")" "$(spread "$work/$what.n")"
	done
}

# renew: node 1, as it is to be now
renew()
{
	kill -KILL "$(pid_of node1)" 2>/dev/null
	gone 1
	renew_backend 1
}

# unread: what was dropped unread so far by the kernel and by nodes 2 and 3, as on a machine that has no time for it
unread()
{
	{
		awk '/^Udp: [0-9]/ { print "client_late", $6 }' /proc/net/snmp
		ctl_node 2 stats
		ctl_node 3 stats
	} | awk '$1 == "client_late" { n += $2 } END { print n + 0 }'
}

# befalls WHAT COMMAND...: what the questions got while it befalls node 1, which is as it was afterwards
befalls()
{
	what=$1
	shift
	wanted "$what" || return
	rm -f "$work"/*.n
	for _ in $(seq "$rounds"); do
		before=$(unread)
		ask_dnsdist "$seconds" "$rate" 80 2000 &
		asking=$!
		sleep 2
		"$@"
		wait $asking
		for outcome in lost late 'wrong rcode' 'wrong data'; do
			found "$outcome" >>"$work/${outcome##* }.n"
		done
		echo $(($(unread) - before)) >>"$work/unread.n"
		kill -CONT "$(pid_of fakedns5302)"
		renew
	done
	printf '%-30s' "$what"
	for outcome in lost unread late rcode data; do
		printf ' %15s' "$(median "$work/$outcome.n") ($(spread "$work/$outcome.n"))"
	done
	echo
}

# node_signal N SIGNAL, upstream_signal SIGNAL
node_signal()
{
	kill -"$2" "$(pid_of "node$1")"
}

upstream_signal()
{
	kill -"$1" "$(pid_of fakedns5302)"
}

reload_all()
{
	for n in 1 2 3; do
		ctl_node "$n" reload >"$work/reload.out"
	done
}

right=$prefix
cat /proc/loadavg
upstream 5300 --ttl 3600
upstream 5301 --ttl 3600 --delay 10
upstream 5302 --ttl 3600 --delay 10
for n in 1 2 3; do
	start_backend "$n"
done

echo 'questions upstream'
asked_upstream 'chashed'
asked_upstream 'chashed without the balancing factor' -e '/BalancingFactor/d'
asked_upstream 'roundrobin' -e 's/^setServerPolicy.*/setServerPolicy(roundrobin)/'
asked_upstream 'leastOutstanding' -e 's/^setServerPolicy.*/setServerPolicy(leastOutstanding)/'

cpu_of_an_answer

backend_upstream='nameserver 127.0.0.1 port 5301'
for n in 1 2 3; do
	node_signal $n KILL
	gone $n
	start_backend $n
done
echo "of $((rate * seconds)) questions"
printf '%-30s %15s %15s %15s %15s %15s\n' '' 'no answer' 'dropped unread' 'late' 'an error' 'a wrong address'
for factor in 'with' 'without'; do
	case $factor in
	with) configure_dnsdist ;;
	without) configure_dnsdist -e '/BalancingFactor/d' ;;
	esac
	start_dnsdist
	echo "$factor setConsistentHashingBalancingFactor"
	befalls 'nothing' true
	befalls 'reload of all' reload_all
	befalls 'lameduck 3, SIGTERM' node_signal 1 TERM
	befalls 'kill -9' node_signal 1 KILL
	befalls 'SIGSTOP' node_signal 1 STOP
	lameduck=0
	renew
	befalls 'lameduck 0, SIGTERM' node_signal 1 TERM
	lameduck=3 backend_upstream='nameserver 127.0.0.1 port 5302'
	renew
	befalls 'its upstream is silent' upstream_signal STOP
	backend_upstream='nameserver 127.0.0.1 port 5301' prefix=2001:db8:65::/96
	renew
	befalls 'it has another prefix' true
	prefix=$right
	renew
	stop dnsdist
done
conclude
