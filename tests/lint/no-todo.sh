#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# no-todo: what is unfinished is an issue, not a comment.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

! grep -rnwE --include='*.[chs]' --include='*.sh' --include='*.[158]' --include='*.in' --include='*.ac' --include='*.am' \
	--exclude=no-todo.sh 'TODO|FIXME|XXX' src tests man etc contrib configure.ac Makefile.am
