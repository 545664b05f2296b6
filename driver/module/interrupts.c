// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts, and the polls that they schedule.
 *
 * An interrupt counts as a receive interrupt when the poll that it scheduled delivers a frame: scheduling NAPI inside a
 * handler makes a claim, and the first frame after it answers the claim. The next interrupt may come inside the driver's
 * last act of a poll, enabling interrupts, and its claim must outlive the end of that poll; a poll without an interrupt
 * finds no claim. An interrupt that finds NAPI scheduled already counts if that poll delivered anything.
 */
#include <linux/ftrace.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>

#include "compat.h"
#include "contexts.h"
#include "interrupts.h"
#include "irq_map.h"
#include "monitored.h"

void on_irq_handler_entry(void *data, int irq, struct irqaction *action)
{
	u32 learnt_slots = slots_of_line(irq, action->dev_id);
	u32 slots = learnt_slots | slots_of_device(action->dev_id);
	struct cpu_state *cpu = begin_update_irqs_off();

	push_context(cpu, slots ? CPU_CONTEXT_DEVICE_INTERRUPT : CPU_CONTEXT_OTHER_INTERRUPT, slots);
	cpu->irq = irq;
	cpu->handler_slots = slots;
	cpu->learnt_slots = learnt_slots;
	cpu->scheduled_slots = 0;
	end_update_irqs_off();
}

static void count_interrupt(struct cpu_state *cpu, u32 slots)
{
	for (; slots; slots &= slots - 1)
		cpu->slots[__ffs(slots)].interrupts++;
}

/* The handlers of these slots have run, and scheduled nothing. */
static void count_coalesced(int irq, u32 slots)
{
	while (slots) {
		struct monitor *monitor = monitor_in_slot(__ffs(slots));
		unsigned int q, count = monitor ? known_queues(monitor) : 0;

		for (q = 0; q < count; q++) {
			struct queue *queue = &monitor->queues[q];

			if (READ_ONCE(queue->irq) == irq && READ_ONCE(queue->scheduled))
				WRITE_ONCE(queue->coalesced, queue->coalesced + 1);
		}
		slots &= slots - 1;
	}
}

static void irq_map_add_all(int irq, const void *handler_device, u32 slots)
{
	while (slots) {
		irq_map_add(irq, handler_device, __ffs(slots));
		slots &= slots - 1;
	}
}

/* On a shared line the handlers of all its devices run: those that say IRQ_NONE were not meant. */
void on_irq_handler_exit(void *data, int irq, struct irqaction *action, int result)
{
	struct cpu_state *cpu = begin_update_irqs_off();
	bool entered = cpu->irq == irq;
	u32 slots = entered && result != IRQ_NONE ? cpu->handler_slots | cpu->scheduled_slots : 0;
	u32 new_slots = slots & ~cpu->learnt_slots;

	count_interrupt(cpu, slots);
	count_coalesced(irq, slots & ~cpu->scheduled_slots);
	cpu->irq = -1;
	cpu->handler_slots = 0;
	cpu->scheduled_slots = 0;
	pop_context(cpu);
	end_update_irqs_off();
	if (unlikely(new_slots))
		irq_map_add_all(irq, action->dev_id, new_slots);
}

static void claim(struct cpu_state *cpu, struct monitor *monitor, struct queue *queue)
{
	this_cpu_ptr(monitor->counters)->schedules++;
	cpu->scheduled_slots |= BIT(monitor->slot);
	WRITE_ONCE(queue->irq, cpu->irq);
	/* NAPI is scheduled by one CPU at a time */
	WRITE_ONCE(queue->claims, queue->claims + 1);
}

/* At the entry of __napi_schedule(): NAPI_STATE_SCHED is set already, and no poll can have begun. */
static __always_inline void scheduled(const struct napi_struct *napi)
{
	struct monitor *monitor = napi->dev ? monitor_of(napi->dev) : NULL;
	unsigned long flags;
	struct cpu_state *cpu;
	struct queue *queue;

	if (!monitor)
		return;
	cpu = begin_update(&flags);
	queue = &monitor->queues[find_or_add_queue(monitor, napi)];
	WRITE_ONCE(queue->scheduled, true);
	if (cpu->irq >= 0)
		claim(cpu, monitor, queue);
	if (!test_bit(NAPI_STATE_THREADED, &napi->state))
		cpu->pending_slots |= BIT(monitor->slot);
	end_update(flags);
}

void on_napi_schedule(unsigned long ip, unsigned long caller, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	rcu_read_lock_sched_notrace();
	scheduled(ftrace_first_argument(fregs));
	rcu_read_unlock_sched_notrace();
}

/* The same without ftrace, to measure what it costs. */
void napi_scheduled(const struct napi_struct *napi)
{
	scheduled(napi);
}

/* A frame of this queue was delivered. Inside an update. */
void answer_claim(struct interface_counters *counters, struct queue *queue, unsigned int q)
{
	unsigned int claims = READ_ONCE(queue->claims);

	if (claims == READ_ONCE(queue->answered))
		return;
	WRITE_ONCE(queue->answered, claims);
	counters->answered = true;
	counters->queues[q].rx_interrupts++;
}

/* Inside an update. */
void end_poll_batch(struct cpu_state *cpu)
{
	struct poll_batch *batch = &cpu->batch;
	struct interface_counters *counters;
	struct frames frames;

	if (!batch->device)
		return;
	counters = this_cpu_ptr(batch->monitor->counters);
	frames = frames_of_batch(batch->frames);
	add_frames(&counters->queues[batch->queue].rx, &frames);
	batch->device = NULL;
	batch->frames = 0;
}

/*
 * The poll delivered nothing: its interrupt was for something else. A claim whose NAPI_STATE_SCHED came after the poll's
 * end is newer than the `claims` read here, so it stays; the comparison fails if another CPU's poll was faster.
 */
static void drop_claim(const struct napi_struct *napi, struct queue *queue)
{
	unsigned int answered = READ_ONCE(queue->answered);
	unsigned int claims = READ_ONCE(queue->claims);

	smp_rmb(); /* claims before the state */
	if (claims != answered && !test_bit(NAPI_STATE_SCHED, &napi->state))
		cmpxchg(&queue->answered, answered, claims);
}

/*
 * Frames whose NAPI was not known until this poll ended. If a further interrupt has come meanwhile, it has its own claim:
 * that one is left to its own poll.
 */
static void assign_frames(struct interface_counters *counters, struct queue *queue, unsigned int q)
{
	unsigned int waiting = READ_ONCE(queue->claims) - READ_ONCE(queue->answered);

	if (!counters->unassigned.packets)
		return;
	add_frames(&counters->queues[q].rx, &counters->unassigned);
	counters->unassigned = (struct frames){ 0 };
	if (!waiting)
		return;
	WRITE_ONCE(queue->answered, queue->claims - (waiting > 1));
	counters->answered = true;
	counters->queues[q].rx_interrupts++;
}

/*
 * Of the interrupts that a poll coalesced, as many as there was a frame for: beside the one that answered a claim, if there was
 * a claim. Where a thread polls busily NAPI stays scheduled, so that there is none.
 */
static void take_met(struct queue *queue, struct queue_counters *count, unsigned int frames)
{
	unsigned int coalesced = READ_ONCE(queue->coalesced);

	count->rx_interrupts += min(coalesced - READ_ONCE(queue->taken), frames);
	WRITE_ONCE(queue->taken, coalesced);
}

static void count_poll(struct interface_counters *counters, struct queue *queue, unsigned int q,
		       const struct napi_struct *napi, int work)
{
	struct queue_counters *count = &counters->queues[q];
	bool delivered = counters->delivered;

	assign_frames(counters, queue, q);
	take_met(queue, count, delivered ? max(work - counters->answered, 0) : 0);
	count->polls++;
	count->poll_work += work;
	count->rx_polls += delivered;
	counters->delivered = false;
	counters->answered = false;
	if (!delivered && !work)
		drop_claim(napi, queue);
}

static void find_thread(struct cpu_state *cpu, u32 slots, struct queue *queue,
			const struct napi_struct *napi)
{
	if (napi->thread != current || queue->thread == current)
		return;
	WRITE_ONCE(queue->thread, current);
	WRITE_ONCE(threads_poll, true);
	if (cpu->context.kind == CPU_CONTEXT_TASK)
		napi_thread_found(cpu, slots);
}

static void monitored_poll_ended(struct cpu_state *cpu, struct monitor *monitor,
				 const struct napi_struct *napi, int work)
{
	unsigned int q = find_or_add_queue(monitor, napi);
	struct queue *queue = &monitor->queues[q];

	count_poll(this_cpu_ptr(monitor->counters), queue, q, napi, work);
	find_thread(cpu, BIT(monitor->slot), queue, napi);
	if (test_bit(NAPI_STATE_SCHED, &napi->state))
		return;
	WRITE_ONCE(queue->scheduled, false);
	cpu->pending_slots &= ~BIT(monitor->slot);
}

/* After each poll, in softirq, NAPI thread or a task that polls busily. */
void on_napi_poll(void *data, struct napi_struct *napi, int work, int budget)
{
	struct monitor *monitor = napi->dev ? monitor_of(napi->dev) : NULL;
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	end_poll_batch(cpu);
	poll_ended(cpu, monitor ? BIT(monitor->slot) : 0);
	if (monitor)
		monitored_poll_ended(cpu, monitor, napi, work);
	end_update(flags);
}
