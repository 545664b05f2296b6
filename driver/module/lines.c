// SPDX-License-Identifier: GPL-2.0
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

#include "lines.h"

struct line {
	struct hlist_node node;
	struct rcu_head rcu;
	int irq;
	const void *handler_device; /* compared, never followed */
	unsigned int slot;
};

static DEFINE_HASHTABLE(lines, 6);
static DEFINE_RAW_SPINLOCK(lines_lock); /* writers */

static unsigned long key_of(int irq, const void *handler_device)
{
	return (unsigned long)handler_device + irq;
}

u32 slots_of_line(int irq, const void *handler_device)
{
	const struct line *line;
	u32 slots = 0;

	hash_for_each_possible_rcu_notrace(lines, line, node, key_of(irq, handler_device))
		if (line->irq == irq && line->handler_device == handler_device)
			slots |= BIT(line->slot);
	return slots;
}

/* Called from the interrupt that teaches it. Without memory the next interrupt teaches it again. */
void learn_line(int irq, const void *handler_device, unsigned int slot)
{
	struct line *line = kmalloc(sizeof(*line), GFP_ATOMIC | __GFP_NOWARN);
	unsigned long flags;

	if (!line)
		return;
	line->irq = irq;
	line->handler_device = handler_device;
	line->slot = slot;
	raw_spin_lock_irqsave(&lines_lock, flags);
	if (slots_of_line(irq, handler_device) & BIT(slot))
		kfree(line);
	else
		hash_add_rcu(lines, &line->node, key_of(irq, handler_device));
	raw_spin_unlock_irqrestore(&lines_lock, flags);
}

void forget_lines(unsigned int slot)
{
	struct hlist_node *next;
	struct line *line;
	unsigned long flags;
	int bucket;

	raw_spin_lock_irqsave(&lines_lock, flags);
	hash_for_each_safe(lines, bucket, next, line, node) {
		if (line->slot != slot)
			continue;
		hash_del_rcu(&line->node);
		kfree_rcu(line, rcu);
	}
	raw_spin_unlock_irqrestore(&lines_lock, flags);
}

int list_lines(char *text, int at, unsigned int slot)
{
	const char *before = "";
	const struct line *line;
	int bucket, start = at;

	hash_for_each_rcu(lines, bucket, line, node) {
		if (line->slot != slot)
			continue;
		at += sysfs_emit_at(text, at, "%s%d", before, line->irq);
		before = ",";
	}
	return at - start;
}
