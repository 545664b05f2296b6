/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interface that is watched, as the logger says before it loads the programs. */
#ifndef COALESCOPE_BPF_WATCHED_H
#define COALESCOPE_BPF_WATCHED_H

/* Set before loading: the interface, by its index in the network namespace with this inode number. */
const volatile int interface_index;
const volatile unsigned int namespace_inode;
const volatile bool with_schedules; /* whether this kernel allows the programs that see NAPI being scheduled */

static __always_inline bool is_watched(const struct net_device *device)
{
	return device->ifindex == interface_index && device->nd_net.net->ns.inum == namespace_inode;
}

#endif
