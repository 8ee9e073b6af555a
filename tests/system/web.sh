#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# web: what web-listen shows of the running daemon, and what it does with those who are no browser.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl
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
	curl -s -m 20 "$web/metrics" | grep -F "$1 " | sed 's/.* //'
}

# total FAMILY: the sum of its samples
total()
{
	curl -s -m 20 "$web/metrics" | sed -n "s/^$1[{ ].*[} ]\([0-9]*\)$/\1/p" | awk '{ n += $1 } END { print n + 0 }'
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $work/control" 'web-listen 127.0.0.1' \
	'web-listen ::1 port 6465'
start_dns64d

# --- up and ready ---

equal '/health' 200 "$(code /health)"
equal '/health over IPv6' up "$(curl -s -m 20 -g 'http://[::1]:6465/health')"
equal '/ready' 200 "$(code /ready)"

# --- metrics ---

for i in 1 2 3 4 5; do
	answer "ip10-0-0-$i.test" AAAA >/dev/null
	answer "ip10-0-0-$i.test" A >/dev/null
done
check 'what runs is told' is 'dns64d_build_info{version=' curl -s -m 20 "$web/metrics"
equal 'questions by transport' 10 "$(total dns64d_client_queries_total)"
equal 'their answers by reason' 10 "$(total dns64d_answers_total)"
equal 'the sum of upstreams is that of transports' "$(total dns64d_upstream_sent_total)" \
	"$(total dns64d_upstream_queries_total)"
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

stop dns64d
equal 'exit status' 0 "$status"
finish
