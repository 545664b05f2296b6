/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that each answer one request at a time, whoever asks: a disk. */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "crew.h"
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
};

/* One for each UDP server, CONNECTIONS_EACH for each TCP server. */
struct attendant {
	struct server *server;
	union {
		struct request request;
		char bytes[MOST_MESSAGE_BYTES];
	} message;
};

static bool is_request(const struct attendant *attendant, size_t length)
{
	const struct request *request = &attendant->message.request;
	uint32_t wanted;

	if (length < sizeof(*request) || le32toh(request->magic) != REQUEST_MAGIC)
		return false;
	wanted = le32toh(request->response_bytes);
	return wanted >= sizeof(*request) && wanted <= MOST_MESSAGE_BYTES;
}

/* Waits as long as the request takes, turns it into its response, and returns that one's length. */
static size_t serve(struct attendant *attendant, size_t request_bytes)
{
	struct server *server = attendant->server;
	const struct options *options = server->options;
	size_t length = le32toh(attendant->message.request.response_bytes);
	double service_us = options->service_us;

	pthread_mutex_lock(&server->disk);
	if (length > MOST_BYTES_WITHOUT_SERVICE) {
		if (options->service_exponential_us > 0)
			service_us += random_exponential(&server->random, options->service_exponential_us);
		if (service_us > 0)
			crew_sleep_until(now_ns() + ns_of(service_us * 1e-6));
	}
	server->operations++;
	server->bytes += length;
	pthread_mutex_unlock(&server->disk);
	if (length > request_bytes)
		memset(attendant->message.bytes + request_bytes, 0, length - request_bytes);
	return length;
}

static void attend_udp(struct attendant *attendant)
{
	int fd = attendant->server->fd;

	while (!crew_stopping()) {
		struct sockaddr_in asking;
		socklen_t size = sizeof(asking);
		ssize_t got = recvfrom(fd, attendant->message.bytes, sizeof(attendant->message), 0,
				       (struct sockaddr *)&asking, &size);

		if (got <= 0 || !is_request(attendant, (size_t)got))
			continue;
		sendto(fd, attendant->message.bytes, serve(attendant, (size_t)got), 0, (struct sockaddr *)&asking,
		       size); /* what is lost is asked for again */
	}
}

static bool receive_request(struct attendant *attendant, int fd, size_t *length)
{
	const size_t least = sizeof(struct request);

	if (recv(fd, attendant->message.bytes, least, MSG_WAITALL) != (ssize_t)least || !is_request(attendant, least))
		return false;
	*length = le32toh(attendant->message.request.request_bytes);
	if (!*length)
		*length = least;
	if (*length < least || *length > MOST_MESSAGE_BYTES)
		return false;
	return *length == least || recv(fd, attendant->message.bytes + least, *length - least, MSG_WAITALL) ==
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

static void attend_tcp(struct attendant *attendant)
{
	while (!crew_stopping()) {
		int fd = accept(attendant->server->fd, NULL, NULL);
		size_t length;

		if (fd < 0)
			continue;
		crew_watch(fd);
		while (receive_request(attendant, fd, &length))
			if (!send_whole(fd, attendant->message.bytes, serve(attendant, length)))
				break;
		crew_close(fd);
	}
}

static void attend(void *worker)
{
	struct attendant *attendant = worker;

	if (attendant->server->options->tcp)
		attend_tcp(attendant);
	else
		attend_udp(attendant);
}

static bool open_servers(const struct options *options, struct server *servers)
{
	unsigned int i;

	for (i = 0; i < options->servers; i++) {
		servers[i].options = options;
		servers[i].random = random_of(options->seed, i);
		pthread_mutex_init(&servers[i].disk, NULL);
		servers[i].fd = socket_listen(options->tcp, (uint16_t)(options->port + i), 0);
		if (servers[i].fd < 0)
			return false;
		if (!options->tcp)
			socket_enlarge(servers[i].fd, SO_SNDBUFFORCE, SO_SNDBUF);
	}
	return true;
}

static bool report(const struct options *options, const struct server *servers, double seconds)
{
	uint64_t operations = 0, bytes = 0;
	unsigned int i;

	for (i = 0; i < options->servers; i++) {
		operations += servers[i].operations;
		bytes += servers[i].bytes;
	}
	report_begin("request-response server");
	report_real("seconds", seconds);
	report_whole("bytes", bytes);
	report_whole("operations", operations);
	return report_end();
}

bool request_server_run(const struct options *options)
{
	unsigned int i, count = (unsigned int)options->servers * (options->tcp ? CONNECTIONS_EACH : 1);
	struct server *servers = calloc(options->servers, sizeof(*servers));
	struct attendant *attendants = calloc(count, sizeof(*attendants));
	uint64_t begun = now_ns();
	bool fine = servers && attendants && open_servers(options, servers);

	for (i = 0; fine && i < count; i++)
		attendants[i].server = &servers[i % options->servers];
	if (fine) {
		fine = crew_run(attend, attendants, sizeof(*attendants), count,
				options->duration_s > 0 ? begun + ns_of(options->duration_s) : 0);
		fine &= report(options, servers, (double)(now_ns() - begun) / NS_PER_S);
	}
	free(attendants);
	free(servers);
	return fine;
}
