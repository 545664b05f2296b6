// SPDX-License-Identifier: GPL-2.0
/*
 * Frames as they are on the wire: before generic receive offload joins them, after segmentation by the device.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/busy_poll.h>

#include "frames.h"
#include "interrupts.h"
#include "monitored.h"

/* Where the transport header of a received frame begins whose headers the stack has not looked at yet. */
static int find_transport(const struct sk_buff *skb)
{
	struct iphdr buffer;
	const struct iphdr *header = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);

	if (!header)
		return 0;
	return header->version == 4 ? header->ihl * 4 : (int)sizeof(struct ipv6hdr);
}

static unsigned int transport_header_bytes(const struct sk_buff *skb, int at)
{
	struct tcphdr buffer;
	const struct tcphdr *header;

	if (!skb_is_gso_tcp(skb))
		return sizeof(struct udphdr);
	header = skb_header_pointer(skb, at, sizeof(buffer), &buffer);
	return header ? header->doff * 4 : sizeof(struct tcphdr);
}

/* The headers from skb->data on that stand in each segment of a large packet. */
static unsigned int segment_header_bytes(const struct sk_buff *skb)
{
	int at;

	if (skb->encapsulation && skb->inner_transport_header)
		at = skb_inner_transport_offset(skb);
	else if (skb_transport_header_was_set(skb) && skb_transport_offset(skb) > 0)
		at = skb_transport_offset(skb);
	else
		at = find_transport(skb);
	return at + transport_header_bytes(skb, at);
}

/* A frame shorter than the shortest is padded, by the sender's device. */
static unsigned int padding(unsigned int bytes)
{
	return bytes < ETH_ZLEN ? ETH_ZLEN - bytes : 0;
}

/*
 * A large packet: to be cut by the device (TSO), or joined by it (LRO, or a virtual device's). Devices that give no
 * number of segments have cut, or will cut, at gso_size.
 */
static struct frames gso_frames(const struct sk_buff *skb, unsigned int link_bytes)
{
	unsigned int size = skb_shinfo(skb)->gso_size;
	unsigned int headers = segment_header_bytes(skb);
	unsigned int payload = skb->len > headers ? skb->len - headers : 0;
	unsigned int count = skb_shinfo(skb)->gso_segs ?: DIV_ROUND_UP(payload, size);
	unsigned int last;

	if (!count)
		count = 1;
	headers += link_bytes;
	last = payload > (count - 1) * size ? payload - (count - 1) * size : 0;
	return (struct frames){
		.packets = count,
		.bytes = payload + (u64)count * (headers + ETH_FCS_LEN) + padding(headers + last),
	};
}

/* link_bytes: of the link header in front of skb->data, and of a tag that the device takes out or puts in. */
static struct frames wire_frames(const struct sk_buff *skb, unsigned int link_bytes)
{
	unsigned int bytes = link_bytes + skb->len;

	if (skb_is_gso(skb))
		return gso_frames(skb, link_bytes);
	return (struct frames){ .packets = 1, .bytes = bytes + padding(bytes) + ETH_FCS_LEN };
}

/* eth_type_trans() has pulled it. */
static unsigned int link_header_bytes(const struct sk_buff *skb)
{
	return skb_mac_header_was_set(skb) ? skb->data - skb_mac_header(skb) : ETH_HLEN;
}

static bool leaves_fcs(const struct net_device *device)
{
	return device->features & NETIF_F_RXFCS;
}

static struct frames received(const struct sk_buff *skb)
{
	unsigned int tag_bytes = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	struct frames frames = wire_frames(skb, link_header_bytes(skb) + tag_bytes);

	if (unlikely(leaves_fcs(skb->dev)))
		frames.bytes -= frames.packets * ETH_FCS_LEN;
	return frames;
}

static noinline void add_received(struct frames *sum, const struct sk_buff *skb)
{
	struct frames frames = received(skb);

	add_frames(sum, &frames);
}

/*
 * Adds a usual frame to the batch that it belongs to, in as few instructions as can be. Polls do not interrupt each other,
 * so that the batch does not change meanwhile.
 */
static __always_inline bool joins_poll_batch(const struct sk_buff *skb)
{
	u64 frame;

	if (skb->dev != this_cpu_read(coalescope_cpu_state.batch.device) || skb_is_gso(skb))
		return false;
	frame = this_cpu_read(coalescope_cpu_state.batch.empty_frame) + skb->len;
	if (unlikely(skb_vlan_tag_present(skb)))
		frame += VLAN_HLEN;
	this_cpu_add(coalescope_cpu_state.batch.frames,
		     max(frame, this_cpu_read(coalescope_cpu_state.batch.shortest_frame)));
	return true;
}

/* The first frame of a poll tells whose the others are. Only where the end of the poll will be seen. */
static bool begins_poll_batch(struct cpu_state *cpu, struct monitor *monitor, unsigned int q,
			      const struct sk_buff *skb)
{
	u64 frame = BATCH_PACKET + (leaves_fcs(skb->dev) ? 0 : ETH_FCS_LEN);

	if (skb_is_gso(skb) ||
	    (cpu->context.kind != CPU_CONTEXT_NET_RX && cpu->context.kind != CPU_CONTEXT_NAPI_THREAD))
		return false;
	end_poll_batch(cpu);
	cpu->batch = (struct poll_batch){
		.device = skb->dev,
		.monitor = monitor,
		.queue = q,
		.empty_frame = frame + link_header_bytes(skb),
		.shortest_frame = frame + ETH_ZLEN,
	};
	return true;
}

static int queue_of_frame(const struct monitor *monitor, const struct sk_buff *skb, unsigned int hint)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	if (skb->napi_id >= MIN_NAPI_ID)
		return find_queue_by_id(monitor, skb->napi_id, hint);
#endif
	/* Not every driver marks its frames; where there is one NAPI only, they are its. */
	return known_queues(monitor) == 1 ? 0 : -1;
}

static void count_by_queue(struct cpu_state *cpu, struct monitor *monitor,
			   struct interface_counters *counters, const struct sk_buff *skb)
{
	int q = queue_of_frame(monitor, skb, counters->queue);

	counters->delivered = true;
	if (q < 0) {
		add_received(&counters->unassigned, skb);
		return;
	}
	counters->queue = q;
	answer_claim(counters, &monitor->queues[q], q);
	if (begins_poll_batch(cpu, monitor, q, skb))
		joins_poll_batch(skb);
	else
		add_received(&counters->queues[q].rx, skb);
}

static __always_inline void count_received(const struct sk_buff *skb, bool by_napi)
{
	struct monitor *monitor = monitor_of(skb->dev);
	struct interface_counters *counters;
	struct cpu_state *cpu;
	unsigned long flags;

	if (!monitor)
		return;
	cpu = begin_update(&flags);
	counters = this_cpu_ptr(monitor->counters);
	if (by_napi)
		count_by_queue(cpu, monitor, counters, skb);
	else
		add_received(&counters->rx, skb);
	end_update(flags);
}

/* Of the same form as the probe, whose call becomes a jump. */
static noinline __noclone void on_first_frame(void *data, const struct sk_buff *skb)
{
	count_received(skb, true);
}

void on_napi_frame(void *data, const struct sk_buff *skb)
{
	if (!joins_poll_batch(skb))
		on_first_frame(data, skb);
}

/* Frames of drivers without NAPI, and of virtual devices. */
void on_netif_rx(void *data, const struct sk_buff *skb)
{
	count_received(skb, false);
}

/* The driver may free the frame: what it is must be known before. */
void on_start_xmit(void *data, const struct sk_buff *skb, const struct net_device *device)
{
	struct monitor *monitor = monitor_of(device);

	if (monitor)
		this_cpu_ptr(monitor->counters)->sending =
			wire_frames(skb, skb_vlan_tag_present(skb) ? VLAN_HLEN : 0);
}

void on_xmit(void *data, struct sk_buff *skb, int result, struct net_device *device,
	     unsigned int bytes)
{
	struct monitor *monitor = monitor_of(device);
	struct interface_counters *counters;
	unsigned long flags;

	if (!monitor || !dev_xmit_complete(result))
		return;
	begin_update(&flags);
	counters = this_cpu_ptr(monitor->counters);
	add_frames(&counters->tx, &counters->sending);
	end_update(flags);
}
