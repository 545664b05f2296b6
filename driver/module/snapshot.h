/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_SNAPSHOT_H
#define COALESCOPE_SNAPSHOT_H

#include <linux/types.h>

struct coalescope_snapshot;
struct look;
struct watch;

/* What a file needs to take snapshots of one watch, and what it has seen. */
struct snapshot_room {
	struct coalescope_snapshot *snapshot; /* with all queues that there may be */
	struct coalescope_snapshot *part; /* of one CPU, likewise */
	struct look *looks; /* at each CPU */
	u64 softirq_cycles; /* as shown last */
	u64 other_irq_cycles;
	u64 sequence;
};

int allocate_room(struct snapshot_room *room, const struct watch *watch);
void free_room(struct snapshot_room *room);
ssize_t take_snapshot(struct watch *watch, struct snapshot_room *room);

#endif
