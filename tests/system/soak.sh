#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak: everything at once, for a while: clients over UDP and TCP, one who asks far too much, one who sends
# noise; upstreams that lose, damage and forge 1 % of their answers and are killed and started again;
# reloads. Nothing may grow and nothing may become slower.
#
#	soak.sh [MINUTES]	or SOAK_MINUTES in the environment; 1 by default
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf

seconds=$((${1:-${SOAK_MINUTES:-1}} * 60))
rows=12
tester=$TOP_BUILDDIR/dns64bench
seed=1

# upstream K: 127.0.0.K port 5300
upstream()
{
	seed=$((seed + 1))
	start "fakedns$1" "$fakedns" -l "127.0.0.$1" -p 5300 --seed $seed --loss 1 --damage 1 --forge 1 \
		--duplicate 1 --reorder 1 --jitter 5 --truncate 1 --ttl 60
}

listening()
{
	"$wire" tcp "127.0.0.$1" 5300 pause 0
}

limits=
if "$DNS64D" --print-keywords | grep -q '^rate-limit[[:space:]]'; then
	limits='rate-limit 500
rate-limit-exempt 127.0.0.1'
fi

# config_of N: the N-th configuration: they differ in what a reload may change
config_of()
{
	configure 'nameserver 127.0.0.2 port 5300' 'nameserver 127.0.0.3 port 5300' 'num-threads 2' 'cache-size 4m' \
		'allow any' 'tcp-idle-timeout 2' "max-same-question $((16 + $1 % 3))" "$limits"
	[ $(($1 % 2)) = 0 ] || echo 'listen 127.0.0.1 port 5365' >>"$work/dns64d.conf"
}

upstream 2
upstream 3
wait_for 60 listening 2 || give_up "fakedns does not start"
wait_for 60 listening 3 || give_up "fakedns does not start"
config_of 0
start_dns64d
pid=$(pid_of dns64d)
descriptors()
{
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}
idle=$(descriptors)

# calm: are there no more descriptors than before the load, and what one more address to listen on takes?
calm()
{
	[ "$(descriptors)" -le $((idle + 8)) ]
}

# until the end: what goes on beside the two testers
: >"$work/going"
restarts()
{
	trap 'exit 0' TERM
	restarts_n=0
	while [ -e "$work/going" ]; do
		sleep 4
		restarts_n=$((restarts_n + 1))
		restarts_k=$((2 + restarts_n % 2))
		kill -KILL "$(pid_of "fakedns$restarts_k")" 2>/dev/null
		sleep 0.5
		seed=$((restarts_n * 10))
		# The old one may hold the address for a moment.
		# shellcheck disable=SC2034 # as often as three times
		for restarts_try in 1 2 3; do
			upstream $restarts_k
			wait_for 3 listening $restarts_k && break
		done
		echo $restarts_n >"$work/restarts"
		config_of $restarts_n
		kill -HUP "$pid"
	done
}

rude()
{
	trap 'exit 0' TERM
	rude_n=0
	while [ -e "$work/going" ]; do
		rude_n=$((rude_n + 1))
		"$wire" udp 127.0.0.1 5364 noise 100 $rude_n >/dev/null 2>&1
		"$wire" tcp ::1 5364 noise 3000 $rude_n pause 100 >/dev/null 2>&1
		"$wire" tcp ::1 5364 crowd 50 100 >/dev/null 2>&1
		"$wire" tcp ::1 5364 flood 200 txt-15000.dns64perf.test TXT pause 200 >/dev/null 2>&1
		sleep 0.2
	done
}

# Hardly a cache for it: 200,000 names.
questions 200000 >"$work/names"
restarts &
restarts_pid=$!
rude &
rude_pid=$!
start dnsperf dnsperf -s 127.0.0.1 -p 5364 -a 127.0.0.9 -d "$work/names" -Q 1000 -q 100 -t 2 -l $seconds
start tcp "$tester" soak -s 127.0.0.1 -p 5364 --transport tcp --sources 4 --per-connection 50 -r 100 -d $seconds \
	--interval $((seconds / rows)) --prefix $prefix --timeout 5 -N 11.0.0.0/8 --csv "$work/tcp.csv"
start udp "$tester" soak -s 127.0.0.1 -p 5364 -r 300 -d $seconds --interval $((seconds / rows)) \
	--prefix $prefix --timeout 5 -N 12.0.0.0/8 --pid "$pid" --csv "$work/udp.csv"
wait "$(pid_of udp)"
wait "$(pid_of tcp)"
wait "$(pid_of dnsperf)"
rm "$work/going"
wait $restarts_pid $rude_pid
sed -n '/^The load/,/^$/p' "$work/udp.log"
sed -n '/^The load/,/^$/p' "$work/tcp.log"

# value LOG WHAT: a figure that the tester has found
value()
{
	sed -n "s/^$2  *\([0-9][0-9.]*\).*/\1/p" "$work/$1.log" | tail -n 1 | grep . || echo 0
}

# halves COLUMN: the medians of the first half of the rows, without the first two, and of the second half
halves()
{
	awk -F, -v want="$1" '
		function median(from, to, i, j, t, n) {
			n = 0
			for (i = from; i <= to; i++) sorted[++n] = v[i]
			for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++)
				if (sorted[j] < sorted[i]) { t = sorted[i]; sorted[i] = sorted[j]; sorted[j] = t }
			return sorted[int((n + 1) / 2)]
		}
		/^#/ { next }
		column == 0 { for (i = 1; i <= NF; i++) if ($i == want) column = i; next }
		{ v[++rows] = $column }
		END { half = int((rows + 2) / 2); print median(3, half), median(half + 1, rows) }' "$work/udp.csv"
}

holds()
{
	awk "BEGIN { exit !($1) }"
}

# What waited too long where the machine stood still is dropped (RULES D32); these are counted, of all clients together.
tell_statistics
late=$(statistic client_late)
check "a few were late ($late)" holds "$late <= 50 * $seconds"
for over in udp tcp; do
	asked=$(value $over sent) right=$(value $over valid)
	[ $over = udp ] || late=0
	check "$over: asked as much as was to be asked ($asked)" holds "$asked >= 95 * $seconds"
	check "$over: 99.5 % right ($right of $asked, $late dropped as late)" holds "$right + $late >= 0.995 * $asked"
	equal "$over: nothing forged or damaged was believed" 0 "$(value $over 'wrong data')"
	equal "$over: nothing else came" '0 0 0' \
		"$(value $over duplicate) $(value $over stray) $(value $over malformed)"
done
# shellcheck disable=SC2046 # two numbers
set -- $(halves server_rss)
check "memory is flat: $1 MiB, then $2 MiB" holds "$2 <= $1 * 1.05 + 2"
check "descriptors: $idle before, as few when all is calm" wait_for 60 calm
# A minute is too short to tell the daemon's time from the machine's.
if [ $seconds -ge 600 ]; then
	# shellcheck disable=SC2046
	set -- $(halves rtt_p99)
	check "p99: $1 us, then $2 us" holds "$2 <= $1 * 1.5 + 50000"
fi
check "upstreams were killed ($(cat "$work/restarts") times)" test "$(cat "$work/restarts")" -ge $((seconds / 20))
check "reloads: $(grep -c 'reload: done' "$work/dns64d.log")" \
	test "$(grep -c 'reload: done' "$work/dns64d.log")" -ge $((seconds / 10))
if [ -n "$limits" ]; then
	check "one client was limited ($(statistic rate_limited))" test "$(statistic rate_limited)" -ge $((seconds * 20))
fi
check "it has not been started again" kill -0 "$pid"
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
