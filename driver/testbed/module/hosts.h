/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hosts, each with a link to a switch, and the switch's port to the interface under test.
 *
 * Frames leave the port one at a time: one that begins at t arrives, whole, at t + (MAC frame + 20 bytes) × link_ps_per_byte.
 * Hosts with a frame to send take turns. All happens in one timer, in hard interrupt context: other hosts cost the guest
 * almost nothing, and keep their schedule whatever the interface under test does.
 */
#ifndef WIRE_HOSTS_H
#define WIRE_HOSTS_H

#include <linux/hrtimer.h>
#include <linux/ip.h>
#include <linux/types.h>

#include "card.h"
#include "wire_abi.h"

#define MOST_REQUESTS 64
#define REQUEST_BYTES 120
#define REQUEST_MAGIC 0x52513132u /* driver/traffic/request_response.h */

enum frame_kind { FRAME_DATAGRAM, FRAME_SYN, FRAME_ACK, FRAME_SEGMENT, FRAME_FRAGMENT };

enum sender_state { SENDER_CLOSED, SENDER_SYN_SENT, SENDER_ESTABLISHED, SENDER_RESET };

/* TCP without losses: slow start up to the window, no retransmission but for a last resort. */
struct sender {
	enum sender_state state;
	bool owes_ack;   /* of the three-way handshake */
	bool owes_syn;
	bool link_busy;  /* a segment is on the host's own link … */
	u64 link_free_ns; /* … until then */
	u32 in_switch;   /* segments that wait for the port */
	u32 acknowledged, taken, sent; /* sequence numbers: by the receiver, to the link, out of the port */
	u32 receiver_sequence;
	u32 offered_window, congestion_window;
	u32 echoed_timestamp;
	u64 progress_ns; /* of the last time that something was acknowledged, or a SYN was sent */
};

struct request_head {
	__le32 magic, id, response_bytes, request_bytes;
	u8 padding[REQUEST_BYTES - 16];
};

struct request {
	struct request_head head;
	__be16 client_port;
};

/* First come, first served, one at a time, as a disk does. */
struct server {
	struct request waiting[MOST_REQUESTS];
	u32 first, count;
	bool serving;
	u64 served_ns;
	struct request current_request;
	u32 datagram_bytes; /* of the response that leaves: UDP header and payload */
	u32 fragment, fragments; /* the next, and how many; 0: none leaves */
	u16 ip_id;
};

struct host {
	unsigned int number;
	struct sender sender;
	struct server server;
};

struct peer {
	struct wire_configuration configuration;
	struct wire_counters counters;
	struct card card;
	struct hrtimer timer;
	struct host hosts[WIRE_MOST_HOSTS];
	bool running;
	u32 random;
	u64 frames_left;      /* UDP */
	u32 next_service;     /* index of service_ns */
	u16 next_ip_id;
	/* the port */
	bool port_busy;
	u64 port_free_ns;
	struct host *sending_host;
	enum frame_kind sending;
	unsigned int last_turn;
};

static inline u64 transmission_ns(u32 ip_bytes, u32 ps_per_byte)
{
	const u32 least_ip_bytes = 46, ethernet_bytes = 38; /* header, FCS, preamble and gap */

	return (u64)(max(ip_bytes, least_ip_bytes) + ethernet_bytes) * ps_per_byte / 1000;
}

/* Numerical Recipes' linear congruential generator: start phases and sequence numbers need no better. */
static inline u32 peer_random(struct peer *peer)
{
	peer->random = peer->random * 1664525u + 1013904223u;
	return peer->random;
}

/* frames.c */
u32 frame_ip_bytes(const struct peer *peer, const struct host *host, enum frame_kind kind);
void frame_send(struct peer *peer, struct host *host, enum frame_kind kind);
u32 sender_segment_bytes(const struct peer *peer);
u32 server_fragment_bytes(const struct peer *peer);

/* sender.c */
void sender_start(struct peer *peer, struct host *host);
void sender_advance(struct peer *peer, struct host *host, u64 now);
bool sender_has_frame(struct host *host, enum frame_kind *kind);
void sender_received(struct peer *peer, struct host *host, const struct iphdr *ip,
		     unsigned int bytes, u64 now);
u64 sender_next_ns(const struct host *host, u64 otherwise);

/* server.c */
void server_advance(struct peer *peer, struct host *host, u64 now);
bool server_has_frame(struct host *host, enum frame_kind *kind);
void server_received(struct peer *peer, struct host *host, const struct iphdr *ip,
		     unsigned int bytes);
void server_fragment_sent(struct host *host);
u64 server_next_ns(const struct host *host, u64 otherwise);

#endif
