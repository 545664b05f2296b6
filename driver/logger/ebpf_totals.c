/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf_totals.h"

#include <string.h>

#include "clock.h"
#include "counters.h"

enum { MOST_TRIES = 1000 };

static uint32_t sequence(const uint32_t *of)
{
	return __atomic_load_n(of, __ATOMIC_ACQUIRE);
}

/* Copies a CPU's counters, and the time now; false if the CPU changed them meanwhile. */
static bool copy(struct cpu_counters *into, const struct cpu_counters *from, uint64_t *now)
{
	uint32_t hard = sequence(&from->hard_sequence), soft = sequence(&from->soft_sequence);

	memcpy(into, from, sizeof(*into));
	*now = clock_ns(CLOCK_MONOTONIC); /* the clock of bpf_ktime_get_ns() */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !((hard | soft) & 1) && sequence(&from->hard_sequence) == hard &&
	       sequence(&from->soft_sequence) == soft;
}

/*
 * Time that the running task has had since it was last charged. That of an interrupt in progress is charged when it ends,
 * because only then it is certain whose it is; so the times lag behind by as much.
 */
static void charge_running(struct cpu_counters *cpu, uint64_t now)
{
	uint64_t edge = now, clock;

	if (!cpu->counting || cpu->task_owner >= TASK_OWNERS)
		return;
	if (cpu->hard_since_ns)
		edge = cpu->hard_since_ns;
	clock = edge - cpu->hard_total_ns - cpu->soft_total_ns;
	if (cpu->softirq)
		clock -= edge - cpu->hard_total_ns - cpu->soft_since_ns;
	if ((int64_t)(clock - cpu->task_since_ns) > 0)
		cpu->task_ns[cpu->task_owner] += clock - cpu->task_since_ns;
}

static void add(struct ebpf_totals *totals, const struct cpu_counters *cpu)
{
	totals->rx_bytes += cpu->rx_bytes;
	totals->rx_packets += cpu->rx_packets;
	totals->tx_bytes += cpu->tx_bytes;
	totals->tx_packets += cpu->tx_packets;
	totals->interrupts += cpu->interrupts;
	totals->rx_skbs += cpu->rx_skbs;
	totals->tx_skbs += cpu->tx_skbs;
	totals->rx_interrupts += cpu->rx_interrupts;
	totals->schedules += cpu->schedules;
	totals->polls += cpu->polls;
	totals->rx_polls += cpu->rx_polls;
	totals->poll_work += cpu->poll_work;
	totals->idle_ns += cpu->task_ns[TASK_IDLE];
	totals->task_ns += cpu->task_ns[TASK_OF_INTERFACE];
	totals->workload_ns += cpu->task_ns[TASK_OF_WORKLOAD];
	totals->other_task_ns += cpu->task_ns[TASK_OTHER];
	totals->unknown_ns += cpu->task_ns[TASK_UNKNOWN];
	totals->missed_switches += cpu->missed_switches;
	totals->missed_events += cpu->missed_tasks + cpu->missed_switches;
	totals->irq_ns += cpu->hard_ns[OF_INTERFACE];
	totals->softirq_ns += cpu->soft_ns[OF_INTERFACE] + cpu->task_ns[TASK_NAPI_THREAD];
	totals->other_irq_ns += cpu->hard_ns[OF_OTHERS] + cpu->soft_ns[OF_OTHERS];
}

bool ebpf_totals_add(struct ebpf_totals *totals, const struct cpu_counters *cpu)
{
	struct cpu_counters copied;
	uint64_t now, tries = 0;

	while (!copy(&copied, cpu, &now) && tries < MOST_TRIES)
		tries++;
	charge_running(&copied, now);
	add(totals, &copied);
	totals->retries += tries;
	return tries < MOST_TRIES;
}
