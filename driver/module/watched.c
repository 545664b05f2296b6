// SPDX-License-Identifier: GPL-2.0
/* Which interfaces are watched, and their NAPI instances: what probes look up. */
#include <linux/lockdep.h>

#include "watched.h"

struct net_device *watched_devices[MAX_WATCHES];
struct watch __rcu *watches[MAX_WATCHES];
const struct net *watched_nets[MAX_WATCHES];
unsigned int watch_slots;
bool threads_poll;

static bool polls_for(const struct watch *watch, const struct task_struct *task)
{
	unsigned int q, count = known_queues(watch);

	for (q = 0; q < count; q++)
		if (READ_ONCE(watch->queues[q].thread) == task)
			return true;
	return false;
}

u32 slots_of_polling_thread(const struct task_struct *task)
{
	unsigned int slot, slots = READ_ONCE(watch_slots);
	u32 mask = 0;

	for (slot = 0; slot < slots; slot++) {
		const struct watch *watch = watch_in_slot(slot);

		if (watch && polls_for(watch, task))
			mask |= BIT(slot);
	}
	return mask;
}

int find_queue_by_id(const struct watch *watch, unsigned int napi_id, unsigned int hint)
{
	unsigned int q, count = known_queues(watch);

	if (hint < count && READ_ONCE(watch->queues[hint].napi_id) == napi_id)
		return hint;
	for (q = 0; q < count; q++)
		if (READ_ONCE(watch->queues[q].napi_id) == napi_id)
			return q;
	return -1;
}

static unsigned int append_queue(struct watch *watch, const struct napi_struct *napi)
{
	unsigned int q = watch->queue_count;

	lockdep_assert_held(&watch->lock);
	/* A driver that makes its NAPI instances anew may exhaust the table: the last entry then stands for the rest. */
	if (q == watch->queue_capacity) {
		WRITE_ONCE(watch->queues_exhausted, true);
		return q - 1;
	}
	watch->queues[q].napi = napi;
	watch->queues[q].napi_id = napi->napi_id;
	watch->queues[q].irq = -1;
	smp_store_release(&watch->queue_count, q + 1); /* filled before it is found */
	return q;
}

/* Unless another CPU was faster. */
int add_queue(struct watch *watch, const struct napi_struct *napi)
{
	int q;

	raw_spin_lock(&watch->lock);
	q = find_queue(watch, napi);
	if (q < 0)
		q = append_queue(watch, napi);
	raw_spin_unlock(&watch->lock);
	return q;
}
