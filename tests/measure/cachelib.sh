# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # for those who source it; names of what it sources
# cachelib: what the measurements of the cache share. They run on two CPUs: the server on core 0, fakedns
# and the tester on core 1; as root in a network namespace of their own. Sources servers.sh.
#
#	upstream PORT OPTION...		fakedns there
#	dns64d NAME PORT LINE...	a dns64d there, with one loop, asking 127.0.0.1:5300 unless told
#					otherwise
#	counters NAME			have it tell them; then: count NAME COUNTER
#	numbers FIRST N			questions for telephone numbers, as dnsperf reads them
#	fill PORT FILE			ask all of the file once
#	bench PORT PID METHOD WORD...	dns64bench; then: finding NAME, column NAME, cost, busy
#	median FILE, spread FILE	of its numbers, one a line
#	holds EXPRESSION		of awk, for check
#	by_veth				from now on fakedns and the tester are in a network namespace of
#					their own, and the server is reached by a pair of virtual cards

if [ "$(id -u)" = 0 ] && [ -z "${CACHE_INSIDE-}" ]; then
	exec env CACHE_INSIDE=yes unshare --net sh "$0" "$@"
fi
[ -z "${CACHE_INSIDE-}" ] || ip link set lo up || exit 99
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need taskset dnsperf
case $DNS64D in /*) ;; *) DNS64D=$PWD/$DNS64D ;; esac
tester=$TOP_BUILDDIR/dns64bench
engine=$TOP_BUILDDIR/tests/measure/bench_engine
[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}

# Where the server and fakedns are, and what the commands on the side of fakedns begin with.
server_at=127.0.0.1 upstream_at=127.0.0.1 across=

by_veth()
{
	start across unshare --net sleep 1000000
	wait_for 5 sh -c "[ \"\$(readlink /proc/$(pid_of across)/ns/net)\" != \"\$(readlink /proc/self/ns/net)\" ]" ||
		give_up 'no namespace'
	across="nsenter -t $(pid_of across) -n"
	server_at=192.0.2.1 upstream_at=192.0.2.2
	if ! { ip link add here type veth peer name there netns "$(pid_of across)" &&
		ip address add $server_at/24 dev here && ip link set here up &&
		$across ip address add $upstream_at/24 dev there && $across ip link set there up; }; then
		give_up 'no veth'
	fi
}

upstream()
{
	upstream_port=$1
	shift
	# shellcheck disable=SC2086 # words
	start "fakedns$upstream_port" $across taskset -c 1 "$fakedns" -l $upstream_at -p "$upstream_port" "$@"
	wait_for 5 listens $upstream_at "$upstream_port" || give_up "fakedns does not start"
}

dns64d()
{
	dns64d_name=$1 dns64d_port=$2
	shift 2
	{
		printf '%s\n' "listen $server_at port $dns64d_port" "dns64-prefix $prefix" 'num-threads 1' \
			'socket-buffer 4m' "$@"
		printf '%s\n' "$@" | grep -q '^nameserver' || echo "nameserver $upstream_at port 5300"
	} >"$work/$dns64d_name.conf"
	start "$dns64d_name" taskset -c 0 "$DNS64D" -f -c "$work/$dns64d_name.conf"
	wait_for 5 listens $server_at "$dns64d_port" || give_up "dns64d does not start: $(cat "$work/$dns64d_name.log")"
}

told()
{
	[ "$(grep -c 'stats: in flight' "$work/$1.log")" -gt "$2" ]
}

counters()
{
	counters_times=$(grep -c 'stats: in flight' "$work/$1.log")
	kill -USR1 "$(pid_of "$1")"
	wait_for 5 told "$1" "$counters_times" || give_up "no statistics"
}

count()
{
	sed -n "s/.* stats: $2 \([0-9]*\).*/\1/p" "$work/$1.log" | tail -n 1 | grep . || echo 0
}

# lookups NAME: the questions of queries that were looked up in the cache so far: hits and misses
looked_up()
{
	counters "$1"
	echo "$(count "$1" cache_hits) $(count "$1" cache_misses)"
}

# hit_rate "HITS MISSES" "HITS MISSES": in percent, of what came between
hit_rate()
{
	echo "$1 $2" | awk '{ n = $3 - $1 + $4 - $2; printf "%.2f\n", (n > 0 ? 100 * ($3 - $1) / n : 0) }'
}

# Last digit first (RFC 6116).
numbers()
{
	awk -v first="$1" -v n="$2" 'BEGIN {
		for (i = 0; i < n; i++) {
			t = sprintf("%d", first + i)
			r = ""
			for (j = length(t); j > 0; j--)
				r = r substr(t, j, 1) "."
			print r "e164.arpa NAPTR"
		}
	}'
}

fill()
{
	dnsperf -s 127.0.0.1 -p "$1" -d "$2" -n 1 -c 4 -T 1 -q 1000 -b 4096 >"$work/dnsperf.out" 2>&1 ||
		give_up "dnsperf failed"
}

bench()
{
	bench_port=$1 bench_pid=$2
	shift 2
	# shellcheck disable=SC2086 # words
	$across taskset -c 1 "$tester" "$@" -s $server_at -p "$bench_port" --pid "$bench_pid" \
		--json "$work/run.json" --csv "$work/run.csv" >"$work/run.out" 2>&1
}

finding()
{
	awk -v name="$1" '
		/"name": / { sub(/.*"name": "/, ""); sub(/".*/, ""); this = $0 }
		/"value": / && this == name { sub(/.*"value": /, ""); sub(/,$/, ""); print; exit }' "$work/run.json"
}

# column NAME: of the first row of the main table
column()
{
	awk -F , -v name="$1" '
		/^#/ { next }
		!head { for (i = 1; i <= NF; i++) if ($i == name) at = i; head = 1; next }
		{ print at ? $at : ""; exit }' "$work/run.csv"
}

# cost: user and system time of the server for one answer, in ns
cost()
{
	finding 'server CPU per answer' | awk '{ printf "%.0f\n", $1 * 1000 }'
}

# busy: the server's core, in percent
busy()
{
	finding 'server CPU' | awk '{ printf "%.0f\n", $1 }'
}

median()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

spread()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[1] " to " v[NR] }'
}

# quotient A B [DIGITS]
quotient()
{
	awk -v a="$1" -v b="$2" -v digits="${3:-3}" 'BEGIN { printf "%." digits "f\n", (b > 0 ? a / b : 0) }'
}

# holds EXPRESSION: of awk
holds()
{
	awk "BEGIN { exit !($1) }"
}

# conclude: a figure that was missed is no fault whose circumstances are in the logs
conclude()
{
	rm -f "$work"/*.log
	finish
}
