/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose the time of tasks is. */
#ifndef COALESCOPE_BPF_TASKS_H
#define COALESCOPE_BPF_TASKS_H

#include "cpus.h"
#include "watched.h"

enum { KERNEL_THREAD = 0x00200000 };

/* Process that records, as the kernel numbers it; 0: no command is recorded. What it starts is the workload. */
volatile __u32 recorder;

/* Processes of the workload: what the recorder started, and all that these start. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} workload SEC(".maps");

static __always_inline bool is_workload(__u32 process)
{
	return recorder && bpf_map_lookup_elem(&workload, &process) != NULL;
}

/* A task's own owner: it needs no lock, because a task that is switched to or from keeps its namespaces meanwhile. */
static __always_inline __u32 owner_of(const struct task_struct *task)
{
	const struct nsproxy *namespaces = task->nsproxy;

	if (!task->pid)
		return TASK_IDLE;
	if (task->flags & KERNEL_THREAD)
		return TASK_UNDECIDED; /* it may be one that polls: for whom is known at the end of the poll */
	if (is_workload(task->tgid))
		return TASK_OF_WORKLOAD;
	if (namespaces && namespaces->net_ns->ns.inum == namespace_inode)
		return TASK_OF_INTERFACE;
	return TASK_OTHER;
}

/* Charges the time since the last change to the owner. */
static __always_inline void charge_task(struct cpu_counters *cpu, __u32 owner)
{
	__u64 now = task_clock(cpu);

	if (owner < TASK_OWNERS) /* the verifier does not see that it is */
		cpu->task_ns[owner] += now - cpu->task_since_ns;
	cpu->task_since_ns = now;
}

static __always_inline void set_task(struct cpu_counters *cpu, const struct task_struct *task)
{
	cpu->task_owner = owner_of(task);
	cpu->task = task->pid;
}

/* The clocks of interrupts that began earlier start from here, too. */
static __always_inline void start_counting(struct cpu_counters *cpu, const struct task_struct *running)
{
	set_task(cpu, running);
	cpu->task_since_ns = task_clock(cpu);
	cpu->counting = true;
}

/* Some kernels run no programs while certain tasks do: who had the time since the last switch that was seen is unknown. */
static __always_inline void end_task(struct cpu_counters *cpu, const struct task_struct *task)
{
	__u32 owner = cpu->task_owner;

	if (cpu->task != (__u32)task->pid) {
		__sync_fetch_and_add(&cpu->missed_switches, 1);
		owner = TASK_UNKNOWN;
	} else if (owner == TASK_UNDECIDED) {
		owner = TASK_OTHER;
	}
	charge_task(cpu, owner);
}

#endif
