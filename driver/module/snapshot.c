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
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "snapshot.h"
#include "snapshot_device.h"
#include "snapshot_sums.h"
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

/* Interrupts are off, so that this CPU's own do not spoil the attempt. */
static bool collect(const struct watch *watch, struct snapshot_room *room)
{
	bool one_instant;
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	one_instant = look_at_all(room->looks);
	if (one_instant) {
		begin_sums(room->snapshot, watch);
		for_each_possible_cpu(cpu)
			add_counters_of_cpu(room->snapshot, watch, cpu, room->looks[cpu].burst);
		one_instant = look_at_all_again(room->looks);
	}
	local_irq_restore(flags);
	if (one_instant)
		finish_sums(room->snapshot, watch);
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
	begin_sums(room->part, watch);
	room->part->queue_count = room->snapshot->queue_count;
	add_counters_of_cpu(room->part, watch, cpu, look->burst);
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

/* Each CPU's counters fit together; those of two CPUs are up to skew_ns apart. */
static int collect_by_cpu(const struct watch *watch, struct snapshot_room *room)
{
	struct coalescope_snapshot *s = room->snapshot;
	unsigned int cpu;
	int failed;

	begin_sums(s, watch);
	for_each_possible_cpu(cpu) {
		failed = collect_cpu(watch, room, cpu);
		if (failed)
			return failed;
		add_part(s, room->part);
	}
	finish_sums(s, watch);
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
