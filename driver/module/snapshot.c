// SPDX-License-Identifier: GPL-2.0
/*
 * One snapshot: all CPUs' counters of one instant.
 *
 * The counters are read without locks, between two looks at every CPU's sequence: if one was odd or has changed, the
 * attempt is thrown away. Writers never wait for a reader.
 */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/tick.h>

#include "compat.h"
#include "owners.h"
#include "snapshot.h"
#include "watch.h"

#include <uapi/coalescope.h>

/* As long as attempts may be spoilt before all CPUs are stopped: a CPU of a virtual machine may itself be stopped. */
#define PATIENCE_NS (2 * NSEC_PER_MSEC)

/* What must be the same before and after the counters are read. */
struct look {
	unsigned int sequence;
	u64 burst;
};

static struct coalescope_queue *queues_of(struct coalescope_snapshot *snapshot)
{
	return (struct coalescope_queue *)(snapshot + 1);
}

int allocate_room(struct snapshot_room *room, const struct watch *watch)
{
	size_t queues = watch->queue_capacity * sizeof(struct coalescope_queue);

	*room = (struct snapshot_room){
		.snapshot = kvzalloc(sizeof(*room->snapshot) + queues, GFP_KERNEL),
		.looks = kvcalloc(nr_cpu_ids, sizeof(*room->looks), GFP_KERNEL),
	};
	if (room->snapshot && room->looks)
		return 0;
	free_room(room);
	return -ENOMEM;
}

void free_room(struct snapshot_room *room)
{
	kvfree(room->snapshot);
	kvfree(room->looks);
	*room = (struct snapshot_room){ 0 };
}

#ifdef COALESCOPE_MUTANT_NO_SEQUENCE
#define LOOKS_COUNT false /* what the test for torn snapshots must notice */
#else
#define LOOKS_COUNT true
#endif

/* Returns whether no CPU is inside an update. */
static bool look_first(struct look *looks)
{
	unsigned int cpu, updating = 0;

	for_each_possible_cpu(cpu) {
		looks[cpu].sequence = READ_ONCE(per_cpu(coalescope_cpu_state, cpu).sequence);
		updating |= looks[cpu].sequence & 1;
	}
	smp_rmb(); /* the sequence guards whose burst it is */
	for_each_possible_cpu(cpu)
		looks[cpu].burst = READ_ONCE(per_cpu(coalescope_cpu_state, cpu).burst.frames);
	return !updating || !LOOKS_COUNT;
}

/* Returns whether nothing has changed. */
static bool look_again(const struct look *looks)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct cpu_state *state = per_cpu_ptr(&coalescope_cpu_state, cpu);

		if (READ_ONCE(state->burst.frames) != looks[cpu].burst ||
		    READ_ONCE(state->sequence) != looks[cpu].sequence)
			return !LOOKS_COUNT;
	}
	return true;
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
	s->task_cycles += counters->cycles[OWNER_TASK];
	s->irq_cycles += counters->cycles[OWNER_DEVICE_INTERRUPT];
	s->softirq_cycles += counters->cycles[OWNER_NET_RX] + counters->cycles[OWNER_NAPI_THREAD];
}

/* While the CPU updates its burst, the queue may be one that this watch does not have: the attempt will be thrown away. */
static void add_burst(struct coalescope_snapshot *s, const struct watch *watch,
		      const struct burst *burst, u64 word)
{
	struct frames frames = frames_of_burst(word);
	unsigned int q = READ_ONCE(burst->queue);

	if (!READ_ONCE(burst->device) || READ_ONCE(burst->watch) != watch || q >= s->queue_count)
		return;
	queues_of(s)[q].rx_packets += frames.packets;
	queues_of(s)[q].rx_bytes += frames.bytes;
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

/* For the time being other_task_cycles holds all tasks', other_irq_cycles all interrupts' cycles. */
static void add_cpu_cycles(struct coalescope_snapshot *s, const struct cpu_state *cpu, u32 slot)
{
	u64 open = cpu->counting ? s->tsc - cpu->since : 0; /* the present owner's, so far */
	bool ours = cpu->owner.slots & slot;
	enum owner_kind kind;

	s->cpus += cpu->counting;
	s->idle_cycles += cpu->cycles[OWNER_IDLE];
	s->other_task_cycles += cpu->cycles[OWNER_TASK];
	for (kind = OWNER_OTHER_INTERRUPT; kind < OWNER_KINDS; kind++)
		s->other_irq_cycles += cpu->cycles[kind];
	if (net_rx_guess(cpu) & slot)
		s->softirq_cycles += cpu->cycles[OWNER_NET_RX] - cpu->assigned_cycles;
	switch (cpu->owner.kind) {
	case OWNER_IDLE:
		s->idle_cycles += open;
		return;
	case OWNER_TASK:
		s->other_task_cycles += open;
		s->task_cycles += ours ? open : 0;
		return;
	case OWNER_DEVICE_INTERRUPT:
		s->irq_cycles += ours ? open : 0;
		break;
	case OWNER_NET_RX:
		s->softirq_cycles += net_rx_guess(cpu) & slot ? open : 0;
		break;
	case OWNER_NAPI_THREAD:
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

static void clear(struct coalescope_snapshot *s, const struct watch *watch)
{
	struct coalescope_queue *queues = queues_of(s);
	unsigned int q;

	*s = (struct coalescope_snapshot){
		.magic = COALESCOPE_MAGIC,
		.abi_version = COALESCOPE_ABI_VERSION,
		.size = sizeof(*s),
		.queue_size = sizeof(*queues),
		.queue_count = known_queues(watch),
		.tsc_khz = cycle_counter_khz(),
		.interface_index = READ_ONCE(watch->interface_index),
	};
	for (q = 0; q < s->queue_count; q++)
		queues[q] = (struct coalescope_queue){
			.queue = q,
			.napi_id = READ_ONCE(watch->queues[q].napi_id),
			.irq = READ_ONCE(watch->queues[q].irq),
		};
}

static void add_up(struct snapshot_room *room, const struct watch *watch)
{
	struct coalescope_snapshot *s = room->snapshot;
	unsigned int cpu;

	clear(s, watch);
	s->tsc = cycle_counter_ordered();
	s->t_monotonic_raw_ns = ktime_get_raw_ns();
	for_each_possible_cpu(cpu)
		add_interface(s, per_cpu_ptr(watch->counters, cpu));
	for_each_possible_cpu(cpu)
		add_slot(s, &per_cpu(coalescope_cpu_state, cpu).slots[watch->slot]);
	for_each_possible_cpu(cpu)
		add_cpu_cycles(s, per_cpu_ptr(&coalescope_cpu_state, cpu), BIT(watch->slot));
	for_each_possible_cpu(cpu)
		add_cpu_times(s, cpu);
	for_each_possible_cpu(cpu) {
		add_queues(queues_of(s), per_cpu_ptr(watch->counters, cpu), s->queue_count);
		add_burst(s, watch, &per_cpu(coalescope_cpu_state, cpu).burst,
			  room->looks[cpu].burst);
	}
	add_totals_of_queues(s);
	s->other_task_cycles -= s->task_cycles;
	s->other_irq_cycles -= s->irq_cycles + s->softirq_cycles;
	if (!s->interrupts)
		s->flags |= COALESCOPE_NO_INTERRUPTS;
}

/* Interrupts are off, so that this CPU's own do not spoil the attempt. */
static bool collect(const struct watch *watch, struct snapshot_room *room)
{
	bool one_instant;
	unsigned long flags;

	local_irq_save(flags);
	one_instant = look_first(room->looks);
	if (one_instant) {
		smp_rmb(); /* counters after the first look; pairs with begin_update() */
		add_up(room, watch);
		smp_rmb(); /* the second look after the counters; pairs with end_update() */
		one_instant = look_again(room->looks);
	}
	local_irq_restore(flags);
	return one_instant;
}

struct stopped {
	const struct watch *watch;
	struct snapshot_room *room;
	bool one_instant;
};

static int collect_stopped(void *argument)
{
	struct stopped *stopped = argument;

	stopped->one_instant = collect(stopped->watch, stopped->room);
	return 0;
}

static u32 collect_with_cpus_stopped(const struct watch *watch, struct snapshot_room *room)
{
	struct stopped stopped = { watch, room, false };

	if (!stop_machine(collect_stopped, &stopped, NULL) && stopped.one_instant)
		return COALESCOPE_STOPPED;
	add_up(room, watch);
	return COALESCOPE_NOT_ATOMIC;
}

/*
 * The share of the receive softirq that net_rx_guess() gave to a device may turn out to be another's. What was shown
 * once is not taken back: the difference stays with the other side until it has caught up. Their sum is exact always.
 */
static void keep_growing(struct coalescope_snapshot *s, struct snapshot_room *room)
{
	u64 both = s->softirq_cycles + s->other_irq_cycles;

	if (s->softirq_cycles < room->softirq_cycles)
		s->softirq_cycles = room->softirq_cycles;
	else if (s->other_irq_cycles < room->other_irq_cycles)
		s->softirq_cycles = both - room->other_irq_cycles;
	s->other_irq_cycles = both - s->softirq_cycles;
	room->softirq_cycles = s->softirq_cycles;
	room->other_irq_cycles = s->other_irq_cycles;
}

static void add_driver_statistics(struct coalescope_snapshot *s, const struct watch *watch)
{
	struct rtnl_link_stats64 statistics;
	struct net_device *device;

	rcu_read_lock();
	device = rcu_dereference(watch->device);
	if (device) {
		dev_get_stats(device, &statistics);
		s->driver_rx_packets = statistics.rx_packets;
		s->driver_rx_bytes = statistics.rx_bytes;
		s->driver_tx_packets = statistics.tx_packets;
		s->driver_tx_bytes = statistics.tx_bytes;
		s->rx_dropped = statistics.rx_dropped;
		s->tx_dropped = statistics.tx_dropped;
		s->rx_errors = statistics.rx_errors;
		s->tx_errors = statistics.tx_errors;
		s->rx_missed_errors = statistics.rx_missed_errors;
		s->rx_fifo_errors = statistics.rx_fifo_errors;
	}
	rcu_read_unlock();
}

/**
 * take_snapshot() - fill the room's snapshot with one instant
 * @watch: of which interface
 * @room: made for this watch
 *
 * Context: Process context; may sleep if all CPUs have to be stopped.
 * Return: bytes of the snapshot with its queues.
 */
size_t take_snapshot(struct watch *watch, struct snapshot_room *room)
{
	struct coalescope_snapshot *s = room->snapshot;
	u64 give_up_ns = ktime_get_mono_fast_ns() + PATIENCE_NS;
	u32 retries = 0, flags = 0;

	while (!collect(watch, room)) {
		retries++;
		if (ktime_get_mono_fast_ns() > give_up_ns) {
			flags = collect_with_cpus_stopped(watch, room);
			break;
		}
		cpu_relax();
	}
	s->retries = retries;
	s->flags |= flags;
	s->sequence = ++room->sequence;
	keep_growing(s, room);
	add_driver_statistics(s, watch);
	return sizeof(*s) + s->queue_count * sizeof(struct coalescope_queue);
}
