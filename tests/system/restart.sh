#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# restart: start and stop with a cache-file on a disk that is slow (faults.c). While it is loaded questions are
# answered and commands carried out, and neither what is flushed nor what is older comes from it; a stop leaves it as it
# is. While it is saved questions are answered, until a second signal ends that. Nor does a full disk, or a lack of
# memory, keep the daemon from ending.
. "${TOP_SRCDIR:-.}/tests/system/faulty.sh"
need kdig

known=010-200-000-001.dns64perf.test
other=010-200-000-002.dns64perf.test
cache=$work/state/cache
slow=1000 # ms, of each read and write

# ttl_of NAME: of its A
ttl_of()
{
	answer "$1" A | sed -n "s/^an $1. \([0-9]*\) IN A .*/\1/p" | grep . || echo 0
}

# start_again: it serves, and has a second or two to load what fakedns 300 said
start_again()
{
	fault slow $slow
	begin
	starts || give_up 'it does not start'
}

# loads: has it yet to load all?
loads()
{
	! logged dns64d "cache-file $cache: .* entries read"
}

loaded()
{
	wait_for 60 logged dns64d "cache-file $cache: [1-9][0-9]* entries read"
	loaded=$?
	fault slow 0
	return $loaded
}

# ends SIGNALS: end it, with so many signals
ends()
{
	sum=$(cksum "$cache" 2>&1)
	kill -TERM "$(pid_of dns64d)"
	if [ "$1" = 2 ]; then
		wait_for 60 logged dns64d 'server: SIGTERM: '
		kill -TERM "$(pid_of dns64d)"
	fi
	wait "$(pid_of dns64d)"
	status=$?
	rm "$work/dns64d.pid"
	fault slow 0
	fault clear
	equal 'exit status' 0 $status
}

# stays WHY: the file is as it was
stays()
{
	equal "$1: the file stays" "$sum" "$(cksum "$cache")"
	check "$1: nothing is left beside it" test ! -e "$cache.new"
}

start_fakedns --ttl 300
settings
fault clear
begin
starts || give_up 'it does not start'
check 'a name is answered' test "$(ttl_of $known)" -gt 200
check 'and another' test "$(ttl_of $other)" -gt 200
ends 1
check 'they are saved' logged dns64d "cache-file $cache: [1-9][0-9]* entries saved"

# --- loading ---

stop fakedns
start_fakedns --ttl 1000
start_again
check 'it answers before it has loaded' loads
check 'that shows' is 'loading 1' ctl cache stats
check 'what it has not loaded it asks for' test "$(ttl_of $known)" -gt 300
check 'and goes on loading' loads
check 'it loads' loaded
check 'what is newer stays' test "$(ttl_of $known)" -gt 300
check 'the other is from the file' test "$(ttl_of $other)" -le 300
ends 1

start_again
ctl flush name $other >"$work/said"
check 'a flush while it loads' is ' entries' cat "$work/said"
loaded
check 'is one of the file, too' test "$(ttl_of $other)" -gt 300
ends 1

start_again
settings 'cache-max-ttl 50'
kill -HUP "$(pid_of dns64d)"
check 'a reload while it loads' wait_for 60 logged dns64d 'reload: done'
loaded
check "holds for what is loaded ($(ttl_of $known))" test "$(ttl_of $known)" -le 50
settings
ends 1

start_again
check 'it loads' loads
ends 1
check 'a stop while it loads' logged dns64d "cache-file $cache: not saved, as it is not loaded completely"
stays 'a stop while it loads'

# No upstream replies: the answer is what comes back while the question waits.
start_again
kill -STOP "$(pid_of fakedns)"
check 'it has yet to load' loads
ttl_of $other >"$work/came" &
asking=$!
sleep 2.5
check 'and still has' loads
fault slow 0
wait $asking
check 'who asked meanwhile gets what comes back from the file' test "$(cat "$work/came")" -gt 0
kill -CONT "$(pid_of fakedns)"
loaded
ends 1

# --- saving ---

begin
starts || give_up 'it does not start'
check 'all is still there' loaded
fault slow $slow
sum=$(cksum "$cache")
kill -TERM "$(pid_of dns64d)"
wait_for 60 logged dns64d 'server: SIGTERM: '
ctl flush name $known >"$work/said" &
flushing=$!
n=0
while asked A && ! logged dns64d 'entries saved'; do
	n=$((n + 1))
	sleep 0.05
done
check "questions are answered while it is saved ($n)" test $n -ge 5
wait $flushing
equal 'a flush while it is saved: exit code' 1 $?
check 'what is flushed then could be in the file' is 'the daemon ends' cat "$work/said"
wait "$(pid_of dns64d)"
equal 'exit status' 0 $?
rm "$work/dns64d.pid"
fault slow 0
check 'it was saved' logged dns64d "cache-file $cache: [1-9][0-9]* entries saved"
check 'the file is another' test "$sum" != "$(cksum "$cache")"

begin
starts || give_up 'it does not start'
loaded
fault slow $slow
ends 2
check 'a second signal ends that' logged dns64d "cache-file $cache: not saved, as that was interrupted"
stays 'a second signal'

begin
starts || give_up 'it does not start'
loaded
fault set write 0 1 ENOSPC
ends 1
check 'the disk is full' logged dns64d "error.* cache-file $cache: .*No space left on device"
stays 'the disk is full'

begin
starts || give_up 'it does not start'
loaded
fault set calloc 0 1 ENOMEM
ends 1
check 'no memory' logged dns64d "error.* cache-file $cache: cannot be written: Cannot allocate memory"
stays 'no memory'

finish
