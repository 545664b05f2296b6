/* SPDX-License-Identifier: Apache-2.0 */
/* Receives and counts. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "clock.h"
#include "flows.h"
#include "workers.h"
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
	struct flows *flows;        /* of datagrams */
	struct series series;       /* its own column: lost datagrams */
};

static void count(struct receiver *receiver, size_t length, int64_t lost)
{
	unsigned int interval;

	receiver->last_ns = now_ns();
	if (!receiver->first_ns)
		receiver->first_ns = receiver->last_ns;
	receiver->messages++;
	receiver->bytes += length;
	interval = series_index(&receiver->series, receiver->last_ns);
	receiver->series.counts[SERIES_BYTES][interval] += (int64_t)length;
	receiver->series.counts[SERIES_OPERATIONS][interval] += !receiver->options->tcp;
	receiver->series.counts[SERIES_OWN][interval] += lost;
}

static void receive_datagrams(void *worker)
{
	struct receiver *receiver = worker;

	while (!workers_stopping()) {
		const size_t room = receiver->options->read_bytes;
		union socket_address sender;
		socklen_t size = sizeof(sender);
		/* MSG_TRUNC: the datagram's length, even if the buffer is shorter */
		ssize_t got = recvfrom(receiver->fd, receiver->buffer, room, MSG_TRUNC, &sender.any, &size);
		struct in6_addr origin;

		if (got < 0 || (!got && workers_stopping()))
			continue;
		origin = socket_origin(&sender);
		count(receiver, (size_t)got,
		      flows_count(receiver->flows, &origin, receiver->buffer, (size_t)got < room ? (size_t)got : room));
	}
}

/*
 * Linux 6.6 and later let a connection forget its clamp when they learn how full segments are, which is early: so it
 * is set again after 1, 2, 4, 8, … reads.
 */
static void keep_window(const struct receiver *receiver, int fd, uint64_t reads)
{
	const unsigned int window = (unsigned int)receiver->options->receive_window;

	if (window && !(reads & (reads - 1)) && !socket_clamp(fd, window) && !workers_stopping())
		socket_error("receive window");
}

static void receive_stream(struct receiver *receiver, int fd)
{
	uint64_t reads = 0;
	ssize_t got;

	keep_window(receiver, fd, reads);
	while ((got = recv(fd, receiver->buffer, receiver->options->read_bytes, 0)) > 0) {
		count(receiver, (size_t)got, 0);
		keep_window(receiver, fd, ++reads);
	}
	if (got < 0 && !workers_stopping())
		socket_error("a connection");
}

static void receive_streams(void *worker)
{
	struct receiver *receiver = worker;

	while (!workers_stopping()) {
		int fd = accept(receiver->fd, NULL, NULL);

		if (fd < 0)
			continue;
		workers_add_socket(fd);
		receiver->connections++;
		receive_stream(receiver, fd);
		workers_close(fd);
		if (receiver->options->connections)
			return; /* each receiver has its one */
	}
}

/* Adds them all to the first. */
static void sum(struct receiver *receivers, unsigned int number)
{
	struct receiver *all = &receivers[0];
	unsigned int i;

	for (i = 1; i < number; i++) {
		struct receiver *one = &receivers[i];

		if (one->first_ns && (!all->first_ns || one->first_ns < all->first_ns))
			all->first_ns = one->first_ns;
		if (one->last_ns > all->last_ns)
			all->last_ns = one->last_ns;
		all->messages += one->messages;
		all->bytes += one->bytes;
		all->connections += one->connections;
		series_merge(&all->series, &one->series);
	}
}

/* Of datagrams with numbers; what has none is not known to be whole. */
static void report_flows(const struct flows *flows)
{
	uint64_t lost = 0, duplicates = 0, out_of_order = 0;
	unsigned int i;

	if (flows->unnumbered)
		report_whole("unnumbered", flows->unnumbered);
	if (!flows->count)
		return;
	for (i = 0; i < flows->count; i++) {
		lost += flow_lost(&flows->flows[i]);
		duplicates += flows->flows[i].duplicates;
		out_of_order += flows->flows[i].out_of_order;
	}
	report_whole("lost", lost);
	report_whole("duplicates", duplicates);
	report_whole("out_of_order", out_of_order);
	report_list("flows");
	for (i = 0; i < flows->count; i++) {
		const struct flow *flow = &flows->flows[i];

		report_item();
		report_whole("received", flow->received);
		report_whole("lost", flow_lost(flow));
		report_whole("duplicates", flow->duplicates);
		report_whole("out_of_order", flow->out_of_order);
	}
	report_list_end();
}

static bool report(const struct receiver *all, uint32_t dropped)
{
	const bool tcp = all->options->tcp;

	report_begin(tcp ? "tcp sink" : "udp sink");
	report_time(all->first_ns, all->last_ns);
	report_whole("bytes", all->bytes);
	if (tcp) {
		report_whole("connections", all->connections);
		report_whole("reads", all->messages);
	} else {
		report_whole("operations", all->messages);
		report_whole("dropped", dropped);
		report_flows(all->flows);
	}
	report_series(&all->series, !tcp && all->flows->count ? "lost" : NULL);
	return report_end();
}

static bool receive(const struct options *options, struct receiver *receivers, unsigned int number)
{
	uint64_t until = options->duration_s > 0 ? now_ns() + ns_of(options->duration_s) : 0;
	bool fine = workers_run(options->tcp ? receive_streams : receive_datagrams, receivers, sizeof(*receivers),
				number, until);

	sum(receivers, number);
	return report(&receivers[0], options->tcp ? 0 : socket_dropped(receivers[0].fd)) && fine;
}

bool sink_run(const struct options *options)
{
	unsigned int i, number = 1;
	uint64_t begun = now_ns();
	struct receiver *receivers;
	struct flows *flows;
	char *buffers;
	bool fine;
	int fd;

	if (options->tcp)
		number = options->connections ? (unsigned int)options->connections : CONNECTIONS_AT_A_TIME;
	receivers = calloc(number, sizeof(*receivers));
	flows = calloc(1, sizeof(*flows));
	buffers = calloc(number, options->read_bytes);
	fd = socket_listen(options->tcp, &options->bind, (uint16_t)options->port,
			   (unsigned int)options->receive_window);
	for (i = 0; receivers && buffers && i < number; i++) {
		receivers[i].options = options;
		receivers[i].fd = fd;
		receivers[i].buffer = buffers + i * options->read_bytes;
		receivers[i].flows = flows;
		series_begin(&receivers[i].series, begun);
	}
	fine = receivers && flows && buffers && fd >= 0 && receive(options, receivers, number);
	free(buffers);
	free(flows);
	free(receivers);
	return fine;
}
