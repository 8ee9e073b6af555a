#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# web: what web-listen shows of the running daemon, and what it does with those who are no browser.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl python3
web=http://127.0.0.1:6464

# code PATH [CURL-ARGUMENTS...]: the status code
code()
{
	path=$1
	shift
	curl -s -m 20 -o /dev/null -w '%{http_code}' --path-as-is "$@" "$web$path"
}

# metric SAMPLE: its value in /metrics
metric()
{
	curl -s -m 20 "$web/metrics" | grep "^$1 " | sed 's/.* //'
}

# total FAMILY: the sum of its samples
total()
{
	curl -s -m 20 "$web/metrics" | sed -n "s/^$1[{ ].*[} ]\([0-9]*\)$/\1/p" | awk '{ n += $1 } END { print n + 0 }'
}

# counter NAME...: the sum of these counters as dns64ctl has them
counter()
{
	curl -s -m 20 --unix-socket "$work/control" http://dns64d/stats | python3 -c '
import json, sys
counters = json.load(sys.stdin)["counters"]
print(sum(counters[name] for name in sys.argv[1:]))' "$@"
}

ip addr add 192.0.2.77/32 dev lo || give_up 'no further address'
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $work/control" 'web-listen 127.0.0.1' \
	'web-listen ::1 port 6465' 'web-listen 192.0.2.77' 'prefix-check icmp 192.0.2.1'
start_dns64d

# --- up and ready ---

equal '/health' 200 "$(code /health)"
equal '/health over IPv6' ready "$(curl -s -m 20 -g 'http://[::1]:6465/health')"
equal '/ready' 200 "$(code /ready)"

# --- metrics ---

for i in 1 2 3 4 5; do
	answer "010-000-000-00$i.dns64perf.test" AAAA >/dev/null
	answer "010-000-000-00$i.dns64perf.test" A >/dev/null
done
check 'what runs is told' is 'dns64d_build_info{version=' curl -s -m 20 "$web/metrics"
equal 'questions by transport' 10 "$(total dns64d_client_queries_total)"
equal 'their answers by reason' 10 "$(total dns64d_answers_total)"
equal 'by type' 10 "$(total dns64d_client_queries_by_type_total)"
equal 'by rcode' 10 "$(total dns64d_responses_total)"
equal 'by time' 10 "$(total dns64d_response_duration_seconds_count)"
equal "near misses, none" "$(metric dns64d_upstream_mismatch_total)" "$(total dns64d_near_misses_total)"
equal 'five of them synthesized' 5 "$(curl -s -m 20 "$web/metrics" |
	awk '/^dns64d_answers_total.outcome="synthesized"/ { n += $NF } END { print n }')"
equal 'the sum of upstreams is that of transports' "$(counter upstream_udp upstream_tcp)" \
	"$(total dns64d_upstream_sends_total)"
# --- one name, one figure ---

# same: which metrics have the name of a counter of dns64ctl, but not its value
same()
{
	curl -s -m 20 --unix-socket "$work/control" http://dns64d/stats >"$work/stats"
	curl -s -m 20 "$web/metrics" >"$work/text"
	python3 - "$work/stats" "$work/text" <<'EOF'
import json, re, sys
stats = json.load(open(sys.argv[1]))
known = dict(stats['counters'], **{'cache_' + k: v for k, v in stats['cache'].items()})
sums = {}
for name, value in re.findall(r'^dns64d_(\w+?)(?:_total)?(?:\{.*\})? (\d+)$', open(sys.argv[2]).read(), re.M):
    sums[name] = sums.get(name, 0) + int(value)
both = [name for name in known if name in sums]
print(*['%s %d %d' % (n, known[n], sums[n]) for n in both if known[n] != sums[n]], sep='\n', end='')
sys.exit(len(both) < 80 or any(known[n] != sums[n] for n in both))
EOF
}

answer localhost AAAA >/dev/null
check 'what is known here is not told as from the cache' \
	is '{outcome="local",reason="localhost",source="local"} 1' curl -s -m 20 "$web/metrics"
equal 'what has the same name is the same' '' "$(same)"
check 'most have' same
check 'the memory is told from inside the sandbox' test "$(metric process_resident_memory_bytes)" -gt 1000000
curl -s -m 20 "$web/metrics" >"$work/text"
curl -s -m 20 -H 'Accept: application/openmetrics-text; version=1.0.0' "$web/metrics" >"$work/open"
equal 'the end of OpenMetrics' '# EOF' "$(tail -n 1 "$work/open")"
if command -v promtool >/dev/null; then
	check 'promtool has nothing to say' test -z "$(promtool check metrics <"$work/text" 2>&1)"
	promtool check metrics <"$work/text" 2>&1 | head -n 5
fi
if /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
	/usr/bin/python3 - "$work/open" >"$work/parsed" 2>&1 <<'EOF'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
with open(sys.argv[1]) as f:
    print(len(list(text_string_to_metric_families(f.read()))))
EOF
	equal 'the strict parser reads OpenMetrics' 0 $?
	tail -n 1 "$work/parsed"
fi

# --- what is made of them ---

contrib=${TOP_SRCDIR:-.}/contrib
python3 "$contrib/grafana/board" <"$work/text" >"$work/board"
check 'the board is what its maker makes of these metrics' cmp "$work/board" "$contrib/grafana/dns64d.json"
grep -ohE '\b(dns64d|process)_[a-z0-9_]+' "$contrib/grafana/dns64d.json" "$contrib/prometheus/alerts.yml" | sort -u |
	while read -r name; do
		grep -q "^${name}[{ ]" "$work/text" || echo "$name"
	done >"$work/unknown"
equal 'they name no metric that there is not' '' "$(cat "$work/unknown")"
if command -v promtool >/dev/null; then
	check 'promtool takes the alerts' promtool check rules "$contrib/prometheus/alerts.yml"
	cp "$contrib/prometheus/alerts.yml" "$work/alerts.yml.rules"
	cp "${TOP_SRCDIR:-.}/tests/system/alerts.yml" "$work/alerts.yml"
	check 'they fire when they should' promtool test rules "$work/alerts.yml"
fi

# --- what is refused ---

equal 'POST' 405 "$(code /metrics -X POST)"
equal 'DELETE' 405 "$(code /metrics -X DELETE)"
equal 'a body' 413 "$(code /metrics -d x)"
equal 'an unknown path' 404 "$(code /nothing)"
equal 'traversal' 404 "$(code /../../etc/passwd)"
equal 'traversal, encoded' 404 "$(code /%2e%2e/%2e%2e/etc/passwd)"
equal 'a header over 4 kB' 400 "$(code /metrics -H "X: $(printf '%5000s' '' | tr ' ' x)")"
check 'HEAD has no body' test -z "$(curl -s -m 20 -I "$web/health" | sed '1,/^\r$/d')"
for header in 'X-Content-Type-Options: nosniff' 'X-Frame-Options: DENY' "Content-Security-Policy: default-src 'self'"; do
	check "$header" is "$header" curl -s -m 20 -D - "$web/health"
done

# --- for whom ---

web=http://192.0.2.77:6464
equal 'another address may not look' 403 "$(code /metrics)"
equal 'nor learn what is there' 403 "$(code /nothing)"
web=http://127.0.0.1:6464

# --- totals go on after a reload ---

before=$(total dns64d_answers_total)
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $work/control" 'web-listen 127.0.0.1' \
	'web-listen ::1 port 6465' 'web-listen 192.0.2.77' 'web-allow 192.0.2.0/24' 'web-name gw.example.net' 'upstream-timeout 2'
curl -s -m 20 -X POST --unix-socket "$work/control" http://dns64d/reload >/dev/null
equal 'after a reload' "$before" "$(total dns64d_answers_total)"
equal 'upstreams keep theirs' "$(counter upstream_udp upstream_tcp)" "$(total dns64d_upstream_sends_total)"
web=http://192.0.2.77:6464
equal 'web-allow' 200 "$(code /metrics)"
web=http://127.0.0.1:6464

# --- a page from elsewhere whose name was made to lead here ---

equal 'a name that is not ours' 421 "$(code /status.json -H 'Host: evil.test:6464')"
equal 'nor in the request line' 421 "$(code /status.json --request-target http://evil.test/status.json)"
equal 'localhost' 200 "$(code /status.json -H 'Host: localhost:6464')"
equal 'the host name' 200 "$(code /status.json -H "Host: $(hostname)")"
equal 'a name of web-name' 200 "$(code /status.json -H 'Host: GW.example.net:6464')"
check 'what is wrong is told' is 'see web-name in dns64d.conf(5)' curl -s -m 20 -H 'Host: evil.test' "$web/metrics"

# --- the page ---

answer '<script>alert(1)</script>.dns64perf.test' AAAA >/dev/null
curl -s -m 20 "$web/status.json" >"$work/status"
check '/status.json is JSON' python3 -m json.tool "$work/status" "$work/nice"
check 'with the upstream' is '"127.0.0.1#5300"' cat "$work/status"
check 'the page has the numbers without a script' is '<td class="">127.0.0.1#5300</td>' curl -s -m 20 "$web/"
check 'and no mark is left' test -z "$(curl -s -m 20 "$web/" | grep '@')"
equal 'its style' 200 "$(code /page.css)"
equal 'its script' 200 "$(code /page.js)"
check 'nothing of it comes from elsewhere' test -z "$(curl -s -m 20 "$web/" "$web/page.js" "$web/page.css" |
	grep -E '(src|href)="(https?:)?//|@import|url\(')"
if command -v chromium >/dev/null; then
	ctl upstream 127.0.0.1 drain >/dev/null
	ctl deny 198.51.100.0/24 >/dev/null
	timeout 60 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/chromium" \
		--virtual-time-budget=4000 --enable-logging=stderr --dump-dom "$web/" >"$work/dom" 2>"$work/console"
	check 'a browser runs the script' is 'class="live"' cat "$work/dom"
	check 'which shows the prefix' is "<td>$prefix</td>" cat "$work/dom"
	check 'and draws' is '<polyline class="line"' cat "$work/dom"
	check 'what the operator has ordered' is '<td class="warn">drain by operator</td>' cat "$work/dom"
	check 'of clients too' is '<td class="">networks that the operator denies for now (dns64ctl deny)</td><td class="n">1</td>' cat "$work/dom"
	check 'what was asked for is not there' test -z "$(grep 'alert(1)' "$work/dom")"
	check 'the browser has nothing to complain of' test -z "$(grep -E 'CONSOLE.*(Refused|Error)' "$work/console")"
	grep CONSOLE "$work/console"
	ctl upstream 127.0.0.1 up >/dev/null
	ctl undeny 198.51.100.0/24 >/dev/null
fi

# --- those who are no browser ---

memory()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

pid=$(pgrep -f "$work/dns64d.conf" | head -n 1)
at_first=$(memory "$pid")
python3 - <<'EOF' &
import socket, time
several = []
for i in range(1000):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(('127.0.0.1', 6464))
    several.append(s)
for t in range(6):
    for s in several:
        try:
            s.send(b'G' if t == 0 else b'E')
        except OSError:
            pass
    time.sleep(1)
EOF
crowd=$!
sleep 2
equal 'DNS goes on beside 1,000 connections' NOERROR \
	"$(answer 010-000-000-009.dns64perf.test AAAA | head -n 1 | cut -d ' ' -f 1)"
wait "$crowd"
check 'and so does the page, after them' is 200 code /health
check 'a request of 1 MB is cut off' test "$(head -c 1000000 /dev/zero | tr '\0' x |
	curl -s -m 20 -o /dev/null -w '%{http_code}' -T - "$web/metrics")" != 200
python3 - <<'EOF'
import socket
# Wrong, unknown, unfinished: one after the other.
lines = [b'GET /metrics HTTP/9.9\r\n\r\n', b'\0' * 300, b'GET\r\n\r\n', b'GET /' + b'a' * 9000 + b' HTTP/1.1\r\n\r\n',
         b'GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n', b'GET /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n',
         b'GET http://other/metrics HTTP/1.1\r\n\r\n', b'OPTIONS * HTTP/1.1\r\n\r\n', b'CONNECT a:1 HTTP/1.1\r\n\r\n']
for i in range(2000):
    s = socket.create_connection(('127.0.0.1', 6464), 10)
    try:
        s.sendall(lines[i % len(lines)])
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536):
            pass
    except OSError:
        pass
    s.close()
EOF
equal 'up after 2,000 bad requests' 200 "$(code /health)"
check "memory is flat: $at_first kB, then $(memory "$pid")" test "$(memory "$pid")" -lt $((at_first + 4096))

# --- an upstream that refuses: that is no timeout ---

lost()
{
	curl -s -m 20 "$web/metrics" | sed -n "s/^dns64d_upstream_lost_total{.*cause=\"$1\"} //p" |
		awk '{ n += $1 } END { print n + 0 }'
}

before=$(lost timeout)
stop fakedns
for i in 1 2 3; do
	answer "refused-$i.dns64perf.test" AAAA >/dev/null
done
check 'refusals are counted as such' test "$(lost unreachable)" -gt 0
equal 'and not as silence' "$before" "$(lost timeout)"
equal 'nor by dns64ctl' "$before" "$(counter upstream_timeouts)"
# Probes go on between two looks.
check 'what has the same name is the same still' wait_for 60 same

# A connection that has ended leaves nothing behind for the next one, whose descriptor has its number.
head -c 60000 /dev/zero | tr '\0' ' ' >"$work/large"
n_large=0
for _ in $(seq 24); do
	code / >"$work/code"
	case $(curl -s -m 20 -o /dev/null -w '%{http_code}' --unix-socket "$work/control" -H 'Expect:' \
		--data-binary "@$work/large" http://dns64d/nothing) in
	404) n_large=$((n_large + 1)) ;;
	esac
done
equal 'large requests by the control socket, each after another connection has ended' 24 $n_large

stop dns64d
equal 'exit status' 0 "$status"
finish
