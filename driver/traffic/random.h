/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed repeats: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef RANDOM_H
#define RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t mixed = random->state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

/* The stream numbered `stream` of a seed. */
static inline struct random random_of(uint64_t seed, unsigned int stream)
{
	struct random random = {.state = seed};

	random.state = random_next(&random) + stream;
	random.state = random_next(&random);
	return random;
}

/* Uniform in (0, 1). */
static inline double random_uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double random_exponential(struct random *random, double mean)
{
	return -mean * log(random_uniform(random));
}

#endif
