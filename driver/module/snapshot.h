/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_SNAPSHOT_H
#define COALESCOPE_SNAPSHOT_H

#include <linux/types.h>

struct coalescope_snapshot;
struct cpu_version;
struct monitor;

/* What a file needs to take snapshots of one monitor, and what it has seen. */
struct snapshot_buffers {
	struct coalescope_snapshot *snapshot; /* with all queues that there may be */
	struct coalescope_snapshot *part; /* of one CPU, likewise */
	struct cpu_version *versions; /* at each CPU */
	u64 softirq_cycles; /* as shown last */
	u64 other_irq_cycles;
	u64 sequence;
};

int allocate_buffers(struct snapshot_buffers *buffers, const struct monitor *monitor);
void free_buffers(struct snapshot_buffers *buffers);
ssize_t take_snapshot(struct monitor *monitor, struct snapshot_buffers *buffers);

#endif
