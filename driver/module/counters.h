/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters, one set for each CPU, and the sequence number that guards all sets of a CPU.
 *
 * A CPU writes its own counters only, with interrupts off, between begin_update() and end_update(). A reader that found
 * every CPU's sequence even, and finds it unchanged after it has read all counters, has read one instant.
 *
 * Frames are the exception, since there are so many: only the first of a poll makes an update. The others add to one word
 * (struct poll_batch), which the reader compares like a sequence.
 */
#ifndef COALESCOPE_COUNTERS_H
#define COALESCOPE_COUNTERS_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct net_device;
struct monitor;

/* What a CPU does. Interrupts interrupt each other, hence the stack. */
enum context_kind {
	CPU_CONTEXT_IDLE,
	CPU_CONTEXT_TASK, /* slots: the monitored interfaces of its network namespace */
	CPU_CONTEXT_OTHER_INTERRUPT,
	CPU_CONTEXT_DEVICE_INTERRUPT, /* slots: whose handler runs */
	CPU_CONTEXT_NET_RX, /* the receive softirq: for whom is known when a poll ends */
	CPU_CONTEXT_NAPI_THREAD, /* slots: whose */
	CPU_CONTEXT_KINDS
};

struct cpu_context {
	enum context_kind kind;
	u32 slots; /* one bit for each monitored interface */
};

#define MAX_MONITORS 32 /* one bit of a u32 each */

/* What a CPU counts for a monitored interface without looking at its monitor. All 0 when the slot is given away. */
struct slot_counters {
	u64 cycles[CPU_CONTEXT_KINDS];
	u64 interrupts;
};

#define CPU_CONTEXT_DEPTH 8 /* a task, softirq, hard interrupts of several vectors: real kernels reach 4 */

/*
 * The frames of the poll in progress after its first. They are of one device and queue and differ in length only. A poll
 * ends before its RCU read section does, so the monitor stays.
 */
struct poll_batch {
	const struct net_device *device; /* NULL: no batch */
	struct monitor *monitor;
	unsigned int queue;
	u64 frames; /* packets above, bytes below: at most 2^24 and 2^40, far more than a poll takes */
	u64 empty_frame; /* what a frame adds apart from its length: one packet, link header and frame check sequence */
	u64 shortest_frame; /* what it adds at least: frames are padded */
};

#define BATCH_BYTES_BITS 40
#define BATCH_PACKET BIT_ULL(BATCH_BYTES_BITS)

struct cpu_state {
	unsigned int sequence; /* odd while this CPU updates */
	bool counting; /* online, and its cycles are being counted */

	u64 since; /* when `context` took over */
	struct cpu_context context;
	struct cpu_context interrupted[CPU_CONTEXT_DEPTH];
	unsigned int depth;
	bool too_deep; /* interrupts nested deeper than CPU_CONTEXT_DEPTH: some cycles went to the wrong context */
	u64 cycles[CPU_CONTEXT_KINDS];
	u64 assigned_cycles; /* of cycles[CPU_CONTEXT_NET_RX], those of polls that have ended */
	u32 pending_slots; /* whose NAPI waits for the receive softirq here */
	u32 last_polled_slots; /* whose poll was the last in this softirq */

	int irq; /* of the handler that runs here, -1: none */
	u32 handler_slots; /* whose handler it is, as far as known */
	u32 learnt_slots; /* of these, those that the line is known for */
	u32 scheduled_slots; /* whose NAPI it scheduled */

	struct poll_batch batch;
	struct slot_counters slots[MAX_MONITORS];
};

DECLARE_PER_CPU_ALIGNED(struct cpu_state, coalescope_cpu_state);

/* Frames as they are on the wire. */
struct frames {
	u64 packets;
	u64 bytes; /* with link header and frame check sequence */
};

struct queue_counters {
	struct frames rx;
	u64 rx_interrupts;
	u64 polls;
	u64 rx_polls;
	u64 poll_work;
};

/* One monitored interface on one CPU. */
struct interface_counters {
	struct frames rx; /* of no queue: the queues' are to be added */
	struct frames unassigned; /* by the poll in progress, when its NAPI is not known yet */
	struct frames tx;
	u64 schedules;

	/* not part of a snapshot */
	struct frames sending; /* with the driver, which has not answered yet */
	unsigned int queue; /* of the last frame: most likely the next one's too */
	bool delivered; /* the poll in progress delivered a frame */
	bool answered; /* and one of them answered a claim */

	struct queue_counters queues[];
};

/* For probes that are called with interrupts off. */
static __always_inline struct cpu_state *begin_update_irqs_off(void)
{
	this_cpu_inc(coalescope_cpu_state.sequence);
	smp_wmb(); /* the sequence is odd before the first counter changes; pairs with collect() */
	return this_cpu_ptr(&coalescope_cpu_state);
}

static __always_inline void end_update_irqs_off(void)
{
	smp_wmb(); /* the sequence is even after the last counter has changed; pairs with collect() */
	this_cpu_inc(coalescope_cpu_state.sequence);
}

static __always_inline struct cpu_state *begin_update(unsigned long *flags)
{
	local_irq_save(*flags);
	return begin_update_irqs_off();
}

static __always_inline void end_update(unsigned long flags)
{
	end_update_irqs_off();
	local_irq_restore(flags);
}

/* For probes that are always called with interrupts on. */
static __always_inline struct cpu_state *begin_update_irqs_on(void)
{
	local_irq_disable();
	return begin_update_irqs_off();
}

static __always_inline void end_update_irqs_on(void)
{
	end_update_irqs_off();
	local_irq_enable();
}

static inline void add_frames(struct frames *sum, const struct frames *more)
{
	sum->packets += more->packets;
	sum->bytes += more->bytes;
}

static inline struct frames frames_of_batch(u64 word)
{
	return (struct frames){ word >> BATCH_BYTES_BITS, word & (BATCH_PACKET - 1) };
}

#endif
