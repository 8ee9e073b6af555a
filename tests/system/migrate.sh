#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# migrate: BIND and Unbound with a configuration of tests/migrate, and dns64d with what contrib/migrate
# makes of it, before the same upstream, answer several clients alike. Where they do not, NAME.differs
# says so: lines of CLIENT QUESTION | WHY, where WHY is part of a remark or of contrib/migrate/README. A line
# "silent:" in the configuration has the clients who get no answer from the original.
# limit: 900
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig named unbound dnssec-signzone named-compilezone nsenter ip
migrate=$TOP_SRCDIR/contrib/migrate
cases=$(cd "$TOP_SRCDIR/tests/migrate" && pwd)

# Clients ask from a namespace of their own, since BIND takes all addresses here for its localhost.
start clients unshare -n sleep 900
clients=$(pid_of clients)
elsewhere()
{
	nsenter -t "$clients" -n "$@"
}
wait_for 20 sh -c "[ \"\$(readlink /proc/$clients/ns/net)\" != \"\$(readlink /proc/self/ns/net)\" ]"
ip link add eth0 type veth peer name there || give_up 'no veth'
ip link set there netns "$clients" || give_up 'no veth'
{
	ip addr add 198.18.0.1/24 dev eth0 && ip addr add fd00:53::1/64 dev eth0 nodad && ip addr add fe80::1/64 dev eth0 nodad &&
		ip link set eth0 up &&
		elsewhere ip link set lo up && elsewhere ip addr add 198.18.0.2/24 dev there &&
		elsewhere ip addr add fd00:53::2/64 dev there nodad && elsewhere ip link set there up &&
		elsewhere ip route add default via 198.18.0.1 && elsewhere ip route add default via fd00:53::1 &&
		ip route add 10.0.0.0/8 via 198.18.0.2 && ip route add 192.0.2.0/24 via 198.18.0.2 &&
		ip route add 2001:db8::/32 via fd00:53::2
} || give_up 'no network'
sources='10.1.0.1 10.2.0.1 10.2.0.2 10.3.0.1 192.0.2.200 198.18.0.2 2001:db8:a::1 2001:db8:b::1 2001:db8:b::2 2001:db8:c::1 fd00:53::2'
for address in $sources 192.0.2.53 192.0.2.54 2001:db8::54; do
	case $address in
	*:*) nodad=nodad ;;
	*) nodad= ;;
	esac
	# shellcheck disable=SC2086 # a word or none
	elsewhere ip addr show | grep -qF " $address/" || elsewhere ip addr add "$address" dev lo $nodad ||
		give_up "no $address"
done
# Servers may be told to listen on these, too.
own_addresses 192.0.2.1 10.0.0.1 2001:db8::53 || give_up 'no addresses'

# What is asked: a name of each kind of zones/*, as kdig takes it
questions='v4.site.test AAAA
v4two.site.test AAAA
v6.site.test AAAA
both.site.test AAAA
neither.site.test AAAA
no-such-name.site.test AAAA
c-v4.site.test AAAA
c3-v4.site.test AAAA
c-both.site.test AAAA
c-neither.site.test AAAA
c-nx.site.test AAAA
far-v4.site.test AAAA
v4.tree.site.test AAAA
x.wild.site.test AAAA
private.site.test AAAA
local-too.site.test AAAA
local.site.test AAAA
multicast.site.test AAAA
mapped.site.test AAAA
mapped-only.site.test AAAA
mapped-too.site.test AAAA
v4.site.test A
both.site.test A
neither.site.test A
no-such-name.site.test A
c-v4.site.test A
mail.site.test MX
mail.site.test TXT
_sip._udp.site.test SRV
1.2.3.e164.site.test NAPTR
web.site.test HTTPS
site.test SOA
site.test NS
1.2.0.192.in-addr.arpa PTR
1.1.168.192.in-addr.arpa PTR
localhost A
localhost AAAA
1.0.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR
1.0.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa PTR'

# ask_all FILE: what each client gets at $at4 and $at6, lines of CLIENT NAME TYPE: RCODE RECORDS, without
# TTLs, in small letters, those of one name and type in any order. At a loopback address the client is "here".
ask_all()
{
	mkdir "$work/asked" || exit 99
	askers=
	for source in $clients_now; do
		ask_as "$source" >"$work/asked/$source" &
		askers="$askers $!"
		# BIND drops a question that ten ask already (clients-per-query).
		# shellcheck disable=SC2086 # a list
		[ "$(echo "$askers" | wc -w)" -lt 6 ] || { wait $askers && askers=; }
	done
	# shellcheck disable=SC2086 # a list
	[ -z "$askers" ] || wait $askers
	for source in $clients_now; do
		cat "$work/asked/$source"
	done >"$1"
	rm -r "$work/asked"
}

# ask_as CLIENT: its lines
ask_as()
{
	source=$1 asked=$work/asked/of-$1
	case $source in
	*:*) at=$at6 ;;
	*) at=$at4 ;;
	esac
	case $source in
	127.0.0.1 | ::1) way='' ;;
	*) way=elsewhere ;;
	esac
	# Those that are dropped are to get nothing for any question, which takes its time: all at once.
	if $way kdig "@${at%#*}" -p "${at#*#}" -b "$source" +timeout=3 +retry=0 +ignore localhost >"$asked" 2>&1; then
		echo "$questions" | sed "s/^/-q /; s/ \([A-Z]*\)\$/ -t \1/" | tr '\n' ' ' >"$asked"
		# shellcheck disable=SC2046 # its words
		$way kdig "@${at%#*}" -p "${at#*#}" -b "$source" +timeout=10 +retry=0 +ignore $(cat "$asked") 2>&1
	else
		# shellcheck disable=SC2016 # the inner shell's
		echo "$questions" | $way xargs -P 50 -L 1 sh -c 'kdig "$@" +timeout=2 +retry=0 +ignore >"$0.$6.$7" 2>&1 || :' \
			"$asked" "@${at%#*}" -p "${at#*#}" -b "$source"
		echo "$questions" | while read -r name type; do
			cat "$asked.$name.$type"
		done
	fi |
		awk -v client="$source" -v questions="$questions" '
			BEGIN { split(questions, question, "\n") }
			function begin(text) { if (n++) print client " " question[n - 1] ": " status answer; status = text; answer = ""; section = "" }
			/->>HEADER<<-/ { sub(/.*status: /, ""); sub(/;.*/, ""); begin($0); next }
			/^;; ERROR: failed to query/ { begin("no answer"); next }
			/^;; [A-Z]+ SECTION/ { section = $2; next }
			section == "ANSWER" && NF > 4 && !/^;;/ { line = tolower($1); for (i = 4; i <= NF; i++) line = line " " tolower($i); answer = answer "; " line }
			END { begin("") }' | sorted
}

# asked_at FILE: sets $at4 and $at6 (address and port), and $clients_now, by the first line of the file:
# "asked", or "asked at" and one or two of these
asked_at()
{
	at4='' at6='' clients_now=''
	asked_words=$(sed -n '1s/[:,].*asked at//; 1s/^[^a]*asked at \([^ ]*\( [0-9a-f]*:[0-9a-f:]*\(#[0-9]*\)\{0,1\}\)\{0,1\}\).*/\1/p' "$1" | tr -d '\r')
	for asked_word in ${asked_words:-198.18.0.1 fd00:53::1}; do
		case ${asked_word%:} in
		*#*) ;;
		*) asked_word=${asked_word%:}#53 ;;
		esac
		case $asked_word in
		*:*) at6=$asked_word ;;
		*) at4=$asked_word ;;
		esac
	done
	case $at4 in
	127.*) clients_now='127.0.0.1 ::1' ;;
	*) for asked_source in $sources; do
		case $asked_source in
		*:*) [ -z "$at6" ] || clients_now="$clients_now $asked_source" ;;
		*) clients_now="$clients_now $asked_source" ;;
		esac
	done ;;
	esac
}

# The records of one name and type come in any order.
sorted()
{
	awk -F '; ' '{
		n = split($0, part, "; ")
		for (i = 3; i <= n; i++)
			for (j = i; j > 2; j--) {
				split(part[j - 1], a, " "); split(part[j], b, " ")
				if (a[1] != b[1] || a[2] != b[2] || a[2] ~ /name$/ || part[j - 1] <= part[j])
					break
				swap = part[j]; part[j] = part[j - 1]; part[j - 1] = swap
			}
		line = part[1]
		for (i = 2; i <= n; i++)
			line = line "; " part[i]
		print line
	}'
}

# original PROGRAM NAME FILE: start it with a copy of the file that is right for this place
original()
{
	mkdir -p "$work/$2"
	cd "$cases/$1" || exit 99 # where names of files to include begin
	case $1 in
	bind)
		sed 's|^options {|&\n\tdirectory "'"$work"'"; pid-file none; session-keyfile none;|' "$3" >"$work/$2/conf"
		echo 'controls { };' >>"$work/$2/conf"
		start "$2" named -g -n 1 -c "$work/$2/conf"
		;;
	unbound)
		sed 's|^server:|&\n directory: "'"$work"'"\n chroot: ""\n username: ""\n pidfile: ""\n use-syslog: no|' "$3" >"$work/$2/conf"
		printf 'remote-control:\n control-enable: no\n' >>"$work/$2/conf"
		start "$2" unbound -d -p -c "$work/$2/conf"
		;;
	esac
	cd "$OLDPWD" || exit 99
}

serves_at()
{
	"$wire" tcp "$1" "$2" pause 0
}

# told WORDS: a remark has them, or the manual page of the converters
told()
{
	grep -qF -- "$1" "$work/remarks" || tr '\n' ' ' <"$migrate/README" | tr -s ' ' | grep -qF -- "$1"
}

# compare PROGRAM NAME: both servers answer alike but for what NAME.differs has
compare()
{
	file=$cases/$1/$2.conf
	asked_at "$file"
	original "$1" original "$file"
	wait_for 60 serves_at "${at4%#*}" "${at4#*#}" || give_up "$1 $2 does not start"
	ask_all "$work/before"
	stop original
	if [ -f "$cases/$1/$2.behind" ]; then
		original "$1" behind "$cases/$1/$2.behind"
		wait_for 60 serves_at 127.0.0.1 5353 || give_up "$1 $2 does not start behind"
	fi
	"$migrate/$1" "$file" >"$work/dns64d.conf" 2>"$work/remarks"
	chmod 644 "$work/dns64d.conf"
	start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
	wait_for 60 serves_at "${at4%#*}" "${at4#*#}" || give_up "dns64d does not start for $1 $2"
	ask_all "$work/after"
	stop dns64d
	[ ! -f "$work/behind.pid" ] || stop behind
	# Which questions of which clients have other answers, and what they are
	diff "$work/before" "$work/after" | sed -n 's/^[<>] \([^ ]* [^ ]* [A-Z]*\): .*/\1/p' | sort -u >"$work/differ"
	excused "$1" "$2" >"$work/not-excused"
	n_asked=$(wc -l <"$work/before")
	check "$1 $2: $n_asked answers alike but for $(wc -l <"$work/differ"), which were foreseen" test ! -s "$work/not-excused"
	[ ! -s "$work/not-excused" ] || { cat "$work/not-excused"; diff "$work/before" "$work/after"; }
	check "$1 $2: all were asked for all" test "$n_asked" -eq $(($(echo "$clients_now" | wc -w) * $(echo "$questions" | wc -l)))
	silent=$(sed -n 's/^# silent: //p' "$file" | tr ' ' '\n' | sort | tr '\n' ' ')
	got_silent=$(sed -n 's/ .*: no answer$//p' "$work/before" | sort -u | tr '\n' ' ')
	check "$1 $2: no answer before to '$got_silent', '$silent' was meant" test "$got_silent" = "$silent"
	sed -n 's/^[^#].*| *//p' "$cases/$1/always.differs" "$cases/$1/$2.differs" 2>/dev/null | sort -u >"$work/whys"
	while read -r why; do
		told "$why" || check "$1 $2: it is said: $why" false
	done <"$work/whys"
}

# excused PROGRAM NAME: print what differs and was not foreseen, and what was foreseen for NAME and does not
# differ. A * for the client stands for all. $work/differ: what differs
excused()
{
	for excused_file in "$cases/$1/always.differs" "$cases/$1/$2.differs"; do
		[ ! -f "$excused_file" ] || sed "/^#/d; /^\$/d; s/ *|.*//; s|^|${excused_file##*/} |" "$excused_file"
	done | awk -v differ="$work/differ" '
		{ line = $2 " " $3 " " $4; foreseen[line] = $1; seen[line] = 0 }
		END {
			while ((getline <differ) > 0) {
				every = "* " $2 " " $3
				if ($0 in foreseen) seen[$0] = 1
				else if (every in foreseen) seen[every] = 1
				else print "differs: " $0
			}
			for (line in foreseen)
				if (!seen[line] && foreseen[line] != "always.differs")
					print "does not differ: " line
		}'
}

# What is asked of these must not go to the roots.
for name in ip6.arpa 168.192.in-addr.arpa localhost; do
	printf '@ 300 SOA ns.site.test. x. 1 2 3 4 5\n@ 300 NS ns.site.test.\n' >"$work/$name"
	zones="$zones $name"
done
start_named
# The same upstream again, far away at the usual port and others
sed 's/listen-on port 5301 { [^}]*}/listen-on { any; }; listen-on port 5300 { any; }; listen-on port 5353 { any; }/
	s/listen-on-v6 { none; }/listen-on-v6 { any; }/; s/recursion yes;/& allow-recursion { any; };/' "$work/named.conf" >"$work/far.conf"
start far nsenter -t "$clients" -n named -g -n 1 -c "$work/far.conf"
wait_for 60 resolves 192.0.2.53 53 v4.site.test A || give_up 'no upstream far away'
for name in example.com.zone db.10; do
	printf '@ 300 SOA ns x. 1 2 3 4 5\n@ 300 NS ns\nns 300 A 192.0.2.9\n' >"$work/$name"
done
cp "$work/hints" "$work/root"
for program in ${PROGRAMS:-bind unbound}; do
	# shellcheck disable=SC2086 # a pattern
	for name in $(cd "$cases/$program" && grep -lE '^(#|//|/\*) asked' ./${CASES:-*}.conf | sed 's|^\./||; s|\.conf$||'); do
		compare "$program" "$name"
	done
done
finish
