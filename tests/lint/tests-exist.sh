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
	daemon/cookies | daemon/parcel) echo "what loops are handed: tests/system/cookies.sh, reload.sh" ;;
	io/evbase) echo "what every loop begins with: check_loop" ;;
	config/joins) echo "a part of conffile: check_conffile" ;;
	control/stands) echo "where lines stand: check_api_config, tests/system/include.sh" ;;
	control/ask | control/changes | control/control | control/lines | control/params | control/reloads | control/reply)
		echo "what the handlers work with: check_api, check_api_cache, check_api_prefixes" ;;
	dns64ctl/client | dns64ctl/main | dns64ctl/run) echo "tests/system/control.sh runs them" ;;
	io/loop_mail) echo "a part of io/loop: check_loop" ;;
	io/asked) echo "how control asks a loop: check_loop, check_api_explain" ;;
	control/inquiry | control/explain_json | control/decided)
		echo "how explain waits, and what it tells: check_api_explain, tests/system/explain.sh" ;;
	io/snapshot) echo "copies and counts: check_loop reloads" ;;
	io/upstream_set | io/upstream_sock) echo "parts of io/upstream_udp: check_upstream_udp, check_shell" ;;
	core/blame) echo "a part of core/silence: check_silence" ;;
	core/late | core/match) echo "parts of core/reply: check_reply, check_scenarios" ;;
	core/phase_target) echo "a part of core/phase: check_phase" ;;
	core/lookup_end | core/lookup_objects) echo "parts of core/lookup: check_lookup" ;;
	core/lookup_tcp) echo "a part of core/lookup: check_silence_tcp" ;;
	core/attempt_end) echo "a part of core/attempt: check_attempt" ;;
	core/engine_tell) echo "what the engine tells a tap: check_tap" ;;
	core/query_objects) echo "a part of core/query: check_query" ;;
	cache/cache_flush) echo "a part of the cache: check_cache" ;;
	cache/shard_room) echo "a part of the shard: check_shard" ;;
	control/metric_stats) echo "a part of control/metrics: check_metrics" ;;
	dns64ctl/show_config) echo "a part of show: check_show, tests/system/prefixes.sh" ;;
	daemon/cachefile_load | daemon/cachefile_save) echo "two sides of one file: check_cachefile" ;;
	daemon/newfile) echo "check_cachefile and check_prefixes write files by it" ;;
	fakedns/main) echo "main() alone: the system tests start it" ;;
	fakedns/tcp | fakedns/udp | fakedns/worker) echo "sockets: check_server asks them" ;;
	bench/main) echo "main() alone: tests/system/bench.sh starts it" ;;
	bench/cells) echo "what search, matrix and scale share: check_search, check_matrix, check_scale" ;;
	bench/sides) echo "what bench/compare compares: check_compare" ;;
	bench/options_table) echo "a part of bench/options: check_options" ;;
	bench/result/plot_axis | bench/result/plot_chart | bench/result/plot_layout | \
		bench/result/plot_limits | bench/result/plot_script)
		echo "parts of bench/result/plot: check_plot" ;;
	bench/result/report_html) echo "a part of bench/result/report: check_report" ;;
	bench/result/run_form) echo "a part of bench/result/run: check_run" ;;
	bench/load/worker | bench/load/udp)
		echo "threads and sockets: check_trial and check_lane ask by them" ;;
	bench/load/replay_*) echo "parts of bench/load/replay: check_replay" ;;
	bench/load/stream) echo "sockets: check_lane asks by them" ;;
	esac
}

status=0
for file in src/*/*.c src/*/*/*.c; do
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
