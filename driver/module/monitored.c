// SPDX-License-Identifier: GPL-2.0
/* Which interfaces are monitored, and their NAPI instances: what probes look up. */
#include <linux/lockdep.h>

#include "monitored.h"

struct net_device *monitored_devices[MAX_MONITORS];
struct monitor __rcu *monitors[MAX_MONITORS];
const struct net *monitored_nets[MAX_MONITORS];
unsigned int monitor_slots;
bool threads_poll;

static bool polls_for(const struct monitor *monitor, const struct task_struct *task)
{
	unsigned int q, count = known_queues(monitor);

	for (q = 0; q < count; q++)
		if (READ_ONCE(monitor->queues[q].thread) == task)
			return true;
	return false;
}

u32 slots_of_polling_thread(const struct task_struct *task)
{
	unsigned int slot, slots = READ_ONCE(monitor_slots);
	u32 mask = 0;

	for (slot = 0; slot < slots; slot++) {
		const struct monitor *monitor = monitor_in_slot(slot);

		if (monitor && polls_for(monitor, task))
			mask |= BIT(slot);
	}
	return mask;
}

int find_queue_by_id(const struct monitor *monitor, unsigned int napi_id, unsigned int hint)
{
	unsigned int q, count = known_queues(monitor);

	if (hint < count && READ_ONCE(monitor->queues[hint].napi_id) == napi_id)
		return hint;
	for (q = 0; q < count; q++)
		if (READ_ONCE(monitor->queues[q].napi_id) == napi_id)
			return q;
	return -1;
}

static unsigned int append_queue(struct monitor *monitor, const struct napi_struct *napi)
{
	unsigned int q = monitor->queue_count;

	lockdep_assert_held(&monitor->lock);
	/* A driver that makes its NAPI instances anew may exhaust the table: the last entry then stands for the rest. */
	if (q == monitor->queue_capacity) {
		WRITE_ONCE(monitor->queues_exhausted, true);
		return q - 1;
	}
	monitor->queues[q].napi = napi;
	monitor->queues[q].napi_id = napi->napi_id;
	monitor->queues[q].irq = -1;
	smp_store_release(&monitor->queue_count, q + 1); /* filled before it is found */
	return q;
}

/* Unless another CPU was faster. */
int add_queue(struct monitor *monitor, const struct napi_struct *napi)
{
	int q;

	raw_spin_lock(&monitor->lock);
	q = find_queue(monitor, napi);
	if (q < 0)
		q = append_queue(monitor, napi);
	raw_spin_unlock(&monitor->lock);
	return q;
}
