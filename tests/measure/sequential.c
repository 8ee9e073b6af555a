/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequential: the plainest client there is, to compare "dns64bench closed" with: it asks for the
 * AAAA of 256 new names, one after another, from one socket that waits, EXPERIMENTS times, and
 * prints how long 256 questions take.
 *
 *	sequential ADDRESS PORT [EXPERIMENTS]
 */
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define QUESTIONS 256
#define EXPERIMENTS 256
#define MESSAGE 1232
#define FIRST 0x0aff0000U /* 10.255.0.0: not where dns64bench begins */

static const uint8_t zone[] = "\011dns64perf\004test";

static double
now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static size_t
write_question(uint8_t out[static MESSAGE], uint32_t number)
{
	uint8_t head[12] = { (uint8_t)(number >> 8), (uint8_t)number, 1, 0, 0, 1 };
	uint32_t v4 = FIRST + number;
	char label[16];

	(void)snprintf(label, sizeof(label), "%03u-%03u-%03u-%03u", v4 >> 24 & 255, v4 >> 16 & 255,
	    v4 >> 8 & 255, v4 & 255);
	memcpy(out, head, sizeof(head));
	out[12] = 15;
	memcpy(out + 13, label, 15);
	memcpy(out + 28, zone, sizeof(zone));
	memcpy(out + 28 + sizeof(zone), "\0\034\0\001", 4);
	return 28 + sizeof(zone) + 4;
}

/* False: no reply, or not this question's. */
static int
ask(int fd, uint32_t number)
{
	uint8_t question[MESSAGE], reply[MESSAGE];
	size_t len = write_question(question, number);

	if (send(fd, question, len, 0) != (ssize_t)len)
		return 0;
	ssize_t n = recv(fd, reply, sizeof(reply), 0);
	return n > (ssize_t)len && memcmp(reply, question, 2) == 0 && (reply[3] & 15) == 0 &&
	    reply[7] > 0 && memcmp(reply + 12, question + 12, len - 12) == 0;
}

static int
connect_to(const char *address, const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = 1 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	to.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
	if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		perror(address);
		exit(EXIT_FAILURE);
	}
	return fd;
}

int
main(int argc, char **argv)
{
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : EXPERIMENTS, failed = 0;
	double sum = 0, squares = 0, min = HUGE_VAL;

	if (argc < 3 || n == 0) {
		(void)fprintf(stderr, "sequential ADDRESS PORT [EXPERIMENTS]\n");
		return 2;
	}
	int fd = connect_to(argv[1], argv[2]);
	for (uint32_t i = 0; i < n; i++) {
		double begin = now_ms();

		for (uint32_t k = 0; k < QUESTIONS; k++)
			failed += !ask(fd, i * QUESTIONS + k);
		double ms = now_ms() - begin;
		sum += ms;
		squares += ms * ms;
		min = fmin(min, ms);
	}
	double mean = sum / n;
	(void)printf("%.3f ms, deviation %.3f ms, min %.3f ms, %.0f questions/s, %u failed\n", mean,
	    sqrt(fmax(0, squares / n - mean * mean)), min, QUESTIONS * 1000 / mean, failed);
	(void)close(fd);
	return failed > 0;
}
