/* SPDX-License-Identifier: Apache-2.0 */
/* Receives and counts. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "clock.h"
#include "crew.h"
#include "report.h"
#include "roles.h"
#include "sockets.h"

enum { CONNECTIONS_AT_A_TIME = 64 }; /* where --connections does not say how many there will be */

struct receiver {
	const struct options *options;
	int fd;
	char *buffer;
	uint64_t messages, bytes, connections;
	uint64_t first_ns, last_ns; /* when something came; 0: never */
};

static void count(struct receiver *receiver, size_t length)
{
	receiver->last_ns = now_ns();
	if (!receiver->first_ns)
		receiver->first_ns = receiver->last_ns;
	receiver->messages++;
	receiver->bytes += length;
}

static void receive_datagrams(void *worker)
{
	struct receiver *receiver = worker;

	while (!crew_stopping()) {
		/* MSG_TRUNC: the datagram's length, even if the buffer is shorter */
		ssize_t got = recv(receiver->fd, receiver->buffer, receiver->options->read_bytes, MSG_TRUNC);

		if (got > 0 || (!got && !crew_stopping()))
			count(receiver, (size_t)got);
	}
}

/*
 * Linux 6.6 and later let a connection forget its clamp when they learn how full segments are, which is early: so it
 * is set again after 1, 2, 4, 8, … reads.
 */
static void keep_window(const struct receiver *receiver, int fd, uint64_t reads)
{
	const unsigned int window = (unsigned int)receiver->options->receive_window;

	if (window && !(reads & (reads - 1)) && !socket_clamp(fd, window) && !crew_stopping())
		socket_complain("receive window");
}

static void receive_stream(struct receiver *receiver, int fd)
{
	uint64_t reads = 0;
	ssize_t got;

	keep_window(receiver, fd, reads);
	while ((got = recv(fd, receiver->buffer, receiver->options->read_bytes, 0)) > 0) {
		count(receiver, (size_t)got);
		keep_window(receiver, fd, ++reads);
	}
	if (got < 0 && !crew_stopping())
		socket_complain("a connection");
}

static void receive_streams(void *worker)
{
	struct receiver *receiver = worker;

	while (!crew_stopping()) {
		int fd = accept(receiver->fd, NULL, NULL);

		if (fd < 0)
			continue;
		crew_watch(fd);
		receiver->connections++;
		receive_stream(receiver, fd);
		crew_close(fd);
		if (receiver->options->connections)
			return; /* each receiver has its one */
	}
}

static struct receiver sum(const struct receiver *receivers, unsigned int number)
{
	struct receiver all = {0};
	unsigned int i;

	for (i = 0; i < number; i++) {
		const struct receiver *one = &receivers[i];

		if (one->first_ns && (!all.first_ns || one->first_ns < all.first_ns))
			all.first_ns = one->first_ns;
		if (one->last_ns > all.last_ns)
			all.last_ns = one->last_ns;
		all.messages += one->messages;
		all.bytes += one->bytes;
		all.connections += one->connections;
	}
	return all;
}

static bool report(const struct options *options, const struct receiver *all, uint32_t dropped)
{
	report_begin(options->tcp ? "tcp sink" : "udp sink");
	report_real("seconds", (double)(all->last_ns - all->first_ns) / NS_PER_S);
	report_whole("bytes", all->bytes);
	if (options->tcp) {
		report_whole("connections", all->connections);
		report_whole("reads", all->messages);
	} else {
		report_whole("operations", all->messages);
		report_whole("dropped", dropped);
	}
	return report_end();
}

static bool receive(const struct options *options, struct receiver *receivers, unsigned int number)
{
	uint64_t until = options->duration_s > 0 ? now_ns() + ns_of(options->duration_s) : 0;
	struct receiver all;
	bool fine = crew_run(options->tcp ? receive_streams : receive_datagrams, receivers, sizeof(*receivers), number,
			     until);

	all = sum(receivers, number);
	return report(options, &all, options->tcp ? 0 : socket_dropped(receivers[0].fd)) && fine;
}

bool sink_run(const struct options *options)
{
	unsigned int i, number = 1;
	struct receiver *receivers;
	char *buffers;
	bool fine;
	int fd;

	if (options->tcp)
		number = options->connections ? (unsigned int)options->connections : CONNECTIONS_AT_A_TIME;
	receivers = calloc(number, sizeof(*receivers));
	buffers = calloc(number, options->read_bytes);
	fd = socket_listen(options->tcp, (uint16_t)options->port, (unsigned int)options->receive_window);
	for (i = 0; receivers && buffers && i < number; i++)
		receivers[i] = (struct receiver){
			.options = options, .fd = fd, .buffer = buffers + i * options->read_bytes};
	fine = receivers && buffers && fd >= 0 && receive(options, receivers, number);
	free(buffers);
	free(receivers);
	return fine;
}
