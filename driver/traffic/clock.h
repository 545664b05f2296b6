/* SPDX-License-Identifier: Apache-2.0 */
/* CLOCK_MONOTONIC_RAW in nanoseconds: the clock of run logs, so that a result and a log can be laid side by side. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000u

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline struct timespec timespec_of(uint64_t nanoseconds)
{
	return (struct timespec){
		.tv_sec = (time_t)(nanoseconds / NS_PER_S),
		.tv_nsec = (long)(nanoseconds % NS_PER_S),
	};
}

static inline uint64_t ns_of(double seconds)
{
	return (uint64_t)(seconds * NS_PER_S + 0.5);
}

#endif
