// SPDX-License-Identifier: GPL-2.0
/* Sums of CPUs' counters in a snapshot. They are read without locks: the caller looks whether they have changed. */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/tick.h>

#include "compat.h"
#include "contexts.h"
#include "monitored.h"
#include "snapshot_sums.h"

#include <uapi/coalescope.h>

static struct coalescope_queue *queues_of(struct coalescope_snapshot *snapshot)
{
	return (struct coalescope_queue *)(snapshot + 1);
}

static void clear(struct coalescope_snapshot *s, const struct monitor *monitor)
{
	struct coalescope_queue *queues = queues_of(s);
	unsigned int q;

	*s = (struct coalescope_snapshot){
		.magic = COALESCOPE_MAGIC,
		.abi_version = COALESCOPE_ABI_VERSION,
		.size = sizeof(*s),
		.queue_size = sizeof(*queues),
		.queue_count = known_queues(monitor),
		.tsc_khz = tsc_khz,
		.interface_index = READ_ONCE(monitor->interface_index),
	};
	for (q = 0; q < s->queue_count; q++)
		queues[q] = (struct coalescope_queue){
			.queue = q,
			.napi_id = READ_ONCE(monitor->queues[q].napi_id),
			.irq = READ_ONCE(monitor->queues[q].irq),
		};
}

/**
 * begin_sums() - all sums are 0, and the time is now
 * @s: with room for all queues
 * @monitor: of which interface
 */
void begin_sums(struct coalescope_snapshot *s, const struct monitor *monitor)
{
	clear(s, monitor);
	s->tsc = rdtsc_ordered();
	s->t_monotonic_raw_ns = ktime_get_raw_ns();
}

static void add_queues(struct coalescope_queue *queues, const struct interface_counters *counters,
		       unsigned int count)
{
	unsigned int q;

	for (q = 0; q < count; q++) {
		const struct queue_counters *from = &counters->queues[q];

		queues[q].rx_packets += from->rx.packets;
		queues[q].rx_bytes += from->rx.bytes;
		queues[q].rx_interrupts += from->rx_interrupts;
		queues[q].polls += from->polls;
		queues[q].rx_polls += from->rx_polls;
		queues[q].poll_work += from->poll_work;
	}
}

static void add_interface(struct coalescope_snapshot *s, const struct interface_counters *counters)
{
	s->rx_packets += counters->rx.packets + counters->unassigned.packets;
	s->rx_bytes += counters->rx.bytes + counters->unassigned.bytes;
	s->tx_packets += counters->tx.packets;
	s->tx_bytes += counters->tx.bytes;
	s->schedules += counters->schedules;
}

static void add_slot(struct coalescope_snapshot *s, const struct slot_counters *counters)
{
	s->interrupts += counters->interrupts;
	s->task_cycles += counters->cycles[CPU_CONTEXT_TASK];
	s->irq_cycles += counters->cycles[CPU_CONTEXT_DEVICE_INTERRUPT];
	s->softirq_cycles += counters->cycles[CPU_CONTEXT_NET_RX] + counters->cycles[CPU_CONTEXT_NAPI_THREAD];
}

/* While the CPU updates its batch, the queue may be one that this monitor does not have: the attempt will be thrown away. */
static void add_poll_batch(struct coalescope_snapshot *s, const struct monitor *monitor,
			   const struct poll_batch *batch, u64 word)
{
	struct frames frames = frames_of_batch(word);
	unsigned int q = READ_ONCE(batch->queue);

	if (!READ_ONCE(batch->device) || READ_ONCE(batch->monitor) != monitor || q >= s->queue_count)
		return;
	queues_of(s)[q].rx_packets += frames.packets;
	queues_of(s)[q].rx_bytes += frames.bytes;
}

/* For the time being other_task_cycles holds all tasks', other_irq_cycles all interrupts' cycles. */
static void add_cpu_cycles(struct coalescope_snapshot *s, const struct cpu_state *cpu, u32 slot)
{
	s64 since = s->tsc - READ_ONCE(cpu->since);
	u64 open = cpu->counting && since > 0 ? since : 0; /* the present context's, so far */
	bool ours = cpu->context.slots & slot;
	enum context_kind kind;

	if (cpu->too_deep)
		s->flags |= COALESCOPE_TOO_DEEP;
	s->cpus += cpu->counting;
	s->idle_cycles += cpu->cycles[CPU_CONTEXT_IDLE];
	s->other_task_cycles += cpu->cycles[CPU_CONTEXT_TASK];
	for (kind = CPU_CONTEXT_OTHER_INTERRUPT; kind < CPU_CONTEXT_KINDS; kind++)
		s->other_irq_cycles += cpu->cycles[kind];
	if (net_rx_guess(cpu) & slot)
		s->softirq_cycles += cpu->cycles[CPU_CONTEXT_NET_RX] - cpu->assigned_cycles;
	switch (cpu->context.kind) {
	case CPU_CONTEXT_IDLE:
		s->idle_cycles += open;
		return;
	case CPU_CONTEXT_TASK:
		s->other_task_cycles += open;
		s->task_cycles += ours ? open : 0;
		return;
	case CPU_CONTEXT_DEVICE_INTERRUPT:
		s->irq_cycles += ours ? open : 0;
		break;
	case CPU_CONTEXT_NET_RX:
		s->softirq_cycles += net_rx_guess(cpu) & slot ? open : 0;
		break;
	case CPU_CONTEXT_NAPI_THREAD:
		s->softirq_cycles += ours ? open : 0;
		break;
	default:
		break;
	}
	s->other_irq_cycles += open;
}

/* /proc/stat asks the same functions: a CPU that sleeps without ticks does not update its own idle time. */
static void add_cpu_times(struct coalescope_snapshot *s, unsigned int number)
{
	u64 idle_us = cpu_online(number) ? get_cpu_idle_time_us(number, NULL) : -1ULL;
	u64 iowait_us = cpu_online(number) ? get_cpu_iowait_time_us(number, NULL) : -1ULL;
	struct kernel_cpustat times;

	kcpustat_cpu_fetch(&times, number);
	s->cpu_user_ns += times.cpustat[CPUTIME_USER];
	s->cpu_nice_ns += times.cpustat[CPUTIME_NICE];
	s->cpu_system_ns += times.cpustat[CPUTIME_SYSTEM];
	s->cpu_idle_ns += idle_us == -1ULL ? times.cpustat[CPUTIME_IDLE] : idle_us * NSEC_PER_USEC;
	s->cpu_iowait_ns +=
		iowait_us == -1ULL ? times.cpustat[CPUTIME_IOWAIT] : iowait_us * NSEC_PER_USEC;
	s->cpu_irq_ns += times.cpustat[CPUTIME_IRQ];
	s->cpu_softirq_ns += times.cpustat[CPUTIME_SOFTIRQ];
	s->cpu_steal_ns += times.cpustat[CPUTIME_STEAL];
}

/**
 * add_counters_of_cpu() - add one CPU's counters to the sums
 * @s: begun
 * @monitor: of which interface
 * @number: of the CPU
 * @batch: its word that was seen before, and must be seen again after
 */
void add_counters_of_cpu(struct coalescope_snapshot *s, const struct monitor *monitor,
			 unsigned int number, u64 batch)
{
	const struct cpu_state *cpu = per_cpu_ptr(&coalescope_cpu_state, number);
	const struct interface_counters *counters = per_cpu_ptr(monitor->counters, number);

	add_interface(s, counters);
	add_slot(s, &cpu->slots[monitor->slot]);
	add_cpu_cycles(s, cpu, BIT(monitor->slot));
	add_cpu_times(s, number);
	add_queues(queues_of(s), counters, s->queue_count);
	add_poll_batch(s, monitor, &cpu->batch, batch);
}

/* All counters of a struct stand beside each other. */
static void add_counters(u64 *sum, const u64 *end, const u64 *part)
{
	while (sum < end)
		*sum++ += *part++;
}

/**
 * add_part() - add the sums of another snapshot of the same monitor
 * @s: to which they are added
 * @part: not finished
 */
void add_part(struct coalescope_snapshot *s, const struct coalescope_snapshot *part)
{
	const struct coalescope_queue *from = (const struct coalescope_queue *)(part + 1);
	unsigned int q;

	s->cpus += part->cpus;
	s->flags |= part->flags;
	add_counters(&s->rx_packets, &s->driver_rx_packets, &part->rx_packets);
	for (q = 0; q < s->queue_count; q++)
		add_counters(&queues_of(s)[q].rx_packets, (u64 *)(queues_of(s) + q + 1),
			     &from[q].rx_packets);
}

static void add_totals_of_queues(struct coalescope_snapshot *s)
{
	const struct coalescope_queue *queue, *end = queues_of(s) + s->queue_count;

	for (queue = queues_of(s); queue < end; queue++) {
		s->rx_packets += queue->rx_packets;
		s->rx_bytes += queue->rx_bytes;
		s->rx_interrupts += queue->rx_interrupts;
		s->polls += queue->polls;
		s->rx_polls += queue->rx_polls;
		s->poll_work += queue->poll_work;
	}
}

/**
 * finish_sums() - what follows from the sums of all CPUs
 * @s: to which all have been added
 * @monitor: of which interface
 */
void finish_sums(struct coalescope_snapshot *s, const struct monitor *monitor)
{
	add_totals_of_queues(s);
	s->other_task_cycles -= s->task_cycles;
	s->other_irq_cycles -= s->irq_cycles + s->softirq_cycles;
	if (READ_ONCE(monitor->queues_exhausted))
		s->flags |= COALESCOPE_QUEUES_EXHAUSTED;
	if (check_tsc_unstable())
		s->flags |= COALESCOPE_UNSTABLE_CLOCK;
}
