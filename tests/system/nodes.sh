# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # for those who source it; names of what was sourced before
# nodes: several dns64d side by side, as behind a balancer or on anycast; dnsdist in front of them. Source servers.sh
# before.
#
#	configure_node N LINE...	$work/nodeN.conf: these lines, with $prefix, a control socket, health-name and
#				lameduck ($lameduck, or else 3)
#	start_node N [PREFIX...]	node N; PREFIX is what its command begins with, as "ip netns exec a"
#	gone N			it has ended, or this waits for that; its exit code is in $status
#	ctl_node N WORD...	dns64ctl, asking node N
#	counted NAME		that counter of nodes 1, 2 and 3, in a line
#	sum NUMBER...
# behind dnsdist:
#	configure_backend N LINE...	node N at 127.0.1.N port 5364, as contrib/dnsdist wants it, with these lines; it
#				asks 127.0.0.1 port 5300 ($backend_upstream is another such line)
#	start_backend N LINE...	likewise, and start it
#	renew_backend N LINE...	likewise, and in_use N: return when dnsdist asks it
#	ask_backend N KDIG-ARGUMENT...	as "ask", node N by itself
#	configure_dnsdist, start_dnsdist	see there

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

configure_backend()
{
	backend=$1
	shift
	configure_node "$backend" "listen 127.0.1.$backend port 5364" \
		"${backend_upstream:-nameserver 127.0.0.1 port 5300}" 'avoid-port 5300-5302' \
		'num-threads 1' 'cache-size 16m' 'proxy-protocol 127.0.0.1' 'rate-limit-exempt 127.0.0.1' \
		'max-waiting-per-client 0' 'max-same-question 0' "$@"
}

start_backend()
{
	configure_backend "$@"
	start_node "$backend"
}

# ask_backend N KDIG-ARGUMENT...: by itself; 127.0.0.1 is dnsdist, which has to send a header
ask_backend()
{
	backend=$1
	shift
	ask "127.0.1.$backend" 5364 -b 127.0.0.8 "$@"
}

# n_asked N: the questions that node N had by now
n_asked()
{
	ctl_node "$1" stats | sed -n 's/^client_udp  *\([0-9]*\) .*/\1/p' | grep . || echo 0
}

# asked_more N TIMES: it had more than that
asked_more()
{
	[ "$(n_asked "$1")" -gt "$2" ]
}

# in_use N: return when dnsdist has found node N ready: it asks it two names a second
in_use()
{
	wait_for 60 is NOERROR ask_backend "$1" health.invalid A || give_up "node $1 is not ready"
	times=$(n_asked "$1")
	wait_for 60 asked_more "$1" $((times + 3)) || give_up "dnsdist does not ask node $1"
}

renew_backend()
{
	start_backend "$@"
	in_use "$backend"
}

# configure_dnsdist [SED-OPTION...]: contrib/dnsdist/dnsdist.conf at $recipe, listening on 127.0.0.1 (port 5353, 8853 for
# TLS, 8443 for HTTPS), for nodes 1, 2 and 3, and what sed makes of that
configure_dnsdist()
{
	recipe=$work/dnsdist.conf
	sed -e 's|"\[::\]:53", "0.0.0.0:53"|"127.0.0.1:5353"|' -e 's|"2001:db8::/32", "192.0.2.0/24"|"127.0.0.0/8"|' \
		-e 's|\[2001:db8:53::\([123]\)\]:53|127.0.1.\1:5364|' -e "s|/etc/dnsdist/|$work/|g" \
		-e 's|\[::\]:853|127.0.0.1:8853|' -e 's|\[::\]:443|127.0.0.1:8443|' "$@" \
		"$TOP_SRCDIR/contrib/dnsdist/dnsdist.conf" >"$recipe"
}

# start_dnsdist: with that; returns when it has found all nodes ($backends) ready
start_dnsdist()
{
	start dnsdist dnsdist --supervised --disable-syslog -C "$recipe"
	for backend in ${backends:-1 2 3}; do
		wait_for 60 logged dnsdist "dns64d-$backend .* as 'up'" || give_up "dnsdist does not find node $backend"
	done
}
