#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_flood: random subdomains: 50,000 questions per second for names that are never asked for again beside 20,000
# for 10,000 popular names, with the default cache.
#
#	cache_flood.sh [SECONDS [RATE]]		20 s at 70,000/s by default, 5/7 of it the flood
#
# Prints how many of the popular questions were answered from the cache. A name costs two lookups (AAAA and A), and
# a new one finds neither: all other misses are of popular names.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

seconds=${1:-20} rate=${2:-70000} share=29 hot=10000

upstream 5300 --ttl 3600 --negative-ttl 3600
dns64d dns64d 5364
# The tester asks for the popular names before it begins, here once more than that: known before the flood comes.
bench 5364 "$(pid_of dns64d)" closed -d 1 --clients 4 --window 16 --hits 100 --hot $hot --prefix $prefix
before=$(looked_up dns64d)
bench 5364 "$(pid_of dns64d)" rate -r "$rate" -d "$seconds" --hits $share --hot $hot --prefix $prefix
after=$(looked_up dns64d)
sent=$(finding sent)
echo "$sent questions, $(finding valid) of them valid, $(busy) % of the server's core;" \
	"$(count dns64d cache_evicted) of $(count dns64d cache_put) entries thrown out in their time," \
	"$(count dns64d cache_entries) in the end"
# A new name that did not come would count as a hit of a popular one.
check 'all were answered' test "$(finding valid)" = "$sent"
check 'the flood filled the cache' test "$(count dns64d cache_evicted)" -gt 0
# What the tester asked before it began were hits: two for each.
popular=$(echo "$before $after" | awk -v sent="$sent" -v share=$share -v hot=$hot '{
	hits = $3 - $1 - 2 * hot
	misses = $4 - $2 - 2 * sent * (100 - share) / 100
	printf "%.2f\n", 100 * hits / (hits + (misses > 0 ? misses : 0)) }')
check "of the popular questions $popular % are answered from the cache, more than 95" holds "$popular > 95"
conclude
