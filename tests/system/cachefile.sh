#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cachefile: the cache survives a restart in its file, a damaged one is refused; commands by dns64ctl.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig dnsperf

known=010-000-000-001.dns64perf.test
other=010-000-000-002.dns64perf.test
unknown=010-000-000-003.dns64perf.test
cache=$work/state/cache
mkdir -m 700 "$work/state" && chown "$usual" "$work/state" || exit 99

setup()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'upstream-tries 1' "$@"
}

# knows NAME: is it answered, by whoever is alive?
knows()
{
	answer "$1" AAAA | grep -q "^an $1. [0-9]* IN AAAA 2001:db8:64::a00:"
}

# know_nothing: from now on upstream has an answer to nothing, and says so at once
know_nothing()
{
	stop fakedns
	start_fakedns --rcode SERVFAIL
}

forgot()
{
	! knows "$1"
}

# start_alone: again, with a new log; until the file was loaded, or was not
start_alone()
{
	rm -f "$work/dns64d.log"
	start_dns64d
	[ "${1-}" = without ] || wait_for 60 logged dns64d 'cache: cache-file ' || give_up 'nothing is loaded'
}

# --- Saved, and read ---

start_fakedns --ttl 300
setup "cache-file $cache" "control-socket $control" 'upstream-timeout 2'
start_dns64d
check 'no file yet' wait_for 60 logged dns64d "cache-file $cache: not there"
check 'a name is answered' knows $known
check 'another one' knows $other
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
check 'it was saved' logged dns64d "cache-file $cache: [1-9][0-9]* entries saved"
equal 'only we may read it' 600 "$(stat -c %a "$cache")"
equal 'so its key' 600 "$(stat -c %a "$cache.key")"
equal 'it is that of the usual user' "$usual" "$(stat -c %U "$cache")"
check 'nothing is left beside it' test ! -e "$cache.new"
know_nothing
sleep 2

start_alone
check 'it was read' wait_for 60 logged dns64d "cache-file $cache: [1-9][0-9]* entries read, 0 too old"
check 'answered without upstream' knows $known
check 'so is the other name' knows $other
check 'a name that was not asked for is not' forgot $unknown
ttl=$(answer $known AAAA | sed -n "s/^an $known. \([0-9]*\) IN AAAA.*/\1/p")
# 60 s: what there is no AAAA for
check "its TTL went on ($ttl)" test "${ttl:-999}" -le 58 -a "${ttl:-0}" -gt 30

# --- Commands ---

# ttl_of_a: the TTL of the A of $other, which fakedns gives with 300
ttl_of_a()
{
	answer $other A | sed -n "s/^an $other. \([0-9]*\) IN A .*/\1/p"
}

ctl flush flsh >"$work/said"
equal 'a command that there is not: exit code' 2 $?
check 'and nothing is done' knows $known
check 'flush name' is ' entries' ctl flush name "${known%.test}.TEST."
check 'the log says so' logged dns64d "flush name $known.: [1-9]"
check 'it is forgotten' forgot $known
check 'the other is not' knows $other
before=$(stat -c %i "$cache")
check 'cache save' is 'entries saved' ctl cache save
check 'the file is another' test "$(stat -c %i "$cache")" != "$before"
check 'flush below' is ' entries' ctl flush below dns64perf.test
check 'it were some' logged dns64d 'flush below dns64perf.test.: [1-9]'
check 'all are forgotten' forgot $other
cp "$cache" "$work/saved"
stop dns64d KILL
setup "cache-file $cache" "control-socket $control" 'upstream-timeout 2' 'cache-max-ttl 100'
start_alone
check 'what was saved by command was read' knows $other
check "a lower cache-max-ttl holds for it ($(ttl_of_a))" test "$(ttl_of_a)" -le 100
setup "cache-file $cache" "control-socket $control" 'upstream-timeout 2' 'cache-max-ttl 50'
ctl reload >>"$work/ctl.out"
check "and after a reload ($(ttl_of_a))" test "$(ttl_of_a)" -le 50
check 'what was flushed before is not in it' forgot $known
check 'flush all' is ' entries' ctl flush all
check 'all is forgotten' forgot $other
stop dns64d KILL

# --- Flushes and saves while questions pour in ---

stop fakedns
start_fakedns --ttl 300
setup "cache-file $cache" "control-socket $control" 'upstream-timeout 4'
questions 2000 >"$work/questions"
start_alone
start dnsperf dnsperf -s ::1 -p 5364 -d "$work/questions" -c 8 -l 5 -t 20 -Q 4000
n=0
while [ $n -lt 40 ]; do
	[ $((n % 10)) -ne 0 ] || ctl reload >>"$work/ctl.out"
	{
		ctl cache save && ctl flush below 010-000-001-001.dns64perf.test && ctl flush name $known &&
			ctl flush all && ctl stats && ctl status
	} >>"$work/ctl.out" || echo "not done: $n" >>"$work/not-done"
	sleep 0.05
	n=$((n + 1))
done
check 'each command was carried out' test ! -e "$work/not-done"
wait "$(pid_of dnsperf)"
rm "$work/dnsperf.pid"
check 'nothing is lost' logged dnsperf 'Queries lost: *0 '
check 'all NOERROR' logged dnsperf 'Response codes: *NOERROR [0-9]* (100.00%)$'
saves=$(grep -c "cache-file $cache: [0-9]* entries saved" "$work/dns64d.log")
check "it was saved again and again ($saves)" test "$saves" -ge 40
stop dns64d
equal 'exit status after that' 0 "$status" # a sanitizer's would be another
start_alone
check 'the last save is a sound file' wait_for 60 logged dns64d "cache-file $cache: [0-9]* entries read"
stop dns64d KILL
know_nothing
setup "cache-file $cache" 'upstream-timeout 0.2'

# --- Damaged ---

# refused WHAT PATTERN: a start with the file as it is now says so, and begins empty
refused()
{
	sum=$(cksum <"$cache")
	start_alone
	check "$1: a warning" wait_for 60 logged dns64d "warn.* cache-file $cache: $2"
	check "$1: the cache is empty" forgot $other
	equal "$1: the file stays as it is" "$sum" "$(cksum <"$cache")"
	stop dns64d KILL
}

half=$(($(stat -c %s "$work/saved") / 2))
head -c $half "$work/saved" >"$cache"
refused 'cut' "has $half bytes where"
cp "$work/saved" "$cache"
printf '\377' | dd of="$cache" bs=1 seek=$half conv=notrunc status=none
refused 'one byte changed' 'is damaged'
echo 'nameserver 192.0.2.1 # something else altogether, and long enough' >"$cache"
refused 'another file' 'is no cache file'
: >"$cache"
refused 'empty' 'is cut off'

cp "$work/saved" "$cache"
chmod 666 "$cache"
refused 'anybody may write it' 'cannot be read: it must belong to'
chmod 644 "$cache" && chown bin "$cache"
refused 'the file of another user' 'cannot be read: it must belong to'
chown root "$cache" && mv "$cache.key" "$work/key"
refused 'no key' 'its key, the same name with .key, cannot be read: No such file'
head -c 8 /dev/urandom >"$cache.key"
chown "$usual" "$cache" "$cache.key" && chmod 600 "$cache.key"
refused 'another key' 'is damaged: its checksum is wrong'
mv "$work/key" "$cache.key"

rm "$cache" && ln -s "$work/saved" "$cache"
start_alone
check 'a symbolic link: a warning' wait_for 60 logged dns64d "warn.* cache-file $cache: cannot be read: a symbolic link"
check 'a symbolic link: the cache is empty' forgot $other
stop dns64d KILL
rm "$cache"
cp "$work/saved" "$cache" && chown "$usual" "$cache"

# --- Where it cannot be written ---

setup 'cache-file /nonexistent/cache'
start_alone
check 'a warning at the start' wait_for 60 logged dns64d 'warn.* cache-file /nonexistent/cache: cannot be read and replaced by this user: No such file'
stop dns64d
check 'an error is told' logged dns64d 'error.* cache-file /nonexistent/cache: .*No such file'
equal 'the exit status does not tell' 0 "$status"

# --- As another user, from inside a chroot ---

mkdir -p "$work/root/state" && chown nobody "$work/root/state" || exit 99
cp "$work/saved" "$work/root/state/cache" && chown nobody "$work/root/state/cache" || exit 99
cp "$cache.key" "$work/root/state/cache.key" && chown nobody "$work/root/state/cache.key" || exit 99
setup 'upstream-timeout 0.2' 'cache-file /state/cache' "chroot $work/root" 'user nobody'
# The leak checker needs /proc.
export ASAN_OPTIONS=detect_leaks=0
start_alone
check 'read there' wait_for 60 logged dns64d 'cache-file /state/cache: [1-9][0-9]* entries read'
check 'answered from it' knows $other
stop dns64d
equal 'exit status' 0 "$status"
equal 'the file is that user'"'"'s' 'nobody 600' "$(stat -c '%U %a' "$work/root/state/cache")"

unset ASAN_OPTIONS

# --- Without a cache ---

setup 'cache-size 0' "cache-file $cache" "control-socket $control"
start_alone without
check 'there is nothing to flush' is 'there is no cache' ctl flush all
sum=$(cksum <"$cache")
stop dns64d
equal 'nothing is saved' "$sum" "$(cksum <"$cache")"

finish
