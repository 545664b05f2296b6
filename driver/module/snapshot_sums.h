/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_SNAPSHOT_SUMS_H
#define COALESCOPE_SNAPSHOT_SUMS_H

#include <linux/types.h>

struct coalescope_snapshot;
struct watch;

void begin_sums(struct coalescope_snapshot *s, const struct watch *watch);
void add_counters_of_cpu(struct coalescope_snapshot *s, const struct watch *watch,
			 unsigned int number, u64 burst);
void add_part(struct coalescope_snapshot *s, const struct coalescope_snapshot *part);
void finish_sums(struct coalescope_snapshot *s, const struct watch *watch);

#endif
