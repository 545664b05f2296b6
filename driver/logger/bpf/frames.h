/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many frames an skb is on the wire, and how many bytes they have with link header and frame check sequence. An skb
 * larger than a frame (segmentation left to the interface, or frames merged by it) stands for frames that all repeat its
 * headers.
 */
#ifndef COALESCOPE_BPF_FRAMES_H
#define COALESCOPE_BPF_FRAMES_H

enum { ETHERNET_HEADER = 14, SHORTEST_FRAME = 60, FRAME_CHECK = 4, VLAN_TAG = 4 };
enum { UDP_HEADER = 8, TCP_HEADER = 20, IPV4_HEADER = 20, IPV6_HEADER = 40 };
enum { ETHERTYPE_IPV6 = 0x86dd };
enum { NOT_SET = 0xffff, TCP_FLAGS_AT = 12 };
/* SKB_GSO_TCPV4, SKB_GSO_TCPV6 */
enum { GSO_TCP = 1 << 0 | 1 << 4 };

struct frames {
	__u64 packets;
	__u64 bytes;
};

static __always_inline __u16 big_endian(__u16 value)
{
	return (__u16)(value << 8 | value >> 8);
}

static __always_inline __u8 byte_at(const unsigned char *address)
{
	__u8 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), address);
	return value;
}

static __always_inline __u32 tcp_header_at(const unsigned char *address)
{
	__u32 length = (byte_at(address + TCP_FLAGS_AT) >> 4) * 4;

	return length < TCP_HEADER ? TCP_HEADER : length;
}

/* On the way out the stack has noted where the innermost transport header is. */
static __always_inline __u32 transmitted_headers(const struct sk_buff *skb, __u32 gso_type)
{
	__u32 transport = BPF_CORE_READ_BITFIELD_PROBED(skb, encapsulation) ? skb->inner_transport_header
									    : skb->transport_header;
	__u32 before = transport - (__u32)(skb->data - skb->head);

	return before + (gso_type & GSO_TCP ? tcp_header_at(skb->head + transport) : UDP_HEADER);
}

/*
 * On the way in nothing is noted yet: the network header is where the data begins. Headers of which the linear part holds
 * too little are taken to have no options.
 */
static __always_inline __u32 received_headers(const struct sk_buff *skb, __u32 link, __u32 gso_type)
{
	bool tcp = gso_type & GSO_TCP;
	__u32 linear = skb->len - skb->data_len;
	__u32 network = big_endian(skb->protocol) == ETHERTYPE_IPV6 ? IPV6_HEADER : IPV4_HEADER;

	if (network == IPV4_HEADER && linear >= IPV4_HEADER)
		network = (byte_at(skb->data) & 15) * 4;
	if (!tcp)
		return link + network + UDP_HEADER;
	return link + network +
	       (linear >= network + TCP_HEADER ? tcp_header_at(skb->data + network) : (__u32)TCP_HEADER);
}

static __always_inline __u64 wire_bytes(__u64 length)
{
	return (length < SHORTEST_FRAME ? SHORTEST_FRAME : length) + FRAME_CHECK;
}

/* `length` with link header, `headers` of it repeated in each frame with up to `size` bytes of the rest. */
static __always_inline struct frames segmented(__u32 length, __u32 headers, __u32 size)
{
	__u32 payload = length > headers ? length - headers : 0;
	struct frames frames;

	frames.packets = (payload + size - 1) / size;
	if (frames.packets <= 1) {
		frames.packets = 1;
		frames.bytes = wire_bytes(length);
		return frames;
	}
	frames.bytes = (frames.packets - 1) * wire_bytes(headers + size) +
		       wire_bytes(headers + payload - (frames.packets - 1) * size);
	return frames;
}

/* A tag beside the data is on the wire as well. The skb's own members are read directly: each probe read is a call. */
static __always_inline __u32 tag_beside(const struct sk_buff *skb)
{
	const struct sk_buff___tag_bit *bit = (const void *)skb;
	const struct sk_buff___tag_words *words = (const void *)skb;
	bool tagged = false;

	if (bpf_core_field_exists(bit->vlan_present))
		tagged = BPF_CORE_READ_BITFIELD(bit, vlan_present);
	else if (bpf_core_field_exists(words->vlan_all))
		tagged = words->vlan_all != 0;
	return tagged ? VLAN_TAG : 0;
}

static __always_inline struct skb_shared_info *shared_info(const struct sk_buff *skb)
{
	return (struct skb_shared_info *)(skb->head + skb->end);
}

static __always_inline struct frames received_frames(const struct sk_buff *skb)
{
	struct skb_shared_info *shared = shared_info(skb);
	__u32 link = skb->mac_header == NOT_SET ? ETHERNET_HEADER
						: (__u32)(skb->data - skb->head) - skb->mac_header;
	__u32 size = BPF_CORE_READ(shared, gso_size), tag = tag_beside(skb), length = skb->len + link + tag;

	if (!size)
		return (struct frames){.packets = 1, .bytes = wire_bytes(length)};
	return segmented(length, received_headers(skb, link, BPF_CORE_READ(shared, gso_type)) + tag, size);
}

static __always_inline struct frames transmitted_frames(const struct sk_buff *skb)
{
	struct skb_shared_info *shared = shared_info(skb);
	__u32 size = BPF_CORE_READ(shared, gso_size), tag = tag_beside(skb), length = skb->len + tag;

	if (!size)
		return (struct frames){.packets = 1, .bytes = wire_bytes(length)};
	return segmented(length, transmitted_headers(skb, BPF_CORE_READ(shared, gso_type)) + tag, size);
}

#endif
