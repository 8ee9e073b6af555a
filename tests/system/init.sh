#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init: every action of the init script and what it exits with (LSB).
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig
start_upstream || exit 99

pidfile=$work/dns64d.pid
file=$(config init.conf "nameserver 127.0.0.1 port 5300" "listen 127.0.0.1 port 5353" "pidfile $pidfile" "control-socket $control")
script=$work/dns64d.init
defaults=$work/defaults
sed "s|^DEFAULTS=.*|DEFAULTS=$defaults|" "$TOP_BUILDDIR/etc/init.d/dns64d" >"$script"

# set_defaults LINE...: behind those that the test needs
set_defaults()
{
	{
		printf '%s\n' "DAEMON=$(realpath "$DNS64D")" "DNS64CTL=$(realpath "$TOP_BUILDDIR/dns64ctl")" \
			"CONFIG=$file" "PIDFILE=$pidfile" "CONTROL=$control" STOP_SECONDS=60
		printf '%s\n' "$@"
	} >"$defaults"
}

# exits CODE ACTION
exits()
{
	sh "$script" "$2" >"$work/init.log" 2>&1
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

set_defaults
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
check "it is told" logged init 'reloaded$'
check "another reload: 0" exits 0 reload
check "the same process" test "$(cat "$pidfile")" = "$first"
# Somebody else's port: no fault of the file, but nothing that could be done.
config init.conf "nameserver 127.0.0.2 port 5300" "listen 127.0.0.1 port 5353" "listen 127.0.0.1 port 5300" \
	"pidfile $pidfile" "control-socket $control" >/dev/null
check "a reload that is refused: 1" exits 1 reload
check "the reason is told" logged init '127.0.0.1#5300.*Address already in use'
check "once more: 1" exits 1 reload
check "and it still serves" serves
config init.conf "nameserver 127.0.0.1 port 5300" "listen 127.0.0.1 port 5353" "pidfile $pidfile" "control-socket $control" >/dev/null
check "reload of a good file: 0" exits 0 reload
check "signals change nothing for it" kill -HUP "$first"
check "reload: 0" exits 0 reload
set_defaults CONTROL="$work/nowhere"
check "reload with another control-socket than the daemon's: 1" exits 1 reload
check "it is told" logged init "control-socket in $file and CONTROL must be one"
set_defaults CONTROL=none
check "reload without one: 0" exits 0 reload
check "what it cannot know is told" logged init 'only its log says'
set_defaults
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

set_defaults "DAEMON=$work/nowhere/dns64d"
check "no such program: 5" exits 5 status
check "it is named" logged init "there is no program $work/nowhere/dns64d"
config init.conf "nameserver 127.0.0.1 port 5300" "listen 127.0.0.1 port 5353" "pidfile $pidfile" "control-socket $control" >/dev/null
set_defaults "PIDFILE=$work/other.pid"
check "started with another pidfile than the script's: 1" exits 1 start
check "it is told" logged init "its process ID is not in $work/other.pid"
set_defaults
check "stop: 0, with the right one" exits 0 stop
for control_socket in "$control" none; do
	config init.conf "nameserver 127.0.0.1 port 5300" "listen 127.0.0.1 port 5353" "pidfile $pidfile" \
		"control-socket $control" 'lameduck 3' >/dev/null
	set_defaults "CONTROL=$control_socket" STOP_SECONDS=1
	check "start: 0" exits 0 start
	check "a stop waits for the lame duck, by control-socket $control_socket: 0" exits 0 stop
	check "no more" exits 3 status
done
finish
