/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_scenarios: run tests/scenarios/x.scn on the engine, with no socket and a fake clock.
 *
 * Any line that is none of those below is one of dns64d.conf(5), and goes through src/config as it
 * does there: lines before the first event are the configuration at the start, those before a
 * reload the whole new one. What none of them names is as in support/configured.h, or as in the
 * daemon. Lines in a client block are not indented.
 *
 * What the configuration cannot say, before anything else:
 *	clock S				it is so many seconds on the monotonic clock; 1000 at first
 *	test-max-queries N		max-queries below what the daemon takes, 256: to fill that
 *		takes more clients than a scenario can list
 * What happens:
 *	ask C udp|tcp NAME TYPE [do] [cd] [ad] [nord] [noedns] [class=N] [bufsize=N] [tsig] [sig0]
 *	    [noquestion] [version=N] [option=N] [twoopts] [from=ADDRESS] [cookie=HEX|back]
 *		client C asks; with a version, an empty option or a second OPT in EDNS; with a
 *		signature behind all else; with a cookie, or the one that came with the last answer
 *	reply Q RCODE [tc] [aa] [ad] [cd] [rd0] [qr0] [opcode=N] [noopt] [noquestion] [ede=N]
 *	    [bufsize=N] [name=NAME] [type=T] [class=N] [id+1] [by=uN] [cut=N] [cookie=HEX] [notours]
 *	    [option=N:HEX] [optfirst] [spelled=Q] + records
 *		upstream replies to Q; by another socket than it was asked by; without its last N
 *		octets; with the client's part of Q's cookie (notours: a changed one) and that as
 *		its own part; with the OPT before other additional records; with the letters of the
 *		question Q, which is for the same name
 *	malformed Q			upstream replies to Q with counts that lie
 *	lost uN established|refused	the TCP connection to upstream N ends, or was not to be had
 *	full Q				the connection has no room for Q
 *	refused uN			ICMP says upstream N cannot be reached
 *	unsent Q room|way		the kernel did not take Q: it had no room, or no way for it
 *	unplug uN | starve uN | plug uN	upstream N has no UDP socket; none for want of our own room;
 *		it has one again
 *	pass MS				time passes
 *	mute MS [type=T] [as=Q] [uN=COUNT...]	time passes; what upstreams were asked (for type T)
 *		and not yet taken, or are asked meanwhile, is let go without a reply: that many
 *		questions (COUNT: N or N..M), the last of which is called Q from now on
 *	flush | flush name NAME | flush below NAME	the cache forgets
 *	health lameduck|ready		the daemon is a lame duck from now on, or ready again
 *	reload				the lines above are the configuration from now
 *	order upstream uN up|drain|down	the operator orders it (dns64ctl)
 *	order deny NETWORK [drop] | order undeny NETWORK	likewise
 * What is expected, in this order of appearance:
 *	question Q uN|u? udp|tcp NAME TYPE [do] [cd] [noedns] [class=N] [unlike=Q] [mixed]
 *	    [cookie=none|ours|HEX] [bufsize=N]
 *		the next thing sent is this question, from now on called Q; its ID is not that of
 *		the other; mixed: and its letters are not all in the case given
 *	question Q uN|u? udp|tcp asis C
 *		the same, but what is sent are client C's own octets but for the ID
 *	answer C RCODE [tc] [aa] [ad] [ede=N,N...|ede=none] [cookie=none|HEX] [reason=NAME]
 *	    + records
 *		the next thing sent is this answer to C, no longer than C takes, and that is why
 *		(core/reason.h)
 *	answer C asis		the next thing sent to C is the last reply but for the ID
 *	nothing			nothing is sent
 *	counter NAME N		a counter of core/stats.h, or how often a reason was given
 * Upstreams are numbered as the engine numbers them, from 1. Records are indented lines (see
 * scene.h); "xN" behind one means N of them whose addresses count up. At the end nothing may be
 * left over or in flight.
 */

#include "scenario/play.h"

#include "support/tests.h"

static char *files[PLAY_MAX_FILES];
static unsigned n_files;

START_TEST(scenario_goes_as_written)
{
	struct run *r = stage_open(files[_i]);

	play(r, NULL);
	stage_close(r);
}
END_TEST

static void
forget(void)
{
	play_forget(files, n_files);
}

void
tests_add(TCase *tc)
{
	n_files = play_list(files);
	tcase_add_unchecked_fixture(tc, NULL, forget);
	tcase_add_loop_test(tc, scenario_goes_as_written, 0, (int)n_files);
}
