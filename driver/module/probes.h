/* SPDX-License-Identifier: GPL-2.0 */
/* The places of the kernel that the module is called from, while something is watched. */
#ifndef COALESCOPE_PROBES_H
#define COALESCOPE_PROBES_H

#include <linux/types.h>

struct ftrace_ops;
struct ftrace_regs;
struct irqaction;
struct napi_struct;
struct net_device;
struct sk_buff;
struct task_struct;

/* frames.c */
void on_napi_frame(void *data, const struct sk_buff *skb);
void on_netif_rx(void *data, const struct sk_buff *skb);
void on_start_xmit(void *data, const struct sk_buff *skb, const struct net_device *device);
void on_xmit(void *data, struct sk_buff *skb, int result, struct net_device *device,
	     unsigned int bytes);

/* interrupts.c */
void on_irq_handler_entry(void *data, int irq, struct irqaction *action);
void on_irq_handler_exit(void *data, int irq, struct irqaction *action, int result);
void on_napi_poll(void *data, struct napi_struct *napi, int work, int budget);
void on_napi_schedule(unsigned long ip, unsigned long caller, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs);

/* owners.c */
void on_sched_switch(void *data, bool preempt, struct task_struct *previous,
		     struct task_struct *next, unsigned int previous_state);
void on_softirq_entry(void *data, unsigned int vector);
void on_softirq_exit(void *data, unsigned int vector);
void on_vector_entry(void *data, int vector);
void on_vector_exit(void *data, int vector);

int probes_get(void);
void probes_put(void);
int probes_init(void);
void probes_exit(void);

#endif
