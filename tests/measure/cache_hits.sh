#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_hits: what an answer from the cache costs: dns64d beside its peers, as contrib/peers starts them,
# all with warm caches, one thread each on the same core, in turns. The questions are for AAAA of names
# that have A only, each of which upstream was asked for twice.
#
#	cache_hits.sh [ROUNDS [NAMES [SECONDS]]]	5 rounds of 1,048,576 names, 3 s each
#
# Prints for 1,000 names and for NAMES the CPU time (user and system) of an answer at saturation, and of how
# many questions upstream was asked meanwhile: of none, if all were hits. PEERS are the servers for 1,000
# names, FEW those for NAMES: to warm them is what takes the time (6,000 names per second for some), so it is
# done on both cores and in the order of a shuffled list; the names are asked for in another.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
need shuf

rounds=${1:-5} names=${2:-1048576} seconds=${3:-3}
peers=$(cd "${TOP_SRCDIR:-.}/contrib/peers" && pwd)
PEERS=${PEERS:-dns64d unbound pdns bind knot}
FEW=${FEW:-dns64d unbound pdns}
export DNS64D

# port_of PEER
port_of()
{
	case $1 in
	dns64d) echo 5371 ;;
	unbound) echo 5372 ;;
	pdns) echo 5373 ;;
	bind) echo 5374 ;;
	*) echo 5375 ;;
	esac
}

# Octets; an entry takes more of some.
cache_of()
{
	case $1 in
	dns64d) echo 1073741824 ;;
	*) echo 6442450944 ;;
	esac
}

peer_pid()
{
	cut -d ' ' -f 1 "$work/peers/$1/pid"
}

begin()
{
	mkdir -p "$work/peers/$1"
	chmod 755 "$work/peers" "$work/peers/$1"
	cat >"$work/peers/$1/settings" <<-TEXT
		server='$peers/$1.sh' core=0 port=$(port_of "$1") extra='' address=127.0.0.1
		upstream_port=5300 prefix=${prefix%/*} zone=dns64perf.test cache=$(cache_of "$1")
		in_flight=8192 tcp_clients=64 buffer=4194304 limit=3600
	TEXT
	"$peers/server" start "$work/peers/$1" >/dev/null || give_up "$1 does not start"
}

# shellcheck disable=SC2317 # called by a trap
end()
{
	for end_peer in $PEERS; do
		[ ! -e "$work/peers/$end_peer/pid" ] || "$peers/server" stop "$work/peers/$end_peer"
	done
	cleanup
}

# datagrams: that came in, to whomever, in this network namespace
datagrams()
{
	awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp
}

# measure PEER READY OPTION...: READY names are asked for before it begins
measure()
{
	measure_peer=$1 measure_ready=$2
	shift 2
	measure_before=$(datagrams)
	bench "$(port_of "$measure_peer")" "$(peer_pid "$measure_peer")" closed -d "$seconds" \
		--clients 4 --window 250 --prefix $prefix "$@"
	# The question and the answer are of the tester; what is more is upstream's.
	measure_after=$(($(datagrams) - measure_before - 2 * ($(finding received) + measure_ready)))
	cost >>"$work/$measure_peer.cost"
	column rate | cut -d . -f 1 >>"$work/$measure_peer.rate"
	busy >>"$work/$measure_peer.busy"
	echo "$measure_after $(finding received) $(finding lost)" >>"$work/$measure_peer.asked"
}

# tell WHAT PEERS
tell()
{
	for tell_peer in $2; do
		awk '{ asked += $1 > 0 ? $1 : 0; n += $2; lost += $3 } END {
			printf "%.2f %% of the answers with datagrams upstream, %d lost", 100 * asked / 2 / n, lost }' \
			"$work/$tell_peer.asked" >"$work/note"
		echo "$1, $tell_peer: $(median "$work/$tell_peer.cost") ns of CPU an answer" \
			"($(spread "$work/$tell_peer.cost")), $(median "$work/$tell_peer.rate")/s, core" \
			"$(median "$work/$tell_peer.busy") % busy; $(cat "$work/note")"
	done
}

# compare WHAT PEER MOST: dns64d takes at most MOST of what PEER does
compare()
{
	case " $PEERS " in *" $2 "*) ;; *) return ;; esac
	compare_share=$(quotient "$(median "$work/dns64d.cost")" "$(median "$work/$2.cost")")
	check "$1: dns64d takes $compare_share of the CPU time of $2, at most $3" holds "$compare_share <= $3"
}

# turns PEERS READY OPTION...
turns()
{
	turns_peers=$1
	shift
	rm -f "$work"/*.cost "$work"/*.rate "$work"/*.busy "$work"/*.asked
	turns_round=0
	while [ $turns_round -lt "$rounds" ]; do
		turns_round=$((turns_round + 1))
		for turns_peer in $turns_peers; do
			measure "$turns_peer" "$@"
		done
	done
}

# warm PEER CORE: all of the names, on that core
warm()
{
	taskset -a -p -c "$2" "$(peer_pid "$1")" >/dev/null
	taskset -c "$2" dnsperf -s 127.0.0.1 -p "$(port_of "$1")" -d "$work/names" -n 1 -c 4 -T 1 -q 200 \
		-b 4096 >"$work/$1.warm" 2>&1
	taskset -a -p -c 0 "$(peer_pid "$1")" >/dev/null
}

# warm_all: the slow one by itself, the others beside it
warm_all()
{
	awk -v n="$names" 'BEGIN { for (i = 0; i < n; i++)
		printf "010-%03d-%03d-%03d.dns64perf.test AAAA\n", i / 65536 % 256, i / 256 % 256, i % 256 }' |
		shuf >"$work/names"
	case " $FEW " in *' pdns '*)
		warm pdns 1 &
		warm_pdns=$!
		;;
	*) warm_pdns= ;;
	esac
	for warm_peer in $FEW; do
		[ "$warm_peer" = pdns ] || warm "$warm_peer" 0
	done
	[ -z "$warm_pdns" ] || wait "$warm_pdns"
	for warm_peer in $FEW; do
		echo "warmed $warm_peer: $(sed -n 's/.*Queries completed: *//p' "$work/$warm_peer.warm") of $names"
	done
}

trap end EXIT
upstream 5300 --ttl 86400 --negative-ttl 86400
for peer in $PEERS; do
	begin "$peer"
done
turns "$PEERS" 1000 --hits 100 --hot 1000
tell '1,000 names' "$PEERS"
compare '1,000 names' unbound 0.75
compare '1,000 names' pdns 0.85

[ "$names" -gt 0 ] || conclude
warm_all
turns "$FEW" 1 -N 10.0.0.0/"$(awk -v n="$names" 'BEGIN { for (bits = 32; n > 1; n /= 2) bits--; print bits }')"
tell "$names names" "$FEW"
compare "$names names" unbound 0.75
compare "$names names" pdns 0.85
conclude
