/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder sleeps for: the next tick of its timer, a signal, output of the command. */
#ifndef WAKEUP_H
#define WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "workload.h"

struct wakeup {
	int timer_fd, signal_fd; /* -1: not open */
	uint64_t missed_ticks;
	int caught; /* number of the signal that ended us, 0 if none */
};

/* From here on, signals that would end us are only noted. 0 or a negative errno, as of the next. */
int wakeup_catch_signals(struct wakeup *wakeup);
/* The first tick is an interval from now. */
int wakeup_start_timer(struct wakeup *wakeup, uint64_t interval_ns);
/* Waits for something to happen, for ever if the timeout is -1; true if it is time for a sample. */
bool wakeup_wait(struct wakeup *wakeup, struct workload *workload, int timeout_ms);
void wakeup_close(struct wakeup *wakeup);

#endif
