/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "clock.h"
#include "sockets.h"

static bool listing, first; /* within an item's braces no comma goes before the first member */

static const char *separator(void)
{
	const bool begins = listing && first;

	first = false;
	return begins ? "" : ",";
}

void report_begin(const char *role)
{
	printf("{\"tool\":\"coalescope-traffic\",\"version\":\"" TRAFFIC_VERSION "\",\"role\":\"%s\"", role);
}

void report_real(const char *name, double value)
{
	printf("%s\"%s\":%.9g", separator(), name, value);
}

void report_whole(const char *name, uint64_t value)
{
	printf("%s\"%s\":%" PRIu64, separator(), name, value);
}

static bool holds_anything(const struct series *series, unsigned int interval)
{
	return series->counts[SERIES_BYTES][interval] || series->counts[SERIES_OPERATIONS][interval] ||
	       series->counts[SERIES_OWN][interval];
}

static void print_column(const int64_t *counts, unsigned int from, unsigned int until, const char *name)
{
	unsigned int i;

	printf(",\"%s\":[", name);
	for (i = from; i < until; i++)
		printf("%s%" PRId64, i > from ? "," : "", counts[i]);
	printf("]");
}

void report_time(uint64_t begun_ns, uint64_t ended_ns)
{
	report_real("seconds", ended_ns > begun_ns ? (double)(ended_ns - begun_ns) / NS_PER_S : 0);
	if (ended_ns <= begun_ns)
		return;
	report_whole("t_start_monotonic_ns", begun_ns);
	report_whole("t_end_monotonic_ns", ended_ns);
}

void report_series(const struct series *series, const char *own)
{
	unsigned int from = 0, until = SERIES_INTERVALS;

	while (from < until && !holds_anything(series, from))
		from++;
	while (until > from && !holds_anything(series, until - 1))
		until--;
	if (from == until)
		return;
	printf(",\"intervals\":{\"t_start_monotonic_ns\":%" PRIu64 ",\"interval_ns\":%" PRIu64,
	       series->origin_ns + from * series->interval_ns, series->interval_ns);
	print_column(series->counts[SERIES_BYTES], from, until, "bytes");
	print_column(series->counts[SERIES_OPERATIONS], from, until, "operations");
	if (own)
		print_column(series->counts[SERIES_OWN], from, until, own);
	printf("}");
}

void report_list(const char *name)
{
	printf(",\"%s\":[", name);
	listing = first = true;
}

void report_item(void)
{
	printf(first ? "{" : "},{");
	first = true;
}

void report_list_end(void)
{
	printf("}]");
	listing = false;
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

/* Of each slice: how many requests lie in which of the histogram's buckets that hold any, counted from 0. */
static void print_slice(const struct histogram *slice, const struct histogram *all, bool counts)
{
	const char *comma = "";
	unsigned int i, place = 0;

	for (i = 0; i < BUCKETS; i++) {
		if (slice->counts[i]) {
			printf("%s%" PRIu64, comma, counts ? slice->counts[i] : place);
			comma = ",";
		}
		place += all->counts[i] > 0;
	}
}

static void print_slices(const struct slices *slices, const struct histogram *all, unsigned int until)
{
	unsigned int i;

	printf(",\"latency_slices\":{\"t_start_monotonic_ns\":%" PRIu64 ",\"interval_ns\":%" PRIu64,
	       slices->origin_ns, slices->interval_ns);
	printf(",\"sum_ns\":[");
	for (i = 0; i < until; i++)
		printf("%s%.17g", i ? "," : "", slices->each[i].sum);
	printf("],\"max_ns\":[");
	for (i = 0; i < until; i++)
		printf("%s%" PRIu64, i ? "," : "", slices->each[i].maximum);
	printf("],\"buckets\":[[");
	for (i = 0; i < until; i++) {
		printf("%s", i ? "],[" : "");
		print_slice(&slices->each[i], all, false);
	}
	printf("]],\"counts\":[[");
	for (i = 0; i < until; i++) {
		printf("%s", i ? "],[" : "");
		print_slice(&slices->each[i], all, true);
	}
	printf("]]}");
}

static void print_histogram(const struct histogram *histogram)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};
	size_t i;

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

void report_latency(const struct slices *slices)
{
	static struct histogram all;
	unsigned int until = SLICES;

	slices_sum(slices, &all);
	if (!all.count)
		return;
	while (!slices->each[until - 1].count)
		until--;
	print_histogram(&all);
	print_slices(slices, &all, until);
}

bool report_end(void)
{
	puts("}");
	return (!fflush(stdout) && !ferror(stdout)) || socket_error("stdout");
}
