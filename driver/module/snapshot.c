// SPDX-License-Identifier: GPL-2.0
/*
 * One snapshot: all CPUs' counters of one instant.
 *
 * The counters are read without locks, between two looks at every CPU's sequence: if one was odd or has changed, the
 * attempt is thrown away. Writers never wait for a reader. Where attempts run out, each CPU is read by itself, and the
 * snapshot says how far apart they are.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tick.h>

#include "compat.h"
#include "owners.h"
#include "snapshot.h"
#include "watched.h"

#include <uapi/coalescope.h>

/* As long as attempts at one instant may be spoilt; then CPUs are read one by one. */
#define PATIENCE_NS (2 * NSEC_PER_MSEC)
/* So many attempts at one CPU, then a pause: it may be one of a virtual machine that is stopped inside an update. */
#define CPU_ATTEMPTS 64
#define PAUSE_US 50
#define LONGEST_PAUSE_US 500

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
	size_t bytes = sizeof(*room->snapshot) +
		       watch->queue_capacity * sizeof(struct coalescope_queue);

	*room = (struct snapshot_room){
		.snapshot = kvzalloc(bytes, GFP_KERNEL),
		.part = kvzalloc(bytes, GFP_KERNEL),
		.looks = kvcalloc(nr_cpu_ids, sizeof(*room->looks), GFP_KERNEL),
	};
	if (room->snapshot && room->part && room->looks)
		return 0;
	free_room(room);
	return -ENOMEM;
}

void free_room(struct snapshot_room *room)
{
	kvfree(room->snapshot);
	kvfree(room->part);
	kvfree(room->looks);
	*room = (struct snapshot_room){ 0 };
}

#ifdef COALESCOPE_MUTANT_NO_SEQUENCE
#define LOOKS_COUNT false /* what the test for torn snapshots must notice */
#else
#define LOOKS_COUNT true
#endif

/* Returns whether the CPU is not inside an update. */
static bool look_first(struct look *look, const struct cpu_state *cpu)
{
	look->sequence = READ_ONCE(cpu->sequence);
	smp_rmb(); /* the sequence guards whose burst it is; pairs with begin_update() */
	look->burst = READ_ONCE(cpu->burst.frames);
	smp_rmb(); /* the counters come after both; pairs with begin_update(), too */
	return !(look->sequence & 1) || !LOOKS_COUNT;
}

/* Returns whether nothing has changed. The counters were read before: the caller's smp_rmb() pairs with end_update(). */
static bool look_again(const struct look *look, const struct cpu_state *cpu)
{
	return (READ_ONCE(cpu->burst.frames) == look->burst &&
		READ_ONCE(cpu->sequence) == look->sequence) ||
	       !LOOKS_COUNT;
}

static bool look_at_all(struct look *looks)
{
	bool quiet = true;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		quiet &= look_first(&looks[cpu], per_cpu_ptr(&coalescope_cpu_state, cpu));
	return quiet;
}

static bool look_at_all_again(const struct look *looks)
{
	unsigned int cpu;

	smp_rmb(); /* after the counters; pairs with end_update() */
	for_each_possible_cpu(cpu)
		if (!look_again(&looks[cpu], per_cpu_ptr(&coalescope_cpu_state, cpu)))
			return false;
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
	s64 since = s->tsc - READ_ONCE(cpu->since);
	u64 open = cpu->counting && since > 0 ? since : 0; /* the present owner's, so far */
	bool ours = cpu->owner.slots & slot;
	enum owner_kind kind;

	if (cpu->too_deep)
		s->flags |= COALESCOPE_TOO_DEEP;
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
		.tsc_khz = tsc_khz,
		.interface_index = READ_ONCE(watch->interface_index),
	};
	for (q = 0; q < s->queue_count; q++)
		queues[q] = (struct coalescope_queue){
			.queue = q,
			.napi_id = READ_ONCE(watch->queues[q].napi_id),
			.irq = READ_ONCE(watch->queues[q].irq),
		};
}

static void begin(struct coalescope_snapshot *s, const struct watch *watch)
{
	clear(s, watch);
	s->tsc = rdtsc_ordered();
	s->t_monotonic_raw_ns = ktime_get_raw_ns();
}

static void add_counters_of_cpu(struct coalescope_snapshot *s, const struct watch *watch,
		    const struct look *look, unsigned int number)
{
	const struct cpu_state *cpu = per_cpu_ptr(&coalescope_cpu_state, number);
	const struct interface_counters *counters = per_cpu_ptr(watch->counters, number);

	add_interface(s, counters);
	add_slot(s, &cpu->slots[watch->slot]);
	add_cpu_cycles(s, cpu, BIT(watch->slot));
	add_cpu_times(s, number);
	add_queues(queues_of(s), counters, s->queue_count);
	add_burst(s, watch, &cpu->burst, look->burst);
}

static void finish(struct coalescope_snapshot *s, const struct watch *watch)
{
	add_totals_of_queues(s);
	s->other_task_cycles -= s->task_cycles;
	s->other_irq_cycles -= s->irq_cycles + s->softirq_cycles;
	if (READ_ONCE(watch->queues_exhausted))
		s->flags |= COALESCOPE_QUEUES_EXHAUSTED;
	if (check_tsc_unstable())
		s->flags |= COALESCOPE_UNSTABLE_CLOCK;
}

/* Interrupts are off, so that this CPU's own do not spoil the attempt. */
static bool collect(const struct watch *watch, struct snapshot_room *room)
{
	bool one_instant;
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	one_instant = look_at_all(room->looks);
	if (one_instant) {
		begin(room->snapshot, watch);
		for_each_possible_cpu(cpu)
			add_counters_of_cpu(room->snapshot, watch, &room->looks[cpu], cpu);
		one_instant = look_at_all_again(room->looks);
	}
	local_irq_restore(flags);
	if (one_instant)
		finish(room->snapshot, watch);
	return one_instant;
}

/* Returns whether they are of one instant. */
static bool read_cpu(const struct watch *watch, struct snapshot_room *room, unsigned int cpu)
{
	const struct cpu_state *state = per_cpu_ptr(&coalescope_cpu_state, cpu);
	struct look *look = &room->looks[cpu];
	unsigned long flags;
	bool whole;

	local_irq_save(flags);
	whole = look_first(look, state);
	begin(room->part, watch);
	room->part->queue_count = room->snapshot->queue_count;
	add_counters_of_cpu(room->part, watch, look, cpu);
	smp_rmb(); /* the second look after the counters; pairs with end_update() */
	whole &= look_again(look, state);
	local_irq_restore(flags);
	return whole;
}

/* One CPU's counters of one instant, however long that takes. */
static int collect_cpu(const struct watch *watch, struct snapshot_room *room, unsigned int cpu)
{
	unsigned int attempts = 0;

	while (!read_cpu(watch, room, cpu)) {
		if (++attempts % CPU_ATTEMPTS)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(PAUSE_US, LONGEST_PAUSE_US);
	}
	return 0;
}

/* All counters of a struct stand beside each other. */
static void add_counters(u64 *sum, const u64 *end, const u64 *part)
{
	while (sum < end)
		*sum++ += *part++;
}

static void add_part(struct coalescope_snapshot *s, const struct coalescope_snapshot *part)
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

/* Each CPU's counters fit together; those of two CPUs are up to skew_ns apart. */
static int collect_by_cpu(const struct watch *watch, struct snapshot_room *room)
{
	struct coalescope_snapshot *s = room->snapshot;
	unsigned int cpu;
	int failed;

	begin(s, watch);
	for_each_possible_cpu(cpu) {
		failed = collect_cpu(watch, room, cpu);
		if (failed)
			return failed;
		add_part(s, room->part);
	}
	finish(s, watch);
	s->flags |= COALESCOPE_NOT_ATOMIC;
	s->skew_ns = ktime_get_raw_ns() - s->t_monotonic_raw_ns;
	return 0;
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

static void add_driver_statistics(struct coalescope_snapshot *s, struct net_device *device)
{
	struct rtnl_link_stats64 statistics;

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

/*
 * On these buses interrupts reach their handlers by way of a line. Those of USB and of Hyper-V's VMBus are the host
 * controller's or a vector of its own, virtual devices have none.
 */
static bool has_interrupt_line(const struct net_device *device)
{
	static const char *const buses[] = { "pci", "virtio", "platform", "xen",
					     "auxiliary", "pnp", "pcmcia" };
	const struct device *parent = device->dev.parent;
	unsigned int i;

	for (i = 0; parent && parent->bus && i < ARRAY_SIZE(buses); i++)
		if (!strcmp(parent->bus->name, buses[i]))
			return true;
	return false;
}

/* Scheduling NAPI tells whose an interrupt is: some drivers' NAPI belongs to another device, or they have none. */
static bool polls_its_own_napi(const struct net_device *device)
{
	return !netif_running(device) || !list_empty(&device->napi_list);
}

static void add_what_the_device_says(struct coalescope_snapshot *s, const struct watch *watch)
{
	struct net_device *device;

	rcu_read_lock();
	device = rcu_dereference(watch->device);
	if (device) {
		add_driver_statistics(s, device);
		if (!has_interrupt_line(device) || !polls_its_own_napi(device))
			s->flags |= COALESCOPE_NO_INTERRUPTS;
	}
	rcu_read_unlock();
}

/**
 * take_snapshot() - fill the room's snapshot, with one instant if it can be had
 * @watch: of which interface
 * @room: made for this watch
 *
 * Context: Process context.
 * Return: bytes of the snapshot with its queues, or -EINTR if the task is killed meanwhile.
 */
ssize_t take_snapshot(struct watch *watch, struct snapshot_room *room)
{
	struct coalescope_snapshot *s = room->snapshot;
	u64 give_up_ns = ktime_get_mono_fast_ns() + PATIENCE_NS;
	u32 retries = 0;
	int failed;

	while (!collect(watch, room)) {
		retries++;
		if (ktime_get_mono_fast_ns() > give_up_ns) {
			failed = collect_by_cpu(watch, room);
			if (failed)
				return failed;
			break;
		}
		cpu_relax();
	}
	s->retries = retries;
	s->sequence = ++room->sequence;
	keep_growing(s, room);
	add_what_the_device_says(s, watch);
	return sizeof(*s) + s->queue_count * sizeof(struct coalescope_queue);
}
