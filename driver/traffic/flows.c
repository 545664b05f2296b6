/* SPDX-License-Identifier: Apache-2.0 */
#include "flows.h"

#include <endian.h>
#include <string.h>

#define PKTGEN_MAGIC 0xbe9be955u

struct pktgen_header {
	__be32 magic;
	__be32 sequence;
	__be32 seconds, microseconds;
};

static unsigned int slot_of(const struct in6_addr *from, uint32_t id)
{
	uint32_t hash = id, i;

	for (i = 0; i < 16; i++)
		hash = (hash ^ from->s6_addr[i]) * 16777619u;
	return (hash ^ hash >> 16) % FLOW_SLOTS;
}

/* NULL if there are too many. */
static struct flow *find(struct flows *flows, const struct in6_addr *from, uint32_t id)
{
	unsigned int slot = slot_of(from, id);
	struct flow *flow;

	for (; flows->slots[slot]; slot = (slot + 1) % FLOW_SLOTS) {
		flow = &flows->flows[flows->slots[slot] - 1];
		if (flow->id == id && !memcmp(&flow->from, from, sizeof(*from)))
			return flow;
	}
	if (flows->count == MOST_FLOWS)
		return NULL;
	flow = &flows->flows[flows->count++];
	flow->from = *from;
	flow->id = id;
	flows->slots[slot] = (uint16_t)flows->count;
	return flow;
}

/* True if that number was seen already; from now on it was. */
static bool seen(struct flow *flow, uint64_t sequence)
{
	uint64_t *word = &flow->seen[sequence / 64 % (REORDER_WINDOW / 64)], bit = (uint64_t)1 << sequence % 64;
	bool before = *word & bit;

	*word |= bit;
	return before;
}

static void forget(struct flow *flow, uint64_t from, uint64_t until)
{
	uint64_t sequence;

	if (until - from >= REORDER_WINDOW) {
		memset(flow->seen, 0, sizeof(flow->seen));
		return;
	}
	for (sequence = from; sequence < until; sequence++)
		flow->seen[sequence / 64 % (REORDER_WINDOW / 64)] &= ~((uint64_t)1 << sequence % 64);
}

static int64_t begin(struct flow *flow, uint64_t sequence)
{
	flow->first = flow->highest = sequence;
	seen(flow, sequence);
	return 0;
}

/* The one that was to come, or one after a gap. */
static int64_t advance(struct flow *flow, uint64_t sequence)
{
	int64_t gap = (int64_t)(sequence - flow->highest - 1);

	forget(flow, flow->highest + 1, sequence + 1);
	seen(flow, sequence);
	flow->highest = sequence;
	return gap;
}

/* One that should have come before. Further back than the window none is taken for a duplicate. */
static int64_t come_late(struct flow *flow, uint64_t sequence)
{
	int64_t gap = -1;

	if (flow->highest - sequence < REORDER_WINDOW && seen(flow, sequence)) {
		flow->duplicates++;
		return 0;
	}
	flow->out_of_order++;
	if (sequence < flow->first) {
		gap = (int64_t)(flow->first - sequence - 1);
		flow->first = sequence;
	}
	return gap;
}

static int64_t count(struct flow *flow, uint64_t sequence)
{
	int64_t lost;

	if (!flow->received++)
		lost = begin(flow, sequence);
	else if (sequence > flow->highest)
		lost = advance(flow, sequence);
	else
		lost = come_late(flow, sequence);
	flow->lost += lost;
	return lost;
}

/* A number of 32 bits goes on from its flow's highest. */
static uint64_t extended(const struct flow *flow, uint32_t sequence)
{
	if (!flow->received)
		return ((uint64_t)1 << 32) + sequence; /* so that an earlier one is no negative number */
	return flow->highest + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)flow->highest);
}

int64_t flows_count(struct flows *flows, const struct in6_addr *from, const void *payload, size_t length)
{
	struct flow_header header;
	struct pktgen_header pktgen;
	struct flow *flow;

	_Static_assert(sizeof(header) == sizeof(pktgen), "read alike");
	if (length >= sizeof(header)) {
		memcpy(&header, payload, sizeof(header));
		memcpy(&pktgen, payload, sizeof(pktgen));
		if (be32toh(header.magic) == FLOW_MAGIC && header.flow) {
			flow = find(flows, from, be32toh(header.flow));
			if (flow)
				return count(flow, be64toh(header.sequence));
		} else if (be32toh(pktgen.magic) == PKTGEN_MAGIC) {
			flow = find(flows, from, 0);
			if (flow)
				return count(flow, extended(flow, be32toh(pktgen.sequence)));
		}
	}
	flows->unnumbered++;
	return 0;
}

uint64_t flow_lost(const struct flow *flow)
{
	return flow->lost > 0 ? (uint64_t)flow->lost : 0;
}
