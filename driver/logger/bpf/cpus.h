/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each CPU's own counters: where they are, how they are changed, and the clocks that they keep. */
#ifndef COALESCOPE_BPF_CPUS_H
#define COALESCOPE_BPF_CPUS_H

#include "counters.h"

enum { CLOCK_TRIES = 4 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the logger makes it as many as there are CPUs */
	__type(key, __u32);
	__type(value, struct cpu_counters);
} cpus SEC(".maps");

static __always_inline struct cpu_counters *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* Between these two, all that a level of a CPU writes. */
static __always_inline void begin(bpf_u32 *sequence)
{
	*(volatile bpf_u32 *)sequence += 1;
	barrier();
}

static __always_inline void end(bpf_u32 *sequence)
{
	barrier();
	*(volatile bpf_u32 *)sequence += 1;
}

/* Time outside hard interrupts. One that comes between the two readings would be counted in one of them only. */
static __always_inline __u64 soft_clock(const struct cpu_counters *cpu)
{
	const volatile bpf_u64 *hard_total_ns = &cpu->hard_total_ns;
	__u64 before = *hard_total_ns, now = bpf_ktime_get_ns();
	int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		__u64 after = *hard_total_ns;

		if (after == before)
			break;
		before = after;
		now = bpf_ktime_get_ns();
	}
	return now - before;
}

/* Time outside hard and soft interrupts. */
static __always_inline __u64 task_clock(const struct cpu_counters *cpu)
{
	return soft_clock(cpu) - cpu->soft_total_ns;
}

#endif
