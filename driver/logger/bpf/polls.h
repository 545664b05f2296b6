/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ends of polls: what they have done, and whose the time before was. */
#ifndef COALESCOPE_BPF_POLLS_H
#define COALESCOPE_BPF_POLLS_H

#include "claims.h"
#include "softirqs.h"
#include "tasks.h"

/* Its thread polls: the time since it was switched to is for whom it polls. */
static __always_inline void thread_polled(struct cpu_counters *cpu, const struct napi_struct *napi, bool ours)
{
	if (!cpu->counting || cpu->task_owner != TASK_UNDECIDED || napi->thread != bpf_get_current_task_btf())
		return;
	cpu->task_owner = ours ? TASK_NAPI_THREAD : TASK_OTHER;
	charge_task(cpu, cpu->task_owner);
}

/* It says whose the time since the last poll was. */
static __always_inline void polled_in_softirq(struct cpu_counters *cpu, bool ours)
{
	cpu->last_polled = ours ? OF_INTERFACE : OF_OTHERS;
	charge_softirq(cpu, cpu->last_polled);
}

static __always_inline void count_poll(struct cpu_counters *cpu, const struct napi_struct *napi, int work)
{
	cpu->polls++;
	cpu->rx_polls += cpu->received > 0;
	cpu->poll_work += work > 0 ? work : 0;
	cpu->rx_interrupts += served(cpu, napi);
	cpu->received = 0;
}

#endif
