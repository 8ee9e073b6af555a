#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# netns: run a test in network, process and mount namespaces of its own. Its ports are free, so tests run side by
# side, and nothing it started or mounted outlives it. It has a /run of its own, where daemons in the background make
# their directory and where its temporary files are.
#
#	netns.sh TEST [ARGUMENT...]	exit status: that of the test; 77 if there can be no namespaces
test=$1
skip()
{
	echo "$test needs namespaces of its own: $*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "run it as root"
for tool in ip mount setpriv unshare; do
	command -v $tool >/dev/null || skip "no $tool"
done
why=$(unshare --net --pid --fork --mount-proc mount -t tmpfs run /run 2>&1) || skip "$why"

# It dies with its parent, so whoever ends this shell ends all, however it is done.
# shellcheck disable=SC2016 # expanded inside
setpriv --pdeathsig KILL unshare --net --pid --fork --kill-child --mount-proc sh -c '
	mount -t tmpfs -o mode=755 run /run && mkdir /run/tmp && ip link set lo up || exit 99
	TMPDIR=/run/tmp exec sh "$@"' netns "$@" &
trap 'exit 99' HUP INT TERM
wait $!
exit $?
