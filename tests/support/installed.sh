#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# installed: what "make install" left is whole and fits what configure was told. Run by "make
# installcheck", with the directories, each behind DESTDIR, in the environment.
# shellcheck disable=SC2154 # the environment has them
set -u

failed=0
fail()
{
	echo "installed: $*"
	failed=1
}

# says FILE TEXT: a line of FILE has TEXT
says()
{
	grep -qF -- "$2" "$DESTDIR$1" || fail "$1 does not say: $2"
}

# no_marks FILE: everything in it was put in
no_marks()
{
	! grep -qE '@[a-z]+@' "$DESTDIR$1" || fail "$1 has a word that was not put in"
}

conf=$confdir/dns64d.conf
dns64d=$DESTDIR$sbindir/dns64d
temp=$(mktemp -d) || exit 99
trap 'rm -rf "$temp"' EXIT

"$dns64d" -V >"$temp/version" || fail "$dns64d -V: exit status $?"
grep -qxF "configuration $conf" "$temp/version" || fail "-V does not name $conf"
"$DESTDIR$sbindir/dns64ctl" -V >/dev/null || fail "dns64ctl -V: exit status $?"
"$DESTDIR$sbindir/dns64ctl" check-config "$temp/none" >/dev/null 2>&1
[ $? = 1 ] || fail "dns64ctl check-config does not find dns64d"
[ -f "$DESTDIR$datadir/bash-completion/completions/dns64ctl" ] || fail 'no completion for bash'
[ -f "$DESTDIR$datadir/zsh/site-functions/_dns64ctl" ] || fail 'no completion for zsh'
"$DESTDIR$sbindir/fakedns" -h >/dev/null || fail "fakedns -h: exit status $?"
# The sample has all but a nameserver.
{ cat "$DESTDIR$conf" && echo 'nameserver 192.0.2.1'; } >"$temp/dns64d.conf"
"$dns64d" -t -f -c "$temp/dns64d.conf" >"$temp/check" 2>&1 || fail "the sample: $(cat "$temp/check")"

for page in man5/dns64d.conf.5 man8/dns64ctl.8 man8/dns64d.8 man8/fakedns.8; do
	[ -f "$DESTDIR$mandir/$page" ] || fail "$page is missing"
done
no_marks "$mandir/man8/dns64ctl.8"
for page in man5/dns64d.conf.5 man8/dns64d.8; do
	no_marks "$mandir/$page"
	says "$mandir/$page" ".It Pa $conf"
done
says "$mandir/man8/dns64d.8" ".It Pa $runstatedir/dns64d.pid"

for program in $for_users; do
	[ -x "$DESTDIR$bindir/$program" ] || fail "$program is missing"
	[ -f "$DESTDIR$mandir/man1/$program.1" ] || fail "$program.1 is missing"
done

# What is beside the programs: a converter runs from where it was installed.
for file in "$docdir/NEWS" "$docdir/handbook/first-hour.7" "$docdir/handbook/trouble.7" \
	"$pkgdatadir/prometheus/alerts.yml" "$pkgdatadir/grafana/dns64d.json" "$pkgdatadir/migrate/README"; do
	[ -s "$DESTDIR$file" ] || fail "$file is missing"
done
if command -v python3 >/dev/null; then
	printf 'server:\n\tmodule-config: "dns64 iterator"\n\tinterface: ::1\nforward-zone:\n\tname: "."\n\tforward-addr: 192.0.2.1\n' \
		>"$temp/unbound.conf"
	PYTHONDONTWRITEBYTECODE=1 "$DESTDIR$pkgdatadir/migrate/unbound" "$temp/unbound.conf" >"$temp/migrated" 2>"$temp/migrate"
	grep -q '^nameserver 192.0.2.1' "$temp/migrated" || fail "the converter: $(cat "$temp/migrate")"
fi

no_marks "$apparmordir/dns64d"
says "$apparmordir/dns64d" "profile dns64d $sbindir/dns64d "

if [ -n "$unitdir" ]; then
	unit=$unitdir/dns64d.service
	no_marks "$unit"
	says "$unit" "ExecStart=$sbindir/dns64d -f"
	# Not so fast that systemd gives up before an address has come.
	says "$unit" 'Restart=on-failure'
	says "$unit" 'RestartSec=5'
	if grep -qx 'systemd yes' "$temp/version"; then
		says "$unit" 'Type=notify'
		says "$unit" 'WatchdogSec='
	else
		says "$unit" 'Type=exec'
		! grep -qE '^(NotifyAccess|WatchdogSec)=' "$DESTDIR$unit" ||
			fail "$unit waits for messages that this build does not send"
	fi
fi
if [ -n "$initscriptdir" ]; then
	script=$initscriptdir/dns64d
	no_marks "$script"
	says "$script" "DAEMON=$sbindir/dns64d"
	says "$script" "CONFIG=$conf"
	[ -x "$DESTDIR$script" ] || fail "$script is no program"
	sh -n "$DESTDIR$script" || fail "$script is not understood"
fi
exit $failed
