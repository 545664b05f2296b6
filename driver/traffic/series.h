/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was counted in each interval of time, so that whoever measured a part of that time can add up what lies in it.
 * Intervals are of 100 ms; when they no longer suffice, two become one.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdint.h>

enum { SERIES_INTERVALS = 4096, SERIES_COLUMNS = 3 };

/* Columns of every role; what the third holds is the role's own. */
enum series_column { SERIES_BYTES, SERIES_OPERATIONS, SERIES_OWN };

struct series {
	uint64_t origin_ns, interval_ns;
	int64_t counts[SERIES_COLUMNS][SERIES_INTERVALS];
};

/* Empty, from a time on that is the same for all series that are to be merged. */
void series_begin(struct series *series, uint64_t origin_ns);
/* The interval of a time; widens the intervals if need be. */
unsigned int series_index(struct series *series, uint64_t time_ns);
void series_merge(struct series *into, struct series *from);

#endif
