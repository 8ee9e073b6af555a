# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# totd 1.5, after its manual; it has no cache and no limits that could be set
program=${TOTD:-totd}

version()
{
	"$program" -h 2>&1 | grep -o '[0-9][0-9.]*' | head -n 1
}

configure()
{
	cat <<-CONF
		forwarder $address port $upstream_port
		prefix $prefix
		port $port
		pidfile $dir/totd.pid
	CONF
}

launch()
{
	on_core "$program" -d0 -q -no6 -4 -c "$dir/conf"
}
