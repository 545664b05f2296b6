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
#include "interrupts.h"
#include "lines.h"
#include "owners.h"
#include "watched.h"

void on_irq_handler_entry(void *data, int irq, struct irqaction *action)
{
	u32 learnt_slots = slots_of_line(irq, action->dev_id);
	u32 slots = learnt_slots | slots_of_device(action->dev_id);
	struct cpu_state *cpu = begin_update_irqs_off();

	push_owner(cpu, slots ? OWNER_DEVICE_INTERRUPT : OWNER_OTHER_INTERRUPT, slots);
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
static void meet_scheduled(int irq, u32 slots)
{
	while (slots) {
		struct watch *watch = watch_in_slot(__ffs(slots));
		unsigned int q, count = watch ? known_queues(watch) : 0;

		for (q = 0; q < count; q++) {
			struct queue *queue = &watch->queues[q];

			if (READ_ONCE(queue->irq) == irq && READ_ONCE(queue->scheduled))
				WRITE_ONCE(queue->met, queue->met + 1);
		}
		slots &= slots - 1;
	}
}

static void learn_lines(int irq, const void *handler_device, u32 slots)
{
	while (slots) {
		learn_line(irq, handler_device, __ffs(slots));
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
	meet_scheduled(irq, slots & ~cpu->scheduled_slots);
	cpu->irq = -1;
	cpu->handler_slots = 0;
	cpu->scheduled_slots = 0;
	pop_owner(cpu);
	end_update_irqs_off();
	if (unlikely(new_slots))
		learn_lines(irq, action->dev_id, new_slots);
}

static void claim(struct cpu_state *cpu, struct watch *watch, struct queue *queue)
{
	this_cpu_ptr(watch->counters)->schedules++;
	cpu->scheduled_slots |= BIT(watch->slot);
	WRITE_ONCE(queue->irq, cpu->irq);
	/* NAPI is scheduled by one CPU at a time */
	WRITE_ONCE(queue->claims, queue->claims + 1);
}

/* At the entry of __napi_schedule(): NAPI_STATE_SCHED is set already, and no poll can have begun. */
static __always_inline void scheduled(const struct napi_struct *napi)
{
	struct watch *watch = napi->dev ? watch_of(napi->dev) : NULL;
	unsigned long flags;
	struct cpu_state *cpu;
	struct queue *queue;

	if (!watch)
		return;
	cpu = begin_update(&flags);
	queue = &watch->queues[find_or_add_queue(watch, napi)];
	WRITE_ONCE(queue->scheduled, true);
	if (cpu->irq >= 0)
		claim(cpu, watch, queue);
	if (!test_bit(NAPI_STATE_THREADED, &napi->state))
		cpu->armed_slots |= BIT(watch->slot);
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
void end_burst(struct cpu_state *cpu)
{
	struct burst *burst = &cpu->burst;
	struct interface_counters *counters;
	struct frames frames;

	if (!burst->device)
		return;
	counters = this_cpu_ptr(burst->watch->counters);
	frames = frames_of_burst(burst->frames);
	add_frames(&counters->queues[burst->queue].rx, &frames);
	burst->device = NULL;
	burst->frames = 0;
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
 * Of the interrupts that a poll met, as many as there was a frame for: beside the one that answered a claim, if there was
 * a claim. Where a thread polls busily NAPI stays scheduled, so that there is none.
 */
static void take_met(struct queue *queue, struct queue_counters *count, unsigned int frames)
{
	unsigned int met = READ_ONCE(queue->met);

	count->rx_interrupts += min(met - READ_ONCE(queue->taken), frames);
	WRITE_ONCE(queue->taken, met);
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
	if (cpu->owner.kind == OWNER_TASK)
		napi_thread_found(cpu, slots);
}

static void watched_poll_ended(struct cpu_state *cpu, struct watch *watch,
			       const struct napi_struct *napi, int work)
{
	unsigned int q = find_or_add_queue(watch, napi);
	struct queue *queue = &watch->queues[q];

	count_poll(this_cpu_ptr(watch->counters), queue, q, napi, work);
	find_thread(cpu, BIT(watch->slot), queue, napi);
	if (test_bit(NAPI_STATE_SCHED, &napi->state))
		return;
	WRITE_ONCE(queue->scheduled, false);
	cpu->armed_slots &= ~BIT(watch->slot);
}

/* After each poll, in softirq, NAPI thread or a task that polls busily. */
void on_napi_poll(void *data, struct napi_struct *napi, int work, int budget)
{
	struct watch *watch = napi->dev ? watch_of(napi->dev) : NULL;
	unsigned long flags;
	struct cpu_state *cpu = begin_update(&flags);

	end_burst(cpu);
	poll_ended(cpu, watch ? BIT(watch->slot) : 0);
	if (watch)
		watched_poll_ended(cpu, watch, napi, work);
	end_update(flags);
}
