/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies: defaults, what is derived, whose is whose. RULES D13-D16, D23. */

#include "policy/policy.h"

#include <pthread.h>
#include <string.h>

#include "dns/name.h"
#include "dns64/special.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NONE 0xffffffff

static struct policies *ps;

static void
set_up(void)
{
	ps = policies_new(2);
	ck_assert_ptr_nonnull(ps);
}

static void
tear_down(void)
{
	policies_unref(ps);
}

static struct netaddr
addr_of(const char *text)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 53, &a));
	return a;
}

static uint32_t
find(const struct netmap *m, const char *text)
{
	struct netaddr a = addr_of(text);

	return netmap_find(m, &a, NONE);
}

static uint32_t
find_zone(const struct zonemap *z, const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	struct zonemap_path path;
	size_t at;

	ck_assert_uint_gt(len, 0);
	zonemap_path(&path, name, len);
	return zonemap_find(z, &path, &at);
}

static void
add_prefix(struct policy *p, const char *text, enum policy_state state, bool mapped_only)
{
	ck_assert_int_eq(pref64_parse(text, &p->synth.prefixes[p->synth.n_prefixes]), PREF64_OK);
	p->states[p->synth.n_prefixes] = (uint8_t)state;
	p->mapped_only[p->synth.n_prefixes++] = mapped_only;
}

START_TEST(defaults_are_as_documented)
{
	ck_assert_uint_eq(ps->n, 2);
	for (size_t i = 0; i < ps->n; i++) {
		const struct policy *p = &ps->table[i];

		ck_assert_uint_eq(p->synthesize, POLICY_NORMAL);
		/* D3: all three (RFC 6147). */
		ck_assert_uint_eq(
		    p->triggers, POLICY_ON_NODATA | POLICY_ON_ERROR | POLICY_ON_TIMEOUT);
		ck_assert_uint_eq(p->selection, POLICY_ALL);
		ck_assert_uint_eq(p->family, POLICY_BOTH);
		ck_assert_uint_eq(p->reverse, POLICY_REVERSE_CNAME);
		ck_assert_uint_eq(p->svcb, POLICY_SVCB_CACHED);
		ck_assert_uint_eq(p->ede, POLICY_EDE_ALL);
		ck_assert_uint_eq(p->synth.max, 0);
		ck_assert_uint_eq(p->synth.n_prefixes, 0);
		ck_assert(!p->hide_a && !p->any_minimal && !p->servfail_without_prefix);
		ck_assert_ptr_null(p->zones);
		/* D7: ::ffff:0:0/96 */
		ck_assert_uint_eq(find(p->synth.excluded, "::ffff:192.0.2.1"), 1);
		ck_assert_uint_eq(find(p->synth.excluded, "::fffe:192.0.2.1"), NONE);
		ck_assert_uint_eq(find(p->synth.excluded, "2001:db8::1"), NONE);
		ck_assert_uint_eq(find(p->synth.v4, "10.0.0.1"), SYNTH_OWN);
	}
}
END_TEST

/* D14: the first and the last of each range, and what is next to it. */
START_TEST(ranges_never_mapped_have_exact_ends)
{
	static const struct {
		const char *addr;
		uint32_t value;
	} wanted[] = { { "0.0.0.0", SYNTH_NEVER }, { "0.255.255.255", SYNTH_NEVER },
		{ "1.0.0.0", NONE }, { "9.255.255.255", NONE }, { "10.0.0.0", SYNTH_OWN },
		{ "10.255.255.255", SYNTH_OWN }, { "11.0.0.0", NONE }, { "100.63.255.255", NONE },
		{ "100.64.0.0", SYNTH_OWN }, { "100.127.255.255", SYNTH_OWN },
		{ "100.128.0.0", NONE }, { "126.255.255.255", NONE }, { "127.0.0.0", SYNTH_NEVER },
		{ "127.255.255.255", SYNTH_NEVER }, { "128.0.0.0", NONE },
		{ "169.254.0.0", SYNTH_NEVER }, { "169.254.255.255", SYNTH_NEVER },
		{ "169.255.0.0", NONE }, { "172.15.255.255", NONE }, { "172.16.0.0", SYNTH_OWN },
		{ "172.31.255.255", SYNTH_OWN }, { "172.32.0.0", NONE }, { "192.0.0.0", SYNTH_OWN },
		{ "192.0.0.8", SYNTH_OWN }, { "192.0.0.9", SYNTH_ANY }, { "192.0.0.10", SYNTH_ANY },
		{ "192.0.0.11", SYNTH_OWN }, { "192.0.0.170", SYNTH_ANY },
		{ "192.0.0.171", SYNTH_ANY }, { "192.0.0.172", SYNTH_OWN },
		{ "192.0.0.255", SYNTH_OWN }, { "192.0.1.0", NONE }, { "192.0.2.1", NONE },
		{ "192.88.98.255", NONE }, { "192.88.99.0", SYNTH_OWN }, { "192.88.100.0", NONE },
		{ "192.167.255.255", NONE }, { "192.168.0.0", SYNTH_OWN }, { "192.169.0.0", NONE },
		{ "198.17.255.255", NONE }, { "198.18.0.0", SYNTH_OWN },
		{ "198.19.255.255", SYNTH_OWN }, { "198.20.0.0", NONE },
		{ "223.255.255.255", NONE }, { "224.0.0.0", SYNTH_NEVER },
		{ "239.255.255.255", SYNTH_NEVER }, { "240.0.0.0", SYNTH_NEVER },
		{ "255.255.255.255", SYNTH_NEVER } };
	const struct netmap *m = policies_v4(ps);

	ck_assert_ptr_nonnull(m);
	for (size_t i = 0; i < N_OF(wanted); i++)
		ck_assert_msg(find(m, wanted[i].addr) == wanted[i].value, "%s", wanted[i].addr);
}
END_TEST

/* A map of one policy is not that of another. */
START_TEST(maps_are_apart)
{
	const struct net net = { .addr = { 10 }, .len = 8, .family = NETADDR_IPV4 };
	struct netmap *a = policies_v4(ps);
	struct netmap *b = policies_excluded(ps, false);
	struct netmap *c = policies_excluded(ps, true);

	ck_assert(a != NULL && b != NULL && c != NULL);
	ck_assert_int_eq(netmap_set(a, &net, SYNTH_VIA + 3), 0);
	ck_assert_uint_eq(find(a, "10.0.0.1"), SYNTH_VIA + 3);
	ck_assert_uint_eq(find(ps->table[0].synth.v4, "10.0.0.1"), SYNTH_OWN);
	ck_assert_uint_eq(find(b, "::ffff:192.0.2.1"), NONE);
	ck_assert_uint_eq(find(c, "::ffff:192.0.2.1"), 1);
}
END_TEST

START_TEST(zones_and_names)
{
	struct zonemap *a = policies_zones(ps);
	struct zonemap *b = policies_zones(ps);
	uint8_t name[DNS_NAME_MAX];
	const uint8_t *copy;

	ck_assert(a != NULL && b != NULL && a != b);
	ck_assert_uint_gt(name_from_text("example.com", name), 0);
	ck_assert_int_eq(zonemap_add(a, name, POLICY_ZONE_NEVER), 0);
	copy = policies_name(ps, name);
	ck_assert_ptr_nonnull(copy);
	memset(name, 0, sizeof(name));
	ck_assert_uint_eq(find_zone(a, "www.example.com"), POLICY_ZONE_NEVER);
	ck_assert_uint_eq(find_zone(b, "www.example.com"), ZONEMAP_NONE);
	ck_assert_uint_gt(name_from_text("example.com", name), 0);
	ck_assert(name_equal(copy, name));
}
END_TEST

/* D14: no prefix configured is 64:ff9b::/96. */
START_TEST(without_a_prefix)
{
	char text[PREF64_TEXT];

	add_prefix(&ps->table[1], "2001:db8:64::/96", POLICY_ACTIVE, false);
	ck_assert_int_eq(policies_finish(ps), 0);
	for (size_t i = 0; i < 2; i++) {
		const struct policy *p = &ps->table[i];

		ck_assert_uint_eq(p->synth.n_prefixes, 1);
		ck_assert_uint_eq(p->synth.active_bits, 1);
		ck_assert_uint_eq(p->synth.n_general, 1);
		ck_assert_uint_eq(p->synth.general[0], 0);
		ck_assert_str_eq(pref64_format(&p->synth.prefixes[0], text),
		    i == 0 ? "64:ff9b::/96" : "2001:db8:64::/96");
		ck_assert(p->synth.prefixes[0].well_known == (i == 0));
		/* The other one's is for whoever fills it in. */
		ck_assert_uint_eq(p->choice.weights[0], i == 0 ? PREFIX_CHOICE_WEIGHT : 0);
	}
}
END_TEST

/* D14: all configured prefixes down never means 64:ff9b::/96. */
START_TEST(prefixes_that_are_down_do_not_mean_well_known)
{
	struct policy *p = &ps->table[0];

	add_prefix(p, "2001:db8:64::/96", POLICY_DOWN, false);
	add_prefix(p, "2001:db8:65::/96", POLICY_DRAIN, false);
	ck_assert_int_eq(policies_finish(ps), 0);
	ck_assert_uint_eq(p->synth.n_prefixes, 2);
	ck_assert_uint_eq(p->synth.active_bits, 0);
	ck_assert_uint_eq(p->synth.n_general, 0);
}
END_TEST

/* D15: only an active prefix is synthesized under; one that only a map names, not for others. */
START_TEST(active_and_general)
{
	struct policy *p = &ps->table[1];

	add_prefix(p, "2001:db8:0::/96", POLICY_DRAIN, false);
	add_prefix(p, "2001:db8:1::/96", POLICY_ACTIVE, false);
	add_prefix(p, "2001:db8:2::/96", POLICY_DOWN, false);
	add_prefix(p, "2001:db8:3::/96", POLICY_ACTIVE, false);
	add_prefix(p, "2001:db8:4::/96", POLICY_ACTIVE, true);
	add_prefix(p, "2001:db8:5::/96", POLICY_DOWN, true);
	while (p->synth.n_prefixes < POLICY_MAX_PREFIXES)
		add_prefix(p, "2001:db8:6::/96", POLICY_DOWN, false);
	p->states[POLICY_MAX_PREFIXES - 1] = POLICY_ACTIVE;
	ck_assert_int_eq(policies_finish(ps), 0);
	ck_assert_uint_eq(
	    p->synth.active_bits, 1U << 1 | 1U << 3 | 1U << 4 | 1U << (POLICY_MAX_PREFIXES - 1));
	ck_assert_uint_eq(p->synth.n_general, 3);
	ck_assert_uint_eq(p->synth.general[0], 1);
	ck_assert_uint_eq(p->synth.general[1], 3);
	ck_assert_uint_eq(p->synth.general[2], POLICY_MAX_PREFIXES - 1);
}
END_TEST

/* D16: names under any policy's prefixes, whatever their state, and the Well-Known one. */
START_TEST(reverse_zones_are_those_of_all_prefixes)
{
	static const struct {
		const char *name;
		const char *prefix; /* NULL: none */
	} wanted[] = {
		{ "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa",
		    "64:ff9b::/96" },
		{ "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.c.9.f.f.4.6.0.0.ip6.arpa",
		    NULL },
		{ "5.6.0.0.8.B.D.0.1.0.0.2.IP6.ARPA", "2001:db8::/32" },
		{ "4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "2001:db8:64::/48" },
		{ "1.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "2001:db8:64::/48" },
		{ "b.d.0.1.0.0.2.ip6.arpa", NULL },
		{ "ip6.arpa", NULL },
	};
	char text[PREF64_TEXT];

	add_prefix(&ps->table[0], "2001:db8:64::/48", POLICY_DOWN, false);
	add_prefix(&ps->table[0], "64:ff9b::/96", POLICY_ACTIVE, true);
	add_prefix(&ps->table[1], "2001:db8:64::/48", POLICY_ACTIVE, false);
	add_prefix(&ps->table[1], "2001:db8::/32", POLICY_DRAIN, false);
	ck_assert_int_eq(policies_finish(ps), 0);
	ck_assert_uint_eq(ps->site.n, 3);
	ck_assert_uint_eq(ps->site.n_used, 3);
	for (size_t i = 0; i < N_OF(wanted); i++) {
		uint32_t place = find_zone(ps->site.reverse, wanted[i].name);

		if (wanted[i].prefix == NULL) {
			ck_assert_uint_eq(place, ZONEMAP_NONE);
			continue;
		}
		ck_assert_uint_lt(place, ps->site.n);
		ck_assert_str_eq(
		    pref64_format(&ps->site.prefixes[place].prefix, text), wanted[i].prefix);
	}
}
END_TEST

/* D15, D17, RFC 6761, RFC 8880, RFC 9462. */
START_TEST(special_names_are_found)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} wanted[] = { { "ipv4only.arpa", SPECIAL_IPV4ONLY }, { "IPv4Only.ARPA", SPECIAL_IPV4ONLY },
		{ "170.0.0.192.in-addr.arpa", SPECIAL_WKA },
		{ "172.0.0.192.in-addr.arpa", ZONEMAP_NONE },
		{ "_dns.resolver.arpa", SPECIAL_RESOLVER }, { "localhost", SPECIAL_LOCALHOST },
		{ "a.localhost", SPECIAL_LOCALHOST }, { "invalid", SPECIAL_INVALID },
		{ "x.Onion", SPECIAL_INVALID }, { "alt", SPECIAL_INVALID },
		{ "1.0.0.10.in-addr.arpa", SPECIAL_LOCAL_ZONE }, { "example", ZONEMAP_NONE },
		{ ".", ZONEMAP_NONE } };

	for (size_t i = 0; i < N_OF(wanted); i++)
		ck_assert_msg(find_zone(ps->common.special, wanted[i].name) == wanted[i].kind, "%s",
		    wanted[i].name);
}
END_TEST

/* D13: the longest match is the policy. D23: who may not ask. */
START_TEST(client_has_the_policy_of_the_longest_match)
{
	const struct net eight = { .addr = { 10 }, .len = 8, .family = NETADDR_IPV4 };
	const struct net sixteen = { .addr = { 10, 1 }, .len = 16, .family = NETADDR_IPV4 };
	const struct policies_client served = { .policy = 1, .access = POLICY_SERVED },
				     stranger = { .access = POLICY_STRANGER };
	struct netaddr a = addr_of("10.0.0.1");
	bool may_ask = false;

	ck_assert_uint_eq(policies_find(ps, &a, &may_ask), 0);
	ck_assert(may_ask);
	ck_assert_int_eq(policies_add_client(ps, &eight, &served), 0);
	ck_assert_int_eq(policies_add_client(ps, &sixteen, &stranger), 0);
	ck_assert_uint_eq(policies_find(ps, &a, &may_ask), 1);
	ck_assert(may_ask);
	a = addr_of("10.1.0.1");
	ck_assert_uint_eq(policies_find(ps, &a, &may_ask), 0);
	ck_assert(!may_ask);
	ck_assert_uint_eq(ps->common.n_kinds, 3);
	ps->common.kinds[0] = stranger;
	a = addr_of("2001:db8::1");
	may_ask = true;
	ck_assert_uint_eq(policies_find(ps, &a, &may_ask), 0);
	ck_assert(!may_ask);
}
END_TEST

/* Each network has what it was given, however many there are. */
START_TEST(many_networks_have_what_they_were_given)
{
	struct netaddr a = addr_of("10.0.0.1");

	for (uint32_t i = 0; i < 65536; i++) {
		const struct net net = { { 10, (uint8_t)(i >> 8), (uint8_t)i }, 24, NETADDR_IPV4 };
		const struct policies_client c = { .line = i + 1, .access = POLICY_SERVED };

		ck_assert_int_eq(policies_add_client(ps, &net, &c), 0);
	}
	for (uint32_t i = 0; i < 65536; i++) {
		a.addr[1] = (uint8_t)(i >> 8);
		a.addr[2] = (uint8_t)i;
		ck_assert_uint_eq(policies_client(ps, &a)->line, i + 1);
	}
}
END_TEST

START_TEST(family_of_a_client_decides_if_served)
{
	struct netaddr v4 = addr_of("192.0.2.1"), v6 = addr_of("2001:db8::1");
	struct policy *p = &ps->table[0];

	ck_assert(policy_serves(p, &v4) && policy_serves(p, &v6));
	p->family = POLICY_IPV6;
	ck_assert(!policy_serves(p, &v4) && policy_serves(p, &v6));
	p->family = POLICY_IPV4;
	ck_assert(policy_serves(p, &v4) && !policy_serves(p, &v6));
	p->family = POLICY_BOTH;
	p->synthesize = POLICY_NEVER;
	ck_assert(!policy_serves(p, &v4) && !policy_serves(p, &v6));
}
END_TEST

/* Gone with the last reference, which the sanitizers and valgrind see. */
START_TEST(last_reference_frees_the_policies)
{
	ck_assert_ptr_eq(policies_ref(ps), ps);
	ck_assert_uint_eq(atomic_load(&ps->refs), 2);
	policies_unref(ps);
	ck_assert_uint_eq(find(ps->table[0].synth.v4, "127.0.0.1"), SYNTH_NEVER);
	policies_unref(NULL);
}
END_TEST

/* Two prefixes that differ in their suffix only are one, and the Well-Known one is the last. */
START_TEST(each_prefix_is_once_in_the_table)
{
	const uint8_t suffix[16] = { [15] = 1 };

	add_prefix(&ps->table[0], "2001:db8:1::/64", POLICY_ACTIVE, false);
	add_prefix(&ps->table[0], "2001:db8:2::/96", POLICY_DOWN, false);
	add_prefix(&ps->table[1], "2001:db8:2::/96", POLICY_ACTIVE, false);
	add_prefix(&ps->table[1], "2001:db8:1::/56", POLICY_DRAIN, false);
	add_prefix(&ps->table[1], "2001:db8:1::/64", POLICY_DRAIN, true);
	ck_assert(pref64_set_suffix(&ps->table[1].synth.prefixes[2], suffix));
	ck_assert_int_eq(policies_finish(ps), 0);
	ck_assert_uint_eq(ps->site.n, 4);
	ck_assert_uint_eq(ps->site.n_used, 3);
	ck_assert(ps->site.prefixes[3].prefix.well_known);
	for (size_t i = 0; i < ps->n; i++) {
		const struct policy *p = &ps->table[i];

		for (size_t k = 0; k < p->synth.n_prefixes; k++)
			ck_assert(pref64_same(
			    &ps->site.prefixes[p->places[k]].prefix, &p->synth.prefixes[k]));
	}
}
END_TEST

/* Give ps prefixes and zones; *changed is as ps in other states, *added that with other prefixes.
 */
static void
make_changed(struct policies **changed, struct policies **added)
{
	struct zonemap *zones = policies_zones(ps);
	uint8_t name[DNS_NAME_MAX];

	ck_assert_ptr_nonnull(zones);
	ck_assert_uint_gt(name_from_text("example.com", name), 0);
	ck_assert_int_eq(zonemap_add(zones, name, POLICY_ZONE_NEVER), 0);
	ps->table[1].zones = zones;
	add_prefix(&ps->table[0], "2001:db8:1::/96", POLICY_ACTIVE, false);
	add_prefix(&ps->table[1], "2001:db8:1::/96", POLICY_ACTIVE, false);
	add_prefix(&ps->table[1], "2001:db8:2::/96", POLICY_ACTIVE, true);
	ck_assert_int_eq(policies_finish(ps), 0);
	*changed = policies_copy(ps);
	ck_assert_ptr_nonnull(*changed);
	(*changed)->table[1].states[0] = POLICY_DOWN;
	policy_settle(&(*changed)->table[1]);
	*added = policies_without_prefixes(*changed);
	ck_assert_ptr_nonnull(*added);
	add_prefix(&(*added)->table[1], "2001:db8:3::/96", POLICY_ACTIVE, false);
	ck_assert_int_eq(policies_finish(*added), 0);
}

/* Each set's states are its own; nothing is made again that stays as it is. */
START_TEST(a_change_copies_what_it_changes)
{
	struct policies *changed, *added;

	make_changed(&changed, &added);
	ck_assert_uint_eq(ps->table[1].synth.active_bits, 3);
	ck_assert_uint_eq(ps->table[1].synth.n_general, 1);
	ck_assert_uint_eq(changed->table[1].synth.active_bits, 2);
	ck_assert_uint_eq(changed->table[1].synth.n_general, 0);
	ck_assert_uint_eq(changed->table[0].synth.active_bits, 1);
	ck_assert_ptr_eq(changed->table[1].zones, ps->table[1].zones);
	ck_assert_ptr_eq(changed->table[1].synth.v4, ps->table[1].synth.v4);
	ck_assert_ptr_eq(changed->site.prefixes, ps->site.prefixes);
	ck_assert_ptr_eq(changed->common.special, ps->common.special);
	ck_assert_ptr_eq(added->table[1].zones, ps->table[1].zones);
	ck_assert_ptr_eq(added->table[1].synth.excluded, ps->table[1].synth.excluded);
	ck_assert_ptr_ne(added->table[1].synth.v4, ps->table[1].synth.v4);
	ck_assert_uint_eq(added->table[1].synth.n_prefixes, 1);
	ck_assert(added->table[0].synth.prefixes[0].well_known);
	ck_assert_uint_eq(added->site.n, 2);
	policies_unref(changed);
	policies_unref(added);
}
END_TEST

/* All that lookups by P follow. */
static void
expect_whole(const struct policies *p)
{
	ck_assert_uint_eq(find_zone(p->table[1].zones, "www.example.com"), POLICY_ZONE_NEVER);
	ck_assert_uint_eq(find(p->table[1].synth.v4, "127.0.0.1"), SYNTH_NEVER);
	ck_assert_uint_eq(find(p->table[1].synth.excluded, "::ffff:192.0.2.1"), 1);
	ck_assert_uint_eq(find_zone(p->common.special, "localhost"), SPECIAL_LOCALHOST);
	ck_assert_uint_lt(
	    find_zone(p->site.reverse,
		"1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa"),
	    p->site.n);
}

/* In whichever order the sets go, each is whole to its end, and nothing is left, which the
 * sanitizers and valgrind see. */
START_TEST(the_last_set_frees_what_is_in_common)
{
	static const unsigned orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
		{ 2, 0, 1 }, { 2, 1, 0 } };
	struct policies *sets[3] = { ps };

	make_changed(&sets[1], &sets[2]);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = i; k < 3; k++)
			expect_whole(sets[orders[_i][k]]);
		policies_unref(sets[orders[_i][i]]);
	}
	ps = NULL;
}
END_TEST

#define LOOPS 4

static void *
slow_loop(void *set)
{
	expect_whole(set);
	policies_unref(set);
	return NULL;
}

/* Loops end with the sets of their time while the main thread makes others. */
START_TEST(loops_may_be_slow)
{
	struct policies *other, *next;
	pthread_t thread[LOOPS];

	make_changed(&next, &other);
	policies_unref(other);
	for (unsigned i = 0; i < LOOPS; i++) {
		ck_assert_int_eq(pthread_create(&thread[i], NULL, slow_loop, ps), 0);
		ps = next;
		next = policies_copy(ps);
		ck_assert_ptr_nonnull(next);
	}
	policies_unref(next);
	for (unsigned i = 0; i < LOOPS; i++)
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	expect_whole(ps);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, defaults_are_as_documented);
	tcase_add_test(tc, ranges_never_mapped_have_exact_ends);
	tcase_add_test(tc, maps_are_apart);
	tcase_add_test(tc, zones_and_names);
	tcase_add_test(tc, without_a_prefix);
	tcase_add_test(tc, prefixes_that_are_down_do_not_mean_well_known);
	tcase_add_test(tc, active_and_general);
	tcase_add_test(tc, reverse_zones_are_those_of_all_prefixes);
	tcase_add_test(tc, special_names_are_found);
	tcase_add_test(tc, client_has_the_policy_of_the_longest_match);
	tcase_add_test(tc, many_networks_have_what_they_were_given);
	tcase_add_test(tc, family_of_a_client_decides_if_served);
	tcase_add_test(tc, last_reference_frees_the_policies);
	tcase_add_test(tc, each_prefix_is_once_in_the_table);
	tcase_add_test(tc, a_change_copies_what_it_changes);
	tcase_add_loop_test(tc, the_last_set_frees_what_is_in_common, 0, 6);
	tcase_add_test(tc, loops_may_be_slow);
}
