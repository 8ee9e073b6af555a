# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # for those who source it; names of what it sources
# faulty: what the tests share in which calls of the system and of libc fail (faults.c). Sources servers.sh.
#
#	settings LINE...		a small dns64d, with these lines
#	fault WORD...			what is to fail, and how often it did (fault.c)
#	begin, end			start dns64d with the faults; end it, its exit code in $status
#	starts				0: it serves; 1: it has ended with a message; 2: neither
#	asked TYPE [MS], asked_by_tcp [MS]	is a new name answered, within a second?
#	alive				is it still there?
#	errno_of CALL			what it may fail with

. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
fault=$TOP_BUILDDIR/tests/system/fault
preload=$work/faults.so
cp "$TOP_BUILDDIR/tests/system/faults.so" "$preload" && chmod 755 "$preload" || exit 99
grep -q '^#define INSTRUMENTED' "$TOP_BUILDDIR/config.h" && {
	echo 'a build with sanitizers has its own malloc'
	exit 77
}

mkdir -m 777 "$work/state" || exit 99
file=$work/state/faults
"$fault" "$file" new || exit 99
settings()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 1m' 'max-queries 256' \
		'max-tcp-clients 64' "cache-file $work/state/cache" "control-socket $control" \
		'stop-timeout 1' "$@"
}

fault()
{
	"$fault" "$file" "$@"
}

begin()
{
	start dns64d env FAULTS="$file" LD_PRELOAD="$preload" "$DNS64D" -f -c "$work/dns64d.conf"
}

# asked TYPE: is a new name answered within a second?
n_names=0
asked()
{
	n_names=$((n_names + 1))
	new=$(printf '010-%03d-%03d-%03d.dns64perf.test' $((n_names / 65536)) $((n_names / 256 % 256)) $((n_names % 256)))
	[ "$("$wire" udp ::1 5364 ask 1 "$new" "$1" get 1 "${2:-1000}" 2>/dev/null)" = '1 0 1' ]
}

asked_by_tcp()
{
	n_names=$((n_names + 1))
	new=$(printf '010-%03d-%03d-%03d.dns64perf.test' $((n_names / 65536)) $((n_names / 256 % 256)) $((n_names % 256)))
	[ "$("$wire" tcp ::1 5364 ask 1 "$new" A get 1 "${1:-1000}" 2>/dev/null)" = '1 0 1' ]
}

alive()
{
	# A zombie is not.
	case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$(pid_of dns64d)/status" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}

# has_said_why: has it ended by itself, with a message?
has_said_why()
{
	[ $status -ge 1 ] && [ $status -le 3 ] && grep -q "error\|no memory" "$work/dns64d.log"
}

# starts: does it serve (0), or has it ended with a message (1)? 2: neither
starts()
{
	tries=0
	while [ $tries -lt 400 ]; do
		tries=$((tries + 1))
		if ! alive; then
			wait "$(pid_of dns64d)"
			status=$?
			rm -f "$work/dns64d.pid"
			has_said_why && return 1
			# The C library ends a thread's process itself if a library's data for it find no memory.
			[ $status -eq 127 ] && grep -q 'thread-local data: ABORT' "$work/dns64d.log" && return 1
			return 2
		fi
		if logged dns64d 'server: sandbox' && asked A 500; then
			return 0
		fi
		sleep 0.02
	done
	return 2
}

end()
{
	pid=$(pid_of dns64d)
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	rm -f "$work/dns64d.pid"
}

errno_of()
{
	case $1 in
	malloc | calloc | realloc | aligned_alloc | epoll_ctl | listen) echo ENOMEM ;;
	socket | accept4 | open | epoll_create1 | eventfd | signalfd) echo EMFILE ;;
	send* | recv* | setsockopt*) echo ENOBUFS ;;
	bind) echo EACCES ;;
	connect) echo ENETUNREACH ;;
	pthread_create) echo EAGAIN ;;
	epoll_wait) echo EINTR ;;
	write | writev | rename) echo ENOSPC ;;
	*) echo EIO ;;
	esac
}
