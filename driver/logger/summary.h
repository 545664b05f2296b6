/* SPDX-License-Identifier: Apache-2.0 */
/* A recording in brief, for the program that started it. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>

#include "source.h"
#include "window.h"

struct summary {
	const char *log;
	const char *ended;
	bool fine; /* the run is as it was asked for */
	uint64_t missed_ticks;
	const struct record_layout *layout;
	const struct window *window;
	const struct text *doubts; /* JSON list */
};

/* One JSON object, indented, on standard output. False if it could not be written. */
bool summary_print(const struct summary *summary);

#endif
