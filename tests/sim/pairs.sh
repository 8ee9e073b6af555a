#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pairs: every pair of what upstreams do (tests/sim/pairs.h)
exec "${TOP_BUILDDIR:-.}/tests/sim/sim" -p
