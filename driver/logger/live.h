/* SPDX-License-Identifier: Apache-2.0 */
/* A line each second on stderr while a log is recorded, and one for the whole window at its end. */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

enum { MOST_LIVE_COLUMNS = 8 };

/* Columns that are added up. */
struct live_columns {
	size_t columns[MOST_LIVE_COLUMNS];
	size_t count;
};

struct live {
	const struct record_layout *layout;
	double dilation; /* rates are those of the system that is stood for */
	struct live_columns bytes, packets, interrupts, drops, cpu, cpu_idle;
	double more_bytes; /* a packet, for link level with frame check sequence */
	uint64_t *previous; /* values at the latest line */
	uint64_t begun;
};

/* False if memory runs out. */
bool live_open(struct live *live, const struct record_layout *layout, double dilation);
/* Whether there will be a line after this sample, which then has to be whole. */
bool live_is_due(const struct live *live, const uint64_t *values);
void live_sample(struct live *live, const uint64_t *values);
/* The last line: between the window's two samples. */
void live_finish(const struct live *live, const uint64_t *start, const uint64_t *end);
void live_close(struct live *live);

#endif
