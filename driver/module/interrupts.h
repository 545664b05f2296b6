/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_INTERRUPTS_H
#define COALESCOPE_INTERRUPTS_H

#include "counters.h"

struct ftrace_ops;
struct ftrace_regs;
struct irqaction;
struct napi_struct;
struct queue;

void napi_scheduled(const struct napi_struct *napi);
void end_poll_batch(struct cpu_state *cpu);
void answer_claim(struct interface_counters *counters, struct queue *queue, unsigned int q);

/* probes */
void on_irq_handler_entry(void *data, int irq, struct irqaction *action);
void on_irq_handler_exit(void *data, int irq, struct irqaction *action, int result);
void on_napi_poll(void *data, struct napi_struct *napi, int work, int budget);
void on_napi_schedule(unsigned long ip, unsigned long caller, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs);

#endif
