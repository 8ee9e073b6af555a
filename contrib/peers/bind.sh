# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# BIND, forwarding, without validation
#
# The cache cannot be turned off, and is never smaller than 2 MiB. Without: all TTLs are 0, so what is
# in it is not used again.
program=${NAMED:-named}

version()
{
	"$program" -v | awk 'NR == 1 { sub(/-.*/, "", $2); print $2 }'
}

configure()
{
	cat <<-CONF
		options {
			directory "$dir";
			pid-file none;
			session-keyfile none;
			listen-on port $port { $address; };
			listen-on-v6 { none; };
			recursion yes;
			notify no;
			dnssec-validation no;
			empty-zones-enable no;
			forward only;
			forwarders { $address port $upstream_port; };
			dns64 $prefix/96 { clients { any; }; };
			recursive-clients $in_flight;
			clients-per-query 0;
			max-clients-per-query 0;
			tcp-clients $tcp_clients;
			udp-receive-buffer $buffer;
			udp-send-buffer $buffer;
			max-cache-size $((cache > 2097152 ? cache : 2097152));
			$([ "$cache" != 0 ] || echo 'max-cache-ttl 0; max-ncache-ttl 0;')
		};
		controls { };
		logging { category default { null; }; category unmatched { null; }; };
	CONF
}

launch()
{
	on_core "$program" -g -n 1 -c "$dir/conf"
}
