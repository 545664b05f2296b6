/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latencies in each slice of the time that is counted, so that whoever measured a part of that time has the percentiles of
 * that part: those of the whole hold slow requests that may lie outside it. Slices are of 50 ms; when they no longer
 * suffice, two become one.
 */
#ifndef SLICES_H
#define SLICES_H

#include <stdint.h>

#include "histogram.h"

enum { SLICES = 64 };

struct slices {
	uint64_t origin_ns, interval_ns;
	struct histogram each[SLICES]; /* memory is touched only as they come */
};

/* Empty (zeroed memory), from a time on that is the same for all that are to be merged. */
void slices_begin(struct slices *slices, uint64_t origin_ns);
void slices_record(struct slices *slices, uint64_t time_ns, uint64_t latency_ns);
void slices_merge(struct slices *into, struct slices *from);
/* All of them together. */
void slices_sum(const struct slices *slices, struct histogram *into);

#endif
