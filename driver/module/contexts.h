/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_CONTEXTS_H
#define COALESCOPE_CONTEXTS_H

#include <linux/sched.h>
#include <linux/timex.h>

#include "counters.h"

/* probes */
void on_sched_switch(void *data, bool preempt, struct task_struct *previous,
		     struct task_struct *next, unsigned int previous_state);
void on_softirq_entry(void *data, unsigned int vector);
void on_softirq_exit(void *data, unsigned int vector);
void on_vector_entry(void *data, int vector);
void on_vector_exit(void *data, int vector);

struct cpu_context context_of_current(void);
void napi_thread_found(struct cpu_state *cpu, u32 slots);
u32 net_rx_guess(const struct cpu_state *cpu);

void start_counting_cycles(void);
void refresh_task_contexts(void);
void forget_slot(unsigned int slot);

static __always_inline void add_cycles(struct cpu_state *cpu, u32 slots, enum context_kind kind,
				       u64 cycles)
{
	for (; slots; slots &= slots - 1)
		cpu->slots[__ffs(slots)].cycles[kind] += cycles;
}

/* Give what passed since the context took over to it. */
static __always_inline void settle(struct cpu_state *cpu)
{
	u64 now = get_cycles();
	u64 cycles = now - cpu->since;

	cpu->since = now;
	if (unlikely(!cpu->counting))
		return;
	cpu->cycles[cpu->context.kind] += cycles;
	add_cycles(cpu, cpu->context.slots, cpu->context.kind, cycles);
}

static __always_inline void push_context(struct cpu_state *cpu, enum context_kind kind, u32 slots)
{
	settle(cpu);
	if (likely(cpu->depth < CPU_CONTEXT_DEPTH))
		cpu->interrupted[cpu->depth++] = cpu->context;
	else
		cpu->too_deep = true;
	cpu->context = (struct cpu_context){ kind, slots };
}

/* An exit whose entry came before the probes: below it there can only be the task. */
static __always_inline void pop_context(struct cpu_state *cpu)
{
	settle(cpu);
	cpu->context = likely(cpu->depth) ? cpu->interrupted[--cpu->depth] : context_of_current();
}

/* What the receive softirq did since the last poll ended was for these. */
static __always_inline void assign_net_rx(struct cpu_state *cpu, u32 slots)
{
	add_cycles(cpu, slots, CPU_CONTEXT_NET_RX, cpu->cycles[CPU_CONTEXT_NET_RX] - cpu->assigned_cycles);
	cpu->assigned_cycles = cpu->cycles[CPU_CONTEXT_NET_RX];
}

/* A NAPI instance was polled; slots: of the monitored interface that it belongs to, 0: of another. */
static __always_inline void poll_ended(struct cpu_state *cpu, u32 slots)
{
	if (cpu->context.kind != CPU_CONTEXT_NET_RX)
		return;
	settle(cpu);
	assign_net_rx(cpu, slots);
	cpu->last_polled_slots = slots;
}

int contexts_init(void);
void contexts_exit(void);

#endif
