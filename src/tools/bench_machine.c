/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench_machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LINE_MAX_OCTETS 1024

/* LINE without what stands about its value. */
static const char *
value_of(char *line)
{
	char *value = line + strspn(line, " \t=:\"'");
	size_t n = strlen(value);

	while (n > 0 && strchr(" \t\n\"'", value[n - 1]) != NULL)
		n--;
	value[n] = '\0';
	return value;
}

json_t *
bench_machine_line(const char *path, const char *key, const char *fallback)
{
	char line[LINE_MAX_OCTETS];
	json_t *found = NULL;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return json_string(fallback);
	while (found == NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, key, strlen(key)) == 0)
			found = json_string(value_of(line + strlen(key)));
	}
	(void)fclose(f);
	return found != NULL ? found : json_string(fallback);
}

json_t *
bench_machine(void)
{
	struct utsname u;

	if (uname(&u) != 0)
		return NULL;
	return json_pack("{so,sI,ss++,so}", "cpu",
	    bench_machine_line("/proc/cpuinfo", "model name", u.machine), "cpus",
	    (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "kernel", u.sysname, " ", u.release, "os",
	    bench_machine_line("/etc/os-release", "PRETTY_NAME", "unknown"));
}
