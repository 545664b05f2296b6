// SPDX-License-Identifier: GPL-2.0
/* Frames as the hosts send them: headers by hand, zeros behind. */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/tcp.h>

#include "hosts.h"

#define TIME_TO_LIVE 64
#define SENDER_WINDOW 65000
#define TIMESTAMP_OPTION_BYTES 12
#define MSS_OPTION_BYTES 4
#define PUSH_EVERY_BYTES 16384

struct headers {
	struct ethhdr ethernet;
	struct iphdr ip;
	union {
		struct udphdr udp;
		struct tcphdr tcp;
		struct {
			struct udphdr header;
			struct request_head request;
		} response;
	};
} __packed;

static u32 option_bytes(const struct peer *peer)
{
	return peer->configuration.timestamps ? TIMESTAMP_OPTION_BYTES : 0;
}

u32 sender_segment_bytes(const struct peer *peer)
{
	return peer->configuration.mtu_bytes - sizeof(struct iphdr) - sizeof(struct tcphdr) -
	       option_bytes(peer);
}

/* Offsets of fragments are counted in 8 bytes. */
u32 server_fragment_bytes(const struct peer *peer)
{
	return round_down(peer->configuration.mtu_bytes - sizeof(struct iphdr), 8);
}

u32 frame_ip_bytes(const struct peer *peer, const struct host *host, enum frame_kind kind)
{
	const u32 tcp_bytes = sizeof(struct iphdr) + sizeof(struct tcphdr) + option_bytes(peer);
	u32 before;

	switch (kind) {
	case FRAME_SYN:
		return tcp_bytes + MSS_OPTION_BYTES;
	case FRAME_ACK:
		return tcp_bytes;
	case FRAME_FRAGMENT:
		before = host->server.fragment * server_fragment_bytes(peer);
		return sizeof(struct iphdr) +
		       min(server_fragment_bytes(peer), host->server.datagram_bytes - before);
	default:
		return peer->configuration.mtu_bytes;
	}
}

static void fill_ethernet(const struct peer *peer, const struct host *host, struct ethhdr *ethernet)
{
	ether_addr_copy(ethernet->h_dest, peer->configuration.interface_mac);
	ether_addr_copy(ethernet->h_source, peer->configuration.interface_mac);
	ethernet->h_source[5] = WIRE_FIRST_MAC + host->number;
	ethernet->h_proto = htons(ETH_P_IP);
}

static void fill_ip(const struct peer *peer, const struct host *host, struct iphdr *ip, u32 bytes,
		    u8 protocol, u16 id, u16 fragment)
{
	const struct wire_configuration *configuration = &peer->configuration;
	u32 address = ntohl((__force __be32)configuration->first_host_address) + host->number;

	*ip = (struct iphdr){
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tot_len = htons(bytes),
		.id = htons(id),
		.frag_off = htons(fragment),
		.ttl = TIME_TO_LIVE,
		.protocol = protocol,
		.saddr = htonl(address),
		.daddr = (__force __be32)configuration->interface_address,
	};
	ip->check = ip_fast_csum(ip, ip->ihl);
}

/* `bytes` of the datagram stand in memory; the rest is zeros, which do not change a checksum. */
static __sum16 checksum(const struct iphdr *ip, const void *datagram, u32 bytes, u32 whole_bytes)
{
	return csum_tcpudp_magic(ip->saddr, ip->daddr, whole_bytes, ip->protocol,
				 csum_partial(datagram, bytes, 0));
}

static void fill_udp(struct headers *headers, u16 from, __be16 to, u32 header_bytes, u32 whole_bytes)
{
	headers->udp.source = htons(from);
	headers->udp.dest = to;
	headers->udp.len = htons(whole_bytes);
	headers->udp.check = 0;
	headers->udp.check =
		checksum(&headers->ip, &headers->udp, header_bytes, whole_bytes) ?: CSUM_MANGLED_0;
}

static unsigned int fill_datagram(struct peer *peer, struct host *host, u32 ip_bytes)
{
	struct headers *headers = (struct headers *)peer->card.header;
	const struct wire_configuration *configuration = &peer->configuration;

	fill_ip(peer, host, &headers->ip, ip_bytes, IPPROTO_UDP, 0, IP_DF);
	fill_udp(headers, configuration->first_source_port + host->number, htons(configuration->port),
		 sizeof(headers->udp), ip_bytes - sizeof(headers->ip));
	return sizeof(headers->ethernet) + sizeof(headers->ip) + sizeof(headers->udp);
}

static unsigned int fill_fragment(struct peer *peer, struct host *host, u32 ip_bytes)
{
	struct headers *headers = (struct headers *)peer->card.header;
	struct server *server = &host->server;
	u32 offset = server->fragment * server_fragment_bytes(peer);
	bool more = server->fragment + 1 < server->fragments;

	fill_ip(peer, host, &headers->ip, ip_bytes, IPPROTO_UDP, server->ip_id,
		offset / 8 | (more ? IP_MF : 0));
	if (server->fragment)
		return sizeof(headers->ethernet) + sizeof(headers->ip);
	headers->response.request = server->current_request.head;
	fill_udp(headers, peer->configuration.port + host->number,
		 server->current_request.client_port, sizeof(headers->udp) + REQUEST_BYTES,
		 server->datagram_bytes);
	return sizeof(headers->ethernet) + sizeof(headers->ip) + sizeof(headers->udp) + REQUEST_BYTES;
}

static u8 *add_mss(u8 *option, const struct peer *peer)
{
	u16 mss = peer->configuration.mtu_bytes - sizeof(struct iphdr) - sizeof(struct tcphdr);

	*option++ = TCPOPT_MSS;
	*option++ = TCPOLEN_MSS;
	put_unaligned_be16(mss, option);
	return option + sizeof(mss);
}

static u8 *add_timestamps(u8 *option, const struct sender *sender)
{
	*option++ = TCPOPT_NOP;
	*option++ = TCPOPT_NOP;
	*option++ = TCPOPT_TIMESTAMP;
	*option++ = TCPOLEN_TIMESTAMP;
	put_unaligned_be32(ktime_get_ns() >> 20, option); /* about milliseconds */
	put_unaligned_be32(sender->echoed_timestamp, option + 4);
	return option + 8;
}

static bool pushes(u32 sequence, u32 bytes)
{
	return (sequence + bytes) / PUSH_EVERY_BYTES != sequence / PUSH_EVERY_BYTES;
}

static unsigned int fill_tcp(struct peer *peer, struct host *host, enum frame_kind kind, u32 ip_bytes)
{
	struct headers *headers = (struct headers *)peer->card.header;
	const struct wire_configuration *configuration = &peer->configuration;
	struct sender *sender = &host->sender;
	u8 *options = (u8 *)(&headers->tcp + 1), *end = options;
	u32 tcp_bytes = ip_bytes - sizeof(headers->ip);

	fill_ip(peer, host, &headers->ip, ip_bytes, IPPROTO_TCP, peer->next_ip_id++, IP_DF);
	headers->tcp = (struct tcphdr){
		.source = htons(configuration->first_source_port + host->number),
		.dest = htons(configuration->port),
		.window = htons(SENDER_WINDOW),
		.seq = htonl(kind == FRAME_SYN ? sender->acknowledged : sender->sent),
		.syn = kind == FRAME_SYN,
		.ack = kind != FRAME_SYN,
		.ack_seq = kind == FRAME_SYN ? 0 : htonl(sender->receiver_sequence),
	};
	if (kind == FRAME_SYN)
		end = add_mss(end, peer);
	if (configuration->timestamps)
		end = add_timestamps(end, sender);
	headers->tcp.doff = (sizeof(headers->tcp) + (end - options)) / 4;
	if (kind == FRAME_SEGMENT) {
		u32 payload = tcp_bytes - headers->tcp.doff * 4;

		headers->tcp.psh = pushes(sender->sent, payload);
		sender->sent += payload;
	}
	headers->tcp.check = checksum(&headers->ip, &headers->tcp, headers->tcp.doff * 4, tcp_bytes);
	return sizeof(headers->ethernet) + sizeof(headers->ip) + headers->tcp.doff * 4;
}

void frame_send(struct peer *peer, struct host *host, enum frame_kind kind)
{
	u32 ip_bytes = frame_ip_bytes(peer, host, kind), header_bytes;
	u32 frame_bytes = ETH_HLEN + ip_bytes;

	fill_ethernet(peer, host, (struct ethhdr *)peer->card.header);
	if (kind == FRAME_DATAGRAM)
		header_bytes = fill_datagram(peer, host, ip_bytes);
	else if (kind == FRAME_FRAGMENT)
		header_bytes = fill_fragment(peer, host, ip_bytes);
	else
		header_bytes = fill_tcp(peer, host, kind, ip_bytes);
	card_send(&peer->card, header_bytes, frame_bytes - header_bytes);
	peer->counters.sent_frames++;
	peer->counters.sent_bytes += max_t(u32, frame_bytes, ETH_ZLEN) + ETH_FCS_LEN;
}
