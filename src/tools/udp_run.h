/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TOOLS_UDP_RUN_H
#define DNS64D_TOOLS_UDP_RUN_H

/*
 * udp_run: runs of datagrams of one size between the same two addresses, sent or received in one
 * system call (UDP_SEGMENT, UDP_GRO of Linux 5.0): up to UDP_RUN_MAX of them pass through the
 * kernel as one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attr.h"

#define UDP_RUN_MAX 64      /* datagrams in a run that is sent; received may be more */
#define UDP_RUN_SEND 65000  /* bytes of a run that is sent */
#define UDP_RUN_PIECE 1232  /* bytes of one datagram: no path fragments that */
#define UDP_RUN_BYTES 65536 /* of the longest run */
#define UDP_RUN_STRIDE (UDP_RUN_BYTES + 192)    /* slots do not all begin in one set of a cache */
#define UDP_RUN_CONTROL CMSG_SPACE(sizeof(int)) /* bytes of control that a run takes */

/* udp_run_enlarge: make the buffers of FD SIZE bytes, or as large as the system allows. */
void udp_run_enlarge(int fd, int size);

/* udp_run_prepare: let the UDP socket FD receive runs. True if it can send runs, too. */
bool udp_run_prepare(int fd);

/*
 * udp_run_piece: how many bytes each datagram has (the last may have less) in the run of LEN bytes
 * that was received with H; LEN if it is a single datagram.
 */
MUST_USE size_t udp_run_piece(struct msghdr *h, size_t len);

/*
 * udp_run_segment: add a control message to H, whose control buffer has CAP bytes: what is sent is
 * a run of datagrams of PIECE bytes.
 */
void udp_run_segment(struct msghdr *h, size_t cap, uint16_t piece);

#endif
