#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# commands: each handler of an HTTP request is asked for: by a command (control/commands.h), or by a path of
# its own (control/api.c, control/web.c). That a command has a handler is for the compiler to say.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
handlers=$(sed -n 's/^http_handler \([a-z_, ]*\);.*/\1/p' src/control/*.h | tr -d ,)
[ -n "$handlers" ] || {
	echo "no handler found"
	exit 1
}
status=0
for handler in $handlers; do
	grep -qE "X\($handler," src/control/commands.h ||
		grep -qE "\{ \"[^\"]*\", [A-Z| ]*, $handler, " src/control/api.c src/control/web.c || {
		echo "nothing asks for $handler: neither a command nor a path of its own"
		status=1
	}
done
exit $status
