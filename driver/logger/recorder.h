/* SPDX-License-Identifier: Apache-2.0 */
/* One recording: sources → records, window, command, footer. */
#ifndef RECORDER_H
#define RECORDER_H

#include "live.h"
#include "log_writer.h"
#include "options.h"
#include "source_set.h"
#include "wakeup.h"
#include "window.h"
#include "workload.h"

struct recorder {
	const struct options *options;
	struct source_set set;
	uint64_t *values;   /* of the latest sample; the first is t_monotonic_ns */
	size_t time_of_day; /* column of t_realtime_ns */
	struct log_writer writer;
	struct workload workload;
	struct live live; /* not open without --live */
	uint64_t command_deadline; /* on CLOCK_MONOTONIC, in ns; 0: it may run for ever */
	struct wakeup wakeup;
	uint64_t last_whole; /* when the latest whole sample was taken */
	bool whole;          /* whether the latest sample is */
	struct window window;
	bool gone;  /* a source failed: what it observes is not there any more */
};

/* Finds the sources. Says on stderr what is wrong, as all of these do. */
bool recorder_open(struct recorder *recorder, const struct options *options);
/* Writes the whole log to an open file. */
bool recorder_run(struct recorder *recorder, int fd);
void recorder_close(struct recorder *recorder);

#endif
