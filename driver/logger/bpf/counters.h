/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the eBPF programs write and the logger reads: one struct cpu_counters for each possible CPU, in a map that both
 * have in memory.
 *
 * A CPU writes its own counters only, from two levels: hard interrupts interrupt everything else, nothing interrupts them.
 * So each level has counters of its own and a sequence number that is odd while it changes them.
 */
#ifndef COALESCOPE_BPF_COUNTERS_H
#define COALESCOPE_BPF_COUNTERS_H

typedef unsigned int bpf_u32;
typedef unsigned long long bpf_u64;

enum task_owner {
	TASK_IDLE,
	TASK_OF_INTERFACE,
	TASK_OF_WORKLOAD,
	TASK_OTHER,
	TASK_NAPI_THREAD,
	TASK_UNKNOWN,
	TASK_OWNERS,
	TASK_UNDECIDED = TASK_OWNERS
};
/* How often each part is run to measure what it costs. */
enum { PROBE_COST_TURNS = 500 };

enum interrupt_owner { OF_INTERFACE, OF_OTHERS, INTERRUPT_OWNERS };

/*
 * Three clocks run on each CPU, so that every nanosecond has one owner: that of hard interrupts is real time; that of soft
 * interrupts stands still in hard ones; that of tasks stands still in both.
 */
struct cpu_counters {
	/* hard interrupts */
	bpf_u32 hard_sequence;
	bpf_u32 interrupt_is_ours; /* whether the handler that runs is the interface's */
	bpf_u64 handler;           /* struct irqaction that runs, 0: none */
	bpf_u64 hard_since_ns;     /* real time at which the hard interrupt began, 0: none runs */
	bpf_u64 hard_ns[INTERRUPT_OWNERS];
	bpf_u64 hard_total_ns;
	bpf_u64 interrupts;
	bpf_u64 schedules;
	bpf_u32 irq;       /* line of the handler that runs */
	bpf_u32 scheduled; /* whether that has scheduled NAPI */

	/* soft interrupts, and what runs with them switched off */
	bpf_u32 soft_sequence;
	bpf_u32 softirq;       /* number of the soft interrupt that runs, plus 1; 0: none */
	bpf_u32 last_polled;   /* enum interrupt_owner of its last poll */
	bpf_u32 received;      /* skbs of the interface since the last poll ended */
	bpf_u64 first_frame_ns; /* when the first of them came */
	bpf_u64 soft_began_ns; /* real time at which it began */
	bpf_u64 soft_since_ns; /* soft clock at its start or at the end of its last poll */
	bpf_u64 soft_ns[INTERRUPT_OWNERS];
	bpf_u64 soft_total_ns;
	bpf_u64 rx_skbs;
	bpf_u64 tx_skbs;
	bpf_u64 rx_packets;
	bpf_u64 rx_bytes;
	bpf_u64 tx_packets;
	bpf_u64 tx_bytes;
	bpf_u64 sending_packets; /* with the driver, which has not answered yet */
	bpf_u64 sending_bytes;
	bpf_u64 polls;
	bpf_u64 rx_polls;
	bpf_u64 poll_work;
	bpf_u64 rx_interrupts;

	/* tasks; guarded by soft_sequence, too: the scheduler never runs within a soft interrupt */
	bpf_u32 counting; /* whether it is known who owns the time */
	bpf_u32 task_owner;
	bpf_u32 task;          /* the one that runs, by its number in the kernel */
	bpf_u32 missed_tasks; /* of the workload, that are not known as such */
	bpf_u32 missed_switches; /* from tasks: not seen */
	bpf_u64 task_since_ns; /* task clock when the owner took over */
	bpf_u64 task_ns[TASK_OWNERS];
} __attribute__((aligned(128)));

#endif
