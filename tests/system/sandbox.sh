#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sandbox: what somebody could do who had taken dns64d over, tried inside of it (inside.c); and that
# it can still do what it has to.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
inside=$TOP_BUILDDIR/tests/system/inside.so
[ -r "$inside" ] || give_up "no $inside"
grep -q '^#define INSTRUMENTED' "$TOP_BUILDDIR/config.h" && {
	echo 'a build with sanitizers or coverage has no sandbox'
	exit 77
}

mkdir -m 755 "$work/conf" && mkdir -m 777 "$work/other" "$work/state" || exit 99
cp "$inside" "$work/inside.so" && chmod 755 "$work/inside.so" || exit 99
cache=$work/state/cache
control=$work/state/control

# settings MODE LINE...: as configure does, in a directory of its own
settings()
{
	mode=$1
	shift
	configure "sandbox $mode" 'nameserver 127.0.0.1 port 5300' 'user none' 'num-threads 2' \
		"cache-file $cache" "control-socket $control" "$@"
	mv "$work/dns64d.conf" "$work/conf/dns64d.conf"
}

begin()
{
	start dns64d "$@" "$DNS64D" -f -c "$work/conf/dns64d.conf"
	wait_for 60 serves 5364 || give_up "dns64d does not start"
}

# tried WHO: what came of each try, one line, "WHAT ERROR"
tried()
{
	sed -n "s/^inside $1 //p" "$work/dns64d.log" | sort -u
}

all_tried()
{
	[ "$(tried main | wc -l)" -ge 27 ] && [ "$(grep -c '^inside loop getpriority' "$work/dns64d.log")" -ge 2 ]
}

# break_out MODE: have everything tried; a listener waits at port 5300 already
break_out()
{
	settings "$1"
	for file in file file.old; do
		echo secret >"$work/other/$file" && chmod 666 "$work/other/$file"
	done
	begin env INSIDE_OPEN="$work/other/file" INSIDE_READ="$work/conf/dns64d.conf" INSIDE_PORT=5399 \
		INSIDE_FREE=5398 LD_PRELOAD="$work/inside.so"
	check "$1: everything is tried" wait_for 60 all_tried
	stop dns64d
	equal "$1: it ends well" 0 "$status"
}

start_fakedns --ttl 300
start_another waiter 127.0.0.1 5399

# --- without, to see that the tries are worth something ---

break_out off
check 'off: the log says so' logged dns64d 'sandbox: none'
for try in tcp-bind tcp-connect open read create fork ptrace signal dumpable write-exec then-exec getpriority; do
	equal "off: $try can be done" "$try ok" "$(tried main | grep "^$try ")"
done
equal 'off: nothing is forbidden but what root would need a capability for' 'packet-socket' \
	"$(tried main | sed -n 's/ E\(PERM\|ACCES\)$//p')"
rm -f "$work/other/file.new"

# --- with ---

for mode in on strict; do
	break_out "$mode"
	level=$(sed -n 's/.*sandbox: files and TCP ports limited (Landlock \([0-9]*\)).*/\1/p' "$work/dns64d.log")
	# An older kernel limits less, and it is said.
	[ -n "$level" ] || check "$mode: what is not limited is told" logged dns64d 'sandbox: files'
	for try in fork execve ptrace dumpable mount unshare clone-namespace setns init_module keyctl bpf \
		io_uring_setup perf_event_open packet-socket alg-socket tiocsti tiocsti-high write-exec then-exec; do
		for who in main loop; do
			case $(tried $who | grep "^$try ") in
			*' EPERM' | "$try ENOSYS") denied=yes ;;
			*) denied=no ;;
			esac
			grep -q '^#define HAVE_SECCOMP' "$TOP_BUILDDIR/config.h" || denied=unknown
			[ $denied = unknown ] || equal "$mode, $who: $try is denied" yes $denied
		done
	done
	[ -n "$level" ] || continue
	for try in open create unlink tcp-connect; do
		equal "$mode, main: $try is denied" "$try EACCES" "$(tried main | grep "^$try ")"
	done
	equal "$mode, main: the configuration can be read" 'read ok' "$(tried main | grep '^read ')"
	for try in open read create unlink tcp-bind tcp-connect; do
		equal "$mode, loop: $try is denied" "$try EACCES" "$(tried loop | grep "^$try ")"
	done
	equal "$mode: the file is still there" secret "$(cat "$work/other/file.old")"
done
equal 'strict: no other TCP port is bound' 'tcp-bind EACCES' "$(tried main | grep '^tcp-bind ')"
equal 'strict: what is on no list is denied' 'getpriority ENOSYS' "$(tried main | grep '^getpriority ')"

# --- what it has to do ---

reloads()
{
	[ "$(grep -c 'reload: \(done\|failed\)' "$work/dns64d.log")" -ge "$1" ]
}

reload()
{
	reloads=$((reloads + 1))
	kill -HUP "$(pid_of dns64d)"
	check "$mode: reload $reloads is over" wait_for 60 reloads $reloads
}

asked=010-000-000-001.dns64perf.test
for mode in on strict; do
	reloads=0
	rm -f "$cache"
	settings "$mode"
	begin env
	server='::1 5364'
	check "$mode: secrets are locked in memory" test "$(sed -n 's/^VmLck:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(pid_of dns64d)/status")" -ge 4
	check "$mode: UDP" is 'AAAA 2001:db8:64::a00:1' answer $asked AAAA
	check "$mode: TCP, also to upstream" is 'A 10.0.0.2' answer 010-000-000-002.dns64perf.test A +tcp
	tell_statistics
	check "$mode: it was TCP to upstream" test "$(statistic upstream_tcp)" -ge 1
	for command in ping status stats upstreams 'cache lookup a.test' 'flush name a.test' 'log reopen'; do
		# shellcheck disable=SC2086 # several words
		ctl $command >"$work/said"
		equal "$mode: dns64ctl $command: exit code" 0 $?
	done
	check "$mode: the cache is saved by command" is 'entries saved' ctl cache save
	settings "$mode" 'listen 127.0.0.2 port 5364' 'hide-a yes'
	reload
	server='127.0.0.2 5364'
	equal "$mode: an address that a reload added" NOERROR "$(answer $asked AAAA | sed 's/ .*//; q')"
	equal "$mode: the new configuration" '' "$(answer $asked A | grep '^an')"
	settings "$mode" 'listen 127.0.0.1 port 5365'
	reload
	if [ "$mode" = on ]; then
		server='127.0.0.1 5365'
		equal "$mode: a port that a reload added" NOERROR "$(answer $asked AAAA +tcp | sed 's/ .*//; q')"
	elif [ -n "$level" ]; then
		check "$mode: a new port needs a restart" logged dns64d 'listen 127.0.0.1#5365: Permission denied.*restart'
	fi
	cache=$work/other/cache
	settings "$mode" 'nameserver 127.0.0.1 port 5399'
	reload
	cache=$work/state/cache
	check "$mode: it goes on" logged dns64d 'reload: done'
	if [ -n "$level" ]; then
		check "$mode: told: the upstream's port" logged dns64d 'nameserver 127.0.0.1#5399: the sandbox forbids TCP'
		check "$mode: told: cache-file" logged dns64d "cache-file $work/other/cache: the sandbox forbids it"
	fi
	settings "$mode"
	reload
	rm -f "$cache"
	stop dns64d
	equal "$mode: it ends well" 0 "$status"
	check "$mode: the cache is saved at the end" test -s "$cache"
	begin env
	check "$mode: and read" wait_for 60 logged dns64d 'cache-file .*: [1-9][0-9]* entries read'
	stop dns64d
	pidfile=$work/state/pid
	settings "$mode" "pidfile $pidfile"
	"$DNS64D" -c "$work/conf/dns64d.conf" >"$work/dns64d.log" 2>&1
	equal "$mode: it goes to the background" 0 $?
	cp "$pidfile" "$work/back.pid"
	kill "$(cat "$pidfile")"
	check "$mode: and takes its pidfile away" wait_for 60 test ! -e "$pidfile"
	rm -f "$work/back.pid"
done

finish
