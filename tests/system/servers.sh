# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034 # for those who source it
# servers: more of what the system tests share: answers of servers as text that can be compared, real
# resolvers (BIND, Unbound) with the zones of tests/system/zones, fakedns, statistics. Sources lib.sh.
#
#	equal WHAT EXPECTED GOT		a check: the two texts are the same
#	answer KDIG-ARGUMENTS...	what $server (address and port) says
#	configure LINE...		$work/dns64d.conf, serving [::1] and 127.0.0.1 port 5364
#	start_dns64d			with that; start_fakedns, start_named, start_unbound likewise
#	statistic NAME			after tell_statistics
#	n_late				likewise: the questions that were dropped unread
#	found NAME			a finding of the tester's run in $work/run.json
#	give_up WHAT...			the test cannot go on
#	watch_noise			from now on stretch MS tells a bound of time on this machine

. "${TOP_SRCDIR:-.}/tests/system/lib.sh"

fakedns=$TOP_BUILDDIR/fakedns
upstream=$TOP_BUILDDIR/tests/system/upstream
prefix=2001:db8:64::/96
server='::1 5364'
tsig_secret=c2VjcmV0IG9mIHRoZSB0ZXN0cw==
zones='site.test other.test signed.site.test 2.0.192.in-addr.arpa'

# give_up WHAT...: the test cannot go on
give_up()
{
	echo "given up: $*"
	failures="${failures:+$failures; }given up: $*"
	n_failed=$((n_failed + 1))
	exit 99
}

milliseconds()
{
	date +%s%3N
}

equal()
{
	check "$1" test "$2" = "$3"
	[ "$2" = "$3" ] || printf '  expected:\n%s\n  got:\n%s\n' "$2" "$3"
}

# --- time ---

# watch_noise: how long is a process kept from running that wants to? It sleeps a millisecond again and
# again, and runs before those that are at work for long, so what the tests do adds little to it.
watch_noise()
{
	start noise "$wire" udp 127.0.0.1 9 gap
	sleep 0.1
}

# stretch MS: a bound of MS on this machine, in ms: MS, and for each of the processes that an
# answer passes through the longest that one was kept from running so far
stretch()
{
	echo $(($1 + 4 * $(stood_still)))
}

# stood_still: the longest that a process which sleeps was kept from running so far, in ms
stood_still()
{
	tail -n 1 "$work/noise.log" | grep . || echo 0
}

# --- questions ---

# ask_steadily FIRST N: see steady
ask_steadily()
{
	# shellcheck disable=SC2046 # its words
	set -- "$2" $("$wire" udp ::1 5364 steady "$1" "$2" dns64perf.test 10000 100 2>&1)
	busy=$(stretch "${least_busy:-0}")
	came=${2:-0} resolved=$((${2:-0} - ${4:-0})) slow=${6:-0} longest=${8:-0}
	told="$resolved of $1 resolved, $slow over 100 ms, the longest $longest ms, $(($1 - came)) unanswered"
}

# steady FIRST N: N questions, 100 a second, for the names from FIRST on. How many came with an answer is in
# $came, with a good one in $resolved, late in $slow, the longest in $longest, all in words in $told; and what the
# machine adds to a time by now in $busy, from $least_busy on, in ms
steady()
{
	ask_steadily "$@"
	[ "$came" -ne "$2" ] || return 0
	tell_statistics
	echo "$told: $(n_late) were dropped unread, a process stood still for $(stood_still) ms"
	# A processor that stands still for half a second makes the daemon do so (RULES D32); but hardly twice.
	[ "$(n_late)" -lt $(($2 - came)) ] || ask_steadily "$@"
}

# answer KDIG-ARGUMENTS...: what $server says, as text: rcode and flags, then the records by section
# (an, au, ad), and the OPT if there is one (opt, without its size)
answer()
{
	# shellcheck disable=SC2086 # address and port
	answer_of $server "$@"
}

answer_of()
{
	answer_address=$1 answer_port=$2
	shift 2
	kdig +timeout=20 +retry=0 +ignore @"$answer_address" -p "$answer_port" "$@" 2>&1 | awk '
		/^;; (WARNING|ERROR)/ { print; next }
		/->>HEADER<<-/ { sub(/.*status: /, ""); sub(/;.*/, ""); status = $0; next }
		/^;; Flags:/ { sub(/^;; Flags: /, ""); sub(/;.*/, ""); print status " " $0; next }
		/^;; EDNS PSEUDO/ { section = "opt"; next }
		/^;; QUESTION/ { section = "qu"; next }
		/^;; ANSWER/ { section = "an"; next }
		/^;; AUTHORITY/ { section = "au"; next }
		/^;; ADDITIONAL/ { section = "ad"; next }
		/^;; (Received|Time|From)/ || /^$/ { next }
		section == "opt" { sub(/^;; /, ""); sub(/ UDP size: [0-9]+ B;/, ""); print "opt " $0; next }
		section == "qu" { next }
		{ $1 = $1; print section " " $0 }'
}

# statistic NAME: the counter as dns64d told it when last asked; 0 if it is not there
statistic()
{
	sed -n "s/.* stats: $1 \([0-9]*\) .*/\1/p" "$work/dns64d.log" | tail -n 1 | grep . || echo 0
}

# n_late: the questions that were dropped unread, as of a burst that a busy machine has no time for (RULES D32)
n_late()
{
	echo $(($(statistic client_late) + $(statistic socket_drops)))
}

# found NAME: the value of the finding in $work/run.json, which has a line for each member
found()
{
	awk -v name="\"name\": \"$1\"," '
		/^  "findings"/ { in_findings = 1 }
		in_findings && /^  \]/ { exit }
		in_findings && index($0, name) { getline; sub(/.*"value": "?/, ""); sub(/"?,$/, ""); print }' "$work/run.json"
}

# tell_statistics: have them written to the log; "in flight" is the last of them
tell_statistics()
{
	tell_times=$(grep -c "stats: in flight" "$work/dns64d.log")
	kill -USR1 "$(pid_of dns64d)"
	wait_for 60 told_again
}

told_again()
{
	[ "$(grep -c "stats: in flight" "$work/dns64d.log")" -gt "$tell_times" ]
}

# questions N: N different AAAA questions for fakedns, as dnsperf reads them
questions()
{
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "010-%03d-%03d-%03d.dns64perf.test AAAA\n", i / 65536 % 256, i / 256 % 256, i % 256 }'
}

# --- servers ---

# configure LINE...: a configuration for dns64d on [::1]:5364 and 127.0.0.1:5364. No question leaves from the port of a
# server that is to be started later.
configure()
{
	{
		printf '%s\n' 'listen ::1 port 5364' 'listen 127.0.0.1 port 5364' "dns64-prefix $prefix" 'avoid-port 5300-5303'
		printf '%s\n' "$@"
	} >"$work/dns64d.conf"
}

# start_dns64d: with that; returns when it serves
start_dns64d()
{
	start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
	wait_for 60 serves 5364 || give_up "dns64d does not start"
}

# anew LINE...: dns64d, started anew with one loop, without a cache and with these lines
anew()
{
	[ ! -f "$work/dns64d.pid" ] || stop dns64d
	configure 'num-threads 1' 'cache-size 0' "$@"
	start_dns64d
}

# serves PORT: is somebody listening there, over TCP?
serves()
{
	listens 127.0.0.1 "$1"
}

# configure_forwarder PORT: $work/forwarder.conf, for an unbound that does what dns64d does, on ::1 and
# 127.0.0.1, with one thread, in front of fakedns at 127.0.0.1:5300
configure_forwarder()
{
	cat >"$work/forwarder.conf" <<-CONF
		server:
		  directory: "$work"
		  chroot: ""
		  username: ""
		  pidfile: ""
		  use-syslog: no
		  do-daemonize: no
		  verbosity: 0
		  interface: 127.0.0.1@$1
		  interface: ::1@$1
		  num-threads: 1
		  module-config: "dns64 iterator"
		  dns64-prefix: $prefix
		  do-not-query-localhost: no
		  local-zone: "test." nodefault
		  so-rcvbuf: 4m
		  so-sndbuf: 4m
		  outgoing-range: 16384
		  num-queries-per-thread: 8192
		forward-zone:
		  name: "."
		  forward-addr: 127.0.0.1@5300
		remote-control:
		  control-enable: no
	CONF
}

# start_fakedns [OPTION...]: on 127.0.0.1:5300.
start_fakedns()
{
	start fakedns "$fakedns" -l 127.0.0.1 -p "${fakedns_port:-5300}" "$@"
	wait_for 60 serves "${fakedns_port:-5300}" || give_up "fakedns does not start"
}

# start_another NAME ADDRESS PORT [OPTION...]: one more fakedns, which listens when this returns.
start_another()
{
	another=$1 where=$2 port=$3
	shift 3
	start "$another" "$fakedns" -l "$where" -p "$port" "$@"
	wait_for 60 listens "$where" "$port" || give_up "$another does not start"
}

# make_zones: the zones of tests/system/zones in $work, with all their TTLs written out (Unbound takes
# others for the default), a TXT of 3,000 octets, and signed.site.test signed, its "bogus" AAAA
# changed after that
make_zones()
{
	cp "$TOP_SRCDIR"/tests/system/zones/*.zone "$work/" || give_up "no zones"
	{
		printf 'long\t3600\tTXT\t(\n'
		make_n=12
		while [ $make_n -gt 0 ]; do
			printf '\t"%0250d"\n' $make_n
			make_n=$((make_n - 1))
		done
		printf '\t)\n'
	} >>"$work/site.test.zone"
	for make_zone in site.test other.test 2.0.192.in-addr.arpa; do
		named-compilezone -q -k ignore -i none -o "$work/$make_zone" $make_zone \
			"$work/$make_zone.zone" || give_up "zone $make_zone"
	done
	(
		cd "$work" && dnssec-keygen -q -K . -a ECDSAP256SHA256 -f KSK signed.site.test >key.log &&
			dnssec-signzone -S -q -K . -z -O full -o signed.site.test -f signed.full \
				signed.site.test.zone >sign.log 2>&1 &&
			sed 's/2001:db8:1::bad/2001:db8:1::bae/' signed.full >signed.site.test
	) || give_up "cannot sign the zone"
}

# start_named: on 127.0.0.1:5301, answering for these zones as a resolver would.
start_named()
{
	make_zones
	printf '.\t3600\tNS\troot.\nroot.\t3600\tA\t127.0.0.98\n' >"$work/hints"
	{
		cat <<-CONF
			options {
				directory "$work";
				pid-file none;
				session-keyfile none;
				listen-on port 5301 { 127.0.0.1; };
				listen-on-v6 { none; };
				recursion yes;
				dnssec-validation no;
				notify no;
				rrset-order { order none; };
			};
			controls { };
			key "dns64d." { algorithm hmac-sha256; secret "$tsig_secret"; };
			zone "." { type hint; file "hints"; };
		CONF
		for named_zone in $zones; do
			echo "zone \"$named_zone\" { type primary; file \"$named_zone\"; };"
		done
	} >"$work/named.conf"
	start named named -g -n 1 -c "$work/named.conf"
	wait_for 60 serves 5301 || give_up "named does not start"
}

# start_unbound [SERVER-LINE...]: on 127.0.0.1:5302, validating signed.site.test.
start_unbound()
{
	[ -e "$work/signed.site.test" ] || make_zones
	{
		cat <<-CONF
			server:
			  directory: "$work"
			  chroot: ""
			  username: ""
			  pidfile: ""
			  use-syslog: no
			  interface: 127.0.0.1@5302
			  do-daemonize: no
			  num-threads: 1
			  module-config: "validator iterator"
			  trust-anchor-file: "$work/anchor"
			  do-not-query-localhost: no
			  local-zone: "test." nodefault
			  local-zone: "2.0.192.in-addr.arpa." nodefault
		CONF
		printf '  %s\n' "$@"
		echo 'remote-control:'
		echo '  control-enable: no'
		for unbound_zone in $zones; do
			cat <<-CONF
				auth-zone:
				  name: "$unbound_zone"
				  zonefile: "$work/$unbound_zone"
				  for-downstream: no
				  for-upstream: yes
				  fallback-enabled: no
			CONF
		done
	} >"$work/unbound.conf"
	cat "$work"/Ksigned.site.test.*.key >"$work/anchor"
	start unbound unbound -d -p -c "$work/unbound.conf"
	wait_for 60 serves 5302 || give_up "unbound does not start"
}
