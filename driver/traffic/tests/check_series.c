// SPDX-License-Identifier: Apache-2.0
/* Reads times in nanoseconds from stdin into two series in turn, merges them, and prints what was counted where. */
#include <inttypes.h>
#include <stdio.h>

#include "../series.h"

static struct series halves[2];

int main(void)
{
	unsigned int i;
	uint64_t time;

	for (i = 0; i < 2; i++)
		series_begin(&halves[i], 1000);
	for (i = 0; scanf("%" SCNu64, &time) == 1; i++)
		halves[i % 2].counts[SERIES_OWN][series_index(&halves[i % 2], time)]++;
	series_merge(&halves[0], &halves[1]);
	printf("{\"interval_ns\":%" PRIu64 ",\"counts\":[", halves[0].interval_ns);
	for (i = 0; i < SERIES_INTERVALS; i++)
		printf("%s%" PRId64, i ? "," : "", halves[0].counts[SERIES_OWN][i]);
	puts("]}");
	return 0;
}
