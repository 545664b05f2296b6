/* SPDX-License-Identifier: Apache-2.0 */
#include "slices.h"

#include <string.h>

enum { FIRST_SLICE_NS = 50000000 };

void slices_begin(struct slices *slices, uint64_t origin_ns)
{
	slices->origin_ns = origin_ns;
	slices->interval_ns = FIRST_SLICE_NS;
}

static void empty(struct histogram *histogram)
{
	if (histogram->count)
		memset(histogram, 0, sizeof(*histogram));
}

static void widen(struct slices *slices)
{
	unsigned int i;

	for (i = 0; i < SLICES; i++) {
		struct histogram moved = slices->each[i];

		empty(&slices->each[i]);
		histogram_merge(&slices->each[i / 2], &moved);
	}
	slices->interval_ns *= 2;
}

void slices_record(struct slices *slices, uint64_t time_ns, uint64_t latency_ns)
{
	uint64_t since = time_ns > slices->origin_ns ? time_ns - slices->origin_ns : 0;

	while (since / slices->interval_ns >= SLICES)
		widen(slices);
	histogram_record(&slices->each[since / slices->interval_ns], latency_ns);
}

void slices_merge(struct slices *into, struct slices *from)
{
	unsigned int i;

	while (into->interval_ns < from->interval_ns)
		widen(into);
	while (from->interval_ns < into->interval_ns)
		widen(from);
	for (i = 0; i < SLICES; i++)
		histogram_merge(&into->each[i], &from->each[i]);
}

void slices_sum(const struct slices *slices, struct histogram *into)
{
	unsigned int i;

	for (i = 0; i < SLICES; i++)
		histogram_merge(into, &slices->each[i]);
}
