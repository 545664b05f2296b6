/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <math.h>

/* Values below 128 have a bucket each; above, a shift leaves the 7 leading bits. */
static unsigned int bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * BUCKETS_PER_OCTAVE)
		return (unsigned int)value;
	shift = 57 - (unsigned int)__builtin_clzll(value);
	return shift * BUCKETS_PER_OCTAVE + (unsigned int)(value >> shift);
}

static unsigned int shift_of(unsigned int bucket)
{
	return bucket < 2 * BUCKETS_PER_OCTAVE ? 0 : bucket / BUCKETS_PER_OCTAVE - 1;
}

uint64_t bucket_lower(unsigned int bucket)
{
	unsigned int shift = shift_of(bucket);

	return (uint64_t)(bucket - shift * BUCKETS_PER_OCTAVE) << shift;
}

uint64_t bucket_upper(unsigned int bucket)
{
	return bucket_lower(bucket) + ((uint64_t)1 << shift_of(bucket)) - 1;
}

void histogram_record(struct histogram *histogram, uint64_t value)
{
	if (!histogram->count || value < histogram->minimum)
		histogram->minimum = value;
	if (value > histogram->maximum)
		histogram->maximum = value;
	histogram->counts[bucket_of(value)]++;
	histogram->count++;
	histogram->sum += (double)value;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	unsigned int i;

	if (!from->count)
		return;
	if (!into->count || from->minimum < into->minimum)
		into->minimum = from->minimum;
	if (from->maximum > into->maximum)
		into->maximum = from->maximum;
	for (i = 0; i < BUCKETS; i++)
		into->counts[i] += from->counts[i];
	into->count += from->count;
	into->sum += from->sum;
}

double histogram_quantile(const struct histogram *histogram, double share)
{
	double rank = fmax(1, ceil(share * (double)histogram->count)), seen = 0, middle;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		seen += (double)histogram->counts[i];
		if (seen < rank)
			continue;
		middle = (double)bucket_lower(i) + (double)(bucket_upper(i) - bucket_lower(i)) / 2;
		return fmin(fmax(middle, (double)histogram->minimum), (double)histogram->maximum);
	}
	return 0;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? histogram->sum / (double)histogram->count : 0;
}
