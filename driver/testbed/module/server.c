// SPDX-License-Identifier: GPL-2.0
/* Servers: a queue, one request at a time, a drawn service time for each, and an answer in as many fragments as it takes. */
#include <linux/udp.h>

#include "hosts.h"

#define MOST_RESPONSE_BYTES 8192
#define MOST_BYTES_WITHOUT_SERVICE 1000 /* answers that need no disk, as NFS attributes */

void server_received(struct peer *peer, struct host *host, const struct iphdr *ip,
		     unsigned int bytes)
{
	const struct udphdr *udp = (const void *)ip + sizeof(*ip);
	struct server *server = &host->server;
	struct request *request = &server->waiting[(server->first + server->count) % MOST_REQUESTS];

	if (ip->protocol != IPPROTO_UDP || bytes < sizeof(*ip) + sizeof(*udp) + REQUEST_BYTES ||
	    ntohs(udp->dest) != (u16)(peer->configuration.port + host->number) ||
	    server->count == MOST_REQUESTS)
		return;
	memcpy(&request->head, udp + 1, REQUEST_BYTES);
	request->client_port = udp->source;
	if (request->head.magic == cpu_to_le32(REQUEST_MAGIC))
		server->count++;
}

static u64 service_ns(struct peer *peer, u32 response_bytes)
{
	if (response_bytes <= MOST_BYTES_WITHOUT_SERVICE)
		return 0;
	return peer->configuration.service_ns[peer->next_service++ % WIRE_SERVICE_TIMES];
}

static void take_request(struct peer *peer, struct server *server, u64 now)
{
	server->current_request = server->waiting[server->first];
	server->first = (server->first + 1) % MOST_REQUESTS;
	server->count--;
	server->serving = true;
	server->served_ns = now + service_ns(peer, le32_to_cpu(server->current_request.head.response_bytes));
}

static void answer(struct peer *peer, struct server *server)
{
	u32 wanted = le32_to_cpu(server->current_request.head.response_bytes);
	u32 payload = clamp_t(u32, wanted, REQUEST_BYTES, MOST_RESPONSE_BYTES);

	server->serving = false;
	server->datagram_bytes = sizeof(struct udphdr) + payload;
	server->fragment = 0;
	server->fragments = DIV_ROUND_UP(server->datagram_bytes, server_fragment_bytes(peer));
	server->ip_id++;
	peer->counters.responses++;
}

void server_advance(struct peer *peer, struct host *host, u64 now)
{
	struct server *server = &host->server;

	if (!server->serving && !server->fragments && server->count)
		take_request(peer, server, now);
	if (server->serving && server->served_ns <= now)
		answer(peer, server);
}

bool server_has_frame(struct host *host, enum frame_kind *kind)
{
	*kind = FRAME_FRAGMENT;
	return host->server.fragments;
}

void server_fragment_sent(struct host *host)
{
	if (++host->server.fragment == host->server.fragments)
		host->server.fragments = 0;
}

u64 server_next_ns(const struct host *host, u64 otherwise)
{
	return host->server.serving ? min(host->server.served_ns, otherwise) : otherwise;
}
