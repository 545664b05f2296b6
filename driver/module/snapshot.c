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

#include "monitored.h"
#include "snapshot.h"
#include "snapshot_device.h"
#include "snapshot_sums.h"

#include <uapi/coalescope.h>

/* As long as attempts at one instant may be spoilt; then CPUs are read one by one. */
#define ATOMIC_TIMEOUT_NS (2 * NSEC_PER_MSEC)
/* So many attempts at one CPU, then a pause: it may be one of a virtual machine that is stopped inside an update. */
#define CPU_ATTEMPTS 64
#define PAUSE_US 50
#define LONGEST_PAUSE_US 500

/* What must be the same before and after the counters are read. */
struct cpu_version {
	unsigned int sequence;
	u64 batch;
};

int allocate_buffers(struct snapshot_buffers *buffers, const struct monitor *monitor)
{
	size_t bytes = sizeof(*buffers->snapshot) +
		       monitor->queue_capacity * sizeof(struct coalescope_queue);

	*buffers = (struct snapshot_buffers){
		.snapshot = kvzalloc(bytes, GFP_KERNEL),
		.part = kvzalloc(bytes, GFP_KERNEL),
		.versions = kvcalloc(nr_cpu_ids, sizeof(*buffers->versions), GFP_KERNEL),
	};
	if (buffers->snapshot && buffers->part && buffers->versions)
		return 0;
	free_buffers(buffers);
	return -ENOMEM;
}

void free_buffers(struct snapshot_buffers *buffers)
{
	kvfree(buffers->snapshot);
	kvfree(buffers->part);
	kvfree(buffers->versions);
	*buffers = (struct snapshot_buffers){ 0 };
}

#ifdef COALESCOPE_MUTANT_NO_SEQUENCE
#define VERSIONS_COUNT false /* what the test for torn snapshots must notice */
#else
#define VERSIONS_COUNT true
#endif

/* Returns whether the CPU is not inside an update. */
static bool read_begin(struct cpu_version *version, const struct cpu_state *cpu)
{
	version->sequence = READ_ONCE(cpu->sequence);
	smp_rmb(); /* the sequence guards whose batch it is; pairs with begin_update() */
	version->batch = READ_ONCE(cpu->batch.frames);
	smp_rmb(); /* the counters come after both; pairs with begin_update(), too */
	return !(version->sequence & 1) || !VERSIONS_COUNT;
}

/* Returns whether nothing has changed. The counters were read before: the caller's smp_rmb() pairs with end_update(). */
static bool read_unchanged(const struct cpu_version *version, const struct cpu_state *cpu)
{
	return (READ_ONCE(cpu->batch.frames) == version->batch &&
		READ_ONCE(cpu->sequence) == version->sequence) ||
	       !VERSIONS_COUNT;
}

static bool read_begin_all(struct cpu_version *versions)
{
	bool quiet = true;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		quiet &= read_begin(&versions[cpu], per_cpu_ptr(&coalescope_cpu_state, cpu));
	return quiet;
}

static bool read_unchanged_all(const struct cpu_version *versions)
{
	unsigned int cpu;

	smp_rmb(); /* after the counters; pairs with end_update() */
	for_each_possible_cpu(cpu)
		if (!read_unchanged(&versions[cpu], per_cpu_ptr(&coalescope_cpu_state, cpu)))
			return false;
	return true;
}

/* Interrupts are off, so that this CPU's own do not spoil the attempt. */
static bool collect(const struct monitor *monitor, struct snapshot_buffers *buffers)
{
	bool one_instant;
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	one_instant = read_begin_all(buffers->versions);
	if (one_instant) {
		begin_sums(buffers->snapshot, monitor);
		for_each_possible_cpu(cpu)
			add_counters_of_cpu(buffers->snapshot, monitor, cpu, buffers->versions[cpu].batch);
		one_instant = read_unchanged_all(buffers->versions);
	}
	local_irq_restore(flags);
	if (one_instant)
		finish_sums(buffers->snapshot, monitor);
	return one_instant;
}

/* Returns whether they are of one instant. */
static bool read_cpu(const struct monitor *monitor, struct snapshot_buffers *buffers, unsigned int cpu)
{
	const struct cpu_state *state = per_cpu_ptr(&coalescope_cpu_state, cpu);
	struct cpu_version *version = &buffers->versions[cpu];
	unsigned long flags;
	bool whole;

	local_irq_save(flags);
	whole = read_begin(version, state);
	begin_sums(buffers->part, monitor);
	buffers->part->queue_count = buffers->snapshot->queue_count;
	add_counters_of_cpu(buffers->part, monitor, cpu, version->batch);
	smp_rmb(); /* the second look after the counters; pairs with end_update() */
	whole &= read_unchanged(version, state);
	local_irq_restore(flags);
	return whole;
}

/* One CPU's counters of one instant, however long that takes. */
static int collect_cpu(const struct monitor *monitor, struct snapshot_buffers *buffers, unsigned int cpu)
{
	unsigned int attempts = 0;

	while (!read_cpu(monitor, buffers, cpu)) {
		if (++attempts % CPU_ATTEMPTS)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(PAUSE_US, LONGEST_PAUSE_US);
	}
	return 0;
}

/* Each CPU's counters fit together; those of two CPUs are up to skew_ns apart. */
static int collect_by_cpu(const struct monitor *monitor, struct snapshot_buffers *buffers)
{
	struct coalescope_snapshot *s = buffers->snapshot;
	unsigned int cpu;
	int failed;

	begin_sums(s, monitor);
	for_each_possible_cpu(cpu) {
		failed = collect_cpu(monitor, buffers, cpu);
		if (failed)
			return failed;
		add_part(s, buffers->part);
	}
	finish_sums(s, monitor);
	s->flags |= COALESCOPE_NOT_ATOMIC;
	s->skew_ns = ktime_get_raw_ns() - s->t_monotonic_raw_ns;
	return 0;
}

/*
 * The share of the receive softirq that net_rx_guess() gave to a device may turn out to be another's. What was shown
 * once is not taken back: the difference stays with the other side until it has caught up. Their sum is exact always.
 */
static void clamp_monotonic(struct coalescope_snapshot *s, struct snapshot_buffers *buffers)
{
	u64 both = s->softirq_cycles + s->other_irq_cycles;

	if (s->softirq_cycles < buffers->softirq_cycles)
		s->softirq_cycles = buffers->softirq_cycles;
	else if (s->other_irq_cycles < buffers->other_irq_cycles)
		s->softirq_cycles = both - buffers->other_irq_cycles;
	s->other_irq_cycles = both - s->softirq_cycles;
	buffers->softirq_cycles = s->softirq_cycles;
	buffers->other_irq_cycles = s->other_irq_cycles;
}

/**
 * take_snapshot() - fill the snapshot, with one instant if it can be had
 * @monitor: of which interface
 * @buffers: made for this monitor
 *
 * Context: Process context.
 * Return: bytes of the snapshot with its queues, or -EINTR if the task is killed meanwhile.
 */
ssize_t take_snapshot(struct monitor *monitor, struct snapshot_buffers *buffers)
{
	struct coalescope_snapshot *s = buffers->snapshot;
	u64 give_up_ns = ktime_get_mono_fast_ns() + ATOMIC_TIMEOUT_NS;
	u32 retries = 0;
	int failed;

	while (!collect(monitor, buffers)) {
		retries++;
		if (ktime_get_mono_fast_ns() > give_up_ns) {
			failed = collect_by_cpu(monitor, buffers);
			if (failed)
				return failed;
			break;
		}
		cpu_relax();
	}
	s->retries = retries;
	s->sequence = ++buffers->sequence;
	clamp_monotonic(s, buffers);
	add_what_the_device_says(s, monitor);
	return sizeof(*s) + s->queue_count * sizeof(struct coalescope_queue);
}
