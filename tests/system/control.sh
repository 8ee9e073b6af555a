#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# control: the control socket of the running daemon, asked by dns64ctl and curl.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl
dns64ctl=$TOP_BUILDDIR/dns64ctl
socket=$work/control

# ctl WORD...: dns64ctl at the test's socket; its exit code is in $work/code
ctl()
{
	"$dns64ctl" -s "$socket" "$@" 2>&1
	echo $? >"$work/code"
}

# exits CODE WORD...
exits()
{
	expected_code=$1
	shift
	ctl "$@" >/dev/null
	equal "dns64ctl $*: exit code" "$expected_code" "$(cat "$work/code")"
}

# http METHOD PATH [CURL-ARGUMENTS...]: the status line's code, then the body on one line
http()
{
	method=$1 path=$2
	shift 2
	curl -s -m 20 -X "$method" -w '\n%{http_code}' --unix-socket "$socket" "$@" "http://dns64d$path" |
		tr -d '\n' | tr -s ' ' | sed 's/\(.*\)\(...\)$/\2 \1/'
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $socket"
start_dns64d

# --- the socket ---

equal 'its mode and owner' "660 $usual" "$(stat -c '%a %U' "$socket")"
equal 'ping' pong "$(ctl ping)"
exits 0 ping
check 'curl: ping' is '"pong": true' http GET /ping

# --- what is refused ---

check 'an unknown path' is '404' http GET /nothing
check 'what is allowed is told' is '"/ping"' http GET /nothing
check 'traversal' is '404' http GET '/../../etc/passwd' --path-as-is
check 'a wrong method' is '405 { "error"' http POST /ping
check 'which are right is told' is '"GET", "HEAD"' http POST /ping
exits 2 nothing
exits 2
exits 2 ping pong
"$dns64ctl" -s "$work/nowhere" ping 2>/dev/null
equal 'no daemon: exit code' 3 $?

stop dns64d
equal 'exit status' 0 "$status"
finish
