/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_SNAPSHOT_SUMS_H
#define COALESCOPE_SNAPSHOT_SUMS_H

#include <linux/types.h>

struct coalescope_snapshot;
struct monitor;

void begin_sums(struct coalescope_snapshot *s, const struct monitor *monitor);
void add_counters_of_cpu(struct coalescope_snapshot *s, const struct monitor *monitor,
			 unsigned int number, u64 batch);
void add_part(struct coalescope_snapshot *s, const struct coalescope_snapshot *part);
void finish_sums(struct coalescope_snapshot *s, const struct monitor *monitor);

#endif
