/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_INTAKE_H
#define DNS64D_IO_INTAKE_H

/*
 * intake: questions of clients over TCP are read and handed to the engine. Connections take turns,
 * UDP_BATCH questions each, and all together have INTAKE_TURN in one iteration: what they sent more
 * waits, and datagrams and upstreams are served in between. One thread.
 */

#define INTAKE_TURN 256 /* reads and questions in one intake_turn, and a batch more at most */

struct shell;

/*
 * intake_turn: read questions from readable connections and from those that are stalled no more or
 * have more to give, and hand them to the engine. Sets sh->again when it has not come to all.
 */
void intake_turn(struct shell *sh);

#endif
