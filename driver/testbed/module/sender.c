// SPDX-License-Identifier: GPL-2.0
/*
 * TCP senders that always have something to send: a window, slow start up to it, and a link of their own that is slower
 * than the port. Nothing is lost between them and the interface, so they need no recovery; one that hears nothing for long
 * starts over from what was acknowledged, and counts it.
 */
#include <linux/tcp.h>
#include <net/tcp.h>

#include "hosts.h"

#define SYN_AGAIN_NS (100 * NSEC_PER_MSEC)
#define START_OVER_NS (2ull * NSEC_PER_SEC)
#define FIRST_WINDOW_SEGMENTS 2

void sender_start(struct peer *peer, struct host *host)
{
	struct sender *sender = &host->sender;

	sender->acknowledged = sender->taken = sender->sent = peer_random(peer);
}

static bool window_allows(const struct peer *peer, const struct sender *sender)
{
	u32 on_its_way = sender->taken - sender->acknowledged;
	u32 window = min3(sender->congestion_window, sender->offered_window,
			  peer->configuration.window_bytes);

	return sender->state == SENDER_ESTABLISHED &&
	       on_its_way + sender_segment_bytes(peer) <= window;
}

/* The host's own link takes the next segment if it is free and the window allows. */
static void feed_link(const struct peer *peer, struct sender *sender, u64 at)
{
	const struct wire_configuration *configuration = &peer->configuration;

	if (sender->link_busy || !window_allows(peer, sender))
		return;
	sender->link_busy = true;
	sender->link_free_ns =
		max(at, sender->link_free_ns) +
		transmission_ns(configuration->mtu_bytes, configuration->host_link_ps_per_byte);
	sender->taken += sender_segment_bytes(peer);
}

static void start_over(struct peer *peer, struct sender *sender, u64 now)
{
	peer->counters.retransmissions++;
	sender->taken = sender->sent = sender->acknowledged;
	sender->link_busy = false;
	sender->progress_ns = now;
}

void sender_advance(struct peer *peer, struct host *host, u64 now)
{
	struct sender *sender = &host->sender;
	u64 silence = now - sender->progress_ns;

	if (sender->state <= SENDER_SYN_SENT && silence > SYN_AGAIN_NS) {
		sender->state = SENDER_SYN_SENT;
		sender->owes_syn = true;
		sender->progress_ns = now;
	}
	if (sender->state == SENDER_ESTABLISHED && sender->acknowledged != sender->taken &&
	    silence > START_OVER_NS && !sender->in_switch)
		start_over(peer, sender, now);
	while (sender->link_busy && sender->link_free_ns <= now) {
		sender->link_busy = false;
		sender->in_switch++;
		feed_link(peer, sender, sender->link_free_ns);
	}
}

bool sender_has_frame(struct host *host, enum frame_kind *kind)
{
	struct sender *sender = &host->sender;

	if (sender->owes_syn) {
		sender->owes_syn = false;
		*kind = FRAME_SYN;
	} else if (sender->owes_ack) {
		sender->owes_ack = false;
		*kind = FRAME_ACK;
	} else if (sender->in_switch) {
		sender->in_switch--;
		*kind = FRAME_SEGMENT;
	} else {
		return false;
	}
	return true;
}

static void read_timestamp(struct sender *sender, const struct tcphdr *tcp)
{
	const u8 *option = (const u8 *)(tcp + 1), *end = (const u8 *)tcp + tcp->doff * 4;

	while (option < end && *option != TCPOPT_EOL) {
		if (*option == TCPOPT_NOP) {
			option++;
			continue;
		}
		if (option + 1 >= end || option[1] < 2 || option + option[1] > end)
			return;
		if (*option == TCPOPT_TIMESTAMP && option[1] == TCPOLEN_TIMESTAMP)
			sender->echoed_timestamp = get_unaligned_be32(option + 2);
		option += option[1];
	}
}

static void establish(struct peer *peer, struct sender *sender, const struct tcphdr *tcp, u64 now)
{
	sender->state = SENDER_ESTABLISHED;
	sender->receiver_sequence = ntohl(tcp->seq) + 1;
	sender->acknowledged = sender->taken = sender->sent = ntohl(tcp->ack_seq);
	sender->congestion_window = FIRST_WINDOW_SEGMENTS * sender_segment_bytes(peer);
	sender->owes_ack = true;
	sender->progress_ns = now;
	peer->counters.connections++;
}

static void take_acknowledgement(struct peer *peer, struct sender *sender, u32 acknowledged, u64 now)
{
	if ((s32)(acknowledged - sender->acknowledged) <= 0)
		return;
	sender->acknowledged = acknowledged;
	sender->progress_ns = now;
	if (sender->congestion_window < peer->configuration.window_bytes)
		sender->congestion_window += sender_segment_bytes(peer);
}

void sender_received(struct peer *peer, struct host *host, const struct iphdr *ip,
		     unsigned int bytes, u64 now)
{
	const struct tcphdr *tcp = (const void *)ip + sizeof(*ip);
	struct sender *sender = &host->sender;

	if (ip->protocol != IPPROTO_TCP || bytes < sizeof(*ip) + sizeof(*tcp) ||
	    bytes < sizeof(*ip) + tcp->doff * 4 ||
	    ntohs(tcp->dest) != (u16)(peer->configuration.first_source_port + host->number))
		return;
	if (peer->configuration.timestamps)
		read_timestamp(sender, tcp);
	if (tcp->rst)
		sender->state = SENDER_RESET;
	else if (sender->state == SENDER_SYN_SENT && tcp->syn && tcp->ack)
		establish(peer, sender, tcp, now);
	if (sender->state != SENDER_ESTABLISHED)
		return;
	sender->offered_window = ntohs(tcp->window); /* not scaled: the SYN offered no scaling */
	take_acknowledgement(peer, sender, ntohl(tcp->ack_seq), now);
	feed_link(peer, sender, now);
}

u64 sender_next_ns(const struct host *host, u64 otherwise)
{
	return host->sender.link_busy ? min(host->sender.link_free_ns, otherwise) : otherwise;
}
