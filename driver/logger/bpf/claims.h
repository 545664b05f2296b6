/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which interrupts a poll serves. */
#ifndef COALESCOPE_BPF_CLAIMS_H
#define COALESCOPE_BPF_CLAIMS_H

#include "cpus.h"

enum { NAPI_SCHEDULED = 1 << 0 };

/*
 * NAPI instances of the interface that an interrupt has scheduled. Scheduling is a claim, which the poll that follows
 * answers if it delivers a frame. A poll may be scheduled again before its end is seen, because the driver switches
 * interrupts on again just before: then its own claim is the one before. Hard interrupts write, ends of polls take away.
 */
struct queue {
	__u64 claimed_ns;        /* when the interrupt began; 0: no claim is open */
	__u64 claimed_before_ns; /* the same of the claim before, whose poll has not ended yet */
	__u64 coalesced;               /* interrupts that found it scheduled */
	__u64 taken;             /* of these, those that polls have accounted for */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64); /* struct napi_struct * */
	__type(value, struct queue);
} queues SEC(".maps");

/* Which NAPI instance an interrupt line schedules. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64); /* struct napi_struct * */
} scheduled_by SEC(".maps");

static __always_inline bool is_scheduled(const struct napi_struct *napi)
{
	return BPF_CORE_READ(napi, state) & NAPI_SCHEDULED;
}

/* NAPI is scheduled by one CPU at a time, and not before its last poll was through with its frames. */
static __always_inline void claim(const struct cpu_counters *cpu, const struct napi_struct *napi, __u64 irq)
{
	struct queue first = {.claimed_ns = cpu->hard_since_ns}, *queue;
	__u64 key = (__u64)napi, *line = bpf_map_lookup_elem(&scheduled_by, &irq);

	if (!line || *line != key)
		bpf_map_update_elem(&scheduled_by, &irq, &key, BPF_ANY);
	queue = bpf_map_lookup_elem(&queues, &key);
	if (!queue) {
		bpf_map_update_elem(&queues, &key, &first, BPF_ANY);
		return;
	}
	if (queue->claimed_ns)
		queue->claimed_before_ns = queue->claimed_ns;
	queue->claimed_ns = cpu->hard_since_ns;
}

/* The handler has run and scheduled nothing: does its NAPI wait or poll already? */
static __always_inline void count_coalesced(__u64 irq)
{
	__u64 *napi = bpf_map_lookup_elem(&scheduled_by, &irq);
	struct queue *queue = napi ? bpf_map_lookup_elem(&queues, napi) : NULL;

	if (queue && is_scheduled((const struct napi_struct *)*napi))
		queue->coalesced++;
}

/* False if an interrupt has changed it meanwhile. */
static __always_inline bool take_claim(__u64 *claim, __u64 seen)
{
	return seen && __sync_val_compare_and_swap(claim, seen, 0) == seen;
}

/*
 * Whether a claim is answered: by frames that came after it. No claim outlives the poll that it scheduled, also where the
 * end of a poll was not seen: the one before is over in any case, and the last one unless NAPI is scheduled (again), which
 * is looked at after the claim, so that a claim made meanwhile stays.
 */
static __always_inline bool answer(const struct cpu_counters *cpu, const struct napi_struct *napi, struct queue *queue)
{
	__u64 last = *(volatile __u64 *)&queue->claimed_ns, before;
	bool answered = cpu->received && cpu->first_frame_ns >= last && take_claim(&queue->claimed_ns, last);

	before = *(volatile __u64 *)&queue->claimed_before_ns;
	if (take_claim(&queue->claimed_before_ns, before) && cpu->received && cpu->first_frame_ns >= before)
		answered = true;
	if (!is_scheduled(napi))
		take_claim(&queue->claimed_ns, last);
	return answered;
}

/* Interrupts that this poll has served, if it delivered frames: at most as many as frames. */
static __always_inline __u32 served(const struct cpu_counters *cpu, const struct napi_struct *napi)
{
	__u64 key = (__u64)napi, coalesced;
	struct queue *queue = bpf_map_lookup_elem(&queues, &key);
	__u32 answered;

	if (!queue)
		return 0;
	answered = answer(cpu, napi, queue);
	coalesced = *(volatile __u64 *)&queue->coalesced - queue->taken;
	queue->taken += coalesced;
	if (coalesced > cpu->received - answered)
		coalesced = cpu->received - answered;
	return answered + coalesced;
}

#endif
