/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "sockets.h"

void report_begin(const char *role)
{
	printf("{\"tool\":\"coalescope-traffic\",\"version\":\"" TRAFFIC_VERSION "\",\"role\":\"%s\"", role);
}

void report_real(const char *name, double value)
{
	printf(",\"%s\":%.9g", name, value);
}

void report_whole(const char *name, uint64_t value)
{
	printf(",\"%s\":%" PRIu64, name, value);
}

void report_bool(const char *name, bool value)
{
	printf(",\"%s\":%s", name, value ? "true" : "false");
}

static void print_buckets(const struct histogram *histogram, const char *name, uint64_t (*of)(unsigned int))
{
	const char *comma = "";
	unsigned int i;

	printf(",\"%s\":[", name);
	for (i = 0; i < BUCKETS; i++)
		if (histogram->counts[i]) {
			printf("%s%" PRIu64, comma, of ? of(i) : histogram->counts[i]);
			comma = ",";
		}
	printf("]");
}

void report_latency(const struct histogram *histogram)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};
	size_t i;

	if (!histogram->count)
		return;
	printf(",\"latency_us\":{\"mean\":%.6g,\"min\":%.9g", histogram_mean(histogram) / 1e3,
	       (double)histogram->minimum / 1e3);
	for (i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		report_real(quantiles[i].name, histogram_quantile(histogram, quantiles[i].share) / 1e3);
	printf(",\"max\":%.9g},\"histogram\":{\"most_relative_error\":%.6f", (double)histogram->maximum / 1e3,
	       0.5 / BUCKETS_PER_OCTAVE);
	print_buckets(histogram, "lower_ns", bucket_lower);
	print_buckets(histogram, "upper_ns", bucket_upper);
	print_buckets(histogram, "counts", NULL);
	printf("}");
}

bool report_end(void)
{
	puts("}");
	return (!fflush(stdout) && !ferror(stdout)) || socket_complain("stdout");
}
