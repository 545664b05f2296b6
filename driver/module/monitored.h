/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_MONITORED_H
#define COALESCOPE_MONITORED_H

#include <linux/netdevice.h>
#include <linux/spinlock.h>

#include "counters.h"

/* A NAPI instance of a monitored interface. */
struct queue {
	const struct napi_struct *napi; /* compared, never followed: it may be gone */
	unsigned int napi_id;
	int irq; /* the line that schedules it, -1: not known */
	const struct task_struct *thread; /* that polls it, NULL: softirq; compared only */

	/*
	 * Interrupts that scheduled this NAPI, and how many of them a delivered frame (or an empty poll) has
	 * answered. The interrupt and the poll may run on different CPUs.
	 */
	unsigned int claims;
	unsigned int answered;

	/*
	 * Interrupts that found this NAPI scheduled already, as they do when the CPU is saturated, and how many of
	 * them the end of a poll has taken: they schedule nothing, but their frames are delivered all the same.
	 */
	bool scheduled; /* a poll is due or under way, and has not ended NAPI yet */
	unsigned int coalesced;
	unsigned int taken;
};

/* An interface that at least one open file monitors. */
struct monitor {
	unsigned int slot;
	unsigned int readers; /* under rtnl */
	struct net_device __rcu *device; /* NULL: it was removed */
	netdevice_tracker tracker;
	unsigned int interface_index;
	struct interface_counters __percpu *counters;

	raw_spinlock_t lock; /* adding to queues */
	unsigned int queue_capacity;
	unsigned int queue_count; /* only grows */
	bool queues_exhausted; /* the last queue stands for those that found no place */
	struct queue queues[];
};

/*
 * What the probes look at for every frame: device pointers beside each other. The pointers are compared; what they
 * point to is followed only where removal waits: all probes run with interrupts or bottom halves off, which
 * synchronize_rcu() waits for, also where tracepoints themselves run under SRCU (Linux 7).
 */
extern struct net_device *monitored_devices[MAX_MONITORS];
extern struct monitor __rcu *monitors[MAX_MONITORS];
extern const struct net *monitored_nets[MAX_MONITORS]; /* beside the devices, so that a task switch compares pointers only */
extern unsigned int monitor_slots; /* up to the last one in use */
extern bool threads_poll; /* a monitored interface was ever polled by a thread */

static inline struct monitor *monitor_in_slot(unsigned int slot)
{
	return rcu_dereference_sched(monitors[slot]);
}

static inline struct monitor *monitor_of(const struct net_device *device)
{
	unsigned int slot, slots = READ_ONCE(monitor_slots);

	for (slot = 0; slot < slots; slot++)
		if (READ_ONCE(monitored_devices[slot]) == device)
			return device ? monitor_in_slot(slot) : NULL;
	return NULL;
}

static inline u32 slots_of_device(const void *device)
{
	unsigned int slot, slots = READ_ONCE(monitor_slots);

	for (slot = 0; device && slot < slots; slot++)
		if (READ_ONCE(monitored_devices[slot]) == device)
			return BIT(slot);
	return 0;
}

/* Those below it are filled; pairs with add_queue(). */
static inline unsigned int known_queues(const struct monitor *monitor)
{
	return smp_load_acquire(&monitor->queue_count); /* filled before it was counted */
}

static inline u32 slots_of_net(const struct net *net)
{
	unsigned int slot, slots = READ_ONCE(monitor_slots);
	u32 mask = 0;

	for (slot = 0; net && slot < slots; slot++)
		if (READ_ONCE(monitored_nets[slot]) == net)
			mask |= BIT(slot);
	return mask;
}

u32 slots_of_polling_thread(const struct task_struct *task);

static inline u32 slots_of_thread(const struct task_struct *task)
{
	return unlikely(READ_ONCE(threads_poll)) ? slots_of_polling_thread(task) : 0;
}

int add_queue(struct monitor *monitor, const struct napi_struct *napi);

static inline int find_queue(const struct monitor *monitor, const struct napi_struct *napi)
{
	unsigned int q, count = known_queues(monitor);

	for (q = 0; q < count; q++)
		if (READ_ONCE(monitor->queues[q].napi) == napi)
			return q;
	return -1;
}

/* Called with interrupts off, inside an update: a reader does not see the queue without its first counts. */
static inline int find_or_add_queue(struct monitor *monitor, const struct napi_struct *napi)
{
	int q = find_queue(monitor, napi);

	if (unlikely(q < 0))
		return add_queue(monitor, napi);
	/* the same address, taken again by another instance */
	if (unlikely(monitor->queues[q].napi_id != napi->napi_id))
		WRITE_ONCE(monitor->queues[q].napi_id, napi->napi_id);
	return q;
}

int find_queue_by_id(const struct monitor *monitor, unsigned int napi_id, unsigned int hint);

#endif
