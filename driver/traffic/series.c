/* SPDX-License-Identifier: Apache-2.0 */
#include "series.h"

#include <string.h>

enum { FIRST_INTERVAL_NS = 100000000 };

void series_begin(struct series *series, uint64_t origin_ns)
{
	series->origin_ns = origin_ns;
	series->interval_ns = FIRST_INTERVAL_NS;
}

static void widen(struct series *series)
{
	unsigned int column, i;

	for (column = 0; column < SERIES_COLUMNS; column++) {
		int64_t *counts = series->counts[column];

		for (i = 0; i < SERIES_INTERVALS / 2; i++)
			counts[i] = counts[2 * i] + counts[2 * i + 1];
		memset(counts + SERIES_INTERVALS / 2, 0, sizeof(*counts) * SERIES_INTERVALS / 2);
	}
	series->interval_ns *= 2;
}

unsigned int series_index(struct series *series, uint64_t time_ns)
{
	uint64_t since = time_ns > series->origin_ns ? time_ns - series->origin_ns : 0;

	while (since / series->interval_ns >= SERIES_INTERVALS)
		widen(series);
	return (unsigned int)(since / series->interval_ns);
}

void series_merge(struct series *into, struct series *from)
{
	unsigned int column, i;

	while (into->interval_ns < from->interval_ns)
		widen(into);
	while (from->interval_ns < into->interval_ns)
		widen(from);
	for (column = 0; column < SERIES_COLUMNS; column++)
		for (i = 0; i < SERIES_INTERVALS; i++)
			into->counts[column][i] += from->counts[column][i];
}
