# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# CoreDNS, forwarding, with its dns64 plugin
#
# Its cache is counted in entries, here of 512 octets; without, the plugin is left out.
program=${COREDNS:-coredns}

version()
{
	"$program" -version | sed -n '1s/^CoreDNS-//p'
}

configure()
{
	cat <<-CONF
		.:$port {
			bind $address
			dns64 {
				prefix $prefix/96
				allow_ipv4
			}
			$([ "$cache" = 0 ] || printf "cache {\n success %d\n denial %d\n}\n" $((cache / 1024)) $((cache / 1024)))
			forward . $address:$upstream_port {
				max_concurrent $in_flight
			}
		}
	CONF
}

launch()
{
	export GOMAXPROCS=1
	on_core "$program" -quiet -conf "$dir/conf"
}
