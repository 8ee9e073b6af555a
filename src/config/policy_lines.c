/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/policy_lines.h"

#include <stdlib.h>
#include <string.h>

#include "dns/name.h"

struct policy_lines_list *
policy_lines_new(void)
{
	struct policy_lines_list *ds = calloc(1, sizeof(*ds));

	if (ds == NULL || array_add(&ds->all, sizeof(struct policy_lines)) != NULL)
		return ds;
	free(ds);
	return NULL;
}

static void
fini(struct policy_lines *d)
{
	struct policy_lines_zone *zones = d->zones.items;

	for (size_t i = 0; i < d->zones.n; i++)
		free(zones[i].name);
	array_fini(&d->nets);
	array_fini(&d->prefixes);
	array_fini(&d->excluded);
	array_fini(&d->ranges);
	array_fini(&d->zones);
}

void
policy_lines_free(struct policy_lines_list *ds)
{
	if (ds == NULL)
		return;
	for (size_t i = 0; i < ds->all.n; i++)
		fini(policy_lines_at(ds, i));
	array_fini(&ds->all);
	array_fini(&ds->allow);
	free(ds);
}

struct policy_lines *
policy_lines_at(const struct policy_lines_list *ds, size_t i)
{
	struct policy_lines *all = ds->all.items;

	return &all[i];
}

struct policy_lines *
policy_lines_now(const struct policy_lines_list *ds)
{
	return policy_lines_at(ds, ds->open);
}

struct policy_lines *
policy_lines_open(struct policy_lines_list *ds, unsigned line)
{
	struct policy_lines *d = array_add(&ds->all, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->line = line;
	ds->open = ds->all.n - 1;
	return d;
}

void
policy_lines_close(struct policy_lines_list *ds)
{
	ds->open = 0;
}

bool
policy_lines_add_range(struct policy_lines *d, const struct policy_lines_range *r)
{
	struct policy_lines_range *new = array_add(&d->ranges, sizeof(*new));

	if (new == NULL)
		return false;
	*new = *r;
	d->n_ranges[r->kind]++;
	return true;
}

bool
policy_lines_add_zone(struct policy_lines *d, const struct policy_lines_zone *z)
{
	size_t len = name_len(z->name);
	struct policy_lines_zone *new = array_add(&d->zones, sizeof(*new));

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
