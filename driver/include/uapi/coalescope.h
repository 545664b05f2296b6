/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * What the kernel module coalescope and its readers agree on.
 *
 * Open /dev/coalescope, attach an interface by name (looked up in the caller's network namespace), and read: each
 * read() returns one snapshot, a struct coalescope_snapshot followed by queue_count structs coalescope_queue. Totals
 * and queues of one snapshot belong to one instant, unless COALESCOPE_NOT_ATOMIC is set.
 *
 * Fields are only ever appended, and the sizes stand in the snapshot: a reader that knows fewer fields skips the rest, a
 * reader that knows more takes those beyond `size` as absent.
 */
#ifndef _UAPI_COALESCOPE_H
#define _UAPI_COALESCOPE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define COALESCOPE_DEVICE "/dev/coalescope"
#define COALESCOPE_MAGIC 0x31504e53434c4f43ULL /* "COLCSNP1" in memory */
#define COALESCOPE_ABI_VERSION 1
#define COALESCOPE_NAME_BYTES 16
#define COALESCOPE_MAX_QUEUES 256

/* flags of a snapshot */
#define COALESCOPE_NOT_ATOMIC (1u << 0) /* the attempts ran out: CPUs were read one after the other, see skew_ns */
#define COALESCOPE_STOPPED (1u << 1)    /* of versions before 0.1.0: all CPUs were stopped for this snapshot */
#define COALESCOPE_NO_INTERRUPTS (1u << 2) /* it has no interrupt line of its own: interrupts are not known, 0 means nothing */
#define COALESCOPE_UNSTABLE_CLOCK (1u << 3) /* the time stamp counter turned out not to be stable: cycles are wrong */
#define COALESCOPE_QUEUES_EXHAUSTED (1u << 4) /* the last queue stands for those that found no place */
#define COALESCOPE_TOO_DEEP (1u << 5) /* interrupts nested deeper than was foreseen: some cycles have a wrong owner */

/*
 * Link level: bytes with Ethernet header and frame check sequence, frames as they are on the wire: before generic
 * receive offload, after segmentation.
 *
 * Every cycle of every CPU belongs to exactly one owner, from idle_cycles to other_irq_cycles; their sum is
 * the time stamp counter's advance times the number of CPUs.
 */
struct coalescope_snapshot {
	__u64 magic;
	__u32 abi_version;
	__u32 size;       /* bytes of this struct, as the kernel knows it */
	__u32 queue_size; /* bytes of each struct coalescope_queue */
	__u32 queue_count;
	__u32 flags;
	__u32 retries;  /* attempts before this one that a counter's update spoilt */
	__u64 sequence; /* 1 for the first snapshot of this file since it was attached, then one more each */

	__u64 tsc;
	__u64 t_monotonic_raw_ns; /* CLOCK_MONOTONIC_RAW */
	__u32 tsc_khz;
	__u32 cpus; /* online */
	__u32 interface_index;
	__u32 reserved;

	__u64 rx_packets;
	__u64 rx_bytes;
	__u64 tx_packets;
	__u64 tx_bytes;

	__u64 interrupts;    /* of the interface, handled */
	__u64 rx_interrupts; /* in which receive work was done: the poll that they scheduled, or met, delivered a frame */
	__u64 polls;         /* of NAPI */
	__u64 rx_polls;      /* of these, polls that found frames */
	__u64 poll_work;     /* what the polls said they did: a cross-check of rx_packets */
	__u64 schedules;     /* NAPI scheduled from a hard interrupt */

	__u64 idle_cycles;
	__u64 task_cycles;       /* tasks of the interface's network namespace */
	__u64 other_task_cycles; /* all other tasks */
	__u64 irq_cycles;        /* hard interrupts of the interface */
	__u64 softirq_cycles;    /* network softirq (or NAPI thread) on behalf of the interface */
	__u64 other_irq_cycles;  /* all other hard and soft interrupts */

	/* all CPUs together, as /proc/stat has them */
	__u64 cpu_user_ns;
	__u64 cpu_nice_ns;
	__u64 cpu_system_ns;
	__u64 cpu_idle_ns;
	__u64 cpu_iowait_ns;
	__u64 cpu_irq_ns;
	__u64 cpu_softirq_ns;
	__u64 cpu_steal_ns;

	/* the driver's own statistics, read just after: not of the same instant */
	__u64 driver_rx_packets;
	__u64 driver_rx_bytes;
	__u64 driver_tx_packets;
	__u64 driver_tx_bytes;
	__u64 rx_dropped;
	__u64 tx_dropped;
	__u64 rx_errors;
	__u64 tx_errors;
	__u64 rx_missed_errors;
	__u64 rx_fifo_errors;

	__u64 skew_ns; /* from the first to the last CPU that was read; 0: one instant */
};

/* One for each NAPI instance that has worked since the interface was attached. */
struct coalescope_queue {
	__u32 queue;   /* 0, 1, … in the order in which they first worked */
	__u32 napi_id; /* as the kernel numbers them; 0: it has none */
	__s32 irq;     /* the line that schedules it, -1: not known */
	__u32 reserved;
	__u64 rx_packets;
	__u64 rx_bytes;
	__u64 rx_interrupts;
	__u64 polls;
	__u64 rx_polls;
	__u64 poll_work;
};

struct coalescope_attach {
	char interface[COALESCOPE_NAME_BYTES]; /* ends with NUL */
	__u32 flags;                           /* 0 */
	__u32 interface_index;                 /* filled by the kernel */
};

/*
 * Errors: EPERM without CAP_NET_ADMIN; ENODEV no such interface; EOPNOTSUPP the interface (a VLAN, bond, failover device, …) receives
 * through another one: attach that; ENOSPC too many interfaces are watched; EINVAL a name without end, or flags that are
 * not known; read(): ENXIO not attached, ENODEV the interface is gone, EMSGSIZE the buffer does not hold the snapshot.
 * Attaching a file that is attached moves it to the other interface; if that fails it stays where it was.
 */
#define COALESCOPE_ATTACH _IOWR('C', 0xc0, struct coalescope_attach)
#define COALESCOPE_DETACH _IO('C', 0xc1)

#if defined(__KERNEL__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#define COALESCOPE_ASSERT(what) _Static_assert(what, #what)
COALESCOPE_ASSERT(sizeof(struct coalescope_snapshot) == 352);
COALESCOPE_ASSERT(sizeof(struct coalescope_queue) == 64);
COALESCOPE_ASSERT(sizeof(struct coalescope_attach) == 24);
COALESCOPE_ASSERT(__builtin_offsetof(struct coalescope_snapshot, tsc) == 40);
COALESCOPE_ASSERT(__builtin_offsetof(struct coalescope_snapshot, rx_packets) == 72);
COALESCOPE_ASSERT(__builtin_offsetof(struct coalescope_snapshot, idle_cycles) == 152);
COALESCOPE_ASSERT(__builtin_offsetof(struct coalescope_snapshot, cpu_user_ns) == 200);
COALESCOPE_ASSERT(__builtin_offsetof(struct coalescope_snapshot, driver_rx_packets) == 264);
#endif

#endif
