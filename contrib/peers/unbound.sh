# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# Unbound, forwarding, with its dns64 module and without its validator
#
# The cache is that of messages and twice as much for RRsets, as its manual advises. Without: what the
# forwarder says is not stored (forward-no-cache), and what the dns64 module makes has a TTL of 0.
program=${UNBOUND:-unbound}

version()
{
	"$program" -V | awk 'NR == 1 { print $2 }'
}

configure()
{
	cat <<-CONF
		server:
		  directory: "$dir"
		  chroot: ""
		  username: ""
		  pidfile: ""
		  use-syslog: no
		  do-daemonize: no
		  verbosity: 0
		  interface: $address@$port
		  num-threads: 1
		  module-config: "dns64 iterator"
		  dns64-prefix: $prefix/96
		  do-not-query-localhost: no
		  unblock-lan-zones: yes
		  insecure-lan-zones: yes
		  local-zone: "test." nodefault
		  num-queries-per-thread: $in_flight
		  outgoing-range: $((in_flight * 2))
		  incoming-num-tcp: $tcp_clients
		  so-rcvbuf: $buffer
		  so-sndbuf: $buffer
		  msg-cache-size: $((cache / 3))
		  rrset-cache-size: $((cache * 2 / 3))
	CONF
	[ "$cache" != 0 ] || printf "  %s: 0\n" cache-max-ttl cache-max-negative-ttl
	# From 1.20 on it has a limit of its own for what one client may wait for.
	unbound-checkconf -o wait-limit >/dev/null 2>&1 && echo '  wait-limit: 0'
	cat <<-CONF
		forward-zone:
		  name: "."
		  forward-addr: $address@$upstream_port
		  forward-no-cache: $([ "$cache" = 0 ] && echo yes || echo no)
		remote-control:
		  control-enable: no
	CONF
}

launch()
{
	on_core "$program" -d -p -c "$dir/conf"
}
