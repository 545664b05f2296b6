/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that ask and measure how long each response takes, with a few requests on their way at a time.
 *
 * A closed loop asks again when a response is there, so that during a stall it measures one long latency where
 * independent users would have had many (coordinated omission). With a rate, requests have times of their own,
 * and latencies count from these.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "terminal.h"
#include "workers.h"
#include "random.h"
#include "report.h"
#include "request_response.h"
#include "roles.h"
#include "slices.h"
#include "sockets.h"

enum {
	MOST_OUTSTANDING = 256,
	SILENT_TIMEOUTS = 3, /* in the end: then the server is gone, and not just a request lost */
};

/* One request that is on its way. */
struct slot {
	uint32_t id;
	bool taken;
	uint64_t since_ns; /* from here its latency counts */
	uint64_t sent_ns;  /* the last time */
};

struct client {
	const struct options *options;
	unsigned int index;
	int fd;
	struct slot slots[MOST_OUTSTANDING];
	unsigned int in_flight;
	uint32_t next_id;
	uint32_t answered_id; /* TCP: the response that comes next, since they come in order */
	uint64_t count_from_ns, count_until_ns;
	uint64_t due_ns, gap_ns; /* of the next request; the gap is 0 in a closed loop */
	uint64_t check_ns;       /* when to look for timeouts again */
	uint64_t last_ns;        /* when the last response came, or the first request went */
	uint64_t answers;
	uint64_t operations, bytes, timeouts, late_replies; /* that count */
	bool failed;
	struct slices latency;
	struct series series; /* also of what does not count; its own column: timeouts */
	union {
		struct request request;
		char bytes[MOST_MESSAGE_BYTES + 1];
	} request, response;
};

static bool counts(const struct client *client, uint64_t time_ns)
{
	return time_ns >= client->count_from_ns && time_ns < client->count_until_ns;
}

static uint64_t timeout_ns(const struct client *client)
{
	return ns_of(client->options->timeout_s);
}

static size_t response_bytes(const struct client *client, uint32_t id)
{
	uint64_t every = client->options->small_every;

	return every && id % every == 0 ? SMALL_RESPONSE_BYTES : client->options->response_bytes;
}

static bool fail(struct client *client, const char *what)
{
	char text[80];

	if (workers_stopping())
		return false; /* the end shut the socket down between a look and a call */
	client->failed = true;
	snprintf(text, sizeof(text), "client %u: %s", client->index + 1, what);
	socket_error(text);
	workers_fail();
	return false;
}

static void note(struct client *client, uint64_t now, enum series_column column, size_t amount)
{
	client->series.counts[column][series_index(&client->series, now)] += (int64_t)amount;
}

/* --- requests --- */

static bool send_request(struct client *client, struct slot *slot, uint64_t now)
{
	const char *bytes = client->request.bytes;
	size_t left = client->options->request_bytes;
	int refusals = 0;

	client->request.request.id = htole32(slot->id);
	client->request.request.response_bytes = htole32((uint32_t)response_bytes(client, slot->id));
	slot->sent_ns = now;
	while (left) {
		ssize_t sent = send(client->fd, bytes, left, 0);

		if (sent >= 0) {
			bytes += sent;
			left -= (size_t)sent;
		} else if (!client->options->tcp && (errno == ENOBUFS || (errno == ECONNREFUSED && refusals++))) {
			return true; /* as good as lost on the way: the timeout sends it again */
		} else if (errno != EINTR && errno != ECONNREFUSED) {
			return fail(client, "send");
		}
	}
	return true;
}

static bool ask(struct client *client, uint64_t since, uint64_t now)
{
	struct slot *slot = client->slots;

	while (slot->taken)
		slot++;
	*slot = (struct slot){.id = client->next_id++, .taken = true, .since_ns = since};
	client->in_flight++;
	return send_request(client, slot, now);
}

/* Sends what may be sent now. */
static bool ask_all(struct client *client, uint64_t now)
{
	while (client->in_flight < client->options->outstanding && client->due_ns <= now) {
		if (!ask(client, client->gap_ns ? client->due_ns : now, now))
			return false;
		client->due_ns += client->gap_ns;
	}
	return true;
}

static bool ask_again(struct client *client, uint64_t now)
{
	unsigned int i;

	client->check_ns = now + timeout_ns(client) / 4;
	for (i = 0; i < client->options->outstanding; i++) {
		struct slot *slot = &client->slots[i];

		if (!slot->taken || now - slot->sent_ns < timeout_ns(client))
			continue;
		client->timeouts += counts(client, now);
		note(client, now, SERIES_OWN, 1);
		if (client->options->tcp)
			slot->sent_ns = now; /* TCP itself sends again */
		else if (!send_request(client, slot, now))
			return false;
	}
	return true;
}

/* --- responses --- */

static void settle(struct client *client, size_t length, uint64_t now)
{
	const struct request *answered = &client->response.request;
	uint32_t id = le32toh(answered->id);
	unsigned int i;

	for (i = 0; i < client->options->outstanding; i++)
		if (client->slots[i].taken && client->slots[i].id == id)
			break;
	if (i == client->options->outstanding || length != response_bytes(client, id) ||
	    le32toh(answered->magic) != REQUEST_MAGIC) {
		client->late_replies += counts(client, now); /* the second answer to a request that was sent twice */
		return;
	}
	client->slots[i].taken = false;
	client->in_flight--;
	client->answers++;
	client->last_ns = now;
	note(client, now, SERIES_BYTES, length);
	note(client, now, SERIES_OPERATIONS, 1);
	if (!counts(client, now))
		return;
	client->operations++;
	client->bytes += length;
	slices_record(&client->latency, now, now - client->slots[i].since_ns);
}

/* In an open loop: until a response is there, or the next request is due. */
static bool response_comes_first(const struct client *client, uint64_t now)
{
	struct pollfd watched = {.fd = client->fd, .events = POLLIN};
	uint64_t wait = client->check_ns > now ? client->check_ns - now : 0;
	struct timespec timeout;

	if (client->in_flight < client->options->outstanding && client->due_ns - now < wait)
		wait = client->due_ns - now; /* after ask_all() it lies ahead */
	timeout = timespec_of(wait);
	return ppoll(&watched, 1, &timeout, NULL) > 0;
}

/* The length of a whole response, 0 if none came in time, -1 if none will come. */
static ssize_t receive(struct client *client)
{
	const bool tcp = client->options->tcp;
	size_t wanted = tcp ? response_bytes(client, client->answered_id) : sizeof(client->response);
	size_t have = 0;

	do {
		ssize_t got = recv(client->fd, client->response.bytes + have, wanted - have, tcp ? MSG_WAITALL : 0);

		if (got > 0)
			have += (size_t)got;
		else if (!got && tcp)
			errno = ECONNRESET;
		if (workers_stopping())
			return 0;
		if ((!got && tcp) || (got < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED)) {
			fail(client, "receive");
			return -1;
		}
		if (got < 0 && !have)
			return 0;
	} while (tcp && have < wanted && ask_again(client, now_ns()));
	client->answered_id += tcp;
	return (ssize_t)have;
}

/* One round: send, wait, receive. */
static bool go_on(struct client *client)
{
	uint64_t now = now_ns();
	ssize_t length;

	if (!ask_all(client, now))
		return false;
	if (!client->gap_ns || response_comes_first(client, now)) {
		length = receive(client);
		if (length < 0)
			return false;
		now = now_ns();
		if (length > 0 && !workers_stopping())
			settle(client, (size_t)length, now);
	}
	return now < client->check_ns || ask_again(client, now);
}

static void work(void *worker)
{
	struct client *client = worker;
	const struct options *options = client->options;
	unsigned int server = client->index % (unsigned int)options->servers;
	const union socket_address to =
		socket_address(options->to[server % options->to_count],
			       options->consecutive_addresses ? server : 0, (uint16_t)(options->port + server));
	/* wakes often enough to see that a response is overdue */
	double patience = options->timeout_s / 4;
	struct timeval timeout = {.tv_sec = (time_t)patience,
				  .tv_usec = (suseconds_t)((patience - (double)(time_t)patience) * 1e6)};

	client->fd = socket_connect(options->tcp, &to);
	if (client->fd < 0) {
		client->failed = true;
		workers_fail();
		return;
	}
	setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (!options->tcp)
		socket_enlarge(client->fd, SO_RCVBUFFORCE, SO_RCVBUF);
	client->last_ns = now_ns();
	client->check_ns = client->last_ns + timeout_ns(client) / 4;
	if (client->gap_ns && client->due_ns < client->last_ns)
		client->due_ns += client->last_ns - client->due_ns; /* connecting took longer than was planned */
	while (!workers_stopping() && go_on(client))
		;
	workers_close(client->fd);
}

/* --- the whole --- */

static void prepare(struct client *client, const struct options *options, unsigned int index, uint64_t begun)
{
	struct random random = random_of(options->seed, index);

	client->options = options;
	client->index = index;
	client->next_id = (uint32_t)random_next(&random); /* so that small responses come at different places */
	client->answered_id = client->next_id;
	series_begin(&client->series, begun);
	client->count_from_ns = begun + ns_of(options->warmup_s);
	slices_begin(&client->latency, client->count_from_ns);
	client->count_until_ns =
		options->duration_s > 0 ? client->count_from_ns + ns_of(options->duration_s) : UINT64_MAX;
	if (options->rate_hz > 0) {
		client->gap_ns = ns_of((double)options->clients / options->rate_hz);
		client->due_ns = begun + (uint64_t)((double)client->gap_ns * random_uniform(&random));
	}
	client->request.request.magic = htole32(REQUEST_MAGIC);
	client->request.request.request_bytes = htole32((uint32_t)options->request_bytes);
}

/* How long requests have been on their way without any response, in seconds. */
static double silence(const struct client *client, uint64_t ended)
{
	uint64_t oldest = ended;
	unsigned int i;

	for (i = 0; i < client->options->outstanding; i++)
		if (client->slots[i].taken && client->slots[i].since_ns < oldest)
			oldest = client->slots[i].since_ns;
	return (double)(ended - (oldest > client->last_ns ? oldest : client->last_ns)) / NS_PER_S;
}

static bool answered(const struct client *client, uint64_t ended)
{
	double silent_s = silence(client, ended);

	if (client->failed || (client->answers && silent_s < SILENT_TIMEOUTS * client->options->timeout_s))
		return !client->failed;
	if (client->answers)
		print_line(stderr, "coalescope-traffic: client %u: the server stopped answering %.1f s before the end",
			   client->index + 1, silent_s);
	else
		print_line(stderr, "coalescope-traffic: client %u: not one response; is a server there?",
			   client->index + 1);
	return false;
}

static bool report(struct client *clients, uint64_t ended)
{
	const struct options *options = clients->options;
	struct client *all = &clients[0];
	uint64_t until = ended < all->count_until_ns ? ended : all->count_until_ns;
	unsigned int i;
	bool fine = true;

	for (i = 0; i < options->clients; i++)
		fine &= answered(&clients[i], ended);
	for (i = 1; i < options->clients; i++) {
		slices_merge(&all->latency, &clients[i].latency);
		all->operations += clients[i].operations;
		all->bytes += clients[i].bytes;
		all->timeouts += clients[i].timeouts;
		all->late_replies += clients[i].late_replies;
		series_merge(&all->series, &clients[i].series);
	}
	report_begin("request-response client");
	report_time(all->count_from_ns, until);
	report_whole("bytes", all->bytes);
	report_whole("operations", all->operations);
	report_whole("timeouts", all->timeouts);
	report_whole("late_replies", all->late_replies);
	report_whole("clients", options->clients);
	report_whole("outstanding", options->outstanding);
	report_bool("open_loop", options->rate_hz > 0);
	if (options->rate_hz > 0)
		report_real("intended_rate_hz", options->rate_hz);
	report_series(&all->series, "timeouts");
	report_latency(&all->latency);
	return report_end() && fine;
}

bool request_client_run(const struct options *options)
{
	struct client *clients = calloc(options->clients, sizeof(*clients));
	uint64_t begun = now_ns(), until = 0;
	unsigned int i;
	bool fine;

	if (!clients)
		return socket_error("clients");
	for (i = 0; i < options->clients; i++)
		prepare(&clients[i], options, i, begun);
	if (options->duration_s > 0)
		until = clients->count_until_ns + ns_of(options->cooldown_s);
	fine = workers_run(work, clients, sizeof(*clients), (unsigned int)options->clients, until);
	fine &= report(clients, now_ns());
	free(clients);
	return fine;
}
