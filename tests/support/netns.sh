#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# netns: run a test in a network and process namespace of its own, so that its ports are free
# and nothing it started outlives it, with a /run of its own, where daemons in the background make
# their directory. 15 minutes at most.
[ "$(id -u)" = 0 ] || {
	echo "needs root"
	exit 77
}
# shellcheck disable=SC2016 # expanded inside
exec timeout 900 unshare --net --pid --fork --kill-child --mount-proc \
	sh -c 'mount -t tmpfs -o mode=755 run /run && ip link set lo up && exec sh "$@"' netns "$@"
