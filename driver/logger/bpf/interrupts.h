/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hard interrupts: whose their time is, and which of them are the interface's. */
#ifndef COALESCOPE_BPF_INTERRUPTS_H
#define COALESCOPE_BPF_INTERRUPTS_H

#include "claims.h"
#include "cpus.h"

enum { IRQ_NONE = 0 };

/* Interrupt handlers of the interface: all of its message-signalled lines, and those in which its NAPI was scheduled. */
struct handler {
	__u64 action; /* 0: any, as nobody shares the line */
	__u64 irq;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct handler);
	__type(value, __u32);
} handlers SEC(".maps");

static __always_inline void charge_interrupt(struct cpu_counters *cpu)
{
	__u64 elapsed = bpf_ktime_get_ns() - cpu->hard_since_ns;

	cpu->hard_ns[cpu->interrupt_is_ours ? OF_INTERFACE : OF_OTHERS] += elapsed;
	cpu->hard_total_ns += elapsed;
	cpu->hard_since_ns = 0;
}

static __always_inline bool is_handler(__u64 action, __u64 irq)
{
	struct handler handler = {.action = action, .irq = irq};

	return bpf_map_lookup_elem(&handlers, &handler) != NULL;
}

static __always_inline void interrupt_began(struct cpu_counters *cpu, __u32 irq, __u64 action)
{
	begin(&cpu->hard_sequence);
	cpu->hard_since_ns = bpf_ktime_get_ns();
	cpu->handler = action;
	cpu->irq = irq;
	cpu->scheduled = false;
	cpu->interrupt_is_ours = is_handler(0, irq) || is_handler(cpu->handler, irq);
	end(&cpu->hard_sequence);
}

static __always_inline void interrupt_ended(struct cpu_counters *cpu, __u32 irq, int result)
{
	begin(&cpu->hard_sequence);
	charge_interrupt(cpu);
	if (cpu->interrupt_is_ours && result != IRQ_NONE) {
		cpu->interrupts++;
		if (!cpu->scheduled)
			count_coalesced(irq);
	}
	cpu->handler = 0;
	cpu->interrupt_is_ours = false;
	end(&cpu->hard_sequence);
}

static __always_inline void napi_scheduled(struct cpu_counters *cpu, const struct napi_struct *napi)
{
	struct handler handler = {.action = cpu->handler, .irq = cpu->irq};
	__u32 known = true;

	begin(&cpu->hard_sequence);
	if (!cpu->interrupt_is_ours) {
		bpf_map_update_elem(&handlers, &handler, &known, BPF_ANY);
		cpu->interrupt_is_ours = true;
	}
	cpu->schedules++;
	cpu->scheduled = true;
	claim(cpu, napi, handler.irq);
	end(&cpu->hard_sequence);
}

#endif
