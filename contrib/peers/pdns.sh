# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# PowerDNS Recursor, forwarding, without validation; settings in its old form, which 4 and 5 take
#
# It asks the kernel for receive buffers of a size of its own. Its caches are counted in entries, here
# of 512 octets, half of them packets. Without: there is no cache of packets, and negative answers are
# not kept; addresses are, for 15 s, which is the least that it takes.
program=${PDNS_RECURSOR:-pdns_recursor}

version()
{
	"$program" --version 2>&1 | sed -n 's/.*PowerDNS Recursor \([^ ]*\).*/\1/p' | head -n 1
}

configure()
{
	cat <<-CONF
		local-address=$address
		local-port=$port
		allow-from=127.0.0.0/8
		forward-zones-recurse=.=$address:$upstream_port
		dont-query=
		dns64-prefix=$prefix/96
		dnssec=process-no-validate
		serve-rfc1918=no
		export-etc-hosts=off
		security-poll-suffix=
		daemon=no
		write-pid=no
		socket-dir=$dir
		config-dir=$dir
		disable-syslog=yes
		quiet=yes
		loglevel=3
		statistics-interval=0
		threads=1
		pdns-distributes-queries=no
		max-mthreads=$in_flight
		max-tcp-clients=$tcp_clients
		max-concurrent-requests-per-tcp-connection=$in_flight
	CONF
	if [ "$cache" = 0 ]; then
		printf '%s\n' disable-packetcache=yes max-cache-ttl=15 max-negative-ttl=0 minimum-ttl-override=0
	else
		printf '%s\n' max-cache-entries=$((cache / 1024)) max-packetcache-entries=$((cache / 1024))
	fi
}

launch()
{
	ln -sf conf "$dir/recursor.conf"
	set -- --config-dir="$dir"
	# From 5.2 on it has to be told that this is the old form.
	! "$program" --help 2>&1 | grep -q enable-old-settings || set -- "$@" --enable-old-settings
	on_core "$program" "$@"
}
