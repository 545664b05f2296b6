/* SPDX-License-Identifier: Apache-2.0 */
/* The eBPF programs in the kernel, and each CPU's counters, which they share with us. */
#ifndef EBPF_PROGRAMS_H
#define EBPF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct coalescope_bpf;
struct cpu_counters;

struct ebpf_programs {
	struct coalescope_bpf *loaded; /* NULL: none are */
	const struct cpu_counters *cpus; /* mapped: all CPUs, as they count */
	size_t cpu_count;
	size_t mapped_bytes;
	bool see_schedules; /* whether they see NAPI being scheduled: some kernels allow tracepoints only */
};

/*
 * Attaches them for an interface, by its index in our network namespace. 0, or a negative errno as of ebpf_source_open();
 * they are to be closed in either case.
 */
int ebpf_programs_open(struct ebpf_programs *programs, int interface_index);
/* Interrupts of this line are the interface's, whatever they schedule. 0 or a negative errno. */
int ebpf_programs_own_line(const struct ebpf_programs *programs, unsigned int line);
/* From here on, what this process starts is the workload. 0 or a negative errno. */
int ebpf_programs_follow_children(const struct ebpf_programs *programs);
/* From here on, all CPUs that are on count whose their time is. */
void ebpf_programs_start_cpus(const struct ebpf_programs *programs);
/* Adds what an interrupt, a poll and a frame cost with them, where this kernel can measure it. */
void ebpf_programs_measure_cost(const struct ebpf_programs *programs, struct text *facts);
/*
 * Runs that the kernel left out because a program had interrupted itself: what they would have counted is missing. To ask
 * takes a system call for each program.
 */
uint64_t ebpf_programs_skipped_runs(const struct ebpf_programs *programs);
void ebpf_programs_close(struct ebpf_programs *programs);

#endif
