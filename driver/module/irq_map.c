// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

#include "irq_map.h"

DEFINE_HASHTABLE(coalescope_irq_map, LINES_BITS);
static DEFINE_RAW_SPINLOCK(irq_map_lock); /* writers */

/* Called from the interrupt that teaches it. Without memory the next interrupt teaches it again. */
void irq_map_add(int irq, const void *handler_device, unsigned int slot)
{
	struct line *line = kmalloc(sizeof(*line), GFP_ATOMIC | __GFP_NOWARN);
	unsigned long flags;

	if (!line)
		return;
	line->irq = irq;
	line->handler_device = handler_device;
	line->slot = slot;
	raw_spin_lock_irqsave(&irq_map_lock, flags);
	if (slots_of_line(irq, handler_device) & BIT(slot))
		kfree(line);
	else
		hash_add_rcu(coalescope_irq_map, &line->node, key_of_line(irq, handler_device));
	raw_spin_unlock_irqrestore(&irq_map_lock, flags);
}

void irq_map_forget(unsigned int slot)
{
	struct hlist_node *next;
	struct line *line;
	unsigned long flags;
	int bucket;

	raw_spin_lock_irqsave(&irq_map_lock, flags);
	hash_for_each_safe(coalescope_irq_map, bucket, next, line, node) {
		if (line->slot != slot)
			continue;
		hash_del_rcu(&line->node);
		kfree_rcu(line, rcu);
	}
	raw_spin_unlock_irqrestore(&irq_map_lock, flags);
}

int irq_map_list(char *text, int at, unsigned int slot)
{
	const char *before = "";
	const struct line *line;
	int bucket, start = at;

	hash_for_each_rcu(coalescope_irq_map, bucket, line, node) {
		if (line->slot != slot)
			continue;
		at += sysfs_emit_at(text, at, "%s%d", before, line->irq);
		before = ",";
	}
	return at - start;
}
