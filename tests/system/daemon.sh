#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# daemon: start, check, exit codes, pidfile, privileges, reload, signals, with the real program.
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig
start_upstream || {
	echo "no upstream"
	exit 99
}
account=nobody
upstream="nameserver 127.0.0.1 port 5300"
prefix="dns64-prefix 2001:db8:64::/96"
synthesized=2001:db8:64::c000:201

# run COMMAND...: its exit code in $status, its output in $work/run.log
run()
{
	"$@" >"$work/run.log" 2>&1
	status=$?
}

# exits CODE COMMAND...
exits()
{
	code=$1
	shift
	run "$@"
	[ "$status" -eq "$code" ] || {
		echo "exit code $status, not $code"
		cat "$work/run.log"
		return 1
	}
}

serves()
{
	listens "$1" "$2" && is "$synthesized" ask "$1" "$2" a.test AAAA
}

# By neither of both: an answer would come at once.
refused()
{
	! listens "$1" "$2" 2>/dev/null && [ "$(ask "$1" "$2" +timeout=1 a.test A)" = '' ]
}

# --- Command line and checks ---

good=$(config good.conf "$upstream" "$prefix" "listen 127.0.0.1 port 5353")
check "-V" exits 0 "$DNS64D" -V
check "-V prints the version" logged run "^dns64d [0-9]"
check "-h" exits 0 "$DNS64D" -h
check "-h lists keywords" logged run "^  nameserver ADDRESS"
check "--print-keywords" exits 0 "$DNS64D" --print-keywords
check "unknown option: 2" exits 2 "$DNS64D" --nonsense
check "-t of a good file: 0" exits 0 "$DNS64D" -t -c "$good"
check "-t says OK" logged run "^configuration OK$"
places=$(config places.conf "$upstream" "listen 127.0.0.1 port 5353" "user no-such-user" "group no-such-group" \
	"chroot $work/nowhere" "pidfile $work/nowhere/pid" "listen fe80::1" "nameserver fe80::2")
check "-t of what a start would stumble over: 1" exits 1 "$DNS64D" -t -c "$places"
check "all errors: the user" logged run "places.conf:3: user: 'no-such-user' does not exist; create it"
check "all errors: the group" logged run "places.conf:4: group: 'no-such-group' does not exist; create it"
check "all errors: the chroot" logged run "places.conf:5: chroot: '$work/nowhere' cannot be entered: No such file"
check "all errors: the pidfile" logged run "places.conf:6: pidfile: '$work/nowhere/pid' cannot be written: No such file"
check "all errors: listen" logged run "places.conf:7: listen: 'fe80::1' is link-local and needs its interface"
check "all errors: nameserver" logged run "places.conf:8: nameserver: 'fe80::2' is link-local and needs its interface"
places=$(config places.conf "$upstream" "listen 127.0.0.1 port 5353" "cache-file $work/cache")
check "-t of a cache-file where $usual may not write: 1" exits 1 "$DNS64D" -t -c "$places"
check "it is named" logged run \
	"places.conf:3: cache-file: '$work/cache' cannot be read and replaced by user $usual: Permission denied; it must"
check "-t made no file" test ! -e "$work/cache" -a ! -e "$work/cache.new" -a ! -e "$work/nowhere"
bad=$(config bad.conf "prot 53" "upstream-timeout 99" "listen 127.0.0.1" "dns64-prefix 2001:db8:0:1:ff00::/96")
check "-t of a bad file: 1" exits 1 "$DNS64D" -t -c "$bad"
check "all errors: the word" logged run "bad.conf:1: prot: unknown keyword; did you mean port?"
check "all errors: the bounds" logged run "bad.conf:2: upstream-timeout: '99' is not a time from 0.1 to 5 seconds"
check "all errors: the prefix" logged run "bad.conf:4: .* correct prefix is 2001:db8:0:1::/96"
check "all errors: nobody to ask" logged run "nameserver: there is none to ask"
check "start with a bad file: 1" exits 1 "$DNS64D" -f -c "$bad"
check "start without a file: 1" exits 1 "$DNS64D" -f -c "$work/nothing"
check "the missing file is named" logged run "$work/nothing: cannot be read: No such file"
mkfifo "$work/fifo"
check "a pipe instead of a file, -t: 1" exits 1 timeout 5 "$DNS64D" -t -c "$work/fifo"
check "a pipe instead of a file: 1" exits 1 timeout 5 "$DNS64D" -f -c "$work/fifo"
check "it is told" logged run "$work/fifo: cannot be read: not a regular file"
check "unknown user and group: 1" exits 1 "$DNS64D" -f -c "$good" -u no-such-user -g no-such-group
check "the user is told" logged run "command line: user: 'no-such-user' does not exist"
check "the group is told" logged run "command line: group: 'no-such-group' does not exist"
self=$(config self.conf "listen 127.0.0.1 port 5353" "nameserver 127.0.0.1 port 5353")
check "asking itself: 1" exits 1 "$DNS64D" -f -c "$self"
check "asking itself is told" logged run "self.conf:2: nameserver: 127.0.0.1#5353 is served by this daemon"
for file in mtd64-ng-core mtd64 mtd64-ng-main; do
	check "$file.conf of the papers" exits 0 "$DNS64D" -t -c "$TOP_SRCDIR/tests/data/$file.conf"
	check "$file.conf: the listen line is missed" logged run "listen: no such line"
done
check "misprinted prefix: 1" exits 1 "$DNS64D" -t -c "$TOP_SRCDIR/tests/data/mtd64-ng-misprint.conf"

# --- Foreground ---

start one "$DNS64D" -f -c "$good" -n 2
check "serves" wait_for 60 serves 127.0.0.1 5353
check "serves over TCP" is "$synthesized" ask 127.0.0.1 5353 +tcp a.test AAAA
check "real AAAA stay" is 2001:db8::46 ask 127.0.0.1 5353 46.test AAAA
check "tells whom it became" logged one "running as user $usual, as the configuration names none"
check "tells its version and loops" logged one "dns64d [0-9.]*, 2 loops"
check "tells where it listens" logged one "listening on 127.0.0.1#5353"
check "tells its memory" logged one "MiB of memory, .*, and cache-size$"
check "tells its cache" logged one "server: cache 64 MiB in 64 parts for all loops"
check "an unreachable upstream is a warning" exits 0 "$DNS64D" -t -c \
	"$(config far.conf "$upstream" "nameserver 192.0.2.99" "listen 127.0.0.1")"
check "which names it" logged run "warning: .*far.conf:2: nameserver: 192.0.2.99#53 cannot be reached now"
check "port taken: 3" exits 3 "$DNS64D" -f -c "$good"
check "the port is named" logged run "listen 127.0.0.1#5353: Address already in use"
kill -USR1 "$(pid_of one)"
check "SIGUSR1 logs statistics" wait_for 60 logged one "stats: synthesized [1-9]"
check "and what is in flight" wait_for 60 logged one "stats: in flight 0"
check "and why" logged one "stats: reason synth-no-aaaa [1-9]"
check "and what is in the cache" logged one "stats: cache_entries [1-9]"
check "and how large it is" logged one "stats: cache_size_bytes 67108864 "
check "and each upstream" wait_for 60 logged one \
	"stats: upstream [^ ]*: good, UDP [0-9.]* ms .*, sends [0-9]*, replies [1-9].*, share 100.0 %"
stop one
check "SIGTERM: 0" test "$status" -eq 0
start one "$DNS64D" -f -c "$good"
check "starts again at once" wait_for 60 serves 127.0.0.1 5353
stop one INT
check "SIGINT: 0" test "$status" -eq 0
start one "$DNS64D" -f -c "$good" -u none
check "stays root if told so, with a warning" wait_for 60 logged one "warn.*running as root, if without its"
check "and again" wait_for 60 serves 127.0.0.1 5353
stop one QUIT
check "SIGQUIT: 0" test "$status" -eq 0
start closed sh -c 'exec "$@" <&- >&- 2>&-' sh "$DNS64D" -f -c "$good"
check "serves without standard input, output and error" wait_for 60 serves 127.0.0.1 5353
for number in 0 1 2; do
	check "nothing else has number $number" is /dev/null readlink "/proc/$(pid_of closed)/fd/$number"
done
stop closed
check "and ends: 0" test "$status" -eq 0

# --- Cache ---

none=$(config none.conf "$upstream" "$prefix" "listen 127.0.0.1 port 5353" "cache-size 0")
start none "$DNS64D" -f -c "$none"
check "serves without a cache" wait_for 60 serves 127.0.0.1 5353
check "tells that there is none" logged none "server: no cache, as cache-size is 0"
check "and its memory" logged none "MiB of memory, .* per loop$"
kill -USR1 "$(pid_of none)"
check "statistics" wait_for 60 logged none "stats: in flight"
check "have no cache" test "$(grep -c "stats: cache" "$work/none.log")" -eq 0
stop none
check "SIGTERM without a cache: 0" test "$status" -eq 0

check "-t does not make the cache: 0" exits 0 "$DNS64D" -t -c \
	"$(config much.conf "$upstream" "listen 127.0.0.1 port 5353" "cache-size 64g")"
# A sanitizer needs more addresses than that itself.
limited()
{
	prlimit --as=2000000000 "$@"
}
if limited "$DNS64D" -V >/dev/null 2>&1; then
	check "a cache for which there are no addresses: 3" exits 3 limited "$DNS64D" -f -c "$work/much.conf"
	check "it is named" logged run "cache-size: no memory for 68719476736 bytes: Cannot allocate memory"
	check "in the background: 3" exits 3 limited "$DNS64D" -c \
		"$(config much2.conf "$upstream" "listen 127.0.0.1 port 5353" "cache-size 4g" "pidfile $work/much.pid")"
	check "and told to whoever started it" logged run "cache-size: no memory for 4294967296 bytes"
	check "nothing is left in its pidfile" test ! -s "$work/much.pid"
fi

# --- Background and pidfile ---

pidfile=$work/dns64d.pid
back=$(config back.conf "$upstream" "$prefix" "listen 127.0.0.1 port 5354" "pidfile $pidfile" "stop-timeout 2" "user none")
check "into the background: 0" exits 0 "$DNS64D" -c "$back"
check "it serves when the command returns" serves 127.0.0.1 5354
check "the pidfile has its ID" grep -q dns64d "/proc/$(cat "$pidfile")/comm"
cp "$pidfile" "$work/back.pid"
check "a second one: 4" exits 4 "$DNS64D" -c "$back"
check "tells who runs" logged run "already running, process $(cat "$pidfile")"
check "background, port taken: 3" exits 3 "$DNS64D" -c \
	"$(config taken.conf "$upstream" "listen 127.0.0.1 port 5354" "pidfile $work/other.pid")"
check "and told to whoever started it" logged run "127.0.0.1#5354: Address already in use"
kill -TERM "$(cat "$pidfile")"
gone()
{
	! kill -0 "$(cat "$work/back.pid")"
}
check "the daemon ends" wait_for 60 gone
check "the pidfile is gone" test ! -e "$pidfile"
rm -f "$work/back.pid"
echo 1 >"$pidfile"
check "a pidfile of a crash is in nobody's way" exits 0 "$DNS64D" -c "$back"
cp "$pidfile" "$work/back.pid"
kill -TERM "$(cat "$pidfile")"
check "and that one ends" wait_for 60 gone
rm -f "$work/back.pid"
config back.conf "$upstream" "$prefix" "listen 127.0.0.1 port 5354" "pidfile $pidfile" "log stderr" >/dev/null
check "and as another user" exits 0 "$DNS64D" -c "$back"
check "of whom whoever started it hears" logged run "running as user $usual, as the configuration names none"
cp "$pidfile" "$work/back.pid"
check "it serves" serves 127.0.0.1 5354
check "it is $usual" is "$(id -u "$usual")	" sed -n 's/^Uid:[[:space:]]*//p' "/proc/$(cat "$pidfile")/status"
kill -TERM "$(cat "$pidfile")"
check "and that one ends too" wait_for 60 gone
check "its pidfile, which it may neither remove nor write, has its number" test "$(cat "$pidfile")" = "$(cat "$work/back.pid")"
rm -f "$work/back.pid" "$pidfile"

# --- Privileges and reload ---

file=$(config live.conf "$upstream" "$prefix" "listen 127.0.0.1 port 53" "user $account" "num-threads 2")
start live "$DNS64D" -f -c "$file"
check "serves port 53" wait_for 60 serves 127.0.0.1 53
pid=$(pid_of live)
field()
{
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$pid/task/$1/status"
}
check "as $account" is "$(id -u $account)	$(id -u $account)	$(id -u $account)" field "$pid" Uid
check "the main thread can bind low ports, and nothing else" is 0000000000000400 field "$pid" CapEff
check "nothing else ever" is 0000000000000400 field "$pid" CapPrm
check "no new privileges" is 1 field "$pid" NoNewPrivs
n=0
for task in /proc/"$pid"/task/*; do
	# A sanitizer may have a thread of its own.
	grep -q "^dns64d/[01]$" "$task/comm" || continue
	n=$((n + 1))
	check "loop $n has no capability" is 0000000000000000 field "${task##*/}" CapPrm
done
check "two loops, each with a name" test "$n" -eq 2

reload()
{
	before=$(grep -c "reload: \(done\|failed\)" "$work/live.log")
	kill -HUP "$pid"
	after=$before
	tries=1200
	while [ "$after" -eq "$before" ] && [ "$tries" -gt 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
		after=$(grep -c "reload: \(done\|failed\)" "$work/live.log")
	done
	[ "$after" -gt "$before" ]
}

config live.conf "$upstream" "$prefix" "listen 127.0.0.1 port 53" "listen 127.0.0.2 port 53" \
	"user $account" "num-threads 2" >/dev/null
check "reload with a new address" reload
check "no error" logged live "reload: done"
check "the new address serves, on port 53 and without root" serves 127.0.0.2 53
check "the old one still does" serves 127.0.0.1 53

config live.conf "$upstream" "prot 1" "listen 127.0.0.3 port 53" "user $account" >/dev/null
check "reload of a bad file" reload
check "it says what is wrong" logged live "live.conf:2: prot: unknown keyword; did you mean port?"
check "and that nothing changed" logged live "reload: failed; nothing was changed"
check "the first address serves" serves 127.0.0.1 53
check "the second serves" serves 127.0.0.2 53
check "the third does not" refused 127.0.0.3 53

rm "$work/live.conf" && mkfifo "$work/live.conf"
check "reload of a pipe" reload
check "it is told" logged live "live.conf: cannot be read: not a regular file"
rm "$work/live.conf"

config live.conf "nameserver 127.0.0.2 port 5300" "$prefix" "listen 127.0.0.1 port 53" "listen 127.0.0.1 port 5300" \
	"user $account" "num-threads 2" >/dev/null
check "reload with another program's port" reload
check "it is named" logged live "config: listen 127.0.0.1#5300: Address already in use"
check "nothing changed" serves 127.0.0.2 53

config live.conf "$upstream" "dns64-prefix 2001:db8:99::/96" "listen 127.0.0.2 port 53" "user root" \
	"num-threads 3" "cache-size 1m" >/dev/null
check "reload with another prefix, one address less, and what needs a restart" reload
check "the prefix is the new one" is 2001:db8:99::c000:201 ask 127.0.0.2 53 a.test AAAA
check "the address is gone" wait_for 60 refused 127.0.0.1 53
check "num-threads is named" logged live "config: num-threads was changed"
check "user is named" logged live "config: user was changed"
check "cache-size is named" logged live "config: cache-size was changed"
kill -USR1 "$pid"
check "the cache is as it was" wait_for 60 logged live "stats: cache_size_bytes 67108864 "
check "the new prefix stands before an A from the cache (D22)" logged live "stats: cache_hits_a [1-9]"
check "still $account" is "$(id -u $account)	" field "$pid" Uid

i=0
while [ "$i" -lt 20 ]; do
	kill -HUP "$pid"
	i=$((i + 1))
done
check "serves after many reloads at once" wait_for 60 resolves 127.0.0.2 53 a.test A
check "as many descriptors as before" test "$(find /proc/"$pid"/fd -mindepth 1 | wc -l)" -lt 100
stop live
check "SIGTERM: 0" test "$status" -eq 0

# --- In a chroot ---

root=$work/root
mkdir -p "$root/etc"
inside()
{
	printf '%s\n' "$upstream" "$prefix" "chroot $root" "user $account" "$@" >"$root/etc/in.conf"
}
inside "listen 127.0.0.1 port 5356"
chmod -R a+rX "$root"
start jail env ASAN_OPTIONS=detect_leaks=0 "$DNS64D" -f -c "$root/etc/in.conf"
check "serves from a chroot" wait_for 60 serves 127.0.0.1 5356
check "it is in there" is "$root" readlink "/proc/$(pid_of jail)/root"
inside "listen 127.0.0.1 port 5356" "listen 127.0.0.1 port 56"
kill -HUP "$(pid_of jail)"
check "reload finds its file in there" wait_for 60 logged jail "reload: done"
check "and serves the new port" serves 127.0.0.1 56
stop jail
check "SIGTERM: 0" test "$status" -eq 0
check "no such directory: 3" exits 3 "$DNS64D" -f -c "$good" -r "$work/nowhere"
check "it is named" logged run "chroot $work/nowhere: No such file or directory"

# --- Told to a service manager ---

if "$DNS64D" -V | grep -q "^systemd yes" && command -v python3 >/dev/null; then
	start manager python3 -u -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound")
while True:
    print(s.recv(4096).decode().replace("\n", " "))' "$work/notify"
	wait_for 60 logged manager bound
	chmod 777 "$work/notify" # as systemd's own
	start told env NOTIFY_SOCKET="$work/notify" WATCHDOG_USEC=400000 "$DNS64D" -f -c "$good"
	check "READY" wait_for 60 logged manager "^READY=1 STATUS=ready (addresses 1,"
	check "WATCHDOG" wait_for 60 logged manager "^WATCHDOG=1"
	kill -HUP "$(pid_of told)"
	check "RELOADING" wait_for 60 logged manager "^RELOADING=1 MONOTONIC_USEC=[0-9]"
	again()
	{
		[ "$(grep -c "^READY=1" "$work/manager.log")" -ge 2 ]
	}
	check "READY again" wait_for 60 again
	# A reload that has begun may end later than the stop.
	reloading()
	{
		[ "$(grep -c "^RELOADING=1" "$work/manager.log")" -ge 2 ]
	}
	kill -HUP "$(pid_of told)"
	wait_for 60 reloading
	stop told
	check "STOPPING" wait_for 60 logged manager "^STOPPING=1"
	check "no READY after it" test "$(sed '1,/^STOPPING=1/d' "$work/manager.log" | grep -c "^READY=1")" = 0
	stop manager
fi

# --- What is in flight when it ends ---

# Nobody answers there: the question stays in flight until its time is over.
silent=$(config silent.conf "nameserver 127.0.0.1 port 5399" "listen 127.0.0.1 port 5355" \
	"upstream-timeout 5" "stop-timeout 30")
if command -v python3 >/dev/null; then
	start silent_port python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 5399))
print("bound", flush=True)
while True:
    print("asked", s.recv(4096).lower(), flush=True)'
	in_flight()
	{
		logged silent_port "asked .*$1.x04test"
	}
	wait_for 60 logged silent_port bound
	start silent "$DNS64D" -f -c "$silent"
	check "starts with a silent upstream" wait_for 60 logged silent "MiB of memory"
	start question kdig @127.0.0.1 -p 5355 +timeout=15 +retry=0 first.test TXT
	wait_for 60 in_flight first
	kill -TERM "$(pid_of silent)"
	check "the first SIGTERM waits" sh -c "sleep 0.5; kill -0 $(pid_of silent)"
	stop silent
	check "the second ends it at once: 0" test "$status" -eq 0
	check "and says so" logged silent "SIGTERM again"
	start silent "$DNS64D" -f -c "$silent"
	check "starts once more" wait_for 60 logged silent "MiB of memory"
	# A name of its own: what the first daemon sent last may be told only now.
	start question2 kdig @127.0.0.1 -p 5355 +timeout=15 +retry=0 second.test TXT
	wait_for 60 in_flight second
	stop silent
	check "SIGTERM: 0, after" test "$status" -eq 0
	check "the answer to what was in flight" wait_for 60 logged question2 SERVFAIL
fi
finish
