# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib: what the system tests share. A test sources it, and runs as root in a network namespace of its
# own (tests/support/netns.sh), so any port is free.
#
#	start NAME COMMAND...	run in the background; output in $work/NAME.log, process ID in $work/NAME.pid
#	stop NAME [SIGNAL]	end it and wait; its exit code is in $status
#	wait_for SECONDS COMMAND...	until the command succeeds. Tests hold on a busy machine: they wait
#			for what happens, with a bound that only a test that fails meets
#	listens ADDRESS PORT	is a TCP port open?
#	need PROGRAM...	skip the test without them
#	check WHAT COMMAND...	one line "ok" or "FAILED", by the command's exit code; finish ends the test
#	is TEXT COMMAND...	the command prints TEXT, perhaps among others
#	logged NAME PATTERN	$work/NAME.log has it
#	pid_of NAME	the process ID of what was started
#	ask ADDRESS PORT KDIG-ARGUMENTS...	print the rcode, then the answer section
#	start_upstream		an unbound at 127.0.0.1 port 5300 that knows some names (see there)
#	$usual			the user that a daemon becomes which root starts and nobody tells
#	ctl WORD...	dns64ctl, asking the daemon with "control-socket $control"
#	config NAME LINE...	a configuration at $work/NAME; prints its path

set -u
TOP_BUILDDIR=${TOP_BUILDDIR:-.}
TOP_SRCDIR=${TOP_SRCDIR:-.}
DNS64D=${DNS64D:-$TOP_BUILDDIR/dns64d}
[ -x "$DNS64D" ] || {
	echo "no $DNS64D"
	exit 99
}
# python3 may be a slow wrapper: use the real interpreter.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && PATH=${python%/*}:$PATH
wire=$TOP_BUILDDIR/tests/system/wire
work=$(mktemp -d "${TMPDIR:-/tmp}/dns64d-system.XXXXXX") || exit 99
chmod 755 "$work"
# shellcheck disable=SC2034 # for the test that sources this
status=0
# shellcheck disable=SC2034 # likewise
usual=$(id -un _dns64d 2>/dev/null || id -un dns64d 2>/dev/null || echo nobody)
n_failed=0
failures=

# Only what this test started.
cleanup()
{
	for file in "$work"/*.pid; do
		[ -f "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
	done
	wait
	if [ "$n_failed" -gt 0 ]; then
		for file in "$work"/*.log; do
			[ -f "$file" ] && sed "s|^|$(basename "$file"): |" "$file"
		done
		# A full disk fails checks at random.
		head -c 100000 /dev/zero 2>/dev/null >"$work/room" || echo "FAILED: there is no room left in $work"
		# again, where who sees no more than the end finds them
		printf 'FAILED: %s\n' "$failures"
	fi
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM

need()
{
	for tool; do
		command -v "$tool" >/dev/null || {
			echo "no $tool"
			exit 77
		}
	done
}

# check WHAT COMMAND...: one thing that must hold. A line of a log may come later than what it is about can be seen.
check()
{
	what=$1
	shift
	[ "$1" != logged ] || set -- wait_for 10 "$@"
	if "$@"; then
		echo "ok: $what"
	else
		echo "FAILED: $what"
		failures="${failures:+$failures; }$what"
		n_failed=$((n_failed + 1))
	fi
}

# The last line of every test.
finish()
{
	[ "$n_failed" -eq 0 ]
	exit
}

start()
{
	name=$1
	shift
	: >"$work/$name.log" # or else the log of the one before may be looked at
	"$@" >"$work/$name.log" 2>&1 &
	echo $! >"$work/$name.pid"
}

pid_of()
{
	cat "$work/$1.pid"
}

# stop NAME [SIGNAL]; 60 seconds, then it is killed and status is 137.
stop()
{
	pid=$(pid_of "$1")
	kill -"${2:-TERM}" "$pid" 2>/dev/null
	(
		sleep 60
		kill -KILL "$pid"
	) >/dev/null 2>&1 &
	watcher=$!
	wait "$pid"
	# shellcheck disable=SC2034 # likewise
	status=$?
	# Not TERM: while it is young it still has our traps, and would clean up.
	kill -KILL "$watcher" 2>/dev/null
	wait "$watcher" 2>/dev/null
	rm -f "$work/$1.pid"
}

wait_for()
{
	tries=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

logged()
{
	grep -q -- "$2" "$work/$1.log"
}

# A service manager, if dns64d knows systemd: what it is told of the state is in manager.log.
start_manager()
{
	"$DNS64D" -V | grep -q '^systemd yes' || return 0
	start manager python3 -u -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
print("bound")
while True:
    said = s.recv(4096).decode()
    if "STATUS" in said:
        print(said.replace("\n", " "))' "$work/notify"
	wait_for 60 logged manager bound
	export NOTIFY_SOCKET="$work/notify"
}

# It says at once what a question over UDP, waiting for its answer, would find out after ten seconds.
listens()
{
	"$wire" tcp "$1" "$2" pause 0
}

# own_addresses ADDRESS[/LENGTH]...: this machine has them, on lo. Without nodad an IPv6 address cannot be bound until
# the kernel has found nobody else with it, which it looks for on lo as well, and later on a busy machine.
own_addresses()
{
	for own_address; do
		case $own_address in
		*:*) ip address add "$own_address" dev lo nodad ;;
		*) ip address add "$own_address" dev lo ;;
		esac || return
	done
}

# resolves ADDRESS PORT KDIG-ARGUMENTS...: NOERROR is what is answered there
resolves()
{
	listens "$1" "$2" && is NOERROR ask "$@"
}

ask()
{
	address=$1
	port=$2
	shift 2
	kdig "@$address" -p "$port" +timeout=10 +retry=0 "$@" 2>&1 |
		sed -n -e 's/.*status: \([A-Z]*\);.*/\1/p' -e '/^;; ANSWER SECTION/,/^$/{/^;;/d;/^$/d;p;}'
}

# is EXPECTED COMMAND...: the command's output has the text.
is()
{
	expected=$1
	shift
	output=$("$@")
	case $output in
	*"$expected"*) return 0 ;;
	esac
	echo "expected: $expected"
	echo "got: $output"
	return 1
}

control=$work/control
# ctl WORD...: dns64ctl, asking the daemon whose control-socket is $control
ctl()
{
	"$TOP_BUILDDIR/dns64ctl" -s "$control" "$@" 2>&1
}

config()
{
	file=$work/$1
	shift
	printf '%s\n' "$@" >"$file"
	chmod 644 "$file"
	echo "$file"
}

# Names of the upstream: a.test and b.test have A only, 6.test AAAA only, 46.test both.
start_upstream()
{
	need unbound
	cat >"$work/unbound.conf" <<-'END'
		server:
		  interface: 127.0.0.1@5300
		  do-daemonize: no
		  use-syslog: no
		  chroot: ""
		  username: ""
		  pidfile: ""
		  module-config: "iterator"
		  local-zone: "test." static
		  local-data: "test. 3600 SOA localhost. nobody.invalid. 1 3600 1200 604800 600"
		  local-data: "a.test. 300 A 192.0.2.1"
		  local-data: "b.test. 300 A 198.51.100.2"
		  local-data: "6.test. 300 AAAA 2001:db8::6"
		  local-data: "46.test. 300 A 192.0.2.46"
		  local-data: "46.test. 300 AAAA 2001:db8::46"
		remote-control:
		  control-enable: no
	END
	start upstream unbound -d -c "$work/unbound.conf"
	wait_for 60 resolves 127.0.0.1 5300 a.test A
}
