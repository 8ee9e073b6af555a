#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# memory: dns64d under a limit little above the memory that it takes, in a flood of names that are all new: nothing
# kills it, its memory stays flat, and all is well afterwards. The limit is that of a control group (memory.max) where a test
# may make one, and that of its address space everywhere. Figures are told. (memory-limit)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 2m' 'max-queries 2048' 'max-tcp-clients 64'

# flood FIRST TIMES: 50,000 new names each time, as many at once as max-queries permits, since how many more a
# socket's buffer takes on a busy machine is not for here; prints how many were answered, and how many of these with
# SERVFAIL
flood()
{
	flood_n=0
	while [ $flood_n -lt $(($2 * 25)) ]; do
		# shellcheck disable=SC2046 # its words
		set -- "$1" "$2" $("$wire" udp ::1 5364 burst $(($1 + 2000 * flood_n)) 2000 dns64perf.test 2000 2>&1)
		echo "$3 $5"
		flood_n=$((flood_n + 1))
	done | awk '{ n += $1; failed += $2 } END { print n, failed }'
}

# of WHAT: VmRSS, VmHWM or VmSize in KiB
of()
{
	awk -v what="$1:" '$1 == what { print $2 }' "/proc/$(pid_of dns64d)/status"
}

# --- what it takes ---

start_dns64d
flood 0 2 >/dev/null
most=$(of VmHWM) space=$(of VmSize)
echo "without a limit: $most KiB resident at most, $space KiB of addresses"
stop dns64d

# --- the same with little more ---

top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$top$(sed -n 's/^0:://p' /proc/self/cgroup)/$(basename "$work")
limit="ulimit -v $((space + 1024))"
what='of addresses'
if [ -n "$top" ] && grep -qw memory "${group%/*}/cgroup.subtree_control" 2>/dev/null && mkdir "$group" 2>/dev/null; then
	echo $(((most + 2048) * 1024)) >"$group/memory.max"
	echo 0 >"$group/memory.swap.max" 2>/dev/null
	limit="$limit && echo \$\$ >'$group/cgroup.procs'"
	what='of addresses, 2 MiB of memory'
fi
start dns64d sh -c "$limit && exec '$DNS64D' -f -c '$work/dns64d.conf'"
wait_for 60 serves 5364 || give_up 'it does not start with a MiB more'
pid=$(pid_of dns64d)
flood 1000000 2 >"$work/first"
before=$(of VmRSS)
flood 2000000 6 >"$work/flood"
after=$(of VmRSS)
read -r n failed <"$work/flood"
# A busy machine loses some on the way.
check "a MiB more $what: 300,000 new names ($n answered, $failed of them SERVFAIL)" test $((n - failed)) -ge 150000
# Pages of the pools are touched first when more is in flight than ever before, which the machine's other work decides.
# All names are new: what keeps eight bytes of each is found.
check "memory is flat ($before KiB, then $after)" test "$after" -le $((before + 2048))
check "and what it was without a limit ($most KiB)" test "$(of VmHWM)" -le $((most + 2048))
equal 'all is well afterwards' '500 answers, 0 SERVFAIL' \
	"$("$wire" udp ::1 5364 steady 3000000 500 dns64perf.test 10000 500 | cut -d, -f1-2)"
check 'it was not killed' kill -0 "$pid"
equal 'it did not lack memory' 0 "$(grep -c 'no memory' "$work/dns64d.log")"
if [ -d "$group" ]; then
	equal 'nothing was killed in its group' 'oom_kill 0' "$(grep '^oom_kill ' "$group/memory.events")"
fi
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
[ ! -d "$group" ] || rmdir "$group"
finish
