// SPDX-License-Identifier: GPL-2.0
/*
 * Every cycle of every CPU belongs to exactly one context: the idle task, tasks, NAPI threads, soft and hard interrupts.
 * Contexts change at task switches and at the entries and exits of interrupts; what passed since goes to the context before.
 *
 * One receive softirq polls several devices in turn, and for whom it worked is only known when a poll ends: until then
 * its cycles are kept apart, and a snapshot gives them to the likeliest device (net_rx_guess()).
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timex.h>

#include "contexts.h"
#include "monitored.h"

static __always_inline struct cpu_context context_of_task(const struct task_struct *task)
{
	const struct nsproxy *namespaces;

	if (is_idle_task(task))
		return (struct cpu_context){ CPU_CONTEXT_IDLE, 0 };
	if (task->flags & PF_KTHREAD) {
		u32 slots = slots_of_thread(task);

		return (struct cpu_context){ slots ? CPU_CONTEXT_NAPI_THREAD : CPU_CONTEXT_TASK, slots };
	}
	/* Compared by address only, and `task` runs here: it does not change it meanwhile. NULL while it exits. */
	namespaces = READ_ONCE(task->nsproxy);
	return (struct cpu_context){ CPU_CONTEXT_TASK, namespaces ? slots_of_net(namespaces->net_ns) : 0 };
}

struct cpu_context context_of_current(void)
{
	return context_of_task(current);
}

/* Of the thread that runs here it was not known until now that it polls. */
void napi_thread_found(struct cpu_state *cpu, u32 slots)
{
	settle(cpu);
	cpu->context = (struct cpu_context){ CPU_CONTEXT_NAPI_THREAD, slots };
}

/* For whom the receive softirq works most likely: whose NAPI waits for it, or else whose it polled last. */
u32 net_rx_guess(const struct cpu_state *cpu)
{
	u32 slots = cpu->pending_slots ?: cpu->last_polled_slots;

	return slots & -slots;
}

void on_sched_switch(void *data, bool preempt, struct task_struct *previous,
		     struct task_struct *next, unsigned int previous_state)
{
	struct cpu_state *cpu = begin_update_irqs_off();

	settle(cpu);
	cpu->depth = 0;
	cpu->context = context_of_task(next);
	end_update_irqs_off();
}

void on_softirq_entry(void *data, unsigned int vector)
{
	struct cpu_state *cpu = begin_update_irqs_on();

	if (vector == NET_RX_SOFTIRQ) {
		push_context(cpu, CPU_CONTEXT_NET_RX, 0);
		cpu->last_polled_slots = 0;
	} else {
		push_context(cpu, CPU_CONTEXT_OTHER_INTERRUPT, 0);
	}
	end_update_irqs_on();
}

void on_softirq_exit(void *data, unsigned int vector)
{
	struct cpu_state *cpu = begin_update_irqs_on();

	pop_context(cpu);
	if (vector == NET_RX_SOFTIRQ)
		assign_net_rx(cpu, cpu->last_polled_slots);
	end_update_irqs_on();
}

/* Interrupts that are no device's: timer, calls and wake-ups from other CPUs. */
void on_vector_entry(void *data, int vector)
{
	struct cpu_state *cpu = begin_update_irqs_off();

	push_context(cpu, CPU_CONTEXT_OTHER_INTERRUPT, 0);
	end_update_irqs_off();
}

void on_vector_exit(void *data, int vector)
{
	struct cpu_state *cpu = begin_update_irqs_off();

	pop_context(cpu);
	end_update_irqs_off();
}

/* Interrupts and polls that were under way when the probes went off have ended unseen. */
static void forget_what_was_under_way(struct cpu_state *cpu)
{
	cpu->depth = 0;
	cpu->assigned_cycles = cpu->cycles[CPU_CONTEXT_NET_RX];
	cpu->batch = (struct poll_batch){ 0 };
	cpu->pending_slots = 0;
	cpu->last_polled_slots = 0;
	cpu->irq = -1;
	cpu->handler_slots = 0;
	cpu->scheduled_slots = 0;
}

/* Runs on each CPU once the probes are on: what happened before is unknown. */
static void start_here(void *unused)
{
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	cpu->since = get_cycles();
	cpu->context = context_of_current();
	forget_what_was_under_way(cpu);
	end_update(flags);
}

void start_counting_cycles(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) /* one that is offline may come while the probes are on */
		if (!cpu_online(cpu))
			forget_what_was_under_way(per_cpu_ptr(&coalescope_cpu_state, cpu));
	on_each_cpu(start_here, NULL, 1);
	cpus_read_unlock();
}

/* Which slots a running task belongs to has changed. Interrupts that it is under keep theirs: they are short. */
static void refresh_here(void *unused)
{
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	settle(cpu);
	if (cpu->depth)
		cpu->interrupted[0] = context_of_current();
	else
		cpu->context = context_of_current();
	end_update(flags);
}

void refresh_task_contexts(void)
{
	on_each_cpu(refresh_here, NULL, 1);
}

static void clear_slot(struct cpu_context *context, u32 slot)
{
	context->slots &= ~slot;
}

static void forget_here(void *argument)
{
	u32 slot = *(const u32 *)argument;
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);
	unsigned int i;

	clear_slot(&cpu->context, slot);
	for (i = 0; i < CPU_CONTEXT_DEPTH; i++)
		clear_slot(&cpu->interrupted[i], slot);
	cpu->pending_slots &= ~slot;
	cpu->last_polled_slots &= ~slot;
	cpu->handler_slots &= ~slot;
	cpu->learnt_slots &= ~slot;
	cpu->scheduled_slots &= ~slot;
	end_update(flags);
}

/* Nothing leads a probe to this slot any more: what is left of it goes, so that the slot can be another interface's. */
void forget_slot(unsigned int number)
{
	u32 slot = BIT(number);
	unsigned int cpu;

	on_each_cpu(forget_here, &slot, 1);
	for_each_possible_cpu(cpu)
		per_cpu(coalescope_cpu_state, cpu).slots[number] = (struct slot_counters){ 0 };
}

static int on_cpu_online(unsigned int number)
{
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	cpu->since = get_cycles();
	cpu->counting = true;
	end_update(flags);
	return 0;
}

static int on_cpu_offline(unsigned int number)
{
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	settle(cpu);
	cpu->counting = false;
	end_update(flags);
	return 0;
}

static int hotplug_state;

int contexts_init(void)
{
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "coalescope:online", on_cpu_online,
					  on_cpu_offline);
	return hotplug_state < 0 ? hotplug_state : 0;
}

void contexts_exit(void)
{
	cpuhp_remove_state(hotplug_state);
}
