#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# peer: dns64d and Unbound (forwarding, with its dns64 module) in turns on the same CPU core, one loop
# or thread each; fakedns and dnsperf on another. All names are new and have A only, so that Unbound's
# cache is of no use, and dns64d has none.
#
#	peer.sh [ROUNDS]	or ROUNDS in the environment; 5 by default, of about a minute
#
# Prints for each round and each of the two the highest rate at which for two seconds every question was
# answered right within a second, and at saturation the CPU time (user and system) per question.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf unbound taskset

rounds=${1:-${ROUNDS:-5}}
port=5364
names=3000000
line=36 # octets of a line of the file of questions

[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}

start_loads()
{
	start fakedns taskset -c 1 "$fakedns" -l 127.0.0.1 -p 5300 --ttl 300
	wait_for 5 serves 5300 || give_up "fakedns does not start"
}

# shellcheck disable=SC2317 # called by measure
begin_dns64d()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 0'
	start subject taskset -c 0 "$DNS64D" -f -c "$work/dns64d.conf"
}

# shellcheck disable=SC2317 # called by measure
begin_unbound()
{
	configure_forwarder "$port"
	start subject taskset -c 0 unbound -d -p -c "$work/forwarder.conf"
}

# load SECONDS DNSPERF-ARGUMENT...: the next questions of the file; sets $sent $answered $right $lost
load()
{
	load_seconds=$1
	shift
	{
		dd bs=$line skip=$next count=0 status=none
		taskset -c 1 dnsperf -s 127.0.0.1 -p $port -c 4 -b 4096 -t 1 -l "$load_seconds" "$@"
	} <"$work/questions" >"$work/dnsperf.out" 2>&1
	sent=$(figure 'Queries sent')
	answered=$(figure 'Queries completed')
	lost=$(figure 'Queries lost')
	# Each answer holds one AAAA: 48 octets of header and question, 28 of the record.
	right=0
	if grep -q 'NOERROR [0-9]* (100.00%)' "$work/dnsperf.out" &&
		grep -q 'response 76$' "$work/dnsperf.out"; then
		right=$answered
	fi
	next=$((next + sent))
}

figure()
{
	sed -n "s/.*$1: *\([0-9]*\).*/\1/p" "$work/dnsperf.out" | grep . || echo 0
}

# cpu_ticks: of the one under test
cpu_ticks()
{
	awk '{ print $14 + $15 }' "/proc/$(pid_of subject)/stat"
}

# saturate: as many questions as it can take; sets $saturated (answers per second) and $cost (ns each)
saturate()
{
	saturate_before=$(cpu_ticks)
	load 4 -q 1000
	saturate_ticks=$(($(cpu_ticks) - saturate_before))
	saturated=$((answered / 4))
	cost=$((saturate_ticks * (1000000000 / $(getconf CLK_TCK)) / answered))
	busy=$((saturate_ticks * 100 / 4 / $(getconf CLK_TCK)))
}

# holds RATE: is every question answered, right and in time? One of two attempts may fail.
holds()
{
	for _ in 1 2; do
		load 2 -q 20000 -Q "$1"
		[ "$lost" = 0 ] && [ "$right" = "$sent" ] && [ $((sent * 100)) -ge $(($1 * 2 * 97)) ] && return
	done
	return 1
}

# search: the highest rate that holds, to 1 %, in $rate
search()
{
	low=$((saturated * 3 / 10)) high=$((saturated * 12 / 10))
	while [ $(((high - low) * 100)) -gt "$high" ]; do
		middle=$(((low + high) / 2))
		if holds $middle; then
			low=$middle
		else
			high=$middle
		fi
	done
	rate=$low
}

measure()
{
	next=0
	"begin_$1"
	wait_for 5 serves $port || give_up "$1 does not start"
	equal "$1 synthesizes" 2001:db8:64::a00:1 "$(kdig +short @127.0.0.1 -p $port 010-000-000-001.dns64perf.test AAAA)"
	load 1 -q 100 # warm
	saturate
	search
	echo "$1: $rate/s without loss; saturated $saturated/s, $cost ns CPU each (core $busy % busy)"
	echo "$1 $rate $saturated $cost" >>"$work/results"
	stop subject
}

# column PROGRAM N: the sorted figures
column()
{
	awk -v who="$1" -v n="$2" '$1 == who { print $n }' "$work/results" | sort -n
}

median()
{
	column "$@" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# summary WHAT N: medians, spread and ratio
summary()
{
	for who in dns64d unbound; do
		echo "$1, $who: median $(median $who "$2"), $(column $who "$2" | head -n 1) to $(column $who "$2" | tail -n 1)"
	done
	awk -v a="$(median dns64d "$2")" -v b="$(median unbound "$2")" -v what="$1" \
		'BEGIN { printf "%s, dns64d / unbound: %.2f\n", what, a / b }'
}

questions $names >"$work/questions"
start_loads
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	echo "round $round of $rounds"
	if [ $((round % 2)) = 1 ]; then
		measure dns64d
		measure unbound
	else
		measure unbound
		measure dns64d
	fi
done
summary 'highest rate without loss (1/s)' 2
summary 'answers at saturation (1/s)' 3
summary 'CPU time at saturation (ns)' 4
finish
