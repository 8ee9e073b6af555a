#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# include: a configuration of several files, reloaded while it serves: in the sandbox, as another user, in a
# chroot; and networks that may not ask, told of with the file and line that deny them.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig
known=010-000-000-001.dns64perf.test
etc=$work/etc
mkdir -m 755 "$etc" "$etc/conf.d" "$work/elsewhere" || exit 99

# put NAME LINE...: the file NAME
put()
{
	file=$1
	shift
	printf '%s\n' "$@" >"$file" && chmod 644 "$file"
}

main()
{
	put "$etc/dns64d.conf" 'listen ::1 port 5364' 'listen 127.0.0.1 port 5364' 'listen 10.0.0.1 port 5364' \
		'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'include conf.d/*.conf' "$@"
}

# reloads TEXT: dns64ctl reload does, or fails and says TEXT
reloads()
{
	ctl reload >"$work/said"
	code=$?
	if [ $# -eq 0 ]; then
		equal 'reload: exit code' 0 $code
	else
		equal 'reload: exit code' 1 $code
		check "  says: $1" grep -qF -- "$1" "$work/said"
	fi
	[ $code -eq $(($# > 0)) ] || cat "$work/said"
}

# from CLIENT [KDIG-ARGUMENTS...]: what this client gets
from()
{
	client=$1
	shift
	kdig @10.0.0.1 -p 5364 -b "$client" +timeout=1 +retry=0 "$@" "$known" AAAA 2>&1 | tr '\n' ' '
}

tests_t()
{
	"$DNS64D" -t -c "$etc/dns64d.conf" >"$work/said" 2>&1
}

# --- Several files, and a reload of them ---

for n in 0.1 0.2 1.1 2.1 3.1 9.1; do
	ip address add 10.0.$n/32 dev lo || exit 99
done
start_fakedns --ttl 300
put "$etc/conf.d/10-prefix.conf" '# the NAT64' '' "dns64-prefix $prefix"
put "$etc/conf.d/20-clients.conf" 'allow 10.0.0.0/16' 'deny 10.0.1.0/24' 'allow 10.0.3.0/24' \
	'deny 10.0.2.0/24 drop' 'deny 10.0.0.0/23'
main
ln -s ../../elsewhere/linked "$etc/conf.d/30-linked.conf"
put "$work/elsewhere/linked" 'client 10.0.9.0/24 {' 'synthesize never' '}'
check '-t has nothing to say' tests_t
equal '-t' 'configuration OK' "$(cat "$work/said")"
start dns64d "$DNS64D" -f -c "$etc/dns64d.conf"
wait_for 60 serves 5364 || give_up 'dns64d does not start'
check 'the prefix of an included file' is 2001:db8:64::a00:1 ask ::1 5364 $known AAAA
ctl config >"$work/said"
check 'config: where it stands' grep -qE "^dns64-prefix $prefix +# $etc/conf.d/10-prefix.conf:3\$" "$work/said"
check 'config: the file itself' grep -qE "^num-threads 2 +# $etc/dns64d.conf:5\$" "$work/said"
check 'config: a line of a block' grep -qE "^.synthesize never +# $etc/conf.d/30-linked.conf:2\$" "$work/said"
check 'explain: the line' is "$etc/conf.d/30-linked.conf:2: synthesize never" ctl explain $known AAAA client 10.0.9.1
check 'clients: the file' is "# $etc/conf.d/30-linked.conf" ctl clients
check 'prefixes: the file' is "$etc/conf.d/10-prefix.conf:3" ctl prefixes

put "$etc/conf.d/40-new.conf" 'no such keyword'
reloads "$etc/conf.d/40-new.conf:1: no: unknown keyword"
check 'what was there holds' is 2001:db8:64::a00:1 ask ::1 5364 $known AAAA
put "$etc/conf.d/40-new.conf" 'include ../dns64d.conf'
reloads "$etc/conf.d/40-new.conf:1: include: '$etc/conf.d/../dns64d.conf' cannot include itself"
put "$etc/conf.d/40-new.conf" 'server-id new'
put "$work/elsewhere/linked" 'client 10.0.9.0/24 {' '}'
reloads
check 'a new file is found' is '"new"' kdig @::1 -p 5364 CH TXT id.server
check 'a linked one is read again' is 2001:db8:64::a00:1 from 10.0.9.1
main 'num-threads 3'
reloads "$etc/dns64d.conf:8: num-threads: is at line 5 already"
rm "$etc/conf.d/40-new.conf"
main 'include none.conf'
reloads "$etc/dns64d.conf:8: include: '$etc/none.conf' cannot be read: No such file or directory"
put "$etc/conf.d/05-loops.conf" 'user somebody'
main
reloads
check 'what takes a restart is told' grep -qF 'user was changed' "$work/dns64d.log"
rm "$etc/conf.d/05-loops.conf"
if logged dns64d 'sandbox: files.* limited'; then
	main "include $work/conf/*.conf"
	mkdir -m 755 "$work/conf" || exit 99
	put "$work/conf/x.conf" 'server-id beyond'
	reloads 'Permission denied'
	main
fi
reloads

# --- Who may not ask ---

check 'allowed' is 2001:db8:64::a00:1 from 10.0.9.1
check 'allowed inside of what is denied' is 2001:db8:64::a00:1 from 10.0.3.1
check 'denied: REFUSED' is 'status: REFUSED' from 10.0.1.1
check 'over TCP too' is 'status: REFUSED' from 10.0.1.1 +tcp
check 'by the longest network' is 'status: REFUSED' from 10.0.0.2
check 'dropped: no answer' is 'timeout' from 10.0.2.1
check 'over TCP its connection is closed' is 'WARNING' from 10.0.2.1 +tcp
check 'explain: the line that denies' is "$etc/conf.d/20-clients.conf:2: deny 10.0.1.0/24" \
	ctl explain $known AAAA client 10.0.1.7
check 'explain: the line that drops' is "$etc/conf.d/20-clients.conf:4: deny 10.0.2.0/24 drop" \
	ctl explain $known AAAA client 10.0.2.7
ctl stats >"$work/said"
equal 'denied are counted' 3 "$(awk '$1 == "client_denied" { print $2 }' "$work/said")"
check 'dropped are counted' test "$(awk '$1 == "client_ignored" { print $2 }' "$work/said")" -ge 2
check 'nobody is advised to allow them' test "$(grep -c 'to serve it add' "$work/dns64d.log")" -eq 0
stop dns64d
equal 'it ends well' 0 "$status"

# --- Who cannot read it ---

main "user $usual"
chmod 600 "$etc/conf.d/20-clients.conf"
check '-t: a warning is no error' tests_t
check '-t: what a reload could not read' grep -qF \
	"warning: $etc/dns64d.conf: a reload will fail: $etc/conf.d/20-clients.conf cannot be read by the daemon's user: Permission denied" "$work/said"
start dns64d "$DNS64D" -f -c "$etc/dns64d.conf"
check 'the start warns, too' wait_for 60 logged dns64d "a reload will fail: $etc/conf.d/20-clients.conf: Permission denied"
wait_for 60 serves 5364
reloads "include: '$etc/conf.d/20-clients.conf' cannot be read: Permission denied"
check 'what was there holds' is 'status: REFUSED' from 10.0.1.1
chmod 644 "$etc/conf.d/20-clients.conf"
reloads
chmod 700 "$etc/conf.d"
reloads "include: 'conf.d/*.conf' cannot be looked for: Permission denied"
check '-t: a directory' tests_t
check '-t: names what is in it' grep -qF "a reload will fail: $etc/conf.d/10-prefix.conf" "$work/said"
chmod 755 "$etc/conf.d"
stop dns64d

# --- In a chroot ---

root=$work/root
umask 022
mkdir -p "$root/etc/conf.d" || exit 99
put "$root/etc/conf.d/a.conf" "dns64-prefix $prefix"
put "$root/etc/b.conf" 'allow 10.0.0.0/8'
put "$work/elsewhere/c.conf" 'hide-a no'
jail()
{
	put "$root/etc/in.conf" 'listen 127.0.0.1 port 5364' 'nameserver 127.0.0.1 port 5300' "chroot $root" \
		"control-socket $control" "user $usual" 'include conf.d/*.conf' "include $root/etc/b.conf" "$@"
}
jail "include $work/elsewhere/c.conf"
"$DNS64D" -t -c "$root/etc/in.conf" >"$work/said" 2>&1
check '-t: what is outside of the chroot' grep -qF \
	"a reload will fail: $work/elsewhere/c.conf cannot be read by the daemon's user inside of the chroot: No such" "$work/said"
jail
"$DNS64D" -t -c "$root/etc/in.conf" >"$work/said" 2>&1
equal '-t: nothing' 'configuration OK' "$(cat "$work/said")"
# The leak checker needs /proc.
export ASAN_OPTIONS=detect_leaks=0
start dns64d "$DNS64D" -f -c "$root/etc/in.conf"
wait_for 60 serves 5364 || give_up 'dns64d does not start'
check 'no warning' test "$(grep -c 'reload will fail' "$work/dns64d.log")" -eq 0
put "$root/etc/conf.d/a.conf" '' 'server-id jailed' "dns64-prefix $prefix"
reloads
check 'read again in there' is jailed kdig @127.0.0.1 -p 5364 CH TXT id.server
check 'told as seen from there' is '# /etc/conf.d/a.conf:3' ctl config
stop dns64d
equal 'it ends well' 0 "$status"

# --- As a cluster hands out files: by links of which one is swapped ---

map=$work/map
# hand NAME LINE...: all files anew, in the directory NAME; what was there goes
hand()
{
	new=$1
	shift
	mkdir -m 755 "$map/..$new"
	put "$map/..$new/dns64d.conf" 'listen ::1 port 5364' 'listen 127.0.0.1 port 5364' 'nameserver 127.0.0.1 port 5300' "control-socket $control" \
		'num-threads 1' 'include more.conf'
	put "$map/..$new/more.conf" "$@"
	ln -s "..$new" "$map/..tmp" && mv -T "$map/..tmp" "$map/..data"
}
mkdir -m 755 "$map" || exit 99
for file in dns64d.conf more.conf; do
	ln -s "..data/$file" "$map/$file"
done
hand first "dns64-prefix $prefix" 'server-id first'
start dns64d sh -c "cd '$map' && exec '$(realpath "$DNS64D")' -f -c dns64d.conf"
wait_for 60 serves 5364 || give_up 'dns64d does not start'
hand second "dns64-prefix $prefix" 'server-id second'
rm -r "$map/..first"
reloads
check 'a link is followed anew' is '"second"' kdig @::1 -p 5364 CH TXT id.server
check 'told by its name' is "# $map/more.conf:2" ctl config
hand third 'no such keyword'
rm -r "$map/..second"
reloads "$map/more.conf:1: no: unknown keyword"
check 'what was there holds' is '"second"' kdig @::1 -p 5364 CH TXT id.server
stop dns64d
ln -s "$map/..third/dns64d.conf" "$etc/link.conf"
put "$etc/more.conf" "dns64-prefix $prefix"
start dns64d "$DNS64D" -f -c "$etc/link.conf"
wait_for 60 serves 5364 || give_up 'dns64d does not start'
put "$map/..third/new" 'listen ::1 port 5364' 'listen 127.0.0.1 port 5364' 'nameserver 127.0.0.1 port 5300' \
	"control-socket $control" 'num-threads 1' "dns64-prefix $prefix" 'server-id third'
mv "$map/..third/new" "$map/..third/dns64d.conf"
reloads
check 'what a link leads to elsewhere is read again' is '"third"' kdig @::1 -p 5364 CH TXT id.server
stop dns64d
equal 'it ends well' 0 "$status"

# --- An open resolver ---

main 'listen :: port 5365' 'allow any'
rm "$etc/conf.d/20-clients.conf"
check '-t: an open resolver is no error' tests_t
check '-t: warns of it' grep -qF "warning: $etc/dns64d.conf:9: allow: this is an open resolver at ::#5365" "$work/said"
main 'listen :: port 5365' 'allow any' 'rate-limit 100'
check '-t: with rate-limit' tests_t
equal 'there is no warning' 'configuration OK' "$(cat "$work/said")"

finish
