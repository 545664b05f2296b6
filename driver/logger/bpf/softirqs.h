/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose the time of soft interrupts is. */
#ifndef COALESCOPE_BPF_SOFTIRQS_H
#define COALESCOPE_BPF_SOFTIRQS_H

#include "cpus.h"

static __always_inline void softirq_began(struct cpu_counters *cpu, __u32 number)
{
	begin(&cpu->soft_sequence);
	cpu->softirq = number + 1;
	cpu->last_polled = OF_OTHERS;
	cpu->soft_since_ns = soft_clock(cpu);
	cpu->soft_began_ns = cpu->soft_since_ns + *(volatile bpf_u64 *)&cpu->hard_total_ns;
	end(&cpu->soft_sequence);
}

static __always_inline void charge_softirq(struct cpu_counters *cpu, __u32 owner)
{
	__u64 now = soft_clock(cpu), elapsed = now - cpu->soft_since_ns;

	cpu->soft_ns[owner == OF_INTERFACE ? OF_INTERFACE : OF_OTHERS] += elapsed;
	cpu->soft_total_ns += elapsed;
	cpu->soft_since_ns = now;
}

static __always_inline void softirq_ended(struct cpu_counters *cpu)
{
	begin(&cpu->soft_sequence);
	charge_softirq(cpu, cpu->last_polled);
	cpu->softirq = 0;
	end(&cpu->soft_sequence);
}

#endif
