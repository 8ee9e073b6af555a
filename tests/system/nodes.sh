# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # for those who source it; names of what was sourced before
# nodes: several dns64d side by side, as behind a balancer or on anycast. Source servers.sh before.
#
#	configure_node N LINE...	$work/nodeN.conf: these lines, with $prefix, a control socket, health-name and
#				lameduck ($lameduck, or else 3)
#	start_node N [PREFIX...]	node N; PREFIX is what its command begins with, as "ip netns exec a"
#	gone N			it has ended, or this waits for that; its exit code is in $status
#	ctl_node N WORD...	dns64ctl, asking node N
#	counted NAME		that counter of nodes 1, 2 and 3, in a line
#	sum NUMBER...

mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

configure_node()
{
	node=$1
	shift
	config "node$node.conf" "dns64-prefix $prefix" "control-socket $work/state/control$node" \
		'health-name health.invalid' "lameduck ${lameduck:-3}" "$@" >/dev/null
}

start_node()
{
	node=$1
	shift
	start "node$node" "$@" "$DNS64D" -f -c "$work/node$node.conf"
	wait_for 60 ctl_node "$node" ping || give_up "node $node does not start"
}

gone()
{
	wait "$(pid_of "node$1")" 2>/dev/null
	status=$?
	rm -f "$work/node$1.pid"
}

ctl_node()
{
	node=$1
	shift
	"$TOP_BUILDDIR/dns64ctl" -s "$work/state/control$node" "$@" 2>&1
}

counted()
{
	for counted_node in 1 2 3; do
		ctl_node $counted_node stats | awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
	done | tr '\n' ' '
}

sum()
{
	total=0
	for number; do
		total=$((total + number))
	done
	echo $total
}
