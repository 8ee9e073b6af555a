#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# prefixes: NAT64 prefixes changed by dns64ctl while questions flow; saved, undone, refused; their weights; TTLs.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl kdig python3
control=$work/state/control
saved=$work/state/prefixes
known=010-000-000-001.dns64perf.test
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

# exits CODE WORD...: the exit code of dns64ctl, what it prints goes to $work/said
exits()
{
	expected_code=$1
	shift
	ctl "$@" >"$work/said"
	equal "dns64ctl $*: exit code" "$expected_code" $?
}

# refused TEXT WORD...: dns64ctl fails, says TEXT, and nothing is changed
refused()
{
	expected_text=$1
	shift
	was=$(ctl prefixes | sed 's/ [0-9]*  / /')
	exits 1 "$@"
	check "  says: $expected_text" is "$expected_text" cat "$work/said"
	equal '  nothing is changed' "$was" "$(ctl prefixes | sed 's/ [0-9]*  / /')"
}

settings()
{
	configure 'nameserver 127.0.0.1 port 5300' "control-socket $control" 'num-threads 2' \
		'web-listen 127.0.0.1' "$@" 'client 127.0.0.9 127.0.1.0/24 {' 'hide-a yes' '}'
}

# total PREFIX: how many answers were synthesized under it
total()
{
	curl -s "http://127.0.0.1:6464/metrics" |
		awk -v p="{prefix=\"$1\"}" 'index($1, "dns64d_synthesized_answers_total" p) == 1 { print $2 }'
}

# addresses [KDIG-ARGUMENTS...]: the AAAA of $known, on one line
addresses()
{
	kdig @127.0.0.1 -p 5364 "$@" +short $known AAAA | xargs
}

# totals: those of both, once nothing is in flight any more
totals()
{
	sums=
	until [ "$sums" = "$(total 2001:db8:64::/96) $(total 2001:db8:65::/96)" ]; do
		sums="$(total 2001:db8:64::/96) $(total 2001:db8:65::/96)"
		sleep 0.3
	done
	echo "$sums"
}

ready()
{
	curl -s -o "$work/said" -w '%{http_code}' http://127.0.0.1:6464/ready
}

start_fakedns --ttl 300
settings "prefix-file $saved"
start_dns64d

# --- questions flow meanwhile ---

python3 "$TOP_SRCDIR/tests/system/prefixes.py" 127.0.0.1 5364 "$TOP_BUILDDIR/dns64ctl" "$control" 24 \
	>"$work/flow.log" 2>&1
check 'each answer is wholly old or wholly new' logged flow 'all as it has to be'
grep answer "$work/flow.log"
curl -s http://127.0.0.1:6464/metrics >"$work/metrics"
check 'answers are counted by what they are' grep -q '^dns64d_answers_total.*outcome="synthesized".* [1-9]' "$work/metrics"
unexplained=$(awk '/^dns64d_answers_total/ && $2 > 0 && !/outcome="synthesized"|reason="(silent|outage|no-room)"/' "$work/metrics")
equal 'and has addresses, unless the upstream is silent, or so much waits for it that there is no room' '' "$unexplained"
before=$(totals)
first=${before% *}
check 'answers are counted by prefix' test "$first" -gt 1000 -a "${before#* }" -gt 1000
check 'prefixes: the same number' is " $first  dns64ctl since" ctl prefixes
exits 0 reload
equal 'a reload does not reset them' "$before" "$(totals)"

# --- what holds until a reload ---

exits 0 prefix add 2001:db8:65::/96
check 'both are used' is 'AAAA 2001:db8:65::a00:1' answer $known AAAA
check 'where it comes from' is 'dns64ctl since 20' ctl prefixes
check 'in the configuration, too' is 'dns64-prefix 2001:db8:65::/96 active ' ctl config
exits 0 prefix drain 2001:db8:64::/96
equal 'only the other' 2001:db8:65::a00:1 "$(addresses)"
exits 0 prefix down 2001:db8:65::/96
check 'none is active' is 'no prefix is active' cat "$work/said"
equal 'not ready' 503 "$(ready)"
check 'and why' is 'no prefix is active' cat "$work/said"
equal 'nothing is synthesized' '' "$(addresses)"
exits 0 reload
check 'a reload undoes it, and says so' is 'undoes dns64ctl prefix: 2001:db8:65::/96 is not there any more' cat "$work/said"
check 'each change' is 'undoes dns64ctl prefix: 2001:db8:64::/96 is active again' cat "$work/said"
equal 'ready again' 200 "$(ready)"
equal 'as it was' 2001:db8:64::a00:1 "$(addresses)"

# --- clients of a block ---

exits 0 prefix add 2001:db8:66::/96 client 127.0.1.0/24
exits 0 prefix del 2001:db8:64::/96 client 127.0.0.9
equal 'for clients of the block' 2001:db8:66::a00:1 "$(addresses -b 127.0.0.9)"
equal 'not for others' 2001:db8:64::a00:1 "$(addresses)"

# --- a change is one wherever the prefix is ---

exits 0 prefix add 2001:db8:64::/96 client 127.0.0.9
exits 0 prefix down 2001:db8:64::/96
check 'the reply lists the policies: those of no block' is 'changed     clients in no block: down, was active' cat "$work/said"
check '  and the block' is 'changed     client 127.0.0.9/32 127.0.1.0/24: down, was active' cat "$work/said"
equal 'in the block, too' 2001:db8:66::a00:1 "$(addresses -b 127.0.0.9)"
equal 'and outside' '' "$(addresses)"
exits 0 prefix active 2001:db8:64::/96 client 127.0.0.9
check 'who has it otherwise still' is 'unchanged   clients in no block: down' cat "$work/said"
exits 0 reload
check 'a reload undoes it everywhere' is 'undoes dns64ctl prefix: 2001:db8:64::/96 is active again' cat "$work/said"
exits 0 prefix add 2001:db8:66::/96 client 127.0.1.0/24
exits 0 prefix del 2001:db8:64::/96 client 127.0.0.9

# --- saved ---

exits 0 prefix drain 2001:db8:66::/96 client 127.0.0.9 --persist
exits 0 --persist prefix add 2001:db8:67::/96
check 'where it comes from now' is "$saved:3" ctl prefixes
exits 0 reload
check 'nothing is undone' test "$(grep -c undoes "$work/said")" -eq 0
check 'it survives a reload' is 'AAAA 2001:db8:67::a00:1' answer $known AAAA
stop dns64d
equal 'exit status' 0 "$status"
check '-t reads it, too' is 'configuration OK' "$DNS64D" -t -f -c "$work/dns64d.conf"
start_dns64d
check 'it survives a restart' is 'AAAA 2001:db8:67::a00:1' answer $known AAAA
equal 'that of the block, too' '' "$(addresses -b 127.0.0.9)"
exits 0 prefix del 2001:db8:67::/96 --persist
exits 0 prefix active 2001:db8:66::/96 client 127.0.0.9 --persist
check 'config has it, with its place' is "# $saved:4" ctl config
ctl config >"$work/again.conf" && chmod 644 "$work/again.conf"
check 'config can be read again' is 'configuration OK' "$DNS64D" -t -f -c "$work/again.conf"

# --- a block of the file that the configuration has no more ---

with_block=$(cat "$saved")
printf 'client 127.0.9.0/24 {\n\tdns64-prefix 2001:db8:68::/96 active\n}\n' >>"$saved"
exits 0 reload
check 'it is skipped' is "$saved:6: client: the configuration has no client block with 127.0.9.0/24" cat "$work/said"
check '-t: only a warning' is 'configuration OK' "$DNS64D" -t -f -c "$work/dns64d.conf"
printf '%s\n' "$with_block" >"$saved"
exits 0 reload

# --- what is refused ---

refused "the prefix of that length is 2001:db8::/96" prefix add 2001:db8::1/96
refused 'a correct prefix is 2001:db8::/96' prefix add 2001:db8:0:0:100::/96
refused 'did you mean 2001:db8:65::/96?' prefix add 2001:db8:65::96
refused 'is there already, active' prefix add 2001:db8:64::/96
refused 'nor on a map line; there are 2001:db8:64::/96' prefix drain 2001:db8:69::/96
refused 'without which 64:ff9b::/96 would hold' prefix del 2001:db8:64::/96
refused 'there is no client block with' prefix add 2001:db8:65::/96 client 127.0.0.10
refused 'did you mean 127.0.1.0/24?' prefix add 2001:db8:65::/96 client 127.0.1.7/24
exits 2 prefix add
exits 2 prefix add 2001:db8:65::/96 client
exits 2 prefix add 2001:db8:65::/96 for 127.0.0.9
exits 2 ping --persist
n=1
while [ $n -lt 32 ]; do
	ctl prefix add "2001:db8:$((1000 + n))::/96" >/dev/null
	n=$((n + 1))
done
refused 'there can be 32 prefixes at most' prefix add 2001:db8:65::/96
exits 0 reload
check 'by curl' is '"done": true' curl -s --unix-socket "$control" -d '{"prefix": "2001:db8:65::/96"}' http://d/prefix/add
check 'by curl: what is allowed is told' is '"client"' curl -s --unix-socket "$control" -d '{"prefx": "2001:db8:65::/96"}' http://d/prefix/add

# --- the file cannot be written, or is broken ---

before=$(cat "$saved")
mkdir "$saved.new" "$saved.new/x"
refused "prefix-file $saved cannot be written: " prefix drain 2001:db8:64::/96 --persist
equal 'the file is as it was' "$before" "$(cat "$saved")"
rm -r "$saved.new"
exits 0 prefix drain 2001:db8:64::/96 --persist
echo 'hide-a yes' >>"$saved"
exits 1 reload
check 'a broken file: its line' is "$saved:7: hide-a: cannot stand in the prefix-file" cat "$work/said"
check 'what was before holds' is 'AAAA 2001:db8:65::a00:1' answer $known AAAA
check '-t tells that, too' is "$saved:7: hide-a:" ctl check-config "$work/dns64d.conf"
stop dns64d
start second "$DNS64D" -f -c "$work/dns64d.conf"
wait "$(pid_of second)"
equal 'no start: exit status' 1 $?
rm "$work/second.pid"
check 'and the reason' logged second "$saved:7: hide-a: cannot stand in the prefix-file"
printf 'dns64-prefix 2001:db8:65::/96\n' >"$saved"
untrusted="$saved: cannot be read: it must belong to the daemon's user or root, and nobody else"
chown bin "$saved"
check 'that of another user: -t' is "$untrusted" ctl check-config "$work/dns64d.conf"
chown "$usual" "$saved" && chmod 664 "$saved"
check 'that a group can write: -t' is "$untrusted" ctl check-config "$work/dns64d.conf"
chmod 644 "$saved"
start_dns64d
check 'that of the daemon: a start' is 'AAAA 2001:db8:65::a00:1' answer $known AAAA
chown bin "$saved"
exits 1 reload
check 'that of another user: a reload' is "$untrusted" cat "$work/said"
stop dns64d
rm "$saved"

# --- one that only map lines name ---

settings "prefix-file $saved" 'map 10.0.0.0/8 2001:db8:70::/96'
start_dns64d
equal 'by the map' 2001:db8:70::a00:1 "$(addresses)"
exits 0 prefix down 2001:db8:70::/96 --persist
equal 'down' '' "$(addresses)"
check 'explain knows it' is '2001:db8:70::/96 down' ctl explain $known
check 'prefixes: where it is from' is "$saved:3" ctl prefixes
exits 0 reload
check 'nothing is undone' test "$(grep -c undoes "$work/said")" -eq 0
stop dns64d
start_dns64d
equal 'it survives a restart' '' "$(addresses)"
ctl config >"$work/again.conf" && chmod 644 "$work/again.conf"
check 'config has it' is 'dns64-prefix 2001:db8:70::/96 down map ' cat "$work/again.conf"
check 'config can be read again' is 'configuration OK' "$DNS64D" -t -f -c "$work/again.conf"
exits 0 prefix active 2001:db8:70::/96
equal 'active' 2001:db8:70::a00:1 "$(addresses)"
exits 0 reload
check 'a reload undoes that' is 'undoes dns64ctl prefix: 2001:db8:70::/96 of map lines is down again' cat "$work/said"
stop dns64d
rm "$saved"

# --- weights ---

# shares: the prefix of each of some clients, one a line
shares()
{
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		addresses -b "127.0.2.$n"
	done
}

settings "prefix-file $saved" 'prefix-selection client-hash' 'dns64-prefix 2001:db8:65::/96 weight 300'
start_dns64d
shares >"$work/shares"
first=$(grep -c '^2001:db8:65::a00:1$' "$work/shares")
check "by weight: $first of 24 clients" test "$first" -ge 12 -a "$first" -lt 24
check 'prefixes has it' is 'weight 300' ctl prefixes
check 'explain has it' is '2001:db8:64::/96 active weight 100, 2001:db8:65::/96 active weight 300' ctl explain $known
check 'metrics have it' is 'dns64d_prefix_weight{prefix="2001:db8:65::/96",block="0"} 300' \
	curl -s http://127.0.0.1:6464/metrics
exits 0 prefix drain 2001:db8:65::/96 --persist
equal 'drained' 24 "$(shares | grep -c '^2001:db8:64::a00:1$')"
check 'it is saved' is 'dns64-prefix 2001:db8:65::/96 drain weight 300' cat "$saved"
exits 0 prefix active 2001:db8:65::/96 --persist
stop dns64d
prefix='2001:db8:65::/96 weight 300'
settings 'prefix-selection client-hash' 'dns64-prefix 2001:db8:64::/96'
prefix=2001:db8:64::/96
start_dns64d
equal 'back, by another daemon, with its lines in another order: the same clients' "$(cat "$work/shares")" "$(shares)"
stop dns64d
rm "$saved"
settings 'dns64-prefix 2001:db8:65::/96 weight 0'
check '-t: no weight' is "dns64d.conf:9: dns64-prefix: the weight '0' is not a number from 1 to 1000" \
	ctl check-config "$work/dns64d.conf"

# --- how long hosts keep an address ---

# ttl NAME: that of its AAAA
ttl()
{
	kdig @127.0.0.1 -p 5364 +noall +answer "$1" AAAA | awk '{ print $2 }'
}

settings 'synthesized-max-ttl 20'
start_dns64d
equal 'its TTL' 20 "$(ttl $known)"
sleep 1.5
equal 'from the cache' 20 "$(ttl $known)"
equal 'of ipv4only.arpa' '20 20' "$(ttl ipv4only.arpa | xargs)"
settings
exits 0 reload
check 'without a limit' test "$(ttl $known)" -gt 20
stop dns64d

# --- no file; a directory that the user may not write; strict ---

settings 'sandbox strict'
start_dns64d
refused 'the keyword prefix-file names one' prefix add 2001:db8:65::/96 --persist
exits 0 prefix add 2001:db8:65::/96
settings 'sandbox strict' "prefix-file $saved"
exits 0 reload
check 'the keyword needs a restart' is 'prefix-file was changed, which takes effect only with a restart' cat "$work/said"
stop dns64d
start_dns64d
exits 0 prefix add 2001:db8:65::/96 --persist
exits 0 reload
check 'strict: saved and read again' is 'AAAA 2001:db8:65::a00:1' answer $known AAAA
stop dns64d
equal 'exit status' 0 "$status"
settings 'prefix-file /proc/prefixes'
check '-t: where it cannot be written' is "prefix-file: '/proc/prefixes' cannot be read and replaced" \
	ctl check-config "$work/dns64d.conf"

finish
