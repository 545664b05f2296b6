/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_OWNERS_H
#define COALESCOPE_OWNERS_H

#include <linux/bug.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "counters.h"

void add_cycles(u32 slots, enum owner_kind kind, u64 cycles);
struct owner owner_of_task(const struct task_struct *task);
void poll_ended(struct cpu_state *cpu, u32 slots);
void napi_thread_found(struct cpu_state *cpu, u32 slots);
u32 net_rx_guess(const struct cpu_state *cpu);

void start_counting_cycles(void);
void refresh_task_owners(void);

/* Give what passed since the owner took over to it. */
static __always_inline void settle(struct cpu_state *cpu)
{
	u64 now = get_cycles();
	u64 cycles = now - cpu->since;

	cpu->since = now;
	if (unlikely(!cpu->counting))
		return;
	cpu->cycles[cpu->owner.kind] += cycles;
	if (cpu->owner.slots)
		add_cycles(cpu->owner.slots, cpu->owner.kind, cycles);
}

static __always_inline void push_owner(struct cpu_state *cpu, enum owner_kind kind, u32 slots)
{
	settle(cpu);
	if (!WARN_ON_ONCE(cpu->depth == OWNER_DEPTH))
		cpu->interrupted[cpu->depth++] = cpu->owner;
	cpu->owner = (struct owner){ kind, slots };
}

/* An exit whose entry came before the probes: below it there can only be the task. */
static __always_inline void pop_owner(struct cpu_state *cpu)
{
	settle(cpu);
	cpu->owner = likely(cpu->depth) ? cpu->interrupted[--cpu->depth] : owner_of_task(current);
}

int owners_init(void);
void owners_exit(void);

#endif
