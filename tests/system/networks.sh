# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034 # for those who source it
# networks: machines with networks of their own, for tests of several dns64d, and what is lost when one goes. Sources
# servers.sh.
#
#	machine NAME		has a network namespace, without duplicate address detection
#	at NAME COMMAND...	runs there
#	cable NAME INTERFACE NAME INTERFACE	a link between two machines
#	address NAME INTERFACE ADDRESS/LENGTH...
#	start_at MACHINE NAME COMMAND...	as start, there
#	start_dns64d_at NAME LINE...	dns64d at that machine, with what all nodes have and these lines; NAME.dns64d is its name
#	ask_steadily_at NAME ADDRESS	1,000 questions a second, until answers_end
#	fault WHAT		from now on lost questions are WHAT's; "return" is when the fault is over
#	answers_end		has $work/losses written
#	lost WHAT		"N MS": how many questions were lost, and how long after the fault the last of them left;
#				of several faults of that name all questions and the longest time

. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need ip nsenter curl kdig
dns64bench=$TOP_BUILDDIR/dns64bench
[ -x "$dns64bench" ] || {
	echo "no $dns64bench"
	exit 77
}

at()
{
	at_pid=$(pid_of "$1")
	shift
	nsenter --target "$at_pid" --net "$@"
}

has_own_network()
{
	[ "$(readlink "/proc/$(pid_of "$1")/ns/net")" != "$(readlink /proc/$$/ns/net)" ]
}

machine()
{
	start "$1" unshare --net sleep 900
	wait_for 10 has_own_network "$1" || give_up "no network for $1"
	at "$1" sh -c 'cd /proc/sys/net/ipv6/conf/default && echo 0 >accept_dad && echo 1 >keep_addr_on_down && ip link set lo up' ||
		give_up "no network for $1"
}

cable()
{
	{
		ip link add cable type veth peer name elbac && ip link set cable netns "$(pid_of "$1")" name "$2" &&
			ip link set elbac netns "$(pid_of "$3")" name "$4" && at "$1" ip link set "$2" up && at "$3" ip link set "$4" up
	} || give_up "no link from $1 to $3"
}

address()
{
	address_machine=$1 address_interface=$2
	shift 2
	for one_address; do
		at "$address_machine" ip address add "$one_address" dev "$address_interface" nodad || give_up "no address $one_address"
	done
}

start_at()
{
	start_machine=$(pid_of "$1")
	shift
	start_name=$1
	shift
	start "$start_name" nsenter --target "$start_machine" --net "$@"
}

start_dns64d_at()
{
	node_name=$1
	shift
	config "$node_name.conf" "dns64-prefix $prefix" 'num-threads 1' 'cache-size 16m' 'allow 2001:db8::/32' 'web-listen ::1' \
		'control-socket none' "$@" >/dev/null
	start_at "$node_name" "$node_name.dns64d" "$DNS64D" -f -c "$work/$node_name.conf"
	wait_for 60 is_ready "$node_name" || give_up "dns64d of $node_name does not start"
}

# is_ready NAME: does its dns64d say so?
is_ready()
{
	at "$1" curl -s -f -g -m 5 -o "$work/answer" 'http://[::1]:6464/ready'
}

# --- what is lost ---

# From as many ports as it takes to have each node's share of flows within a few percent of a third.
ask_steadily_at()
{
	: >"$work/faults"
	rm -f "$work/raw"
	start_at "$1" asking "$dns64bench" rate -s "$2" -r 1000 -d 600 --sources 2000 --singles --timeout 2 \
		--raw "$work/raw"
	wait_for 30 test -s "$work/raw" || give_up 'nobody is answered'
}

# now_ns: by the clock of dns64bench --raw (CLOCK_BOOTTIME)
now_ns()
{
	awk '{ printf "%.0f\n", $1 * 1000000000 }' /proc/uptime
}

fault()
{
	echo "$(now_ns) $*" >>"$work/faults"
}

# A question that left shortly before the fault may be lost by it, too, but not by a return.
answers_end()
{
	sleep 2.5
	stop asking INT
	awk -F , '
		FNR == NR { split($0, word, " "); began[++n] = word[1]; sub(/^[0-9]* /, ""); what[n] = $0; next }
		$4 == "valid" || $4 == "unfinished" || $4 == "outcome" || $4 == "late" { next }
		{
			for (i = n; i > 1 && $1 < began[i] - (what[i] == "return" ? 0 : 200000000); i--)
				;
			count[what[i]]++
			if ($1 - began[i] > last[what[i]])
				last[what[i]] = $1 - began[i]
		}
		END { for (i = 1; i <= n; i++) printf "%s: %d %d\n", what[i], count[what[i]], last[what[i]] / 1000000 }' \
		"$work/faults" "$work/raw" >"$work/losses"
}

lost()
{
	sed -n "s/^$1: //p" "$work/losses" | head -n 1
}
