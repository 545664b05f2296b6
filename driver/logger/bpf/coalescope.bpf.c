/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts one interface's frames, interrupts and polls, and whose time the CPUs spend, at the kernel's tracepoints. The
 * programs at these are here; what they count by is in the headers.
 */
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "cpus.h"
#include "frames.h"
#include "interrupts.h"
#include "polls.h"
#include "softirqs.h"
#include "tasks.h"
#include "watched.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { NET_RX_SOFTIRQ = 3, NET_XMIT_MASK = 0x0f };

/* --- tasks --- */

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *previous, struct task_struct *next)
{
	struct cpu_counters *cpu = this_cpu();

	if (!cpu)
		return 0;
	begin(&cpu->soft_sequence);
	if (cpu->counting) {
		end_task(cpu, previous);
		set_task(cpu, next);
	} else {
		start_counting(cpu, next);
	}
	end(&cpu->soft_sequence);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 process = child->tgid, known = true;
	struct cpu_counters *cpu;

	if (!recorder || ((__u32)parent->tgid != recorder && !is_workload(parent->tgid)))
		return 0;
	cpu = bpf_map_update_elem(&workload, &process, &known, BPF_ANY) ? this_cpu() : NULL;
	if (cpu) /* there is no room: its time, and that of what it starts, will be that of others */
		__sync_fetch_and_add(&cpu->missed_tasks, 1);
	return 0;
}

/* Its number may be another's soon. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 process = task->tgid;

	if (recorder && !task->signal->live.counter)
		bpf_map_delete_elem(&workload, &process);
	return 0;
}

/* The logger runs it before it starts the command. */
SEC("raw_tp")
int follow_caller(void *context)
{
	recorder = bpf_get_current_pid_tgid() >> 32;
	return 0;
}

/* The logger runs it once on each CPU: one that is idle might not switch tasks for a long time. */
SEC("raw_tp")
int start_cpu(void *context)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && !cpu->counting)
		start_counting(cpu, bpf_get_current_task_btf());
	return 0;
}

/* --- soft interrupts --- */

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int number)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && cpu->counting)
		softirq_began(cpu, number);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end, unsigned int number)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && cpu->softirq)
		softirq_ended(cpu);
	return 0;
}

/* --- hard interrupts --- */

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_interrupt, int irq, struct irqaction *action)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu)
		interrupt_began(cpu, irq, (__u64)action);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_interrupt_end, int irq, struct irqaction *action, int result)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && cpu->hard_since_ns)
		interrupt_ended(cpu, irq, result);
	return 0;
}

static __always_inline int vector_entered(void)
{
	struct cpu_counters *cpu = this_cpu();

	if (!cpu)
		return 0;
	begin(&cpu->hard_sequence);
	cpu->hard_since_ns = bpf_ktime_get_ns();
	end(&cpu->hard_sequence);
	return 0;
}

static __always_inline int vector_left(void)
{
	struct cpu_counters *cpu = this_cpu();

	if (!cpu || !cpu->hard_since_ns)
		return 0;
	begin(&cpu->hard_sequence);
	charge_interrupt(cpu);
	end(&cpu->hard_sequence);
	return 0;
}

/* Interrupts that have a vector of their own instead of a handler, on x86. */
#define VECTOR(name) \
	SEC("tp_btf/" #name "_entry") \
	int BPF_PROG(on_##name, int vector) \
	{ \
		return vector_entered(); \
	} \
	SEC("tp_btf/" #name "_exit") \
	int BPF_PROG(on_##name##_end, int vector) \
	{ \
		return vector_left(); \
	}
VECTOR(local_timer)
VECTOR(reschedule)
VECTOR(call_function)
VECTOR(call_function_single)
VECTOR(irq_work)
VECTOR(thermal_apic)
#undef VECTOR

/* --- NAPI --- */

static __always_inline int scheduled(const struct napi_struct *napi)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && cpu->handler && is_watched(napi->dev))
		napi_scheduled(cpu, napi);
	return 0;
}

SEC("fentry/__napi_schedule")
int BPF_PROG(on_schedule, struct napi_struct *napi)
{
	return scheduled(napi);
}

SEC("fentry/__napi_schedule_irqoff")
int BPF_PROG(on_schedule_irqoff, struct napi_struct *napi)
{
	return scheduled(napi);
}

/* At the end of a poll. */
SEC("tp_btf/napi_poll")
int BPF_PROG(on_poll, struct napi_struct *napi, int work, int budget)
{
	struct cpu_counters *cpu = this_cpu();
	bool ours;

	if (!cpu)
		return 0;
	ours = is_watched(napi->dev);
	begin(&cpu->soft_sequence);
	if (cpu->softirq == NET_RX_SOFTIRQ + 1)
		polled_in_softirq(cpu, ours);
	else
		thread_polled(cpu, napi, ours);
	if (ours)
		count_poll(cpu, napi, work);
	end(&cpu->soft_sequence);
	return 0;
}

/* --- frames --- */

static __always_inline void count_received(struct cpu_counters *cpu, struct frames frames)
{
	begin(&cpu->soft_sequence);
	cpu->rx_packets += frames.packets;
	cpu->rx_bytes += frames.bytes;
	cpu->rx_skbs++;
	if (!cpu->received++)
		cpu->first_frame_ns = bpf_ktime_get_ns();
	end(&cpu->soft_sequence);
}

/* Each frame passes one of these entries once, before generic receive offload. */
static __always_inline int received(const struct sk_buff *skb)
{
	struct cpu_counters *cpu;

	if (!is_watched(skb->dev))
		return 0;
	cpu = this_cpu();
	if (cpu)
		count_received(cpu, received_frames(skb));
	return 0;
}

SEC("tp_btf/napi_gro_receive_entry")
int BPF_PROG(on_gro_receive, const struct sk_buff *skb)
{
	return received(skb);
}

SEC("tp_btf/napi_gro_frags_entry")
int BPF_PROG(on_gro_frags, const struct sk_buff *skb)
{
	return received(skb);
}

SEC("tp_btf/netif_receive_skb_entry")
int BPF_PROG(on_receive, const struct sk_buff *skb)
{
	return received(skb);
}

SEC("tp_btf/netif_receive_skb_list_entry")
int BPF_PROG(on_receive_list, const struct sk_buff *skb)
{
	return received(skb);
}

SEC("tp_btf/netif_rx_entry")
int BPF_PROG(on_netif_rx, const struct sk_buff *skb)
{
	return received(skb);
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(on_transmit, const struct sk_buff *skb, const struct net_device *device)
{
	struct cpu_counters *cpu;
	struct frames frames;

	if (!is_watched(device))
		return 0;
	cpu = this_cpu();
	if (!cpu)
		return 0;
	frames = transmitted_frames(skb);
	cpu->sending_packets = frames.packets;
	cpu->sending_bytes = frames.bytes;
	return 0;
}

/* The driver has answered; it may have freed the skb. */
SEC("tp_btf/net_dev_xmit")
int BPF_PROG(on_transmit_end, struct sk_buff *skb, int result, struct net_device *device)
{
	struct cpu_counters *cpu;

	if (result >= NET_XMIT_MASK || !is_watched(device)) /* not taken: it will be offered again */
		return 0;
	cpu = this_cpu();
	if (!cpu)
		return 0;
	begin(&cpu->soft_sequence);
	cpu->tx_packets += cpu->sending_packets;
	cpu->tx_bytes += cpu->sending_bytes;
	cpu->tx_skbs++;
	cpu->sending_packets = 0; /* nothing is counted twice where the start was missed */
	cpu->sending_bytes = 0;
	end(&cpu->soft_sequence);
	return 0;
}

#include "probe_cost.h"
