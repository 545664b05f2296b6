/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_MONITOR_H
#define COALESCOPE_MONITOR_H

struct net;
struct net_device;
struct monitor;

struct monitor *monitor_get(struct net *net, const char *name);
struct monitor *monitor_stand_in(struct net_device *device);
void monitor_put(struct monitor *monitor);

int monitor_init(void);
void monitor_exit(void);

#endif
