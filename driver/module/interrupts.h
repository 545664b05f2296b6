/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_INTERRUPTS_H
#define COALESCOPE_INTERRUPTS_H

#include "counters.h"

struct queue;

void end_burst(struct cpu_state *cpu);
void answer_claim(struct interface_counters *counters, struct queue *queue, unsigned int q);

#endif
