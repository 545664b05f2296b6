/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_IRQ_MAP_H
#define COALESCOPE_IRQ_MAP_H

#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/types.h>

/*
 * The interrupt lines of the monitored interfaces: pairs of line and handler's device, since a line may be shared. They
 * are learnt: from a handler that schedules the interface's NAPI, or that was requested for the interface itself.
 */
struct line {
	struct hlist_node node;
	struct rcu_head rcu;
	int irq;
	const void *handler_device; /* compared, never followed */
	unsigned int slot;
};

#define LINES_BITS 6
extern struct hlist_head coalescope_irq_map[1 << LINES_BITS];

static inline unsigned long key_of_line(int irq, const void *handler_device)
{
	return (unsigned long)handler_device + irq;
}

static inline u32 slots_of_line(int irq, const void *handler_device)
{
	const struct line *line;
	u32 slots = 0;

	hash_for_each_possible_rcu_notrace(coalescope_irq_map, line, node,
					   key_of_line(irq, handler_device))
		if (line->irq == irq && line->handler_device == handler_device)
			slots |= BIT(line->slot);
	return slots;
}

void irq_map_add(int irq, const void *handler_device, unsigned int slot);
void irq_map_forget(unsigned int slot);
int irq_map_list(char *text, int at, unsigned int slot);

#endif
