/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values from stdin into two histograms in turn, merges them, and prints what they say of the values. */
#include <inttypes.h>
#include <stdio.h>

#include "../histogram.h"

static struct histogram halves[2];

int main(void)
{
	static const double shares[] = {0, 0.5, 0.9, 0.99, 0.999, 1};
	uint64_t value;
	unsigned int i, wrong = 0;

	for (i = 0; scanf("%" SCNu64, &value) == 1; i++)
		histogram_record(&halves[i % 2], value);
	histogram_merge(&halves[0], &halves[1]);
	for (i = 0; i + 1 < BUCKETS; i++)
		wrong += bucket_upper(i) + 1 != bucket_lower(i + 1);
	printf("{\"count\":%" PRIu64 ",\"minimum\":%" PRIu64 ",\"maximum\":%" PRIu64 ",\"mean\":%.17g,\"gaps\":%u,",
	       halves[0].count, halves[0].minimum, halves[0].maximum, histogram_mean(&halves[0]), wrong);
	printf("\"last\":%" PRIu64 ",\"quantiles\":[", bucket_upper(BUCKETS - 1));
	for (i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		printf("%s%.17g", i ? "," : "", histogram_quantile(&halves[0], shares[i]));
	puts("]}");
	return 0;
}
