/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of values in log-linear buckets: 64 equal ones between each power of two and the next, so that the middle of a
 * bucket is within 1/128 (0.8 %) of every value in it. Values below 128 are exact.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { BUCKETS_PER_OCTAVE = 64, BUCKETS = 59 * BUCKETS_PER_OCTAVE };

struct histogram {
	uint64_t counts[BUCKETS];
	uint64_t count;
	uint64_t minimum; /* exact, as the maximum and the sum; 0 while empty */
	uint64_t maximum;
	double sum;
};

void histogram_record(struct histogram *histogram, uint64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The least and the greatest value that a bucket holds. */
uint64_t bucket_lower(unsigned int bucket);
uint64_t bucket_upper(unsigned int bucket);

/* The value at or below which lies this share (0 … 1) of all values, by nearest rank; 0 if there are none. */
double histogram_quantile(const struct histogram *histogram, double share);
double histogram_mean(const struct histogram *histogram);

#endif
