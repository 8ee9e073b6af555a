#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layers: an include points down, never up (src/README has the picture).
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

# What each room may include: whole rooms, or single headers.
allowed()
{
	case $1 in
	base) echo "base/" ;;
	dns) echo "dns/ base/netaddr.h base/attr.h" ;;
	dns64) echo "dns64/ dns/ base/netaddr.h base/netmap.h base/attr.h" ;;
	cache) echo "cache/ dns/ base/" ;;
	core) echo "core/ cache/ dns64/ dns/ base/" ;;
	io) echo "io/ core/ cache/ dns64/ dns/ base/" ;;
	config) echo "config/ core/ cache/ dns64/ dns/ base/" ;;
	control) echo "control/ config/ io/ core/ cache/ dns64/ dns/ base/" ;;
	daemon) echo "daemon/ control/ config/ io/ core/ cache/ dns64/ dns/ base/" ;;
	# Beside them, what asks and answers for tests and measurements.
	tools) echo "tools/ dns64/ dns/ base/" ;;
	dns64ctl) echo "dns64ctl/ control/sockpath.h tools/ base/" ;;
	fakedns) echo "fakedns/ tools/ dns64/ dns/ base/" ;;
	bench/host) echo "bench/host/ base/" ;;
	bench/result) echo "bench/result/ bench/host/ base/" ;;
	bench/load) echo "bench/load/ bench/stats.h tools/ dns64/ dns/ base/" ;;
	bench) echo "bench/ tools/ dns64/ dns/ base/" ;;
	esac
}

# System headers that the pure rooms do without: no sockets, clocks, threads and events there.
forbidden()
{
	case $1 in
	base) echo "event2/ pthread.h" ;;
	dns | dns64) echo "event2/ pthread.h time.h errno.h" ;;
	cache | core) echo "event2/ pthread.h time.h sys/socket.h" ;;
	tools | fakedns | dns64ctl | bench*) echo "event2/" ;;
	esac
}

# The headers that FILE includes between the two characters.
includes()
{
	sed -n "s/^[[:space:]]*#[[:space:]]*include[[:space:]]*$2\([^$3]*\)$3.*/\1/p" "$1"
}

begins_with_one_of()
{
	header=$1
	shift
	for start; do
		case $header in "$start"*) return 0 ;; esac
	done
	return 1
}

status=0
for file in src/*/*.[ch] src/*/*/*.[ch]; do
	room=${file#src/}
	room=${room%/*}
	for header in $(includes "$file" '"' '"'); do
		# shellcheck disable=SC2046 # a list of words
		begins_with_one_of "$header" $(allowed "$room") && continue
		echo "$file: \"$header\" is not below $room"
		status=1
	done
	for header in $(includes "$file" '<' '>'); do
		# shellcheck disable=SC2046 # a list of words
		begins_with_one_of "$header" $(forbidden "$room") || continue
		echo "$file: <$header> is not for $room"
		status=1
	done
done
exit $status
