/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_SIM_H
#define DNS64D_TESTS_SIM_SIM_H

/*
 * sim: the engine among clients and upstreams to whom everything happens, on a played clock, all of
 * it drawn from one seed.
 *
 * story draws what is to happen, questions of clients, faults and their time, reloads, and the
 * configuration, as lines of dns64d.conf. client asks and looks at the form of the answers; net
 * plays upstreams and what lies between; shell opens sockets and connections as io/ does; oracle
 * judges what each answer says by what is true (truth) and what has happened (history), rates how
 * much each client gets, work how much is done at once; remains looks for what is left at the end.
 * Chances in net are drawn from what they are about, so that a story with an event less goes on as
 * before. rare lets core meet what it seldom meets.
 */

#include <stdbool.h>
#include <stdint.h>

#include "engine/cookie.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "scenario/world.h"
#include "sim/truth.h"

#define SIM_UPSTREAMS 4
#define SIM_ACTS 1024
#define SIM_TEXT 2048 /* bytes of a configuration, with its final zero */
#define SIM_ASKS 2048
#define SIM_PARCELS 65536
#define SIM_PARCEL 700 /* bytes of a message at most */
#define SIM_FACTS 4096 /* a power of two */
#define SIM_LOOKUPS 2048
#define SIM_ERAS 16
#define SIM_DRAINING 512
#define SIM_USES 32768
#define SIM_FEW 256 /* questions in flight that most worlds have room for, at most */

enum fault {
	FAULT_SILENT,      /* takes everything and says nothing */
	FAULT_REFUSED,     /* ICMP for UDP, RST for TCP */
	FAULT_SLOW,        /* much ms later */
	FAULT_LOSSY,       /* much percent of the questions or replies are lost */
	FAULT_TWICE,       /* much percent of the replies come again */
	FAULT_DISORDER,    /* up to much ms later */
	FAULT_SERVFAIL,    /* much percent of the replies are SERVFAIL */
	FAULT_REFUSES,     /* replies REFUSED */
	FAULT_CUT,         /* all replies over UDP have TC */
	FAULT_LAME,        /* referrals */
	FAULT_MALFORMED,   /* replies are cut short */
	FAULT_NO_AAAA,     /* questions for AAAA get no reply */
	FAULT_NO_EDNS,     /* FORMERR to OPT */
	FAULT_LOWERS,      /* replies over UDP spell the name in lower case */
	FAULT_TCP_REFUSED, /* no connections */
	FAULT_TCP_CLOSING, /* connections close at a question */
	FAULT_TCP_SILENT,  /* connections are half open */
	FAULT_TCP_FULL,    /* there is no room for questions over TCP here */
	FAULT_FORGER,      /* somebody sends forged replies too */
	FAULT_NO_SOCKET,   /* no socket is to be had here */
	FAULT_BADCOOKIE,   /* BADCOOKIE to all cookies over UDP */
	FAULT_TCP_OTHER,   /* connections answer something else, and close */
	FAULTS_DRAWN,      /* the others are those of sim/pairs only */
	FAULT_UDP_SILENT = FAULTS_DRAWN,
	FAULT_TCP_SLOW,      /* replies over TCP come much ms later */
	FAULT_FORMERR,       /* to everything */
	FAULT_DROPS_EDNS,    /* questions with OPT get no reply over UDP */
	FAULT_DROPS_OPTIONS, /* the same with an EDNS option */
	FAULT_DROPS_LARGE,   /* replies over UDP of more than 512 octets are lost */
	FAULT_BOGUS,         /* SERVFAIL to AAAA, but with CD */
	FAULTS
};

enum act_kind {
	ACT_ASK,
	ACT_FAULT,
	ACT_FLUSH,
	ACT_RELOAD,
	ACT_ROTATE,
	ACT_SLEEP, /* the process is stopped for much ms */
	ACT_FLOOD, /* one client asks much questions at once, of as many names */
	ACT_FILL,  /* much replies that another loop got come into the cache, which is full then */
	ACT_NOTHING
};

/* Clients, by the settings that they have. */
enum sim_client {
	CLIENT_USUAL,
	CLIENT_OTHER,  /* a block with a prefix of its own */
	CLIENT_NEVER,  /* without DNS64 */
	CLIENT_ALWAYS, /* AAAA are ignored */
	CLIENT_HIDDEN, /* A are hidden */
	CLIENT_DENIED, /* may not ask */
	CLIENT_FLOOD,  /* has the usual settings, and asks too much, if no other one does */
	SIM_CLIENTS
};

/* Cookies of questions. */
enum sim_cookie {
	COOKIE_NONE,
	COOKIE_FRESH,  /* a client cookie alone */
	COOKIE_GIVEN,  /* with the server cookie given last */
	COOKIE_STOLEN, /* with one that another client was given */
	COOKIE_WRONG   /* with one that nobody was given */
};

/* Something that happens. */
struct act {
	uint64_t at_ns;
	uint64_t for_ns; /* of a fault */
	uint8_t kind;
	uint8_t what;     /* fault, or of a reload which */
	uint8_t upstream; /* from 0 */
	uint32_t much;
	/* a question */
	uint8_t name_kind;
	char alias; /* 0, 'c', 'o' */
	bool do_bit, cd, tcp, no_rd;
	uint8_t client, cookie; /* enum sim_client, sim_cookie */
	uint16_t bufsize;       /* bytes; 0: without EDNS */
	uint8_t prefix;         /* of PTR: the last octet of its first 48 bits */
	uint8_t host;           /* of the client's network */
	bool strict; /* nothing is wrong any more: the answer must be right, and in time */
	uint16_t type;
	uint32_t number;
};

/* A question of a client. */
struct ask {
	const struct act *act;
	uint64_t at_ns;
	uint64_t down_ns; /* since when all upstreams are known to be down; 0: they are not */
	unsigned era;     /* of s->eras: the one it was asked in */
	bool open;
	bool was_down;       /* they were when it was asked */
	bool no_aaaa;        /* AAAA were known not to get through, while it waited */
	uint64_t n_no_room;  /* counted before it */
	unsigned n_given_up; /* sockets that were before it */
	uint64_t n_rare;     /* s->n_rare before it */
	unsigned n_sends;    /* struct fact.n_sends of its target when it was asked */
	uint64_t slept_ns;   /* s->slept_ns when it was asked */
	uint8_t question[DNS_NAME_MAX + 4];
	size_t question_len;
	uint16_t id, limit; /* limit: bytes of the answer */
	uint8_t cookie[COOKIE_LEN];
	struct truth truth;
	struct netaddr peer;
	size_t len;                               /* bytes of the question */
	bool proven;                              /* with a cookie that is good */
	bool slipped;                             /* gets no more than TC or BADCOOKIE */
	uint64_t n_limited, n_dropped, n_slipped; /* counted before it */
};

/* What an address got (sim/rates). */
struct use {
	uint64_t at_ns;
	double much;
	uint8_t client, host;
};

/* What is on its way to the engine. */
enum parcel_kind { PARCEL_MESSAGE, PARCEL_REFUSED, PARCEL_LOST, PARCEL_FULL, PARCEL_LOOK };
struct parcel {
	uint64_t at_ns, order;
	uint8_t kind, what;
	bool tcp, right, forged, established, other;
	bool alike; /* forged, with nothing in it that a true reply has not */
	uint16_t id;
	uint32_t sock, gen;
	uint64_t key; /* of the question (history_key) */
	size_t len;
	uint8_t bytes[SIM_PARCEL];
};

/* What befell a question (name, type, DO, CD). */
struct fact {
	uint64_t key;
	uint64_t right_ns;        /* a true reply was taken; 0: never */
	uint64_t born_ns;         /* when its lookup began */
	uint64_t wrong_ns;        /* another reply was taken */
	unsigned n_lost, n_wrong; /* sends without a good reply: with none in time, with another */
	uint64_t slow_ns;         /* how long a reply takes at most */
	uint64_t asked_ns;        /* it was sent */
	uint64_t touched_ns;      /* something was wrong; 0: never */
	unsigned n_clients;       /* of the end of a chain: clients' questions that led there, */
	unsigned n_sends;         /* and how often we asked upstream for that; */
	unsigned n_moved;         /* sends whose socket was given up before a reply */
};

/* From when on which settings hold. */
struct era {
	uint64_t at_ns;
	bool prefix;     /* one is active for all but CLIENT_OTHER */
	uint8_t address; /* the last octet of its first 48 bits: 0x64 or 0x65 */
	bool on_failure; /* synthesizes after errors and silence */
};
#define SIM_OTHER_ADDRESS 0x66 /* the same of CLIENT_OTHER's */

/* What the engine was asked for one lookup, to count its sends. */
struct sends {
	uint64_t born_ns;
	uint32_t number;
	uint8_t sends[UPSTREAM_MAX][2];  /* over UDP, over TCP */
	uint16_t heard[UPSTREAM_MAX][2]; /* what came, after which it may be sent once more */
	uint64_t slots;                  /* bit per UDP socket, by slot, that it left by */
	struct fact *fact;               /* what its client's question is about; NULL: a probe */
	uint64_t lost; /* bit per upstream: with a connection by which no reply came */
};

struct sim {
	struct world w;
	uint64_t seed;
	uint64_t phase_ns; /* of the ticks */
	bool verbose;
	bool pairs;         /* the story is one of sim/pairs */
	unsigned n_unlucky; /* errors in it that may be bad luck */
	/* the story */
	struct act acts[SIM_ACTS];
	unsigned n_acts, n_begun;
	bool dropped[SIM_ACTS];
	uint32_t rtt_ms[SIM_UPSTREAMS];
	/* settings */
	char text[SIM_TEXT];  /* of the configuration, but for what reloads change */
	uint32_t max_queries; /* few, which no configuration says */
	struct conf_core conf[2];
	unsigned turn;
	struct cache *cache;  /* NULL: none */
	struct rates *rates;  /* likewise */
	bool lowers;          /* some upstream spells in lower case: forgers leave case alone */
	uint32_t n_upstreams; /* at the start */
	struct era eras[SIM_ERAS];
	unsigned n_eras;
	/* clients */
	struct ask asks[SIM_ASKS];
	unsigned n_asks, n_open;
	unsigned n_given_up;                      /* sockets, as somebody guessed at them */
	uint8_t cookies[SIM_CLIENTS][COOKIE_LEN]; /* given last */
	uint8_t flooder;                          /* enum sim_client */
	struct act floods[SIM_ASKS];              /* the questions of floods */
	unsigned n_floods;
	uint32_t n_filled;
	uint64_t calm_ns;  /* from then on nothing goes wrong */
	uint64_t n_rare;   /* how often something rare happened */
	uint64_t slept_ns; /* for how long the process was stopped, in all */
	uint64_t woke_ns;  /* when that was over last */
	/* net and shell */
	struct parcel *parcels;
	unsigned n_parcels;
	uint64_t n_sent, n_known;
	uint8_t seen[4096]; /* how often a question came */
	uint8_t n_near[4096];
	int slot[UPSTREAM_MAX];
	uint32_t slot_gen[UPSTREAM_MAX_SOCKETS];
	uint16_t draining[SIM_DRAINING];
	unsigned n_draining;
	uint32_t conn_gen[UPSTREAM_MAX * TCP_POOL_SIZE];
	bool conn_up[UPSTREAM_MAX * TCP_POOL_SIZE];
	bool conn_good[UPSTREAM_MAX * TCP_POOL_SIZE]; /* a reply was taken that came by it */
	/* rates */
	struct use uses[RATE_KINDS][SIM_USES];
	unsigned n_uses[RATE_KINDS];
	uint64_t n_amplified; /* answers counted so far */
	/* oracle */
	uint64_t flushed_ns; /* the cache */
	struct fact facts[SIM_FACTS];
	struct sends sends[SIM_LOOKUPS];
	unsigned n_first; /* all before were answered */
	uint32_t n_kinds[8];
};

/* sim_say: tell what happens, if that is wanted. */
void sim_say(const struct sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* sim_fail: the engine has done what it may not. Does not return. */
_Noreturn void sim_fail(struct sim *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* sim_draw: a number below BELOW that comes of the seed, WHAT is drawn, and KEY. */
uint32_t sim_draw(const struct sim *s, uint32_t what, uint64_t key, uint32_t below);

/* sim_fault: the fault F that upstream UP (from 0) has now; NULL: it has not. */
const struct act *sim_fault(const struct sim *s, enum fault f, unsigned up);

/* sim_run: play the story of s->seed without what is dropped in s->dropped. */
void sim_run(struct sim *s);

#endif
