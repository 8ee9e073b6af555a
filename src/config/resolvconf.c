/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/resolvconf.h"

#include <stdlib.h>
#include <string.h>

#include "config/textfile.h"

#define DNS_PORT 53
#define LINE_ROOM 512 /* a longer line holds no nameserver */
#define BLANKS " \t\r"

/* Read the address on a nameserver line. */
static bool
parse_line(char *line, struct netaddr *a)
{
	static const char keyword[] = "nameserver";
	size_t len = sizeof(keyword) - 1;

	if (strncmp(line, keyword, len) != 0 || line[len] == '\0' || !strchr(BLANKS, line[len]))
		return false;
	char *text = line + len + strspn(line + len, BLANKS);
	text[strcspn(text, BLANKS "#;")] = '\0';
	return netaddr_parse(text, DNS_PORT, a);
}

size_t
resolvconf_parse(const char *text, size_t len, struct netaddr *out, size_t cap)
{
	char line[LINE_ROOM];
	size_t n = 0;

	for (size_t at = 0; at < len && n < cap;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t room = end == NULL ? len - at : (size_t)(end - (text + at));

		if (room < sizeof(line)) {
			memcpy(line, text + at, room);
			line[room] = '\0';
			if (parse_line(line, &out[n]))
				n++;
		}
		at += room + 1;
	}
	return n;
}

int
resolvconf_read(const char *path, struct netaddr *out, size_t cap, size_t *n)
{
	char *text;
	size_t len;
	int rc = textfile_read(path, &text, &len);

	if (rc != 0)
		return rc;
	*n = resolvconf_parse(text, len, out, cap);
	free(text);
	return 0;
}
