/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few members of kernel structs that are read. Offsets are those of the running kernel: the loader fills them in from
 * its type information (CO-RE).
 */
#ifndef COALESCOPE_BPF_KERNEL_TYPES_H
#define COALESCOPE_BPF_KERNEL_TYPES_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };

/* enum bpf_map_type, flags of maps and updates: uapi linux/bpf.h */
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2 };
enum { BPF_F_NO_PREALLOC = 1 << 0, BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_ANY = 0 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct nsproxy {
	struct net *net_ns;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads */
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
};

struct napi_struct {
	unsigned long state;
	struct net_device *dev;
	struct task_struct *thread;
};

struct irqaction;

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	unsigned int data_len;
	__u8 encapsulation : 1;
	__u16 inner_transport_header;
	__be16 protocol;
	__u16 transport_header;
	__u16 mac_header;
	unsigned int end; /* an offset on 64-bit machines */
	unsigned char *head;
	unsigned char *data;
};

/* Whether there is a VLAN tag outside the data: until Linux 6.1, and since 6.2. */
struct sk_buff___tag_bit {
	__u8 vlan_present : 1;
};

struct sk_buff___tag_words {
	__u32 vlan_all;
};

struct skb_shared_info {
	unsigned short gso_size;
	unsigned int gso_type;
};

#pragma clang attribute pop

#endif
