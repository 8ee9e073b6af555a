#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check_driver: the driver of the tests: results, limits, what a test leaves behind, a full disk; and
# the summary of what it writes.
set -u
support=${TOP_SRCDIR:-.}/tests/support
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
export CPU_PRESSURE=/dev/null # limits are exact, however busy this machine is

network=all
# drive NAME LINE...: a test of these lines, run; its line is in $out
drive()
{
	name=$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$work/$name.sh"
	out=$("$support/driver" --test-name "$name" --log-file "$work/$name.log" --trs-file "${trs:-$work/$name.trs}" \
		--network "$network" --color-tests no --expect-failure no --enable-hard-errors yes -- sh "$work/$name.sh" 2>&1)
}

expect()
{
	# shellcheck disable=SC2254 # a pattern
	case $out in
	$2) echo "ok: $1" ;;
	*)
		printf 'FAILED: %s: expected %s, got:\n%s\n' "$1" "$2" "$out"
		failed=1 ;;
	esac
}

drive passes 'exit 0'
expect 'a test that passes' 'PASS *.* s  passes'
drive fails 'echo because' 'exit 3'
expect 'the end of its log, and the command that runs it alone' 'FAIL *fails (exit code 3)*| because*> make check TESTS=fails'
drive asserts "echo 'check_it.c:7:F:it:holds:0: Assertion failed'" 'seq 100' 'exit 1'
expect 'what failed of a program, though its log goes on' '*FAIL *asserts (exit code 1)*| check_it.c:7:F:it:holds:0: Assertion failed*| 100*'
drive skips 'echo no kdig' 'exit 77'
expect 'a skipped test gives its reason' 'SKIP *skips (no kdig)'
drive dies 'kill -SEGV $$'
expect 'a test that dies' '*FAIL *dies (killed by signal 11)*'
drive killed 'kill -KILL $$'
expect 'a test that somebody kills' '*FAIL *killed (killed by signal 9)*'
# shellcheck disable=SC2016 # expanded by the test
drive hangs '# limit: 1' 'sleep 30 & echo $! >"${0%.sh}.pid"' 'wait'
expect 'a test that hangs' 'FAIL *hangs (ended after its limit of 1 s)*'
# shellcheck disable=SC2016 # likewise
drive stops '# limit: 1' 'sleep 30 & echo $! >"${0%.sh}.pid"' 'kill -STOP 0'
expect 'a test that stops its process group' 'FAIL *stops (ended after its limit of 1 s)*'
drive deaf '# limit: 1' 'trap "" TERM' 'sleep 2' 'exit 0'
expect 'a test that passes after its limit' 'FAIL *deaf (ended after its limit of 1 s)*'
export CPU_PRESSURE="$work/pressure"
echo 'some avg10=0.00 total=7000000' >"$CPU_PRESSURE"
drive starved '# limit: 1' "echo 'some avg10=0.00 total=9000000' >$CPU_PRESSURE" 'sleep 2'
expect 'seconds in which others had the CPU do not count' 'PASS *starved'
drive blind '# limit: 1' ": >$CPU_PRESSURE" 'sleep 0.2'
expect 'a time that cannot be read takes nothing off the limit' 'PASS *blind'
echo 'some avg10=0.00 total=9000000' >"$CPU_PRESSURE"
drive drowned '# limit: 1' "echo 'some avg10=0.00 total=99000000' >$CPU_PRESSURE" 'sleep 30'
expect 'up to three times the limit' 'FAIL *drowned (ended after its limit of 1 s)*'
export CPU_PRESSURE=/dev/null
# shellcheck disable=SC2016 # likewise
drive leaves 'sleep 30 & echo $! >"${0%.sh}.pid"'
expect 'a test that leaves a process' 'PASS *leaves'
# Neither its group nor its session is the test's.
# shellcheck disable=SC2016 # likewise
drive flees 'setsid sleep 30 & sleep 0.3; echo $! >"${0%.sh}.pid"; : >"$TMPDIR/left"; echo "$TMPDIR" >"${0%.sh}.dir"'
expect 'a test whose child has a session of its own' 'PASS *flees'
out=$(ls -d "$(cat "$work/flees.dir")" 2>&1)
expect 'its directory is gone' '*No such file*'
for name in hangs stops leaves flees; do
	# A zombie that nobody has waited for yet is gone, too.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		out=$(sed -n 's/^State:[[:space:]]*\([^ZX]\) /\1 /p' "/proc/$(cat "$work/$name.pid")/status" 2>/dev/null)
		[ -n "$out" ] || break
		sleep 0.1
	done
	expect "$name: nothing is left running" ''
done

# Its ports are nobody else's, as root and where there can be namespaces.
# sees NETWORK: the network that a test is in, or what it has, in $out
sees()
{
	network=$1
	# shellcheck disable=SC2016 # expanded by the test
	drive sees 'readlink /proc/self/ns/net' 'ip -o address | tr -s " " | cut -d " " -f 2-4 | paste -s -d ,'
	out=$(sed "s/^$ours\$/that of all/" "$work/sees.log")
	network=all
}
ours=$(readlink /proc/self/ns/net | sed 's/[][]/\\&/g')
sees all
expect 'a test is in the network of all' 'that of all*'
sees own
if [ "$(id -u)" = 0 ] && unshare --net ip link set lo up 2>/dev/null; then
	expect 'in one of its own: loopback, which is up' 'net:*
lo inet 127.0.0.1/8*'
	out=$(sed 1d "$work/sees.log" | tr , '\n' | grep -v '^lo ')
	expect 'and nothing else' ''
else
	expect 'there can be no other' 'that of all*'
fi
printf '#!/bin/sh\nexit 1\n' >"$work/unshare" && chmod 755 "$work/unshare"
PATH=$work:$PATH sees own
expect 'where there can be no other it is in that' 'that of all*'
rm "$work/sees.trs"
trs=/dev/full
drive full 'exit 0'
expect 'a full disk' '*is the disk full?*'
trs=
export TMPDIR="$work/no/such"
drive roomless 'exit 0'
expect 'a disk without room for its files' 'ERROR *roomless: is the disk full? *no/such*'
unset TMPDIR

out=$("$support/summary" "$work")
expect 'the summary counts' '*5 passed, 9 failed, 1 skipped'
expect 'and has what failed first' '*First failed, and the end of its log:*> make check TESTS=fails*| because*'
expect 'and what failed in each' '*failed:  *asserts*| check_it.c:7:F:it:holds:0: Assertion failed*First failed*'
rm -f "$work"/*.trs
out=$("$support/summary" "$work" && echo fine)
expect 'no test at all is no success' '*no test ran*0 passed, 0 failed, 0 skipped'
exit $failed
