#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# peers: contrib/peers starts each server that is installed, has it measured once a round and ends it;
# nothing is left behind, whatever happens. What measures is a stand-in for dns64bench.
# shellcheck disable=SC2317 # functions are called by check
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig python3 taskset ps
run=$TOP_SRCDIR/contrib/peers/run
synthesized=2001:db8:64::a00:1
DNS64BENCH=$work/bench FAKEDNS=$fakedns TMPDIR=$work
export DNS64BENCH DNS64D FAKEDNS TMPDIR

# One question; and where a restart is offered, another one after that.
cat >"$work/bench" <<-'BENCH'
	#!/bin/sh
	method=$1 restart=''
	[ "$method" != -V ] || exec echo 'stand-in 1'
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		-s) address=$2 ;;
		-p) port=$2 ;;
		--pid-file) pid_file=$2 ;;
		--json) json=$2 ;;
		--restart) restart=$2 ;;
		--kill) read -r victim _ <"$(echo "$TMPDIR"/dns64d-peers.*/"$2"/pid)" && kill "$victim" &&
			while kill -0 "$victim"; do sleep 0.1; done 2>/dev/null ;;
		--sleep)
			trap 'kill $!; exit 3' INT
			[ ! -s "$TMPDIR/asked" ] || { : >"$TMPDIR/sleeping"; exec sleep "$2"; } &
			wait
			;;
		esac
		shift 2
	done
	answer()
	{
		kdig +short +timeout=10 +retry=0 @"$address" -p "$port" 010-000-000-001.dns64perf.test AAAA
	}
	read -r pid _ <"$pid_file"
	core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$pid/status")
	echo "$pid $core $(answer)" >>"$TMPDIR/asked"
	: >"${pid_file%/*}/left" && mkdir "${pid_file%/*}/.left"
	[ -z "$restart" ] || printed=$(sh -c "$restart")
	[ -z "$restart" ] || for file in left .left; do
		[ ! -e "${pid_file%/*}/$file" ] || echo "$pid_file: $file is left" >>"$TMPDIR/outlived"
	done
	[ -z "$restart" ] || read -r pid _ <"$pid_file"
	[ -z "$restart" ] || [ "$pid" = "$printed" ] || exit 2
	[ -z "$restart" ] || echo "$pid $core $(answer)" >>"$TMPDIR/asked"
	echo '{ "program": "dns64bench", "version": "1", "method": "x", "date": "", "command": "",' \
		'"machine": { "cpu": "", "cpus": 1, "kernel": "", "os": "" }, "settings": {},' \
		'"complete": true, "failed": [], "tables": [], "findings": [' \
		'{ "name": "valid per second", "value": 1.5, "unit": "1/s" },' \
		'{ "unit": "", "name": "none", "value": null } ] }' >"$json"
BENCH
chmod 755 "$work/bench"

installed=dns64d
for program in unbound:unbound bind:named pdns:pdns_recursor knot:kresd; do
	PATH=$PATH:/usr/sbin command -v ${program#*:} >/dev/null && installed="$installed ${program%:*}"
done
n_installed=$(echo "$installed" | wc -w)
echo "servers: $installed"

# peers OPTION...: its exit code in $status
peers()
{
	: >"$work/asked"
	timeout 300 "$run" -c 0 -C 0 -o "$work/out" "$@" >"$work/peers.log" 2>&1
	status=$?
}

# Processes of the namespace that are neither this shell nor its own children for the moment
left()
{
	ps -e -o comm= | awk '/dns64d|fakedns|unbound|named|pdns|kresd|bench|timeout|server/ { n++ } END { print n + 0 }'
}

# shellcheck disable=SC2317 # wait_for calls it
none_left()
{
	[ "$(left)" = 0 ]
}

# shellcheck disable=SC2086 # a list
lines()
{
	printf '%s\n' $1
}

nothing_left()
{
	check "$1: no process is left" wait_for 20 none_left
	equal "$1: no directory is left" '' "$(find "$work" -maxdepth 1 -name 'dns64d-peers.*')"
}

peers -R 2 search
equal 'all are measured' 0 $status
equal 'the second round goes back' "$(lines "$installed" && lines "$installed" | tac)" \
	"$(sed -n 's/^peers: round [12] of 2: //p' "$work/peers.log")"
equal 'each answers right on its core, before and after a restart' "$((n_installed * 4)) 0 $synthesized" \
	"$(awk '{ print $2, $3 }' "$work/asked" | uniq -c | awk '{ $1 = $1; print }')"
equal 'a restart makes another process' $((n_installed * 4)) \
	"$(awk '{ print $1 }' "$work/asked" | sort -u | wc -l)"
# A cache in a file (Knot Resolver's LMDB) had the names of the next trial.
check 'a restart begins in an empty directory' test ! -e "$work/outlived"
equal 'the summary as CSV: both rounds of each, and its ratio to the first' \
	"$(lines "$installed" | awk '{ print "rate," $1 ",1/s,2,1.5,1.5,0,1.5,1.5," (NR > 1 ? 1 : "") "," }')" \
	"$(grep '^rate' "$work/out/summary.csv" | cut -d, -f1-11)"
nothing_left 'after that'

peers -R 2 search
equal 'what is there is not done again' "0 0" "$status $(wc -l <"$work/asked")"
peers -R 2 --cache off search
equal 'other settings have to go elsewhere' 2 $status
rm -rf "$work/out"

peers --cache off -R 1 rate
equal 'without a cache' "0 $n_installed 0 $synthesized" \
	"$status $(awk '{ print $2, $3 }' "$work/asked" | uniq -c | awk '{ $1 = $1; print }')"
rm -rf "$work/out"

printf '%s\n' 'program=false' 'version() { echo 0; }' 'configure() { :; }' \
	'launch() { on_core false; }' >"$work/broken.sh"
peers -s "dns64d,$work/broken.sh" -R 1 rate
equal 'one that does not start fails the run, but not the others' "1 1" "$status $(wc -l <"$work/asked")"
nothing_left 'after that'
rm -rf "$work/out"

peers -s dns64d -R 1 rate --kill dns64d
equal 'that a server ended is told' 'peers: dns64d has ended' "$(grep 'has ended' "$work/peers.log")"
rm -rf "$work/out"
peers -s dns64d -R 2 rate --kill fakedns
equal 'without an upstream there is no result' "1 peers: fakedns has ended " \
	"$status $(grep 'has ended' "$work/peers.log") $(find "$work/out" -name "*.json")"
nothing_left 'after that'
rm -rf "$work/out"

peers -s nobody rate
equal 'an unknown server' 2 $status
peers -s dns64d --cache some rate
equal 'a size that is none' 2 $status

: >"$work/asked"
# Interrupted when the second run sleeps, and again and again until all has ended, as by who holds Ctrl-C.
# Not in the background, where a shell ignores SIGINT. The group is that of timeout.
(
	wait_for 200 test -e "$work/sleeping"
	kill -INT "$(cat "$work/interrupted")"
	while kill -s INT -- "-$(cat "$work/interrupted")" 2>/dev/null; do
		sleep 0.01
	done
) &
interrupter=$!
# shellcheck disable=SC2016 # expanded inside
sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$work/interrupted" timeout --preserve-status -k 30 300 \
	"$run" -s dns64d -R 2 -c 0 -C 0 -o "$work/out" rate --sleep 600 >"$work/peers.log" 2>&1
status=$?
wait $interrupter
equal 'an interrupted one tells what there is' "130 rate,dns64d,1/s,1,1.5" \
	"$status $(grep '^rate' "$work/out/summary.csv" | cut -d, -f1-5)"
nothing_left 'after an interruption'
rm -rf "$work/out"

"$run" -s dns64d -R 1 -c 0 -C 0 -o "$work/out" rate 2>&1 | true
nothing_left 'when nobody listens'
finish
