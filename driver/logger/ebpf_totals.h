/* SPDX-License-Identifier: Apache-2.0 */
/* Each CPU's counters, which the eBPF programs change meanwhile, read and added up. */
#ifndef EBPF_TOTALS_H
#define EBPF_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_counters;

/* What all CPUs have counted together. */
struct ebpf_totals {
	uint64_t rx_bytes, rx_packets, tx_bytes, tx_packets, rx_skbs, tx_skbs;
	uint64_t interrupts, rx_interrupts, schedules;
	uint64_t polls, rx_polls, poll_work;
	uint64_t idle_ns, task_ns, workload_ns, other_task_ns, irq_ns, softirq_ns, other_irq_ns, unknown_ns;
	uint64_t missed_events, missed_switches, retries; /* the second are among the first */
};

/* Adds one CPU's counters; false if the CPU changed them in each attempt to read them: then some events are missing. */
bool ebpf_totals_add(struct ebpf_totals *totals, const struct cpu_counters *cpu);

#endif
