/* SPDX-License-Identifier: Apache-2.0 */
/* The header that the golden logs have in common: that of header() in driver/testdata/build.py. */
#ifndef GOLDEN_HEADER_H
#define GOLDEN_HEADER_H

#include "source.h"
#include "text.h"

static const uint64_t GOLDEN_START = 5000000000u, GOLDEN_INTERVAL = 50000000u;
static const uint64_t GOLDEN_WALL = 1700000000000000000u;

struct golden_source {
	const char *name;
	bool atomic;
};

/* environment: a JSON object. */
void golden_header(const char *environment, const struct golden_source *sources, size_t source_count,
		   const struct record_layout *layout, struct text *json);

#endif
