/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of each record. It is read before the counters that have no time of their own, so that they follow it
 * closely; where a better source brings the monotonic time with its counters, only the time of day is left to read.
 */
#include "clock.h"
#include "source.h"

static int sample(struct source *source, uint64_t *values)
{
	values[source->first] = clock_ns(CLOCK_MONOTONIC_RAW);
	values[source->first + 1] = clock_ns(CLOCK_REALTIME);
	return 0;
}

static int sample_time_of_day(struct source *source, uint64_t *values)
{
	values[source->first] = clock_ns(CLOCK_REALTIME);
	return 0;
}

int clock_source_open(struct source *source, struct record_layout *layout)
{
	bool timed = record_layout_has(layout, "t_monotonic_ns");
	struct column *column;

	*source = (struct source){
		.name = "clock",
		.description = timed ? "clock_gettime, read just after the counters"
				     : "clock_gettime, read just before the counters",
		.first = layout->count,
		.sample = timed ? sample_time_of_day : sample,
	};
	if (!timed) {
		column = record_layout_add(layout, "t_monotonic_ns", "ns", COLUMN_TIME, source->name);
		json_member_string(&column->attributes, "clock", "CLOCK_MONOTONIC_RAW");
	}
	column = record_layout_add(layout, "t_realtime_ns", "ns", COLUMN_TIME, source->name);
	json_member_string(&column->attributes, "clock", "CLOCK_REALTIME");
	return 0;
}
