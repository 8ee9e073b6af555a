#!/bin/bash -eu
# SPDX-License-Identifier: BSD-2-Clause
# build.sh: the fuzz targets as OSS-Fuzz wants them: $CC with $CFLAGS, the engine in
# $LIB_FUZZING_ENGINE, each program with its corpus and shared libraries in $OUT.
autoreconf -i
./configure --enable-fuzzer --without-systemd LDFLAGS=-stdlib=libc++
make -s -j"$(nproc)" fuzz-targets

mkdir -p "$OUT/lib"
for target in tests/fuzz/fuzz_*; do
	case $target in *.*) continue ;; esac
	name=${target##*/}
	cp "$target" "$OUT/$name"
	# shellcheck disable=SC2016 # expanded by the loader
	patchelf --set-rpath '$ORIGIN/lib' "$OUT/$name"
	ldd "$target" | awk '$3 ~ /^\// && $3 !~ /lib(c|m|dl|rt|pthread)\.so/ { print $3 }' |
		xargs -r cp -Lu -t "$OUT/lib"
	(cd "tests/fuzz/corpus/${name#fuzz_}" && zip -q "$OUT/${name}_seed_corpus.zip" ./*)
	printf '[libfuzzer]\nmax_len = 1024\n' >"$OUT/$name.options"
done
