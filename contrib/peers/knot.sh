# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# Knot Resolver, forwarding, without validation
#
# It has no limit of questions but that of open files, and leaves socket buffers as the kernel has them
# (net.core.rmem_default). Without a cache: it is told not to look in it (NO_CACHE). It goes on filling
# it, and clears all of it when it is full; so that this is seldom it has 64 MiB even then.
program=${KRESD:-kresd}

version()
{
	"$program" --version | awk 'NR == 1 { print $NF }'
}

configure()
{
	cat <<-CONF
		net.listen('$address', $port, { kind = 'dns' })
		log_level('crit')
		for _, name in ipairs({ 'ta_update', 'ta_signal_query', 'ta_sentinel', 'priming', 'detect_time_skew' }) do
		  modules.unload(name)
		end
		trust_anchors.remove('.')
		cache.size = $((cache > 0 ? cache : 67108864))
		net.tcp_pipeline($in_flight)
		modules.load('policy')
		modules.load('dns64')
		dns64.config({ prefix = '$prefix' })
		$([ "$cache" != 0 ] || echo "policy.add(policy.all(policy.FLAGS('NO_CACHE')))")
		policy.add(policy.all(policy.FORWARD('$address@$upstream_port')))
	CONF
}

launch()
{
	on_core "$program" -n -c "$dir/conf" "$dir"
}
