/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts one interface's frames, interrupts and polls, and whose time the CPUs spend, at the kernel's tracepoints. */
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "counters.h"
#include "frames.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Set before loading: the interface, by its index in the network namespace with this inode number. */
const volatile int interface_index;
const volatile unsigned int namespace_inode;
const volatile bool with_schedules; /* whether this kernel allows the programs that see NAPI being scheduled */

/* Process that records, as the kernel numbers it; 0: no command is recorded. What it starts is the workload. */
volatile __u32 recorder;

enum { NET_RX_SOFTIRQ = 3, KERNEL_THREAD = 0x00200000, NAPI_SCHEDULED = 1 << 0 };
enum { NET_XMIT_MASK = 0x0f, IRQ_NONE = 0 };
enum { CLOCK_TRIES = 4 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the logger makes it as many as there are CPUs */
	__type(key, __u32);
	__type(value, struct cpu_counters);
} cpus SEC(".maps");

/* Interrupt handlers of the interface: all of its message-signalled lines, and those in which its NAPI was scheduled. */
struct handler {
	__u64 action; /* 0: any, as nobody shares the line */
	__u64 irq;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct handler);
	__type(value, __u32);
} handlers SEC(".maps");

/*
 * NAPI instances of the interface that an interrupt has scheduled. Scheduling is a claim, which the poll that follows
 * answers if it delivers a frame. A poll may be scheduled again before its end is seen, because the driver switches
 * interrupts on again just before: then its own claim is the one before. Hard interrupts write, ends of polls take away.
 */
struct queue {
	__u64 claimed_ns;        /* when the interrupt began; 0: no claim is open */
	__u64 claimed_before_ns; /* the same of the claim before, whose poll has not ended yet */
	__u64 met;               /* interrupts that found it scheduled */
	__u64 taken;             /* of these, those that polls have accounted for */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64); /* struct napi_struct * */
	__type(value, struct queue);
} queues SEC(".maps");

/* Which NAPI instance an interrupt line schedules. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64); /* struct napi_struct * */
} scheduled_by SEC(".maps");

/* Processes of the workload: what the recorder started, and all that these start. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} workload SEC(".maps");

static __always_inline struct cpu_counters *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline bool is_watched(const struct net_device *device)
{
	return device->ifindex == interface_index && device->nd_net.net->ns.inum == namespace_inode;
}

/* Between these two, all that a level of a CPU writes. */
static __always_inline void begin(bpf_u32 *sequence)
{
	*(volatile bpf_u32 *)sequence += 1;
	barrier();
}

static __always_inline void end(bpf_u32 *sequence)
{
	barrier();
	*(volatile bpf_u32 *)sequence += 1;
}

/* --- whose time it is --- */

/* Time outside hard interrupts. One that comes between the two readings would be counted in one of them only. */
static __always_inline __u64 soft_clock(const struct cpu_counters *cpu)
{
	const volatile bpf_u64 *hard_total_ns = &cpu->hard_total_ns;
	__u64 before = *hard_total_ns, now = bpf_ktime_get_ns();
	int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		__u64 after = *hard_total_ns;

		if (after == before)
			break;
		before = after;
		now = bpf_ktime_get_ns();
	}
	return now - before;
}

/* Time outside hard and soft interrupts. */
static __always_inline __u64 task_clock(const struct cpu_counters *cpu)
{
	return soft_clock(cpu) - cpu->soft_total_ns;
}

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
		__sync_fetch_and_add(&cpu->missed_tasks, 1);
		owner = TASK_UNKNOWN;
	} else if (owner == TASK_UNDECIDED) {
		owner = TASK_OTHER;
	}
	charge_task(cpu, owner);
}

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

static __always_inline void softirq_began(struct cpu_counters *cpu, __u32 number)
{
	begin(&cpu->soft_sequence);
	cpu->softirq = number + 1;
	cpu->last_polled = OF_OTHERS;
	cpu->soft_since_ns = soft_clock(cpu);
	cpu->soft_began_ns = cpu->soft_since_ns + *(volatile bpf_u64 *)&cpu->hard_total_ns;
	end(&cpu->soft_sequence);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int number)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu && cpu->counting)
		softirq_began(cpu, number);
	return 0;
}

static __always_inline void charge_softirq(struct cpu_counters *cpu, __u32 owner)
{
	__u64 now = soft_clock(cpu), elapsed = now - cpu->soft_since_ns;

	cpu->soft_ns[owner == OF_INTERFACE ? OF_INTERFACE : OF_OTHERS] += elapsed;
	cpu->soft_total_ns += elapsed;
	cpu->soft_since_ns = now;
}

static __always_inline void softirq_ended(struct cpu_counters *cpu)
{
	begin(&cpu->soft_sequence);
	charge_softirq(cpu, cpu->last_polled);
	cpu->softirq = 0;
	end(&cpu->soft_sequence);
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

static __always_inline bool is_scheduled(const struct napi_struct *napi)
{
	return BPF_CORE_READ(napi, state) & NAPI_SCHEDULED;
}

static __always_inline void charge_interrupt(struct cpu_counters *cpu)
{
	__u64 elapsed = bpf_ktime_get_ns() - cpu->hard_since_ns;

	cpu->hard_ns[cpu->interrupt_is_ours ? OF_INTERFACE : OF_OTHERS] += elapsed;
	cpu->hard_total_ns += elapsed;
	cpu->hard_since_ns = 0;
}

static __always_inline bool is_handler(__u64 action, __u64 irq)
{
	struct handler handler = {.action = action, .irq = irq};

	return bpf_map_lookup_elem(&handlers, &handler) != NULL;
}

static __always_inline void interrupt_began(struct cpu_counters *cpu, __u32 irq, __u64 action)
{
	begin(&cpu->hard_sequence);
	cpu->hard_since_ns = bpf_ktime_get_ns();
	cpu->handler = action;
	cpu->irq = irq;
	cpu->scheduled = false;
	cpu->interrupt_is_ours = is_handler(0, irq) || is_handler(cpu->handler, irq);
	end(&cpu->hard_sequence);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_interrupt, int irq, struct irqaction *action)
{
	struct cpu_counters *cpu = this_cpu();

	if (cpu)
		interrupt_began(cpu, irq, (__u64)action);
	return 0;
}

/* The handler has run and scheduled nothing: does its NAPI wait or poll already? */
static __always_inline void meet_scheduled(__u64 irq)
{
	__u64 *napi = bpf_map_lookup_elem(&scheduled_by, &irq);
	struct queue *queue = napi ? bpf_map_lookup_elem(&queues, napi) : NULL;

	if (queue && is_scheduled((const struct napi_struct *)*napi))
		queue->met++;
}

static __always_inline void interrupt_ended(struct cpu_counters *cpu, __u32 irq, int result)
{
	begin(&cpu->hard_sequence);
	charge_interrupt(cpu);
	if (cpu->interrupt_is_ours && result != IRQ_NONE) {
		cpu->interrupts++;
		if (!cpu->scheduled)
			meet_scheduled(irq);
	}
	cpu->handler = 0;
	cpu->interrupt_is_ours = false;
	end(&cpu->hard_sequence);
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

/* NAPI is scheduled by one CPU at a time, and not before its last poll was through with its frames. */
static __always_inline void claim(const struct cpu_counters *cpu, const struct napi_struct *napi, __u64 irq)
{
	struct queue first = {.claimed_ns = cpu->hard_since_ns}, *queue;
	__u64 key = (__u64)napi, *line = bpf_map_lookup_elem(&scheduled_by, &irq);

	if (!line || *line != key)
		bpf_map_update_elem(&scheduled_by, &irq, &key, BPF_ANY);
	queue = bpf_map_lookup_elem(&queues, &key);
	if (!queue) {
		bpf_map_update_elem(&queues, &key, &first, BPF_ANY);
		return;
	}
	if (queue->claimed_ns)
		queue->claimed_before_ns = queue->claimed_ns;
	queue->claimed_ns = cpu->hard_since_ns;
}

static __always_inline void napi_scheduled(struct cpu_counters *cpu, const struct napi_struct *napi)
{
	struct handler handler = {.action = cpu->handler, .irq = cpu->irq};
	__u32 known = true;

	begin(&cpu->hard_sequence);
	if (!cpu->interrupt_is_ours) {
		bpf_map_update_elem(&handlers, &handler, &known, BPF_ANY);
		cpu->interrupt_is_ours = true;
	}
	cpu->schedules++;
	cpu->scheduled = true;
	claim(cpu, napi, handler.irq);
	end(&cpu->hard_sequence);
}

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

/* False if an interrupt has changed it meanwhile. */
static __always_inline bool take_claim(__u64 *claim, __u64 seen)
{
	return seen && __sync_val_compare_and_swap(claim, seen, 0) == seen;
}

/*
 * Whether a claim is answered: by frames that came after it. No claim outlives the poll that it scheduled, also where the
 * end of a poll was not seen: the one before is over in any case, and the last one unless NAPI is scheduled (again), which
 * is looked at after the claim, so that a claim made meanwhile stays.
 */
static __always_inline bool answer(const struct cpu_counters *cpu, const struct napi_struct *napi, struct queue *queue)
{
	__u64 last = *(volatile __u64 *)&queue->claimed_ns, before;
	bool answered = cpu->received && cpu->first_frame_ns >= last && take_claim(&queue->claimed_ns, last);

	before = *(volatile __u64 *)&queue->claimed_before_ns;
	if (take_claim(&queue->claimed_before_ns, before) && cpu->received && cpu->first_frame_ns >= before)
		answered = true;
	if (!is_scheduled(napi))
		take_claim(&queue->claimed_ns, last);
	return answered;
}

/* Interrupts that this poll has served, if it delivered frames: at most as many as frames. */
static __always_inline __u32 served(const struct cpu_counters *cpu, const struct napi_struct *napi)
{
	__u64 key = (__u64)napi, met;
	struct queue *queue = bpf_map_lookup_elem(&queues, &key);
	__u32 answered;

	if (!queue)
		return 0;
	answered = answer(cpu, napi, queue);
	met = *(volatile __u64 *)&queue->met - queue->taken;
	queue->taken += met;
	if (met > cpu->received - answered)
		met = cpu->received - answered;
	return answered + met;
}

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
