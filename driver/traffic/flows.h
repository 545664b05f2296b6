/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loss, duplicates and order of datagrams, from the numbers that their senders gave them: coalescope-traffic itself,
 * or pktgen of the kernel, which numbers all frames of a device.
 */
#ifndef FLOWS_H
#define FLOWS_H

#include <linux/types.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_MAGIC 0x436c7366u

/* What a datagram of this tool begins with if it is long enough; big-endian. */
struct flow_header {
	__be32 magic;
	__be32 flow; /* drawn anew by each stream of each source */
	__be64 sequence;
};

_Static_assert(sizeof(struct flow_header) == 16, "it fits the 18 bytes of a frame of 64");

enum { MOST_FLOWS = 2048, FLOW_SLOTS = 2 * MOST_FLOWS, REORDER_WINDOW = 1024 };

struct flow {
	struct in6_addr from;
	uint32_t id; /* 0: pktgen */
	uint64_t first, highest;
	uint64_t received, duplicates, out_of_order;
	int64_t lost;                        /* less what came late */
	uint64_t seen[REORDER_WINDOW / 64]; /* of the last numbers */
};

struct flows {
	struct flow flows[MOST_FLOWS];
	unsigned int count;
	uint16_t slots[FLOW_SLOTS]; /* place in flows + 1, 0: free */
	uint64_t unnumbered;        /* datagrams without a number */
};

/* Accounts for a datagram; returns by how much the number of lost ones grew (-1: one came late). */
int64_t flows_count(struct flows *flows, const struct in6_addr *from, const void *payload, size_t length);

/* Never negative: beyond the window, a duplicate counts as one that came late. */
uint64_t flow_lost(const struct flow *flow);

#endif
