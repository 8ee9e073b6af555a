#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# guessed: somebody guesses the IDs of questions, 800 datagrams a second, and TCP to the upstream does not work: SYNs
# are dropped, as its queue of connections is full, it refuses, or it accepts and is mute. Few questions wait for TCP,
# and not long; each of the others leaves by a port of its own (RULES D21). Figures are told.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

least_busy=100
watch_noise

for tcp in full none deaf; do
	start bad "$upstream" 5300 "$tcp" 4
	anew 'nameserver 127.0.0.1 port 5300'
	# 100 names a second, AAAA and A, each with four wrong replies before the right one
	steady 1 400
	check "$tcp: all are answered ($told)" test "$came" -eq 400 -a "$resolved" -eq 400
	check "$tcp: one in ten waits at most" test "$slow" -le 40 -o "$busy" -gt 150
	tell_statistics
	told="$(statistic upstream_unknown_id) guesses, $(statistic upstream_id_attack_tcp) questions over TCP first, \
$(statistic upstream_id_attack_tcp_failed) in vain, $(statistic upstream_udp) over UDP"
	check "$tcp: that many guesses ($told)" test "$(statistic upstream_unknown_id)" -ge 1600
	check "$tcp: somebody is suspected" test "$(statistic upstream_id_attack_tcp)" -ge 1
	# Eight of 800; more on a busy machine, where others are asked before the first has waited.
	check "$tcp: few go over TCP" test "$(statistic upstream_id_attack_tcp)" -le 200
	check "$tcp: the log says so" logged dns64d 'each question leaves by a port of its own, as TCP does not work'
	stop bad
done
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
