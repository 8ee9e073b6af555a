#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# threads: what several threads of the daemon touch, all at once: clients over UDP and TCP, reloads, the
# control commands, page and metrics, query log and dnstap. For a build with ThreadSanitizer, which finds
# data races (.ci/run); without one it is a test that nothing crashes.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf curl
seconds=${THREADS_SECONDS:-25}
web=http://127.0.0.1:8053
log=$work/state/queries
mkdir -m 777 "$work/state"
TSAN_OPTIONS="halt_on_error=0 exitcode=66 ${TSAN_OPTIONS-}"
export TSAN_OPTIONS

lines()
{
	printf '%s\n' 'nameserver 127.0.0.1 port 5300' 'nameserver 127.0.0.2 port 5300' 'num-threads 3' \
		"control-socket $control" 'web-listen 127.0.0.1 port 8053' "query-log $log" 'cache-size 1m' \
		"cache-file $work/state/cache" 'rate-limit 100000' "$@"
	! "$DNS64D" -V | grep -qx 'dnstap yes' || echo "dnstap-socket $work/state/tap"
}

# configured N: one of four configurations; the last one is refused
configured()
{
	case $(($1 % 4)) in
	0) set -- 'serve-stale 60' ;;
	1) set -- 'dns64-prefix 2001:db8:65::/96' 'listen 127.0.0.3 port 5364' ;;
	2) set -- 'client 127.0.0.0/8 {' 'dns64-prefix 2001:db8:66::/96' '}' ;;
	3) set -- 'prot 1' ;;
	esac
	configure "$(lines "$@")"
}

# again COMMAND...: until the end of the load
again()
{
	while [ ! -e "$work/over" ]; do
		"$@"
	done
}

commands()
{
	for words in status stats upstreams clients prefixes config 'cache stats' 'log level debug' 'log level notice' \
		"cache lookup $name" "explain $name AAAA" "explain --dry $name A" "flush name $name" 'flush below example' \
		'flush all' 'log reopen' 'cache save' 'lameduck on' 'lameduck off' cookie-secret \
		'prefix add 2001:db8:77::/96' 'prefix drain 2001:db8:77::/96' 'prefix del 2001:db8:77::/96' \
		'upstream 127.0.0.2 drain' 'upstream 127.0.0.2 down' 'upstream 127.0.0.2 up' 'top clients' 'top names' \
		'top failures' inflight 'deny 192.0.2.0/24 for 60' 'deny 198.51.100.0/24 drop' 'undeny 192.0.2.0/24' \
		'querylog failures for 60' 'querylog on' 'querylog config'; do
		# shellcheck disable=SC2086 # its words
		ctl $words >>"$work/commands.out" && echo "$words" >>"$work/commands.done"
	done
}

pages()
{
	for path in / /metrics /status.json /ready /health; do
		curl -s -m 20 -o /dev/null "$web$path" && echo "$path" >>"$work/pages.done"
	done
}

reloads()
{
	n=$((${n:-0} + 1))
	configured "$n"
	kill -HUP "$(pid_of dns64d)"
	sleep 0.1
}

name=010-000-000-001.dns64perf.test
start_fakedns --ttl 2
for n in 2 1 0; do
	configured $n
	check "configuration $n is right" "$DNS64D" -t -c "$work/dns64d.conf"
done
start_another other 127.0.0.2 5300 --ttl 2 --truncate 5 --loss 2
start_dns64d
questions 5000 >"$work/questions"
for way in udp tcp; do
	start "load-$way" dnsperf -m $way -s 127.0.0.1 -p 5364 -d "$work/questions" -c 8 -l "$seconds" -t 20 -Q 1500
done
for what in commands pages reloads; do
	again $what &
	echo $! >"$work/$what.pid"
done
# The taps' other end comes and goes.
! command -v fstrm_capture >/dev/null || again timeout 3 fstrm_capture -t protobuf:dnstap.Dnstap \
	-u "$work/state/tap" -w "$work/state/frames" >"$work/capture.log" 2>&1 &

for way in udp tcp; do
	wait "$(pid_of load-$way)"
	rm "$work/load-$way.pid"
	grep 'Queries \(completed\|lost\)' "$work/load-$way.log"
	check "$way: answers" logged load-$way 'Response codes: *NOERROR [1-9][0-9][0-9][0-9]'
done
: >"$work/over"
for what in commands pages reloads; do
	wait "$(pid_of $what)"
	rm "$work/$what.pid"
done
equal 'each command was done' 36 "$(sort -u "$work/commands.done" | wc -l)"
equal 'each page was shown' 5 "$(sort -u "$work/pages.done" | wc -l)"
check 'reloads were done' test "$(grep -c 'reload: done' "$work/dns64d.log")" -ge 5
check 'and refused' logged dns64d 'reload: failed'
stop dns64d
equal 'it ends well' 0 "$status"
check 'no data race' test "$(grep -c 'WARNING: ThreadSanitizer' "$work/dns64d.log")" -eq 0
finish
