#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pairs: pairs of what upstreams do (tests/sim/pairs.h), all of them; with sanitizers each 19th: every two habits meet in
# some modes, for some types.
every=1
! grep -q '^#define INSTRUMENTED' "${TOP_BUILDDIR:-.}/config.h" || every=19
exec "${TOP_BUILDDIR:-.}/tests/sim/sim" -p -e $every
