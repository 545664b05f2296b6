/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that each answer one request at a time, whoever asks: a disk. */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "workers.h"
#include "random.h"
#include "report.h"
#include "request_response.h"
#include "roles.h"
#include "sockets.h"

enum { CONNECTIONS_EACH = 16 }; /* that a TCP server answers at the same time */

struct server {
	const struct options *options;
	int fd;
	pthread_mutex_t disk; /* guards what follows */
	struct random random;
	uint64_t operations, bytes;
	struct series series;
};

/* One for each UDP server, CONNECTIONS_EACH for each TCP server. */
struct worker {
	struct server *server;
	union {
		struct request request;
		char bytes[MOST_MESSAGE_BYTES];
	} message;
};

static bool is_request(const struct worker *worker, size_t length)
{
	const struct request *request = &worker->message.request;
	uint32_t wanted;

	if (length < sizeof(*request) || le32toh(request->magic) != REQUEST_MAGIC)
		return false;
	wanted = le32toh(request->response_bytes);
	return wanted >= sizeof(*request) && wanted <= MOST_MESSAGE_BYTES;
}

/* Waits as long as the request takes, turns it into its response, and returns that one's length. */
static size_t serve(struct worker *worker, size_t request_bytes)
{
	struct server *server = worker->server;
	const struct options *options = server->options;
	size_t length = le32toh(worker->message.request.response_bytes);
	double service_us = options->service_us;
	unsigned int interval;

	pthread_mutex_lock(&server->disk);
	if (length > MOST_BYTES_WITHOUT_SERVICE) {
		if (options->service_exponential_us > 0)
			service_us += random_exponential(&server->random, options->service_exponential_us);
		if (service_us > 0)
			workers_sleep_until(now_ns() + ns_of(service_us * 1e-6));
	}
	server->operations++;
	server->bytes += length;
	interval = series_index(&server->series, now_ns());
	server->series.counts[SERIES_BYTES][interval] += (int64_t)length;
	server->series.counts[SERIES_OPERATIONS][interval]++;
	pthread_mutex_unlock(&server->disk);
	if (length > request_bytes)
		memset(worker->message.bytes + request_bytes, 0, length - request_bytes);
	return length;
}

static void serve_udp(struct worker *worker)
{
	int fd = worker->server->fd;

	while (!workers_stopping()) {
		union socket_address asking;
		socklen_t size = sizeof(asking);
		ssize_t got = recvfrom(fd, worker->message.bytes, sizeof(worker->message), 0,
				       &asking.any, &size);

		if (got <= 0 || !is_request(worker, (size_t)got))
			continue;
		sendto(fd, worker->message.bytes, serve(worker, (size_t)got), 0, &asking.any, size); /* what is lost is asked for again */
	}
}

static bool receive_request(struct worker *worker, int fd, size_t *length)
{
	const size_t least = sizeof(struct request);

	if (recv(fd, worker->message.bytes, least, MSG_WAITALL) != (ssize_t)least || !is_request(worker, least))
		return false;
	*length = le32toh(worker->message.request.request_bytes);
	if (!*length)
		*length = least;
	if (*length < least || *length > MOST_MESSAGE_BYTES)
		return false;
	return *length == least || recv(fd, worker->message.bytes + least, *length - least, MSG_WAITALL) ==
					   (ssize_t)(*length - least);
}

static bool send_whole(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t sent = send(fd, bytes, length, 0);

		if (sent <= 0)
			return false;
		bytes += sent;
		length -= (size_t)sent;
	}
	return true;
}

static void serve_tcp(struct worker *worker)
{
	while (!workers_stopping()) {
		int fd = accept(worker->server->fd, NULL, NULL);
		size_t length;

		if (fd < 0)
			continue;
		workers_add_socket(fd);
		while (receive_request(worker, fd, &length))
			if (!send_whole(fd, worker->message.bytes, serve(worker, length)))
				break;
		workers_close(fd);
	}
}

static void work(void *one)
{
	struct worker *worker = one;

	if (worker->server->options->tcp)
		serve_tcp(worker);
	else
		serve_udp(worker);
}

static bool open_servers(const struct options *options, struct server *servers, uint64_t begun)
{
	unsigned int i;

	for (i = 0; i < options->servers; i++) {
		servers[i].options = options;
		servers[i].random = random_of(options->seed, i);
		pthread_mutex_init(&servers[i].disk, NULL);
		series_begin(&servers[i].series, begun);
		servers[i].fd = socket_listen(options->tcp, &options->bind, (uint16_t)(options->port + i), 0);
		if (servers[i].fd < 0)
			return false;
		if (!options->tcp)
			socket_enlarge(servers[i].fd, SO_SNDBUFFORCE, SO_SNDBUF);
	}
	return true;
}

static bool report(const struct options *options, struct server *servers, uint64_t begun)
{
	uint64_t operations = 0, bytes = 0;
	unsigned int i;

	for (i = 0; i < options->servers; i++) {
		operations += servers[i].operations;
		bytes += servers[i].bytes;
		if (i)
			series_merge(&servers[0].series, &servers[i].series);
	}
	report_begin("request-response server");
	report_time(begun, now_ns());
	report_whole("bytes", bytes);
	report_whole("operations", operations);
	report_series(&servers[0].series, NULL);
	return report_end();
}

bool request_server_run(const struct options *options)
{
	unsigned int i, count = (unsigned int)options->servers * (options->tcp ? CONNECTIONS_EACH : 1);
	struct server *servers = calloc(options->servers, sizeof(*servers));
	struct worker *workers = calloc(count, sizeof(*workers));
	uint64_t begun = now_ns();
	bool fine = servers && workers && open_servers(options, servers, begun);

	for (i = 0; fine && i < count; i++)
		workers[i].server = &servers[i % options->servers];
	if (fine) {
		fine = workers_run(work, workers, sizeof(*workers), count,
				options->duration_s > 0 ? begun + ns_of(options->duration_s) : 0);
		fine &= report(options, servers, begun);
	}
	free(workers);
	free(servers);
	return fine;
}
