/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/policy_lines.h"

#include <stdlib.h>
#include <string.h>

#include "dns/name.h"

struct drafts *
drafts_new(void)
{
	struct drafts *ds = calloc(1, sizeof(*ds));

	if (ds == NULL || array_add(&ds->all, sizeof(struct draft)) != NULL)
		return ds;
	free(ds);
	return NULL;
}

static void
fini(struct draft *d)
{
	struct draft_zone *zones = d->zones.items;

	for (size_t i = 0; i < d->zones.n; i++)
		free(zones[i].name);
	array_fini(&d->nets);
	array_fini(&d->prefixes);
	array_fini(&d->excluded);
	array_fini(&d->ranges);
	array_fini(&d->zones);
}

void
drafts_free(struct drafts *ds)
{
	if (ds == NULL)
		return;
	for (size_t i = 0; i < ds->all.n; i++)
		fini(drafts_at(ds, i));
	array_fini(&ds->all);
	array_fini(&ds->allow);
	free(ds);
}

struct draft *
drafts_at(const struct drafts *ds, size_t i)
{
	struct draft *all = ds->all.items;

	return &all[i];
}

struct draft *
drafts_now(const struct drafts *ds)
{
	return drafts_at(ds, ds->open);
}

struct draft *
drafts_open(struct drafts *ds, unsigned line)
{
	struct draft *d = array_add(&ds->all, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->line = line;
	ds->open = ds->all.n - 1;
	return d;
}

void
drafts_close(struct drafts *ds)
{
	ds->open = 0;
}

bool
draft_add_range(struct draft *d, const struct draft_range *r)
{
	struct draft_range *new = array_add(&d->ranges, sizeof(*new));

	if (new == NULL)
		return false;
	*new = *r;
	d->n_ranges[r->kind]++;
	return true;
}

bool
draft_add_zone(struct draft *d, const struct draft_zone *z)
{
	size_t len = name_len(z->name);
	struct draft_zone *new = array_add(&d->zones, sizeof(*new));

	if (new == NULL)
		return false;
	*new = *z;
	new->name = malloc(len);
	if (new->name == NULL) {
		d->zones.n--;
		return false;
	}
	memcpy(new->name, z->name, len);
	d->n_zones[z->kind]++;
	return true;
}
