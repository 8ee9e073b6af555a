#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init: every action of the init script and what it exits with (LSB).
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig mount
start_upstream || exit 99

mkdir -p /etc/default
mount -t tmpfs none /etc/default || exit 77
pidfile=$work/dns64d.pid
file=$(config init.conf "nameserver 127.0.0.1 port 5300" "listen 127.0.0.1 port 5353" "pidfile $pidfile")
cat >/etc/default/dns64d <<-END
	DAEMON=$(realpath "$DNS64D")
	CONFIG=$file
	PIDFILE=$pidfile
	STOP_SECONDS=10
END

# exits CODE ACTION
exits()
{
	sh "$TOP_SRCDIR/etc/init.d/dns64d" "$2" >"$work/init.log" 2>&1
	code=$?
	[ "$code" -eq "$1" ] || {
		echo "$2: exit code $code, not $1"
		cat "$work/init.log"
		return 1
	}
}

serves()
{
	is "${1:-NOERROR}" ask 127.0.0.1 5353 a.test A
}

check "status when it does not run: 3" exits 3 status
check "stop when it does not run: 0" exits 0 stop
check "reload when it does not run: 7" exits 7 reload
check "configtest: 0" exits 0 configtest
check "start: 0" exits 0 start
check "serves when start returns" serves
check "status: 0" exits 0 status
check "start again: 0" exits 0 start
first=$(cat "$pidfile")
check "reload: 0" exits 0 reload
check "the same process" test "$(cat "$pidfile")" = "$first"
check "restart: 0" exits 0 restart
check "another process" test "$(cat "$pidfile")" != "$first"
check "serves when restart returns" serves
config init.conf "prot 1" >/dev/null
check "configtest of a bad file: 1" exits 1 configtest
check "reload of a bad file: 1" exits 1 reload
check "restart with a bad file: 1" exits 1 restart
check "and it still serves" serves
check "stop: 0" exits 0 stop
check "no more" exits 3 status
check "start with a bad file: not 0" exits 1 start
echo 1 >"$pidfile"
check "status with a pidfile of a crash: 1" exits 1 status
check "unknown action: 2" exits 2 nonsense
finish
