#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# setup: contrib/setup waits while another apt-get has a lock, says so once, and gives up in time; what
# fails otherwise fails at once. apt-get, dpkg-query, sudo and sleep are ours: nothing is installed.
set -u
TOP_SRCDIR=$(cd "${TOP_SRCDIR:-.}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
n_failed=0

fail()
{
	echo "FAILED: $*"
	cat err
	n_failed=$((n_failed + 1))
}

# program NAME: the standard input is a program of this name
program()
{
	{ echo '#!/bin/sh'; cat; } >"bin/$1"
	chmod 755 "bin/$1"
}

mkdir bin
echo 'echo 1000' | program id
echo 'exit 1' | program dpkg-query
echo 'echo >>slept' | program sleep
# The service policy of this machine stays as it is.
echo 'case "$*" in *apt-get*) exec "$@" ;; *) cat >/dev/null ;; esac' | program sudo
# Fails as often as "update" and "install" hold lines, with the text of "failure".
program apt-get <<-'END'
	case "$*" in *update) step=update ;; *) step=install ;; esac
	echo "$step" >>asked
	[ -s $step ] || exit 0
	sed -i 1d $step
	cat failure >&2
	exit 100
END

# setup UPDATE INSTALL FAILURE: with as many failures of these two steps; exit code in $code
setup()
{
	rm -f slept asked
	yes | head -n "$1" >update
	yes | head -n "$2" >install
	echo "$3" >failure
	touch slept asked
	PATH="$work/bin:$PATH" SETUP_WAIT=5 "$TOP_SRCDIR/contrib/setup" build >out 2>err
	code=$?
}

# did UPDATES INSTALLS SECONDS: so often was apt-get asked, and so long was the wait
did()
{
	[ "$(grep -c update asked)" -eq "$1" ] || fail "$(grep -c update asked) updates, not $1"
	[ "$(grep -c install asked)" -eq "$2" ] || fail "$(grep -c install asked) installs, not $2"
	[ "$(wc -l <slept)" -eq "$3" ] || fail "waited $(wc -l <slept) s, not $3"
}

lists='E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)'
dpkg='E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (unattended-upgr)'

setup 0 0 ''
did 1 1 0
[ $code -eq 0 ] || fail "no lock: exit $code"
[ ! -s err ] || fail "no lock: something is said"

setup 2 0 "$lists"
did 3 1 2
[ $code -eq 0 ] || fail "lists: exit $code"
grep -qF "$lists" err || fail "lists: nobody tells which lock"

setup 2 3 "$dpkg"
did 3 4 5
[ $code -eq 0 ] || fail "both: exit $code"
[ "$(grep -c 'waiting up to 5 s' err)" -eq 1 ] || fail "both: not said once that it waits"

setup 0 9 "$dpkg"
did 1 6 5
[ $code -ne 0 ] || fail "held for long: exit $code"
grep -q 'gave up after 5 s' err || fail "held for long: not said that it gave up"
[ "$(tail -n 1 err)" = "$dpkg" ] || fail "held for long: nobody tells which lock"

setup 0 1 'E: Unable to locate package gcc'
did 1 1 0
[ $code -ne 0 ] || fail "other failure: exit $code"
[ "$(cat err)" = 'E: Unable to locate package gcc' ] || fail "other failure: something else is said"
[ $n_failed -eq 0 ]
