/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_COST_H
#define COALESCOPE_COST_H

#include <linux/types.h>

/* What the probes add, in ns; all 0: not known. */
struct probe_cost {
	u32 irq; /* to an interrupt that schedules NAPI */
	u32 poll; /* to a receive softirq with one poll, and to the first frame of it */
	u32 frame; /* to each further frame */
};

void measure_probe_cost(void);
struct probe_cost probe_cost(void);

#endif
