/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What counting costs on this machine: the bodies of the programs, run on counters that nobody reads. A turn of the loop is
 * a call, as each event's is; what the kernel does around a call, and caches that are cold, come on top.
 */
#ifndef COALESCOPE_BPF_PROBE_COST_H
#define COALESCOPE_BPF_PROBE_COST_H

enum { NO_LINE = 0x7fffffff };

/* ns of all turns */
struct {
	__u64 irq, poll, frame;
} probe_cost;

static struct cpu_counters scratch;

/* A task stands for the NAPI instance and for the skb: of both only memory of the kernel is read. */
static __always_inline const struct napi_struct *stand_in(void)
{
	return (const struct napi_struct *)bpf_get_current_task();
}

static long one_interrupt(__u32 turn, void *context)
{
	if (this_cpu())
		interrupt_began(&scratch, NO_LINE, 1);
	if (with_schedules && this_cpu())
		napi_scheduled(&scratch, stand_in());
	if (this_cpu())
		interrupt_ended(&scratch, NO_LINE, 1);
	return 0;
}

static long one_poll(__u32 turn, void *context)
{
	if (this_cpu())
		softirq_began(&scratch, NET_RX_SOFTIRQ);
	if (this_cpu()) {
		begin(&scratch.soft_sequence);
		polled_in_softirq(&scratch, true);
		count_poll(&scratch, stand_in(), 1);
		end(&scratch.soft_sequence);
	}
	if (this_cpu())
		softirq_ended(&scratch);
	return 0;
}

static long one_frame(__u32 turn, void *context)
{
	struct frames frames = {.packets = 1};

	if (!this_cpu())
		return 0;
	/* as size of segments and tag of an skb */
	frames.bytes = BPF_CORE_READ(stand_in(), state);
	frames.bytes += bpf_get_current_task_btf()->flags;
	count_received(&scratch, frames);
	return 0;
}

/* The logger runs it once, before it records. */
SEC("raw_tp")
int measure_cost(void *raw_tp_context)
{
	struct handler handler = {.irq = NO_LINE};
	__u64 key = (__u64)stand_in(), line = NO_LINE, began, interrupted, polled;
	__u32 known = true;

	bpf_map_update_elem(&handlers, &handler, &known, BPF_ANY);
	began = bpf_ktime_get_ns();
	bpf_loop(PROBE_COST_TURNS, one_interrupt, NULL, 0);
	interrupted = bpf_ktime_get_ns();
	bpf_loop(PROBE_COST_TURNS, one_poll, NULL, 0);
	polled = bpf_ktime_get_ns();
	bpf_loop(PROBE_COST_TURNS, one_frame, NULL, 0);
	probe_cost.frame = bpf_ktime_get_ns() - polled;
	probe_cost.poll = polled - interrupted;
	probe_cost.irq = interrupted - began;
	bpf_map_delete_elem(&handlers, &handler);
	bpf_map_delete_elem(&queues, &key);
	bpf_map_delete_elem(&scheduled_by, &line);
	return 0;
}

#endif
