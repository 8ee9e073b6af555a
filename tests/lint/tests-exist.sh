#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests-exist: each src/<room>/x.c has a tests/<room>/check_x.c, or a reason here.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

reason()
{
	case $1 in
	daemon/main) echo "main() alone: the system tests start it" ;;
	daemon/background | daemon/daemon | daemon/notify | daemon/serve | daemon/threads)
		echo "processes, threads and signals: tests/system/daemon.sh" ;;
	core/query_objects) echo "a part of core/query: check_query" ;;
	cache/cache_flush) echo "a part of the cache: check_cache" ;;
	daemon/cachefile_load | daemon/cachefile_save) echo "two sides of one file: check_cachefile" ;;
	tools/fakedns) echo "main() alone: the system tests start it" ;;
	tools/fake_tcp | tools/fake_udp) echo "sockets: check_fake_server asks them" ;;
	tools/dns64bench | tools/bench_rate) echo "tests/system/bench.sh starts them" ;;
	tools/bench_worker | tools/bench_udp)
		echo "threads and sockets: check_bench_trial and check_bench_lane ask by them" ;;
	tools/bench_stream | tools/bench_tcp) echo "sockets: check_bench_lane asks by them" ;;
	esac
}

status=0
for file in src/*/*.c; do
	module=${file#src/}
	module=${module%.c}
	test=tests/${module%/*}/check_${module##*/}.c
	if [ -f "$test" ]; then
		[ -z "$(reason "$module")" ] || { echo "$module: has a test and an exception"; status=1; }
	elif [ -z "$(reason "$module")" ]; then
		echo "$file: no $test"
		status=1
	fi
done
exit $status
