# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# dns64d; its cache has at least 1 MiB
program=$DNS64D

version()
{
	"$program" -V | awk 'NR == 1 { print $NF }'
}

configure()
{
	cat <<-CONF
		listen $address port $port
		nameserver $address port $upstream_port
		dns64-prefix $prefix/96
		num-threads 1
		max-queries $in_flight
		max-tcp-clients $tcp_clients
		max-tcp-per-client $tcp_clients
		socket-buffer $buffer
		cache-size $((cache == 0 || cache > 1048576 ? cache : 1048576))
		log-level error
	CONF
}

launch()
{
	on_core "$program" -f -c "$dir/conf"
}
