/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/raw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dns/name.h"

struct bench_raw {
	FILE *file; /* locks itself */
};

int
bench_raw_open(const char *path, struct bench_raw **out)
{
	struct bench_raw *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return -ENOMEM;
	r->file = fopen(path, "we");
	if (r->file == NULL) {
		int err = -errno;

		free(r);
		return err;
	}
	(void)setvbuf(r->file, NULL, _IOFBF, 1 << 20);
	(void)fputs("sent_ns,name,type,outcome,rtt_ns\n", r->file);
	*out = r;
	return 0;
}

void
bench_raw_add(struct bench_raw *r, const struct bench_load *l, const struct bench_asked *a,
    uint64_t now_ns, const char *outcome)
{
	uint8_t name[DNS_NAME_MAX];
	char text[NAME_TEXT];

	bench_load_name(l, a->question, name);
	(void)fprintf(r->file, "%" PRIu64 ",%s,%u,%s,%" PRIu64 "\n", a->sent_ns,
	    name_to_text(name, text), bench_load_type(l, a->question), outcome,
	    now_ns - a->sent_ns);
}

int
bench_raw_close(struct bench_raw *r)
{
	bool failed = ferror(r->file) != 0;
	int err = fclose(r->file) != 0 ? -errno : 0;

	free(r);
	return failed && err == 0 ? -EIO : err;
}
