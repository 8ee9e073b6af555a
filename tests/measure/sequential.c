/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequential: the plainest client there is, to compare dns64bench with: it asks for the AAAA of 256
 * new names, one after another, from one socket, EXPERIMENTS times.
 *
 *	sequential ADDRESS PORT [EXPERIMENTS [RATE]]
 *
 * Without RATE, as "dns64bench closed": it sleeps until an answer comes, and prints how long 256
 * questions take. With it, as "dns64bench rate --spin": each question is due at its time, it never
 * sleeps, and it prints the median of the time from when a question was due until its answer was
 *read.
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
#define PATIENCE_MS 1000
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

/* False: no reply, or not this question's. FLAGS are recv's: with MSG_DONTWAIT it does not sleep.
 */
static int
ask(int fd, uint32_t number, int flags)
{
	uint8_t question[MESSAGE], reply[MESSAGE];
	size_t len = write_question(question, number);

	if (send(fd, question, len, 0) != (ssize_t)len)
		return 0;
	ssize_t n;
	double end = now_ms() + PATIENCE_MS;

	do
		n = recv(fd, reply, sizeof(reply), flags);
	while (n < 0 && flags != 0 && now_ms() < end);
	return n > (ssize_t)len && memcmp(reply, question, 2) == 0 && (reply[3] & 15) == 0 &&
	    reply[7] > 0 && memcmp(reply + 12, question + 12, len - 12) == 0;
}

static int
connect_to(const char *address, const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
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

static int
compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How many of them failed. */
static uint32_t
one_after_another(int fd, uint32_t experiments, int flags)
{
	double sum = 0, squares = 0, min = HUGE_VAL;
	uint32_t failed = 0;

	for (uint32_t i = 0; i < experiments; i++) {
		double begin = now_ms();

		for (uint32_t k = 0; k < QUESTIONS; k++)
			failed += !ask(fd, i * QUESTIONS + k, flags);
		double ms = now_ms() - begin;
		sum += ms;
		squares += ms * ms;
		min = fmin(min, ms);
	}
	double mean = sum / experiments;
	(void)printf("%.3f ms, deviation %.3f ms, min %.3f ms, %.0f questions/s, %u failed\n", mean,
	    sqrt(fmax(0, squares / experiments - mean * mean)), min, QUESTIONS * 1000 / mean,
	    failed);
	return failed;
}

/* RATE a second. How many of them failed. */
static uint32_t
on_time(int fd, uint32_t experiments, double rate)
{
	uint32_t n = experiments * QUESTIONS, failed = 0;
	double *rtt = malloc(n * sizeof(*rtt));
	double begin = now_ms() + 1;

	if (rtt == NULL)
		exit(EXIT_FAILURE);
	for (uint32_t i = 0; i < n; i++) {
		double due = begin + i * 1e3 / rate;

		while (now_ms() < due)
			;
		failed += !ask(fd, i, MSG_DONTWAIT);
		rtt[i] = now_ms() - due;
	}
	qsort(rtt, n, sizeof(*rtt), compare_times);
	(void)printf("%.3f us, %u failed\n", rtt[n / 2] * 1e3, failed);
	free(rtt);
	return failed;
}

int
main(int argc, char **argv)
{
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : EXPERIMENTS;
	int flags = argc > 4 ? MSG_DONTWAIT : 0;
	double rate = argc > 4 && strcmp(argv[4], "spin") != 0 ? strtod(argv[4], NULL) : 0;

	if (argc < 3 || n == 0 || n > UINT32_MAX / QUESTIONS) {
		(void)fprintf(stderr, "sequential ADDRESS PORT [EXPERIMENTS [spin | RATE]]\n");
		return 2;
	}
	int fd = connect_to(argv[1], argv[2]);
	uint32_t failed = rate > 0 ? on_time(fd, n, rate) : one_after_another(fd, n, flags);

	(void)close(fd);
	return failed > 0;
}
