#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layers: an include points down, never up (src/README has the picture).
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

below_engine='outbound/ policy/ core/ cache/ dns64/ dns/ base/'

# What each room may include: whole rooms, or single headers. That outbound/ knows neither DNS64 nor who asks is why
# it has no more.
allowed()
{
	case $1 in
	base) echo "base/" ;;
	dns) echo "dns/ base/netaddr.h base/attr.h" ;;
	dns64) echo "dns64/ dns/ base/netaddr.h base/netmap.h base/attr.h" ;;
	cache) echo "cache/ dns/ base/" ;;
	core) echo "core/ dns/ base/" ;;
	policy) echo "policy/ core/ dns64/ dns/ base/" ;;
	outbound) echo "outbound/ core/ cache/ dns/ base/" ;;
	engine) echo "engine/ $below_engine" ;;
	io) echo "io/ engine/ $below_engine" ;;
	config) echo "config/ engine/ $below_engine tools/cmdline.h" ;;
	figures) echo "figures/ config/ io/ engine/ $below_engine" ;;
	control) echo "control/ figures/ config/ io/ engine/ $below_engine" ;;
	nat64) echo "nat64/ control/host_ops.h config/ engine/ $below_engine" ;;
	daemon) echo "daemon/ nat64/ control/ figures/ config/ io/ engine/ $below_engine" ;;
	# Beside them, what asks and answers for tests and measurements.
	tools) echo "tools/ dns64/ dns/ base/" ;;
	dns64ctl) echo "dns64ctl/ control/commands.h control/sockpath.h core/transport.h tools/ base/" ;;
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
	cache | core | policy | outbound | engine) echo "event2/ pthread.h time.h sys/socket.h" ;;
	tools | fakedns | dns64ctl | bench*) echo "event2/" ;;
	esac
}

# Lines of "FILE ROOM QUOTE HEADER", where the quote is " or <.
includes()
{
	awk '/^[ \t]*#[ \t]*include[ \t]*["<]/ {
		room = FILENAME
		sub(/^src\//, "", room)
		sub(/\/[^\/]*$/, "", room)
		header = $0
		sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
		quote = substr(header, 1, 1)
		sub(/^./, "", header)
		sub(/[">].*/, "", header)
		print FILENAME, room, quote, header
	}' src/*/*.[ch] src/*/*/*.[ch]
}

# Lines of "RULE ROOM STARTS...", one for each room and rule.
rules()
{
	for room in $(printf '%s\n' src/*/*.[ch] src/*/*/*.[ch] | sed 's,^src/,,; s,/[^/]*$,,' | sort -u); do
		echo "allowed $room $(allowed "$room")"
		echo "forbidden $room $(forbidden "$room")"
	done
}

{
	rules
	includes
} | awk '
	function begins(starts, header,    i, n, start) {
		n = split(starts, start, " ")
		for (i = 1; i <= n; i++)
			if (index(header, start[i]) == 1)
				return 1
		return 0
	}
	$1 == "allowed" { room = $2; $1 = $2 = ""; allowed[room] = $0; next }
	$1 == "forbidden" { room = $2; $1 = $2 = ""; forbidden[room] = $0; next }
	{ n_found++ }
	$3 == "\"" && !begins(allowed[$2], $4) { print $1 ": \"" $4 "\" is not below " $2; n_bad++ }
	$3 == "<" && begins(forbidden[$2], $4) { print $1 ": <" $4 "> is not for " $2; n_bad++ }
	END {
		if (n_found == 0) { print "no include found"; exit 1 }
		exit n_bad > 0
	}'
