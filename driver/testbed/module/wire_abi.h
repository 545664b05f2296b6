/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * What the testbed's module wire and wire-control agree on: the far end of the cable, and the declared cost of an interrupt.
 *
 * All times are the guest's own, that is, dilated ones.
 */
#ifndef WIRE_ABI_H
#define WIRE_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WIRE_DEVICE "/dev/wire"
#define WIRE_MOST_HOSTS 16
#define WIRE_SERVICE_TIMES 1024
#define WIRE_NAME_BYTES 16
#define WIRE_LARGEST_MTU 8000
#define WIRE_FIRST_MAC 0x10 /* hosts have the interface's MAC address, but for the last byte: this + i */

enum wire_mode {
	WIRE_UDP = 1, /* sources that send back to back, at the link's rate */
	WIRE_TCP,     /* senders with a window and without losses, each behind a slower link of its own */
	WIRE_REQUEST_RESPONSE, /* servers that serve one request at a time and answer in one datagram */
};

struct wire_configuration {
	__u32 mode;
	__u32 hosts;
	__u32 mtu_bytes;
	__u32 port;              /* of the receiver; request/response: of the servers, port + i */
	__u32 first_source_port; /* of the senders, + i; a new one for each run, lest TCP takes it for the last one */
	__u32 link_ps_per_byte;      /* of the switch's port to the interface under test */
	__u32 host_link_ps_per_byte; /* TCP: of each sender's own link to the switch */
	__u32 poll_ns;               /* TCP, request/response: how often to look for received frames at least */
	__u32 window_bytes;          /* TCP: the most that a sender has on its way, whatever is offered to it */
	__u32 timestamps;            /* TCP: 1 with the timestamps option */
	__u32 seed;
	__u32 first_host_address; /* of host 0, + i; in network byte order, as is interface_address */
	__u32 interface_address;
	__u8 interface_mac[6];
	__u16 reserved;
	__u64 frames;      /* UDP: how many to send; 0: until stopped */
	__u32 service_ns[WIRE_SERVICE_TIMES]; /* request/response: drawn beforehand, used in turn from a place that the seed says */
};

struct wire_counters {
	__u64 sent_frames;
	__u64 sent_bytes; /* with Ethernet header, padding and frame check sequence */
	__u64 received_frames; /* of those that were meant for the hosts */
	__u64 responses;
	__u64 connections;
	__u64 retransmissions; /* times that a sender started over; 0 unless something is wrong */
	__u64 ticks;           /* of the timer that drives all */
	__u64 latest_ns;       /* how late the latest tick came */
};

/* The handler is named as in /proc/interrupts. A cost of 0 takes it back. */
struct wire_interrupt_cost {
	char handler[WIRE_NAME_BYTES];
	__u32 cost_ns;
	__u32 reserved;
};

#define WIRE_START _IOW('W', 1, struct wire_configuration)
#define WIRE_STOP _IO('W', 2)
#define WIRE_READ _IOR('W', 3, struct wire_counters)
#define WIRE_INTERRUPT_COST _IOW('W', 4, struct wire_interrupt_cost)

_Static_assert(sizeof(struct wire_configuration) == 72 + 4 * WIRE_SERVICE_TIMES, "no gaps");
_Static_assert(sizeof(struct wire_counters) == 64, "no gaps");
_Static_assert(sizeof(struct wire_interrupt_cost) == 24, "no gaps");

#endif
