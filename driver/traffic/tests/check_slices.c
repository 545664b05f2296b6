// SPDX-License-Identifier: Apache-2.0
/* Reads times and latencies in nanoseconds from stdin into two in turn, merges them, and reports them as the tool does. */
#include <inttypes.h>
#include <stdio.h>

#include "../report.h"
#include "../slices.h"

static struct slices halves[2];

int main(void)
{
	uint64_t time, latency;
	unsigned int i;

	for (i = 0; i < 2; i++)
		slices_begin(&halves[i], 1000);
	for (i = 0; scanf("%" SCNu64 " %" SCNu64, &time, &latency) == 2; i++)
		slices_record(&halves[i % 2], time, latency);
	slices_merge(&halves[0], &halves[1]);
	report_begin("check");
	report_latency(&halves[0]);
	return !report_end();
}
