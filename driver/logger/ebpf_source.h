/* SPDX-License-Identifier: Apache-2.0 */
/* The module's counters where modules are forbidden: eBPF programs at tracepoints, read through shared memory. */
#ifndef EBPF_SOURCE_H
#define EBPF_SOURCE_H

#include "source.h"

/*
 * 0, or a negative errno: -ENOENT this kernel does not describe its types or lacks a tracepoint, -EPERM without CAP_BPF and
 * CAP_PERFMON, -ENODEV no such interface, -EOPNOTSUPP it is not of Ethernet's kind, or receives through another one (VLAN,
 * bond, …), -EMEDIUMTYPE that one is a virtual function (Azure, failover devices). `follow`: what this process starts from now on is the workload, whose time is told apart.
 * `facts`: gets members for the environment.
 */
int ebpf_source_open(struct source *source, struct record_layout *layout, const char *interface, bool follow,
		     struct text *facts);

#endif
